//! Folders calculated by the steps of other folders.

use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::callee::{
    Call, CallAnswer, CallError, Callee, CalleeEdition, CitedRows, MadeCall, RowsAnswer, RowsCall,
};
use crate::law::column::Booleans;
use crate::law::explanation::{CallTrace, CalledSteps, DetailLevel, Explanation};
use crate::law::formula::When;
use crate::law::parameter::DATE;
use crate::law::{Input, InputId, Presence, Scale, SlotId, StepId, Value, Warning, WarningCode};
use crate::run::edition::Edition;
use crate::run::program::{MadeChecks, Program, Run};
use crate::run::query::target::Target;
use crate::run::{CalculationError, Folder, Query, plan, search};
use crate::say;
use crate::text::date_in_words::in_words;
use crate::text::{BadParameter, Reason};

impl Callee for Folder {
    fn path(&self) -> &str {
        &self.path
    }

    fn title(&self) -> &str {
        Self::title(self)
    }

    fn in_english(&self) -> Option<Arc<dyn Callee>> {
        let english = self.english.clone()?;
        Some(english)
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn law_on(&self, day: Date) -> Option<&str> {
        self.edition(day).map(Edition::version)
    }

    fn editions(&self) -> Vec<CalleeEdition<'_>> {
        let described = self.all_editions().map(|edition| CalleeEdition {
            scale: edition.scale(),
            method: edition.method(),
        });
        described.collect()
    }

    fn calculate(&self, call: Call) -> Result<CallAnswer, CallError> {
        // 1. What is asked.
        let (edition, day, fields) = (call.edition, call.day, call.fields);
        let mut admitted = self.admitted(call)?;
        let found = admitted.find_input()?;

        // 2. The fields, and what a caller of them must know.
        let program = admitted.program;
        let run = program.run_fields(admitted.sent, admitted.when, fields, MadeChecks::All)?;
        let values = fields.iter().map(|field| called(program, &run, *field));
        let values = values.collect::<Result<Vec<Value>, CallError>>()?;
        let mut warnings = run.warnings;
        warnings.extend(found);
        warnings.extend(self.warnings_of_call(admitted.edition, day));

        Ok(CallAnswer {
            values,
            made: MadeCall {
                // The step that asks knows its own.
                slot: SlotId::new(0),
                edition,
                on: run.on,
                ran: run.ran,
                rows: run.state.cited,
                calls: run.state.calls,
                warnings,
            },
        })
    }

    fn explain<'f>(
        &'f self,
        call: Call,
        explanation: Explanation,
    ) -> Result<CallTrace<'f>, CallError> {
        let day = self.is_dated().then_some(call.day);
        let is_given: Vec<bool> = call
            .sent
            .iter()
            .map(|value| *value != Value::Nothing)
            .collect();
        let mut admitted = self.admitted(call)?;

        // 1. What was given, as a query to this folder sends it.
        let method = &admitted.edition.method;
        let inputs = method.inputs().iter().zip(&admitted.sent).zip(is_given);
        let inputs = inputs
            .filter(|(_, is_given)| *is_given)
            .map(|((input, value), _)| (input, value.clone()));
        let target = admitted.target.as_ref().and_then(|target| {
            let inverse = method.inverses().get(target.inverse)?;
            Some((&inverse.parameter, Value::Number(target.amount)))
        });
        let given: Vec<(&Input, Value)> = inputs.chain(target).collect();
        let parameters: Vec<(String, String)> = given
            .iter()
            .map(|(input, value)| (input.name.clone(), input.sent_text(value)))
            .collect();

        // 2. Where the same calculation is asked for: nowhere, if a number has more decimals than
        // a query may send.
        let mut texts = given.iter().zip(&parameters);
        let can_be_sent =
            texts.all(|((input, value), (_, text))| input.parse(text).as_ref() == Ok(value));
        let mut asked = parameters.clone();
        asked.extend(day.map(|day| (DATE.to_owned(), day.to_string())));
        let address = explanation
            .addresses
            .filter(|_| can_be_sent)
            .and_then(|addresses| addresses.address(&self.path, &asked));

        // 3. All of its steps, as that answer has them. One that no field read depends on may be
        // beyond what can be computed: there is no such answer then.
        let steps = if explanation.level == DetailLevel::CalledSteps {
            admitted.find_input()?;
            let whole = admitted.program.run(admitted.sent, admitted.when);
            let explained = whole.and_then(|run| run.explain(explanation));
            explained.ok().map(|traces| CalledSteps(Box::new(traces)))
        } else {
            None
        };

        Ok(CallTrace {
            folder: &self.path,
            day,
            parameters,
            address,
            steps,
        })
    }

    fn calculate_rows(&self, call: RowsCall) -> Option<RowsAnswer> {
        let (edition, program) = self.asked(call.edition).ok()?;
        let of_day = self.warnings_of_call(edition, call.day);
        let mut answer = plan::called_rows(program, edition.when(call.day), call)?;

        let all = Booleans::One(true);
        answer
            .warnings
            .extend(of_day.into_iter().map(|warning| (all.clone(), warning)));
        Some(answer)
    }

    fn cited(&self, made: &MadeCall) -> Vec<CitedRows<'_>> {
        let Ok((_, program)) = self.asked(made.edition) else {
            return Vec::new();
        };
        // An answer of some fields cites the figures that these read, and no others.
        let read = made.ran.as_ref().map(|ran| {
            let method = program.method();
            let mut read = vec![false; method.figures().len()];
            let ran = StepId::enumerate(method.steps()).filter(|(step, _)| ran.contains(*step));
            for figure in ran.flat_map(|(_, step)| &step.figures) {
                if let Some(place) = read.get_mut(figure.position()) {
                    *place = true;
                }
            }
            read.into_boxed_slice()
        });

        let own = program.references(made.on).map(|references| CitedRows {
            folder: Some(&self.path),
            references,
            rows: made.rows.clone(),
            read,
        });
        own.into_iter()
            .chain(program.cited_by_calls(&made.calls))
            .collect()
    }
}

/// A call whose values can be used.
struct AdmittedCall<'f> {
    edition: &'f Edition,
    program: &'f Program,
    when: When,
    /// The value of each input.
    sent: Vec<Value>,
    target: Option<Target>,
}

impl AdmittedCall<'_> {
    /// Finds the input by which a field reaches its target, and gives the warnings of the search.
    fn find_input(&mut self) -> Result<Vec<Warning>, CalculationError> {
        match &self.target {
            Some(target) => search::find_input(self.program, &mut self.sent, target, self.when),
            None => Ok(Vec::new()),
        }
    }
}

impl Folder {
    /// Admits what a call gives.
    fn admitted(&self, call: Call) -> Result<AdmittedCall<'_>, CallError> {
        let (edition, program) = self.asked(call.edition)?;
        let when = edition.when(call.day);

        // 1. Values within the bounds of the inputs, rounded on entry as those of a query are.
        let mut sent = call.sent;
        let mut refused = Vec::new();
        let searched = call
            .target
            .and_then(|(inverse, _)| Some(edition.method.inverses().get(inverse)?.input));
        for ((id, input), value) in InputId::enumerate(edition.method.inputs()).zip(&mut sent) {
            refused.extend(admit(value, input).err());
            let is_required = matches!(input.presence, Presence::Required);
            if is_required && *value == Value::Nothing && searched != Some(id) {
                let accepted = input.accepted();
                let missing = BadParameter::because(&input.name, Reason::Missing, None, accepted);
                refused.push(missing);
            }
        }

        // 2. The amount that a field must reach, with the option of that field.
        let target = match call
            .target
            .map(|(inverse, amount)| admit_target(inverse, amount, edition))
        {
            Some(Ok(target)) => Some(target),
            Some(Err(bad)) => {
                refused.push(bad);
                None
            }
            None => None,
        };
        if let Some(target) = &target {
            let query = Query::default();
            target.switch_option_on(&query, &edition.method, &mut sent, &mut refused);
            target.send_assumed(&edition.method, &mut sent);
        }
        if !refused.is_empty() {
            return Err(CallError::Refused(refused));
        }

        Ok(AdmittedCall {
            edition,
            program,
            when,
            sent,
            target,
        })
    }

    /// An edition by index, with its program.
    fn asked(&self, edition: usize) -> Result<(&Edition, &Program), CallError> {
        let edition = self
            .all_editions()
            .nth(edition)
            .ok_or_else(|| CallError::Fault(self.path.clone()))?;
        let program = edition
            .program()
            .map_err(|fault| CallError::Fault(fault.place().to_owned()))?;
        Ok((edition, program))
    }

    /// The warnings of every calculation that another folder asks of an edition on a day.
    fn warnings_of_call(&self, edition: &Edition, day: Date) -> Vec<Warning> {
        let is_unchecked = |scale: &&Scale| day > scale.known_until;
        let mut warnings = Vec::new();
        if let Some(scale) = edition.scale().filter(is_unchecked) {
            let (title, day, until) = (
                Self::title(self),
                in_words(day),
                in_words(scale.known_until),
            );
            let sentence = say!(
                "{title} : le barème au {day} n’est pas encore connu ; le dernier barème connu, \
                 vérifié jusqu’au {until}, est appliqué.",
                "{title}: the scale of {day} is not known yet; the last one known, checked until \
                 {until}, is applied.";
                day, until
            );
            warnings.push(Warning::new(WarningCode::Unchecked, sentence));
        }

        // A draft says its own name.
        let own = self.warnings_of_day(edition, day, day).into_iter();
        let draft = own.filter(|warning| &*warning.code == WarningCode::Draft.as_str());
        warnings.extend(draft.map(|draft| {
            let (title, text) = (Self::title(self), draft.text);
            let sentence = say!("{title} : {text}", "{title}: {text}"; text);
            Warning::new(WarningCode::Draft, sentence)
        }));
        warnings
    }
}

/// Rounds a number on entry, and refuses one out of the bounds of its input.
fn admit(value: &mut Value, input: &Input) -> Result<(), BadParameter> {
    let Value::Number(number) = value else {
        return Ok(());
    };
    match input.admitted(*number) {
        Ok(admitted) => {
            *number = admitted;
            Ok(())
        }
        Err(reason) => {
            let received = input.sent_text(value);
            Err(BadParameter::because(
                &input.name,
                reason,
                Some(&received),
                input.accepted(),
            ))
        }
    }
}

/// The amount that a field must reach, rounded as that of a query is; refused out of its bounds.
fn admit_target(
    inverse: usize,
    amount: Decimal,
    edition: &Edition,
) -> Result<Target, BadParameter> {
    let mut sent = Value::Number(amount);
    if let Some(inverse) = edition.method.inverses().get(inverse) {
        admit(&mut sent, &inverse.parameter)?;
    }
    let amount = match sent {
        Value::Number(admitted) => admitted,
        _ => amount,
    };
    Ok(Target { inverse, amount })
}

/// The value of a field, as another folder reads it.
fn called(program: &Program, run: &Run, field: usize) -> Result<Value, CallError> {
    let compiled = program
        .fields
        .get(field)
        .ok_or_else(|| CallError::Fault(program.method().name.clone()))?;
    compiled
        .called(&run.state, program.evaluator())
        .map_err(|error| CallError::from(program.error(&compiled.name, error)))
}

impl From<CalculationError> for CallError {
    fn from(error: CalculationError) -> Self {
        match error {
            CalculationError::Refused(refusal) => Self::Refused(refusal.parameters),
            CalculationError::Internal(fault) => Self::Fault(fault.place().to_owned()),
        }
    }
}
