//! What every step can say besides its kind: one row each, applied in the order of [`MODIFIERS`]. The reader, the
//! schema, the explanations and the pages go by this table.

use rust_decimal::Decimal;

use crate::formula::{Code, EvalError, Expr, State};
use crate::index::SlotId;
use crate::number::{plain_zero, round};
use crate::scalar::Scalar;
use crate::types::Value;

use super::{Compiler, Help, Rounding};

/// What any step may say besides its kind.
///
/// ```
/// let names: Vec<&str> = bareme_engine::MODIFIERS.iter().map(|modifier| modifier.name).collect();
/// assert!(names.contains(&"at_least"));
/// ```
#[derive(Debug)]
pub struct Modifier {
    /// Its key.
    pub name: &'static str,
    /// What it does, for the editor.
    pub help: &'static str,
    /// What stands before its value, where a page says how a step is computed.
    pub phrase: Help,
    /// The member of an explained step that shows its value, one of [`members::STEP`](crate::members::STEP).
    pub(crate) member: Option<&'static str>,
    pub(crate) effect: Effect,
}

/// What a modifier does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    /// The step is computed where a condition holds; what it establishes is known in every key of the step.
    Condition,
    /// The value becomes another, by a second one of its type; where that one is empty, it stays.
    Limit(fn(Decimal, Decimal) -> Decimal),
    /// The value becomes a multiple of a unit.
    Rounding,
}

/// Every modifier, in the order in which they are applied: around the kind, conditions before it.
pub static MODIFIERS: [Modifier; 4] = [
    Modifier {
        name: "when",
        help: "false: the step gives 0, false or nothing, and the rest is skipped",
        phrase: Help { en: "only if", fr: "seulement si" },
        member: None,
        effect: Effect::Condition,
    },
    Modifier {
        name: "at_least",
        help: "the amount is raised to it",
        phrase: Help { en: "at least", fr: "au moins" },
        member: Some("au_moins"),
        effect: Effect::Limit(|value, least| value.max(least)),
    },
    Modifier {
        name: "at_most",
        help: "then lowered to it, so it wins",
        phrase: Help { en: "at most", fr: "au plus" },
        member: Some("au_plus"),
        effect: Effect::Limit(|value, most| value.min(most)),
    },
    Modifier {
        name: "round",
        help: "`unit [half_up|down|up]`, several separated by `;`",
        phrase: Help { en: "rounded", fr: "arrondi" },
        member: Some("arrondi"),
        effect: Effect::Rounding,
    },
];

/// The modifiers of a checked step, or of a compiled one.
#[derive(Debug)]
pub(crate) struct Modifiers<E = Expr> {
    pub conditions: Vec<E>,
    pub changes: Vec<Change<E>>,
}

/// What changes the value of a step.
#[derive(Debug)]
pub(crate) enum Change<E> {
    Limit(&'static Modifier, fn(Decimal, Decimal) -> Decimal, E),
    Rounding(Vec<Rounding<E>>),
}

/// The modifiers of a compiled step.
pub(crate) type CompiledModifiers = Modifiers<Code>;

impl<E> Default for Modifiers<E> {
    fn default() -> Self {
        Self { conditions: Vec::new(), changes: Vec::new() }
    }
}

impl Modifiers {
    /// Whether there are days or households for which the step is not computed.
    pub(crate) fn may_skip(&self) -> bool {
        !self.conditions.is_empty()
    }

    pub(crate) fn compile(&self, compiler: &Compiler) -> CompiledModifiers {
        let changes = self.changes.iter().filter_map(|change| {
            Some(match change {
                Change::Limit(modifier, apply, limit) => Change::Limit(modifier, *apply, compiler.limit(Some(limit))?),
                Change::Rounding(list) => Change::Rounding(compile_roundings(list, compiler)),
            })
        });
        CompiledModifiers {
            conditions: self.conditions.iter().map(|condition| compiler.code(condition)).collect(),
            changes: changes.collect(),
        }
    }
}

pub(super) fn compile_roundings(list: &[Rounding<Expr>], compiler: &Compiler) -> Vec<Rounding<Code>> {
    list.iter().map(|rounding| Rounding { unit: compiler.code(&rounding.unit), mode: rounding.mode }).collect()
}

/// A limit of the value of a step, in a calculation.
#[derive(Debug)]
pub struct AppliedLimit<'f> {
    /// What limits it.
    pub modifier: &'static Modifier,
    /// The limit; `Null` where it does not bind.
    pub value: Scalar<'f>,
}

impl CompiledModifiers {
    /// Whether the step is to be computed.
    pub(crate) fn applies(&self, state: &State) -> Result<bool, EvalError> {
        for condition in &self.conditions {
            if !condition.boolean(state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The limits, as an explanation shows them.
    pub(crate) fn limits(&self, state: &State) -> Result<Vec<AppliedLimit<'_>>, EvalError> {
        let mut limits = Vec::new();
        for change in &self.changes {
            if let Change::Limit(modifier, _, code) = change {
                limits.push(AppliedLimit { modifier, value: Scalar::exact(&code.run(state)?) });
            }
        }
        Ok(limits)
    }

    /// The roundings that round: a unit of 0 leaves the value alone.
    pub(crate) fn roundings(&self, state: &State) -> Result<Vec<Rounding<Decimal>>, EvalError> {
        let mut roundings = Vec::new();
        for change in &self.changes {
            let Change::Rounding(list) = change else { continue };
            for rounding in list {
                roundings.push(Rounding { unit: rounding.unit.number(state)?, mode: rounding.mode });
            }
        }
        roundings.retain(|rounding| !rounding.unit.is_zero());
        Ok(roundings)
    }

    /// Limits and rounds the value in a slot.
    pub(crate) fn finish(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let Value::Number(mut value) = *state.get(slot)? else { return Ok(()) };
        for change in &self.changes {
            match change {
                Change::Limit(_, apply, limit) => {
                    value = limit.limit(state)?.map_or(value, |limit| apply(value, limit));
                }
                Change::Rounding(list) => {
                    for rounding in list {
                        value = round(value, rounding.unit.number(state)?, rounding.mode).ok_or(EvalError::Overflow)?;
                    }
                }
            }
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
    fn an_explanation_has_a_member_for_each() {
        for member in super::MODIFIERS.iter().filter_map(|modifier| modifier.member) {
            assert!(crate::members::STEP.iter().any(|known| known.name == member), "{member}");
        }
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
