//! `loan: principal`: a loan repaid monthly. Instalment = round(P i / (1 - (1 + i)^-n)) with i =
//! rate / 12, or P / n at 0%; the last payment clears the balance. The rate of charge is the X that
//! solves P - fees = sum of (unrounded payment + premium) x (1 + X)^(-k/12).

mod apr;
mod schedule;

use rust_decimal::Decimal;

use crate::law::formula::{Code, EvalError, ExpectedType, State};
use crate::law::{Expr, SlotId, Type, Value};
use crate::text::number::{add, mul, sub};
use crate::text::{Problem, Text};

use schedule::LoanTerms;

pub use schedule::Payment;

use super::operand::{NamedOperand, operands_of_kind};
use super::{
    Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output, Reader,
    Rounding, Sentence, WITH, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "loan",
    main: KeyForm::Formula,
    keys: keys! {
        WITH;
        "months" Formula required
            fr "nombre de mensualités" "en mois :"
            en "number of monthly payments" "in months:";
        "rate" Formula required
            fr "taux nominal annuel ; un douzième chaque mois" "au taux"
            en "nominal rate a year; a twelfth of it each month" "at the rate";
        "fees" Formula optional fr "frais payés au départ" "frais" en "paid at the start" "fees";
        "insurance" Formula optional
            fr "prime, un taux annuel du capital initial" "assurance"
            en "premium, a rate a year of the initial principal" "insurance";
        "constant_principal" Formula optional
            fr "vrai : le même capital chaque mois, des mensualités qui décroissent"
                "capital constant si"
            en "true: the same principal each month, falling payments" "constant principal if";
        "round" Rounding required
            fr "unité des mensualités, des intérêts et des primes" "arrondi"
            en "unit of payments, interest and premiums" "rounded";
    },
    help: Text::new(
        "un prêt remboursé par mensualités : `.payment` (la première), `.last_payment` (la \
         dernière), `.interest` (intérêts), `.insurance` (assurance, par mois), \
         `.insurance_total`, `.total`, `.cost` (coût), `.apr` (taux annuel effectif)",
        "a loan repaid monthly: `.payment` (first), `.last_payment`, `.interest`, `.insurance` (a \
         month), `.insurance_total`, `.total`, `.cost`, `.apr`",
    ),
    sentence: Sentence::Operands,
    phrase: Some(Text::new("prêt de", "loan of")),
    detail: Detail::Payments,
    levy: Levy::None,
    outputs: &OUTPUTS,
    read,
};

/// Its outputs: amounts, then the rate of charge.
const OUTPUTS: [&str; 8] = [
    "payment",
    "last_payment",
    "interest",
    "insurance",
    "insurance_total",
    "total",
    "cost",
    RATE_OF_CHARGE,
];

const RATE_OF_CHARGE: &str = "apr";

fn read(reader: &mut Reader) -> Option<Built> {
    let principal = reader.main_amount()?;
    let months = reader.key("months", ExpectedType::exactly(Type::Number));
    let rate = reader.key("rate", ExpectedType::exactly(Type::Rate));

    let fees = reader
        .key("fees", ExpectedType::limit(principal.ty))
        .map(|typed| typed.expr);
    let insurance = reader
        .key("insurance", ExpectedType::limit(Type::Rate))
        .map(|typed| typed.expr);
    let constant_principal = reader
        .key("constant_principal", ExpectedType::BOOLEAN)
        .map(|typed| typed.expr);

    // `round` is no formula, so that its absence is reported here.
    let rounding = reader.roundings("round").into_iter().next();
    if rounding.is_none() {
        reader.report.error(
            &reader.name.place,
            Problem::MissingStepKey {
                key: "round",
                kind: "loan",
            },
        );
    }

    let outputs = OUTPUTS.map(|name| {
        let is_rate = name == RATE_OF_CHARGE;
        Output::named(name, if is_rate { Type::Rate } else { principal.ty })
    });

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

    Some(Built {
        checked: Box::new(checked),
        outputs: outputs.into(),
        hidden: 1,
    })
}

/// A loan, checked or compiled.
#[derive(Debug)]
struct Loan<E = Expr> {
    ty: Type,
    principal: E,
    months: E,
    rate: E,
    fees: Option<E>,
    insurance: Option<E>,
    constant_principal: Option<E>,
    rounding: Rounding<E>,
}

impl Checked for Loan {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(Loan {
            ty: self.ty,
            principal: compiler.code(&self.principal),
            months: compiler.code(&self.months),
            rate: compiler.code(&self.rate),
            fees: compiler.limit(self.fees.as_ref()),
            insurance: compiler.limit(self.insurance.as_ref()),
            constant_principal: self
                .constant_principal
                .as_ref()
                .map(|expr| compiler.code(expr)),
            rounding: Rounding {
                unit: compiler.code(&self.rounding.unit),
                mode: self.rounding.mode,
            },
        })
    }
}

/// Slot after the outputs: the number of payments, nothing when the step is skipped.
const MONTHS: usize = OUTPUTS.len();

impl Compiled for Loan<Code> {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let terms = self.terms(state)?;
        let schedule = terms.schedule()?;
        let totals = schedule.totals(|_| ())?;
        // The totals are those of the rounded payments, which the borrower pays.
        let interest = totals.interest;

        // The premium is the same each month, whatever is left to repay.
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
            apr::annual_percentage_rate(&terms)?,
        ];

        for (index, value) in outputs.into_iter().enumerate() {
            state.set(slot.after(index), Value::Number(value))?;
        }
        state.set(slot.after(MONTHS), Value::Number(terms.months.into()))
    }

    fn skipped(&self) -> Vec<Value> {
        // Amounts of nothing; there is no schedule.
        vec![Value::ZERO; MONTHS]
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let given = [
            NamedOperand {
                name: "capital",
                code: Some(&self.principal),
                ty: self.ty,
            },
            NamedOperand {
                name: "mois",
                code: Some(&self.months),
                ty: Type::Number,
            },
            NamedOperand {
                name: "taux",
                code: Some(&self.rate),
                ty: Type::Rate,
            },
            NamedOperand {
                name: "frais",
                code: self.fees.as_ref(),
                ty: self.ty,
            },
            NamedOperand {
                name: "assurance",
                code: self.insurance.as_ref(),
                ty: Type::Rate,
            },
            NamedOperand {
                name: "capital_constant",
                code: self.constant_principal.as_ref(),
                ty: Type::Boolean,
            },
        ];
        operands_of_kind(given, state)
    }

    fn schedule(&self, state: &State, slot: SlotId) -> Result<Vec<Payment>, EvalError> {
        // A skipped loan has no number of payments.
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

impl Loan<Code> {
    fn terms(&self, state: &State) -> Result<LoanTerms, EvalError> {
        // Fees and insurance may be empty columns: the loan then has none.
        let optional =
            |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));

        // The bound on the months is one on the schedule, and so on the time of a calculation.
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

        let constant_principal = self
            .constant_principal
            .as_ref()
            .map_or(Ok(false), |code| code.boolean(state))?;

        Ok(LoanTerms {
            principal,
            months,
            yearly_rate: self.rate.number(state)?,
            fees: optional(&self.fees)?.unwrap_or_default(),
            yearly_premium: optional(&self.insurance)?.unwrap_or_default(),
            constant_principal,
            rounding: Rounding {
                unit: self.rounding.unit.number(state)?,
                mode: self.rounding.mode,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{TODAY, folder, query as asked, refused, shown};

    const METHOD: &str = "inputs:
  somme: {type: money, required: true, label: S}
  mois: {type: number, default: 12, label: M}
  taux: {type: rate, default: 0%, label: T}
  frais: {type: money, default: 0, label: F}
  assurance: {type: rate, default: 0%, label: A}
  egal: {type: boolean, default: false, label: E}
steps:
  pret:
    loan: somme
    months: mois
    rate: taux
    fees: frais
    insurance: assurance
    constant_principal: egal
    round: 0.01
answer:
  payment: pret.payment
  apr: pret.apr
  lignes: {schedule: pret}
";

    #[test]
    fn great_loans_do_not_panic() {
        let loan = folder(METHOD, "");
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
            let reported = match loan.calculate(&(&asked(query)).into(), TODAY) {
                Ok(_) => None,
                Err(error) => Some(error.refusal().unwrap().parameters[0].code.as_str()),
            };
            assert!(
                matches!(reported, None | Some("non_calculable")),
                "{query}: {reported:?}"
            );
        }
    }

    #[test]
    fn the_rate_of_a_long_loan_is_found_or_out_of_reach() {
        let loan = folder(METHOD, "");
        let query = "somme=1000&mois=1200&taux=1200&frais=200&egal=true";
        assert_eq!(shown(&loan, query, "apr"), "16851.8387822169");
        assert_eq!(
            refused(&loan, "somme=100&mois=1200&taux=-60&frais=1&egal=true"),
            ["somme non_calculable"]
        );
    }
}
