//! The keys that a figure of a dated file has beside its columns.

use crate::text::yaml::Node;

use super::BoundWord;

/// The key of the sources that set a figure or a row.
pub(crate) const SOURCE: &str = "source";
/// The sources that a figure or a row was checked against.
pub(crate) const EVIDENCE: &str = "checked_with";
/// The confidence in a figure or a row.
pub(crate) const CONFIDENCE: &str = "confidence";
/// The note on a figure or a row, which callers see.
pub(crate) const NOTE: &str = "note";
/// Why a finding of a comparison on this figure is right.
pub(crate) const REVIEWED: &str = "reviewed";
/// The period of the amounts of a figure.
pub(crate) const PERIOD: &str = "per";
/// Marks a figure, a row or some of their cells as proposed.
pub(crate) const UNCONFIRMED: &str = "unconfirmed";
/// Why a figure or a row still holds although no new source sets it.
pub(crate) const CONFIRMED: &str = "confirmed";
/// The rows of a figure.
pub(crate) const ROWS: &str = "rows";

/// Keys that a figure and each of its rows may have.
const ROW_KEYS: [&str; 7] = [
    SOURCE,
    EVIDENCE,
    CONFIDENCE,
    NOTE,
    REVIEWED,
    UNCONFIRMED,
    CONFIRMED,
];
/// Keys that only the figure as a whole may have.
const FIGURE_KEYS: [&str; 2] = [PERIOD, ROWS];
/// Keys of a shape that are not columns.
pub(super) const SHAPE_KEYS: [&str; 6] = [SINCE, UNTIL, TAKEN_FROM, FIGURE, ON, LABEL];
/// The first day whose dated file gives a figure.
pub(super) const SINCE: &str = "since";
/// The last day whose dated file gives it.
pub(super) const UNTIL: &str = "until";
/// The folder that gives a figure in the place of the dated files.
pub(crate) const TAKEN_FROM: &str = "taken_from";
/// The name of the figure in that folder, where it has another one.
pub(super) const FIGURE: &str = "figure";
/// The day on which it is read there, where that is not the day of the calculation.
pub(super) const ON: &str = "on";
/// The French label of a figure or a column.
pub(super) const LABEL: &str = "label";

/// Every key of a figure that is not a column: reserved names for columns.
pub(crate) fn own_keys() -> impl Iterator<Item = &'static str> {
    ROW_KEYS.into_iter().chain(FIGURE_KEYS).chain(SHAPE_KEYS)
}

/// Whether a key of a row is not a column: a key of every row, or a bound.
pub(super) fn is_of_rows(key: &str) -> bool {
    ROW_KEYS.contains(&key) || BoundWord::from_word(key).is_some()
}

/// The rows of a figure as a dated file writes them; empty for a record.
pub(crate) fn rows_of(figure: &Node) -> &[Node] {
    figure.items_of(ROWS)
}

/// A figure as a dated file writes it, followed by its rows.
pub(crate) fn parts_of(figure: &Node) -> impl Iterator<Item = &Node> {
    std::iter::once(figure).chain(rows_of(figure))
}
