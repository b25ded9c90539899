//! Announced legal texts that will change a scale, so that it can be prepared in time.

use jiff::civil::Date;

use crate::law::source::read_date;
use crate::text::{Node, Report};

/// An announced legal text: a finance bill, a decree, an order of revaluation.
///
/// [`Scale::watch`](crate::law::Scale) lists those of a scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingText {
    /// The text, in French.
    pub text: String,
    /// Day before which it is expected.
    pub expected: Date,
    /// The part of the scale that it will change, in French.
    pub changes: String,
}

impl PendingText {
    /// Reads the list. An entry without a valid date is left out, and reported here or by the
    /// schema.
    pub(crate) fn read_all(node: &Node, report: &mut Report) -> Vec<Self> {
        let read = |entry: &Node| {
            Some(Self {
                expected: read_date(entry.text_of("expected")?, report)?,
                text: entry.string_of("text").unwrap_or_default(),
                changes: entry.string_of("changes").unwrap_or_default(),
            })
        };
        node.items().iter().filter_map(read).collect()
    }
}
