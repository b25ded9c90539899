//! Programs: a method compiled with the figures of one dated file, to be run any number of times.

mod check;
mod error;
mod run;
mod varied;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;

use crate::law::answer::{CompiledField, Evaluator};
use crate::law::callee::{CitedRows, MadeCall};
use crate::law::formula::{Code, CompileContext, EvalError, OtherMonths, ScaleTexts, State, When};
use crate::law::method::AmountStyle;
use crate::law::option::OptionSet;
use crate::law::references::{Cited, OwnedRemark, References};
use crate::law::source::source_text;
use crate::law::step::{CompiledStep, Compiler};
use crate::law::step_set::StepSet;
use crate::law::{Figure, FigureId, InputId, Method, Shape, SlotId, Source, StepId, Value};
use crate::run::CalculationError;
use crate::run::dependencies::Dependencies;
use crate::run::layout::{check_exponents, compiled_default, lay_out, lists};
use crate::run::year::YearSlots;
use crate::text::{BadParameter, Report};

pub(crate) use check::{CompiledCheck, CompiledVerdict, MadeChecks};
pub(crate) use run::Run;
pub(crate) use varied::VariedField;

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
    /// Slots carried from one month of a year of pays to the others.
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

impl Program {
    /// Compiles a method with the figures of a dated file; reports mistakes that only show there.
    pub(crate) fn compile(method: &Arc<Method>, figures: &Figures, report: &mut Report) -> Self {
        let symbols = &method.symbols;
        let (first_slots, sections) = lay_out(method);

        // The references of an answer depend only on the options that are on, so that they are
        // listed here once for each combination instead of in every calculation.
        let cited = Cited::all(figures.figures, &symbols.figures);
        let references: Vec<References> = OptionSet::all(method.options.len())
            .map(|on| References::new(figures.sources, &cited, on))
            .collect();

        // The values of `scale.date`, `scale.source` and the like in the formulas of this scale.
        let texts = ScaleTexts {
            date: figures.date.map(|date| date.to_string().into()),
            source: references.first().map(|own| figures.cited_text(own).into()),
            currency: method.currency.as_deref().map(Into::into),
        };

        // A row of figures may cite its source by its index: the titles are at hand when it is
        // found.
        let titles: Vec<String> = figures.sources.iter().map(Source::cited).collect();
        let lists = lists(method, &first_slots);
        let context = CompileContext {
            figures: figures.figures,
            slots: &first_slots,
            lists: &lists,
            groups: &symbols.groups,
            row: None,
            source_titles: &titles,
            scale: &texts,
            names: &method.year_names,
        };

        let mut compiler = Compiler {
            context: &context,
            shapes: &symbols.figures,
            inputs: &symbols.inputs,
            steps: &symbols.steps,
            reads: &method.reads,
            position: StepId::new(0),
            decimals: method.decimals,
            report,
        };

        // A step that did not pass the checks of the method has been reported there, and is left
        // out.
        let placed = symbols.steps.iter().zip(&first_slots).zip(0..);
        let compiled = placed.filter_map(|((step, slot), position)| {
            compiler.position = StepId::new(position);
            let kind = step.checked.as_ref()?.compile(&mut compiler);
            let slots = step.slot_count();
            let mut skipped = kind.skipped();
            skipped.resize(slots, Value::Nothing);

            Some(CompiledStep {
                step: StepId::new(position),
                slot: *slot,
                slots,
                kind,
                skipped,
                main: step.main(),
                modifiers: step.modifiers.compile(&compiler),
                each: step
                    .each
                    .and_then(|group| group.of(&symbols.groups)?.size()),
            })
        });
        let steps: Vec<CompiledStep> = compiled.collect();

        let year_slots = YearSlots::new(method, &steps);

        // Checks, defaults and fields read slots of the steps, and are compiled against the same
        // layout.
        let style = AmountStyle {
            decimals: method.decimals,
            lang: method.lang,
        };
        let checks = method
            .checks
            .iter()
            .map(|check| CompiledCheck::new(check, &context, style))
            .collect();
        let defaults = symbols
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

        Self {
            method: Arc::clone(method),
            steps,
            checks,
            fields,
            defaults,
            sections,
            references,
            needs: OnceLock::new(),
            year_slots,
        }
    }

    /// The method that is compiled.
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// The context in which fields are evaluated.
    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        // Values of answers are rounded as they are shown; a sum over months asks for exact ones.
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
        // Several equal pays, which the rank counts, are computed one after the other.
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
        checks: MadeChecks,
    ) -> Result<Run<'_>, CalculationError> {
        // The last of several equal pays is computed whole.
        if self.pays(&sent).is_some() {
            return self.run(sent, when);
        }

        let mut run = self.prepare(sent, when)?;
        let (fields, made) = (fields.iter().copied(), self.made(checks));
        run.ran = Some(self.needs().steps(self.running(run.on), fields, made));
        run.checks = checks;
        self.finish(run)
    }

    /// Whether the check at an index is one of those that are made.
    pub(crate) fn made(&self, checks: MadeChecks) -> impl Fn(&usize) -> bool + Copy {
        move |index| {
            let check = self.checks.get(*index);
            check.is_some_and(|check| checks.include(check))
        }
    }

    pub(super) fn finish<'p>(&'p self, mut run: Run<'p>) -> Result<Run<'p>, CalculationError> {
        // Early checks read inputs alone: they refuse before a step can fail on the same values.
        run.check(true)?;

        for step in self.running_steps(run.on) {
            if run.is_run(step.step) {
                step.run(&mut run.state)
                    .map_err(|error| self.step_error(step, &run.state, error))?;
            }
        }

        run.check(false)?;
        run.warn_of_calls();
        Ok(run)
    }

    /// Computes some steps without checks; within a year of pays where its other months are given.
    pub(super) fn run_steps(
        &self,
        sent: Vec<Value>,
        when: When,
        steps: &StepSet,
        year: Option<Arc<OtherMonths>>,
    ) -> Result<State, CalculationError> {
        let mut run = self.prepare(sent, when)?;
        run.state.year = year;

        for step in self.running_steps(run.on) {
            if steps.contains(step.step) {
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

    /// The inputs sent that match no row, as far as it shows while required inputs are missing:
    /// steps that depend on those fail, and are ignored.
    pub(crate) fn without_row(&self, sent: Vec<Value>, when: When) -> Vec<BadParameter> {
        let Ok(mut run) = self.prepare(sent, when) else {
            return Vec::new();
        };

        let mut refused = Vec::new();
        // A step that fails for another reason reads an input that is missing, which is reported
        // already.
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

        // Options come first: whether a default is computed depends on them.
        let on = self
            .switched(&state)
            .map_err(|error| self.error(WHOLE, error))?;

        // A value that was not sent is one that no item has.
        self.lay_out_items(&mut state)
            .map_err(|error| self.error(WHOLE, error))?;

        // In the order of the method, since a default may read the inputs before it.
        for (input, default) in InputId::enumerate(&self.defaults) {
            self.fill(&mut state, input, default.as_ref(), on)
                .map_err(|error| self.error(self.input_name(input), error))?;
        }

        // Sections are laid out one after the other: the last one that runs says how many slots
        // there must be.
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
            checks: MadeChecks::All,
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
            // A default that reads figures of an option that is off would read figures that may not
            // be there.
            Some(default) if *state.input(input)? == Value::Nothing && on.runs(default.option) => {
                let value = default.code.run(state)?;
                state.set(input.slot(), value)
            }
            Some(default) if on.runs(default.option) => match state.input(input)?.clone() {
                Value::List(values) if values.contains(&Value::Nothing) => {
                    let value = default.code.run(state)?;
                    let values = values.iter().map(|sent| match sent {
                        Value::Nothing => value.clone(),
                        sent => sent.clone(),
                    });
                    state.set(input.slot(), Value::List(values.collect()))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Gives the inputs of a group that were not sent an empty value for each of its items.
    fn lay_out_items(&self, state: &mut State) -> Result<(), EvalError> {
        for group in self.method.groups() {
            let inputs = || group.inputs.iter().map(|input| input.slot());
            let sent = inputs().find_map(|slot| state.items(slot).ok().map(|values| values.len()));
            let empty: Arc<[Value]> = vec![Value::Nothing; sent.unwrap_or_default()].into();
            for slot in inputs() {
                if *state.get(slot)? == Value::Nothing {
                    state.set(slot, Value::List(Arc::clone(&empty)))?;
                }
            }
        }
        Ok(())
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

    /// The references that the calculations of other folders cite, in the order of the steps.
    pub(crate) fn cited_by_calls<'p>(&'p self, calls: &[MadeCall]) -> Vec<CitedRows<'p>> {
        let of_call = |made: &MadeCall| {
            let step = self.step_of(made.slot)?.of(&self.steps)?;
            Some(step.kind.callee()?.cited(made))
        };
        let mut cited: Vec<CitedRows> = Vec::new();
        for own in calls.iter().filter_map(of_call).flatten() {
            // Several calculations by one scale cite it once, with the rows of all.
            match cited.iter_mut().find(|known| known.is_of_same_scale(&own)) {
                Some(known) => known.join(own),
                None => cited.push(own),
            }
        }
        cited
    }

    /// The references for a combination of options.
    pub(super) fn references(&self, on: OptionSet) -> Option<&References> {
        self.references.get(on.index())
    }
}

/// The place of an internal error that is not in a step.
const WHOLE: &str = "(method)";
