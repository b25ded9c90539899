//! `bareme new`: the dated file of a day from the one before, every figure marked to be confirmed.

use std::path::PathBuf;

use bareme_engine::{
    BoundWord, Drafts, Edition, Folder, Node, Report, RuleFile, Scale, Shape, Text, Type, Value, french_date,
    note_is_of_another_year, spoken_dates,
};
use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::json;

use crate::edit::{Edit, edited, without_entry};
use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::{RuleFiles, folder};
use crate::session::{Exit, Failure, Format, Outcome, Session, say};
use crate::words::{number, percent, written};

/// Write the dated file of a day from the one before, every figure marked to be confirmed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/ci`; not with `--all`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// First day in force, YYYY-MM-DD
    #[arg(value_name = "DATE", required_unless_present = "all")]
    from: Option<Date>,
    /// One file in each dated folder that has none of that day: `bareme new --all 2027-01-01`
    #[arg(long)]
    all: bool,
    /// Propose amounts indexed by a rate, `1.1%`; of one figure only with its name, `ir=1.1%`
    #[arg(long, value_name = "RATE")]
    index: Vec<String>,
    /// Unit of the proposed amounts; that of the amounts so far if absent
    #[arg(long, value_name = "UNIT", requires = "index")]
    round: Option<Decimal>,
    /// Print the file instead of writing it
    #[arg(long, conflicts_with = "all")]
    print: bool,
}

/// The mark that makes a draft of the file until somebody has confirmed the figure.
const MARK: &str = "unconfirmed: true";

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    if args.all {
        return all(args, &files, session);
    }
    let Some(from) = args.from else { return Err(no_day(&args.name, session)) };
    let rules = files.read_drafts_about(&args.name, session)?;
    let folder = folder(&rules, &args.name, session)?;
    let next = Next::of(folder, from, args, &files, session)?;
    if args.print && session.format == Format::Text {
        session.print(&next.text)?;
        return Ok(Exit::Fine);
    }
    if !args.print {
        std::fs::write(&next.path, &next.text)?;
    }
    session.show(&outcome(&next, folder, session))?;
    Ok(Exit::Fine)
}

fn no_day(received: &str, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "`{received}` n'est pas une date : écrire `bareme new --all 2027-01-01`.",
        "`{received}` is not a date: write `bareme new --all 2027-01-01`."
    ))
}

/// The file of a day in each dated folder that has none. What is wrong with a folder is told, and stops no other.
fn all(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let lang = session.lang;
    let from: Date = args.name.parse().map_err(|_| no_day(&args.name, session))?;
    let rules = files.read_good(Drafts::Included, false, session)?;
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Copie de", "Copy of"))
        .number(say!(lang, "À confirmer", "To confirm"));
    let mut json = Vec::new();
    for folder in rules.folders().filter(|folder| folder.is_dated()) {
        let is_there = |edition: &Edition| edition.scale().is_some_and(|scale| scale.date == from);
        if folder.editions().iter().any(is_there) {
            continue;
        }
        let Ok(next) = Next::of(folder, from, args, files, session) else { continue };
        std::fs::write(&next.path, &next.text)?;
        let (copied, figures) = (next.last.date.to_string(), next.last.figures.len());
        json.push(json!({"bareme": folder.path(), "fichier": next.path.display().to_string(), "copie_de": copied, "a_confirmer": figures}));
        table.row([folder.path().into(), copied.into(), figures.to_string().into()]);
    }
    let mut page = Page::default();
    if table.is_empty() {
        page.text(say!(
            lang,
            "Chaque barème a déjà un fichier du {from}.",
            "Every scale has a file of {from} already."
        ));
    } else {
        page.table(table);
        let year = from.year();
        page.text(say!(
            lang,
            "`bareme status {year}` dit ce qui reste à faire.",
            "`bareme status {year}` says what is left to do."
        ));
    }
    session.show(&Outcome { page, json: json.into(), annotations: Vec::new() })?;
    Ok(Exit::Fine)
}

/// A dated file that is proposed.
struct Next<'f> {
    path: PathBuf,
    text: String,
    /// The scale that it is copied from: the one before its day.
    last: &'f Scale,
    proposals: Vec<Proposal>,
    /// Cases that ask about its days already: what they expect was computed with another scale.
    asking: Vec<&'f str>,
}

impl<'f> Next<'f> {
    fn of(folder: &'f Folder, from: Date, args: &Args, files: &RuleFiles, session: &Session) -> Result<Self, Failure> {
        let last = scale_before(from, folder, session)?;
        let path = |date: Date| files.root.join(folder.path()).join(format!("{date}.yaml"));
        let text = std::fs::read_to_string(path(last.date))?;
        let file = RuleFile::new(format!("{}/{}.yaml", folder.path(), last.date), text);
        let Some(node) = Node::read(&file, &mut Report::default()) else {
            return Err(Failure::unusable(file.path()));
        };
        let rates = rates(args, folder, session)?;
        let proposals = proposals(&node, folder, &rates, args.round);
        let text = next_text(&file, &node, from, last, &proposals);
        let later =
            folder.editions().iter().filter_map(Edition::scale).map(|scale| scale.date).find(|date| *date > from);
        let is_asked = |day: &Date| *day >= from && later.is_none_or(|later| *day < later);
        let asking = folder.cases().iter().filter(|case| case.date().as_ref().is_some_and(is_asked));
        let asking = asking.map(|case| case.name.as_str()).collect();
        Ok(Self { path: path(from), text, last, proposals, asking })
    }
}

/// The scale before a day, which that of the day follows.
fn scale_before<'f>(from: Date, folder: &'f Folder, session: &Session) -> Result<&'f Scale, Failure> {
    let path = folder.path();
    let scales: Vec<&Scale> = folder.editions().iter().filter_map(Edition::scale).collect();
    if scales.iter().any(|scale| scale.date == from) {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{path}` a déjà un barème du {from} : donner un autre jour.",
            "`{path}` has a scale of {from} already: give another day."
        )));
    }
    scales.into_iter().rev().find(|scale| scale.date < from).ok_or_else(|| {
        Failure::unusable(say!(
            session.lang,
            "`{path}` n'a pas de barème avant le {from}.",
            "`{path}` has no scale before {from}."
        ))
    })
}

/// The rate of each figure to index; without a name, of all.
type Rates = Vec<(Option<String>, Decimal)>;

fn rates(args: &Args, folder: &Folder, session: &Session) -> Result<Rates, Failure> {
    let shapes = folder.latest().map(|edition| edition.method().figures()).unwrap_or_default();
    let mut rates = Rates::new();
    for text in &args.index {
        let (name, rate) = text.split_once('=').map_or((None, text.as_str()), |(name, rate)| (Some(name.trim()), rate));
        let value =
            rate.trim().strip_suffix('%').and_then(|rate| rate.trim().replace(',', ".").parse::<Decimal>().ok());
        let known = name.is_none_or(|name| shapes.iter().any(|shape| shape.name == name));
        let (Some(value), true) = (value.and_then(|value| value.checked_div(Decimal::ONE_HUNDRED)), known) else {
            return Err(Failure::unusable(say!(
                session.lang,
                "`{text}` n'est pas compris : écrire `--index 1.1%`, ou `--index chiffre=1.1%` avec un chiffre du barème.",
                "`{text}` is not understood: write `--index 1.1%`, or `--index figure=1.1%` with a figure of the scale."
            )));
        };
        rates.push((name.map(str::to_owned), value));
    }
    Ok(rates)
}

/// An amount and what it would become.
struct Proposal {
    label: String,
    place: Text,
    old: Decimal,
    new: Decimal,
    unit: Decimal,
}

fn proposals(node: &Node, folder: &Folder, rates: &Rates, unit: Option<Decimal>) -> Vec<Proposal> {
    let shapes = folder.latest().map(|edition| edition.method().figures()).unwrap_or_default();
    let mut proposals = Vec::new();
    for (name, figure) in node.get("figures").map(Node::entries).unwrap_or_default() {
        let own = rates.iter().find(|(known, _)| known.as_deref() == Some(&name.value));
        let Some((_, rate)) = own.or_else(|| rates.iter().find(|(known, _)| known.is_none())) else { continue };
        let Some(shape) = shapes.iter().find(|shape| shape.name == name.value) else { continue };
        let rows = figure.get("rows").map(Node::items).unwrap_or_default();
        for row in [figure].into_iter().chain(rows) {
            for (column, text) in amounts(row, shape) {
                let Some(old) = plain(&text.value).filter(|old| !old.is_zero()) else { continue };
                let unit = unit.unwrap_or_else(|| unit_of(folder, &shape.name, column));
                let raised = old.saturating_mul(Decimal::ONE.saturating_add(*rate));
                let label = format!("{}.{column}", shape.name);
                proposals.push(Proposal { label, place: text.clone(), old, new: rounded(raised, unit), unit });
            }
        }
    }
    proposals
}

/// The cells of a record or a row that hold amounts of money.
fn amounts<'n>(row: &'n Node, shape: &Shape) -> Vec<(&'n str, &'n Text)> {
    let is_bound = |name: &str| BoundWord::ALL.iter().any(|(word, _)| *word == name);
    let is_amount = |name: &str| match shape.columns.iter().find(|column| column.name == name) {
        Some(column) => matches!(column.ty, Type::Money(_)),
        None => is_bound(name) && matches!(shape.bound, Some(Type::Money(_))),
    };
    let cells = row.entries().iter().filter(|(name, _)| is_amount(&name.value));
    cells.filter_map(|(name, node)| Some((name.value.as_str(), node.text()?))).collect()
}

fn plain(text: &str) -> Option<Decimal> {
    text.replace(' ', "").parse().ok()
}

fn rounded(value: Decimal, unit: Decimal) -> Decimal {
    let units = value.checked_div(unit).unwrap_or(value);
    units.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero).saturating_mul(unit)
}

/// The unit that the law rounds a column to, read from what it was in every dated file: the greatest
/// power of ten of which all are multiples.
fn unit_of(folder: &Folder, figure: &str, column: &str) -> Decimal {
    let mut unit: Option<Decimal> = None;
    for edition in folder.editions() {
        let shapes = edition.method().figures();
        let Some(index) = shapes.iter().position(|shape| shape.name == figure) else { continue };
        let (Some(shape), Some(figure)) =
            (shapes.get(index), edition.scale().and_then(|scale| scale.figures.get(index)))
        else {
            continue;
        };
        let column = shape.columns.iter().position(|known| known.name == column);
        let cells = |cells: &[Option<Value>]| column.and_then(|column| cells.get(column).cloned().flatten());
        let of_rows = figure.rows.iter().map(|row| match column {
            Some(_) => cells(&row.cells),
            None => row.bound.map(|bound| Value::Number(bound.value)),
        });
        for value in of_rows.chain([cells(&figure.record)]).flatten() {
            if let Value::Number(value) = value
                && !value.is_zero()
            {
                let own = power_of_ten(value);
                unit = Some(unit.map_or(own, |unit| unit.min(own)));
            }
        }
    }
    unit.unwrap_or(Decimal::ONE)
}

fn power_of_ten(value: Decimal) -> Decimal {
    let value = value.normalize();
    if value.scale() > 0 {
        return Decimal::new(1, value.scale());
    }
    let zeros = value.to_string().bytes().rev().take_while(|digit| *digit == b'0').count();
    Decimal::from(10u64.saturating_pow(u32::try_from(zeros).unwrap_or_default()))
}

/// The text of the next file: that of the last one with the marks and the proposals in place.
fn next_text(file: &RuleFile, node: &Node, from: Date, last: &Scale, proposals: &[Proposal]) -> String {
    let text = file.text();
    let mut edits: Vec<Edit> =
        proposals.iter().map(|proposal| Edit::replace(proposal.place.place.span(), written(proposal.new))).collect();
    for (_, figure) in node.get("figures").map(Node::entries).unwrap_or_default() {
        edits.extend(mark(text, figure));
    }
    if let Some(title) = node.get("title").and_then(Node::text) {
        let place = title.place.span();
        edits.push(Edit::replace(place.clone(), title_of(text.get(place).unwrap_or_default(), last.date, from)));
    }
    // How long the last scale holds, and when it was read in the texts, says nothing of the next.
    let dropped = ["until", "known_until", "checked"];
    edits.extend(
        node.entries()
            .iter()
            .filter(|(key, _)| dropped.contains(&key.value.as_str()))
            .map(|entry| without_entry(text, entry)),
    );
    let figures = node.get("figures").map(Node::entries).unwrap_or_default().iter().map(|(_, figure)| figure);
    let rows = figures.clone().flat_map(|figure| figure.get("rows").map(Node::items).unwrap_or_default());
    for part in [node].into_iter().chain(figures).chain(rows) {
        let is_past = |(key, note): &&(Text, Node)| {
            key.value == "note" && note.text().is_some_and(|note| note_is_of_another_year(&note.value, from))
        };
        edits.extend(part.entries().iter().filter(is_past).map(|entry| without_entry(text, entry)));
    }
    edited(text, edits)
}

/// A title for a day: the day of the last scale becomes it, and so do its years.
fn title_of(title: &str, last: Date, from: Date) -> String {
    let own = spoken_dates(title).into_iter().rfind(|(_, spoken)| *spoken == last);
    match own {
        Some((place, _)) => {
            let (before, after) = (title.get(..place.start), title.get(place.end..));
            [before.unwrap_or_default(), &french_date(from), after.unwrap_or_default()].concat()
        }
        None => shifted(title, last.year(), from.year()),
    }
}

/// A title with its years moved on: that of the scale, and the one before, which it may tax.
fn shifted(title: &str, old: i16, new: i16) -> String {
    let moved = |year: i16| year.saturating_add(new.saturating_sub(old)).to_string();
    let words = title.split_inclusive(|letter: char| !letter.is_ascii_digit());
    let shift = |word: &str| {
        let digits = word.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        match digits.parse::<i16>() {
            Ok(year) if year == old || year.saturating_add(1) == old => word.replacen(digits, &moved(year), 1),
            _ => word.to_owned(),
        }
    };
    words.map(shift).collect()
}

/// Marks a figure, in the form in which it is written: between braces, or one key a line.
fn mark(text: &str, figure: &Node) -> Option<Edit> {
    let start = figure.place.span().start;
    if text.get(start..)?.starts_with('{') {
        return Some(Edit::insert(start + 1, format!("{MARK}, ")));
    }
    let (first, _) = figure.entries().first()?;
    let start = first.place.span().start;
    let line = text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    let indent = text.get(line..start)?;
    Some(Edit::insert(start, format!("{MARK}\n{indent}")))
}

fn outcome(next: &Next, folder: &Folder, session: &Session) -> Outcome {
    let lang = session.lang;
    let Next { path, last, proposals, asking, .. } = next;
    let (shown, from, figures) = (path.display(), last.date, last.figures.len());
    let mut page = Page::titled(shown.to_string());
    page.text(say!(
        lang,
        "Copie du barème du {from} : {figures} chiffres à confirmer.",
        "Copy of the scale of {from}: {figures} figures to confirm."
    ));
    if !proposals.is_empty() {
        page.heading(say!(lang, "Montants proposés", "Proposed amounts"));
        let mut table = Table::default()
            .text(say!(lang, "Chiffre", "Figure"))
            .number(from.to_string())
            .number(say!(lang, "Proposé", "Proposed"))
            .number(say!(lang, "Écart", "Change"))
            .number(say!(lang, "Arrondi à", "Rounded to"));
        for proposal in proposals {
            let change = proposal.new.saturating_sub(proposal.old).checked_div(proposal.old).unwrap_or_default();
            table.row([
                proposal.label.as_str().into(),
                number(proposal.old, lang).into(),
                Cell::toned(number(proposal.new, lang), Tone::Strong),
                percent(change.round_dp(4), lang).into(),
                number(proposal.unit, lang).into(),
            ]);
        }
        page.table(table);
    }
    if !asking.is_empty() {
        page.heading(say!(
            lang,
            "Cas qui interrogent déjà ces jours : leurs valeurs viennent d'un autre barème",
            "Cases that ask about these days already: their values come from another scale"
        ));
        page.list(asking.iter().map(|name| (*name).to_owned()).collect());
        let folder = folder.path();
        page.text(say!(
            lang,
            "Une fois les chiffres confirmés, `bareme test {folder} --drafts --update` les récrit avec ce barème et les dit `computed` : les refaire ensuite à la main, et dire leur origine.",
            "Once the figures are confirmed, `bareme test {folder} --drafts --update` rewrites them with this scale and says that they are `computed`: work them out by hand then, and say their origin."
        ));
    }
    page.heading(say!(lang, "À faire", "To do"));
    page.list(vec![
        say!(lang, "Lire chaque chiffre dans le nouveau texte, le corriger, nommer sa source, puis le confirmer (`bareme confirm`).", "Read each figure in the new text, fix it, name its source, then confirm it (`bareme confirm`)."),
        say!(lang, "Revoir `title`, `citation`, `sources`, `note`.", "Look at `title`, `citation`, `sources`, `note` again."),
        say!(lang, "Ajouter des cas à `cases.yaml`, puis `bareme check` et `bareme test`.", "Add cases to `cases.yaml`, then `bareme check` and `bareme test`."),
        say!(lang, "Tant qu'un chiffre reste à confirmer, ce fichier est un brouillon : rien d'autre ne l'attend, et `--drafts` calcule avec lui.", "As long as a figure is to be confirmed, this file is a draft: nothing else waits for it, and `--drafts` computes with it."),
    ]);
    let json = json!({
        "fichier": shown.to_string(), "bareme": folder.path(), "copie_de": from.to_string(), "a_confirmer": figures, "cas_a_refaire": asking,
        "propositions": proposals.iter().map(|proposal| json!({"chiffre": proposal.label, "avant": written(proposal.old), "propose": written(proposal.new)})).collect::<Vec<_>>(),
    });
    Outcome { page, json, annotations: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_an_amount_is_the_last_power_of_ten_it_fills() {
        for (value, unit) in
            [("630000", "10000"), ("11497", "1"), ("1945.38", "0.01"), ("12.50", "0.1"), ("100", "100")]
        {
            assert_eq!(power_of_ten(value.parse().unwrap()), unit.parse().unwrap(), "{value}");
        }
        assert_eq!(rounded("11623.467".parse().unwrap(), Decimal::ONE), Decimal::from(11623));
        assert_eq!(rounded("636930".parse().unwrap(), Decimal::from(10_000)), Decimal::from(640_000));
    }

    #[test]
    fn a_title_moves_its_years_on() {
        assert_eq!(
            shifted("\"Barème 2026 (revenus de 2025), loi 2026-103\"", 2026, 2027),
            "\"Barème 2027 (revenus de 2026), loi 2027-103\""
        );
        assert_eq!(shifted("au 1er mai 2026 et 2014", 2026, 2028), "au 1er mai 2028 et 2014");
    }

    #[test]
    fn a_title_names_its_own_day() {
        let (last, from) = (Date::constant(2026, 5, 1), Date::constant(2027, 1, 1));
        assert_eq!(title_of("Salaires au 1er mai 2026", last, from), "Salaires au 1er janvier 2027");
        assert_eq!(title_of("Barème 2026", last, from), "Barème 2027");
    }

    #[test]
    fn a_figure_is_marked_in_the_form_in_which_it_is_written() {
        let text = "figures:\n  a: {rate: 1%, source: x}\n  b:\n    source: x\n    rows:\n      - {rate: 2%}\n";
        let file = RuleFile::new("2026-01-01.yaml", text);
        let node = Node::read(&file, &mut Report::default()).unwrap();
        let edits =
            node.get("figures").unwrap().entries().iter().filter_map(|(_, figure)| mark(text, figure)).collect();
        assert_eq!(
            edited(text, edits),
            "figures:\n  a: {unconfirmed: true, rate: 1%, source: x}\n  b:\n    unconfirmed: true\n    source: x\n    rows:\n      - {rate: 2%}\n"
        );
    }
}
