//! What `bareme check` doubts in the cells that are confirmed (W40 to W47): reported at once,
//! and accepted with a reason only, which the file keeps in `reviewed`.

use bareme_engine::authoring::{Node, WrittenCell, claims_unchanged};
use bareme_engine::law::Shape;
use bareme_engine::text::Problem;
use bareme_engine::{Diagnostic, FileSet, Lang, Loader, Report};
use bareme_show::say;

use super::apply::{CellReading, NewSource, Plan};
use super::mistakes::{Mistake, Mistakes};
use super::write::CellId;
use crate::edit::{quoted, with_entry};
use crate::series::{DatedFile, Series};
use crate::session::Session;

/// The key of the reason for which a finding is right.
const REVIEWED: &str = "reviewed";

/// A doubt about a confirmed cell, with the part of the file whose reason answers it.
struct Doubt {
    figure: String,
    row: Option<usize>,
    /// The cell that it marks; `None` for the figure as a whole.
    cell: Option<CellId>,
    found: Diagnostic,
}

/// A doubt of `check` about a figure of a file, at the name of the figure or at one of its cells.
pub(super) struct Finding {
    pub figure: String,
    pub cell: Option<CellId>,
    pub found: Diagnostic,
}

/// The doubts about the figures of a file, among what was found in a set with it.
pub(super) fn findings(report: &Report, file: &DatedFile, shapes: &[Shape]) -> Vec<Finding> {
    let cells = file.cells(shapes);
    let figures = file.node.get("figures").map(Node::entries);
    let figures = figures.unwrap_or_default();

    let found = report
        .warnings()
        .filter(|one| one.is_doubt() && one.file() == file.inside);
    let finding = |found: &Diagnostic| {
        // What it marks: a cell, or the name of a figure.
        let place = found.place().span();
        let is_it = |cell: &&WrittenCell| cell.text.is_some_and(|text| text.place.span() == place);
        let (figure, cell) = match cells.iter().find(is_it) {
            Some(cell) => (cell.figure.to_owned(), Some(CellId::new(cell))),
            None => {
                let mut named = figures.iter().map(|(name, _)| name);
                let name = named.find(|name| name.place.span() == place)?;
                (name.value.clone(), None)
            }
        };

        Some(Finding {
            figure,
            cell,
            found: found.clone(),
        })
    };
    found.filter_map(finding).collect()
}

/// The plan with the reason of each doubt written beside its figure or row.
///
/// # Errors
/// A doubt without a reason: nothing is confirmed then.
pub(super) fn answered(
    plan: Plan,
    series: &Series,
    read: &[CellReading],
    sources: &[NewSource],
    carries: bool,
    session: &Session,
) -> Result<Plan, Mistakes> {
    let doubts = doubts(&plan, series, read);
    if doubts.is_empty() {
        return Ok(plan);
    }

    // 1. Every doubt needs a reason among those of the readings.
    let reasons: Vec<Option<usize>> = doubts.iter().map(|doubt| reason(doubt, read)).collect();
    let unanswered = doubts
        .iter()
        .zip(&reasons)
        .filter(|(_, reason)| reason.is_none());
    let unanswered: Vec<Mistake> = unanswered
        .map(|(doubt, _)| doubt.as_mistake(read, session.lang))
        .collect();
    if !unanswered.is_empty() {
        return Err(refused(unanswered, session.lang));
    }

    // 2. A reason that only answers a doubt is not one for which the value holds: it is left out
    // where the value is accepted without.
    let again =
        |read: &[CellReading]| Plan::new(series, plan.date, read, sources, carries, session);
    let mut kept = read.to_vec();
    for index in reasons.iter().flatten() {
        let mut without = kept.clone();
        if let Some(one) = without.get_mut(*index) {
            one.reading.words = None;
        }
        if again(&without).is_ok() {
            kept = without;
        }
    }

    // 3. The reasons, written where `bareme check` looks for them.
    let mut plan = again(&kept)?;
    for (doubt, reason) in doubts.iter().zip(&reasons) {
        let words = reason.and_then(|index| read.get(index)?.reading.words.as_deref());
        let words = words.unwrap_or_default();
        let (code, message) = (doubt.found.code(), doubt.found.message(session.lang));
        plan.accepted.push(format!("[{code}] {message} : {words}"));
        if let Some(file) = plan.file_mut() {
            write_reason(file, doubt, words);
        }
    }

    Ok(plan)
}

/// The doubts about the confirmed cells. What compares a cell with others of its figure counts once
/// all of these are confirmed: before, a proposal beside it may be what is wrong.
fn doubts(plan: &Plan, series: &Series, read: &[CellReading]) -> Vec<Doubt> {
    let Some(file) = plan.file() else {
        return Vec::new();
    };
    let report = everything(&plan.set(series));
    let left = file.unconfirmed(&series.shapes);
    let is_changed = |figure: &str| {
        let confirmed = read.iter().zip(&plan.confirmed);
        confirmed
            .into_iter()
            .any(|(one, cell)| one.id.figure == figure && cell.is_changed())
    };

    let of_plan = |Finding {
                       figure,
                       cell,
                       found,
                   }: Finding| {
        // Whether the plan has what it compares.
        let is_complete = left.iter().all(|cell| cell.figure != figure);
        let row = cell.as_ref().and_then(|cell| cell.row);
        let (counts, row) = match found.problem() {
            Problem::ValueMoved { .. }
            | Problem::BoundMoved { .. }
            | Problem::BackToBefore { .. } => {
                let cell = cell.as_ref()?;
                (read.iter().any(|one| one.id == *cell), row)
            }
            Problem::SourceUnchanged { .. } => (is_changed(&figure), None),
            Problem::ValuesSwapped { first, .. } | Problem::NoLongerEqual { other: first, .. } => {
                let other = first.split(['.', '[']).next().unwrap_or_default();
                let is_of_plan = read
                    .iter()
                    .any(|one| [&*figure, other].contains(&&*one.id.figure));
                let waits = left.iter().any(|cell| cell.figure == other);
                cell.as_ref()?;
                (is_of_plan && is_complete && !waits, row)
            }
            _ => {
                let is_of_plan = read.iter().any(|one| one.id.figure == figure);
                (is_of_plan && is_complete, row)
            }
        };

        counts.then_some(Doubt {
            figure,
            row,
            cell,
            found,
        })
    };

    let found = findings(&report, file, &series.shapes).into_iter();
    found.filter_map(of_plan).collect()
}

/// What `bareme check` finds in files, each finding at its own place.
pub(super) fn everything(files: &FileSet) -> Report {
    let loader = Loader::new().each_finding().without_cases();
    loader.load_files(files).report
}

impl Doubt {
    /// The doubt as a mistake of the line of its cell.
    fn as_mistake(&self, read: &[CellReading], lang: Lang) -> Mistake {
        let (code, message) = (self.found.code(), self.found.message(lang));
        let of_figure = || read.iter().filter(|one| one.id.figure == self.figure);
        let of_cell = of_figure().find(|one| self.cell.as_ref() == Some(&one.id));
        let of_row = || of_figure().find(|one| one.id.row == self.row);

        // The line of the value itself: another of its figure is right.
        let line = of_cell.or_else(of_row).or_else(|| of_figure().next());
        Mistake {
            line: line.and_then(|one| one.line),
            cell: Some(self.figure.clone()),
            reason: format!("[{code}] {message}"),
        }
    }
}

/// The reading whose words answer a doubt: that of its row, or another one of its figure.
fn reason(doubt: &Doubt, read: &[CellReading]) -> Option<usize> {
    let answers = |one: &CellReading| {
        let words = one.reading.words.as_deref();
        one.id.figure == doubt.figure && words.is_some_and(|words| !claims_unchanged(words))
    };
    let of_row = read
        .iter()
        .position(|one| answers(one) && one.id.row == doubt.row);
    of_row.or_else(|| read.iter().position(answers))
}

/// Writes a reason on a figure or a row, after one that is there.
fn write_reason(file: &mut DatedFile, doubt: &Doubt, words: &str) {
    let Some(part) = file.part(&doubt.figure, doubt.row) else {
        return;
    };
    let known = part
        .get(REVIEWED)
        .and_then(Node::text)
        .map(|text| text.value.as_str());
    let reason = match known {
        Some(known) if known.contains(words) => return,
        Some(known) => format!("{known} ; {words}"),
        None => words.to_owned(),
    };

    // Of a table it is written before the rows.
    let edit = match part.get("rows").filter(|_| known.is_none()) {
        Some(_) => crate::edit::with_first_entry(&file.text, part, REVIEWED, &quoted(&reason)),
        None => with_entry(&file.text, part, REVIEWED, &quoted(&reason)),
    };
    file.edit(vec![edit]);
}

fn refused(doubts: Vec<Mistake>, lang: Lang) -> Mistakes {
    Mistakes::new(doubts, lang).with_cure(say!(
        lang,
        "Rien n’est confirmé : relire le texte. Si la loi dit bien cela, la même commande avec `--because \"motif\"`, ou la colonne `motif` du fichier de `--rows`, garde le motif dans `reviewed`.",
        "Nothing is confirmed: read the text again. If the law does say so, the same command with `--because \"reason\"`, or the column `because` of the file of `--rows`, keeps the reason in `reviewed`."
    ))
}
