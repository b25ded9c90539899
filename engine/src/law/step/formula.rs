//! `formula: expr`: an amount, a number, a rate or a boolean.

use crate::law::column::{Active, Block, Column};
use crate::law::formula::{Code, EvalError, ExpectedType, State, Typed};
use crate::law::range::Ranges;
use crate::law::{Expr, Period, SlotId, Type, Value};
use crate::text::{Problem, Text};

use super::operand::{CompiledOperand, of_formula};
use super::{
    BaseAndRate, Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output,
    Reader, Sentence, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "formula",
    main: KeyForm::Formula,
    keys: keys! {
        "per" Period optional
            fr "dit la période du montant (mois, an ou aucune) là où les règles des types en \
                donnent une autre"
            en "states the period of the amount (month, year or none) where the rules of types \
                give another";
        "base" Formula optional
            fr "le montant qu’une ligne de paie montre comme base" "assiette montrée"
            en "the amount that a line of the payslip shows as the base" "base shown";
        "rate" Formula optional
            fr "le taux qu’une ligne de paie montre" "au taux"
            en "the rate that a line of the payslip shows" "at the rate";
    },
    help: Text::new(
        "le résultat d’une formule : un montant, un nombre, un taux, vrai ou faux. Une étape peut \
         s’écrire par la formule seule",
        "a formula: an amount, a number, a rate or a boolean. A step may be written as the \
         formula alone",
    ),
    sentence: Sentence::Formula,
    phrase: None,
    detail: Detail::None,
    levy: Levy::None,
    outputs: &[],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let typed = reader.main_formula()?;
    let place = reader.main_text()?.place;
    // The words of a choice belong to its input: as the value of a step, they would have no
    // meaning.
    if matches!(typed.ty, Type::Choice(_)) {
        reader.error(&place, Problem::StepOfChoice {});
    }

    // `per` gives a period to an amount; nothing else has one.
    let ty = match reader.node.text_of("per").map(|per| per.value.as_str()) {
        Some(per) if matches!(typed.ty, Type::Money(_) | Type::Unknown) => Type::Money(match per {
            "month" => Period::Month,
            "year" => Period::Year,
            _ => Period::None,
        }),
        Some(_) => {
            let place = reader.place("per");
            reader.error(
                &place,
                Problem::NotAnAmount {
                    found: typed.ty.name(),
                },
            );
            Type::Unknown
        }
        // A constant 0 is a number.
        None if typed.ty == Type::Zero => Type::Number,
        None => typed.ty,
    };

    // A line of the payslip shows a base and a rate beside an amount only.
    let shows_line = ["base", "rate"]
        .iter()
        .any(|key| reader.node.text_of(key).is_some());
    if shows_line && !matches!(ty, Type::Money(_) | Type::Unknown) {
        reader.error(&place, Problem::NotAnAmount { found: ty.name() });
    }

    let (base, base_type) =
        line_base(reader).map_or((None, ty), |typed| (Some(typed.expr), typed.ty));

    let rate = reader
        .key("rate", ExpectedType::exactly(Type::Rate))
        .map(|typed| typed.expr);

    // Without a line, the slots of its base and its rate are not kept.
    let hidden = if shows_line { LINE_SLOTS } else { 0 };
    let outputs = vec![Output::main(ty)];

    Some(Built {
        checked: Box::new(Formula {
            expr: typed.expr,
            ty,
            base,
            base_type,
            rate,
        }),
        outputs,
        hidden,
    })
}

/// The amount that the line shows as its base.
fn line_base(reader: &mut Reader) -> Option<Typed> {
    let typed = reader.key("base", ExpectedType::default())?;
    if !matches!(typed.ty, Type::Money(_) | Type::Unknown) {
        let place = reader.place("base");
        reader.error(
            &place,
            Problem::NotAnAmount {
                found: typed.ty.name(),
            },
        );
    }
    Some(typed)
}

#[derive(Debug)]
struct Formula {
    expr: Expr,
    ty: Type,
    base: Option<Expr>,
    base_type: Type,
    rate: Option<Expr>,
}

impl Checked for Formula {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(CompiledFormula {
            code: compiler.code(&self.expr),
            operands: of_formula(&self.expr, compiler),
            skipped: Value::of_skipped(self.ty),
            base_type: self.base_type,
            base: self.base.as_ref().map(|base| compiler.code(base)),
            rate: self.rate.as_ref().map(|rate| compiler.code(rate)),
        })
    }

    fn passes_on(&self) -> Option<&Expr> {
        Some(&self.expr)
    }
}

#[derive(Debug)]
struct CompiledFormula {
    code: Code,
    operands: Vec<CompiledOperand>,
    skipped: Value,
    /// The base and the rate of its line on the payslip.
    base: Option<Code>,
    base_type: Type,
    rate: Option<Code>,
}

/// Slots after the value, where the line shows a base or a rate.
const BASE: usize = 1;
const RATE: usize = 2;
const LINE_SLOTS: usize = 2;

impl Compiled for CompiledFormula {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let value = self.code.run(state)?;
        state.set(slot, value)?;

        for (code, place) in [(&self.base, BASE), (&self.rate, RATE)] {
            if let Some(code) = code {
                let shown = code.number(state)?;
                state.set(slot.after(place), Value::Number(shown))?;
            }
        }

        Ok(())
    }

    fn skipped(&self) -> Vec<Value> {
        // As on the line of a contribution: no base, and its rate where it does not depend on what
        // was sent.
        let base = self.base.as_ref().map(|_| Value::ZERO);
        let rate = self.rate.as_ref();
        let rate = rate.map(|rate| rate.constant().cloned().unwrap_or(Value::ZERO));
        vec![
            self.skipped.clone(),
            base.unwrap_or_default(),
            rate.unwrap_or_default(),
        ]
    }

    fn run_ranges(&self, ranges: &mut Ranges, slot: SlotId) {
        let span = self.code.span(ranges);
        ranges.set(slot, span);

        for (code, place) in [(&self.base, BASE), (&self.rate, RATE)] {
            if let Some(code) = code {
                let shown = code.range(ranges);
                ranges.set(slot.after(place), shown);
            }
        }
    }

    fn run_columns(
        &self,
        block: &Block,
        _slot: SlotId,
        count: usize,
        active: &Active,
    ) -> Vec<Column> {
        let shown = |code: &Option<Code>| {
            code.as_ref()
                .map(|code| code.numbers(block, active).into())
                .unwrap_or_default()
        };

        // Without a line of the payslip, the step has a single slot: `count` cuts the rest.
        let columns = [
            self.code.column(block, active),
            shown(&self.base),
            shown(&self.rate),
        ];

        columns.into_iter().take(count).collect()
    }

    fn operands(&self, state: &State, slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        // Sums over other months are shown in a year of pays only.
        let visible = self
            .operands
            .iter()
            .filter(|operand| operand.is_shown(state));
        let values = visible.map(|operand| operand.read(state));
        let mut operands = values.collect::<Result<Vec<_>, _>>()?;

        let line = self.line(state, slot)?;

        for (name, value, ty) in [
            ("assiette", line.base, self.base_type),
            ("taux", line.rate, Type::Rate),
        ] {
            // The formula may read something of that name, which is then shown already.
            let is_new = !operands.iter().any(|known| known.name == name);
            if is_new && let Some(value) = value {
                operands.push(Operand::new(name, &Value::Number(value), ty));
            }
        }

        Ok(operands)
    }

    fn line(&self, state: &State, slot: SlotId) -> Result<BaseAndRate, EvalError> {
        let shown = |code: &Option<Code>, place| {
            code.as_ref()
                .map(|_| state.number(slot.after(place)))
                .transpose()
        };
        Ok(BaseAndRate {
            base: shown(&self.base, BASE)?,
            rate: shown(&self.rate, RATE)?,
        })
    }
}
