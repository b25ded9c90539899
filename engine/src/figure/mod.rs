//! Figures of the law. A method declares their shape, a dated file gives their values, and a lookup
//! finds the row that a value falls in.

mod check;
mod doubtful;
mod keys;
mod lookup;
mod shape;
mod values;

pub use lookup::{Bound, BoundWord, Lookup};
pub use shape::{Column, Key, Shape};
pub use values::{Figure, Remark, Row};

pub(crate) use doubtful::check_doubtful;
pub(crate) use keys::{CONFIDENCE, EVIDENCE, NOTE, PERIOD, ROWS, SOURCE, UNCONFIRMED, own_keys};
pub(crate) use lookup::{LookupError, find_bound};
pub(crate) use shape::read as read_shape;
pub(crate) use values::{Sources, read as read_figure};
