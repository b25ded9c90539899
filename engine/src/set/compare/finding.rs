//! Findings of a comparison of two dated files. One that somebody reviewed, with a reason in the
//! file, is not reported again.

use jiff::civil::Date;

use crate::law::figure::{REVIEWED, rows_of};
use crate::say;
use crate::text::stated_reason::is_reason;
use crate::text::{Node, Place, PlacedText, Problem, Report, Text};

use super::Findings;
use super::sheet::{Sheet, Table};

/// A suspicious place in a figure.
pub(super) struct Finding<'n> {
    pub(super) figure: &'n str,
    /// The row, from 1; `None` for the figure as a whole.
    pub(super) row: Option<usize>,
    pub(super) place: Place,
    /// Makes the problem; the text is appended where the figure has similar findings.
    pub(super) problem: Box<dyn Fn(Text<String>) -> Problem + 'n>,
}

/// A part of a file with the reason why a finding there is right.
struct Reason<'n> {
    figure: &'n str,
    row: Option<usize>,
    text: &'n PlacedText,
}

/// The reason of a part of a file. A reason identical to that of the earlier file was copied, and
/// does not count; nor does one that says nothing.
fn reason<'n>(
    node: &'n Node,
    before: Option<&Node>,
    report: &mut Report,
    date: Option<Date>,
) -> Option<&'n PlacedText> {
    let text = node.text_of(REVIEWED)?;

    // A new figure is copied from the one before, with the reason that silenced its warnings.
    let is_copied = before
        .and_then(|before| before.text_of(REVIEWED))
        .is_some_and(|old| old.value == text.value);
    match date.filter(|_| is_copied) {
        Some(date) => {
            report.warn(
                &text.place,
                Problem::ReviewedBefore {
                    date: date.to_string(),
                },
            );
            None
        }
        // One word would silence the doubt, and nobody could check later why.
        None if !is_reason(&text.value) => {
            report.warn(&text.place, Problem::ReasonSaysNothing {});
            None
        }
        None => Some(text),
    }
}

/// The reasons in the figures of a file, and in their rows.
fn reasons<'n>(new: &Sheet<'n>, old: Option<&Sheet>, report: &mut Report) -> Vec<Reason<'n>> {
    let mut found = Vec::new();
    let date = old.map(|old| old.date);

    for table in &new.figures {
        let figure = table.name.value.as_str();
        let before = old
            .and_then(|old| old.figure(figure))
            .map(|table| table.node);
        if let Some(text) = reason(table.node, before, report, date) {
            found.push(Reason {
                figure,
                row: None,
                text,
            });
        }

        // Rows are compared by their position, as they are written: a reason is that of its line.
        let old_rows = before.map(rows_of).unwrap_or_default();
        for (position, row) in rows_of(table.node).iter().enumerate() {
            if let Some(text) = reason(row, old_rows.get(position), report, date) {
                found.push(Reason {
                    figure,
                    row: Some(position + 1),
                    text,
                });
            }
        }
    }

    found
}

/// Reports the findings in the figures of a file that nobody reviewed, and the reasons without any
/// finding.
pub(super) fn report_findings(
    new: &Sheet,
    old: Option<&Sheet>,
    kinds: Vec<Vec<Finding>>,
    detail: Findings,
    report: &mut Report,
) {
    let reasons = reasons(new, old, report);
    let mut used = vec![false; reasons.len()];

    // One kind after the other, so that each is reported once for a figure. A reason covers the
    // findings of every kind at its place.
    for spots in kinds {
        let mut left: Vec<Finding> = Vec::new();
        for spot in spots {
            let holds = |reason: &Reason| {
                reason.figure == spot.figure && (reason.row.is_none() || reason.row == spot.row)
            };
            match reasons
                .iter()
                .position(holds)
                .and_then(|index| used.get_mut(index))
            {
                Some(used) => *used = true,
                None => left.push(spot),
            }
        }
        report_left(&new.figures, &left, detail, report);
    }

    // A reason that answers nothing today would silence a mistake to come.
    for (reason, _) in reasons.iter().zip(used).filter(|(_, used)| !used) {
        report.warn(&reason.text.place, Problem::ReviewedForNothing {});
    }
}

/// Reports the first finding of a figure, with the number of the others, or each of them.
fn report_left(figures: &[Table], spots: &[Finding], detail: Findings, report: &mut Report) {
    if detail == Findings::Each {
        spots
            .iter()
            .for_each(|spot| report.warn(&spot.place, (spot.problem)(Text::default())));
        return;
    }

    for table in figures {
        // One line for each figure: a table that moved as a whole would hide all the others.
        let mut own = spots.iter().filter(|spot| spot.figure == table.name.value);
        let Some(first) = own.next() else { continue };

        let similar = match own.count() {
            0 => Text::default(),
            others => say!(
                " (et {others} de plus dans ce chiffre)",
                " (and {others} more in this figure)"
            ),
        };
        report.warn(&first.place, (first.problem)(similar));
    }
}

/// Reports the findings on the file as a whole, unless it says that somebody reviewed them.
/// `is_tied_to_today`: whether the finding depends on the day, so that a reason without a finding
/// may be needed on another day.
pub(super) fn report_whole(
    new: &Sheet,
    old: Option<&Sheet>,
    found: Vec<(Place, Problem)>,
    is_tied_to_today: bool,
    report: &mut Report,
) {
    match reason(
        new.node,
        old.map(|old| old.node),
        report,
        old.map(|old| old.date),
    ) {
        None => found
            .into_iter()
            .for_each(|(place, problem)| report.warn(&place, problem)),
        Some(text) if found.is_empty() && !is_tied_to_today => {
            report.warn(&text.place, Problem::ReviewedForNothing {});
        }
        Some(_) => {}
    }
}
