//! The unit of a rounding, as it is written.

use rust_decimal::Decimal;

use crate::text::{PlacedText, Problem, Report, number_text};

/// `round: 2` is more often meant for two decimals than for a multiple of two.
pub(crate) fn warn_of_units(unit: Decimal, written: &PlacedText, report: &mut Report) {
    if [2, 3, 4].map(Decimal::from).contains(&unit) {
        report.warn(
            &written.place,
            Problem::RoundingOfUnits {
                unit: number_text(unit),
            },
        );
    }
}
