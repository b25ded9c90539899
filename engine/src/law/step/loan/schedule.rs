//! The schedule of a loan: constant instalment or constant principal, the last payment clearing the
//! balance.
//!
//! Amounts are whole numbers of the finest unit that the principal or the rounding needs, so that
//! an interest is one exact fraction, balance x rate / 12, rounded once.

use rust_decimal::{Decimal, MathematicalOps as _};

use crate::law::formula::EvalError;
use crate::text::number::{RoundMode, add, div, mul, round, sub};

use super::super::Rounding;

pub(super) struct LoanTerms {
    pub principal: Decimal,
    pub months: u32,
    pub yearly_rate: Decimal,
    pub fees: Decimal,
    /// Premium of insurance, a rate a year of the principal.
    pub yearly_premium: Decimal,
    pub constant_principal: bool,
    pub rounding: Rounding<Decimal>,
}

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

impl LoanTerms {
    pub(super) fn monthly_rate(&self) -> Result<Decimal, EvalError> {
        Ok(div(self.yearly_rate, YEAR)?)
    }

    /// The unrounded premium of a month.
    pub(super) fn exact_premium(&self) -> Result<Decimal, EvalError> {
        let yearly = mul(self.principal, self.yearly_premium)?;
        Ok(div(yearly, YEAR)?)
    }

    /// The premium of a month.
    pub(super) fn premium(&self) -> Result<Decimal, EvalError> {
        self.rounded(self.exact_premium()?)
    }

    fn rounded(&self, amount: Decimal) -> Result<Decimal, EvalError> {
        round(amount, self.rounding.unit, self.rounding.mode).ok_or(EvalError::Overflow)
    }

    /// The unrounded constant instalment, or the constant share of principal.
    pub(super) fn instalment(&self) -> Result<Decimal, EvalError> {
        let months = Decimal::from(self.months);
        if self.yearly_rate.is_zero() || self.constant_principal {
            return Ok(div(self.principal, months)?);
        }

        // P i (1 + i)^n / ((1 + i)^n - 1): the same, without a negative power.
        let growth = self.growth(self.months)?;
        let interest = mul(self.principal, self.monthly_rate()?)?;
        let above = div(growth, sub(growth, Decimal::ONE)?)?;
        Ok(mul(interest, above)?)
    }

    /// (1 + i)^n.
    pub(super) fn growth(&self, months: u32) -> Result<Decimal, EvalError> {
        let one_month = add(Decimal::ONE, self.monthly_rate()?)?;
        one_month
            .checked_powu(u64::from(months))
            .ok_or(EvalError::Overflow)
    }

    /// The schedule, ready to be gone through.
    pub(super) fn schedule(&self) -> Result<Schedule, EvalError> {
        // Amounts without a rounding are rounded to a unit that is far below a cent, for the
        // amounts to be whole numbers.
        let regular = self.rounded(self.instalment()?)?;
        let unit = if self.rounding.unit.is_zero() {
            Decimal::new(1, FINEST)
        } else {
            self.rounding.unit
        };

        // The unit of the schedule is the finest of the three, so that all of them are whole
        // numbers of it.
        let scale = self
            .principal
            .scale()
            .max(unit.scale())
            .max(regular.scale());

        // The rate of a month as a fraction of integers: rate / 12 would have no end in decimals.
        let rate = self.yearly_rate.normalize();
        let power = 10_i128
            .checked_pow(rate.scale())
            .ok_or(EvalError::Overflow)?;

        Ok(Schedule {
            months: self.months,
            scale,
            principal: whole(self.principal, scale)?,
            regular: whole(regular, scale)?,
            rate: rate.mantissa(),
            below: power.checked_mul(12).ok_or(EvalError::Overflow)?,
            unit: whole(unit, scale)?,
            mode: self.rounding.mode,
            constant_principal: self.constant_principal,
            premium: self.premium()?,
        })
    }
}

/// Decimals kept where nothing is rounded.
const FINEST: u32 = 12;

/// An amount as a number of 10^-scale.
fn whole(amount: Decimal, scale: u32) -> Result<i128, EvalError> {
    let power = 10_i128
        .checked_pow(scale.saturating_sub(amount.scale()))
        .ok_or(EvalError::Overflow)?;
    amount
        .mantissa()
        .checked_mul(power)
        .ok_or(EvalError::Overflow)
}

/// One payment of a loan.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["pret"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("pret").ok_or("no such folder")?;
/// # let sent = [("montant", "1200"), ("duree", "12"), ("taux", "3"), ("echeancier", "true")];
/// # let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// use bareme_engine::law::FieldValue;
///
/// let Some(FieldValue::Payments(payments)) = calculation.field("echeancier") else {
///     return Err("no schedule".into());
/// };
/// assert_eq!(payments.len(), 12);
/// assert!(payments.iter().all(|payment| payment.payment == payment.interest + payment.principal));
/// assert!(payments[11].balance.is_zero());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Payment {
    /// Its month, from 1.
    pub month: u32,
    /// The payment without insurance.
    pub payment: Decimal,
    /// Part of it that is interest.
    pub interest: Decimal,
    /// Part of it that repays the principal.
    pub principal: Decimal,
    /// Premium of insurance.
    pub insurance: Decimal,
    /// Principal left to repay.
    pub balance: Decimal,
}

/// A schedule in whole units.
pub(super) struct Schedule {
    months: u32,
    scale: u32,
    principal: i128,
    regular: i128,
    /// The rate of a month is `rate / below`.
    rate: i128,
    below: i128,
    unit: i128,
    mode: RoundMode,
    constant_principal: bool,
    premium: Decimal,
}

/// The totals of a schedule.
pub(super) struct Totals {
    pub first: Decimal,
    pub last: Decimal,
    pub interest: Decimal,
}

impl Schedule {
    /// Goes through the payments and adds them up.
    pub(super) fn totals(&self, mut with: impl FnMut(Payment)) -> Result<Totals, EvalError> {
        let mut balance = self.principal;
        let mut first = 0;
        let mut last = 0;
        let mut interests = 0_i128;

        for month in 1..=self.months {
            let interest = self.interest(balance).ok_or(EvalError::Overflow)?;
            // The last payment clears the balance, whatever the earlier ones were rounded to.
            let principal = if month == self.months {
                balance
            } else if self.constant_principal {
                self.regular.min(balance)
            } else {
                // No payment is more than what is left, with its interest.
                self.regular.min(balance.saturating_add(interest)) - interest
            };

            last = principal.saturating_add(interest);
            if month == 1 {
                first = last;
            }

            balance -= principal;
            interests = interests.saturating_add(interest);
            with(self.line(month, last, interest, principal, balance)?);
        }

        Ok(Totals {
            first: self.amount(first)?,
            last: self.amount(last)?,
            interest: self.amount(interests)?,
        })
    }

    /// The interest of a month, rounded.
    fn interest(&self, balance: i128) -> Option<i128> {
        // Whole numbers, not yet divided: nothing is lost before the rounding.
        let exact = balance.checked_mul(self.rate)?;
        let below = self.below.checked_mul(self.unit)?;

        // Nearly every loan fits 64 bits, whose division is much quicker.
        let (multiples, rest) = match (u64::try_from(exact), u64::try_from(below)) {
            (Ok(exact), Ok(below)) => (i128::from(exact / below), i128::from(exact % below)),
            _ => (exact.div_euclid(below), exact.rem_euclid(below)),
        };

        let up = match self.mode {
            RoundMode::HalfUp => rest * 2 >= below,
            RoundMode::Down => false,
            RoundMode::Up => rest > 0,
        };

        (multiples + i128::from(up)).checked_mul(self.unit)
    }

    fn amount(&self, units: i128) -> Result<Decimal, EvalError> {
        Decimal::try_from_i128_with_scale(units, self.scale).map_err(|_| EvalError::Overflow)
    }

    fn line(
        &self,
        month: u32,
        payment: i128,
        interest: i128,
        principal: i128,
        balance: i128,
    ) -> Result<Payment, EvalError> {
        Ok(Payment {
            month,
            payment: self.amount(payment)?,
            interest: self.amount(interest)?,
            principal: self.amount(principal)?,
            insurance: self.premium,
            balance: self.amount(balance)?,
        })
    }
}
