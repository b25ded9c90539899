//! The days on which a figure that another folder gives changes under a dated file.

use jiff::civil::Date;

use crate::run::edition::Edition;
use crate::run::folder::Checks;
use crate::text::Report;

/// Adds to each edition the days on which another folder changes one of its figures: its own
/// dated file says nothing of them. Compiles these too, unless a record says that they compile.
pub(super) fn follow_shared_figures(editions: &mut [Edition], checks: Checks, report: &mut Report) {
    let starts: Vec<Option<Date>> = editions
        .iter()
        .map(|edition| Some(edition.scale()?.date))
        .collect();

    for (index, edition) in editions.iter_mut().enumerate() {
        let next = starts.get(index.saturating_add(1)).copied().flatten();
        edition.follow_shared_figures(next, report);

        if checks != Checks::Trusted {
            // A program that does not compile is in the report, and its folder is not served.
            for later in edition.with_later().skip(1) {
                drop(later.compile(report));
            }
        }
    }
}
