//! What every step can say besides its kind, always applied in this order: `when`, the kind,
//! `at_least`, `at_most` (so it wins), `round`.

use crate::formula::{Code, Expr, Fault, State};
use crate::number::{number_french, plain_zero, round};
use crate::types::Value;

use super::{Binder, Rounding};

/// The modifiers of a checked step.
#[derive(Debug, Default)]
pub(crate) struct Modifiers {
    pub when: Option<Expr>,
    pub at_least: Option<Expr>,
    pub at_most: Option<Expr>,
    pub round: Vec<Rounding<Expr>>,
}

impl Modifiers {
    pub(crate) fn bind(&self, binder: &Binder) -> BoundModifiers {
        BoundModifiers {
            when: self.when.as_ref().map(|when| binder.code(when)),
            at_least: binder.limit(self.at_least.as_ref()),
            at_most: binder.limit(self.at_most.as_ref()),
            round: bind_roundings(&self.round, binder),
        }
    }
}

pub(super) fn bind_roundings(list: &[Rounding<Expr>], binder: &Binder) -> Vec<Rounding<Code>> {
    list.iter().map(|rounding| Rounding { unit: binder.code(&rounding.unit), mode: rounding.mode }).collect()
}

/// The modifiers of a bound step.
#[derive(Debug)]
pub(crate) struct BoundModifiers {
    pub when: Option<Code>,
    pub at_least: Option<Code>,
    pub at_most: Option<Code>,
    pub round: Vec<Rounding<Code>>,
}

impl BoundModifiers {
    /// Whether the step is to be computed.
    pub(crate) fn applies(&self, state: &State) -> Result<bool, Fault> {
        self.when.as_ref().map_or(Ok(true), |when| when.boolean(state))
    }

    /// The limits and roundings, as an explanation names them.
    pub(crate) fn operands(&self, state: &State) -> Vec<(&'static str, Value)> {
        let limits = [("au_moins", &self.at_least), ("au_plus", &self.at_most)].into_iter();
        let mut operands: Vec<_> =
            limits.filter_map(|(name, code)| Some((name, code.as_ref()?.run(state).unwrap_or_default()))).collect();
        let roundings = self.round.iter().filter_map(|rounding| {
            let unit = rounding.unit.number(state).ok().filter(|unit| !unit.is_zero())?;
            Some(format!("{} {}", rounding.mode.french(), number_french(unit)))
        });
        let roundings = roundings.collect::<Vec<_>>().join(", puis ");
        if !roundings.is_empty() {
            operands.push(("arrondi", Value::Text(roundings.into())));
        }
        operands
    }

    /// Limits and rounds the value in a slot.
    pub(crate) fn finish(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let Value::Number(mut value) = *state.get(slot) else { return Ok(()) };
        if let Some(least) = self.at_least.as_ref().map(|code| code.limit(state)).transpose()?.flatten() {
            value = value.max(least);
        }
        if let Some(most) = self.at_most.as_ref().map(|code| code.limit(state)).transpose()?.flatten() {
            value = value.min(most);
        }
        for rounding in &self.round {
            value = round(value, rounding.unit.number(state)?, rounding.mode).ok_or(Fault::Overflow)?;
        }
        state.set(slot, Value::Number(plain_zero(value)));
        Ok(())
    }
}
