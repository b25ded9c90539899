//! Numbers of a program being compiled: exact constants, columns of fractions whose denominators
//! and bounds are known, and powers with the error that they may have.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::builder::{Builder, Unsupported};
use super::kernel::{Kernel, Slot};
use crate::law::Rat;

/// A number of a program.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Fixed(Rat),
    Column(Fraction),
    Rough(Rough),
}

/// `top / (den x by)`, from `low` to `high`; `den` and `by` are positive.
#[derive(Debug, Clone)]
pub(crate) struct Fraction {
    pub top: Slot,
    pub den: BigInt,
    pub by: Option<Slot>,
    pub low: Rat,
    pub high: Rat,
}

/// `value x times + plus`, the value being a column over 2 to the 62 that is off by `error` at
/// most.
#[derive(Debug, Clone)]
pub(crate) struct Rough {
    pub(super) power: Slot,
    pub(super) error: i128,
    pub(super) times: Rat,
    pub(super) plus: Rat,
}

/// A numerator over the denominator that two numbers share.
#[derive(Debug, Clone)]
pub(super) enum Top {
    Fixed(BigInt),
    Column(Slot, BigInt),
}

/// Two numerators over one denominator.
pub(super) struct Common {
    pub(super) a: Top,
    pub(super) b: Top,
    pub(super) den: BigInt,
    pub(super) by: Option<Slot>,
}

pub(super) type Made<T = Number> = Result<T, Unsupported>;

impl Number {
    pub(crate) fn zero() -> Self {
        Self::Fixed(Rat::zero())
    }

    pub(crate) fn whole(value: i64) -> Self {
        Self::Fixed(Rat::from(BigInt::from(value)))
    }

    pub(crate) fn low(&self) -> Option<&Rat> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Column(column) => Some(&column.low),
            Self::Rough(_) => None,
        }
    }

    pub(crate) fn high(&self) -> Option<&Rat> {
        match self {
            Self::Column(column) => Some(&column.high),
            other => other.low(),
        }
    }

    /// A column over 2 to the 62 that is off by `error` at most.
    pub(crate) fn rough(column: Slot, error: i128) -> Self {
        Self::Rough(Rough {
            power: column,
            error,
            times: Rat::one(),
            plus: Rat::zero(),
        })
    }

    /// `None` for an approximation.
    pub(super) fn bounds(&self) -> Made<(&Rat, &Rat)> {
        self.low()
            .zip(self.high())
            .ok_or(Unsupported("a power that is not rounded at once"))
    }
}

impl Builder {
    /// Two numbers over their least common denominator, and over the columns that divide either.
    pub(super) fn common(&mut self, a: &Number, b: &Number) -> Made<Common> {
        let by_of = |number: &Number| {
            if let Number::Column(column) = number {
                column.by
            } else {
                None
            }
        };

        let (by_a, by_b) = (by_of(a), by_of(b));
        let (mut lifts_a, mut lifts_b) = (None, None);
        let by = match (by_a, by_b) {
            (a, b) if a == b => a,
            (Some(by), None) => {
                lifts_b = Some(by);
                Some(by)
            }
            (None, Some(by)) => {
                lifts_a = Some(by);
                Some(by)
            }
            (Some(by_a), Some(by_b)) => {
                (lifts_a, lifts_b) = (Some(by_b), Some(by_a));
                Some(self.emit(Kernel::Product { a: by_a, b: by_b })?)
            }
            (None, None) => None,
        };

        let den_of = |number: &Number| match number {
            Number::Fixed(value) => value.denom().clone(),
            Number::Column(column) => column.den.clone(),
            Number::Rough(_) => BigInt::one(),
        };

        let den = den_of(a).lcm(&den_of(b));
        let a = self.top(a, &den, lifts_a)?;
        let b = self.top(b, &den, lifts_b)?;
        Ok(Common { a, b, den, by })
    }

    /// The numerator of a number over a denominator, multiplied by a column.
    fn top(&mut self, number: &Number, den: &BigInt, lift: Option<Slot>) -> Made<Top> {
        Ok(match (number, lift) {
            (Number::Fixed(value), None) => Top::Fixed(value.numer() * (den / value.denom())),
            (Number::Fixed(value), Some(by)) => {
                Top::Column(by, value.numer() * (den / value.denom()))
            }
            (Number::Column(column), None) => Top::Column(column.top, den / &column.den),
            (Number::Column(column), Some(by)) => Top::Column(
                self.emit(Kernel::Product {
                    a: column.top,
                    b: by,
                })?,
                den / &column.den,
            ),
            (Number::Rough(_), _) => {
                return Err(Unsupported("a power that is not rounded at once"));
            }
        })
    }

    /// A numerator as a column.
    pub(super) fn slot(&mut self, top: Top) -> Made<Slot> {
        match top {
            Top::Fixed(value) => self.emit(Kernel::Constant(fits(&value)?)),
            Top::Column(slot, times) => self.linear(slot, &times, &BigInt::zero()),
        }
    }

    /// `a x times + plus`; the column itself where that changes nothing.
    pub(super) fn linear(&mut self, a: Slot, times: &BigInt, plus: &BigInt) -> Made<Slot> {
        if times.is_one() && plus.is_zero() {
            return Ok(a);
        }
        self.emit(Kernel::Linear {
            a,
            times: fits(times)?,
            plus: fits(plus)?,
        })
    }

    pub(super) fn sum_of(&mut self, a: Top, b: Top) -> Made<Slot> {
        match (a, b) {
            (Top::Fixed(a), Top::Fixed(b)) => self.slot(Top::Fixed(a + b)),
            (Top::Column(slot, times), Top::Fixed(plus))
            | (Top::Fixed(plus), Top::Column(slot, times)) => self.linear(slot, &times, &plus),
            (Top::Column(a, times_a), Top::Column(b, times_b)) if a == b => {
                self.linear(a, &(times_a + times_b), &BigInt::zero())
            }
            (Top::Column(a, times_a), Top::Column(b, times_b)) => self.emit(Kernel::Sum {
                a,
                times_a: fits(&times_a)?,
                b,
                times_b: fits(&times_b)?,
            }),
        }
    }

    pub(crate) fn plus(&mut self, a: &Number, b: &Number) -> Made {
        match (a, b) {
            (Number::Fixed(a), Number::Fixed(b)) => Ok(Number::Fixed(a + b)),
            (Number::Fixed(zero), other) | (other, Number::Fixed(zero)) if zero.is_zero() => {
                Ok(other.clone())
            }
            (Number::Rough(rough), Number::Fixed(plus))
            | (Number::Fixed(plus), Number::Rough(rough)) => Ok(Number::Rough(Rough {
                plus: &rough.plus + plus,
                ..rough.clone()
            })),
            _ => {
                let ((low_a, high_a), (low_b, high_b)) = (a.bounds()?, b.bounds()?);
                let (low, high) = (low_a + low_b, high_a + high_b);
                let Common { a, b, den, by } = self.common(a, b)?;
                let top = self.sum_of(a, b)?;
                Ok(self.fraction(top, den, by, low, high))
            }
        }
    }

    pub(crate) fn minus(&mut self, a: &Number, b: &Number) -> Made {
        let negative = self.times(b, &Number::whole(-1))?;
        self.plus(a, &negative)
    }

    pub(crate) fn times(&mut self, a: &Number, b: &Number) -> Made {
        match (a, b) {
            (Number::Fixed(a), Number::Fixed(b)) => Ok(Number::Fixed(a * b)),
            (Number::Fixed(zero), _) | (_, Number::Fixed(zero)) if zero.is_zero() => {
                Ok(Number::zero())
            }
            (Number::Rough(rough), Number::Fixed(by))
            | (Number::Fixed(by), Number::Rough(rough)) => Ok(Number::Rough(Rough {
                times: &rough.times * by,
                plus: &rough.plus * by,
                ..rough.clone()
            })),
            (Number::Column(column), Number::Fixed(by))
            | (Number::Fixed(by), Number::Column(column)) => {
                let shared = by.numer().gcd(&column.den);
                let top = self.linear(column.top, &(by.numer() / &shared), &BigInt::zero())?;
                let ends = (&column.low * by, &column.high * by);
                let (low, high) = if by.is_negative() {
                    (ends.1, ends.0)
                } else {
                    ends
                };
                Ok(self.fraction(top, &column.den / shared * by.denom(), column.by, low, high))
            }
            (Number::Column(a), Number::Column(b)) => {
                let top = self.emit(Kernel::Product { a: a.top, b: b.top })?;
                let by = match (a.by, b.by) {
                    (Some(a), Some(b)) => Some(self.emit(Kernel::Product { a, b })?),
                    (a, b) => a.or(b),
                };
                let corners = [
                    &a.low * &b.low,
                    &a.low * &b.high,
                    &a.high * &b.low,
                    &a.high * &b.high,
                ];
                let (low, high) = ends(corners);
                Ok(self.fraction(top, &a.den * &b.den, by, low, high))
            }
            _ => Err(Unsupported("a power that is not rounded at once")),
        }
    }

    /// A quotient whose divisor is never 0 where it counts.
    pub(crate) fn over(&mut self, a: &Number, b: &Number) -> Made {
        let divisor = match b {
            Number::Fixed(by) => return self.times(a, &Number::Fixed(by.recip())),
            Number::Column(divisor) if divisor.low.is_negative() => {
                if divisor.high.is_positive() || divisor.high.is_zero() {
                    return Err(Unsupported("a divisor of both signs"));
                }
                let (a, b) = (
                    self.times(a, &Number::whole(-1))?,
                    self.times(b, &Number::whole(-1))?,
                );
                return self.over(&a, &b);
            }
            Number::Column(divisor) => divisor.clone(),
            Number::Rough(_) => return Err(Unsupported("a power as a divisor")),
        };

        let positive = self.emit(Kernel::OneForZero { a: divisor.top })?;
        let (low, high) = (a.bounds()?.0.clone(), a.bounds()?.1.clone());
        let (top, den, by) = match a {
            Number::Fixed(value) => (
                Top::Fixed(value.numer().clone()),
                value.denom().clone(),
                None,
            ),
            Number::Column(column) => (
                Top::Column(column.top, BigInt::one()),
                column.den.clone(),
                column.by,
            ),
            Number::Rough(_) => return Err(Unsupported("a power that is not rounded at once")),
        };

        let shared = den.gcd(&divisor.den);
        let (times, den) = (&divisor.den / &shared, &den / &shared);
        let top = match top {
            Top::Fixed(value) => Top::Fixed(value * times),
            Top::Column(slot, one) => Top::Column(slot, one * times),
        };

        let mut top = self.slot(top)?;
        if let Some(by) = divisor.by {
            top = self.emit(Kernel::Product { a: top, b: by })?;
        }

        let by = match by {
            Some(by) => self.emit(Kernel::Product { a: by, b: positive })?,
            None => positive,
        };

        // The least divisor that is not 0.
        let grain = &divisor.den
            * divisor
                .by
                .map_or(BigInt::one(), |by| self.bounds_of(by).1.clone());
        let least = if divisor.low.is_positive() {
            divisor.low.clone()
        } else {
            Rat::new(BigInt::one(), grain)
        };

        let most = if divisor.high > least {
            divisor.high
        } else {
            least.clone()
        };

        let (low, high) = ends([&low / &least, &low / &most, &high / &least, &high / &most]);
        Ok(self.fraction(top, den, Some(by), low, high))
    }

    /// A column of integers as a number.
    pub(crate) fn whole_column(&self, top: Slot) -> Number {
        let (low, high) = self.bounds_of(top);
        let (low, high) = (Rat::from(low.clone()), Rat::from(high.clone()));
        Number::Column(Fraction {
            top,
            den: BigInt::one(),
            by: None,
            low,
            high,
        })
    }

    pub(crate) fn fraction(
        &mut self,
        top: Slot,
        den: BigInt,
        by: Option<Slot>,
        low: Rat,
        high: Rat,
    ) -> Number {
        let most = &den * by.map_or(BigInt::one(), |by| self.bounds_of(by).1.clone());
        let scaled = |value: &Rat| {
            (value * &most)
                .floor()
                .to_integer()
                .min((value * &den).floor().to_integer())
        };

        let least = scaled(&low);
        let greatest = (&high * &most)
            .ceil()
            .to_integer()
            .max((&high * &den).ceil().to_integer());
        self.tighten(top, &least, &greatest);
        let (known_low, known_high) = self.bounds_of(top).clone();
        // Without a divisor the integers say the same, and may say more.
        let (low, high) = match by {
            None => (
                low.max(Rat::new(known_low, den.clone())),
                high.min(Rat::new(known_high, den.clone())),
            ),
            Some(_) => (low, high),
        };

        if low == high && by.is_none() {
            Number::Fixed(low)
        } else {
            Number::Column(Fraction {
                top,
                den,
                by,
                low,
                high,
            })
        }
    }
}

/// The least and the greatest of the corners of a product or a quotient.
fn ends(corners: [Rat; 4]) -> (Rat, Rat) {
    (
        corners.iter().min().unwrap().clone(),
        corners.iter().max().unwrap().clone(),
    )
}

/// A constant as 128 bits.
pub(crate) fn fits(value: &BigInt) -> Made<i128> {
    value
        .to_i128()
        .filter(|value| value.unsigned_abs() < 1 << 126)
        .ok_or(Unsupported("more than 128 bits"))
}
