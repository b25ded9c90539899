//! Sets of rule files: found, parsed, checked against their schemas, with their worked cases run.
//!
//! The highest of the four modules of the engine: it depends on [`run`](crate::run),
//! [`law`](crate::law) and [`text`](crate::text).

pub(crate) mod cases;
mod cell;
mod check_record;
pub(crate) mod compare;
pub mod effect;
pub(crate) mod files;
mod lint;
pub(crate) mod load;
mod memory;
pub mod moved;
pub mod mutate;
pub(crate) mod schema;
mod stamp;
mod verify;
mod walk;

pub use check_record::CheckRecord;
pub use files::FileSet;
pub use lint::lint;
pub use load::{Loaded, Loader};
pub use schema::{cases_schema, method_schema, scale_schema, translation_schema};
pub use verify::{CaseOutcome, Difference};

/// The most folders that a rule set is read from: what lies in further ones is reported, not read.
pub fn most_folders() -> usize {
    crate::text::limits::FOLDERS.most
}
