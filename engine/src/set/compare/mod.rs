//! Comparison of each dated file with those before it: values that moved too far, were lost,
//! swapped, copied or changed back. Only somebody who reads the legal text can decide whether they
//! are wrong: they are warnings, and a file notes the reason why one is right (`reviewed`). Only a
//! value that its own file says to be unchanged, and is not, is an error.

mod figures;
mod finding;
mod outliers;
mod quoted;
mod sheet;
mod sources;
mod tables;
mod texts;
mod unchanged;

use crate::text::diagnostic::Report;

pub(crate) use sheet::Sheet;
pub(crate) use unchanged::claims_unchanged;

/// How many of the findings of one kind in a figure are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Findings {
    /// The first, with the number of the others.
    #[default]
    First,
    /// Each at its place.
    Each,
}

/// Compares the dated files of a folder, given from the oldest on; drafts are compared before they
/// are in force.
pub(crate) fn compare(sheets: &[Sheet], detail: Findings, report: &mut Report) {
    let sources = sources::found(sheets);
    for ((position, new), sources) in sheets.iter().enumerate().zip(sources) {
        let before = |back: usize| {
            position
                .checked_sub(back)
                .and_then(|position| sheets.get(position))
        };
        let old = before(1);
        let older = before(2);

        let mut own = Report::default();
        finding::report_findings(
            new,
            old,
            figures::findings(new, old, older),
            detail,
            &mut own,
        );
        let mut whole = texts::found(new, old);
        whole.extend(sources);
        let is_tied_to_today = texts::is_tied_to_today(new, old);
        finding::report_whole(new, old, whole, is_tied_to_today, &mut own);

        for (place, problem) in unchanged::found(new, old) {
            // Of a draft everything is a warning, where it is simulated too.
            match new.is_draft {
                true => own.warn(&place, problem),
                false => own.error(&place, problem),
            }
        }

        report.extend(own);
    }
}
