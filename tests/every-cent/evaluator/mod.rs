//! The second evaluator in a compiled form: written from the manual of the rules, it shares the
//! reading of files with the slow one of `engine/tests/naive`, and no line with the engine.
//!
//! A case is a law, fixed inputs and a range of amounts. What the fixed inputs decide is computed
//! while it is compiled; what is left works on columns of integers over denominators that are
//! known, in exact fractions.

mod brackets;
mod builder;
mod call;
mod comparison;
mod compiler;
mod fields;
mod formula;
mod kernel;
mod loan;
mod lookup;
mod number;
mod program;
mod rounding;
mod steps;
mod symbol;

pub(crate) use compiler::{Axis, Stopped};
pub(crate) use fields::{Compiled, Field, Shown, There, Warned};
pub(crate) use kernel::Kernel;
pub(crate) use program::{Block, Instruction, ROWS, Span};
