//! Formulas: text, tree, checked expression, code that runs.

mod ast;
mod check;
mod code;
pub(crate) mod parser;

pub use ast::{Ast, AstNode, Function, Operator, reserved};
pub use check::{Expr, ScaleField};

pub(crate) use check::{ExpectedType, Narrowing, Scope, Typed, narrowings};
pub(crate) use code::{Code, Context, EvalError, ScaleTexts, State, When};
