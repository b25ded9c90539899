//! Methods: how the law computes. Inputs, checks, shapes of the figures, steps, answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::formula::{Reads, Symbols, YearNames};
use crate::law::step::check_binding;
use crate::law::{
    Advances, Bar, Comparison, Field, FieldCurve, Find, Group, Headline, Input, Inverse,
    MethodOption, Once, Preset, Section, SentencePart, Shape, Source, Step, StepId, Trial,
};
use crate::text::{Lang, Place, PlacedText, Report};

mod alias;
mod check;
mod parts;
mod read;
mod sentence;
mod together;
mod usage;
mod year;

pub use alias::Alias;
pub(crate) use check::{Check, Verdict, check_codes};
pub(crate) use read::LANGUAGE;
pub(crate) use sentence::{AmountStyle, CheckSentence};
pub use together::Alternatives;
pub use year::YearBlock;

/// A method, the computation of a law, checked: inputs, shapes of the figures, steps and answer.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// assert_eq!(method.inputs()[0].name, "montant");
/// let title = method.steps().last().map(|step| step.title());
/// assert_eq!(title, Some("Montant toutes taxes comprises"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Method {
    /// File name without its ending: `method`, `method-ipr`.
    pub name: String,
    /// Language of its texts.
    pub lang: Lang,
    /// Title, in its language.
    pub title: String,
    /// Currency of the amounts, ISO 4217.
    pub currency: Option<String>,
    /// Decimals of the amounts of the answer.
    pub decimals: u32,
    /// Other words that select its folder within its family: names of the country, other codes.
    pub aliases: Vec<Alias>,
    /// Words that do not select it but for which it is suggested, such as the name of a larger
    /// territory.
    pub near: Vec<Alias>,
    /// Whether its figures come from dated files.
    pub dated: bool,
    /// Text of `scale.source`, for a method without dates.
    pub citation: Option<String>,
    /// Sources, for a method without dates.
    pub sources: Arc<[Source]>,
    /// The method for every day with all its options, where this one was read for a dated file.
    pub(crate) whole: Option<Arc<Method>>,
    /// The shapes of the figures that the dated files using this method do not give.
    pub(crate) absent: Vec<Shape>,
    /// In each list, the entries of the method itself come first, then those of each option, in the
    /// order of the options.
    pub(crate) symbols: Symbols,
    /// The names that its formulas read; an input also where only the default of another one does.
    pub(crate) reads: Reads,
    pub(crate) options: Vec<MethodOption>,
    /// The options that the dated file leaves out.
    pub(crate) left_out: Vec<MethodOption>,
    pub(crate) checks: Vec<Check>,
    pub(crate) answer: Vec<Field>,
    pub(crate) inverses: Vec<Inverse>,
    pub(crate) headlines: Vec<Headline>,
    pub(crate) curve: Option<FieldCurve>,
    pub(crate) once: Option<Once>,
    pub(crate) comparison: Option<Comparison>,
    pub(crate) advances: Option<Advances>,
    pub(crate) sections: Vec<Section>,
    pub(crate) presets: Vec<Preset>,
    pub(crate) sentence: Vec<SentencePart>,
    pub(crate) bar: Option<Bar>,
    pub(crate) trials: Vec<Trial>,
    pub(crate) year: Option<YearBlock>,
    /// The names whose values in other months the methods of the folder read.
    pub(crate) year_names: YearNames,
    /// The fields of the answer that show a fixed text: name, text.
    pub(crate) constants: Vec<(String, PlacedText)>,
    pub(crate) place: Place,
}

impl Method {
    /// The inputs, in the order of the file.
    pub fn inputs(&self) -> &[Input] {
        &self.symbols.inputs
    }

    /// The groups of like things that a query may send, in the order of the file.
    pub fn groups(&self) -> &[Group] {
        &self.symbols.groups
    }

    /// The shapes of the figures.
    pub fn figures(&self) -> &[Shape] {
        &self.symbols.figures
    }

    /// The steps, in payslip order.
    pub fn steps(&self) -> &[Step] {
        &self.symbols.steps
    }

    /// Whether a step calculates another folder.
    pub(crate) fn calls(&self) -> bool {
        let mut steps = self.steps().iter();
        steps.any(|step| step.called_folder().is_some())
    }

    /// Whether two days of one month may give different results: a formula reads the day, or a step
    /// calculates another folder.
    pub(crate) fn depends_on_the_day(&self) -> bool {
        self.reads.day || self.calls()
    }

    /// Whether a step looks in another folder for the input that gives an amount: each calculation
    /// is then as dear as a search.
    pub fn searches(&self) -> bool {
        self.steps().iter().any(Step::searches)
    }

    /// Reports the days of a scale, from the first to the last one, on which a step cannot calculate
    /// the folder that it names.
    pub(crate) fn check_calls(&self, days: (Option<Date>, Option<Date>), report: &mut Report) {
        let main = |step: &Step, id| Some((id, step.main()?));
        for (id, step) in StepId::enumerate(self.steps()) {
            let mut read: BTreeSet<(StepId, usize)> = self.reads.outputs.clone();
            read.extend(main(step, id));
            let of_it = read.iter().filter(|(known, _)| *known == id);
            let read: Vec<usize> = of_it.map(|(_, output)| *output).collect();
            check_binding(step, &read, days, report);
        }
    }

    /// The fields of the answer, in order.
    pub fn fields(&self) -> &[Field] {
        &self.answer
    }

    /// The fields that a caller may set a target for, in place of sending an input.
    pub fn inverses(&self) -> &[Inverse] {
        &self.inverses
    }

    /// Inputs that a query may send: those of the method, then the parameters of its inverses.
    pub fn accepted_inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs()
            .iter()
            .chain(self.inverses.iter().map(|inverse| &inverse.parameter))
    }

    /// The first inverse calculation of a direction: a net pay searches the smallest gross, a cost
    /// the greatest.
    pub fn inverse(&self, find: Find) -> Option<&Inverse> {
        self.inverses.iter().find(|inverse| inverse.find == find)
    }

    /// The headline fields, in order.
    pub fn headlines(&self) -> &[Headline] {
        &self.headlines
    }

    /// The headline field by which two of its answers are compared: that of its curve, else the
    /// first.
    pub fn measure(&self) -> Option<&Headline> {
        match &self.curve {
            Some(curve) => self
                .headlines
                .iter()
                .find(|headline| headline.field == curve.field),
            None => self.headlines.first(),
        }
    }

    /// The curve to draw of its answer.
    pub fn curve(&self) -> Option<&FieldCurve> {
        self.curve.as_ref()
    }

    /// The amount that is paid once beside the usual one, such as a thirteenth month.
    pub fn once(&self) -> Option<&Once> {
        self.once.as_ref()
    }

    /// The alternatives that it calculates side by side.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_ref()
    }

    /// What is paid in advance of an amount that is settled after the year.
    pub fn advances(&self) -> Option<&Advances> {
        self.advances.as_ref()
    }

    /// The sections of the questions of its form, in order; an input of none comes after them.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The usual situations that buttons of its page give, in order.
    pub fn presets(&self) -> &[Preset] {
        &self.presets
    }

    /// The sentence of its answer, part by part.
    pub fn sentence(&self) -> &[SentencePart] {
        &self.sentence
    }

    /// The bar of where an amount of its answer went.
    pub fn bar(&self) -> Option<&Bar> {
        self.bar.as_ref()
    }

    /// The changes of a question that its page tries, in order.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// The parts of the law that a boolean input switches on.
    pub fn options(&self) -> &[MethodOption] {
        &self.options
    }

    /// The block `year:`, by which it computes a year of pays.
    pub fn year(&self) -> Option<&YearBlock> {
        self.year.as_ref()
    }

    /// Names of the inputs, steps and outputs whose values in other months of a year of pays its
    /// folder reads.
    pub fn names_of_other_months(&self) -> impl Iterator<Item = &str> {
        self.year_names
            .summed
            .iter()
            .chain(&self.year_names.ahead)
            .map(String::as_str)
    }

    /// The shapes of the figures of all days, with those that the scale of this day does not have.
    pub fn figures_of_all_days(&self) -> &[Shape] {
        &self.whole().symbols.figures
    }

    /// The method for every day with all its options, whatever a dated file leaves out.
    pub(crate) fn whole(&self) -> &Self {
        self.whole.as_deref().unwrap_or(self)
    }
}
