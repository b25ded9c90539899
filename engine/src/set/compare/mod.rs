//! Each dated file against those before it: what moved too far, what was lost, swapped, copied, or changed back. Only who
//! reads the text can tell whether it is wrong: all of it is warnings, and a file notes the reason of what is right
//! (`reviewed`).

mod figures;
mod finding;
mod outliers;
mod sheet;
mod texts;

use crate::text::diagnostic::Report;

pub(crate) use sheet::Sheet;

/// Compares the dated files of a folder, the oldest first; drafts are compared too, before they are in force.
pub(crate) fn compare(sheets: &[Sheet], report: &mut Report) {
    for (position, new) in sheets.iter().enumerate() {
        let before = |back: usize| position.checked_sub(back).and_then(|position| sheets.get(position));
        let (old, older) = (before(1), before(2));
        let mut own = Report::default();
        finding::report_spots(new, old, figures::spots(new, old, older), &mut own);
        let (whole, is_tied_to_today) = (texts::found(new, old), texts::is_tied_to_today(new, old));
        finding::report_whole(new, old, whole, is_tied_to_today, &mut own);
        report.extend(own);
    }
}
