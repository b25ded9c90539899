//! Folders calculated by the steps of other folders.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::callee::{
    Call, CallAnswer, CallError, Callee, CalleeEdition, CitedRows, MadeCall, RowsAnswer, RowsCall,
};
use crate::law::column::Booleans;
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

        // 2. The input by which a field reaches its target, with the option of that field.
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
        let found = match &target {
            Some(target) => search::find_input(program, &mut sent, target, when)?,
            None => Vec::new(),
        };

        // 3. The fields, and what a caller of them must know.
        let run = program.run_fields(sent, when, call.fields, MadeChecks::All)?;
        let values = call
            .fields
            .iter()
            .map(|field| called(program, &run, *field));
        let values = values.collect::<Result<Vec<Value>, CallError>>()?;
        let mut warnings = run.warnings;
        warnings.extend(found);
        warnings.extend(self.warnings_of_call(edition, call.day));

        Ok(CallAnswer {
            values,
            made: MadeCall {
                // The step that asks knows its own.
                slot: SlotId::new(0),
                edition: call.edition,
                on: run.on,
                ran: run.ran,
                rows: run.state.cited,
                calls: run.state.calls,
                warnings,
            },
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

impl Folder {
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
