//! Numbers as integers of 64 bits that share a scale, with a bound that proves what cannot overflow.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::text::number::{DUST, RoundMode, power_of_ten_short, short_mantissa};

/// Most decimals of scaled numbers: ten to this power is the greatest that 64 bits hold.
const MOST_DECIMALS: u32 = 18;

/// Greatest unit of which multiples are found with integers: with one of more digits the fifteen decimals that a
/// rounding looks at would decide another way.
const GREATEST_UNIT: i64 = 100_000_000_000_000;

/// Integers that share a scale: each stands for itself over ten to the scale.
#[derive(Debug, Clone)]
pub(crate) struct Scaled {
    pub scale: u32,
    /// No value is further from zero.
    pub bound: i64,
    pub values: Arc<[i64]>,
}

/// One side of an operation: a number for all rows, or one for each.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    One { scale: u32, value: i64 },
    Each(Scaled),
}

/// Common scale of two operands, with the factor that brings each to it.
struct Common {
    scale: u32,
    factors: (i64, i64),
}

/// An operation of two integers whose result cannot overflow, since the bounds say so.
type Signed = fn(i64, i64) -> i64;

impl Scaled {
    /// Integers at a scale, with the bound that they have.
    pub(crate) fn new(scale: u32, values: Vec<i64>) -> Option<Self> {
        let bound = i64::try_from(farthest(&values)).ok().filter(|_| scale <= MOST_DECIMALS)?;
        Some(Self { scale, bound, values: values.into() })
    }

    /// Decimals, where 64 bits hold them all at one scale.
    pub(crate) fn of_decimals(values: &[Decimal]) -> Option<Self> {
        let scale = values.iter().map(Decimal::scale).max().unwrap_or_default();
        let power = |value: &Decimal| power_of_ten_short(scale.checked_sub(value.scale())?);
        let mantissas = values.iter().map(|value| short_mantissa(*value)?.checked_mul(power(value)?));
        Self::new(scale, mantissas.collect::<Option<Vec<i64>>>()?)
    }

    pub(crate) fn at(&self, row: usize) -> Option<Decimal> {
        self.values.get(row).map(|value| Decimal::new(*value, self.scale))
    }

    /// The same numbers with the least bound that is true.
    fn tightened(&self) -> Self {
        Self { bound: i64::try_from(farthest(&self.values)).unwrap_or(i64::MAX), ..self.clone() }
    }

    /// The numbers at a scale that is not coarser than their own.
    pub(crate) fn at_scale(&self, scale: u32) -> Option<Self> {
        let factor = power_of_ten_short(scale.checked_sub(self.scale)?)?;
        if factor == 1 {
            return Some(self.clone());
        }
        let bound = self.bound.checked_mul(factor).or_else(|| self.tightened().bound.checked_mul(factor))?;
        Some(Self { scale, bound, values: self.values.iter().map(|value| value.wrapping_mul(factor)).collect() })
    }

    /// Rounded to a multiple of ten to the minus `decimals`.
    #[expect(clippy::arithmetic_side_effects, reason = "a power of ten is not zero")]
    pub(crate) fn cut(&self, decimals: u32, mode: RoundMode) -> Self {
        let dropped = self.scale.checked_sub(decimals).filter(|dropped| *dropped > 0);
        let Some(power) = dropped.and_then(power_of_ten_short) else { return self.clone() };
        let values = self.values.iter().map(|value| divided(*value, power, mode)).collect();
        Self { scale: decimals, bound: self.bound.wrapping_div(power).wrapping_add(1), values }
    }

    /// Rounded to multiples of a unit, where integers alone tell; a unit of 0 leaves the values alone.
    pub(crate) fn rounded(&self, unit: Decimal, mode: RoundMode) -> Option<Self> {
        if unit.is_zero() {
            return Some(self.clone());
        }
        let cut = self.cut(DUST, RoundMode::HalfUp);
        if unit.mantissa() == 1 {
            return Some(cut.cut(unit.scale(), mode));
        }
        let cut = cut.at_scale(cut.scale.max(unit.scale()))?;
        let power = power_of_ten_short(cut.scale.checked_sub(unit.scale())?)?;
        let unit = short_mantissa(unit)?.checked_mul(power)?;
        if (1..=GREATEST_UNIT).contains(&unit) { cut.to_multiples(unit, mode) } else { None }
    }

    /// Rounded to multiples of an integer of their own scale.
    fn to_multiples(&self, unit: i64, mode: RoundMode) -> Option<Self> {
        let bound = self.bound.checked_add(unit)?;
        let multiple = |value: &i64| divided(*value, unit, mode).wrapping_mul(unit);
        Some(Self { scale: self.scale, bound, values: self.values.iter().map(multiple).collect() })
    }
}

/// The greatest distance from zero.
fn farthest(values: &[i64]) -> u64 {
    // Two plain extremes are found in wide registers, a sum of distances is not.
    let (low, high) = values.iter().fold((0, 0), |(low, high): (i64, i64), value| (low.min(*value), high.max(*value)));
    low.unsigned_abs().max(high.unsigned_abs())
}

/// `value / power` to a whole number; the power is above zero.
#[inline]
#[expect(clippy::arithmetic_side_effects, reason = "the divisor is not zero")]
fn divided(value: i64, power: i64, mode: RoundMode) -> i64 {
    let (lower, rest) = (value.wrapping_div_euclid(power), value.wrapping_rem_euclid(power));
    let left = power.wrapping_sub(rest);
    let up = match mode {
        RoundMode::Down => false,
        RoundMode::Up => rest > 0,
        // A half goes away from zero: up where it is positive.
        RoundMode::HalfUp => rest > left || (rest == left && value > 0),
    };
    lower.wrapping_add(i64::from(up))
}

impl Operand {
    /// A number for all rows, with the fewest decimals that write it.
    pub(crate) fn one(value: Decimal) -> Option<Self> {
        let shortest = value.normalize();
        let (scale, value) = (shortest.scale(), short_mantissa(shortest)?);
        (scale <= MOST_DECIMALS).then_some(Self::One { scale, value })
    }

    fn scale(&self) -> u32 {
        match self {
            Self::One { scale, .. } => *scale,
            Self::Each(scaled) => scaled.scale,
        }
    }

    fn bound(&self) -> Option<i64> {
        match self {
            Self::One { value, .. } => value.checked_abs(),
            Self::Each(scaled) => Some(scaled.bound),
        }
    }

    fn tightened(&self) -> Self {
        match self {
            Self::One { .. } => self.clone(),
            Self::Each(scaled) => Self::Each(scaled.tightened()),
        }
    }

    /// The integers of the rows.
    fn zip<T>(&self, other: &Self, operation: impl Fn(i64, i64) -> T) -> Vec<T> {
        match (self, other) {
            (Self::Each(a), Self::Each(b)) => {
                a.values.iter().zip(b.values.iter()).map(|(a, b)| operation(*a, *b)).collect()
            }
            (Self::Each(a), Self::One { value: b, .. }) => a.values.iter().map(|a| operation(*a, *b)).collect(),
            (Self::One { value: a, .. }, Self::Each(b)) => b.values.iter().map(|b| operation(*a, *b)).collect(),
            (Self::One { value: a, .. }, Self::One { value: b, .. }) => vec![operation(*a, *b)],
        }
    }

    /// The scale of both, with what brings each to it.
    fn common(&self, other: &Self) -> Option<Common> {
        let scale = self.scale().max(other.scale());
        let factor = |side: &Self| power_of_ten_short(scale.checked_sub(side.scale())?);
        let factors = (factor(self)?, factor(other)?);
        Some(Common { scale, factors })
    }

    /// The bounds of both at their common scale.
    fn bounds(&self, other: &Self, common: &Common) -> Option<(i64, i64)> {
        let bound = |side: &Self, factor: i64| side.bound()?.checked_mul(factor);
        Some((bound(self, common.factors.0)?, bound(other, common.factors.1)?))
    }

    /// Computes with both at one scale, where a bound of the result can be proved.
    pub(crate) fn together(
        &self,
        other: &Self,
        bound: fn(i64, i64) -> Option<i64>,
        operation: Signed,
    ) -> Option<Scaled> {
        let common = self.common(other)?;
        let proved = |a: &Self, b: &Self| a.bounds(b, &common).and_then(|(a, b)| bound(a, b));
        let bound = proved(self, other).or_else(|| proved(&self.tightened(), &other.tightened()))?;
        let values = match common.factors {
            (1, 1) => self.zip(other, operation),
            (a, b) => self.zip(other, |x, y| operation(x.wrapping_mul(a), y.wrapping_mul(b))),
        };
        Some(Scaled { scale: common.scale, bound, values: values.into() })
    }

    /// Compares both at one scale.
    pub(crate) fn compared(&self, other: &Self, holds: fn(&i64, &i64) -> bool) -> Option<Vec<bool>> {
        let common = self.common(other)?;
        self.bounds(other, &common).or_else(|| self.tightened().bounds(&other.tightened(), &common))?;
        Some(match common.factors {
            (1, 1) => self.zip(other, |x, y| holds(&x, &y)),
            (a, b) => self.zip(other, |x, y| holds(&x.wrapping_mul(a), &y.wrapping_mul(b))),
        })
    }

    /// The products, whose scale is the sum of both.
    pub(crate) fn times(&self, other: &Self) -> Option<Scaled> {
        let scale = self.scale().checked_add(other.scale()).filter(|scale| *scale <= MOST_DECIMALS)?;
        let proved = |a: &Self, b: &Self| a.bound()?.checked_mul(b.bound()?);
        let bound = proved(self, other).or_else(|| proved(&self.tightened(), &other.tightened()))?;
        Some(Scaled { scale, bound, values: self.zip(other, i64::wrapping_mul).into() })
    }

    /// The first where a condition holds, the second where it does not.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Option<Scaled> {
        let common = yes.common(no)?;
        let (a, b) = yes.bounds(no, &common).or_else(|| yes.tightened().bounds(&no.tightened(), &common))?;
        let (x, y) = common.factors;
        let chosen = |yes: i64, no: i64, test: bool| if test { yes.wrapping_mul(x) } else { no.wrapping_mul(y) };
        let tests = test.iter().copied();
        let values = match (yes, no) {
            (Self::Each(a), Self::Each(b)) => {
                let both = a.values.iter().zip(b.values.iter());
                both.zip(tests).map(|((a, b), test)| chosen(*a, *b, test)).collect()
            }
            (Self::Each(a), Self::One { value, .. }) => {
                a.values.iter().zip(tests).map(|(a, test)| chosen(*a, *value, test)).collect()
            }
            (Self::One { value, .. }, Self::Each(b)) => {
                b.values.iter().zip(tests).map(|(b, test)| chosen(*value, *b, test)).collect()
            }
            (Self::One { value: a, .. }, Self::One { value: b, .. }) => {
                tests.map(|test| chosen(*a, *b, test)).collect()
            }
        };
        Some(Scaled { scale: common.scale, bound: a.max(b), values })
    }
}
