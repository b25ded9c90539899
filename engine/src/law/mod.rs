//! The law as rule files write it: methods with their inputs, figures, steps and answers, and dated
//! scales.
//!
//! Depends on [`text`](crate::text) only: no query, no folder of files.

pub(crate) mod adopted;
pub(crate) mod advances;
pub(crate) mod answer;
pub(crate) mod calendar;
pub(crate) mod callee;
pub(crate) mod column;
pub(crate) mod comparison;
pub(crate) mod draft;
pub(crate) mod explanation;
pub(crate) mod figure;
pub(crate) mod formula;
pub(crate) mod group;
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod inverse;
pub mod members;
pub(crate) mod method;
pub(crate) mod option;
pub(crate) mod page;
pub mod parameter;
pub(crate) mod presentation;
mod problems;
pub(crate) mod range;
pub(crate) mod references;
pub(crate) mod scalar;
pub(crate) mod scale;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod step_set;
pub(crate) mod types;
pub(crate) mod unit;
pub(crate) mod warning;

pub use advances::{Advances, FirstAdvances};
pub use answer::{Field, FieldValue, Line, ListedItem, ListedRow, PayslipRow, Term};
pub use comparison::{Alternative, Comparison};
pub use draft::{Draft, Drafts};
pub use explanation::{Addresses, CallTrace, CalledSteps, DetailLevel};
pub use figure::{
    Authority, Bound, BoundWord, Column, Figure, Key, Limits, Lookup, Remark, Row, Shape,
    SharedDay, SharedFrom,
};
pub use formula::{Ast, AstNode, Expr, FUNCTIONS, Function, Operator, ScaleField, Sum};
pub use group::{Group, VALUE_SEPARATOR};
pub use index::{ColumnId, FigureId, GroupId, InputId, SlotId, StepId};
pub use input::{Input, Presence};
pub use inverse::{AssumedInput, Find, Inverse};
pub use members::{Member, MemberType};
pub use method::{Alias, Alternatives, Method, YearBlock};
pub use option::MethodOption;
pub use page::{Bar, FieldText, Preset, Section, SentencePart, TextPart, Trial};
pub use presentation::{FieldCurve, Headline, Once, Role};
pub use references::{FigureRemark, OwnedRemark, Reference};
pub use scalar::Scalar;
pub use scale::{PendingText, Scale};
pub use source::{Source, SourceKind};
pub use step::{
    AppliedLimit, Detail, GivenInput, KINDS, KeyForm, Kind, Levy, MODIFIERS, Modifier, Operand,
    Output, Payment, Rounding, Sentence, Slice, Step, StepKey, Written, column_words,
};
pub use types::{Period, Type, Value};
pub use warning::{Warning, WarningCode};

/// The key of a step that calculates another folder.
pub(crate) const CALCULATE: &str = "calculate";
