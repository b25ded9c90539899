//! The keys that a figure of a dated file has beside its columns.

use super::BoundWord;

/// What sets a figure or a row.
pub(crate) const SOURCE: &str = "source";
/// What a figure or a row was checked against.
pub(crate) const EVIDENCE: &str = "checked_with";
/// How certain a figure or a row is.
pub(crate) const CONFIDENCE: &str = "confidence";
/// What a caller must know of a figure or a row.
pub(crate) const NOTE: &str = "note";
/// The period of the amounts of a figure.
pub(crate) const PERIOD: &str = "per";
/// Marks a figure as a proposal.
pub(crate) const UNCONFIRMED: &str = "unconfirmed";
/// The rows of a figure.
pub(crate) const ROWS: &str = "rows";

/// The keys of a figure, and of each of its rows.
const OF_ROWS: [&str; 4] = [SOURCE, EVIDENCE, CONFIDENCE, NOTE];
/// The keys of a figure as a whole.
const OF_FIGURES: [&str; 3] = [PERIOD, UNCONFIRMED, ROWS];
/// The keys of a shape that are no columns.
pub(super) const DAYS: [&str; 2] = ["since", "until"];

/// Names that no column has, since figures use them for themselves.
pub(crate) fn own_keys() -> impl Iterator<Item = &'static str> {
    OF_ROWS.into_iter().chain(OF_FIGURES).chain(DAYS)
}

/// Whether a row has a key beside its columns: one of its own, or its bound.
pub(super) fn is_of_rows(key: &str) -> bool {
    OF_ROWS.contains(&key) || BoundWord::read(key).is_some()
}
