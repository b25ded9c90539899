//! The yearly rate of charge of a loan: the X that solves
//! P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).

use rust_decimal::{Decimal, MathematicalOps as _};

use crate::law::formula::EvalError;
use crate::text::number::{add, div, mul, sub};

use super::schedule::LoanTerms;

/// The rate of charge a year, fees and premiums included.
pub(super) fn annual_percentage_rate(terms: &LoanTerms) -> Result<Decimal, EvalError> {
    let flows = CashFlows::new(terms)?;

    // Without fees and premiums, the rate has a closed form: (1 + i)^12 - 1.
    if terms.fees.is_zero() && flows.premium.is_zero() {
        return Ok(sub(terms.growth(12)?, Decimal::ONE)?);
    }

    // Fees are paid at the start: the borrower receives what is left.
    let received = sub(terms.principal, terms.fees)?;
    // Nothing received and something repaid: no rate is high enough.
    if received <= Decimal::ZERO {
        return Err(EvalError::DivisionByZero);
    }

    // Without fees and premiums a month's delay is worth 1 / (1 + i); with them, it is worth less.
    let month = add(Decimal::ONE, terms.monthly_rate()?)?;
    let most = div(Decimal::ONE, month)?;
    let delay = root(most, |v| Ok(sub(flows.present_value(v)?, received)?))?;

    let year = div(Decimal::ONE, delay)?
        .checked_powu(12)
        .ok_or(EvalError::Overflow)?;
    Ok(sub(year, Decimal::ONE)?)
}

/// The monthly payment, unrounded.
struct CashFlows {
    months: Decimal,
    count: u64,
    /// The constant instalment, or the constant share of principal.
    instalment: Decimal,
    premium: Decimal,
    /// Interest on one share of principal, where the share is constant.
    falling: Option<Decimal>,
}

impl CashFlows {
    fn new(terms: &LoanTerms) -> Result<Self, EvalError> {
        let instalment = terms.instalment()?;

        let interest = mul(instalment, terms.monthly_rate()?)?;
        Ok(Self {
            months: Decimal::from(terms.months),
            count: u64::from(terms.months),
            instalment,
            premium: terms.exact_premium()?,
            falling: terms.constant_principal.then_some(interest),
        })
    }

    /// v^n: 0 where it is too small for a decimal, an error where it is too great.
    fn power(&self, v: Decimal) -> Result<Decimal, EvalError> {
        v.checked_powu(self.count).ok_or(EvalError::Overflow)
    }

    /// The present value of the payments, with the discount factor `v` a month.
    ///
    /// Constant payments m are worth m x (v + ... + v^n). With a constant share p of principal the
    /// payment of month k is p + i p (n - k + 1), and the sum of (n - k + 1) v^k is
    /// v x (n - (v + ... + v^n)) / (1 - v).
    fn present_value(&self, v: Decimal) -> Result<Decimal, EvalError> {
        // The limit of each sum at v = 1, where its formula divides by 0, is written out.
        let one_less = sub(Decimal::ONE, v)?;
        let over_one_less = |amount: Decimal| Ok::<_, EvalError>(div(mul(v, amount)?, one_less)?);
        let sum = if one_less.is_zero() {
            self.months
        } else {
            over_one_less(sub(Decimal::ONE, self.power(v)?)?)?
        };

        let payment = add(self.instalment, self.premium)?;
        let constant = mul(payment, sum)?;

        let Some(falling) = self.falling else {
            return Ok(constant);
        };

        let weighted = if one_less.is_zero() {
            div(
                mul(self.months, add(self.months, Decimal::ONE)?)?,
                Decimal::TWO,
            )?
        } else {
            over_one_less(sub(self.months, sum)?)?
        };
        Ok(add(constant, mul(falling, weighted)?)?)
    }
}

/// The tolerance of the search for the zero of the function: a trillionth of the currency, which
/// leaves the rate exact far beyond the decimals that are shown.
const PRECISION: Decimal = Decimal::from_parts(1, 0, 0, false, 12);

/// A place, and the value of the function there.
#[derive(Clone, Copy)]
struct Point {
    place: Decimal,
    value: Decimal,
}

/// The root at most `high` of an increasing function, by the Illinois method: the secant, with the
/// weight of an end that does not move halved. `high` itself where the function is not above 0
/// there.
fn root(
    high: Decimal,
    function: impl Fn(Decimal) -> Result<Decimal, EvalError>,
) -> Result<Decimal, EvalError> {
    let point = |place: Decimal| {
        let value = function(place)?;
        Ok::<_, EvalError>(Point { place, value })
    };
    let mut high = point(high)?;
    if high.value <= Decimal::ZERO {
        return Ok(high.place);
    }

    // Step down until the function is below 0; it is at v = 0, where nothing repaid is worth
    // anything.
    let mut step = Decimal::new(1, 3);
    let mut low = high;
    while low.value > Decimal::ZERO {
        low = point(sub(low.place, step)?.max(Decimal::ZERO))?;
        step = mul(step, Decimal::TEN)?;
    }

    let mut moved_high = None;
    // A dozen rounds are usual; the bound is for rates at the edge of the arithmetic.
    for _ in 0..100 {
        let width = mul(high.value, sub(high.place, low.place)?)?;
        let found = point(sub(high.place, div(width, sub(high.value, low.value)?)?)?)?;
        if found.value.abs() <= PRECISION {
            return Ok(found.place);
        }

        let is_high = found.value > Decimal::ZERO;
        if is_high {
            high = found;
        } else {
            low = found;
        }

        // The secant would move the same end forever where the function is curved: the weight of
        // the other end is halved.
        if moved_high == Some(is_high) {
            let stuck = if is_high { &mut low } else { &mut high };
            stuck.value = div(stuck.value, Decimal::TWO)?;
        }
        moved_high = Some(is_high);
    }

    Ok(high.place)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// In either of the two ways in which the library computes it.
    #[test]
    fn a_power_that_is_too_small_for_a_decimal_is_0() {
        for months in [600, 1_200] {
            assert_eq!(Decimal::new(5, 1).checked_powu(months), Some(Decimal::ZERO));
            assert_eq!(Decimal::TWO.checked_powu(months), None);
        }
    }

    #[test]
    fn the_root_of_a_steep_function_is_found_in_some_dozens_of_steps() {
        let steps = Cell::new(0);
        let steep = |v: Decimal| {
            steps.set(steps.get() + 1);
            Ok(sub(
                v.checked_powu(50).ok_or(EvalError::Overflow)?,
                Decimal::new(1, 3),
            )?)
        };
        let root = root(Decimal::ONE, steep).unwrap();
        assert_eq!(root.round_dp(9), "0.87096359".parse().unwrap());
        assert!(steps.get() < 40, "{}", steps.get());
    }
}
