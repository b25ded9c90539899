//! `loan: principal`: a loan repaid monthly. Instalment = round(P i / (1 - (1 + i)^-n)) with i = rate / 12,
//! or P / n at 0%; the last payment clears the balance. The rate of charge is the X that solves
//! P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).

mod charge;
mod schedule;

use rust_decimal::Decimal;

use crate::formula::{Code, EvalError, ExpectedType, Expr, State};
use crate::index::SlotId;
use crate::number::{add, mul, sub};
use crate::problem::Problem;
use crate::types::{Type, Value};

use schedule::LoanTerms;

pub use schedule::Payment;

use super::modifiers::compile_roundings;
use super::operand::{Given, of_kind};
use super::{
    Built, Checked, Compiled, Compiler, Detail, Help, KeyForm, Kind, Operand, Output, Reader, Rounding, Sentence,
    StepKey, WITH,
};

pub(super) static KIND: Kind = Kind {
    name: "loan",
    main: KeyForm::Formula,
    keys: &[
        WITH,
        StepKey::new("months", KeyForm::Formula, true, "number of monthly payments", "nombre de mensualités")
            .said("in months:", "en mois :"),
        StepKey::new(
            "rate",
            KeyForm::Formula,
            true,
            "nominal rate a year; a twelfth of it each month",
            "taux nominal annuel ; un douzième chaque mois",
        )
        .said("at the rate", "au taux"),
        StepKey::new("fees", KeyForm::Formula, false, "paid at the start", "frais payés au départ")
            .said("fees", "frais"),
        StepKey::new(
            "insurance",
            KeyForm::Formula,
            false,
            "premium, a rate a year of the initial principal",
            "prime, un taux annuel du capital initial",
        )
        .said("insurance", "assurance"),
        StepKey::new(
            "constant_principal",
            KeyForm::Formula,
            false,
            "true: the same principal each month, falling payments",
            "vrai : le même capital chaque mois, des mensualités qui décroissent",
        )
        .said("constant principal if", "capital constant si"),
        StepKey::new(
            "round",
            KeyForm::Rounding,
            true,
            "unit of payments, interest and premiums",
            "unité des mensualités, des intérêts et des primes",
        )
        .said("rounded", "arrondi"),
    ],
    help: Help {
        en: "a loan repaid monthly: `.payment` (first), `.last_payment`, `.interest`, `.insurance` (a month), `.insurance_total`, `.total`, `.cost`, `.apr`",
        fr: "un prêt remboursé par mensualités : `.payment` (la première), `.last_payment` (la dernière), `.interest` (intérêts), `.insurance` (assurance, par mois), `.insurance_total`, `.total`, `.cost` (coût), `.apr` (taux annuel effectif)",
    },
    sentence: Sentence::Operands,
    phrase: Some(Help { en: "loan of", fr: "prêt de" }),
    detail: Detail::Payments,
    read,
};

/// Outputs that are amounts; the rate of charge comes after them.
const OUTPUTS: [&str; 7] = ["payment", "last_payment", "interest", "insurance", "insurance_total", "total", "cost"];

fn read(reader: &mut Reader) -> Option<Built> {
    let principal = reader.main_amount()?;
    let months = reader.key("months", ExpectedType::of(Type::Number));
    let rate = reader.key("rate", ExpectedType::of(Type::Rate));
    let fees = reader.key("fees", ExpectedType::limit(principal.ty)).map(|typed| typed.expr);
    let insurance = reader.key("insurance", ExpectedType::limit(Type::Rate)).map(|typed| typed.expr);
    let constant_principal = reader.key("constant_principal", ExpectedType::BOOLEAN).map(|typed| typed.expr);
    let rounding = reader.roundings("round").into_iter().next();
    if rounding.is_none() {
        let place = reader.name.place.clone();
        reader.error(&place, Problem::MissingStepKey { key: "round", kind: "loan" });
    }
    let mut outputs: Vec<Output> = OUTPUTS.iter().map(|name| Output::named(name, principal.ty)).collect();
    outputs.push(Output::named("apr", Type::Rate));
    let checked = Loan {
        ty: principal.ty,
        principal: principal.expr,
        months: months?.expr,
        rate: rate?.expr,
        fees,
        insurance,
        constant_principal,
        rounding: rounding?,
    };
    Some(Built { checked: Box::new(checked), outputs, hidden: 1 })
}

#[derive(Debug)]
struct Loan {
    ty: Type,
    principal: Expr,
    months: Expr,
    rate: Expr,
    fees: Option<Expr>,
    insurance: Option<Expr>,
    constant_principal: Option<Expr>,
    rounding: Rounding<Expr>,
}

impl Checked for Loan {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(CompiledLoan {
            ty: self.ty,
            principal: compiler.code(&self.principal),
            months: compiler.code(&self.months),
            rate: compiler.code(&self.rate),
            fees: compiler.limit(self.fees.as_ref()),
            insurance: compiler.limit(self.insurance.as_ref()),
            constant_principal: self.constant_principal.as_ref().map(|expr| compiler.code(expr)),
            rounding: compile_roundings(std::slice::from_ref(&self.rounding), compiler),
        })
    }
}

#[derive(Debug)]
struct CompiledLoan {
    ty: Type,
    principal: Code,
    months: Code,
    rate: Code,
    fees: Option<Code>,
    insurance: Option<Code>,
    constant_principal: Option<Code>,
    rounding: Vec<Rounding<Code>>,
}

/// Slot after the outputs: the number of payments, nothing when the step is skipped.
const MONTHS: usize = OUTPUTS.len() + 1;

impl Compiled for CompiledLoan {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let terms = self.terms(state)?;
        let schedule = terms.schedule()?;
        let totals = schedule.totals(|_| ())?;
        let interest = totals.interest;
        let premiums = mul(terms.premium()?, Decimal::from(terms.months))?;
        let paid = add(terms.principal, interest)?;
        let total = add(add(paid, premiums)?, terms.fees)?;
        let cost = sub(total, terms.principal)?;
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
        for (index, value) in outputs.into_iter().enumerate() {
            state.set(slot.after(index), Value::Number(value))?;
        }
        state.set(slot.after(MONTHS), Value::Number(terms.months.into()))
    }

    fn skip(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        for index in 0..MONTHS {
            state.set(slot.after(index), Value::ZERO)?;
        }
        state.set(slot.after(MONTHS), Value::Nothing)
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let given = [
            Given { name: "capital", code: Some(&self.principal), ty: self.ty },
            Given { name: "mois", code: Some(&self.months), ty: Type::Number },
            Given { name: "taux", code: Some(&self.rate), ty: Type::Rate },
            Given { name: "frais", code: self.fees.as_ref(), ty: self.ty },
            Given { name: "assurance", code: self.insurance.as_ref(), ty: Type::Rate },
            Given { name: "capital_constant", code: self.constant_principal.as_ref(), ty: Type::Boolean },
        ];
        of_kind(given, state)
    }

    fn schedule(&self, state: &State, slot: SlotId) -> Result<Vec<Payment>, EvalError> {
        if *state.get(slot.after(MONTHS))? == Value::Nothing {
            return Ok(Vec::new());
        }
        let terms = self.terms(state)?;
        let mut lines = Vec::with_capacity(terms.months as usize);
        terms.schedule()?.totals(|line| lines.push(line))?;
        Ok(lines)
    }
}

/// Longest loan: a century of monthly payments.
const MOST_MONTHS: u32 = 1200;

impl CompiledLoan {
    fn terms(&self, state: &State) -> Result<LoanTerms, EvalError> {
        let optional = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));
        let principal = self.principal.number(state)?;
        let months = self.months.number(state)?;
        // A conversion would drop the decimals.
        if !months.fract().is_zero() {
            return Err(EvalError::Domain);
        }
        let months = u32::try_from(months).map_err(|_| EvalError::Domain)?;
        if months == 0 || months > MOST_MONTHS {
            return Err(EvalError::Domain);
        }
        let constant_principal = self.constant_principal.as_ref().map_or(Ok(false), |code| code.boolean(state))?;
        let rounding = self.rounding.first().ok_or(EvalError::Internal)?;
        Ok(LoanTerms {
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

#[cfg(test)]
mod tests {
    use crate::testing::{errors, folder, refused, shown, shown_all};

    const INPUTS: &str = "inputs:
  somme: {type: money, required: true, label: S}
  mois: {type: number, default: 12, label: M}
  taux: {type: rate, default: 0%, label: T}
  frais: {type: money, default: 0, label: F}
  assurance: {type: rate, default: 0%, label: A}
  egal: {type: boolean, default: false, label: E}
";

    const ALL: &str = "months: mois, rate: taux, fees: frais, insurance: assurance, constant_principal: egal";

    fn method(slots: &str) -> String {
        let outputs = ["payment", "last_payment", "interest", "insurance", "insurance_total", "total", "cost", "apr"];
        let fields: String = outputs.iter().map(|name| format!("  {name}: pret.{name}\n")).collect();
        format!("{INPUTS}steps:\n  pret: {{loan: somme, {slots}}}\nanswer:\n{fields}  lignes: {{schedule: pret}}\n")
    }

    fn all() -> crate::folder::Folder {
        folder(&method(&format!("{ALL}, round: 0.01")), "")
    }

    #[test]
    fn a_loan_without_interest_is_shared_out_and_the_last_payment_clears_it() {
        let paths = "payment last_payment interest total cost apr lignes.11.capital_restant_du lignes.12";
        assert_eq!(shown_all(&all(), "somme=100", paths), "8.33 8.37 0 100 0 0 0 absent");
    }

    #[test]
    fn constant_payments_hold_the_interest_of_the_balance() {
        // 1 200 x 1 % / (1 - 1.01^-12) = 106.6185...
        let query = "somme=1200&taux=12";
        assert_eq!(shown_all(&all(), query, "payment last_payment interest total"), "106.62 106.6 79.42 1279.42");
        assert_eq!(shown_all(&all(), query, "lignes.0.interets lignes.0.capital lignes.1.interets"), "12 94.62 11.05");
        assert_eq!(shown(&all(), query, "apr"), "0.1268250301");
    }

    #[test]
    fn constant_principal_lets_the_payments_fall() {
        let query = "somme=1200&taux=12&egal=true";
        let paths = "payment last_payment interest lignes.1.mensualite lignes.11.capital";
        assert_eq!(shown_all(&all(), query, paths), "112 101 78 111 100");
        assert_eq!(shown(&all(), query, "apr"), "0.1268250301");
    }

    #[test]
    fn fees_and_premiums_raise_the_rate_of_charge() {
        let query = "somme=1200&taux=12&frais=20&assurance=1.2";
        assert_eq!(shown_all(&all(), query, "insurance insurance_total total cost"), "1.2 14.4 1313.82 113.82");
        assert_eq!(shown(&all(), query, "apr"), "0.1880015926");
        assert_eq!(shown(&all(), "somme=1200&taux=0&frais=12", "apr"), "0.0187545371");
    }

    #[test]
    fn tiny_loans_are_paid_before_their_term() {
        let paths = "payment last_payment total lignes.0.capital_restant_du lignes.1.mensualite";
        assert_eq!(shown_all(&all(), "somme=0.01", paths), "0 0.01 0.01 0.01 0");
        assert_eq!(shown_all(&all(), "somme=0.06&mois=10", paths), "0.01 0 0.06 0.05 0.01");
        assert_eq!(shown_all(&all(), "somme=7&mois=1&taux=12", paths), "7.07 7.07 7.07 0 absent");
    }

    #[test]
    fn the_rounding_is_that_of_its_slot() {
        let up = folder(&method(&format!("{ALL}, round: 1 up")), "");
        assert_eq!(shown_all(&up, "somme=100", "payment last_payment total"), "9 1 100");
        let fine = folder(&method(&format!("{ALL}, round: 0")), "");
        assert_eq!(shown_all(&fine, "somme=100&mois=8", "payment last_payment total"), "12.5 12.5 100");
    }

    #[test]
    fn what_is_skipped_is_nothing() {
        let folder = folder(&method(&format!("{ALL}, round: 0.01, when: egal")), "");
        assert_eq!(shown_all(&folder, "somme=100", "payment apr lignes"), "0 0 []");
    }

    #[test]
    fn what_cannot_be_computed_refuses_and_does_not_panic() {
        for query in [
            "somme=100&mois=0",
            "somme=100&mois=-3",
            "somme=100&mois=2.5",
            "somme=100&mois=1201",
            "somme=100&mois=99999999999999999999",
            "somme=1000&mois=1200&taux=100000",
            "somme=999999999999&mois=1200&taux=900000000000",
            "somme=100&frais=100",
            "somme=100&frais=200",
        ] {
            assert_eq!(refused(&all(), query), ["somme non_calculable"], "{query}");
        }
    }

    #[test]
    fn great_loans_do_not_panic() {
        for query in [
            "somme=999999999999.99&mois=1200&taux=100&assurance=10&frais=1",
            "somme=999999999999.99&mois=600&taux=0.0000000001&egal=true&assurance=0.01",
            "somme=0.01&mois=1200&taux=100&assurance=100",
            "somme=0&mois=12&taux=5",
            "somme=-100&mois=12&taux=5",
            "somme=100&mois=12&taux=-5",
            "somme=100&mois=12&taux=-1200&frais=1",
            "somme=100&mois=12&taux=-5000&frais=1",
        ] {
            let query_of = crate::testing::query(query);
            let reported = match all().calculate(&(&query_of).into(), crate::testing::TODAY) {
                Ok(_) => None,
                Err(error) => Some(error.refusal().unwrap().parameters[0].code.as_str()),
            };
            assert!(matches!(reported, None | Some("non_calculable")), "{query}: {reported:?}");
        }
    }

    #[test]
    fn its_slots_are_typed_and_required() {
        assert_eq!(errors(&method("months: mois, rate: taux"), "")[0], "E02");
        assert_eq!(errors(&method("rate: taux, round: 1"), "")[0], "E02");
        assert_eq!(errors(&method("months: mois, rate: mois, round: 1"), "")[0], "T02");
        assert_eq!(errors(&method("months: mois, rate: taux, fees: taux, round: 1"), ""), ["T02"]);
        assert_eq!(errors(&method("months: mois, rate: taux, constant_principal: 1, round: 1"), ""), ["T02"]);
    }
}
