//! Figures of the law. A method declares their shapes, a dated file gives their values, and a
//! lookup finds the row for a value.

mod authority;
mod cells;
mod check;
mod keys;
mod limits;
mod lookup;
mod plausibility;
mod read;
mod shape;
mod shared;
mod values;

pub use authority::Authority;
pub use cells::{WrittenCell, written_cells};
pub use limits::Limits;
pub use lookup::{Bound, BoundWord, Lookup};
pub use shape::{Column, Key, Shape};
pub use shared::{SharedDay, SharedFrom};
pub use values::{Figure, Remark, Row};

pub(crate) use cells::is_marked;
pub(crate) use keys::{
    CONFIDENCE, CONFIRMED, EVIDENCE, NOTE, PERIOD, REVIEWED, ROWS, SOURCE, TAKEN_FROM, UNCONFIRMED,
    own_keys,
};
pub(crate) use keys::{parts_of, rows_of};
pub(crate) use lookup::{LookupError, find_bound};
pub(crate) use plausibility::{check_plausibility, thousands};
pub(crate) use read::read_figure;
pub(crate) use shape::read_shape;
pub(crate) use shared::{read_shared, unknown_shape};
pub(crate) use values::Sources;
