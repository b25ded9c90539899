//! `loan: principal`: a loan repaid monthly. Instalment = round(P i / (1 - (1 + i)^-n)) with i = rate / 12,
//! or P / n at 0%; the last payment clears the balance. The rate of charge is the X that solves
//! P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).

mod charge;
mod schedule;

use rust_decimal::Decimal;

use crate::formula::{Code, Expr, Fault, Operator, State, Wanted, arithmetic};
use crate::problem::Problem;
use crate::types::{Type, Value};

use schedule::Terms;

pub(crate) use schedule::Payment;

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

impl Compute for Bound {
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let terms = self.terms(state)?;
        let schedule = terms.schedule()?;
        let totals = schedule.totals(|_| ())?;
        let interest = totals.interest;
        let premiums = arithmetic(Operator::Multiply, terms.premium()?, Decimal::from(terms.months))?;
        let paid = arithmetic(Operator::Add, terms.principal, interest)?;
        let total = arithmetic(Operator::Add, arithmetic(Operator::Add, paid, premiums)?, terms.fees)?;
        let cost = arithmetic(Operator::Subtract, total, terms.principal)?;
        let outputs = [
            totals.first,
            totals.last,
            interest,
            terms.premium()?,
            premiums,
            total,
            cost,
            charge::yearly_rate(&terms)?,
        ];
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
        let mut lines = Vec::with_capacity(terms.months as usize);
        terms.schedule()?.totals(|line| lines.push(line))?;
        Ok(lines)
    }
}

/// Longest loan: a century of monthly payments.
const MOST_MONTHS: u32 = 1200;

impl Bound {
    fn terms(&self, state: &State) -> Result<Terms, Fault> {
        let optional = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));
        let principal = self.principal.number(state)?;
        let months = u32::try_from(self.months.number(state)?).map_err(|_| Fault::Overflow)?;
        if months == 0 || months > MOST_MONTHS {
            return Err(Fault::Overflow);
        }
        let constant_principal = self.constant_principal.as_ref().map_or(Ok(false), |code| code.boolean(state))?;
        let rounding = self.rounding.first().ok_or(Fault::Type)?;
        Ok(Terms {
            principal,
            months,
            yearly_rate: self.rate.number(state)?,
            fees: optional(&self.fees)?.unwrap_or_default(),
            yearly_premium: optional(&self.insurance)?.unwrap_or_default(),
            constant_principal,
            rounding: Rounding { unit: rounding.unit.number(state)?, mode: rounding.mode },
        })
    }
}
