//! What spreadsheets save and read: the dialect of a CSV file, and numbers, days and booleans as
//! people write them; and rows of JSON, whose numbers keep their digits. The command line and the
//! service read them in the same way.

mod cell;
mod dialect;
mod members;

pub use cell::{NumberFormat, argument, cell, currency, grouped, is_ambiguous};
pub use dialect::{Dialect, DialectError, DialectOptions, Plain, encoding_named};
pub use members::{MemberText, Members};
