//! Runs: a program executed for one set of inputs, its checks, its fields and its trace.

use crate::law::callee::CitedRows;
use crate::law::explanation::Explanation;
use crate::law::formula::{EvalError, State};
use crate::law::option::OptionSet;
use crate::law::references::{CitedReferences, References};
use crate::law::step_set::StepSet;
use crate::law::{Field, FieldValue, InputId, StepId, Warning};
use crate::run::{CalculationError, InternalFault, StepTrace};
use crate::text::{BadParameter, Reason, Refusal, Text};

use super::{CompiledVerdict, MadeChecks, Program, WHOLE};

/// A completed calculation.
#[derive(Debug)]
pub(crate) struct Run<'p> {
    pub(super) program: &'p Program,
    pub(super) references: &'p References,
    pub state: State,
    pub(in crate::run) on: OptionSet,
    /// The steps that were computed; `None` where all were.
    pub(in crate::run) ran: Option<StepSet>,
    /// The checks that are made.
    pub(super) checks: MadeChecks,
    pub warnings: Vec<Warning>,
}

impl<'p> Run<'p> {
    /// Whether a step is computed.
    pub(super) fn is_run(&self, step: StepId) -> bool {
        self.ran.as_ref().is_none_or(|ran| ran.contains(step))
    }

    /// Runs the checks that come before the steps, or those that come after. All refusals are
    /// reported together.
    pub(in crate::run) fn check(&mut self, early: bool) -> Result<(), CalculationError> {
        let mut refused = Vec::new();
        let program = self.program;
        let running = program.running(self.on);
        let checks = running.flat_map(|section| {
            program
                .checks
                .get(section.checks.clone())
                .unwrap_or_default()
        });

        let made = self.checks;
        for compiled in checks.filter(|check| check.early == early && made.include(check)) {
            let holds = compiled.condition.boolean(&self.state);
            // A check states what must not be: the usual case is that it does not hold.
            if holds == Ok(false) {
                continue;
            }

            // A check that cannot be computed must not let through what it is there to refuse. A
            // division by zero is an internal error; values too great are the caller's.
            holds.map_err(|error| match error {
                EvalError::DivisionByZero => InternalFault::new(compiled.verdict.sentence()).into(),
                _ => program.error(compiled.verdict.sentence(), error),
            })?;

            match &compiled.verdict {
                CompiledVerdict::Refuse { input, sentence } => {
                    refused.push(self.refused(*input, sentence)?);
                }
                CompiledVerdict::Warn(warning) => self.warnings.push(warning.clone()),
            }
        }

        if refused.is_empty() {
            Ok(())
        } else {
            Err(Refusal {
                parameters: refused,
            }
            .into())
        }
    }

    /// Adds the warnings of the other folders that its steps calculate, each once.
    pub(super) fn warn_of_calls(&mut self) {
        for warning in self.state.calls.iter().flat_map(|made| &made.warnings) {
            if !self
                .warnings
                .iter()
                .any(|known| known.key() == warning.key())
            {
                self.warnings.push(warning.clone());
            }
        }
    }

    /// The refusal of the input that a check names.
    fn refused(
        &self,
        id: InputId,
        message: &Text<String>,
    ) -> Result<BadParameter, CalculationError> {
        let found = || {
            let input = id
                .of(self.program.method.inputs())
                .ok_or(EvalError::Internal)?;
            // A default that a check refuses was not received from anybody.
            let sent = self.state.was_sent(id)?;
            let received = if sent {
                Some(input.sent_text(self.state.input(id)?))
            } else {
                None
            };
            Ok((input, received))
        };

        let (input, received) = found().map_err(|error| self.program.error(&message.fr, error))?;
        let reason = Reason::Rule {
            sentence: message.clone(),
        };
        Ok(BadParameter::because(
            &input.name,
            reason,
            received.as_deref(),
            input.accepted(),
        ))
    }

    /// The fields of the answer, in order; only the ones asked for, if some are.
    pub(crate) fn fields(
        &self,
        asked: Option<&[usize]>,
    ) -> Result<Vec<(&'p Field, FieldValue<'p>)>, CalculationError> {
        let program = self.program;
        let mut fields = Vec::with_capacity(asked.map_or(program.fields.len(), <[usize]>::len));
        let is_asked = |index: &usize| asked.is_none_or(|asked| asked.contains(index));

        // Fields stay in the order of the method, whatever the order in which they are asked for:
        // equal queries give equal bytes.
        for index in program
            .running(self.on)
            .flat_map(|section| section.fields.clone())
            .filter(is_asked)
        {
            if let (Some(field), Some(value)) =
                (program.method.fields().get(index), self.field(index)?)
            {
                fields.push((field, value));
            }
        }

        Ok(fields)
    }

    /// The field at an index; `None` where it is left out of the answer.
    pub(crate) fn field(&self, index: usize) -> Result<Option<FieldValue<'p>>, CalculationError> {
        let field = self
            .program
            .fields
            .get(index)
            .ok_or_else(|| self.program.error(WHOLE, EvalError::Internal))?;
        field
            .value(&self.state, self.program.evaluator())
            .map_err(|error| self.program.error(&field.name, error))
    }

    /// Whether the entries of an option are computed; true for the method itself.
    pub(crate) fn runs(&self, option: Option<usize>) -> bool {
        self.on.runs(option)
    }

    /// The number or the lines of the field at an index before rounding for display; `None` where
    /// it is left out.
    pub(crate) fn exact(&self, index: usize) -> Result<Option<FieldValue<'p>>, CalculationError> {
        let field = self
            .program
            .fields
            .get(index)
            .ok_or_else(|| self.program.error(WHOLE, EvalError::Internal))?;
        // Totals over months add up exact values, and are rounded once.
        let exact = field.exact(&self.state, self.program.evaluator());
        exact.map_err(|error| self.program.error(&field.name, error))
    }

    /// The total of exact values of the field at an index, rounded as it shows a value.
    pub(crate) fn total(
        &self,
        index: usize,
        months: Vec<FieldValue<'p>>,
    ) -> Result<FieldValue<'p>, CalculationError> {
        let field = self
            .program
            .fields
            .get(index)
            .ok_or_else(|| self.program.error(WHOLE, EvalError::Internal))?;
        let total = field.total(months, self.program.evaluator());
        total.map_err(|error| self.program.error(&field.name, error))
    }

    /// The sources of the figures used; `with_evidence` adds those they were checked against.
    pub(crate) fn references(&self, with_evidence: bool) -> CitedReferences<'p> {
        let own = CitedRows {
            folder: None,
            references: self.references,
            rows: self.state.cited.clone(),
            read: None,
        };
        let called = self.program.cited_by_calls(&self.state.calls);
        CitedReferences::new(own, called, with_evidence)
    }

    /// The trace of each step that was computed, in payslip order.
    pub(crate) fn explain(
        &self,
        explanation: Explanation,
    ) -> Result<Vec<StepTrace<'p>>, CalculationError> {
        let (program, references) = (self.program, self.references);
        let decimals = program.method.decimals;

        let mut traces = Vec::new();
        let computed = program.running_steps(self.on);
        for compiled in computed.filter(|compiled| self.is_run(compiled.step)) {
            let step = compiled.step.of(program.method.steps());
            let step = step.ok_or_else(|| program.error(WHOLE, EvalError::Internal))?;
            let failed = |error| program.error(&step.name, error);
            let explained = |state: &State| {
                StepTrace::new(compiled, step, state, references, decimals, explanation)
            };

            // A step with items is explained for each of them.
            let Some(size) = compiled.each else {
                traces.push(explained(&self.state).map_err(failed)?);
                continue;
            };
            let count = self.state.items(size).map_err(failed)?.len();
            for item in 0..count {
                let of_item = compiled.state_of_item(&self.state, item).map_err(failed)?;
                let trace = explained(&of_item).map_err(failed)?;
                traces.push(trace.of_item(item));
            }
        }
        Ok(traces)
    }
}
