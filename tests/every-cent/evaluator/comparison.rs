//! Comparisons of numbers of a program, and choices between them.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::builder::{Builder, Test};
use super::kernel::{Kernel, Sign, Slot};
use super::number::{Common, Fraction, Made, Number, Top, fits};
use crate::law::Rat;

impl Builder {
    /// Whether a number is less than another, or at most it.
    pub(crate) fn is_less(&mut self, a: &Number, b: &Number, or_equal: bool) -> Made<Test> {
        let ((low_a, high_a), (low_b, high_b)) = (a.bounds()?, b.bounds()?);
        if high_a < low_b || (or_equal && high_a <= low_b) {
            return Ok(Test::Fixed(true));
        }

        if low_a > high_b || (!or_equal && low_a >= high_b) {
            return Ok(Test::Fixed(false));
        }

        self.sign_of_difference(
            a,
            b,
            if or_equal {
                Sign::NotPositive
            } else {
                Sign::Negative
            },
        )
    }

    /// Whether two numbers are equal.
    pub(crate) fn is_equal(&mut self, a: &Number, b: &Number) -> Made<Test> {
        let ((low_a, high_a), (low_b, high_b)) = (a.bounds()?, b.bounds()?);
        if high_a < low_b || low_a > high_b {
            return Ok(Test::Fixed(false));
        }
        if let (Number::Fixed(a), Number::Fixed(b)) = (a, b) {
            return Ok(Test::Fixed(a == b));
        }
        self.sign_of_difference(a, b, Sign::Zero)
    }

    /// The sign of `a - b`, over their common denominator: the quotient itself is not needed.
    fn sign_of_difference(&mut self, a: &Number, b: &Number, sign: Sign) -> Made<Test> {
        let Common { a, b, .. } = self.common(a, b)?;
        let negative = match b {
            Top::Fixed(value) => Top::Fixed(-value),
            Top::Column(slot, times) => Top::Column(slot, -times),
        };
        let difference = self.sum_of(a, negative)?;
        Ok(Test::Column(self.emit(Kernel::IsSign {
            a: difference,
            sign,
        })?))
    }

    /// The greatest or the least of two numbers.
    pub(crate) fn extreme(&mut self, a: &Number, b: &Number, greatest: bool) -> Made {
        let ((low_a, high_a), (low_b, high_b)) = (a.bounds()?, b.bounds()?);
        if high_a <= low_b {
            return Ok(if greatest { b.clone() } else { a.clone() });
        }

        if high_b <= low_a {
            return Ok(if greatest { a.clone() } else { b.clone() });
        }

        let (low, high) = match greatest {
            true => (low_a.max(low_b).clone(), high_a.max(high_b).clone()),
            false => (low_a.min(low_b).clone(), high_a.min(high_b).clone()),
        };

        let Common { a, b, den, by } = self.common(a, b)?;
        let (a, b) = (self.slot(a)?, self.slot(b)?);
        let top = self.emit(if greatest {
            Kernel::Greatest { a, b }
        } else {
            Kernel::Least { a, b }
        })?;
        Ok(self.fraction(top, den, by, low, high))
    }

    /// One number where a test holds, another where it does not.
    pub(crate) fn choose(&mut self, test: Test, yes: &Number, no: &Number) -> Made {
        let test = match test {
            Test::Fixed(true) => return Ok(yes.clone()),
            Test::Fixed(false) => return Ok(no.clone()),
            Test::Column(test) => test,
        };

        if let (Number::Fixed(yes), Number::Fixed(no)) = (yes, no)
            && yes == no
        {
            return Ok(Number::Fixed(yes.clone()));
        }

        let ((low_yes, high_yes), (low_no, high_no)) = (yes.bounds()?, no.bounds()?);
        let (low, high) = (low_yes.min(low_no).clone(), high_yes.max(high_no).clone());
        let Common { a, b, den, by } = self.common(yes, no)?;
        let (yes, no) = (self.slot(a)?, self.slot(b)?);
        let top = self.emit(Kernel::Choose { test, yes, no })?;
        Ok(self.fraction(top, den, by, low, high))
    }

    /// The element of a list of constants at an index.
    pub(crate) fn pick(&mut self, index: Slot, values: &[Rat]) -> Made {
        let den = values
            .iter()
            .fold(BigInt::one(), |den, value| den.lcm(value.denom()));
        let tops: Vec<BigInt> = values
            .iter()
            .map(|value| value.numer() * (&den / value.denom()))
            .collect();
        let table = tops.iter().map(fits).collect::<Made<Vec<i128>>>()?;
        let top = self.emit(Kernel::Pick { index, table })?;
        let (low, high) = (
            values.iter().min().unwrap().clone(),
            values.iter().max().unwrap().clone(),
        );
        Ok(self.fraction(top, den, None, low, high))
    }

    /// How many limits a number has passed: those that are strict above them, the others from them
    /// on.
    pub(crate) fn row(&mut self, value: &Fraction, limits: &[(Rat, bool)]) -> Made<Slot> {
        let den = limits
            .iter()
            .fold(value.den.clone(), |den, (limit, _)| den.lcm(limit.denom()));
        let top = self.linear(value.top, &(&den / &value.den), &BigInt::zero())?;
        let least = |(limit, strict): &(Rat, bool)| {
            fits(&(limit.numer() * (&den / limit.denom()) + u8::from(*strict)))
        };
        let limits = limits.iter().map(least).collect::<Made<_>>()?;
        self.emit(Kernel::Row { a: top, limits })
    }
}
