//! `calculate: folder`: the calculation of another folder, by what `given` sends to it. Each of its
//! fields of one value is an output of the step.

mod bind;
mod columns;
mod read;

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::callee::{Call, CallError, Callee};
use crate::law::column::{Active, Block, Column};
use crate::law::formula::{Code, EvalError, State};
use crate::law::parameter::{DATE, YEAR};
use crate::law::{CALCULATE, Expr, InputId, Scalar, SlotId, Step, Type, Value, Warning};
use crate::text::date_in_words::in_words;
use crate::text::{BadParameter, Place, Reason, Text};

use bind::{Binding, BoundEdition};

use super::operand::CompiledOperand;
use super::{
    Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Sentence, compiled, keys,
};

pub(crate) use bind::{CalledDays, check_binding};

pub(super) static KIND: Kind = Kind {
    name: CALCULATE,
    main: KeyForm::Folder,
    keys: keys! {
        "given" Given optional
            fr "ce qui est donné à ce calcul : une formule pour chacune de ses entrées" "avec"
            en "what is given to that calculation: a formula for each of its inputs" "with";
        "value" Field optional
            fr "le champ de sa réponse que le nom seul de l’étape désigne" "résultat"
            en "the field of its answer that the bare name of the step reads" "result";
        "on" Day optional
            fr "le jour du calcul, si ce n’est pas le même : `next_year`, le 1er janvier de l’année \
                suivante" "au jour"
            en "the day of the calculation, where it is another: `next_year`, 1 January of the \
                following year" "on the day";
    },
    help: Text::new(
        "le calcul d’un autre dossier : chaque champ de sa réponse qui n’est pas une liste est une \
         sortie, `.impot_net`",
        "the calculation of another folder: each field of its answer that is no list is an \
         output, `.impot_net`",
    ),
    sentence: Sentence::Row,
    phrase: Some(Text::new("calcul de", "calculation of")),
    detail: Detail::None,
    levy: Levy::None,
    outputs: &[],
    read: read::read,
};

/// The day on which another folder is calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallDay {
    /// That of the calculation.
    Same,
    /// 1 January of the following year.
    NextYear,
}

impl CallDay {
    /// The words after `on:`.
    pub(crate) const WORDS: [(&'static str, Self); 1] = [("next_year", Self::NextYear)];

    /// The day, for a calculation on another; `None` beyond the last year of the calendar.
    pub(super) fn after(self, day: Date) -> Option<Date> {
        match self {
            Self::Same => Some(day),
            Self::NextYear => Date::new(day.year().checked_add(1)?, 1, 1).ok(),
        }
    }

    /// The first day whose calculations reach an edition that starts on a day.
    pub(super) fn first_reaching(self, start: Date) -> Option<Date> {
        match self {
            Self::Same => Some(start),
            Self::NextYear => Some(start.yesterday().ok()?.first_of_year()),
        }
    }
}

/// A checked step.
#[derive(Debug)]
struct Calculate {
    callee: Arc<dyn Callee>,
    day: CallDay,
    given: Vec<Given>,
    outputs: Vec<CalledField>,
    place: Place,
}

/// What is given to an input of the other folder, or to the parameter of an inverse calculation.
#[derive(Debug)]
struct Given {
    /// The name of that input or parameter.
    name: String,
    label: String,
    ty: Type,
    expr: Expr,
    /// The input of this method that is passed on, where the formula is its name alone.
    passes: Option<InputId>,
    /// The words that its value is an index of, where it is a word.
    words: Vec<String>,
    place: Place,
}

/// A field of the other folder, as an output of the step.
#[derive(Debug, Clone)]
struct CalledField {
    name: String,
    ty: Type,
}

impl Checked for Calculate {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        let position = compiler.position;
        let is_read = |index: &usize| {
            let main = position.of(compiler.steps).and_then(Step::main);
            main == Some(*index) || compiler.reads.outputs.contains(&(position, *index))
        };
        // The main field and those that the method reads: the others are not computed there.
        let read: Vec<usize> = (0..self.outputs.len()).filter(is_read).collect();

        // A given value is compiled twice: as a value, and as the operand of explanations.
        let given = self.given.iter().map(|given| {
            let input = given.passes.and_then(|id| id.of(compiler.inputs));
            CompiledGiven {
                code: compiler.code(&given.expr),
                passes: given.passes,
                parameter: input.map(|input| input.name.clone()),
                operand: CompiledOperand::new(
                    given.name.clone(),
                    compiler.code(&given.expr),
                    given.ty,
                    None,
                )
                .given(&given.label, &given.words),
            }
        });

        Box::new(CompiledCall {
            step: position
                .of(compiler.steps)
                .map(|step| step.title().to_owned())
                .unwrap_or_default(),
            first_input: compiler.inputs.first().map(|input| input.name.clone()),
            is_dated: compiler.context.scale.date.is_some(),
            given: given.collect(),
            editions: bind::editions(self, &read),
            skipped: self
                .outputs
                .iter()
                .map(|output| Value::of_skipped(output.ty))
                .collect(),
            callee: Arc::clone(&self.callee),
            day: self.day,
            read,
        })
    }

    fn always_runs(&self) -> bool {
        // It may refuse what it is given, and warn of it, whichever fields are asked for.
        true
    }

    fn call(&self) -> Option<&dyn CalledDays> {
        Some(self)
    }
}

/// A step compiled for a dated file.
#[derive(Debug)]
struct CompiledCall {
    callee: Arc<dyn Callee>,
    /// The title of the step.
    step: String,
    /// The input that is blamed for what no input is passed on for.
    first_input: Option<String>,
    /// Whether a caller may send the day.
    is_dated: bool,
    day: CallDay,
    given: Vec<CompiledGiven>,
    /// The editions of the other folder, the oldest first, each with how it is asked.
    editions: Vec<BoundEdition>,
    /// The outputs that something reads, by index.
    read: Vec<usize>,
    /// The value of each output where the step does not apply.
    skipped: Vec<Value>,
}

#[derive(Debug)]
struct CompiledGiven {
    code: Code,
    passes: Option<InputId>,
    /// The name of the input that is passed on.
    parameter: Option<String>,
    operand: CompiledOperand,
}

/// Why nothing can be asked of the other folder.
enum AskError {
    /// A formula of what is given cannot be computed.
    Evaluation(EvalError),
    /// The law ended its scale on this day, before that of the calculation.
    Ended(Date),
    /// A fault of the engine.
    Fault(CallError),
}

impl From<EvalError> for AskError {
    fn from(error: EvalError) -> Self {
        Self::Evaluation(error)
    }
}

impl From<CallError> for AskError {
    fn from(error: CallError) -> Self {
        Self::Fault(error)
    }
}

impl CompiledCall {
    /// The edition in force on a day, by index, with the way to ask it.
    ///
    /// # Errors
    /// The law ended the scale before that day. A day without an edition that can be asked is
    /// excluded by the checks of the folder.
    fn binding(&self, day: Date) -> Result<(usize, &Binding), AskError> {
        let has_started = |edition: &BoundEdition| edition.start.is_none_or(|start| start <= day);
        let fault = || CallError::Fault(self.step.clone());
        let index = self
            .editions
            .iter()
            .rposition(has_started)
            .ok_or_else(fault)?;
        let edition = self.editions.get(index).ok_or_else(fault)?;

        if let Some(until) = edition.until.filter(|until| day > *until) {
            return Err(AskError::Ended(until));
        }
        Ok((index, edition.binding.as_ref().ok_or_else(fault)?))
    }

    /// Keeps why the other folder gives no answer, for the error of the step.
    fn fail(state: &mut State, error: CallError) -> EvalError {
        state.call_error = Some(Box::new(error));
        EvalError::Call
    }

    /// The day of a calculation for which the other folder has no scale, as a refusal of what sets
    /// that day.
    fn ended(&self, until: Date, state: &State) -> CallError {
        let is_year = state.year.as_ref().is_some_and(|year| year.in_year);
        let name = match self.is_dated {
            true if is_year => YEAR,
            true => DATE,
            false => self.first_input.as_deref().unwrap_or_default(),
        };
        let reason = Reason::NoScaleOfStep {
            step: self.step.clone(),
            until: in_words(until),
        };
        let bad = BadParameter::because(name, reason, None, Text::<String>::default());
        CallError::Refused(vec![bad])
    }

    fn call_on(&self, state: &State) -> Result<Date, EvalError> {
        let day = state.when.day.ok_or(EvalError::Internal)?;
        self.day.after(day).ok_or(EvalError::Domain)
    }

    /// The calculation that it asks of the other folder.
    fn asked(&self, state: &State) -> Result<Call<'_>, AskError> {
        let day = self.call_on(state)?;
        let (edition, binding) = self.binding(day)?;

        // What is given, in the places of the inputs of the edition of the day.
        let mut sent = vec![Value::Nothing; binding.inputs];
        for (given, to) in self.given.iter().zip(&binding.given) {
            let value = to.word(given.code.run(state)?)?;
            if let Some(place) = to.input.and_then(|input| sent.get_mut(input.position())) {
                *place = value;
            }
        }
        let target = match binding.target {
            Some((given, inverse)) => {
                let given = self.given.get(given).ok_or(EvalError::Internal)?;
                Some((inverse, given.code.number(state)?))
            }
            None => None,
        };

        Ok(Call {
            edition,
            day,
            sent,
            target,
            fields: &binding.fields,
        })
    }

    /// What the other folder refuses, as a refusal of this calculation.
    fn refusal(&self, bad: BadParameter) -> BadParameter {
        let given = self
            .given
            .iter()
            .find(|given| given.operand.name() == bad.name);

        // What is passed on unchanged is the caller's own: the refusal names what the other folder
        // accepts.
        if let Some(parameter) = given.and_then(|given| given.parameter.as_ref()) {
            return BadParameter {
                name: parameter.clone(),
                ..bad
            };
        }

        let reason = Reason::OfAnotherFolder {
            step: self.step.clone(),
            sentence: bad.reason,
        };
        let name = self.first_input.as_deref().unwrap_or_default();
        BadParameter::because(name, reason, None, Text::<String>::default())
    }

    fn error(&self, error: CallError) -> CallError {
        match error {
            CallError::Refused(parameters) => CallError::Refused(
                parameters
                    .into_iter()
                    .map(|bad| self.refusal(bad))
                    .collect(),
            ),
            CallError::Fault(place) => {
                CallError::Fault(format!("{}, {}: {place}", self.step, self.callee.path()))
            }
        }
    }

    /// A warning of the other folder as one of this calculation: about the input that is passed on
    /// for its own, or about none.
    fn warning(&self, mut warning: Warning) -> Warning {
        let parameter = warning.parameter.take();
        let given = self
            .given
            .iter()
            .find(|given| Some(given.operand.name()) == parameter.as_deref());
        warning.parameter = given
            .and_then(|given| given.parameter.as_deref())
            .map(Into::into);
        warning
    }
}

impl Compiled for CompiledCall {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        // 1. What is asked. A state that failed is not run further, and keeps the reason.
        let call = match self.asked(state) {
            Ok(call) => call,
            Err(AskError::Evaluation(error)) => return Err(error),
            Err(AskError::Ended(until)) => {
                let refusal = self.ended(until, state);
                return Err(Self::fail(state, refusal));
            }
            Err(AskError::Fault(fault)) => return Err(Self::fail(state, self.error(fault))),
        };

        // 2. Its answer.
        let answer = self.callee.calculate(call);
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Err(Self::fail(state, self.error(error))),
        };

        // 3. The outputs that are read.
        for (output, value) in self.read.iter().zip(answer.values) {
            state.set(slot.after(*output), value)?;
        }

        let mut made = answer.made;
        made.slot = slot;
        made.warnings = std::mem::take(&mut made.warnings)
            .into_iter()
            .map(|warning| self.warning(warning))
            .collect();
        state.calls.push(made);
        Ok(())
    }

    fn skipped(&self) -> Vec<Value> {
        self.skipped.clone()
    }

    fn run_columns(
        &self,
        block: &Block,
        slot: SlotId,
        count: usize,
        active: &Active,
    ) -> Vec<Column> {
        self.columns(block, count, active).unwrap_or_else(|| {
            compiled::row_by_row(block, slot, count, active, |state| self.run(state, slot))
        })
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let read = self.given.iter().map(|given| given.operand.read(state));
        let operands = read.collect::<Result<Vec<_>, _>>()?;
        // An input that was not sent is not passed on either.
        let is_given = |operand: &Operand| operand.value != Scalar::Null;
        Ok(operands.into_iter().filter(is_given).collect())
    }

    fn shows(&self, output: usize) -> bool {
        self.read.contains(&output)
    }

    fn callee(&self) -> Option<&dyn Callee> {
        Some(self.callee.as_ref())
    }

    fn call(&self, state: &State) -> Result<Option<Call<'_>>, EvalError> {
        match self.asked(state) {
            Ok(call) => Ok(Some(call)),
            Err(AskError::Evaluation(error)) => Err(error),
            Err(AskError::Ended(_) | AskError::Fault(_)) => Err(EvalError::Internal),
        }
    }
}
