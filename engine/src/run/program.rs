//! Programs: a method compiled with the figures of one dated file, to be run any number of times.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;

use crate::law::answer::{CompiledField, Evaluator};
use crate::law::formula::{Code, CompileContext, EvalError, OtherMonths, ScaleTexts, State, When};
use crate::law::method::Verdict;
use crate::law::option::OptionSet;
use crate::law::references::{Cited, CitedReferences, OwnedRemark, References};
use crate::law::source::source_text;
use crate::law::step::{CompiledStep, Compiler};
use crate::law::{
    Field, FieldValue, Figure, FigureId, InputId, Method, Shape, SlotId, Source, StepId, Value,
    Warning,
};
use crate::run::dependencies::Dependencies;
use crate::run::layout::{check_exponents, compiled_default, lay_out};
use crate::run::year::YearSlots;
use crate::run::{CalculationError, InternalFault, StepTrace};
use crate::text::refusal::of_the_method;
use crate::text::{BadParameter, Reason, Refusal, Report, Text};

/// A method compiled with the figures of a dated file.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) method: Arc<Method>,
    pub(super) steps: Vec<CompiledStep>,
    pub(super) checks: Vec<CompiledCheck>,
    pub(super) fields: Vec<CompiledField>,
    pub(super) defaults: Vec<Option<Default>>,
    /// The method's own section, then those of its options.
    sections: Vec<Section>,
    /// The references of an answer, for each combination of options.
    references: Vec<References>,
    /// The steps that its parts depend on: computed only for queries of some fields.
    needs: OnceLock<Dependencies>,
    /// Slots whose values the months of a year of pays read of one another.
    pub(super) year_slots: YearSlots,
}

/// The compiled default of an input.
#[derive(Debug)]
pub(super) struct Default {
    pub code: Code,
    /// The option whose figures the default reads, and which alone reads the input.
    pub option: Option<usize>,
}

/// A part of the method that runs as a whole: the method's own always, that of an option where it
/// is on.
#[derive(Debug)]
pub(crate) struct Section {
    pub option: Option<usize>,
    pub steps: Range<usize>,
    pub checks: Range<usize>,
    pub fields: Range<usize>,
    /// Number of slots of a state in which the section runs.
    pub slots: usize,
}

#[derive(Debug)]
pub(super) struct CompiledCheck {
    pub condition: Code,
    /// Whether it runs before the steps.
    pub early: bool,
    /// Its index among the checks of the method.
    pub index: usize,
}

/// The figures of a scale, for compilation.
pub(crate) struct Figures<'f> {
    pub date: Option<Date>,
    pub sources: &'f Arc<[Source]>,
    pub citation: Option<&'f str>,
    pub figures: &'f [Figure],
}

impl Figures<'_> {
    /// The text of `scale.source`, without options: it cites the method's own sources.
    pub(crate) fn source_text(&self, shapes: &[Shape]) -> String {
        self.cited_text(&References::new(
            self.sources,
            &Cited::all(self.figures, shapes),
            OptionSet::default(),
        ))
    }

    /// The text that cites references, unless the scale has its own.
    fn cited_text(&self, references: &References) -> String {
        source_text(self.citation, references.of_the_method())
    }
}

/// A completed calculation.
#[derive(Debug)]
pub(crate) struct Run<'p> {
    program: &'p Program,
    references: &'p References,
    pub state: State,
    on: OptionSet,
    /// Whether each step was computed; `None` where all were.
    ran: Option<Box<[bool]>>,
    pub warnings: Vec<Warning>,
}

impl Program {
    /// Compiles a method with the figures of a dated file; reports mistakes that only show there.
    pub(crate) fn compile(method: &Arc<Method>, figures: &Figures, report: &mut Report) -> Self {
        let scope = &method.scope;
        let (first_slots, sections) = lay_out(method);
        let cited = Cited::all(figures.figures, &scope.figures);
        let references = OptionSet::all(method.options.len());
        let references = references.map(|on| References::new(figures.sources, &cited, on));
        let references: Vec<References> = references.collect();
        let texts = ScaleTexts {
            date: figures.date.map(|date| date.to_string().into()),
            source: references.first().map(|own| figures.cited_text(own).into()),
            currency: method.currency.as_deref().map(Into::into),
        };
        let titles: Vec<String> = figures.sources.iter().map(Source::cited).collect();
        let context = CompileContext {
            figures: figures.figures,
            slots: &first_slots,
            row: None,
            source_titles: &titles,
            scale: &texts,
            names: &method.year_names,
        };
        let mut compiler = Compiler {
            context: &context,
            shapes: &scope.figures,
            inputs: &scope.inputs,
            steps: &scope.steps,
            decimals: method.decimals,
            report,
        };
        let steps =
            scope
                .steps
                .iter()
                .zip(&first_slots)
                .zip(0..)
                .filter_map(|((step, slot), position)| {
                    Some(CompiledStep {
                        step: StepId::new(position),
                        slot: *slot,
                        slots: step.slot_count(),
                        kind: step.checked.as_ref()?.compile(&mut compiler),
                        main: step.main(),
                        modifiers: step.modifiers.compile(&compiler),
                    })
                });
        let steps: Vec<CompiledStep> = steps.collect();
        let year_slots = YearSlots::new(method, &steps);
        let check = |(index, check): (usize, &crate::law::method::Check)| CompiledCheck {
            condition: compiler.code(&check.condition),
            early: check.early,
            index,
        };
        let checks = method.checks.iter().enumerate().map(check).collect();
        let defaults = scope
            .inputs
            .iter()
            .map(|input| compiled_default(input, method, &mut compiler))
            .collect();
        check_exponents(method, figures.figures, compiler.report);
        let fields = method
            .answer
            .iter()
            .map(|field| field.compile(&mut compiler))
            .collect();
        let needs = OnceLock::new();
        Self {
            method: Arc::clone(method),
            steps,
            checks,
            fields,
            defaults,
            sections,
            references,
            needs,
            year_slots,
        }
    }

    /// The method that is compiled.
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// The context in which fields are evaluated.
    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator {
            steps: &self.steps,
            method: &self.method,
            is_exact: false,
        }
    }

    /// The remarks of an answer with some options on, in which these rows of figures were found.
    pub(crate) fn remarks(&self, on: OptionSet, rows: &[(FigureId, usize)]) -> Vec<OwnedRemark> {
        self.references
            .get(on.index())
            .map(|references| references.remarks_of(rows))
            .unwrap_or_default()
    }

    /// Number of slots of a state in which no option is on.
    pub(crate) fn usual_slots(&self) -> usize {
        self.sections.first().map_or(0, |section| section.slots)
    }

    /// Computes all steps from the values sent, one for each input or [`Value::Nothing`].
    pub(crate) fn run(&self, sent: Vec<Value>, when: When) -> Result<Run<'_>, CalculationError> {
        if let Some(pays) = self.pays(&sent) {
            return self.run_equal(sent, when, pays);
        }
        let run = self.prepare(sent, when)?;
        self.finish(run)
    }

    /// Computes like [`run`](Self::run), but only the steps that some fields, given by index,
    /// depend on.
    pub(crate) fn run_fields(
        &self,
        sent: Vec<Value>,
        when: When,
        fields: &[usize],
    ) -> Result<Run<'_>, CalculationError> {
        if self.pays(&sent).is_some() {
            return self.run(sent, when);
        }
        let mut run = self.prepare(sent, when)?;
        run.ran = Some(
            self.needs()
                .steps(self.running(run.on), fields.iter().copied()),
        );
        self.finish(run)
    }

    pub(super) fn finish<'p>(&'p self, mut run: Run<'p>) -> Result<Run<'p>, CalculationError> {
        run.check(true)?;
        for step in self.running_steps(run.on) {
            if run.is_run(step.step) {
                step.run(&mut run.state)
                    .map_err(|error| self.step_error(step, &run.state, error))?;
            }
        }
        run.check(false)?;
        Ok(run)
    }

    /// Computes some steps without checks; within a year of pays where its other months are given.
    pub(super) fn run_steps(
        &self,
        sent: Vec<Value>,
        when: When,
        steps: &[bool],
        year: Option<Arc<OtherMonths>>,
    ) -> Result<State, CalculationError> {
        let mut run = self.prepare(sent, when)?;
        run.state.year = year;
        for step in self.running_steps(run.on) {
            if step.step.of(steps).copied().unwrap_or_default() {
                step.run(&mut run.state)
                    .map_err(|error| self.step_error(step, &run.state, error))?;
            }
        }
        Ok(run.state)
    }

    /// The step that a slot belongs to; `None` for a slot of an input.
    pub(super) fn step_of(&self, slot: SlotId) -> Option<StepId> {
        // Slots are in the order of the steps, after those of the inputs.
        let after = self
            .steps
            .partition_point(|step| step.slot.position() <= slot.position());
        after.checked_sub(1).map(StepId::new)
    }

    /// The steps that its parts depend on.
    pub(crate) fn needs(&self) -> &Dependencies {
        self.needs.get_or_init(|| Dependencies::new(self))
    }

    /// The inputs sent that match no row, as far as can be told while required inputs are missing:
    /// steps that depend on those fail, and are ignored.
    pub(crate) fn without_row(&self, sent: Vec<Value>, when: When) -> Vec<BadParameter> {
        let Ok(mut run) = self.prepare(sent, when) else {
            return Vec::new();
        };
        let mut refused = Vec::new();
        for step in self.running_steps(run.on) {
            if let Err(error) = step.run(&mut run.state)
                && let Some((input, bad)) = self.no_row(step, &run.state, error)
                && run.state.was_sent(input) == Ok(true)
            {
                refused.push(bad);
            }
        }
        refused
    }

    /// Fills in the defaults of the inputs that were not sent.
    pub(super) fn prepare(
        &self,
        sent: Vec<Value>,
        when: When,
    ) -> Result<Run<'_>, CalculationError> {
        let given: Vec<bool> = sent.iter().map(|value| *value != Value::Nothing).collect();
        let mut state = State {
            slots: sent,
            sent: given,
            when,
            ..State::default()
        };
        let on = self
            .switched(&state)
            .map_err(|error| self.error(WHOLE, error))?;
        for (input, default) in InputId::enumerate(&self.defaults) {
            self.fill(&mut state, input, default.as_ref(), on)
                .map_err(|error| self.error(self.input_name(input), error))?;
        }
        let slots = self.running(on).map(|section| section.slots).max();
        state
            .slots
            .resize(slots.unwrap_or(state.slots.len()), Value::Nothing);
        let references = self
            .references
            .get(on.index())
            .ok_or_else(|| self.error(WHOLE, EvalError::Internal))?;
        Ok(Run {
            program: self,
            references,
            state,
            on,
            ran: None,
            warnings: Vec::new(),
        })
    }

    /// The options that the inputs switch on.
    fn switched(&self, state: &State) -> Result<OptionSet, EvalError> {
        let mut on = OptionSet::default();
        for (index, option) in self.method.options.iter().enumerate() {
            if *state.input(option.input)? == Value::Boolean(true) {
                on.switch_on(index);
            }
        }
        Ok(on)
    }

    /// Fills in the default of an input, if a section that runs reads it.
    fn fill(
        &self,
        state: &mut State,
        input: InputId,
        default: Option<&Default>,
        on: OptionSet,
    ) -> Result<(), EvalError> {
        match default {
            Some(default) if *state.input(input)? == Value::Nothing && on.runs(default.option) => {
                let value = default.code.run(state)?;
                state.set(input.slot(), value)
            }
            _ => Ok(()),
        }
    }

    /// The sections that run.
    pub(super) fn running(&self, on: OptionSet) -> impl Iterator<Item = &Section> + Clone {
        self.sections
            .iter()
            .filter(move |section| on.runs(section.option))
    }

    fn running_steps(&self, on: OptionSet) -> impl Iterator<Item = &CompiledStep> {
        self.running(on)
            .flat_map(|section| self.steps.get(section.steps.clone()).unwrap_or_default())
    }

    fn input_name(&self, input: InputId) -> &str {
        input
            .of(self.method.inputs())
            .map_or(WHOLE, |input| &input.name)
    }

    /// The error of a step that fails: a refused input without a matching row, or values too great.
    fn step_error(&self, step: &CompiledStep, state: &State, error: EvalError) -> CalculationError {
        let name = step
            .step
            .of(self.method.steps())
            .map_or(WHOLE, |step| &step.name);
        match self.no_row(step, state, error) {
            Some((_, bad)) => Refusal::of_parameter(bad).into(),
            None => self.error(name, error),
        }
    }

    /// The input to blame where a step fails because no row matches its value, and the values that
    /// exist.
    fn no_row(
        &self,
        step: &CompiledStep,
        state: &State,
        error: EvalError,
    ) -> Option<(InputId, BadParameter)> {
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
            BadParameter::because(&input.name, reason, Some(&received), Text::alike(accepted)),
        ))
    }

    /// The error of a failed evaluation of a step or field, by name.
    pub(super) fn error(&self, name: &str, error: EvalError) -> CalculationError {
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

/// The place of an internal error that is not in a step.
const WHOLE: &str = "(method)";

impl<'p> Run<'p> {
    /// Whether a step is computed.
    fn is_run(&self, step: StepId) -> bool {
        self.ran
            .as_ref()
            .is_none_or(|ran| step.of(ran).copied().unwrap_or_default())
    }

    /// Runs the checks that come before the steps, or those that come after. All refusals are
    /// reported together.
    pub(super) fn check(&mut self, early: bool) -> Result<(), CalculationError> {
        let mut refused = Vec::new();
        let program = self.program;
        let running = program.running(self.on);
        let checks = running.flat_map(|section| {
            program
                .checks
                .get(section.checks.clone())
                .unwrap_or_default()
        });
        for compiled in checks.filter(|check| check.early == early) {
            let holds = compiled.condition.boolean(&self.state);
            if holds == Ok(false) {
                continue;
            }
            let check = program.method.checks.get(compiled.index);
            let verdict = &check
                .ok_or_else(|| program.error(WHOLE, EvalError::Internal))?
                .verdict;
            // A check that cannot be computed must not let through what it is there to refuse. A
            // division by zero is an internal error; values too great are the caller's.
            holds.map_err(|error| match error {
                EvalError::DivisionByZero => InternalFault::new(verdict.sentence()).into(),
                _ => program.error(verdict.sentence(), error),
            })?;
            match verdict {
                Verdict::Refuse { input, sentence } => {
                    refused.push(self.refused(*input, sentence)?)
                }
                Verdict::Warn { warning, .. } => self.warnings.push(warning.clone()),
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

    /// The refusal of the input that a check names.
    fn refused(&self, id: InputId, message: &str) -> Result<BadParameter, CalculationError> {
        let found = || {
            let input = id
                .of(self.program.method.inputs())
                .ok_or(EvalError::Internal)?;
            let sent = self.state.was_sent(id)?;
            let received = if sent {
                Some(input.sent_text(self.state.input(id)?))
            } else {
                None
            };
            Ok((input, received))
        };
        let (input, received) = found().map_err(|error| self.program.error(message, error))?;
        let reason = Reason::Rule {
            sentence: of_the_method(message),
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
        self.references
            .cited(self.state.cited.clone(), with_evidence)
    }

    /// The trace of each step, in payslip order.
    pub(crate) fn explain(&self) -> Result<Vec<StepTrace<'p>>, CalculationError> {
        let (program, references) = (self.program, self.references);
        let explained = |compiled: &'p CompiledStep| {
            let step = compiled.step.of(program.method.steps());
            let step = step.ok_or_else(|| program.error(WHOLE, EvalError::Internal))?;
            StepTrace::new(
                compiled,
                step,
                &self.state,
                references,
                program.method.decimals,
            )
            .map_err(|error| program.error(&step.name, error))
        };
        program.running_steps(self.on).map(explained).collect()
    }
}
