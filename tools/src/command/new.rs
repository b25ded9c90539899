//! `bareme new`: the next dated file from the last one, every figure marked to be confirmed.

use std::path::Path;

use bareme_engine::{BoundWord, Folder, Node, Report, RuleFile, Scale, Shape, Text, Type, Value};
use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::json;

use crate::edit::{Edit, edited};
use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::{RuleFiles, folder};
use crate::session::{Exit, Failure, Format, Outcome, Session, say};
use crate::words::{number, percent, written};

/// Write the next dated file from the last one, every figure marked to be confirmed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/ci`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// First day in force, YYYY-MM-DD
    #[arg(value_name = "DATE")]
    from: Date,
    /// Propose amounts indexed by a rate, `1.1%`; of one figure only with its name, `ir=1.1%`
    #[arg(long, value_name = "RATE")]
    index: Vec<String>,
    /// Unit of the proposed amounts; that of the amounts so far if absent
    #[arg(long, value_name = "UNIT", requires = "index")]
    round: Option<Decimal>,
    /// Print the file instead of writing it
    #[arg(long)]
    print: bool,
}

/// The mark that `check` refuses until somebody has confirmed the figure.
const MARK: &str = "unconfirmed: true";

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    let rules = files.read_about(&[&args.name], session)?;
    let folder = folder(&rules, &args.name, session)?;
    let last = last_scale(args, folder, session)?;
    let path = |date: Date| files.root.join(folder.path()).join(format!("{date}.yaml"));
    let file =
        RuleFile::new(format!("{}/{}.yaml", folder.path(), last.date), std::fs::read_to_string(path(last.date))?);
    let Some(node) = Node::read(&file, &mut Report::default()) else {
        return Err(Failure::unusable(file.path()));
    };
    let rates = rates(args, folder, session)?;
    let proposals = proposals(&node, folder, &rates, args.round);
    let text = next_text(&file, &node, args.from, last, &proposals);
    if args.print && session.format == Format::Text {
        session.print(&text)?;
        return Ok(Exit::Fine);
    }
    if !args.print {
        std::fs::write(path(args.from), &text)?;
    }
    session.show(&outcome(&path(args.from), folder, last, &proposals, session))?;
    Ok(Exit::Fine)
}

/// The scale that the new one follows.
fn last_scale<'f>(args: &Args, folder: &'f Folder, session: &Session) -> Result<&'f Scale, Failure> {
    let path = folder.path();
    let Some(last) = folder.latest().and_then(|edition| edition.scale()) else {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{path}` n'a pas de barème daté.",
            "`{path}` has no dated scale."
        )));
    };
    if args.from <= last.date {
        let date = last.date;
        return Err(Failure::unusable(say!(
            session.lang,
            "Le dernier barème de `{path}` est déjà du {date} : donner un jour postérieur.",
            "The last scale of `{path}` is of {date} already: give a later day."
        )));
    }
    Ok(last)
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
        let renamed = shifted(text.get(place.clone()).unwrap_or_default(), last.date.year(), from.year());
        edits.push(Edit::replace(place, renamed));
    }
    // How long the last scale holds says nothing of the next.
    for (key, _) in
        node.entries().iter().filter(|(key, _)| matches!(key.value.as_str(), "until" | "known_until" | "checked"))
    {
        let start = key.place.span().start;
        let end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| start + length + 1);
        edits.push(Edit::replace(start..end, ""));
    }
    edited(text, edits)
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

fn outcome(path: &Path, folder: &Folder, last: &Scale, proposals: &[Proposal], session: &Session) -> Outcome {
    let lang = session.lang;
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
    page.heading(say!(lang, "À faire", "To do"));
    page.list(vec![
        say!(lang, "Lire chaque chiffre dans le nouveau texte, le corriger, nommer sa source, puis retirer `unconfirmed: true`.", "Read each figure in the new text, fix it, name its source, then remove `unconfirmed: true`."),
        say!(lang, "Revoir `title`, `citation`, `sources`, `note`.", "Look at `title`, `citation`, `sources`, `note` again."),
        say!(lang, "Ajouter des cas à `cases.yaml`, puis `bareme check` et `bareme test`.", "Add cases to `cases.yaml`, then `bareme check` and `bareme test`."),
        say!(lang, "Tant qu'un chiffre reste à confirmer, aucun barème du dossier n'est mis en service.", "As long as a figure is to be confirmed, no scale of the folder goes into service."),
    ]);
    let json = json!({
        "fichier": shown.to_string(), "bareme": folder.path(), "copie_de": from.to_string(), "a_confirmer": figures,
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
