//! A loan, payment by payment, and its rate of charge by bisection on whole numbers.

use num_bigint::BigInt;
use num_traits::{One, Pow, Zero};

use crate::law::{Rat, round};

pub(crate) const OUTPUTS: [&str; 8] = [
    "payment",
    "last_payment",
    "interest",
    "insurance",
    "insurance_total",
    "total",
    "cost",
    "apr",
];

/// One line of the schedule: payment, interest, principal, insurance, balance.
pub(crate) type Payment = [Rat; 5];

/// A loan; its rate is that of a month.
pub(crate) struct LoanTerms<'t> {
    pub principal: Rat,
    pub months: u32,
    pub rate: Rat,
    pub fees: Rat,
    pub insurance: Rat,
    pub constant_principal: bool,
    pub unit: Rat,
    pub mode: &'t str,
}

impl LoanTerms<'_> {
    fn rounded(&self, value: &Rat) -> Rat {
        round(value, &self.unit, self.mode)
    }

    fn exact_premium(&self) -> Rat {
        &self.principal * &self.insurance / BigInt::from(12)
    }

    /// P i / (1 - (1 + i)^-n), or P / n at 0%.
    fn instalment(&self) -> Rat {
        if self.rate.is_zero() || self.constant_principal {
            return &self.principal / BigInt::from(self.months);
        }
        let growth = Rat::one() + &self.rate;
        let (above, below) = (
            growth.numer().pow(self.months),
            growth.denom().pow(self.months),
        );
        // 1 - (below / above), written as one fraction.
        &self.principal * &self.rate / Rat::new(&above - &below, above)
    }

    pub(crate) fn repay(&self) -> ([Rat; 8], Vec<Payment>) {
        let regular = self.rounded(&self.instalment());
        let premium = self.rounded(&self.exact_premium());
        let mut balance = self.principal.clone();
        let mut schedule: Vec<Payment> = Vec::new();

        for month in 1..=self.months {
            let interest = self.rounded(&(&balance * &self.rate));
            let principal = match (month == self.months, self.constant_principal) {
                (true, _) => balance.clone(),
                (false, true) => regular.clone().min(balance.clone()),
                (false, false) => regular.clone().min(&balance + &interest) - &interest,
            };
            balance -= &principal;
            schedule.push([
                &principal + &interest,
                interest,
                principal,
                premium.clone(),
                balance.clone(),
            ]);
        }

        let sum = |index: usize| schedule.iter().map(|line| line[index].clone()).sum::<Rat>();
        let edge = |line: Option<&Payment>| line.map(|line| line[0].clone()).unwrap_or_default();
        let total = sum(0) + sum(3) + &self.fees;
        let cost = &total - &self.principal;
        let outputs = [
            edge(schedule.first()),
            edge(schedule.last()),
            sum(1),
            premium,
            sum(3),
            total,
            cost,
            self.charge(),
        ];
        (outputs, schedule)
    }

    /// The X that solves P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).
    fn charge(&self) -> Rat {
        /// Binary digits after the point.
        const DIGITS: u32 = 160;
        let one = BigInt::one() << DIGITS;
        let fixed = |value: &Rat| (value * &one).to_integer();
        let received = fixed(&(&self.principal - &self.fees));
        let (regular, rate, premium) = (
            fixed(&self.instalment()),
            fixed(&self.rate),
            fixed(&self.exact_premium()),
        );
        let interest = |month: u32| match self.constant_principal {
            true => (&regular * &rate * (self.months - month)) >> DIGITS,
            false => BigInt::zero(),
        };

        let payments: Vec<BigInt> = (0..self.months)
            .map(|month| &regular + interest(month) + &premium)
            .collect();
        // What the payments are worth when a month's delay is worth v, by Horner's rule.
        let worth = |v: &BigInt| {
            payments.iter().rev().fold(BigInt::zero(), |sum, payment| {
                ((sum + payment) * v) >> DIGITS
            })
        };

        let (mut low, mut high) = (BigInt::zero(), one.clone());

        for _ in 0..120 {
            let middle: BigInt = (&low + &high) >> 1u32;
            if worth(&middle) > received {
                high = middle
            } else {
                low = middle
            }
        }

        Rat::new(one, high).pow(12) - Rat::one()
    }
}
