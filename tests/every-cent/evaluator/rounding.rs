//! Roundings and powers of numbers of a program.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::builder::{Builder, Unsupported};
use super::kernel::{Kernel, Mode, POWER_DIGITS, POWER_ERROR, Slot};
use super::number::{Fraction, Made, Number, Rough, fits};
use crate::law::{Rat, power_of_ten, round};

impl Builder {
    /// To a multiple of the unit, the value being first brought to 15 decimals.
    pub(crate) fn rounded(&mut self, value: &Number, unit: &Rat, mode: &str) -> Made {
        if unit.is_zero() {
            return Ok(value.clone());
        }

        let column = match value {
            Number::Fixed(value) => return Ok(Number::Fixed(round(value, unit, mode))),
            Number::Rough(rough) => return self.rounded_power(rough, unit, mode_of(mode)),
            Number::Column(column) => column.clone(),
        };

        let most = &column.den
            * column
                .by
                .map_or(BigInt::one(), |by| self.bounds_of(by).1.clone());
        let (low, high) = (
            round(&column.low, unit, mode),
            round(&column.high, unit, mode),
        );
        // The bounds where the rounding changes, and what divides them.
        let half = Rat::new(unit.numer().clone(), unit.denom() * 2);
        let fine = power_of_ten(15);
        let is_on_grid = (&half * &fine).is_integer();
        // A value that is not on a bound is at least 1 / (both denominators) away from it: when
        // that is more than half a unit of the 15th decimal, bringing it to 15 decimals decides
        // nothing.
        let column = if is_on_grid && most * half.denom() < &fine * 2 {
            column
        } else {
            let top = self.divided(
                &column,
                &Rat::new(BigInt::one(), fine.clone()),
                Mode::HalfUp,
            )?;
            let bounds =
                |value: &Rat| round(value, &Rat::new(BigInt::one(), fine.clone()), "half_up");
            match self.fraction(
                top,
                fine.clone(),
                None,
                bounds(&column.low),
                bounds(&column.high),
            ) {
                Number::Column(column) => column,
                fixed => return self.rounded(&fixed, unit, mode),
            }
        };

        let top = self.divided(&column, unit, mode_of(mode))?;
        let top = self.linear(top, unit.numer(), &BigInt::zero())?;
        Ok(self.fraction(top, unit.denom().clone(), None, low, high))
    }

    /// How many units a column has.
    fn divided(&mut self, column: &Fraction, unit: &Rat, mode: Mode) -> Made<Slot> {
        let shared = unit.denom().gcd(&(unit.numer() * &column.den));
        let (times, times_by) = (unit.denom() / &shared, unit.numer() * &column.den / &shared);
        if times_by.is_one() && column.by.is_none() {
            return self.linear(column.top, &times, &BigInt::zero());
        }
        self.emit(Kernel::Divide {
            a: column.top,
            times: fits(&times)?,
            by: column.by,
            times_by: fits(&times_by)?,
            mode,
        })
    }

    /// A number from 0 to 1 to the power of so many quarters.
    pub(crate) fn power(&mut self, base: &Number, quarters: u32) -> Made {
        let Number::Column(column) = base else {
            return Err(Unsupported("a power of a constant"));
        };

        if quarters.is_multiple_of(4) {
            return (1..quarters / 4).try_fold(base.clone(), |power, _| self.times(&power, base));
        }

        if column.low.is_negative() || column.high > Rat::one() || quarters % 4 == 1 {
            return Err(Unsupported(
                "a power of a number that is not between 0 and 1",
            ));
        }

        let kernel = Kernel::Power {
            a: column.top,
            by: column.by,
            times_by: fits(&column.den)?,
            quarters,
        };

        let power = self.emit(kernel)?;
        Ok(Number::rough(power, POWER_ERROR))
    }

    /// A power rounded at once, as its error requires.
    fn rounded_power(&mut self, rough: &Rough, unit: &Rat, mode: Mode) -> Made {
        // Units: power x times / 2^62 / unit + plus / unit.
        let times = &rough.times / unit / (BigInt::one() << POWER_DIGITS);
        let plus = &rough.plus / unit;
        let below = times.denom().lcm(plus.denom());
        let whole = |value: &Rat| value.numer() * (&below / value.denom());
        let times = whole(&times);
        // Half a unit of the 15th decimal, to which a value is brought first, and room.
        let dust = Rat::new(below.clone(), power_of_ten(15)) / unit;
        let kernel = Kernel::Near {
            a: rough.power,
            plus: fits(&whole(&plus))?,
            error: fits(&(times.abs() * BigInt::from(rough.error) + dust.ceil().to_integer()))?,
            times: fits(&times)?,
            below: fits(&below)?,
            mode,
        };

        let top = self.emit(kernel)?;
        let top = self.linear(top, unit.numer(), &BigInt::zero())?;
        let bound = |end: &BigInt| Rat::new(end.clone(), unit.denom().clone());
        let (low, high) = self.bounds_of(top).clone();
        Ok(self.fraction(top, unit.denom().clone(), None, bound(&low), bound(&high)))
    }
}

/// The direction of a rounding, by its word.
pub(crate) fn mode_of(mode: &str) -> Mode {
    match mode {
        "down" => Mode::Down,
        "up" => Mode::Up,
        _ => Mode::HalfUp,
    }
}
