//! `formula: expr`: an amount, a number, a rate or a boolean.

use crate::formula::{Code, Expr, Fault, State};
use crate::problem::Problem;
use crate::types::{Period, Type, Value};

use super::operand::{Operand, of_formula};
use super::{Binder, Body, Built, Compute, Kind, Output, Reader, Slot, SlotForm};

pub(super) static KIND: Kind = Kind {
    name: "formula",
    main: SlotForm::Formula,
    slots: &[Slot::new(
        "per",
        SlotForm::Period,
        false,
        "states the period of the amount (month, year or none) where the rules of types give another",
    )],
    help: "a formula: an amount, a number, a rate or a boolean. A step may be written as the formula alone",
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let typed = reader.main_formula()?;
    let place = reader.main_text()?.place;
    if matches!(typed.ty, Type::Choice(_)) {
        reader.error(&place, Problem::StepOfChoice {});
    }
    let ty = match reader.node.text_of("per").map(|per| per.value.as_str()) {
        Some(per) if matches!(typed.ty, Type::Money(_) | Type::Unknown) => Type::Money(match per {
            "month" => Period::Month,
            "year" => Period::Year,
            _ => Period::None,
        }),
        Some(_) => {
            let place = reader.place("per");
            reader.error(&place, Problem::NotAnAmount { found: typed.ty.name() });
            Type::Unknown
        }
        // A constant 0 is a number.
        None if typed.ty == Type::Zero => Type::Number,
        None => typed.ty,
    };
    let outputs = vec![Output::main(ty)];
    Some(Built { body: Box::new(Formula { expr: typed.expr, ty }), outputs, hidden: 0 })
}

#[derive(Debug)]
struct Formula {
    expr: Expr,
    ty: Type,
}

impl Body for Formula {
    fn bind(&self, binder: &mut Binder) -> Box<dyn Compute> {
        let aside = match self.ty {
            Type::Boolean => Value::Boolean(false),
            Type::Text => Value::Nothing,
            _ => Value::ZERO,
        };
        Box::new(Bound { code: binder.code(&self.expr), operands: of_formula(&self.expr, binder), aside })
    }
}

#[derive(Debug)]
struct Bound {
    code: Code,
    operands: Vec<Operand>,
    aside: Value,
}

impl Compute for Bound {
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let value = self.code.run(state)?;
        state.set(slot, value);
        Ok(())
    }

    fn set_aside(&self, state: &mut State, slot: usize) {
        state.set(slot, self.aside.clone());
    }

    fn operands(&self, state: &State, _slot: usize) -> Vec<(String, Value)> {
        self.operands.iter().map(|operand| operand.show(state)).collect()
    }
}
