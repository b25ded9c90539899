//! The keys that a figure of a dated file has beside its columns.

use crate::text::yaml::Node;

use super::BoundWord;

/// The key of the sources that set a figure or a row.
pub(crate) const SOURCE: &str = "source";
/// The sources that a figure or a row was checked against.
pub(crate) const EVIDENCE: &str = "checked_with";
/// The confidence in a figure or a row.
pub(crate) const CONFIDENCE: &str = "confidence";
/// The key of the note that callers of a figure or a row are shown.
pub(crate) const NOTE: &str = "note";
/// The reason for which what a comparison finds is right.
pub(crate) const REVIEWED: &str = "reviewed";
/// The period of the amounts of a figure.
pub(crate) const PERIOD: &str = "per";
/// Marks a figure, a row or some of their cells as a proposal.
pub(crate) const UNCONFIRMED: &str = "unconfirmed";
/// Why a figure or a row stands that no new source sets, in the words of those who read it.
pub(crate) const CONFIRMED: &str = "confirmed";
/// The rows of a figure.
pub(crate) const ROWS: &str = "rows";

/// The keys of a figure, and of each of its rows.
const OF_ROWS: [&str; 7] = [SOURCE, EVIDENCE, CONFIDENCE, NOTE, REVIEWED, UNCONFIRMED, CONFIRMED];
/// The keys of a figure as a whole.
const OF_FIGURES: [&str; 2] = [PERIOD, ROWS];
/// The keys of a shape that are no columns.
pub(super) const OF_SHAPES: [&str; 3] = ["since", "until", LABEL];
/// What a figure or a column is, in French.
pub(super) const LABEL: &str = "label";

/// The keys of figures that are no columns, whose names no column has.
pub(crate) fn own_keys() -> impl Iterator<Item = &'static str> {
    OF_ROWS.into_iter().chain(OF_FIGURES).chain(OF_SHAPES)
}

/// Whether a row has a key beside its columns: one of its own, or its bound.
pub(super) fn is_of_rows(key: &str) -> bool {
    OF_ROWS.contains(&key) || BoundWord::from_word(key).is_some()
}

/// The rows of a figure as a dated file writes them; none in a record.
pub(crate) fn rows_of(figure: &Node) -> &[Node] {
    figure.get(ROWS).map(Node::items).unwrap_or_default()
}

/// A figure as a dated file writes it, then its rows.
pub(crate) fn parts_of(figure: &Node) -> impl Iterator<Item = &Node> {
    std::iter::once(figure).chain(rows_of(figure))
}
