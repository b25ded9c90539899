//! Numbers that integers do not represent, such as quotients and powers, as integers near them.
//!
//! Each integer is off by a known distance at most. Where that leaves open how a number is rounded
//! or compared, the decimals of a single calculation decide for that row.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::text::number::{RoundMode, integer_at_scale, power_of_ten_short, round, round_decimals};

use super::active::Active;
use super::numbers::Numbers;
use super::scaled::{Operand, Scaled};

/// Decimals that are dropped at once where an operation needs room.
const DROPPED: u32 = 3;

/// Decimals that a column keeps at least: with fewer, too many rows would be left open.
const LEAST_DECIMALS: u32 = 6;

/// Decimals of the base of a power.
const POWER_DECIMALS: u32 = 14;

/// Numbers near integers of one scale.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    pub scaled: Scaled,
    /// How far each may be off, in units of the last decimal.
    error: i64,
    exact: Exact,
}

/// The number of a row, as a single calculation has it. It cannot fail in a row that is active.
#[derive(Clone)]
struct Exact(Arc<dyn Fn(usize) -> Option<Decimal> + Send + Sync>);

impl Debug for Exact {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        formatter.write_str("Exact")
    }
}

/// An operand with the distance that each of its numbers may be off.
#[derive(Debug, Clone)]
pub(super) struct Nearby {
    operand: Operand,
    error: i64,
}

/// The integers that an operation gives, and how far they may be off.
pub(super) struct Found {
    scaled: Scaled,
    error: i64,
}

impl Near {
    /// Numbers near those that an operation gives, which `exact` computes for one row.
    pub(super) fn new(
        found: Found,
        exact: impl Fn(usize) -> Option<Decimal> + Send + Sync + 'static,
    ) -> Self {
        Self {
            scaled: found.scaled,
            error: found.error,
            exact: Exact(Arc::new(exact)),
        }
    }

    pub(super) fn at(&self, row: usize) -> Option<Decimal> {
        (self.exact.0)(row)
    }

    pub(super) fn select_rows(&self, rows: &[usize]) -> Self {
        let (all, own): (_, Arc<[usize]>) = (self.exact.clone(), rows.into());
        Self {
            scaled: self.scaled.select_rows(rows),
            error: self.error,
            exact: Exact(Arc::new(move |row| (all.0)(*own.get(row)?))),
        }
    }

    /// Rounds to multiples of a unit; `None` where integers cannot decide.
    pub(super) fn rounded(&self, unit: Decimal, mode: RoundMode) -> Option<Scaled> {
        self.decided(
            |scaled| scaled.rounded(unit, mode),
            |number| round(number, unit, mode),
        )
    }

    /// Rounds half up to a number of decimals, as everything that is shown.
    pub(super) fn shown(&self, decimals: u32) -> Option<Scaled> {
        self.decided(
            |scaled| Some(scaled.shown(decimals)),
            |number| Some(round_decimals(number, decimals)),
        )
    }

    /// The numbers after an operation that rises with them: what it gives at both ends, or else
    /// what it gives for the exact number.
    fn decided(
        &self,
        of_ends: impl Fn(&Scaled) -> Option<Scaled>,
        of_exact: impl Fn(Decimal) -> Option<Decimal>,
    ) -> Option<Scaled> {
        let low = of_ends(&self.scaled.moved(self.error.checked_neg()?)?)?;
        let high = of_ends(&self.scaled.moved(self.error)?)?;
        if low.values == high.values {
            return Some(low);
        }

        let ends = low.values.iter().zip(high.values.iter());
        let decided = ends.enumerate().map(|(row, (one, other))| {
            if one == other {
                return Some(*one);
            }
            // A row that is not active may have no number, and any will do.
            let number = self.at(row).map_or(Some(Decimal::ZERO), &of_exact)?;
            integer_at_scale(number.normalize(), low.scale)
        });
        Scaled::new(low.scale, decided.collect::<Option<_>>()?)
    }

    /// Powers by a number of quarters, from 4 to 8, of numbers from 0 to 2; `None` for any other.
    pub(super) fn power(base: &Numbers, quarters: u32, active: &Active) -> Option<Found> {
        // 1. The base with as many decimals as the binary digits hold.
        let base = Nearby::of(base)?.cut(POWER_DECIMALS)?;
        let error = base.error_at(POWER_DECIMALS)?;
        let Operand::Each(base) = base.operand else {
            return None;
        };
        let base = base.at_scale(POWER_DECIMALS)?;

        // 2. Whether all numbers are from 0 to 2, wherever near the integers they are.
        let most = power_of_ten_short(POWER_DECIMALS)?.checked_mul(2)?;
        let most = most.checked_sub(error)?;
        let is_within = |value: i64| value >= error && value <= most;
        let mut rows = base.values.iter().enumerate();
        let are_within = rows.all(|(row, value)| is_within(*value) || !active.at(row));
        if !(4..=8).contains(&quarters) || !are_within {
            return None;
        }

        // 3. The powers. What is not active may be any number.
        let power = |value: &i64| match is_within(*value) {
            true => binary_power(*value, quarters),
            false => 0,
        };
        // The power rises by 2 x 2^1 at most for each unit of its base, and what is computed is off
        // by less than one.
        Some(Found {
            scaled: Scaled::new(base.scale, base.values.iter().map(power).collect())?,
            error: error.checked_mul(4)?.checked_add(2)?,
        })
    }
}

/// The power of a number from 0 to 2, both in units of the last of [`POWER_DECIMALS`]. It is
/// computed with 60 binary digits, of which roots and products lose ten at most: less than 1e-15.
// Numbers of 62 bits have products and shifts of 124.
fn binary_power(value: i64, quarters: u32) -> i64 {
    const BITS: u32 = 60;
    const ONE: u128 = 10_u128.pow(POWER_DECIMALS);
    // A multiplication in place of a division.
    const INVERSE: u128 = (1 << (BITS + 64)) / ONE;

    let times = |a: u128, b: u128| (a * b) >> BITS;
    let root = |a: u128| (a << BITS).isqrt();

    let base = (u128::from(value.unsigned_abs()) * INVERSE) >> 64;
    let mut power = base;
    if quarters == 8 {
        power = times(power, base);
    } else if quarters > 4 {
        let half = root(base);
        if quarters & 2 > 0 {
            power = times(power, half);
        }
        if quarters & 1 > 0 {
            power = times(power, root(half));
        }
    }
    i64::try_from((power * ONE) >> BITS).unwrap_or_default()
}

impl Nearby {
    /// Numbers as an operand; `None` where no integers are near.
    pub(super) fn of(numbers: &Numbers) -> Option<Self> {
        Some(match numbers {
            Numbers::Near(near) => Self {
                operand: Operand::Each(near.scaled.clone()),
                error: near.error,
            },
            numbers => match (numbers.operand(), numbers) {
                (Some(operand), _) => Self { operand, error: 0 },
                // Shortened, it is off by less than one of its last decimal.
                (None, Numbers::One(value)) => Self {
                    operand: shortened(*value)?,
                    error: 1,
                },
                _ => return None,
            },
        })
    }

    /// Whether integers represent the numbers.
    pub(super) fn is_exact(&self) -> bool {
        self.error == 0
    }

    /// How far its numbers may be off, in units of the last decimal of a scale.
    fn error_at(&self, scale: u32) -> Option<i64> {
        let power = power_of_ten_short(scale.checked_sub(self.operand.scale())?)?;
        self.error.checked_mul(power)
    }

    /// The same numbers with so many decimals at most.
    fn cut(&self, decimals: u32) -> Option<Self> {
        let dropped = self.operand.scale().checked_sub(decimals);
        let dropped = dropped.filter(|dropped| *dropped > 0);
        let Some(power) = dropped.and_then(power_of_ten_short) else {
            return Some(self.clone());
        };
        Some(Self {
            operand: self.operand.cut(decimals),
            error: self.error.checked_div(power)?.checked_add(2)?,
        })
    }

    /// Applies an operation to both, with fewer decimals of those that are near as long as it has
    /// no room.
    fn fitted(&self, other: &Self, apply: impl Fn(&Self, &Self) -> Option<Found>) -> Option<Found> {
        let (mut a, mut b) = (self.clone(), other.clone());
        loop {
            if let Some(found) = apply(&a, &b) {
                return Some(found);
            }

            // An exact number keeps its decimals; of two approximate ones, that with more decimals
            // is cut first.
            let is_first =
                b.is_exact() || (!a.is_exact() && a.operand.scale() >= b.operand.scale());
            let longer = if is_first { &mut a } else { &mut b };
            let decimals = longer.operand.scale().checked_sub(DROPPED)?;
            if decimals < LEAST_DECIMALS || longer.is_exact() {
                return None;
            }
            *longer = longer.cut(decimals)?;
        }
    }

    /// Applies an operation that changes by as much as its operands at most.
    pub(super) fn together(
        &self,
        other: &Self,
        bound: impl Fn(i64, i64) -> Option<i64> + Copy,
        operation: impl Fn(i64, i64) -> i64 + Copy,
    ) -> Option<Found> {
        self.fitted(other, |a, b| {
            let scaled = a.operand.together(&b.operand, bound, operation)?;
            let (of_a, of_b) = (a.error_at(scaled.scale)?, b.error_at(scaled.scale)?);
            // The decimals of a single calculation are rounded too, by less than one unit.
            let error = of_a.checked_add(of_b)?.checked_add(1)?;
            Some(Found { scaled, error })
        })
    }

    pub(super) fn times(&self, other: &Self) -> Option<Found> {
        self.fitted(other, |a, b| {
            let scaled = a.operand.times(&b.operand)?;
            let (of_a, of_b) = (a.operand.bound()?, b.operand.bound()?);
            let error = a.error.checked_mul(of_b.checked_add(b.error)?)?;
            let error = error.checked_add(b.error.checked_mul(of_a)?)?;
            let error = error.checked_add(1)?;
            Some(Found { scaled, error })
        })
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(super) fn select(test: &[bool], yes: &Self, no: &Self) -> Option<Found> {
        yes.fitted(no, |yes, no| {
            let scaled = Operand::select(test, &yes.operand, &no.operand)?;
            let error = yes.error_at(scaled.scale)?.max(no.error_at(scaled.scale)?);
            Some(Found { scaled, error })
        })
    }

    /// Compares both; nothing for the rows that this leaves open.
    pub(super) fn compared(
        &self,
        other: &Self,
        holds: impl Fn(&i64, &i64) -> bool,
    ) -> Option<Vec<Option<bool>>> {
        let differences = self.together(other, i64::checked_add, i64::wrapping_sub)?;
        let Found { scaled, error } = differences;
        let decided = |difference: &i64| {
            // Nearer to each other than both are off, either may be the greater.
            let is_open = difference.unsigned_abs() <= error.unsigned_abs();
            (!is_open).then(|| holds(difference, &0))
        };
        Some(scaled.values.iter().map(decided).collect())
    }

    /// The quotients by divisors that integers represent, 0 where the divisor is 0, and whether
    /// none has a rest.
    pub(super) fn quotients(&self, divisor: &Operand) -> Option<(Found, bool)> {
        // 1. As many decimals as there is room for, 18 at most.
        let bound = self.operand.tightened().bound()?;
        let (own, of_divisor) = (self.operand.scale(), divisor.scale());
        let fits = |more: &u32| {
            let scale = own
                .checked_add(*more)
                .and_then(|scale| scale.checked_sub(of_divisor));
            let power = power_of_ten_short(*more);
            scale.is_some_and(|scale| scale <= 18)
                && power.is_some_and(|power| bound.checked_mul(power).is_some())
        };
        let more = (0..=18).rev().find(fits)?;
        let scale = own.checked_add(more)?.checked_sub(of_divisor)?;
        let power = power_of_ten_short(more)?;
        if scale < LEAST_DECIMALS {
            return None;
        }

        // 2. The quotients, whose rests say whether they are exact.
        let divide = |value: i64, divisor: i64| {
            let value = value.wrapping_mul(power);
            let quotient = value.checked_div(divisor).unwrap_or_default();
            (quotient, value.wrapping_sub(quotient.wrapping_mul(divisor)))
        };
        let divided: Vec<(i64, i64)> = self.operand.zip(divisor, divide);
        let is_exact = self.is_exact() && divided.iter().all(|(_, rest)| *rest == 0);
        let values: Vec<i64> = divided.into_iter().map(|(quotient, _)| quotient).collect();

        // 3. What the dividend is off by counts less the greater the divisor.
        let own = self.error.checked_mul(power)?;
        let error = if own == 0 {
            1
        } else {
            own.checked_div(divisor.least_size())?.checked_add(3)?
        };
        let scaled = Scaled::new(scale, values)?;
        Some((Found { scaled, error }, is_exact))
    }
}

impl Found {
    /// Numbers that are exact, one for all rows where they are equal.
    pub(super) fn into_exact(self) -> Numbers {
        match self.scaled.values.split_first() {
            Some((first, rest)) if rest.iter().all(|value| value == first) => {
                Numbers::One(Decimal::new(*first, self.scaled.scale).normalize())
            }
            _ => Numbers::Scaled(self.scaled),
        }
    }
}

/// A number of many decimals with as many of them as 64 bits hold.
fn shortened(value: Decimal) -> Option<Operand> {
    (LEAST_DECIMALS..=15).rev().find_map(|decimals| {
        let unit = Decimal::try_new(1, decimals).ok()?;
        let rounded = round(value, unit, RoundMode::HalfUp)?;
        Some(Operand::One {
            scale: decimals,
            value: integer_at_scale(rounded, decimals)?,
        })
    })
}

#[cfg(test)]
mod tests;
