//! Texts to come: what will change a scale, so that it can be prepared in time.

use jiff::civil::Date;

use crate::diagnostic::Report;
use crate::source::read_date;
use crate::yaml::Node;

/// A text that is awaited: a finance bill, a decree, an order of revaluation.
///
/// [`Scale::watch`](crate::Scale) lists those of a scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The text, in French.
    pub text: String,
    /// Day by which it is expected.
    pub expected: Date,
    /// What of the scale it will change, in French.
    pub changes: String,
}

impl Watched {
    /// Reads the list; an entry without a date is reported, here or by the schema, and left out.
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
