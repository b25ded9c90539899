//! The tree of a formula as it was written.

use std::ops::Range;

use rust_decimal::Decimal;

use crate::problem::Problem;

use super::function::Function;

/// A mistake in a formula, with the bytes it stands at.
pub(crate) type Mistake = (Range<usize>, Problem);

/// A formula or a part of one, with its place in the text.
#[derive(Debug, Clone)]
pub(crate) struct Ast {
    /// Bytes of the formula's text.
    pub span: Range<usize>,
    /// Its operator and operands, or the name or number that it is.
    pub node: AstNode,
}

impl Ast {
    /// How many words, numbers and functions it has: operators stand between them.
    pub(crate) fn count(&self) -> usize {
        match &self.node {
            AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Name(_) | AstNode::Member(..) => 1,
            AstNode::Negative(inner) | AstNode::Not(inner) => inner.count(),
            AstNode::Binary(_, left, right) => left.count() + right.count(),
            AstNode::If(condition, yes, no) => condition.count() + yes.count() + no.count(),
            AstNode::Call(_, arguments) => 1 + arguments.iter().map(Self::count).sum::<usize>(),
        }
    }
}

/// What a part of a formula says.
#[derive(Debug, Clone)]
pub(crate) enum AstNode {
    /// A plain number.
    Number(Decimal),
    /// `true` or `false`.
    Boolean(bool),
    /// An input, a step, or a word of a choice.
    Name(String),
    /// `step.output`, `figure.column` or `scale.year`.
    Member(String, String),
    /// `- x`.
    Negative(Box<Ast>),
    /// `not x`.
    Not(Box<Ast>),
    /// `x op y`.
    Binary(Operator, Box<Ast>, Box<Ast>),
    /// `if condition then a else b`.
    If(Box<Ast>, Box<Ast>, Box<Ast>),
    /// `min(a; b)`.
    Call(&'static Function, Vec<Ast>),
}

/// An operator between two expressions.
///
/// ```
/// assert_eq!(bareme_engine::Operator::LessOrEqual.symbol(), "<=");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Operator {
    /// As it is written in a formula.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}

/// The words of the grammar that are no functions.
pub(super) const KEYWORDS: [&str; 8] = ["if", "then", "else", "and", "or", "not", "true", "false"];

/// Names that every formula or every query has a meaning for.
const TAKEN: [&str; 4] = ["scale", "date", "annee", "detail"];

/// Words that name nothing: neither an input, nor a figure, nor a step, nor a value of a choice.
///
/// ```
/// assert!(["if", "max", "scale"].iter().all(|word| bareme_engine::reserved().any(|known| known == *word)));
/// ```
pub fn reserved() -> impl Iterator<Item = &'static str> {
    KEYWORDS.into_iter().chain(Function::names()).chain(TAKEN)
}
