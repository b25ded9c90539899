//! Loans whose terms are known: the schedule in whole units of its rounding, the rate of charge
//! with the error that it may have.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::builder::{Test, Unsupported};
use super::compiler::{Compiler, Stopped};
use super::kernel::{Kernel, Mode, POWER_DIGITS, Slot};
use super::number::{Number, fits};
use super::program::divided;
use super::rounding::mode_of;
use super::steps::Step;
use super::symbol::{Given, Symbol};
use crate::law::{Rat, power_of_ten, text};
use crate::loan::LoanTerms;

/// Longest loan that the manual allows, in months.
const MOST_MONTHS: u32 = 1200;

/// Binary digits after the point of an instalment for a principal of 1.
const INSTALMENT_DIGITS: u32 = 80;

/// Binary digits after the point on the way to a rate of charge.
pub(crate) const CHARGE_DIGITS: u32 = 50;

/// Error of a rate of charge below [`CHARGE_MOST`], in units of 2 to the -62. What the payments are
/// worth is off by two units of 2 to the -50 a month; its slope is a quarter or more, so the
/// discount of a month is off by less than 10 000 units, and the rate by 12 (1 + X)^(13/12) < 250
/// times as much.
const CHARGE_ERROR: i128 = 1 << 34;

/// Greatest rate of charge that is computed quickly.
pub(crate) const CHARGE_MOST: i128 = 15;

/// Terms of a loan that its schedule depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Terms {
    months: u32,
    /// Rate of a month: numerator and denominator.
    rate: (i128, i128),
    constant_principal: bool,
    mode: Mode,
}

/// A sum or a payment of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    FirstPayment,
    LastPayment,
    Interest,
}

impl Terms {
    /// Repays a principal by regular payments, all in units of the rounding.
    pub(crate) fn repay(&self, principal: i128, regular: i128, asked: Asked) -> i128 {
        let (mut balance, mut interests, mut payment) = (principal, 0, 0);
        for month in 1..=self.months {
            let interest = divided(balance * self.rate.0, self.rate.1, self.mode);
            let repaid = match (month == self.months, self.constant_principal) {
                (true, _) => balance,
                (false, true) => regular.min(balance),
                // An instalment is never below its interest but in an unsure row, which nobody
                // looks at.
                (false, false) => (regular.min(balance + interest) - interest).max(0),
            };
            balance -= repaid;
            interests += interest;
            payment = repaid + interest;
            if asked == Asked::FirstPayment {
                break;
            }
        }

        if asked == Asked::Interest {
            interests
        } else {
            payment
        }
    }

    /// The greatest result for principals up to a greatest one, and the greatest integer on the
    /// way.
    pub(crate) fn reach(&self, principal: &BigInt) -> (BigInt, BigInt) {
        let interest: BigInt = principal * self.rate.0 / self.rate.1 + 1;
        let most = principal + &interest * self.months;
        let on_the_way = principal * self.rate.0 * 2 + self.rate.1 * 2;
        (most, on_the_way)
    }
}

/// The rate of a year that makes payments worth what is received, over 2 to the 62; none where that
/// is not sure. Payments are those for a principal of 1. `discount` is a first guess of what a
/// payment is worth a month earlier.
pub(crate) fn charge(
    principal: i128,
    fees: i128,
    payments: &[i128],
    discount: &mut i128,
) -> Option<i128> {
    let one = 1_i128 << CHARGE_DIGITS;
    let received = ((principal - fees) << CHARGE_DIGITS) / principal.max(1);
    if received * 4 < one {
        return None;
    }

    for _ in 0..100 {
        let (mut worth, mut slope) = (0_i128, 0_i128);
        for payment in payments.iter().rev() {
            let before = worth + payment;
            slope = ((slope * *discount) >> CHARGE_DIGITS) + before;
            worth = (before * *discount) >> CHARGE_DIGITS;
        }
        let step = ((worth - received) << CHARGE_DIGITS) / slope;
        *discount = (*discount - step).clamp(one / 4, one);
        if step.abs() <= 2 {
            let growth = (one << CHARGE_DIGITS) / *discount;
            let year = (0..12).fold(one, |year, _| (year * growth) >> CHARGE_DIGITS);
            let rate = (year - one).max(0) << (POWER_DIGITS - CHARGE_DIGITS);
            return Some(rate).filter(|rate| *rate < CHARGE_MOST << POWER_DIGITS);
        }
    }

    None
}

/// The terms of a loan as a step states them, without its principal.
struct Loan<'l> {
    terms: Terms,
    mode: &'l str,
    rate: Rat,
    fees: Rat,
    insurance: Rat,
    unit: Rat,
}

impl<'l> Compiler<'l> {
    pub(crate) fn loan(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
        let loan = self.terms(step)?;
        let Loan {
            terms,
            mode,
            fees,
            insurance,
            unit,
            ..
        } = &loan;
        let principal = self.one(step.main)?.number()?;
        let principal_units = self.units(&principal, unit)?;
        let regular = self.instalment(&principal, &loan)?;
        let regular = self.units(&regular, unit)?;
        let mut of_schedule = |asked: Asked| {
            let kernel = Kernel::Schedule {
                principal: principal_units,
                regular,
                terms: terms.clone(),
                asked,
            };
            let units = self.builder.emit(kernel)?;
            let units = self.builder.whole_column(units);
            self.builder.times(&units, &Number::Fixed(unit.clone()))
        };

        let payment = of_schedule(Asked::FirstPayment)?;
        let last_payment = of_schedule(Asked::LastPayment)?;
        let interest = of_schedule(Asked::Interest)?;
        let twelfth = Number::Fixed(insurance / BigInt::from(12));
        let premium = self.builder.times(&principal, &twelfth)?;
        let premium = self.builder.rounded(&premium, unit, mode)?;
        let premiums = self
            .builder
            .times(&premium, &Number::whole(terms.months.into()))?;
        let cost = self.builder.plus(&interest, &premiums)?;
        let cost = self.builder.plus(&cost, &Number::Fixed(fees.clone()))?;
        let total = self.builder.plus(&principal, &cost)?;
        let apr = self.charge(principal_units, &loan)?;
        let outputs = [
            ("payment", payment),
            ("last_payment", last_payment),
            ("interest", interest),
            ("insurance", premium),
            ("insurance_total", premiums),
            ("total", total),
            ("cost", cost),
            ("apr", apr),
        ];
        let outputs =
            outputs.map(|(name, value)| (name.to_owned(), Symbol::Number(value, name != "apr")));
        Ok(Given {
            outputs: BTreeMap::from(outputs),
            ..Given::default()
        })
    }

    fn terms(&mut self, step: &Step<'l>) -> Result<Loan<'l>, Stopped> {
        let mut term = |name: &str| -> Result<Rat, Stopped> {
            match self
                .slot(step, name)?
                .map(|term| term.number())
                .transpose()?
            {
                None => Ok(Rat::zero()),
                Some(Number::Fixed(value)) => Ok(value),
                Some(_) => Err(Stopped::Unsupported("a loan whose terms depend on the row")),
            }
        };

        let (months, rate) = (term("months")?, term("rate")? / BigInt::from(12));
        let (fees, insurance) = (term("fees")?, term("insurance")?);
        let constant = self.slot(step, "constant_principal")?;
        let constant_principal = matches!(constant, Some(Symbol::Boolean(Test::Fixed(true))));
        let rounding = text(step.node, "round").unwrap();
        let (unit, mode) = rounding.split_once(' ').unwrap_or((rounding, "half_up"));
        let Number::Fixed(unit) = self.one(unit)?.number()? else {
            return Err(Stopped::Unsupported("a unit of the row"));
        };

        let months = u32::try_from(months.to_integer())
            .ok()
            .filter(|months| (1..=MOST_MONTHS).contains(months));
        // Interests are that far from where roundings change, so that bringing them to 15 decimals
        // first decides nothing.
        if !unit.numer().is_one() || rate.denom() * unit.denom() * 2 >= power_of_ten(15) {
            return Err(Stopped::Unsupported("a loan of such a rounding"));
        }

        let terms = Terms {
            months: months.ok_or(Stopped::Unsupported("a loan of such a length"))?,
            rate: (fits(rate.numer())?, fits(rate.denom())?),
            constant_principal,
            mode: mode_of(mode),
        };

        Ok(Loan {
            terms,
            mode,
            rate,
            fees,
            insurance,
            unit,
        })
    }

    /// The instalment, rounded.
    fn instalment(&mut self, principal: &Number, loan: &Loan) -> Result<Number, Stopped> {
        let Loan { terms, unit, .. } = loan;
        if loan.rate.is_zero() || terms.constant_principal {
            let part = self
                .builder
                .times(principal, &Number::Fixed(loan.instalment()))?;
            return Ok(self.builder.rounded(&part, unit, loan.mode)?);
        }

        let one = BigInt::one() << INSTALMENT_DIGITS;
        let top = self.units(principal, unit)?;
        // Half a unit of the 15th decimal, to which a value is brought first, and room.
        let dust = Rat::new(one.clone(), power_of_ten(15)) / unit;
        let error = self.builder.bounds_of(top).1.clone() + dust.ceil().to_integer();
        let near = Kernel::Near {
            a: top,
            times: fits(&(loan.instalment() * &one).to_integer())?,
            plus: 0,
            below: fits(&one)?,
            error: fits(&error)?,
            mode: terms.mode,
        };

        let units = self.builder.emit(near)?;
        let units = self.builder.whole_column(units);
        Ok(self.builder.times(&units, &Number::Fixed(unit.clone()))?)
    }

    /// The rate of charge: the same for every principal unless fees are paid.
    fn charge(&mut self, principal: Slot, loan: &Loan) -> Result<Number, Stopped> {
        let Loan {
            terms,
            rate,
            insurance,
            unit,
            fees,
            ..
        } = loan;
        if fees.is_zero() {
            let terms = LoanTerms {
                principal: Rat::one(),
                months: terms.months,
                rate: rate.clone(),
                fees: Rat::zero(),
                insurance: insurance.clone(),
                constant_principal: terms.constant_principal,
                unit: unit.clone(),
                mode: "half_up",
            };
            let ([.., apr], _) = terms.repay();
            return Ok(Number::Fixed(apr));
        }

        let one = BigInt::one() << CHARGE_DIGITS;
        let instalment = loan.instalment();
        let payment = |month: u32| {
            let interest = match terms.constant_principal {
                true => &instalment * rate * BigInt::from(terms.months - month),
                false => Rat::zero(),
            };
            let payment = &instalment + interest + insurance / BigInt::from(12);
            fits(&(payment * &one).to_integer())
        };

        let payments = (0..terms.months)
            .map(payment)
            .collect::<Result<Vec<i128>, Unsupported>>()?;
        let fees = fees / unit;
        if !fees.is_integer() {
            return Err(Stopped::Unsupported("fees between two units"));
        }

        let kernel = Kernel::Charge {
            principal,
            fees: fits(&fees.to_integer())?,
            payments,
        };

        Ok(Number::rough(self.builder.emit(kernel)?, CHARGE_ERROR))
    }

    /// A number in units that it is a multiple of.
    fn units(&mut self, number: &Number, unit: &Rat) -> Result<Slot, Stopped> {
        match self.builder.over(number, &Number::Fixed(unit.clone()))? {
            Number::Column(column) if column.den.is_one() && column.by.is_none() => Ok(column.top),
            _ => Err(Stopped::Unsupported("a loan between two units")),
        }
    }
}

impl Loan<'_> {
    /// The instalment for a principal of 1: i / (1 - (1 + i)^-n), or 1 / n.
    fn instalment(&self) -> Rat {
        let months = self.terms.months;
        if self.rate.is_zero() || self.terms.constant_principal {
            return Rat::new(BigInt::one(), months.into());
        }
        let growth = num_traits::pow(Rat::one() + &self.rate, months as usize);
        &self.rate / (Rat::one() - growth.recip())
    }
}
