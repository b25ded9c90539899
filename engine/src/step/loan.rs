//! `loan: principal`: a loan repaid monthly. Instalment = round(P i / (1 - (1 + i)^-n)) with i = rate / 12,
//! or P / n at 0%; the last payment clears the balance. The rate of charge is the X that solves
//! P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).

use rust_decimal::{Decimal, MathematicalOps as _};

use crate::formula::{Code, Expr, Fault, Operator, State, Wanted, arithmetic};
use crate::number::round;
use crate::problem::Problem;
use crate::types::{Type, Value};

use super::modifiers::bind_roundings;
use super::{Binder, Body, Built, Compute, Kind, Output, Reader, Rounding, Slot, SlotForm};

pub(super) static KIND: Kind = Kind {
    name: "loan",
    main: SlotForm::Formula,
    slots: &[
        Slot::new("with", SlotForm::Figure, false, "the record figure whose columns fill the slots of the same names"),
        Slot::new("months", SlotForm::Formula, true, "number of monthly payments"),
        Slot::new("rate", SlotForm::Formula, true, "nominal rate a year; a twelfth of it each month"),
        Slot::new("fees", SlotForm::Formula, false, "paid at the start"),
        Slot::new("insurance", SlotForm::Formula, false, "premium, a rate a year of the initial principal"),
        Slot::new(
            "constant_principal",
            SlotForm::Formula,
            false,
            "true: the same principal each month, falling payments",
        ),
        Slot::new("round", SlotForm::Rounding, true, "unit of payments, interest and premiums"),
    ],
    help: "a loan repaid monthly: `.payment` (first), `.last_payment`, `.interest`, `.insurance` (a month), `.insurance_total`, `.total`, `.cost`, `.apr`",
    read,
};

const OUTPUTS: [&str; 7] = ["payment", "last_payment", "interest", "insurance", "insurance_total", "total", "cost"];

fn read(reader: &mut Reader) -> Option<Built> {
    let principal = reader.main_amount()?;
    let months = reader.slot("months", Wanted::of(Type::Number));
    let rate = reader.slot("rate", Wanted::of(Type::Rate));
    let fees = reader.slot("fees", Wanted::limit(principal.ty)).map(|typed| typed.expr);
    let insurance = reader.slot("insurance", Wanted::limit(Type::Rate)).map(|typed| typed.expr);
    let constant_principal = reader.slot("constant_principal", Wanted::BOOLEAN).map(|typed| typed.expr);
    let rounding = reader.roundings().into_iter().next();
    if rounding.is_none() {
        let place = reader.name.place.clone();
        reader.error(&place, Problem::MissingSlot { slot: "round", kind: "loan" });
    }
    let mut outputs: Vec<Output> = OUTPUTS.iter().map(|name| Output::named(name, principal.ty)).collect();
    outputs.push(Output::named("apr", Type::Rate));
    let body = Loan {
        principal: principal.expr,
        months: months?.expr,
        rate: rate?.expr,
        fees,
        insurance,
        constant_principal,
        rounding: rounding?,
    };
    Some(Built { body: Box::new(body), outputs, hidden: 0 })
}

#[derive(Debug)]
struct Loan {
    principal: Expr,
    months: Expr,
    rate: Expr,
    fees: Option<Expr>,
    insurance: Option<Expr>,
    constant_principal: Option<Expr>,
    rounding: Rounding<Expr>,
}

impl Body for Loan {
    fn bind(&self, binder: &mut Binder) -> Box<dyn Compute> {
        Box::new(Bound {
            principal: binder.code(&self.principal),
            months: binder.code(&self.months),
            rate: binder.code(&self.rate),
            fees: binder.limit(self.fees.as_ref()),
            insurance: binder.limit(self.insurance.as_ref()),
            constant_principal: self.constant_principal.as_ref().map(|expr| binder.code(expr)),
            rounding: bind_roundings(std::slice::from_ref(&self.rounding), binder),
        })
    }
}

#[derive(Debug)]
struct Bound {
    principal: Code,
    months: Code,
    rate: Code,
    fees: Option<Code>,
    insurance: Option<Code>,
    constant_principal: Option<Code>,
    rounding: Vec<Rounding<Code>>,
}

/// One line of a schedule.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    pub month: u32,
    pub payment: Decimal,
    pub interest: Decimal,
    pub principal: Decimal,
    pub insurance: Decimal,
    pub balance: Decimal,
}

impl Compute for Bound {
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let terms = self.terms(state)?;
        let (mut first, mut last) = (Decimal::ZERO, Decimal::ZERO);
        let (mut interest, mut paid) = (Decimal::ZERO, Decimal::ZERO);
        terms.each_payment(|payment| {
            if payment.month == 1 {
                first = payment.payment;
            }
            last = payment.payment;
            interest = arithmetic(Operator::Add, interest, payment.interest)?;
            paid = arithmetic(Operator::Add, paid, payment.payment)?;
            Ok(())
        })?;
        let premiums = arithmetic(Operator::Multiply, terms.premium, Decimal::from(terms.months))?;
        let total = arithmetic(Operator::Add, arithmetic(Operator::Add, paid, premiums)?, terms.fees)?;
        let cost = arithmetic(Operator::Subtract, total, terms.principal)?;
        let outputs = [first, last, interest, terms.premium, premiums, total, cost, terms.charge()?];
        for (rank, value) in outputs.into_iter().enumerate() {
            state.set(slot + rank, Value::Number(value));
        }
        Ok(())
    }

    fn set_aside(&self, state: &mut State, slot: usize) {
        for rank in 0..=OUTPUTS.len() {
            state.set(slot + rank, Value::ZERO);
        }
    }

    fn operands(&self, state: &State, _slot: usize) -> Vec<(String, Value)> {
        let given = [("capital", Some(&self.principal)), ("mois", Some(&self.months)), ("taux", Some(&self.rate))];
        let given = given.into_iter().chain([
            ("frais", self.fees.as_ref()),
            ("assurance", self.insurance.as_ref()),
            ("capital_constant", self.constant_principal.as_ref()),
        ]);
        given.filter_map(|(name, code)| Some((name.to_owned(), code?.run(state).unwrap_or_default()))).collect()
    }

    fn schedule(&self, state: &State, _slot: usize) -> Result<Vec<Payment>, Fault> {
        let terms = self.terms(state)?;
        let mut schedule = Vec::with_capacity(terms.months as usize);
        terms.each_payment(|payment| {
            schedule.push(payment.clone());
            Ok(())
        })?;
        Ok(schedule)
    }
}

/// Longest loan: a century of monthly payments.
const MOST_MONTHS: u32 = 1200;

impl Bound {
    fn terms(&self, state: &State) -> Result<Terms, Fault> {
        let optional = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));
        let principal = self.principal.number(state)?;
        let months = u32::try_from(self.months.number(state)?).map_err(|_| Fault::Overflow)?;
        if months > MOST_MONTHS {
            return Err(Fault::Overflow);
        }
        let rate = self.rate.number(state)?;
        let insurance = optional(&self.insurance)?.unwrap_or_default();
        let constant_principal = self.constant_principal.as_ref().map_or(Ok(false), |code| code.boolean(state))?;
        let rounding = self.rounding.first().ok_or(Fault::Type)?;
        let rounding = Rounding { unit: rounding.unit.number(state)?, mode: rounding.mode };
        let monthly = |yearly: Decimal| arithmetic(Operator::Divide, yearly, Decimal::from(12));
        let exact_premium = monthly(arithmetic(Operator::Multiply, principal, insurance)?)?;
        let mut terms = Terms {
            principal,
            months,
            rate: monthly(rate)?,
            fees: optional(&self.fees)?.unwrap_or_default(),
            premium: Decimal::ZERO,
            exact_premium,
            constant_principal,
            rounding,
        };
        terms.premium = terms.rounded(exact_premium)?;
        Ok(terms)
    }
}

/// The terms of a loan, its rate being that of a month.
struct Terms {
    principal: Decimal,
    months: u32,
    rate: Decimal,
    fees: Decimal,
    premium: Decimal,
    exact_premium: Decimal,
    constant_principal: bool,
    rounding: Rounding<Decimal>,
}

impl Terms {
    fn rounded(&self, amount: Decimal) -> Result<Decimal, Fault> {
        round(amount, self.rounding.unit, self.rounding.mode).ok_or(Fault::Overflow)
    }

    /// The unrounded constant instalment, or the constant share of principal.
    fn instalment(&self) -> Result<Decimal, Fault> {
        let months = Decimal::from(self.months);
        if self.rate.is_zero() || self.constant_principal {
            return arithmetic(Operator::Divide, self.principal, months);
        }
        // P i (1 + i)^n / ((1 + i)^n - 1): the same, without a negative power.
        let growth = self.growth(self.months)?;
        let interest = arithmetic(Operator::Multiply, self.principal, self.rate)?;
        let above = arithmetic(Operator::Divide, growth, arithmetic(Operator::Subtract, growth, Decimal::ONE)?)?;
        arithmetic(Operator::Multiply, interest, above)
    }

    /// (1 + i)^n.
    fn growth(&self, months: u32) -> Result<Decimal, Fault> {
        let one_month = arithmetic(Operator::Add, Decimal::ONE, self.rate)?;
        one_month.checked_powu(u64::from(months)).ok_or(Fault::Overflow)
    }

    fn each_payment(&self, mut with: impl FnMut(&Payment) -> Result<(), Fault>) -> Result<(), Fault> {
        let regular = self.rounded(self.instalment()?)?;
        let mut balance = self.principal;
        for month in 1..=self.months {
            let interest = self.rounded(arithmetic(Operator::Multiply, balance, self.rate)?)?;
            let due = arithmetic(Operator::Add, balance, interest)?;
            let principal = if month == self.months {
                balance
            } else if self.constant_principal {
                regular.min(balance)
            } else {
                arithmetic(Operator::Subtract, regular.min(due), interest)?
            };
            let payment = arithmetic(Operator::Add, principal, interest)?;
            balance = arithmetic(Operator::Subtract, balance, principal)?;
            with(&Payment { month, payment, interest, principal, insurance: self.premium, balance })?;
        }
        Ok(())
    }

    /// The yearly rate of charge, fees and premiums included.
    fn charge(&self) -> Result<Decimal, Fault> {
        if self.fees.is_zero() && self.exact_premium.is_zero() {
            return arithmetic(Operator::Subtract, self.growth(12)?, Decimal::ONE);
        }
        let received = arithmetic(Operator::Subtract, self.principal, self.fees)?;
        // Bisection on the value v of a payment one month away: what is repaid is worth more as v grows.
        let (mut low, mut high) = (Decimal::ZERO, Decimal::ONE);
        for _ in 0..64 {
            let middle = (low + high) / Decimal::TWO;
            if self.worth(middle)? > received {
                high = middle;
            } else {
                low = middle;
            }
        }
        let year = arithmetic(Operator::Divide, Decimal::ONE, high)?.checked_powu(12).ok_or(Fault::Overflow)?;
        arithmetic(Operator::Subtract, year, Decimal::ONE)
    }

    /// What the unrounded payments are worth at the start, a month's delay being worth `v`.
    ///
    /// With constant payments m it is m x (v + v^2 + ... + v^n); with constant principal p the interest
    /// falls, and the payment of month k is p + i x p x (n - k + 1).
    fn worth(&self, v: Decimal) -> Result<Decimal, Fault> {
        let n = Decimal::from(self.months);
        let power = v.checked_powu(u64::from(self.months)).unwrap_or_default();
        let one_less = Decimal::ONE - v;
        let sum = if one_less.is_zero() {
            n
        } else {
            arithmetic(Operator::Divide, arithmetic(Operator::Multiply, v, Decimal::ONE - power)?, one_less)?
        };
        let instalment = self.instalment()?;
        let constant = arithmetic(Operator::Multiply, arithmetic(Operator::Add, instalment, self.exact_premium)?, sum)?;
        if !self.constant_principal {
            return Ok(constant);
        }
        // Sum of (n - k + 1) v^k = (n v - v sum') / (1 - v) where sum' = v + ... + v^n shifted by one.
        let weighted = if one_less.is_zero() {
            n * (n + Decimal::ONE) / Decimal::TWO
        } else {
            arithmetic(Operator::Divide, arithmetic(Operator::Multiply, v, n - sum)?, one_less)?
        };
        let interest =
            arithmetic(Operator::Multiply, arithmetic(Operator::Multiply, instalment, self.rate)?, weighted)?;
        arithmetic(Operator::Add, constant, interest)
    }
}
