//! `deduction: base`: rate x base, raised to `min`, then lowered to `max`.

use crate::formula::{Code, Expr, Fault, Operator, State, Wanted, arithmetic};
use crate::types::{Type, Value};

use super::operand::{Given, of_kind};
use super::{Binder, Body, Built, Compute, Kind, Operand, Output, Reader, Slot, SlotForm};

pub(super) static KIND: Kind = Kind {
    name: "deduction",
    main: SlotForm::Formula,
    slots: &[
        Slot::new("with", SlotForm::Figure, false, "the record figure whose columns fill the slots of the same names"),
        Slot::new("rate", SlotForm::Formula, true, "the rate"),
        Slot::new("min", SlotForm::Formula, false, "the deduction is raised to it"),
        Slot::new("max", SlotForm::Formula, false, "the deduction is lowered to it"),
    ],
    help: "rate x base, raised to `min`, then lowered to `max`",
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let base = reader.main_amount()?;
    let limit = Wanted::limit(base.ty);
    let rate = reader.slot("rate", Wanted::of(Type::Rate));
    let min = reader.slot("min", limit).map(|typed| typed.expr);
    let max = reader.slot("max", limit).map(|typed| typed.expr);
    let outputs = vec![Output::main(base.ty)];
    let body = Deduction { ty: base.ty, base: base.expr, rate: rate?.expr, min, max };
    Some(Built { body: Box::new(body), outputs, hidden: 0 })
}

#[derive(Debug)]
struct Deduction {
    /// Type of the base.
    ty: Type,
    base: Expr,
    rate: Expr,
    min: Option<Expr>,
    max: Option<Expr>,
}

impl Body for Deduction {
    fn bind(&self, binder: &mut Binder) -> Box<dyn Compute> {
        Box::new(Bound {
            ty: self.ty,
            base: binder.code(&self.base),
            rate: binder.code(&self.rate),
            min: binder.limit(self.min.as_ref()),
            max: binder.limit(self.max.as_ref()),
        })
    }
}

#[derive(Debug)]
struct Bound {
    ty: Type,
    base: Code,
    rate: Code,
    min: Option<Code>,
    max: Option<Code>,
}

impl Compute for Bound {
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let limit = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));
        let mut amount = arithmetic(Operator::Multiply, self.base.number(state)?, self.rate.number(state)?)?;
        if let Some(min) = limit(&self.min)? {
            amount = amount.max(min);
        }
        if let Some(max) = limit(&self.max)? {
            amount = amount.min(max);
        }
        state.set(slot, Value::Number(amount));
        Ok(())
    }

    fn set_aside(&self, state: &mut State, slot: usize) {
        state.set(slot, Value::ZERO);
    }

    fn operands(&self, state: &State, _slot: usize) -> Vec<Operand<'_>> {
        let amount = |name, code| Given { name, code, ty: self.ty };
        let given = [
            amount("base", Some(&self.base)),
            Given { name: "taux", code: Some(&self.rate), ty: Type::Rate },
            amount("minimum", self.min.as_ref()),
            amount("maximum", self.max.as_ref()),
        ];
        of_kind(given, state)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, folder, shown};

    fn method(shape: &str, slots: &str) -> String {
        let steps = format!("steps:\n  frais: {{deduction: brut, with: frais{slots}}}\n");
        format!("{GROSS}figures:\n  frais: {{rate: rate{shape}}}\n{steps}answer:\n  frais: frais\n")
    }

    #[test]
    fn it_is_raised_then_lowered() {
        let shape = ", min: money/month, max: money/month";
        let folder = folder(&method(shape, ""), "  frais: {rate: 10%, min: 20, max: 50, per: month, source: s}");
        for (gross, amount) in [("0", "20"), ("300", "30"), ("500", "50"), ("900", "50")] {
            assert_eq!(shown(&folder, &format!("brut={gross}"), "frais"), amount, "{gross}");
        }
    }

    #[test]
    fn the_greatest_amount_wins_over_the_least() {
        let shape = ", min: money/month, max: money/month";
        let folder = folder(&method(shape, ""), "  frais: {rate: 10%, min: 80, max: 50, per: month, source: s}");
        assert_eq!(shown(&folder, "brut=0", "frais"), "50");
    }

    #[test]
    fn an_empty_limit_does_not_bind() {
        let folder = folder(&method(", max: optional money/month", ""), "  frais: {rate: 10%, per: month, source: s}");
        assert_eq!(shown(&folder, "brut=900000", "frais"), "90000");
    }

    #[test]
    fn what_is_set_aside_is_nothing() {
        let folder = folder(&method("", ", min: brut, when: cadre"), "  frais: {rate: 10%, source: s}");
        assert_eq!(shown(&folder, "brut=10", "frais"), "0");
    }

    #[test]
    fn its_slots_are_typed() {
        let figures = "  frais: {rate: 10%, source: s}";
        assert_eq!(errors(&method("", ", max: annual(brut)"), figures), ["T02"]);
        assert_eq!(errors(&method("", ", rate: brut"), figures), ["T02"]);
        assert_eq!(errors(&method("", ", ceiling: brut"), figures), ["S01"]);
    }
}
