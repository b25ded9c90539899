//! Syntax tree of a formula.

use std::ops::Range;

use rust_decimal::Decimal;

use crate::law::parameter::GENERAL;
use crate::text::problem::Problem;

use super::function::Function;

/// A mistake in a formula, with its range of bytes.
pub(crate) type Mistake = (Range<usize>, Problem);

/// Syntax tree of a formula or of a part of one.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::law::{AstNode, Operator};
///
/// let method = folder.latest().ok_or("no edition")?.method();
/// let total = method.steps().last().and_then(|step| step.formula()).ok_or("no formula")?;
/// assert!(matches!(&total.node, AstNode::Binary(Operator::Add, ..)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ast {
    /// Bytes of the formula's text.
    pub(crate) span: Range<usize>,
    /// Its operator and operands, or the name or number that it is.
    pub node: AstNode,
}

impl Ast {
    /// Number of leaves and calls: names, numbers and functions.
    pub(crate) fn count(&self) -> usize {
        // Lookups and calls take time to check; parentheses and signs do not.
        match &self.node {
            AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Name(_) | AstNode::Member(..) => 1,
            AstNode::Negative(inner) | AstNode::Not(inner) => inner.count(),
            AstNode::Binary(_, left, right) => left.count() + right.count(),
            AstNode::If(condition, yes, no) => condition.count() + yes.count() + no.count(),
            AstNode::Call(_, arguments) => 1 + arguments.iter().map(Self::count).sum::<usize>(),
        }
    }
}

/// Operator and operands of a part of a formula, or its name or number.
///
/// [`Ast::node`] holds it.
#[derive(Debug, Clone)]
pub enum AstNode {
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
/// assert_eq!(bareme_engine::law::Operator::LessOrEqual.symbol(), "<=");
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
    /// Whether its result is a boolean.
    pub(super) fn is_test(self) -> bool {
        !matches!(
            self,
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide
        )
    }

    /// Its symbol or word in a formula.
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

/// Keywords of the grammar, functions aside.
pub(super) const KEYWORDS: &[&str] = &["if", "then", "else", "and", "or", "not", "true", "false"];

/// Comparison operators.
pub(super) const COMPARISONS: &[&str] = &["=", "!=", "<", "<=", ">", ">="];

/// The name whose members are those of the scale: `scale.year`.
const SCALE: &str = "scale";

/// Reserved words, which no input, figure, step or word of a choice may have as its name: those of
/// the language, then the parameters of every folder.
pub fn reserved() -> impl Iterator<Item = &'static str> {
    let of_language = KEYWORDS
        .iter()
        .copied()
        .chain(Function::names())
        .chain([SCALE]);
    of_language.chain(GENERAL.iter().map(|parameter| parameter.name))
}
