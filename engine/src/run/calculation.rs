//! A calculation: the fields of its answer, the steps that led to them, the sources that it cites.

use std::cell::OnceCell;

use jiff::civil::Date;

use crate::law::answer::{Field, FieldValue};
use crate::law::explanation::Explanation;
use crate::law::members::{AUTOMATIC, Member, STEPS, WARNINGS, visit_members};
use crate::law::references::{CitedReferences, FigureRemark, Reference};
use crate::law::{DetailLevel, InputId, Scale, Value, Warning, WarningCode};
use crate::run::program::{MadeChecks, Run};
use crate::run::query::{ChosenFields, ReadQuery, without_effect};
use crate::run::search;
use crate::run::{CalculationError, Edition, Folder, Query, StepTrace, unchecked};
use crate::say;
use crate::text::date_in_words::in_words;
use crate::text::json::Key;
use crate::text::{BadParameter, Datum, Object, ParameterCode, Refusal};

/// Usual length of an answer in bytes, without the schedule of a loan: the buffer is allocated
/// once.
const USUAL_LENGTH: usize = 8192;

/// The answer of a folder to a query. Its JSON is written directly from the computed values.
///
/// ```
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let rules = bareme_engine::Loader::new().load(root);
/// let rules = rules.rules.ok_or("the rules have errors")?;
/// let folder = rules.folder("ir").ok_or("no such folder")?;
/// let parameters = [("revenu".to_owned(), "30000".to_owned())];
/// let calculation = folder.calculate(&parameters[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let (field, value) = calculation.fields().next().ok_or("no field")?;
/// assert_eq!((field.name.as_str(), value.number()), ("impot_net", Some(2_104.into())));
/// let step = calculation.steps()?.last().ok_or("no step")?;
/// assert_eq!(step.step.name, "bareme_retenu");
/// assert!(calculation.to_json().starts_with(r#"{"impot_net":2104,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Calculation<'f> {
    folder: &'f Folder,
    edition: &'f Edition,
    pub(super) run: Run<'f>,
    fields: Vec<(&'f Field, FieldValue<'f>)>,
    references: CitedReferences<'f>,
    /// Whether the query asked for the steps.
    detail: bool,
    /// The fields that the query asked for; `None`: all of them.
    pub(super) chosen: Option<ChosenFields>,
    /// The explanations of the steps: made with the answer where the query asks for them, else on
    /// first use.
    steps: OnceCell<Vec<StepTrace<'f>>>,
}

impl<'f> Calculation<'f> {
    /// Evaluates the fields of a run.
    ///
    /// # Errors
    /// A field that cannot be computed from these values; an internal error of the engine.
    pub(crate) fn new(
        folder: &'f Folder,
        edition: &'f Edition,
        run: Run<'f>,
        explanation: Explanation,
        chosen: Option<ChosenFields>,
    ) -> Result<Self, CalculationError> {
        let fields = run.fields(chosen.as_ref().map(|chosen| chosen.fields.as_slice()))?;

        let detail = explanation.level != DetailLevel::None;
        let references = run.references(detail);

        // An answer that is being written cannot fail: the steps that it shows are explained first.
        let steps = if detail {
            OnceCell::from(run.explain(explanation)?)
        } else {
            OnceCell::new()
        };

        Ok(Self {
            folder,
            edition,
            run,
            fields,
            references,
            detail,
            chosen,
            steps,
        })
    }

    /// The folder that computed it.
    pub fn folder(&self) -> &'f Folder {
        self.folder
    }

    /// The edition that computed it: a dated scale and its method.
    pub fn edition(&self) -> &'f Edition {
        self.edition
    }

    /// The fields of the method that are in the answer, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&'f Field, &FieldValue<'f>)> {
        self.fields.iter().map(|(field, value)| (*field, value))
    }

    /// The value of a field of the method, if it is in the answer.
    pub fn field(&self, name: &str) -> Option<&FieldValue<'f>> {
        self.fields()
            .find(|(field, _)| field.name == name)
            .map(|(_, value)| value)
    }

    /// The inputs that have a value, sent or not, as a query would send it: defaults, and what a
    /// search has found, are there too.
    pub fn inputs(&self) -> impl Iterator<Item = (&'f str, String)> {
        let inputs = InputId::enumerate(self.edition.method.inputs());
        inputs.filter_map(|(id, input)| {
            let value = id.slot().of(&self.run.state.slots)?;
            let has_value = !matches!(value, Value::Nothing);
            has_value.then(|| (input.name.as_str(), input.sent_text(value)))
        })
    }

    /// The explanations of the steps, in payslip order.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub fn steps(&self) -> Result<&[StepTrace<'f>], CalculationError> {
        if let Some(steps) = self.steps.get() {
            return Ok(steps);
        }
        let steps = self.run.explain(Explanation::default())?;
        Ok(self.steps.get_or_init(|| steps))
    }

    /// The steps, where the query asked for them.
    pub(super) fn detailed(&self) -> Option<&Vec<StepTrace<'f>>> {
        if self.detail { self.steps.get() } else { None }
    }

    /// The sources of the figures used: legal texts and official pages; with `detail`, the evidence
    /// too.
    pub fn references(&self) -> &[Reference<'f>] {
        self.references.list()
    }

    /// Remarks on the figures used that have no source to be shown under.
    pub fn unsourced(&self) -> &[FigureRemark<'f>] {
        self.references.unsourced()
    }

    /// The remarks on the figures used, under the references or without one.
    pub fn remarks(&self) -> impl Iterator<Item = &FigureRemark<'f>> {
        self.references()
            .iter()
            .flat_map(|reference| &reference.remarks)
            .chain(self.unsourced())
    }

    /// Whether an automatic member may be in the answer. Warnings cannot be left out by `champs`,
    /// nor can the steps that `detail` asks for.
    pub(super) fn shows(&self, member: &Member) -> bool {
        // A query with `champs` selects some; without, all are there.
        let is_chosen = |chosen: &ChosenFields| {
            let mut asked = AUTOMATIC.iter().zip(chosen.automatic);
            asked.any(|(known, is_asked)| is_asked && known.name == member.name)
        };

        [WARNINGS.name, STEPS.name].contains(&member.name)
            || self.chosen.as_ref().is_none_or(is_chosen)
    }

    /// The warnings of the calculation.
    pub fn warnings(&self) -> &[Warning] {
        &self.run.warnings
    }

    /// Whether it is of a scale in force, and calculates another folder by a draft.
    pub(crate) fn calls_draft(&self) -> bool {
        let is_drafted = |scale: &Scale| self.folder.is_drafted(scale);
        let is_draft = |warning: &Warning| &*warning.code == WarningCode::Draft.as_str();
        self.warnings().iter().any(is_draft) && !self.edition.scale().is_some_and(is_drafted)
    }

    /// The answer as JSON: the fields of the method, then the automatic members.
    pub fn datum(&self) -> Datum<'_> {
        Datum::Object(self)
    }

    /// Appends the JSON text: equal calculations give equal bytes.
    pub fn write_json(&self, out: &mut String) {
        self.write(out);
    }

    /// The JSON text, as a new string.
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(USUAL_LENGTH);
        self.write_json(&mut text);
        text
    }
}

impl Folder {
    /// Calculates the answer to a query; `today` is the day of a query without a date.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with the value received and the values accepted; or an
    /// internal error of the engine.
    pub fn calculate(
        &self,
        query: &Query,
        today: Date,
    ) -> Result<Calculation<'_>, CalculationError> {
        let ReadQuery {
            date,
            edition,
            detail,
            fields,
            target,
            mut values,
            mut bad,
        } = ReadQuery::new(self, query, today);

        // Without a day or a scale there is nothing to compute: the reading says why.
        let (Some(edition), Some(date)) = (edition, date) else {
            return Err(Refusal { parameters: bad }.into());
        };

        let (program, when) = (edition.program()?, edition.when(date));
        if !bad.is_empty() {
            // A bad parameter must not be computed as if it had not been sent.
            // While only required inputs are missing, the others are right, and may still match no
            // row: all that the caller must change is reported at once.
            if target.is_none() && bad.iter().all(|bad| bad.code == ParameterCode::Missing) {
                bad.extend(program.without_row(values, when));
            }
            return Err(Refusal { parameters: bad }.into());
        }

        // 1. The input for which a field reaches its target, where the query sends one.
        let warnings = match target {
            Some(target) => search::find_input(program, &mut values, &target, when)?,
            None => Vec::new(),
        };

        // 2. The steps: all of them where the answer shows or cites them.
        let mut run = match &fields {
            Some(chosen) if detail == DetailLevel::None && !chosen.needs_all_steps() => {
                program.run_fields(values, when, &chosen.fields, MadeChecks::All)?
            }
            _ => program.run(values, when)?,
        };

        // 3. The warnings, in the order of the answer: the method's own, those of the search, of
        // the parameters, of the scale.
        run.warnings.extend(warnings);
        run.warnings.extend(without_effect(query, &edition.method));
        run.warnings
            .extend(self.warnings_of_day(edition, date, date));

        Calculation::new(self, edition, run, query.explanation(detail), fields)
    }

    /// The warnings of every calculation by an edition on a day: a scale not yet checked for that
    /// day, or a draft. `named` is the day that they name.
    pub(crate) fn warnings_of_day(
        &self,
        edition: &Edition,
        date: Date,
        named: Date,
    ) -> Vec<Warning> {
        let Some(scale) = edition.scale() else {
            return Vec::new();
        };

        let mut warnings = Vec::new();
        // The day that is named is that of the question: a month of a year of pays has its own.
        if date > scale.known_until {
            warnings.push(unchecked(scale.known_until, named));
        }

        if self.is_drafted(scale) {
            let date = in_words(scale.date);
            let sentence = say!(
                "Le barème du {date} est un brouillon : il n’est pas en vigueur.",
                "The scale of {date} is a draft: it is not in force.";
                date
            );
            warnings.push(Warning::new(WarningCode::Draft, sentence));
        }

        warnings
    }

    /// Every parameter of a query that this folder cannot use.
    pub(crate) fn refused(&self, query: &Query, today: Date) -> Vec<BadParameter> {
        ReadQuery::new(self, query, today).bad
    }
}

impl Object for Calculation<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        for (field, value) in &self.fields {
            visit(Key::written(&field.name, &field.key), value.datum());
        }

        let (warnings, unsourced) = (&self.run.warnings, self.references.unsourced());

        // In the order of `AUTOMATIC`, which names them.
        let mut values = [
            Some(Datum::List(&self.references)),
            (!unsourced.is_empty()).then_some(Datum::List(unsourced)),
            self.edition
                .scale
                .as_ref()
                .map(|scale| Datum::Shown(&scale.date)),
            Some(Datum::Text(self.edition.version())),
            Some(Datum::Text(self.edition.citation())),
            (!warnings.is_empty()).then_some(Datum::List(warnings)),
            self.detailed().map(|steps| Datum::List(steps)),
        ];

        for (index, value) in values.iter_mut().enumerate() {
            *value = value.take().filter(|_| {
                AUTOMATIC
                    .get(index)
                    .is_some_and(|member| self.shows(member))
            });
        }

        visit_members(&AUTOMATIC, values, visit);
    }
}
