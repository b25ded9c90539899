//! Formulas: text, syntax tree, checked expression, compiled code.

mod absent;
mod ast;
mod check;
mod code;
mod columns;
mod divisors;
mod env;
mod error;
mod expr;
mod function;
mod hints;
mod items;
pub(crate) mod parser;
mod ranges;
mod reads;
mod symbols;
mod tokens;
mod year;

pub use ast::{Ast, AstNode, Operator, reserved};
pub use expr::{Expr, ScaleField};
pub use function::{FUNCTIONS, Function};
pub use year::Sum;

pub(crate) use check::ExpectedType;
pub(crate) use code::{Code, CompileContext, ScaleTexts, State, When};
pub(crate) use columns::Limits;
pub(crate) use env::{Env, ItemScope, Part, WordCount};
pub(crate) use error::EvalError;
pub(crate) use expr::{Narrowing, Typed, narrowings};
pub(crate) use items::has_no_items;
pub(crate) use reads::{Reads, WithReads};
pub(crate) use symbols::{FieldName, NameOfOption, Symbols};
pub(crate) use year::{EarlierMonth, OtherMonths, YearNames};
