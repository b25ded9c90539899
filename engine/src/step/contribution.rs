//! `contribution: base`: rate x counted base. The counted base is the base raised to `floor`, lowered
//! to `ceiling`, then only its part above `over`.

use rust_decimal::Decimal;

use crate::formula::{Code, EvalError, ExpectedType, Expr, State};
use crate::index::SlotId;
use crate::number::{mul, sub};
use crate::types::{Type, Value};

use super::operand::{Given, of_kind};
use super::{
    BaseAndRate, Built, Checked, Compiled, Compiler, Detail, Help, KeyForm, Kind, Operand, Output, Reader, Sentence,
    StepKey, WITH,
};

pub(super) static KIND: Kind = Kind {
    name: "contribution",
    main: KeyForm::Formula,
    keys: &[
        WITH,
        StepKey::new("rate", KeyForm::Formula, true, "the rate", "le taux").said("at the rate", "au taux"),
        StepKey::new("floor", KeyForm::Formula, false, "the base is raised to it", "l'assiette y est relevée")
            .said("on at least", "au moins sur"),
        StepKey::new("ceiling", KeyForm::Formula, false, "the base is lowered to it", "l'assiette y est ramenée")
            .said("on at most", "au plus sur"),
        StepKey::new(
            "over",
            KeyForm::Formula,
            false,
            "only the part of the base above it counts",
            "seule compte la part de l'assiette qui le dépasse",
        )
        .said("for the part above", "pour la part au-delà de"),
    ],
    help: Help {
        en: "rate x counted base; the counted base (`.base`) is the base raised to `floor`, lowered to `ceiling`, then only its part above `over` (0 at least)",
        fr: "taux x assiette retenue ; l'assiette retenue (`.base`) est l'assiette relevée à `floor`, ramenée à `ceiling`, puis seulement sa part au-dessus de `over` (0 au moins)",
    },
    sentence: Sentence::Words {
        fr: "{taux} x {assiette}[ ({base}[, plancher {plancher}][, plafond {plafond}][, au-delà de {au_dela_de}])]",
        en: "{taux} x {assiette}[ ({base}[, floor {plancher}][, ceiling {plafond}][, above {au_dela_de}])]",
    },
    phrase: Some(Help { en: "contribution on", fr: "cotisation sur" }),
    detail: Detail::None,
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let base = reader.main_amount()?;
    let limit = ExpectedType::limit(base.ty);
    let rate = reader.key("rate", ExpectedType::of(Type::Rate));
    let floor = reader.key("floor", limit).map(|typed| typed.expr);
    let ceiling = reader.key("ceiling", limit).map(|typed| typed.expr);
    let over = reader.key("over", limit).map(|typed| typed.expr);
    let outputs = vec![Output::main(base.ty), Output::named("base", base.ty)];
    let checked = Contribution { ty: base.ty, base: base.expr, rate: rate?.expr, floor, ceiling, over };
    Some(Built { checked: Box::new(checked), outputs, hidden: 1 })
}

#[derive(Debug)]
struct Contribution {
    ty: Type,
    base: Expr,
    rate: Expr,
    floor: Option<Expr>,
    ceiling: Option<Expr>,
    over: Option<Expr>,
}

impl Checked for Contribution {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(CompiledContribution {
            ty: self.ty,
            base: compiler.code(&self.base),
            rate: compiler.code(&self.rate),
            floor: compiler.limit(self.floor.as_ref()),
            ceiling: compiler.limit(self.ceiling.as_ref()),
            over: compiler.limit(self.over.as_ref()),
        })
    }
}

#[derive(Debug)]
struct CompiledContribution {
    ty: Type,
    base: Code,
    rate: Code,
    floor: Option<Code>,
    ceiling: Option<Code>,
    over: Option<Code>,
}

/// Slots after the amount: the counted base, the rate.
const BASE: usize = 1;
const RATE: usize = 2;

impl Compiled for CompiledContribution {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let limit = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));
        let mut base = self.base.number(state)?;
        if let Some(floor) = limit(&self.floor)? {
            base = base.max(floor);
        }
        if let Some(ceiling) = limit(&self.ceiling)? {
            base = base.min(ceiling);
        }
        if let Some(over) = limit(&self.over)? {
            base = sub(base, over)?.max(Decimal::ZERO);
        }
        let rate = self.rate.number(state)?;
        state.set(slot, Value::Number(mul(base, rate)?))?;
        state.set(slot.after(BASE), Value::Number(base))?;
        state.set(slot.after(RATE), Value::Number(rate))
    }

    fn skip(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        state.set(slot, Value::ZERO)?;
        state.set(slot.after(BASE), Value::ZERO)?;
        state.set(slot.after(RATE), self.rate.constant().cloned().unwrap_or(Value::ZERO))
    }

    fn operands(&self, state: &State, slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let amount = |name, code| Given { name, code, ty: self.ty };
        let given = [
            amount("base", Some(&self.base)),
            amount("plancher", self.floor.as_ref()),
            amount("plafond", self.ceiling.as_ref()),
            amount("au_dela_de", self.over.as_ref()),
        ];
        let mut operands = of_kind(given, state)?;
        operands.push(Operand::new("assiette", state.get(slot.after(BASE))?, self.ty));
        operands.push(Operand::new("taux", state.get(slot.after(RATE))?, Type::Rate));
        Ok(operands)
    }

    fn line(&self, state: &State, slot: SlotId) -> Result<BaseAndRate, EvalError> {
        Ok(BaseAndRate { base: Some(state.number(slot.after(BASE))?), rate: Some(state.number(slot.after(RATE))?) })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, folder, refused, shown_all};

    fn method(shape: &str, slots: &str) -> String {
        let steps = format!("steps:\n  retenue: {{contribution: brut, with: taux{slots}}}\n");
        let answer = "answer:\n  retenue: retenue\n  base: retenue.base\n  lignes: {lines: retenue}\n";
        format!("{GROSS}figures:\n  taux: {{rate: rate{shape}}}\n{steps}{answer}")
    }

    #[test]
    fn the_base_is_raised_then_lowered_then_counted_above() {
        let shape = ", floor: money/month, ceiling: money/month, over: money/month";
        let folder =
            folder(&method(shape, ""), "  taux: {rate: 10%, floor: 50, ceiling: 200, over: 40, per: month, source: s}");
        for (gross, amount, base) in
            [("0", "1", "10"), ("50", "1", "10"), ("100", "6", "60"), ("200", "16", "160"), ("900", "16", "160")]
        {
            let query = format!("brut={gross}");
            assert_eq!(shown_all(&folder, &query, "retenue base"), format!("{amount} {base}"), "{gross}");
            assert_eq!(shown_all(&folder, &query, "lignes.0.assiette lignes.0.taux"), format!("{base} 0.1"), "{gross}");
        }
    }

    #[test]
    fn the_part_above_is_never_negative() {
        let folder =
            folder(&method(", over: money/month", ""), "  taux: {rate: 10%, over: 100, per: month, source: s}");
        assert_eq!(shown_all(&folder, "brut=30", "retenue base"), "0 0");
    }

    #[test]
    fn a_ceiling_below_the_floor_wins() {
        let shape = ", floor: money/month, ceiling: money/month";
        let folder = folder(&method(shape, ""), "  taux: {rate: 10%, floor: 500, ceiling: 200, per: month, source: s}");
        assert_eq!(shown_all(&folder, "brut=30", "base"), "200");
    }

    #[test]
    fn an_empty_limit_does_not_bind_and_a_slot_of_the_step_wins() {
        let shape = ", floor: optional money/month, ceiling: optional money/month";
        let free = folder(&method(shape, ""), "  taux: {rate: 10%, per: month, source: s}");
        assert_eq!(shown_all(&free, "brut=700", "base"), "700");
        let own = folder(
            &method(shape, ", floor: brut / 2, ceiling: brut / 4"),
            "  taux: {rate: 10%, per: month, source: s}",
        );
        assert_eq!(shown_all(&own, "brut=700", "base"), "175");
    }

    #[test]
    fn what_is_skipped_still_shows_its_rate() {
        let folder = folder(&method("", ", when: cadre"), "  taux: {rate: 10%, source: s}");
        let paths = "retenue base lignes.0.assiette lignes.0.taux lignes.0.montant";
        assert_eq!(shown_all(&folder, "brut=10", paths), "0 0 0 0.1 0");
    }

    #[test]
    fn its_slots_are_typed() {
        let figures = "  taux: {rate: 10%, source: s}";
        assert_eq!(errors(&method("", ", ceiling: annual(brut)"), figures), ["T02"]);
        assert_eq!(errors(&method("", ", rate: 2"), figures), ["F08"]);
        assert_eq!(errors(&method("", "").replace("contribution: brut", "contribution: 3"), figures), ["T06"]);
        assert_eq!(errors(&method("", "").replace(", with: taux", ""), figures)[0], "E02");
        assert_eq!(
            errors(&method(", ceiling: money/year", ""), "  taux: {rate: 1%, ceiling: 5, per: year, source: s}"),
            ["E03"]
        );
    }

    #[test]
    fn an_overflow_refuses_and_does_not_panic() {
        let folder = folder(&method("", ""), "  taux: {rate: 9 000 000 000 000 000 000 000 000%, source: s}");
        assert_eq!(refused(&folder, "brut=1000000000000"), ["brut non_calculable"]);
    }
}
