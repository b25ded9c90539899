//! Tools of this workspace's command line for editing rule files. They are no part of the interface
//! of the library, and change without notice.

pub use crate::law::figure::{WrittenCell, written_cells};
pub use crate::law::formula::reserved;
pub use crate::text::bill_words::words_of_a_bill;
pub use crate::text::date_in_words::{
    dates_in_text, french_date, note_names_another_year, years_of_scale,
};
pub use crate::text::stated_reason::is_reason;
pub use crate::text::wrap::wrapped;
pub use crate::text::yaml::{Content, Node};

use crate::text::number::{parse_amount, parse_rate};

/// Whether a reason (`confirmed`) says that a value is that of the file before.
pub fn claims_unchanged(reason: &str) -> bool {
    crate::set::compare::claims_unchanged(reason)
}

/// Whether a source of a dated file says that it is no law yet.
pub fn is_bill(source: &Node) -> bool {
    crate::law::adopted::is_bill(source)
}

/// The number that a cell of a dated file writes, a rate as a fraction; none for a text.
pub fn written_number(text: &str) -> Option<rust_decimal::Decimal> {
    let read = if text.ends_with('%') {
        parse_rate(text)
    } else {
        parse_amount(text)
    };
    read.ok()
}
