//! `bareme new --all`: creates the file of a year in each dated folder without one, from a day or
//! from the later one on which the law of the folder begins.

use std::collections::BTreeSet;

use bareme_engine::law::Drafts;
use bareme_engine::run::Edition;
use bareme_engine::{FileSet, Folder};
use bareme_show::{Table, Tone, say};
use jiff::civil::Date;
use serde_json::json;

use super::first_day::first_day;
use super::indexation::{Adjustment, Rate};
use super::{Args, NewFile, Next, has_figure, named_rate, no_day, not_understood};
use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::save;
use crate::session::{Exit, Failure, Outcome, Session};

/// Writes the files. An error in one folder is reported and does not stop the others.
pub(super) fn run(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let lang = session.lang;

    // With `--all` the first argument is the day.
    let from: Date = args.name.parse().map_err(|_| no_day(&args.name, session))?;
    // Drafts are loaded as well: a folder may have one of the day already.
    let rules = files.read_good(Drafts::Included, false, session)?;
    let dated: Vec<&Folder> = rules.folders().filter(|folder| folder.is_dated()).collect();
    let rates = named_rates(&args.index, &dated, session)?;

    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Copie de", "Copy of"))
        .number(say!(lang, "À confirmer", "To confirm"))
        .number(say!(lang, "Indexés", "Indexed"))
        .number(say!(lang, "Laissés par l’indice", "Left by the index"));

    let (mut json, mut failed) = (
        Vec::new(),
        broken(files, &rules.folders().map(Folder::path).collect(), session),
    );

    let mut differing: Vec<String> = Vec::new();

    // The lock is held over all folders, so that the set is written as a whole.
    let lock = files.lock(session)?;
    for folder in dated {
        // A folder with a file of the day is done already.
        let own_day = first_day(folder, from);
        let is_there =
            |edition: &Edition| edition.scale().is_some_and(|scale| scale.date == own_day);
        if folder.editions().iter().any(is_there) {
            continue;
        }

        // A folder without the named figure keeps its amounts.
        let own: Vec<Rate> = rates.iter().filter_map(|rate| rate.of(folder)).collect();
        let requested = NewFile {
            from: own_day,
            rates: &own,
            round: args.round,
            carries: false,
        };

        let written = Next::new(folder, &requested, files, session).and_then(|next| {
            save::create(&next.path, &next.text)?;
            Ok(next)
        });
        let Ok(next) =
            written.map_err(|failure| failed.push((folder.path().to_owned(), failure.message)))
        else {
            continue;
        };

        let moved = next
            .proposals
            .iter()
            .filter(|one| matches!(one.fate, Adjustment::Moved { .. }))
            .count();
        let left = next.proposals.len().saturating_sub(moved);

        let (copied, figures) = (next.last.date.to_string(), next.count());
        let path = folder.path();
        if own_day != from {
            differing.push(say!(
                lang,
                "{path} : préparé au {own_day}, jour où ses barèmes commencent chaque année.",
                "{path}: prepared for {own_day}, the day on which its scales start each year."
            ));
        }
        let sentences = next.differing(lang).into_iter();
        differing.extend(sentences.map(|one| say!(lang, "{path} : {one}", "{path}: {one}")));
        json.push(json!({"bareme": folder.path(), "fichier": next.path.display().to_string(), "copie_de": copied, "a_confirmer": figures, "indexes": moved, "laisses": left}));

        let counts = [figures, moved, left].map(|count| count.to_string().into());
        table.row(
            [folder.path().into(), copied.into()]
                .into_iter()
                .chain(counts),
        );
    }
    drop(lock);

    let mut page = Page::default();
    if table.is_empty() && failed.is_empty() {
        page.text(say!(
            lang,
            "Chaque barème a déjà un fichier du {from}, ou du jour où son année commence.",
            "Every scale has a file of {from} already, or of the day on which its year starts."
        ));
    }

    if !table.is_empty() {
        page.table(table);
        if !differing.is_empty() {
            page.list(differing);
        }
        let year = from.year();
        page.text(say!(
            lang,
            "`bareme status {year}` dit ce qui reste à faire ; `bareme confirm BAREME` passe en revue les chiffres d’un barème.",
            "`bareme status {year}` says what is left to do; `bareme confirm SCALE` goes through the figures of a scale."
        ));
    }

    for (folder, reason) in &failed {
        page.toned(
            say!(
                lang,
                "{folder} : non écrit. {reason}",
                "{folder}: not written. {reason}"
            ),
            Tone::Bad,
        );
        json.push(json!({"bareme": folder, "refus": reason}));
    }

    session.show(&Outcome {
        page,
        json: json.into(),
        annotations: Vec::new(),
    })?;
    Ok(if failed.is_empty() {
        Exit::Fine
    } else {
        Exit::Wrong
    })
}

/// A rate for a folder, for a figure in whichever folder has it, or for everything.
struct NamedRate {
    /// The path of the folder; `None`: any.
    folder: Option<String>,
    rate: Rate,
}

impl NamedRate {
    /// The rate for a folder, if it applies there.
    fn of(&self, folder: &Folder) -> Option<Rate> {
        let is_of_folder = self
            .folder
            .as_deref()
            .is_none_or(|path| path == folder.path());

        let has_it = self
            .rate
            .figure
            .as_deref()
            .is_none_or(|name| has_figure(folder, name));
        (is_of_folder && has_it).then(|| self.rate.clone())
    }
}

/// Resolves the names of the rates before anything is written; a folder comes before a figure with
/// the same name.
fn named_rates(
    texts: &[String],
    folders: &[&Folder],
    session: &Session,
) -> Result<Vec<NamedRate>, Failure> {
    let mut rates: Vec<NamedRate> = Vec::new();
    for text in texts {
        let (name, rate) = named_rate(text, session)?;

        let is_called = |folder: &&&Folder, name: &str| {
            folder.path() == name || folder.path().rsplit('/').next() == Some(name)
        };

        let folder = folders
            .iter()
            .find(|folder| name.is_some_and(|name| is_called(folder, name)));
        let folder = folder.map(|folder| folder.path().to_owned());

        let figure = name.filter(|_| folder.is_none()).map(str::to_owned);
        // A name that nothing has would index nothing, without an error.
        if figure
            .as_ref()
            .is_some_and(|name| !folders.iter().any(|folder| has_figure(folder, name)))
        {
            return Err(not_understood(text, session));
        }

        rates.push(NamedRate {
            folder,
            rate: Rate { figure, rate },
        });
    }
    // Named rates come before a general one.
    rates.sort_by_key(|named| named.folder.is_none() && named.rate.figure.is_none());
    Ok(rates)
}

/// The folders that could not be loaded.
fn broken(files: &RuleFiles, read: &BTreeSet<&str>, session: &Session) -> Vec<(String, String)> {
    // A folder with an error is in the files, but not in the rules.
    let set = FileSet::read(&files.root);
    let folders: BTreeSet<&str> = set.folders().collect();

    let reason = say!(
        session.lang,
        "Ses fichiers ont des erreurs (`bareme check`).",
        "Its files have errors (`bareme check`)."
    );

    folders
        .into_iter()
        .filter(|folder| !read.contains(folder))
        .map(|folder| (folder.to_owned(), reason.clone()))
        .collect()
}
