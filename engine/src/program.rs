//! A program: a method with the figures of one dated file in place, ready to run any number of times.

use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;

use crate::answer::{CompiledField, Evaluator, Field, FieldValue};
use crate::diagnostic::Report;
use crate::figure::Figure;
use crate::formula::{Code, Context, EvalError, ScaleTexts, State, When};
use crate::input::{Input, Presence};
use crate::method::Method;
use crate::option::{self, Switched};
use crate::power;
use crate::problem::Problem;
use crate::references::{CitedReferences, References};
use crate::refusal::{BadParameter, Reason, Refusal};
use crate::source::{Source, source_text};
use crate::step::{CompiledStep, Compiler, Modifiers};
use crate::trace::StepTrace;
use crate::types::Value;

/// A method compiled with the figures of a dated file.
#[derive(Debug)]
pub(crate) struct Program {
    method: Arc<Method>,
    /// What `scale.source` says: the texts behind the method's own figures.
    texts: Arc<str>,
    steps: Vec<CompiledStep>,
    checks: Vec<CompiledCheck>,
    fields: Vec<CompiledField>,
    defaults: Vec<Option<Default>>,
    /// The method's own part, then those of its options.
    sections: Vec<Section>,
    /// For each combination of options.
    references: Vec<References>,
}

/// The default of an input.
#[derive(Debug)]
struct Default {
    code: Code,
    /// The option that alone reads the input, where the default reads its figures.
    option: Option<usize>,
}

/// What of the method runs together: its own part always, that of an option where it is on.
#[derive(Debug)]
struct Section {
    option: Option<usize>,
    steps: Range<usize>,
    checks: Range<usize>,
    fields: Range<usize>,
    /// Slots of a state in which the part runs.
    slots: usize,
}

#[derive(Debug)]
struct CompiledCheck {
    condition: Code,
    index: usize,
}

/// What a program is compiled from, besides the method.
pub(crate) struct Figures<'f> {
    pub date: Option<Date>,
    pub sources: &'f [Source],
    pub citation: Option<&'f str>,
    pub figures: &'f [Figure],
}

/// A calculation that ran.
#[derive(Debug)]
pub(crate) struct Run<'p> {
    program: &'p Program,
    references: &'p References,
    pub state: State,
    on: Switched,
    pub warnings: Vec<String>,
}

impl Program {
    /// Compiles a method with the figures of a dated file; what only shows there goes to the report.
    pub(crate) fn compile(method: &Arc<Method>, figures: &Figures, report: &mut Report) -> Self {
        let scope = &method.scope;
        let (first_slots, sections) = laid_out(method);
        let references = Switched::all(method.options.len());
        let references = references.map(|on| References::new(figures.sources, figures.figures, &scope.figures, on));
        let references: Vec<References> = references.collect();
        let of_the_method = references.first().into_iter().flat_map(References::of_the_method);
        let texts = ScaleTexts {
            date: figures.date.map(|date| date.to_string().into()),
            source: Some(source_text(figures.citation, of_the_method).into()),
            currency: method.currency.as_deref().map(Into::into),
        };
        let titles: Vec<String> = figures.sources.iter().map(Source::cited).collect();
        let context =
            Context { figures: figures.figures, slots: &first_slots, row: None, source_titles: &titles, scale: &texts };
        let mut compiler =
            Compiler { context: &context, shapes: &scope.figures, inputs: &scope.inputs, steps: &scope.steps, report };
        let steps = scope.steps.iter().zip(&first_slots).enumerate().filter_map(|(index, (step, slot))| {
            Some(CompiledStep {
                index,
                slot: *slot,
                kind: step.checked.as_ref()?.compile(&mut compiler),
                main: step.main(),
                modifiers: Modifiers::compile(&step.modifiers, &compiler),
            })
        });
        let steps = steps.collect();
        let check = |(index, check): (usize, &crate::method::Check)| CompiledCheck {
            condition: compiler.code(&check.condition),
            index,
        };
        let checks = method.checks.iter().enumerate().map(check).collect();
        let defaults = scope.inputs.iter().map(|input| compiled_default(input, method, &mut compiler)).collect();
        check_exponents(method, figures.figures, compiler.report);
        let fields = method.answer.iter().map(|field| field.compile(&mut compiler)).collect();
        let texts = texts.source.unwrap_or_default();
        Self { method: Arc::clone(method), texts, steps, checks, fields, defaults, sections, references }
    }

    /// What `scale.source` says.
    pub(crate) fn texts(&self) -> &str {
        &self.texts
    }

    /// The method that is compiled.
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// Number of slots of a state in which no option is on.
    pub(crate) fn usual_slots(&self) -> usize {
        self.sections.first().map_or(0, |section| section.slots)
    }

    /// Computes from the values that the caller sent, one for each input or [`Value::Nothing`].
    pub(crate) fn run(&self, sent: Vec<Value>, when: When) -> Result<Run<'_>, Refusal> {
        let given: Vec<bool> = sent.iter().map(|value| *value != Value::Nothing).collect();
        let mut state = State { slots: sent, sent: given, cited: Vec::new(), when };
        let on = self.switched(&state);
        for (index, default) in self.defaults.iter().enumerate() {
            if let (Value::Nothing, Some(default)) = (state.get(index), default)
                && on.runs(default.option)
            {
                let value = default.code.run(&state).map_err(|_| self.not_computable(&self.input_name(index)))?;
                state.set(index, value);
            }
        }
        let slots = self.running(on).map(|section| section.slots).max().unwrap_or_default();
        state.slots.resize(slots, Value::Nothing);
        let references = self.references.get(on.index()).ok_or_else(|| self.not_computable(&self.input_name(0)))?;
        let mut run = Run { program: self, references, state, on, warnings: Vec::new() };
        run.check(true)?;
        for step in self.running_steps(on) {
            step.run(&mut run.state).map_err(|error| self.refusal(step, &run.state, error))?;
        }
        run.check(false)?;
        Ok(run)
    }

    /// The options that the inputs switch on.
    fn switched(&self, state: &State) -> Switched {
        let mut on = Switched::default();
        for (index, option) in self.method.options.iter().enumerate() {
            if *state.get(option.input) == Value::Boolean(true) {
                on.switch_on(index);
            }
        }
        on
    }

    /// The sections that run: what is off costs nothing.
    fn running(&self, on: Switched) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| on.runs(section.option))
    }

    fn running_steps(&self, on: Switched) -> impl Iterator<Item = &CompiledStep> {
        self.running(on).flat_map(|section| self.steps.get(section.steps.clone()).unwrap_or_default())
    }

    fn input_name(&self, index: usize) -> String {
        self.method.inputs().get(index).map(|input| input.name.clone()).unwrap_or_default()
    }

    /// What a step that cannot be computed is to the caller: an input without row, or values too great.
    fn refusal(&self, step: &CompiledStep, state: &State, error: EvalError) -> Refusal {
        let name = self.method.steps().get(step.index).map(|step| step.name.as_str()).unwrap_or_default();
        let EvalError::NoRow(key) = error else { return self.not_computable(name) };
        let Some((index, accepted)) = step.kind.missing_row(state, key) else { return self.not_computable(name) };
        let Some(input) = self.method.inputs().get(index) else { return self.not_computable(name) };
        let received = input.sent_text(state.get(index));
        let reason = Reason::NoRow { input: input.name.clone() };
        Refusal::of(BadParameter::because(&input.name, reason, Some(&received), accepted))
    }

    fn not_computable(&self, step: &str) -> Refusal {
        let name = self.input_name(0);
        let reason = Reason::NotComputable { step: step.to_owned() };
        let expected = self.method.inputs().first().map(Input::expected).unwrap_or_default();
        Refusal::of(BadParameter::because(&name, reason, None, expected))
    }
}

impl<'p> Run<'p> {
    /// Runs the checks that come before the steps, or those that come after. Every refusal is reported.
    fn check(&mut self, early: bool) -> Result<(), Refusal> {
        let mut refused = Vec::new();
        let program = self.program;
        let running = program.running(self.on);
        for compiled in running.flat_map(|section| program.checks.get(section.checks.clone()).unwrap_or_default()) {
            let Some(check) = self.program.method.checks.get(compiled.index).filter(|check| check.early == early)
            else {
                continue;
            };
            // A check that cannot be computed (an overflow) has nothing to say.
            if !compiled.condition.boolean(&self.state).unwrap_or(false) {
                continue;
            }
            match check.refuses.and_then(|index| Some((index, self.program.method.inputs().get(index)?))) {
                Some((index, input)) => {
                    let sent = self.state.sent.get(index).copied().unwrap_or(false);
                    let received = sent.then(|| input.sent_text(self.state.get(index)));
                    let reason = Reason::Rule(check.message.clone());
                    refused.push(BadParameter::because(&input.name, reason, received.as_deref(), input.expected()));
                }
                None => self.warnings.push(check.message.clone()),
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(Refusal { parameters: refused }) }
    }

    fn evaluator(&self) -> Evaluator<'p> {
        Evaluator { steps: &self.program.steps, method: &self.program.method }
    }

    /// The fields that are in the answer, in order.
    pub(crate) fn fields(&self) -> Result<Vec<(&'p Field, FieldValue<'p>)>, Refusal> {
        let program = self.program;
        let mut fields = Vec::with_capacity(program.fields.len());
        for index in program.running(self.on).flat_map(|section| section.fields.clone()) {
            let value = self.field(index)?;
            fields.extend(value.and_then(|value| Some((program.method.fields().get(index)?, value))));
        }
        Ok(fields)
    }

    /// One field of the answer, by index; none where it is left out.
    pub(crate) fn field(&self, index: usize) -> Result<Option<FieldValue<'p>>, Refusal> {
        let Some(field) = self.program.fields.get(index) else { return Ok(None) };
        field.value(&self.state, self.evaluator()).map_err(|_| self.program.not_computable(&field.name))
    }

    /// The sources of the figures that were used; `with_evidence` those that they were checked against too.
    pub(crate) fn references(&self, with_evidence: bool) -> CitedReferences<'p> {
        self.references.cited(self.state.cited.clone(), with_evidence)
    }

    /// How each step was worked out, in payslip order.
    pub(crate) fn explain(&self) -> Vec<StepTrace<'p>> {
        let (program, references) = (self.program, self.references);
        let steps = program.running_steps(self.on);
        let steps = steps.filter_map(|compiled| Some((compiled, program.method.steps().get(compiled.index)?)));
        let decimals = program.method.decimals;
        steps.map(|(compiled, step)| StepTrace::new(compiled, step, &self.state, references, decimals)).collect()
    }
}

/// The first slot of each step, after those of the inputs; and what runs together.
fn laid_out(method: &Method) -> (Vec<usize>, Vec<Section>) {
    let scope = &method.scope;
    let mut slots = scope.inputs.len();
    let mut first_slots = Vec::with_capacity(scope.steps.len());
    let mut sections = Vec::with_capacity(method.options.len() + 1);
    for option in [None].into_iter().chain((0..method.options.len()).map(Some)) {
        let steps = option::range(&scope.steps, option, |step| step.option);
        for step in scope.steps.get(steps.clone()).unwrap_or_default() {
            first_slots.push(slots);
            slots += step.slot_count();
        }
        let checks = option::range(&method.checks, option, |check| check.option);
        let fields = option::range(&method.answer, option, |field| field.option);
        sections.push(Section { option, steps, checks, fields, slots });
    }
    (first_slots, sections)
}

/// The default of an input; none where it reads figures of an option that the scale goes without.
fn compiled_default(input: &Input, method: &Method, compiler: &mut Compiler) -> Option<Default> {
    let Presence::Default(expr, written) = &input.presence else { return None };
    let index = |name: &String| method.options.iter().position(|option| option.name == *name);
    let option = input.option.as_ref().map(index);
    if option == Some(None) {
        return None;
    }
    let code = compiler.code(expr);
    if let Some(Value::Number(value)) = code.constant()
        && input.accepts(*value).is_err()
    {
        compiler.report.error(&input.place, Problem::DefaultOutOfBounds { text: written.clone() });
    }
    Some(Default { code, option: option.flatten() })
}

/// What a figure gives as an exponent is one.
fn check_exponents(method: &Method, figures: &[Figure], report: &mut Report) {
    for (figure, column) in &method.scope.used.exponents {
        let found = figures.get(*figure).and_then(|found| Some((found, found.record.get(*column)?.as_ref()?)));
        if let Some((found, Value::Number(value))) = found
            && power::quarters(*value).is_none()
        {
            report.error(&found.place, Problem::BadExponent {});
        }
    }
}
