//! Formulas: text, tree, checked expression, code that runs.

mod absent;
mod ast;
mod check;
mod code;
mod expr;
mod function;
mod hints;
pub(crate) mod parser;
mod scope;

pub use ast::{Operator, reserved};
pub use expr::{Expr, ScaleField};
pub use function::{FUNCTIONS, Function};

pub(crate) use check::{ExpectedType, Typed};
pub(crate) use code::{Code, Context, EvalError, ScaleTexts, State, When};
pub(crate) use expr::{Narrowing, narrowings};
pub(crate) use scope::Scope;
