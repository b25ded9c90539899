//! Checked expressions: names resolved, types checked, and the facts that a true condition
//! establishes.

use rust_decimal::Decimal;

use crate::law::{ColumnId, FigureId, GroupId, InputId, StepId, Type};

use super::ast::Operator;
use super::function::Function;
use super::year::Sum;

/// An expression with its names resolved.
///
/// For example the default of an input: see [`Presence`](crate::law::Presence).
#[derive(Debug, Clone)]
pub enum Expr {
    /// A literal number.
    Number(Decimal),
    /// A literal boolean.
    Boolean(bool),
    /// A word of a choice, by index.
    Word(u16),
    /// The value of an input.
    Input(InputId),
    /// An output of a step, by its index among those of the step.
    Output(StepId, usize),
    /// A column of a record figure.
    Column(FigureId, ColumnId),
    /// A column of the row that a field lists.
    RowColumn(ColumnId),
    /// An attribute of the scale in force.
    Scale(ScaleField),
    /// Whether an optional input was sent.
    Given(InputId),
    /// Whether the scale of the day gives a figure.
    GivenFigure(FigureId),
    /// An output of a step that is absent from the scale of the day: 0, false or nothing, by its
    /// type.
    Absent(Type),
    /// `- x`.
    Negative(Box<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// `x op y`.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call of a function.
    Call(&'static Function, Vec<Expr>),
    /// A function of the values of an expression for the items of a group; with a key, for those
    /// whose key has the value that it has for the item at hand.
    Items(&'static Function, GroupId, Box<Expr>, Option<Box<Expr>>),
    /// The value of this month plus its sum over the earlier months of the year of pays.
    YearToDate(Box<Expr>, Sum),
    /// Sum of a value over the earlier months of the year of pays.
    Earlier(Sum),
    /// The mean over the months of the year of pays of a value known in advance, with its name.
    YearMean(Box<Expr>, String),
    /// Whether a value known in advance, by its name, changes after this month, or the year of pays
    /// ends with it.
    LastMonth(String),
}

/// An attribute of the scale that an answer may show.
///
/// A formula reads it as `scale.year`: see [`Expr::Scale`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleField {
    /// The year asked, but at most the last one that the scale was checked for.
    Year,
    /// The month of the day asked, 1 to 12.
    Month,
    /// The day from which the scale is in force.
    Date,
    /// The text that cites its sources.
    Source,
    /// The currency.
    Currency,
    /// The day asked.
    Day,
    /// The months of the year of pays so far; 1 in a calculation of one month.
    Months,
    /// Whether the year or the contract ends with the month.
    Last,
    /// The calendar days of the month.
    Days,
    /// Whether the month is calculated within a year of pays.
    InYear,
}

impl ScaleField {
    /// The names after `scale.`, each with its meaning.
    pub const ALL: [(&'static str, Self); 10] = [
        ("year", Self::Year),
        ("month", Self::Month),
        ("day", Self::Day),
        ("date", Self::Date),
        ("source", Self::Source),
        ("currency", Self::Currency),
        ("months", Self::Months),
        ("last", Self::Last),
        ("days", Self::Days),
        ("in_year", Self::InYear),
    ];

    /// Its type where any formula may read it, since it depends on the day alone; `None` for texts
    /// of the scale.
    pub(super) fn of_the_day(self) -> Option<Type> {
        match self {
            Self::Year | Self::Month | Self::Months | Self::Days => Some(Type::Number),
            Self::Day => Some(Type::Date),
            Self::Last | Self::InYear => Some(Type::Boolean),
            Self::Date | Self::Source | Self::Currency => None,
        }
    }

    /// Whether it depends on the year of pays, which only a method with the block `year:` has.
    pub(super) fn is_of_year_of_pays(self) -> bool {
        matches!(self, Self::Months | Self::Last | Self::InYear)
    }

    /// Whether only fields may read it: steps give the same for a month and for a year of one
    /// month.
    pub(super) fn is_for_answers(self) -> bool {
        self == Self::InYear || self.of_the_day().is_none()
    }
}

/// A fact that the conditions around an expression establish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// The optional input was sent.
    Given(InputId),
    /// The scale of the day gives the figure.
    GivenFigure(FigureId),
    /// The input does not have this word.
    NotWord(InputId, u16),
}

/// The facts established where a condition is true, or where it is false.
pub(crate) fn narrowings(condition: &Expr, truth: bool) -> Vec<Narrowing> {
    match condition {
        Expr::Given(input) if truth => vec![Narrowing::Given(*input)],
        Expr::GivenFigure(figure) if truth => vec![Narrowing::GivenFigure(*figure)],
        Expr::Not(inner) => narrowings(inner, !truth),
        // Where `a and b` is true, both are; where `a or b` is false, neither is true.
        Expr::Binary(Operator::And, a, b) if truth => {
            [narrowings(a, true), narrowings(b, true)].concat()
        }
        Expr::Binary(Operator::Or, a, b) if !truth => {
            [narrowings(a, false), narrowings(b, false)].concat()
        }
        // `x != mot` true, or `x = mot` false: the input does not have this word.
        Expr::Binary(operator @ (Operator::Equal | Operator::NotEqual), a, b) => match (&**a, &**b)
        {
            (Expr::Input(input), Expr::Word(word)) if (*operator == Operator::Equal) != truth => {
                vec![Narrowing::NotWord(*input, *word)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A checked expression and its type.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub expr: Expr,
    pub ty: Type,
}

impl Typed {
    pub(super) fn unknown() -> Self {
        Self {
            // Any expression does: nothing computes what could not be checked.
            expr: Expr::Number(Decimal::ZERO),
            ty: Type::Unknown,
        }
    }
}
