//! Comparison of each dated file with those before it: values that moved too far, were lost,
//! swapped, copied or changed back. Only somebody who reads the legal text can decide whether they
//! are wrong: all findings are warnings, and a file notes the reason why one is right (`reviewed`).

mod figures;
mod finding;
mod outliers;
mod sheet;
mod texts;

use crate::text::diagnostic::Report;

pub(crate) use sheet::Sheet;

/// Compares the dated files of a folder, given from the oldest on; drafts are compared before they
/// are in force.
pub(crate) fn compare(sheets: &[Sheet], report: &mut Report) {
    for (position, new) in sheets.iter().enumerate() {
        let before = |back: usize| {
            position
                .checked_sub(back)
                .and_then(|position| sheets.get(position))
        };
        let old = before(1);
        let older = before(2);

        let mut own = Report::default();
        finding::report_findings(new, old, figures::findings(new, old, older), &mut own);
        let whole = texts::found(new, old);
        let is_tied_to_today = texts::is_tied_to_today(new, old);
        finding::report_whole(new, old, whole, is_tied_to_today, &mut own);

        report.extend(own);
    }
}
