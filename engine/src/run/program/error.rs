//! Why a program gives no answer: the refusal of an input, or a fault of the engine.

use crate::law::InputId;
use crate::law::callee::CallError;
use crate::law::formula::{EvalError, State};
use crate::law::step::CompiledStep;
use crate::run::{CalculationError, InternalFault};
use crate::text::{BadParameter, Reason, Refusal, Text};

use super::{Program, WHOLE};

impl Program {
    /// The error of a step that fails: a refused input without a matching row, or values too great.
    pub(super) fn step_error(
        &self,
        step: &CompiledStep,
        state: &State,
        error: EvalError,
    ) -> CalculationError {
        let name = step
            .step
            .of(self.method.steps())
            .map_or(WHOLE, |step| &step.name);
        // What another folder says of its own is more precise than the name of the step.
        match (state.call_error.as_deref(), error) {
            (Some(CallError::Refused(parameters)), EvalError::Call) => {
                return Refusal {
                    parameters: parameters.clone(),
                }
                .into();
            }
            (Some(CallError::Fault(place)), EvalError::Call) => {
                return InternalFault::new(place).into();
            }
            _ => {}
        }

        match self.no_row(step, state, error) {
            Some((_, bad)) => Refusal::of_parameter(bad).into(),
            None => self.error(name, error),
        }
    }

    /// The input to blame where a step fails because no row matches its value, and the values that
    /// exist.
    pub(super) fn no_row(
        &self,
        step: &CompiledStep,
        state: &State,
        error: EvalError,
    ) -> Option<(InputId, BadParameter)> {
        // Any other failure is not about what the caller chose.
        let EvalError::NoRow(key) = error else {
            return None;
        };
        let (id, accepted) = step.kind.missing_row(state, key)?;

        let input = id.of(self.method.inputs())?;
        let received = input.sent_text(state.input(id).ok()?);
        let reason = Reason::NoRow {
            input: input.name.clone(),
        };
        Some((
            id,
            BadParameter::because(&input.name, reason, Some(&received), Text::same(accepted)),
        ))
    }

    /// The error of a failed evaluation of a step or field, by name.
    pub(in crate::run) fn error(&self, name: &str, error: EvalError) -> CalculationError {
        // Values too great for a decimal are the caller's to change, and the first input is blamed
        // for want of a better one; anything else is a defect of the engine.
        match (error, self.method.inputs().first()) {
            (EvalError::Internal, _) | (_, None) => InternalFault::new(name).into(),
            (_, Some(input)) => {
                let reason = Reason::NotComputable {
                    step: name.to_owned(),
                };
                Refusal::of_parameter(BadParameter::because(
                    &input.name,
                    reason,
                    None,
                    input.accepted(),
                ))
                .into()
            }
        }
    }
}
