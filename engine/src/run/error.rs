//! Errors of a calculation: a refused query, or an internal error.

use std::fmt;

use crate::text::refusal::Refusal;

/// Error of a calculation.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::{CalculationError, Query};
///
/// match folder.calculate(&Query::default(), jiff::civil::date(2026, 3, 31)) {
///     Err(CalculationError::Refused(refusal)) => {
///         assert_eq!(refusal.parameters[0].name, "montant")
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CalculationError {
    /// The query cannot be used; the caller can correct it.
    Refused(Refusal),
    /// A defect of the engine, which the caller cannot correct: to be logged.
    Internal(InternalFault),
}

/// An internal error: a state that the checks of the rules exclude. No answer is then given, rather
/// than a wrong amount.
///
/// ```
/// let fault = bareme_engine::run::InternalFault::new("impot");
/// assert_eq!(fault.to_string(), "erreur interne du moteur de calcul, dans `impot`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InternalFault {
    place: String,
}

impl InternalFault {
    /// An internal error in a step, a field or a check; public so that callers can test how they
    /// report one.
    pub fn new(place: &str) -> Self {
        Self {
            place: place.to_owned(),
        }
    }

    /// The step, the field or the check that was evaluated.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl CalculationError {
    /// The refusal, unless it is an internal error.
    pub fn refusal(&self) -> Option<&Refusal> {
        if let Self::Refused(refusal) = self {
            Some(refusal)
        } else {
            None
        }
    }
}

impl From<Refusal> for CalculationError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<InternalFault> for CalculationError {
    fn from(fault: InternalFault) -> Self {
        Self::Internal(fault)
    }
}

impl fmt::Display for InternalFault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(
            formatter,
            "erreur interne du moteur de calcul, dans `{}`",
            self.place
        )
    }
}

impl std::error::Error for InternalFault {}

impl fmt::Display for CalculationError {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(formatter),
            Self::Internal(fault) => fault.fmt(formatter),
        }
    }
}

impl std::error::Error for CalculationError {}

#[cfg(test)]
mod tests {
    use crate::law::formula::{Code, EvalError, State};
    use crate::law::index::SlotId;
    use crate::law::types::Value;
    use crate::testing::{folder, query};

    use super::*;

    #[test]
    fn a_wrong_index_is_a_fault_and_no_zero() {
        let mut state = State {
            slots: vec![Value::ZERO],
            sent: vec![true],
            ..State::default()
        };
        let beyond = SlotId::new(1);
        assert_eq!(state.number(beyond), Err(EvalError::Internal));
        assert_eq!(state.set(beyond, Value::ZERO), Err(EvalError::Internal));
        assert_eq!(Code::Slot(beyond).number(&state), Err(EvalError::Internal));
        assert_eq!(Code::Invalid.run(&state), Err(EvalError::Internal));
    }

    #[test]
    fn a_check_that_cannot_be_computed_is_a_fault_and_no_silence() {
        let keys = "inputs:\n  brut: {type: money, required: true, label: B}\n  n: {type: integer, default: 0, min: 0, label: N}\nchecks:\n  - {if: 10 / n > 2, warn: Peu., code: peu}\nsteps:\n  x: brut * n\nanswer:\n  x: x\n";
        let folder = folder(keys, "");
        let asked = |text: &str| {
            folder
                .calculate(&(&query(text)).into(), crate::testing::TODAY)
                .map(|_| ())
        };
        assert_eq!(
            asked("brut=1"),
            Err(CalculationError::Internal(InternalFault::new("Peu.")))
        );
        assert_eq!(asked("brut=1&n=2"), Ok(()));
    }

    #[test]
    fn a_program_whose_index_is_wrong_gives_no_answer() {
        let keys = "inputs:\n  brut: {type: money, required: true, label: B}\nsteps:\n  x: brut * 2\nanswer:\n  x: x\n";
        let mut folder = folder(keys, "");
        folder.editions[0]
            .program_mut()
            .steps
            .iter_mut()
            .for_each(|step| step.slot = step.slot.after(1000));
        let error = folder
            .calculate(&(&query("brut=1")).into(), crate::testing::TODAY)
            .unwrap_err();
        assert_eq!(error, CalculationError::Internal(InternalFault::new("x")));
        assert_eq!(
            error.to_string(),
            "erreur interne du moteur de calcul, dans `x`"
        );
        assert!(error.refusal().is_none());
    }
}
