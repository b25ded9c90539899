//! A source that the command line describes, to be added to a dated file.

use bareme_engine::authoring::Node;
use bareme_show::say;
use jiff::civil::Date;

use crate::edit::quoted;
use crate::series::{self, DatedFile};
use crate::session::{Failure, Session};

/// A new source for a file: its id, and its entry.
pub(in crate::command) type NewSource = (String, String);

/// What a source is that a file does not name yet.
#[derive(Debug, Clone, clap::Args)]
pub(in crate::command) struct SourceArgs {
    #[arg(long, value_name = "TITLE", requires = "source")]
    title: Option<String>,
    #[arg(long, value_name = "NAME", requires = "title")]
    publisher: Option<String>,
    #[arg(long, value_name = "KIND", default_value = "law", requires = "title")]
    pub(super) kind: String,
    #[arg(long, value_name = "WORDS", requires = "title")]
    published: Option<String>,
    #[arg(long, value_name = "DATE", requires = "title")]
    text_date: Option<Date>,
    #[arg(long, value_name = "ADDRESS", requires = "title")]
    url: Option<String>,
}

impl SourceArgs {
    /// The same with what was asked for.
    pub(super) fn with(
        &self,
        title: String,
        publisher: Option<String>,
        text_date: Option<Date>,
    ) -> Self {
        Self {
            title: Some(title),
            publisher,
            text_date,
            ..self.clone()
        }
    }

    /// The described source: its id, the first one of the list, and its entry.
    pub(in crate::command) fn entry(&self, ids: Option<&str>) -> Option<NewSource> {
        let described = Described {
            kind: &self.kind,
            title: self.title.as_deref()?,
            publisher: self.publisher.as_deref(),
            published: self.published.as_deref(),
            date: self.text_date,
            url: self.url.as_deref(),
        };
        Some((series::ids(ids?).first()?.clone(), described.entry()))
    }
}

/// What a source is.
pub(super) struct Described<'d> {
    pub kind: &'d str,
    pub title: &'d str,
    pub publisher: Option<&'d str>,
    pub published: Option<&'d str>,
    pub date: Option<Date>,
    pub url: Option<&'d str>,
}

impl Described<'_> {
    /// Its entry in a dated file.
    pub(super) fn entry(&self) -> String {
        let mut stated = format!("{{kind: {}, title: {}", self.kind, quoted(self.title));
        // A member without a value is left out: the check of the file reports it if required.
        for (key, value) in [
            ("publisher", self.publisher.map(quoted)),
            ("published", self.published.map(quoted)),
            ("date", self.date.map(|date| date.to_string())),
            ("url", self.url.map(quoted)),
        ] {
            stated.extend(value.map(|value| format!(", {key}: {value}")));
        }

        stated + "}"
    }
}

/// Refuses a described source that the file already has.
pub(in crate::command) fn check_new(
    source: Option<&NewSource>,
    file: Option<&DatedFile>,
    session: &Session,
) -> Result<(), Failure> {
    let (Some(file), Some((id, _))) = (file, source) else {
        return Ok(());
    };

    // A second entry of one name would be an error of the file.
    if file.source(id).is_none() {
        return Ok(());
    }

    Err(Failure::unusable(say!(
        session.lang,
        "La source `{id}` est déjà dans `sources` : la commande sans `--title` la nomme.",
        "The source `{id}` is in `sources` already: the command without `--title` names it."
    )))
}

/// Why a file has no source of a name, with the name that was meant.
pub(in crate::command) fn unknown_source(
    file: &DatedFile,
    source: &str,
    session: &Session,
) -> Option<String> {
    let known = file
        .node
        .get("sources")
        .map(Node::entries)
        .unwrap_or_default();
    let known: Vec<&str> = known.iter().map(|(id, _)| id.value.as_str()).collect();

    let missing = crate::series::ids(source)
        .into_iter()
        .find(|id| !known.contains(&id.as_str()))?;

    // `cgi, cnss`, `CGI-2027`: a name that is there, in other signs.
    let letters = |id: &str| -> String {
        let kept = id.chars().filter(|letter| letter.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    let is_known = |id: &str| known.contains(&id.trim());
    if missing.contains(',') && missing.split(',').any(is_known) {
        let meant = missing.split(',').map(str::trim).collect::<Vec<_>>();
        let meant = meant.join("; ");
        return Some(say!(
            session.lang,
            "La source `{missing}` n’est pas dans `sources` : plusieurs noms se séparent par `;`, `{meant}`.",
            "The source `{missing}` is not in `sources`: several names are separated by `;`, `{meant}`."
        ));
    }
    let same = known.iter().find(|id| letters(id) == letters(&missing));
    if let Some(same) = same {
        return Some(say!(
            session.lang,
            "La source `{missing}` n’est pas dans `sources` : vouliez-vous dire `{same}` ?",
            "The source `{missing}` is not in `sources`: did you mean `{same}`?"
        ));
    }

    let known = known.join(", ");
    Some(say!(
        session.lang,
        "La source `{missing}` n’est pas dans `sources` : dire ce qu’elle est (`--title \"…\" --publisher \"…\" --text-date AAAA-MM-JJ --url …`, ou les colonnes `titre_source`, `editeur_source`, `date_source`, `adresse_source` de la feuille), ou nommer l’une de celles-ci : {known}",
        "The source `{missing}` is not in `sources`: say what it is (`--title \"…\" --publisher \"…\" --text-date YYYY-MM-DD --url …`, or the columns `source_title`, `source_publisher`, `source_date`, `source_url` of the sheet), or name one of these: {known}"
    ))
}
