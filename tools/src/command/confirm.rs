//! `bareme confirm`: a figure of a draft is read in its text, its value and its source are written, its mark goes.

use std::path::Path;

use bareme_engine::{Draft, Drafts, Loaded, Loader, Node, Report, RuleFile, Rules, nearest};
use jiff::civil::Date;
use serde_json::json;

use crate::edit::{Edit, edited, quoted, without_entry};
use crate::page::{Page, Tone};
use crate::rule_files::{RuleFiles, folder};
use crate::session::{Exit, Failure, Outcome, Session, say};

/// Confirm a figure of a draft, with its value and its source
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/ci`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// The figure, like `cnps`, `cnps.ceiling` or `bareme[3].rate`
    #[arg(value_name = "FIGURE")]
    figure: String,
    /// Its value, as the text gives it: `6.3%`, `1 296 000`; that of the draft if absent
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
    /// Id of the source that sets it; that of the draft if absent
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Title of a source that the draft does not name yet: it is added under that id
    #[arg(long, value_name = "TITLE", requires = "source")]
    title: Option<String>,
    /// Who publishes that source
    #[arg(long, value_name = "NAME", requires = "title")]
    publisher: Option<String>,
    /// What that source is: `law`, or `administration`
    #[arg(long, value_name = "KIND", default_value = "law", requires = "title")]
    kind: String,
    /// Date of that text, YYYY-MM-DD
    #[arg(long, value_name = "DATE", requires = "title")]
    text_date: Option<Date>,
    /// Address of that text on an official site
    #[arg(long, value_name = "ADDRESS", requires = "title")]
    url: Option<String>,
    /// Day of the draft, YYYY-MM-DD; the first one that has the figure to confirm if absent
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
}

/// `impot[3].rate`: a figure, a row of it from 1, a column.
struct Wanted<'a> {
    figure: &'a str,
    row: Option<usize>,
    column: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn read(text: &'a str) -> Self {
        let (place, column) = text.split_once('.').map_or((text, None), |(place, column)| (place, Some(column)));
        let (figure, row) = match place.split_once('[') {
            Some((figure, row)) => (figure, row.trim_end_matches(']').parse().ok()),
            None => (place, None),
        };
        Self { figure, row, column }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let lang = session.lang;
    let files = RuleFiles::find(session, &[])?;
    let rules = files.read_about(&[&args.name], session)?;
    let folder = folder(&rules, &args.name, session)?;
    let wanted = Wanted::read(&args.figure);
    let draft = draft(folder.drafts(), args, &wanted, session)?;
    let inside = format!("{}/{}.yaml", folder.path(), draft.date);
    let path = files.root.join(&inside);
    let before = std::fs::read_to_string(&path)?;
    let file = RuleFile::new(inside.as_str(), before.as_str());
    let Some(node) = Node::read(&file, &mut Report::default()) else { return Err(Failure::unusable(inside)) };
    let edits = edits(&before, &node, args, &wanted, session)?;
    std::fs::write(&path, edited(&before, edits))?;
    refuse_new_mistakes(&files, &rules, folder.path(), &inside, &before, &path, session)?;
    let left = draft.unconfirmed.iter().filter(|name| *name != wanted.figure).count();
    let (figure, date) = (wanted.figure, draft.date);
    let mut page = Page::default();
    page.toned(say!(lang, "`{figure}` confirmé au {date}.", "`{figure}` confirmed on {date}."), Tone::Good);
    let folder_path = folder.path();
    let failing = if left == 0 { keep_as_draft(&files, &rules, folder_path, &path)? } else { 0 };
    page.text(match left {
        0 if failing > 0 => say!(
            lang,
            "Plus aucun chiffre à confirmer, mais {failing} faute(s) des cas ou du fichier arrêteraient tout le jeu : il reste un brouillon par `state: draft`. Les voir par `bareme test {folder_path} --drafts` ; `--update` récrit les cas qui interrogeaient au-delà du dernier barème et les dit `computed`. Puis retirer cette ligne.",
            "No figure is left to confirm, but {failing} mistake(s) of the cases or of the file would stop the whole set: it stays a draft by `state: draft`. See them by `bareme test {folder_path} --drafts`; `--update` rewrites the cases that asked beyond the last scale and says that they are `computed`. Then remove that line."
        ),
        0 => say!(
            lang,
            "Plus aucun chiffre à confirmer : sans `state: draft`, ce barème entre en vigueur à sa date.",
            "No figure is left to confirm: without `state: draft`, this scale comes into force on its day."
        ),
        _ => say!(lang, "{left} chiffre(s) à confirmer.", "{left} figure(s) to confirm."),
    });
    let json = json!({"bareme": folder.path(), "date": date.to_string(), "chiffre": figure, "restent": left});
    session.show(&Outcome { page, json, annotations: Vec::new() })?;
    Ok(Exit::Fine)
}

/// Keeps a scale that would come into force with a mistake, or a case that fails, as a draft: it would stop the whole set.
/// How many mistakes there are.
fn keep_as_draft(files: &RuleFiles, rules: &Rules, folder: &str, path: &Path) -> Result<usize, Failure> {
    // The other folders are as they were read: this one alone is read again, and its cases run.
    let report = Loader::new().after(rules).about(&[folder]).load(&files.root).report;
    let inside = format!("{folder}/");
    let failing = report.errors().filter(|error| error.file().starts_with(&inside)).count();
    let text = std::fs::read_to_string(path)?;
    if failing > 0 && !text.lines().any(|line| line.starts_with("state:")) {
        std::fs::write(path, text.replacen("\nsources:", "\nstate: draft\nsources:", 1))?;
    }
    Ok(failing)
}

/// The draft that has the figure to confirm.
fn draft<'d>(drafts: &'d [Draft], args: &Args, wanted: &Wanted, session: &Session) -> Result<&'d Draft, Failure> {
    let of_the_day = |draft: &&Draft| args.from.is_none_or(|from| draft.date == from);
    let has_it = |draft: &&Draft| draft.unconfirmed.iter().any(|name| name == wanted.figure);
    if let Some(draft) = drafts.iter().filter(of_the_day).find(has_it) {
        return Ok(draft);
    }
    let known: Vec<&str> =
        drafts.iter().filter(of_the_day).flat_map(|draft| &draft.unconfirmed).map(String::as_str).collect();
    let hint = nearest(wanted.figure, known.iter().copied());
    let hint = hint.map(|near| say!(session.lang, " ; vouliez-vous dire `{near}` ?", "; did you mean `{near}`?"));
    if known.is_empty() {
        return Err(Failure::unusable(say!(
            session.lang,
            "Aucun brouillon de ce dossier n'a de chiffre à confirmer : `bareme new` en prépare un",
            "No draft of this folder has a figure to confirm: `bareme new` prepares one"
        )));
    }
    let (figure, hint, known) = (wanted.figure, hint.unwrap_or_default(), known.join(", "));
    Err(Failure::unusable(say!(
        session.lang,
        "Aucun brouillon de ce dossier n'a le chiffre `{figure}` à confirmer{hint}\nÀ confirmer : {known}",
        "No draft of this folder has the figure `{figure}` to confirm{hint}\nTo confirm: {known}"
    )))
}

fn edits(text: &str, node: &Node, args: &Args, wanted: &Wanted, session: &Session) -> Result<Vec<Edit>, Failure> {
    let figure = node.get("figures").and_then(|figures| figures.get(wanted.figure));
    let Some(figure) = figure else { return Err(Failure::unusable(wanted.figure)) };
    let mark = figure.entries().iter().filter(|(key, _)| key.value == "unconfirmed");
    let mut edits: Vec<Edit> = mark.map(|entry| without_entry(text, entry)).collect();
    let part = match wanted.row {
        Some(row) => figure.get("rows").and_then(|rows| rows.items().get(row.checked_sub(1)?)),
        None => Some(figure),
    };
    if let Some(value) = &args.value {
        let cells = part.map(Node::entries).unwrap_or_default();
        let cells: Vec<_> = cells.iter().filter(|(key, _)| !KEYS.contains(&key.value.as_str())).collect();
        let cell = match (wanted.column, cells.as_slice()) {
            (Some(column), cells) => cells.iter().find(|(key, _)| key.value == column),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some(cell) = cell.and_then(|(_, cell)| cell.text()) else {
            let names = cells.iter().map(|(key, _)| format!("{}.{}", wanted.figure, key.value));
            let (names, figure) = (names.collect::<Vec<_>>().join(", "), wanted.figure);
            return Err(Failure::unusable(say!(
                session.lang,
                "Dire quelle valeur : {names}, ou une ligne comme `{figure}[1].…`.",
                "Say which value: {names}, or a row like `{figure}[1].…`."
            )));
        };
        edits.push(Edit::replace(cell.place.span(), value.as_str()));
    }
    if let Some(source) = &args.source {
        edits.extend(sourced(text, node, figure, source, args, session)?);
    }
    Ok(edits)
}

/// The keys of a figure that are no values.
const KEYS: [&str; 7] = ["source", "checked_with", "per", "confidence", "note", "unconfirmed", "rows"];

/// Names another source for a figure, and adds it to the sources where the command says what it is.
fn sourced(
    text: &str,
    node: &Node,
    figure: &Node,
    source: &str,
    args: &Args,
    session: &Session,
) -> Result<Vec<Edit>, Failure> {
    let sources = node.get("sources").map(Node::entries).unwrap_or_default();
    let known: Vec<&str> = sources.iter().map(|(id, _)| id.value.as_str()).collect();
    let mut missing = source.split(';').map(str::trim).filter(|id| !known.contains(id));
    let mut edits = Vec::new();
    match (missing.next(), new_source(args), sources.first()) {
        (Some(id), Some(said), Some((first, _))) if missing.next().is_none() => {
            edits.push(before_entry(text, first.place.span().start, &format!("{id}: {said}")));
        }
        (Some(id), ..) => {
            let known = known.join(", ");
            return Err(Failure::unusable(say!(
                session.lang,
                "La source `{id}` n'est pas dans `sources` : ajouter à la commande ce qu'elle est (`--title \"…\" --publisher \"…\" --text-date AAAA-MM-JJ --url …`), ou nommer l'une de celles-ci : {known}",
                "The source `{id}` is not in `sources`: add to the command what it is (`--title \"…\" --publisher \"…\" --text-date YYYY-MM-DD --url …`), or name one of these: {known}"
            )));
        }
        (None, Some(_), _) => {
            return Err(Failure::unusable(say!(
                session.lang,
                "La source `{source}` est déjà dans `sources` : la commande sans `--title` la nomme.",
                "The source `{source}` is in `sources` already: the command without `--title` names it."
            )));
        }
        (None, None, _) => {}
    }
    edits.push(match figure.get("source").and_then(Node::text) {
        Some(written) => Edit::replace(written.place.span(), source),
        None => {
            let start = figure.entries().first().map_or(figure.place.span().start, |(key, _)| key.place.span().start);
            before_entry(text, start, &format!("source: {source}"))
        }
    });
    Ok(edits)
}

/// The map of a source that the command describes.
fn new_source(args: &Args) -> Option<String> {
    let title = quoted(args.title.as_deref()?);
    let mut said = format!("{{kind: {}, title: {title}", args.kind);
    for (key, value) in [
        ("publisher", args.publisher.as_deref().map(quoted)),
        ("date", args.text_date.map(|date| date.to_string())),
        ("url", args.url.as_deref().map(quoted)),
    ] {
        said.extend(value.map(|value| format!(", {key}: {value}")));
    }
    Some(said + "}")
}

/// An entry written before another one of its map: on a line of its own, or between the same braces.
fn before_entry(text: &str, start: usize, entry: &str) -> Edit {
    let line = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end.saturating_add(1));
    let margin = text.get(line..start).unwrap_or_default();
    let after = if margin.trim().is_empty() { format!("\n{margin}") } else { ", ".to_owned() };
    Edit::insert(start, format!("{entry}{after}"))
}

/// Puts the file back as it was if what was written cannot be read, and says why.
fn refuse_new_mistakes(
    files: &RuleFiles,
    rules: &Rules,
    folder: &str,
    inside: &str,
    before: &str,
    path: &Path,
    session: &Session,
) -> Result<(), Failure> {
    let about = [folder];
    let loader = Loader::new().drafts(Drafts::Included).without_cases().about(&about);
    let Loaded { report: after, .. } = loader.after(rules).load(&files.root);
    let wrong: Vec<_> = after.errors().filter(|error| error.file() == inside).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let written = std::fs::read_to_string(path)?;
    std::fs::write(path, before)?;
    // Read anew: in the set before, the folder had its drafts aside.
    let Loaded { report: earlier, .. } = loader.load(&files.root);
    if earlier.errors().filter(|error| error.file() == inside).count() >= wrong.len() {
        // What was wrong before is no reason to refuse what was typed now.
        return Ok(std::fs::write(path, written)?);
    }
    let mut page = Page::default();
    files.show(wrong.into_iter(), &mut page, session);
    Err(Failure::wrong(page.to_text(session.style)))
}
