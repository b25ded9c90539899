//! What every step can say besides its kind, always applied in this order: `when`, the kind,
//! `at_least`, `at_most` (so it wins), `round`.

use rust_decimal::Decimal;

use crate::formula::{Code, EvalError, Expr, State};
use crate::index::SlotId;
use crate::number::{plain_zero, round};
use crate::scalar::Scalar;
use crate::types::Value;

use super::{Compiler, Rounding};

/// The modifiers of a checked step.
#[derive(Debug, Default)]
pub(crate) struct Modifiers {
    pub when: Option<Expr>,
    pub at_least: Option<Expr>,
    pub at_most: Option<Expr>,
    pub round: Vec<Rounding<Expr>>,
}

impl Modifiers {
    pub(crate) fn compile(&self, compiler: &Compiler) -> CompiledModifiers {
        CompiledModifiers {
            when: self.when.as_ref().map(|when| compiler.code(when)),
            at_least: compiler.limit(self.at_least.as_ref()),
            at_most: compiler.limit(self.at_most.as_ref()),
            round: compile_roundings(&self.round, compiler),
        }
    }
}

pub(super) fn compile_roundings(list: &[Rounding<Expr>], compiler: &Compiler) -> Vec<Rounding<Code>> {
    list.iter().map(|rounding| Rounding { unit: compiler.code(&rounding.unit), mode: rounding.mode }).collect()
}

/// The limits of the value of a step; `Null` where one does not bind.
#[derive(Debug, Default)]
pub struct Limits<'f> {
    /// The value is raised to it.
    pub at_least: Option<Scalar<'f>>,
    /// The value is then lowered to it.
    pub at_most: Option<Scalar<'f>>,
}

/// The modifiers of a compiled step.
#[derive(Debug)]
pub(crate) struct CompiledModifiers {
    pub when: Option<Code>,
    pub at_least: Option<Code>,
    pub at_most: Option<Code>,
    pub round: Vec<Rounding<Code>>,
}

impl CompiledModifiers {
    /// Whether the step is to be computed.
    pub(crate) fn applies(&self, state: &State) -> Result<bool, EvalError> {
        self.when.as_ref().map_or(Ok(true), |when| when.boolean(state))
    }

    /// The limits, as an explanation shows them.
    pub(crate) fn limits(&self, state: &State) -> Result<Limits<'_>, EvalError> {
        let limit = |code: &Option<Code>| {
            code.as_ref().map(|code| Ok::<_, EvalError>(Scalar::exact(&code.run(state)?))).transpose()
        };
        Ok(Limits { at_least: limit(&self.at_least)?, at_most: limit(&self.at_most)? })
    }

    /// The roundings that round: a unit of 0 leaves the value alone.
    pub(crate) fn roundings(&self, state: &State) -> Result<Vec<Rounding<Decimal>>, EvalError> {
        let rounding = |rounding: &Rounding<Code>| {
            Ok::<_, EvalError>(Rounding { unit: rounding.unit.number(state)?, mode: rounding.mode })
        };
        let mut roundings = self.round.iter().map(rounding).collect::<Result<Vec<_>, _>>()?;
        roundings.retain(|rounding| !rounding.unit.is_zero());
        Ok(roundings)
    }

    /// Limits and rounds the value in a slot.
    pub(crate) fn finish(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let Value::Number(mut value) = *state.get(slot)? else { return Ok(()) };
        if let Some(least) = self.at_least.as_ref().map(|code| code.limit(state)).transpose()?.flatten() {
            value = value.max(least);
        }
        if let Some(most) = self.at_most.as_ref().map(|code| code.limit(state)).transpose()?.flatten() {
            value = value.min(most);
        }
        for rounding in &self.round {
            value = round(value, rounding.unit.number(state)?, rounding.mode).ok_or(EvalError::Overflow)?;
        }
        state.set(slot, Value::Number(plain_zero(value)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, folder, refused, shown};

    fn method(slots: &str) -> String {
        let inputs = "  pas: {type: number, default: 1, label: Pas}\n";
        format!("{GROSS}{inputs}steps:\n  x: {{formula: brut{slots}}}\nanswer:\n  x: {{value: x}}\n  pas: pas\n")
    }

    #[test]
    fn limits_come_before_roundings_and_the_upper_one_wins() {
        let folder = folder(&method(", round: 1, at_most: brut * 2, at_least: brut * 3"), "");
        assert_eq!(shown(&folder, "brut=10.3", "x"), "21");
        assert_eq!(shown(&folder, "brut=-10.3", "x"), "-21");
    }

    #[test]
    fn several_roundings_are_made_one_after_the_other() {
        let folder = folder(&method(", round: 1; 10; 100 up"), "");
        assert_eq!(shown(&folder, "brut=104.5", "x"), "200");
        assert_eq!(shown(&folder, "brut=104.4", "x"), "100");
    }

    #[test]
    fn each_mode_rounds_its_own_way() {
        for (round, up, down) in
            [("1", "3", "-3"), ("1 half_up", "3", "-3"), ("1 down", "2", "-3"), ("1 up", "3", "-2")]
        {
            let folder = folder(&method(&format!(", round: {round}")), "");
            assert_eq!(
                (shown(&folder, "brut=2.5", "x"), shown(&folder, "brut=-2.5", "x")),
                (up.into(), down.into()),
                "{round}"
            );
        }
    }

    #[test]
    fn the_unit_may_be_a_number_and_zero_is_no_rounding() {
        let folder = folder(&method(", round: pas down"), "");
        assert_eq!(shown(&folder, "brut=17.38&pas=5", "x"), "15");
        assert_eq!(shown(&folder, "brut=17.38&pas=0", "x"), "17.38");
        assert_eq!(shown(&folder, "brut=17.38&pas=0.05", "x"), "17.35");
    }

    #[test]
    fn what_is_skipped_is_neither_limited_nor_rounded() {
        let folder = folder(&method(", when: cadre, at_least: brut + brut, round: 7"), "");
        assert_eq!(shown(&folder, "brut=5", "x"), "0");
        assert_eq!(shown(&folder, "brut=101&cadre=true", "x"), "203");
    }

    #[test]
    fn a_unit_beyond_the_arithmetic_refuses() {
        let folder = folder(&method(", round: pas/10000000000000"), "");
        assert_eq!(refused(&folder, "brut=999999999999&pas=0.000000000000003"), ["brut non_calculable"]);
    }

    #[test]
    fn they_are_typed() {
        assert_eq!(errors(&method(", at_least: annual(brut)"), ""), ["T02"]);
        assert_eq!(errors(&method(", at_most: pas"), ""), ["T02"]);
        assert_eq!(errors(&method(", round: brut"), ""), ["T02"]);
        assert_eq!(errors(&method(", round: 1 nearest"), ""), ["E10"]);
        assert_eq!(errors(&method(", round: -1"), ""), ["E11"]);
        assert_eq!(errors(&method(", when: brut"), ""), ["T02"]);
        assert_eq!(errors(&method(" > 0, at_least: 0"), ""), ["E12"]);
        assert_eq!(errors(&method(" > 0, round: 1"), ""), ["E12"]);
    }
}
