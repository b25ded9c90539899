//! Texts in and out: YAML, numbers, JSON, and the messages for the authors of rules and for
//! callers.
//!
//! The lowest of the four modules of the engine: it knows nothing of the law.

pub(crate) mod bill_words;
pub(crate) mod date_in_words;
pub(crate) mod diagnostic;
pub(crate) mod json;
pub(crate) mod lang;
pub(crate) mod limits;
pub(crate) mod number;
mod picture;
mod place;
#[cfg_attr(
    not(test),
    allow(
        clippy::arithmetic_side_effects,
        reason = "integers without limit, whose divisors are powers of ten"
    )
)]
pub(crate) mod power;
pub(crate) mod problem;
pub mod query_string;
mod reason;
pub(crate) mod refusal;
mod rendering;
mod report;
pub(crate) mod stated_reason;
pub(crate) mod words;
pub(crate) mod wrap;
pub(crate) mod yaml;

pub use date_in_words::{french_date, french_month};
pub use diagnostic::{Diagnostic, Place, Rendering, Report, RuleFile, Severity};
pub use json::{Datum, Key as MemberKey, List, Object};
pub use lang::{Lang, Text};
pub use number::{RoundMode, number_french, number_text, write_number};
pub use picture::Picture;
pub use problem::{LETTERS, MessageCode, Problem};
pub use refusal::{BadParameter, ParameterCode, Refusal, excerpt};
pub use words::{boolean, nearest, normalize, pluralized};
pub use yaml::PlacedText;

pub(crate) use refusal::Reason;
pub(crate) use yaml::{Content, Node, Piece, TreeReader, TreeWriter};
