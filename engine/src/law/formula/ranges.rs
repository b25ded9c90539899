//! Formulas over ranges: what is known of their values while one input takes every value of an
//! interval.
//!
//! An error in part of the interval says nothing of the rest: what is known holds of the values
//! that a single calculation gives.

use rust_decimal::Decimal;

use crate::law::range::{Range, Ranges, Span};
use crate::text::number::compare;

use super::ast::Operator;
use super::code::Code;

impl Code {
    /// The span of a value of any type.
    pub(crate) fn span(&self, ranges: &Ranges) -> Span {
        match self {
            Self::Constant(value) => Span::of(value),
            Self::Slot(slot) => ranges.get(*slot),
            Self::If(test, yes, no) => match test.truth(ranges) {
                Some(true) => yes.span(ranges),
                Some(false) => no.span(ranges),
                None => yes.span(ranges).or(no.span(ranges)),
            },
            Self::Binary(operator, ..) if operator.is_test() => self.truth(ranges).into(),
            Self::Not(_) => self.truth(ranges).into(),
            // A part that does not depend on the input keeps its computed value.
            _ if self.is_fixed(ranges) => {
                let value = self.run(ranges.state);
                value.map_or(Span::Any, |value| Span::of(&value))
            }
            _ => self.range(ranges).into(),
        }
    }

    /// The range of a number; `None` where none is known.
    pub(crate) fn range(&self, ranges: &Ranges) -> Option<Range> {
        match self {
            Self::Constant(_) | Self::Slot(_) | Self::If(..) => self.span(ranges).number(),
            Self::Negative(inner) => Range::one(Decimal::ZERO).minus(inner.range(ranges)?),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.range(ranges)?, b.range(ranges)?);
                match operator {
                    Operator::Add => a.plus(b),
                    Operator::Subtract => a.minus(b),
                    Operator::Multiply => a.times(b),
                    Operator::Divide => a.divided_by(b),
                    _ => None,
                }
            }
            Self::Call(function, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.range(ranges));
                function.range(&arguments.collect::<Option<Vec<_>>>()?)
            }
            // A calculation of one month has no other months.
            Self::YearToDate(now, _) | Self::YearMean(now, _) if ranges.state.year.is_none() => {
                now.range(ranges)
            }
            _ if self.is_fixed(ranges) => self.number(ranges.state).ok().map(Range::one),
            _ => None,
        }
    }

    /// The range of numbers that a limit bounds, where it applies: `apply` rises with both.
    pub(crate) fn limited(
        &self,
        range: Range,
        ranges: &Ranges,
        apply: fn(Decimal, Decimal) -> Decimal,
    ) -> Option<Range> {
        match self.limit_range(ranges)? {
            Some(limit) => range.both(limit, |a, b| Some(apply(a, b))),
            None => Some(range),
        }
    }

    /// The range of a limit, which may be missing: `None` where nothing is known, and no range
    /// where no limit applies.
    pub(crate) fn limit_range(&self, ranges: &Ranges) -> Option<Option<Range>> {
        if self.is_fixed(ranges) {
            let limit = self.limit(ranges.state).ok()?;
            return Some(limit.map(Range::one));
        }
        self.range(ranges).map(Some)
    }

    /// A boolean that is the same in the whole interval; `None` where it is not, or is not known.
    pub(crate) fn truth(&self, ranges: &Ranges) -> Option<bool> {
        match self {
            Self::Constant(_) | Self::Slot(_) | Self::If(..) => self.span(ranges).boolean(),
            Self::Not(inner) => Some(!inner.truth(ranges)?),
            Self::Binary(Operator::And, a, b) => decided(false, a, b, ranges),
            Self::Binary(Operator::Or, a, b) => decided(true, a, b, ranges),
            // Words and texts are compared where they are fixed.
            Self::Binary(Operator::Equal | Operator::NotEqual, ..) if self.is_fixed(ranges) => {
                self.boolean(ranges.state).ok()
            }
            Self::Binary(Operator::Equal, a, b) => equal(a, b, ranges),
            Self::Binary(Operator::NotEqual, a, b) => Some(!equal(a, b, ranges)?),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.range(ranges)?, b.range(ranges)?);
                match operator {
                    Operator::Less => less(a, b),
                    Operator::LessOrEqual => Some(!less(b, a)?),
                    Operator::Greater => less(b, a),
                    Operator::GreaterOrEqual => Some(!less(a, b)?),
                    _ => None,
                }
            }
            _ if self.is_fixed(ranges) => self.boolean(ranges.state).ok(),
            _ => None,
        }
    }

    /// Whether it reads nothing that depends on the input.
    fn is_fixed(&self, ranges: &Ranges) -> bool {
        let mut is_fixed = true;
        self.visit_slots(&mut |slot| is_fixed &= ranges.is_fixed(slot));
        is_fixed
    }
}

/// A disjunction, which one side that is true decides, or a conjunction, which one that is false
/// does.
fn decided(deciding: bool, a: &Code, b: &Code, ranges: &Ranges) -> Option<bool> {
    let first = a.truth(ranges);
    if first == Some(deciding) {
        return first;
    }
    let second = b.truth(ranges);
    if second == Some(deciding) {
        return second;
    }
    first.and(second)
}

/// Whether every number of a range is less than every one of another; `None` where some are.
fn less(a: Range, b: Range) -> Option<bool> {
    if compare(a.high, b.low).is_lt() {
        Some(true)
    } else if compare(a.low, b.high).is_ge() {
        Some(false)
    } else {
        None
    }
}

/// Whether two numbers, or two booleans, are equal.
fn equal(a: &Code, b: &Code, ranges: &Ranges) -> Option<bool> {
    match (a.span(ranges), b.span(ranges)) {
        (Span::Number(a), Span::Number(b)) => {
            let is_one = a.single().is_some() && b.single().is_some();
            let is_less = less(a, b) == Some(true) || less(b, a) == Some(true);
            match (is_one, is_less) {
                (_, true) => Some(false),
                (true, false) => Some(true),
                // Where ranges overlap, the numbers may be equal or not.
                (false, false) => None,
            }
        }
        (Span::Boolean(a), Span::Boolean(b)) => Some(a == b),
        _ => None,
    }
}
