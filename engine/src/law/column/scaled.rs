//! Numbers as 64-bit integers that share a scale, with a bound that proves which operations cannot
//! overflow.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::text::number::{
    GUARD_DECIMALS, RoundMode, integer_at_scale, power_of_ten_short, short_mantissa,
};

/// Greatest scale: the last power of ten that 64 bits hold.
const MAX_DECIMALS: u32 = 18;

/// Greatest unit that integers round to. With a longer one, the fifteen decimals that a rounding
/// keeps could decide otherwise than the integers.
const MAX_UNIT: i64 = 100_000_000_000_000;

/// Integers that share a scale: each represents `value / 10^scale`.
#[derive(Debug, Clone)]
pub(crate) struct Scaled {
    pub scale: u32,
    /// Upper bound of the absolute values.
    pub bound: i64,
    // A vector that is moved here is not copied, as it would be into a shared slice.
    pub values: Arc<Vec<i64>>,
}

/// An operand: the same number for all rows, or one for each.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    One { scale: u32, value: i64 },
    Each(Scaled),
}

/// Common scale of two operands, with the factor that converts each to it.
struct Common {
    scale: u32,
    factors: (i64, i64),
}

impl Scaled {
    /// Integers at a scale, with their exact bound; `None` beyond the greatest scale.
    pub(crate) fn new(scale: u32, values: Vec<i64>) -> Option<Self> {
        // Beyond the greatest scale, no power of ten of 64 bits converts to another one.
        let bound = i64::try_from(max_magnitude(&values))
            .ok()
            .filter(|_| scale <= MAX_DECIMALS)?;

        Some(Self {
            scale,
            bound,
            values: values.into(),
        })
    }

    /// Decimals as integers of one scale; `None` where 64 bits do not hold them.
    pub(crate) fn of_decimals(values: &[Decimal]) -> Option<Self> {
        let scale = values.iter().map(Decimal::scale).max().unwrap_or_default();
        let integers = values.iter().map(|value| integer_at_scale(*value, scale));

        Self::new(scale, integers.collect::<Option<Vec<i64>>>()?)
    }

    pub(crate) fn at(&self, row: usize) -> Option<Decimal> {
        self.values
            .get(row)
            .map(|value| Decimal::new(*value, self.scale))
    }

    pub(super) fn select_rows(&self, rows: &[usize]) -> Self {
        Self {
            values: Arc::new(
                rows.iter()
                    .map(|row| self.values.get(*row).copied().unwrap_or_default())
                    .collect(),
            ),
            ..self.clone()
        }
    }

    /// The numbers and so many units of the last decimal.
    pub(super) fn moved(&self, by: i64) -> Option<Self> {
        Some(Self {
            scale: self.scale,
            bound: self.bound.checked_add(by.checked_abs()?)?,
            values: self.mapped(|value| value.wrapping_add(by)),
        })
    }

    /// Rounds half up to a number of decimals, as everything that is shown.
    pub(super) fn shown(&self, decimals: u32) -> Self {
        // Fewer decimals than are shown: there is nothing to round.
        if self.scale <= decimals {
            return self.clone();
        }
        // Through the decimals that single calculations keep, so that both round the same number.
        self.cut(GUARD_DECIMALS, RoundMode::HalfUp)
            .cut(decimals, RoundMode::HalfUp)
    }

    fn mapped(&self, change: impl Fn(i64) -> i64) -> Arc<Vec<i64>> {
        Arc::new(self.values.iter().map(|value| change(*value)).collect())
    }

    /// The same numbers with an exact bound.
    fn tightened(&self) -> Self {
        Self {
            bound: i64::try_from(max_magnitude(&self.values)).unwrap_or(i64::MAX),
            ..self.clone()
        }
    }

    /// The numbers at an equal or finer scale.
    pub(crate) fn at_scale(&self, scale: u32) -> Option<Self> {
        let factor = power_of_ten_short(scale.checked_sub(self.scale)?)?;

        if factor == 1 {
            return Some(self.clone());
        }

        // The bound grows by each operation: the exact one is computed only where the proved one is
        // too large.
        let bound = self
            .bound
            .checked_mul(factor)
            .or_else(|| self.tightened().bound.checked_mul(factor))?;

        Some(Self {
            scale,
            bound,
            values: self.mapped(|value| value.wrapping_mul(factor)),
        })
    }

    /// Rounds to a number of decimals.
    #[expect(clippy::arithmetic_side_effects, reason = "a power of ten is not zero")]
    pub(crate) fn cut(&self, decimals: u32, mode: RoundMode) -> Self {
        // A number of fewer decimals is left as it is.
        let dropped = self
            .scale
            .checked_sub(decimals)
            .filter(|dropped| *dropped > 0);

        let Some(power) = dropped.and_then(power_of_ten_short) else {
            return self.clone();
        };

        Self {
            scale: decimals,
            bound: self.bound.wrapping_div(power).wrapping_add(1),
            values: Arc::new(quotients(&self.values, power, mode)),
        }
    }

    /// Rounds to multiples of a unit; `None` where integers cannot decide. A unit of 0 leaves the
    /// values alone.
    pub(crate) fn rounded(&self, unit: Decimal, mode: RoundMode) -> Option<Self> {
        if unit.is_zero() {
            return Some(self.clone());
        }

        // Single calculations round to fifteen decimals first: the integers do as well.
        let cut = self.cut(GUARD_DECIMALS, RoundMode::HalfUp);
        if unit.mantissa() == 1 {
            return Some(cut.cut(unit.scale(), mode));
        }

        // A unit such as 0.05 or 100: both at one scale, as integers.
        let cut = cut.at_scale(cut.scale.max(unit.scale()))?;
        let unit = integer_at_scale(unit, cut.scale)?;

        if (1..=MAX_UNIT).contains(&unit) {
            cut.to_multiples(unit, mode)
        } else {
            None
        }
    }

    /// Rounds to multiples of an integer at the same scale.
    fn to_multiples(&self, unit: i64, mode: RoundMode) -> Option<Self> {
        // Rounding moves a value by less than one unit.
        let bound = self.bound.checked_add(unit)?;

        let multiple = |value: i64| divided(value, unit, mode).wrapping_mul(unit);
        Some(Self {
            scale: self.scale,
            bound,
            values: self.mapped(multiple),
        })
    }
}

/// Greatest absolute value.
fn max_magnitude(values: &[i64]) -> u64 {
    // A fold of minimum and maximum is vectorised, one of absolute values is not.
    let (low, high) = values
        .iter()
        .fold((0, 0), |(low, high): (i64, i64), value| {
            (low.min(*value), high.max(*value))
        });
    low.unsigned_abs().max(high.unsigned_abs())
}

/// Each value divided by a power of ten and rounded to an integer.
fn quotients(values: &[i64], power: i64, mode: RoundMode) -> Vec<i64> {
    // A division by a number that the compiler knows is a multiplication, several times as quick.
    macro_rules! known {
        ($($known:literal)*) => {
            match power {
                $($known => each_quotient(values, $known, mode),)*
                _ => each_quotient(values, power, mode),
            }
        };
    }
    known!(10 100 1_000 10_000 100_000 1_000_000 10_000_000 100_000_000 1_000_000_000)
}

#[inline(always)]
fn each_quotient(values: &[i64], power: i64, mode: RoundMode) -> Vec<i64> {
    // One loop for each mode, so that no row tests it.
    match mode {
        RoundMode::HalfUp => {
            let divided = |value: &i64| divided(*value, power, RoundMode::HalfUp);
            values.iter().map(divided).collect()
        }
        mode => values
            .iter()
            .map(|value| divided(*value, power, mode))
            .collect(),
    }
}

/// `value / power` rounded to an integer; the power is positive.
#[inline(always)]
#[expect(clippy::arithmetic_side_effects, reason = "the divisor is not zero")]
fn divided(value: i64, power: i64, mode: RoundMode) -> i64 {
    // Halves round away from zero: up without the sign.
    if mode == RoundMode::HalfUp {
        let (size, power) = (value.unsigned_abs(), power.unsigned_abs());
        let nearest = (size.wrapping_add(power / 2) / power).cast_signed();
        return if value < 0 {
            nearest.wrapping_neg()
        } else {
            nearest
        };
    }

    // Euclidean division rounds down for negative values too: the rest is never negative.
    let (lower, rest) = (
        value.wrapping_div_euclid(power),
        value.wrapping_rem_euclid(power),
    );
    lower.wrapping_add(i64::from(mode == RoundMode::Up && rest > 0))
}

impl Operand {
    /// A number for all rows, without trailing zeros.
    pub(crate) fn one(value: Decimal) -> Option<Self> {
        // The smallest scale leaves the most room for products.
        let shortest = value.normalize();
        let (scale, value) = (shortest.scale(), short_mantissa(shortest)?);
        (scale <= MAX_DECIMALS).then_some(Self::One { scale, value })
    }

    pub(super) fn scale(&self) -> u32 {
        match self {
            Self::One { scale, .. } => *scale,
            Self::Each(scaled) => scaled.scale,
        }
    }

    pub(super) fn bound(&self) -> Option<i64> {
        match self {
            Self::One { value, .. } => value.checked_abs(),
            Self::Each(scaled) => Some(scaled.bound),
        }
    }

    pub(super) fn tightened(&self) -> Self {
        match self {
            Self::One { .. } => self.clone(),
            Self::Each(scaled) => Self::Each(scaled.tightened()),
        }
    }

    /// The least absolute value that is not 0.
    pub(super) fn least_size(&self) -> i64 {
        let size = |value: &i64| value.checked_abs().filter(|size| *size > 0);
        let least = match self {
            Self::One { value, .. } => size(value),
            Self::Each(scaled) => scaled.values.iter().filter_map(size).min(),
        };
        least.unwrap_or(1)
    }

    /// Rounds half up to a number of decimals.
    pub(super) fn cut(&self, decimals: u32) -> Self {
        match self {
            Self::Each(scaled) => Self::Each(scaled.cut(decimals, RoundMode::HalfUp)),
            Self::One { scale, value } => {
                let dropped = scale.checked_sub(decimals).and_then(power_of_ten_short);
                dropped.map_or_else(
                    || self.clone(),
                    |power| Self::One {
                        scale: decimals,
                        value: divided(*value, power, RoundMode::HalfUp),
                    },
                )
            }
        }
    }

    /// Applies an operation to the integers of each row.
    #[inline(always)]
    pub(super) fn zip<T>(&self, other: &Self, operation: impl Fn(i64, i64) -> T) -> Vec<T> {
        // One loop for each form, so that no row tests the form.
        match (self, other) {
            (Self::Each(a), Self::Each(b)) => a
                .values
                .iter()
                .zip(b.values.iter())
                .map(|(a, b)| operation(*a, *b))
                .collect(),
            (Self::Each(a), Self::One { value: b, .. }) => {
                a.values.iter().map(|a| operation(*a, *b)).collect()
            }
            (Self::One { value: a, .. }, Self::Each(b)) => {
                b.values.iter().map(|b| operation(*a, *b)).collect()
            }
            (Self::One { value: a, .. }, Self::One { value: b, .. }) => {
                vec![operation(*a, *b)]
            }
        }
    }

    /// The common scale of both, with the factor of each.
    fn common(&self, other: &Self) -> Option<Common> {
        let scale = self.scale().max(other.scale());
        let factor = |side: &Self| power_of_ten_short(scale.checked_sub(side.scale())?);
        let factors = (factor(self)?, factor(other)?);
        Some(Common { scale, factors })
    }

    /// The bounds of both at their common scale.
    fn bounds(&self, other: &Self, common: &Common) -> Option<(i64, i64)> {
        let bound = |side: &Self, factor: i64| side.bound()?.checked_mul(factor);
        Some((
            bound(self, common.factors.0)?,
            bound(other, common.factors.1)?,
        ))
    }

    /// Applies an operation to both at their common scale; `None` where no bound of the result can
    /// be proved, which shows that it cannot overflow.
    // Compiled for each operation: a call for each row would cost more than the operation.
    pub(crate) fn together(
        &self,
        other: &Self,
        bound: impl Fn(i64, i64) -> Option<i64>,
        operation: impl Fn(i64, i64) -> i64,
    ) -> Option<Scaled> {
        let common = self.common(other)?;

        // The bounds as they are, else the exact ones, which cost a pass over the rows.
        let proved = |a: &Self, b: &Self| a.bounds(b, &common).and_then(|(a, b)| bound(a, b));
        let bound =
            proved(self, other).or_else(|| proved(&self.tightened(), &other.tightened()))?;

        let values = match common.factors {
            (1, 1) => self.zip(other, operation),
            (a, b) => self.zip(other, |x, y| {
                operation(x.wrapping_mul(a), y.wrapping_mul(b))
            }),
        };

        Some(Scaled {
            scale: common.scale,
            bound,
            values: Arc::new(values),
        })
    }

    /// Compares both at their common scale.
    pub(crate) fn compared(
        &self,
        other: &Self,
        holds: impl Fn(&i64, &i64) -> bool,
    ) -> Option<Vec<bool>> {
        let common = self.common(other)?;
        // The bounds only prove that neither side overflows at the common scale.
        self.bounds(other, &common)
            .or_else(|| self.tightened().bounds(&other.tightened(), &common))?;

        Some(match common.factors {
            (1, 1) => self.zip(other, |x, y| holds(&x, &y)),
            (a, b) => self.zip(other, |x, y| holds(&x.wrapping_mul(a), &y.wrapping_mul(b))),
        })
    }

    /// The products, at the sum of both scales.
    pub(crate) fn times(&self, other: &Self) -> Option<Scaled> {
        // The scale of a product is the sum of both: beyond 18 decimals, integers give up.
        let scale = self
            .scale()
            .checked_add(other.scale())
            .filter(|scale| *scale <= MAX_DECIMALS)?;

        let proved = |a: &Self, b: &Self| a.bound()?.checked_mul(b.bound()?);
        let bound =
            proved(self, other).or_else(|| proved(&self.tightened(), &other.tightened()))?;

        Some(Scaled {
            scale,
            bound,
            values: Arc::new(self.zip(other, i64::wrapping_mul)),
        })
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Option<Scaled> {
        let common = yes.common(no)?;

        // The greater of both bounds holds for any choice of rows.
        let (a, b) = yes
            .bounds(no, &common)
            .or_else(|| yes.tightened().bounds(&no.tightened(), &common))?;

        let values = match common.factors {
            (1, 1) => Self::chosen(test, yes, no, |yes, no, test| if test { yes } else { no }),
            // Both products cost less than a branch that no row foresees.
            (x, y) => Self::chosen(test, yes, no, |yes, no, test| {
                let (yes, no) = (yes.wrapping_mul(x), no.wrapping_mul(y));
                if test { yes } else { no }
            }),
        };

        Some(Scaled {
            scale: common.scale,
            bound: a.max(b),
            values: Arc::new(values),
        })
    }

    #[inline(always)]
    fn chosen(
        test: &[bool],
        yes: &Self,
        no: &Self,
        chosen: impl Fn(i64, i64, bool) -> i64,
    ) -> Vec<i64> {
        // A loop for each form of the operands: tested once a row, the form would cost more than
        // the choice.
        let tests = test.iter().copied();
        match (yes, no) {
            (Self::Each(a), Self::Each(b)) => {
                let both = a.values.iter().zip(b.values.iter());
                let rows = both.zip(tests);
                rows.map(|((a, b), test)| chosen(*a, *b, test)).collect()
            }
            (Self::Each(a), Self::One { value, .. }) => {
                let rows = a.values.iter().zip(tests);
                rows.map(|(a, test)| chosen(*a, *value, test)).collect()
            }
            (Self::One { value, .. }, Self::Each(b)) => {
                let rows = b.values.iter().zip(tests);
                rows.map(|(b, test)| chosen(*value, *b, test)).collect()
            }
            (Self::One { value: a, .. }, Self::One { value: b, .. }) => {
                tests.map(|test| chosen(*a, *b, test)).collect()
            }
        }
    }
}
