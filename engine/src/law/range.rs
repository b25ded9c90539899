//! Ranges: what is known of the values of a calculation while one input takes every value of an
//! interval.
//!
//! Each operation gives the least and the greatest result of the values between its ends, so that
//! one calculation with ranges proves what no number of samples would: that a field stays above an
//! amount, or below it. A range may be wider than it has to be, and is never narrower.

use rust_decimal::Decimal;

use crate::law::formula::State;
use crate::law::{SlotId, Value};
use crate::text::number::{add, compare, div, larger, mul, smaller, sub};

/// An interval in which a number lies, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: Decimal,
    pub high: Decimal,
}

/// The values that a slot may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// It is a number of a range.
    Number(Range),
    /// It is this boolean.
    Boolean(bool),
    /// Nothing.
    Any,
}

/// The values of a calculation while one input takes every value of an interval.
#[derive(Debug)]
pub(crate) struct Ranges<'s> {
    /// The values that do not depend on the input.
    pub state: &'s State,
    /// The span of each slot; `None` where its value is that of the state.
    spans: Vec<Option<Span>>,
}

impl Range {
    /// The range of a single number.
    pub(crate) fn one(value: Decimal) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// The only number of the range, if it has no other.
    pub(crate) fn single(self) -> Option<Decimal> {
        (self.low == self.high).then_some(self.low)
    }

    /// The range of what an operation gives that rises with its operand, or stays.
    pub(crate) fn each(self, rising: impl Fn(Decimal) -> Option<Decimal>) -> Option<Self> {
        Some(Self {
            low: rising(self.low)?,
            high: rising(self.high)?,
        })
    }

    /// The range of what an operation gives that rises with both operands, or stays.
    pub(crate) fn both(
        self,
        other: Self,
        rising: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> Option<Self> {
        Some(Self {
            low: rising(self.low, other.low)?,
            high: rising(self.high, other.high)?,
        })
    }

    /// The range of the sums; `None` beyond what can be computed, as for every operation.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        self.both(other, |a, b| add(a, b).ok())
    }

    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        Some(Self {
            low: sub(self.low, other.high).ok()?,
            high: sub(self.high, other.low).ok()?,
        })
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        self.of_ends(other, |a, b| mul(a, b).ok())
    }

    pub(crate) fn divided_by(self, other: Self) -> Option<Self> {
        // Around a divisor of 0, the quotients have no bound.
        let has_zero = other.low <= Decimal::ZERO && other.high >= Decimal::ZERO;
        if has_zero {
            None
        } else {
            self.of_ends(other, |a, b| div(a, b).ok())
        }
    }

    /// The range of what an operation gives that rises or falls with each operand, whatever the
    /// other one is.
    fn of_ends(
        self,
        other: Self,
        operation: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> Option<Self> {
        let first = Self {
            low: operation(self.low, other.low)?,
            high: operation(self.high, other.high)?,
        };
        // One number on both sides has one result.
        if self.single().is_some() && other.single().is_some() {
            return Some(first);
        }

        let second = Self {
            low: operation(self.low, other.high)?,
            high: operation(self.high, other.low)?,
        };
        Some(first.ordered().or(second.ordered()))
    }

    /// The range with its ends in their order.
    fn ordered(self) -> Self {
        if compare(self.low, self.high).is_gt() {
            Self {
                low: self.high,
                high: self.low,
            }
        } else {
            self
        }
    }

    /// The range of the numbers of either, and of those between them.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            low: smaller(self.low, other.low),
            high: larger(self.high, other.high),
        }
    }
}

impl Span {
    /// The span of a value that is there.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Boolean(value) => Self::Boolean(*value),
            value => value.number().map(Range::one).into(),
        }
    }

    /// The span of a value that is of either of two.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.or(b)),
            (Self::Boolean(a), Self::Boolean(b)) if a == b => self,
            _ => Self::Any,
        }
    }

    pub(crate) fn number(self) -> Option<Range> {
        match self {
            Self::Number(range) => Some(range),
            _ => None,
        }
    }

    pub(crate) fn boolean(self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(value),
            _ => None,
        }
    }
}

impl From<Option<Range>> for Span {
    fn from(range: Option<Range>) -> Self {
        range.map_or(Self::Any, Self::Number)
    }
}

impl From<Option<bool>> for Span {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Any, Self::Boolean)
    }
}

impl<'s> Ranges<'s> {
    /// The values of a state, none of which depends on the input so far.
    pub(crate) fn new(state: &'s State) -> Self {
        Self {
            state,
            spans: vec![None; state.slots.len()],
        }
    }

    /// Whether the value of a slot is that of the state.
    pub(crate) fn is_fixed(&self, slot: SlotId) -> bool {
        slot.of(&self.spans).is_some_and(Option::is_none)
    }

    /// The span of a slot.
    pub(crate) fn get(&self, slot: SlotId) -> Span {
        match slot.of(&self.spans) {
            Some(Some(span)) => *span,
            Some(None) => slot.of(&self.state.slots).map_or(Span::Any, Span::of),
            None => Span::Any,
        }
    }

    pub(crate) fn set(&mut self, slot: SlotId, span: impl Into<Span>) {
        if let Some(place) = self.spans.get_mut(slot.position()) {
            *place = Some(span.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i64, high: i64) -> Range {
        Range {
            low: low.into(),
            high: high.into(),
        }
    }

    /// All pairs of a small range, with what an operation gives for the whole numbers in it.
    fn holds_all(
        of_ranges: fn(Range, Range) -> Option<Range>,
        of_numbers: fn(Decimal, Decimal) -> Option<Decimal>,
    ) {
        let ends = || (-3..=3).flat_map(|low| (low..=3).map(move |high| (low, high)));
        for (low, high) in ends() {
            for (other_low, other_high) in ends() {
                let Some(found) = of_ranges(range(low, high), range(other_low, other_high)) else {
                    continue;
                };
                let results = (low..=high).flat_map(|a| {
                    (other_low..=other_high).filter_map(move |b| of_numbers(a.into(), b.into()))
                });
                let results: Vec<Decimal> = results.collect();
                let ends = results.iter().min().zip(results.iter().max());
                assert_eq!(
                    ends,
                    Some((&found.low, &found.high)),
                    "{low}..{high}, {other_low}..{other_high}"
                );
            }
        }
    }

    #[test]
    fn the_ends_are_the_least_and_the_greatest_result() {
        holds_all(Range::plus, |a, b| a.checked_add(b));
        holds_all(Range::minus, |a, b| a.checked_sub(b));
        holds_all(Range::times, |a, b| a.checked_mul(b));
        holds_all(Range::divided_by, |a, b| a.checked_div(b));
    }

    #[test]
    fn a_divisor_that_may_be_zero_leaves_nothing_known() {
        for (low, high) in [(-1, 1), (0, 1), (-1, 0), (0, 0)] {
            assert_eq!(range(1, 2).divided_by(range(low, high)), None);
        }
        assert!(range(1, 2).divided_by(range(-2, -1)).is_some());
    }

    #[test]
    fn one_of_two_values_is_known_where_both_are_of_one_kind() {
        let number = |low, high| Span::Number(range(low, high));
        assert_eq!(number(1, 2).or(number(5, 6)), number(1, 6));
        assert_eq!(
            Span::Boolean(true).or(Span::Boolean(true)),
            Span::Boolean(true)
        );
        for (a, b) in [
            (Span::Boolean(true), Span::Boolean(false)),
            (number(0, 0), Span::Boolean(false)),
            (number(0, 0), Span::of(&Value::Nothing)),
        ] {
            assert_eq!(a.or(b), Span::Any);
        }
    }
}
