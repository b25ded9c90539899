//! `formula: expr`: an amount, a number, a rate or a boolean.

use crate::formula::{Code, Expr, Fault, State};
use crate::problem::Problem;
use crate::types::{Period, Type, Value};

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
        Box::new(Bound { code: binder.code(&self.expr), operands: operand_names(&self.expr, binder), aside })
    }
}

#[derive(Debug)]
struct Bound {
    code: Code,
    operands: Vec<(String, Code)>,
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
        let value = |code: &Code| code.run(state).unwrap_or_default();
        self.operands.iter().map(|(name, code)| (name.clone(), value(code))).collect()
    }
}

/// The names that a formula reads, each once, in the order of the text.
fn operand_names(expr: &Expr, binder: &Binder) -> Vec<(String, Code)> {
    let mut found = Vec::new();
    collect(expr, binder, &mut found);
    found
}

fn collect(expr: &Expr, binder: &Binder, found: &mut Vec<(String, Code)>) {
    let name = match expr {
        Expr::Input(rank) => binder.inputs.get(*rank).map(|input| input.name.clone()),
        Expr::Output(step, output) => binder.output_name(*step, *output),
        Expr::Column(figure, column) => binder
            .shapes
            .get(*figure)
            .and_then(|shape| shape.columns.get(*column).map(|column| format!("{}.{}", shape.name, column.name))),
        Expr::Negative(inner) | Expr::Not(inner) => return collect(inner, binder, found),
        Expr::Binary(_, a, b) => {
            collect(a, binder, found);
            return collect(b, binder, found);
        }
        Expr::If(test, yes, no) => {
            for part in [test, yes, no] {
                collect(part, binder, found);
            }
            return;
        }
        Expr::Call(_, arguments) => return arguments.iter().for_each(|argument| collect(argument, binder, found)),
        _ => None,
    };
    if let Some(name) = name
        && !found.iter().any(|(known, _)| *known == name)
    {
        found.push((name, binder.code(expr)));
    }
}
