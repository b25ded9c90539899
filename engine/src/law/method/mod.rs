//! Methods: how the law computes. Inputs, checks, shapes of the figures, steps, answer.

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::figure::read_shape;
use crate::law::formula::{Scope, YearNames, YearScope, reserved};
use crate::law::input;
use crate::law::inverse;
use crate::law::option::{self, MOST_OPTIONS};
use crate::law::presentation::{check_measure, read_curve, read_headlines};
use crate::law::source::read_sources;
use crate::law::step;
use crate::law::{
    Field, FieldCurve, Find, Headline, Input, InputId, Inverse, MethodOption, Shape, Source, Step,
    StepId,
};
use crate::text::limits::{FIELDS, FIGURES, INPUTS, Limit, STEPS};
use crate::text::words::is_name;
use crate::text::{Node, Place, PlacedText, Problem, Report, RuleFile};

mod alias;
mod check;
mod together;
mod usage;
mod year;

pub use alias::Alias;
use check::read_check;
pub(crate) use check::{Check, Verdict, check_codes};
pub use together::Alternatives;
use usage::{mark_inputs_of_options, read_with_defaults, warn_unused};
pub use year::YearBlock;

/// A method, the computation of a law, checked: inputs, shapes of the figures, steps and answer.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// assert_eq!(method.inputs()[0].name, "montant");
/// assert_eq!(method.steps().last().map(|step| step.title()), Some("Montant toutes taxes comprises"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Method {
    /// File name without its ending: `method`, `method-ipr`.
    pub name: String,
    /// Title, in French.
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
    pub(crate) scope: Scope,
    pub(crate) options: Vec<MethodOption>,
    /// The options that the dated file leaves out.
    pub(crate) left_out: Vec<MethodOption>,
    pub(crate) checks: Vec<Check>,
    pub(crate) answer: Vec<Field>,
    pub(crate) inverses: Vec<Inverse>,
    pub(crate) headlines: Vec<Headline>,
    pub(crate) curve: Option<FieldCurve>,
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
        &self.scope.inputs
    }

    /// The shapes of the figures.
    pub fn figures(&self) -> &[Shape] {
        &self.scope.figures
    }

    /// The steps, in payslip order.
    pub fn steps(&self) -> &[Step] {
        &self.scope.steps
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

    /// The parts of the law that a boolean input switches on.
    pub fn options(&self) -> &[MethodOption] {
        &self.options
    }

    /// The block `year:`, by which it computes a year of pays.
    pub fn year(&self) -> Option<&YearBlock> {
        self.year.as_ref()
    }

    /// Names of the inputs, steps and outputs whose values of other months of a year of pays its
    /// folder reads.
    pub fn read_over_months(&self) -> impl Iterator<Item = &str> {
        self.year_names
            .summed
            .iter()
            .chain(&self.year_names.ahead)
            .map(String::as_str)
    }

    /// The method for every day with all its options, whatever a dated file leaves out.
    pub(crate) fn whole(&self) -> &Self {
        self.whole.as_deref().unwrap_or(self)
    }

    /// Reads a method; mistakes go to the report.
    pub(crate) fn read(name: &str, file: &Arc<RuleFile>, node: &Node, report: &mut Report) -> Self {
        let method = Self::read_for(name, file, node, &ReadFor::default(), report);
        warn_unused(&method.scope, report);
        method
    }

    /// The method for a dated file that leaves out some of its options, or starts on a day on which
    /// some figures are not given: without these options, and without what reads these figures.
    pub(crate) fn of_scale(self: &Arc<Self>, node: &Node, left_out: &[&str], day: Date) -> Self {
        // Mistakes were reported when the whole method was read.
        let mut reported = Report::default();
        let mut read = |day| {
            Self::read_for(
                &self.name,
                self.place.file(),
                node,
                &ReadFor { left_out, day },
                &mut reported,
            )
        };
        let (every_day, mut method) = ((!left_out.is_empty()).then(|| read(None)), read(Some(day)));
        // Without an option left out, that is this method.
        let used_some_day = &every_day.as_ref().unwrap_or(self).scope.used.inputs;
        let used = &method.scope.used.inputs;
        for ((id, whole), input) in
            InputId::enumerate(self.inputs()).zip(method.scope.inputs.iter_mut())
        {
            // The default of an input that only reads figures of an option left out is not there;
            // nothing reads the input.
            if whole
                .option
                .as_ref()
                .is_some_and(|option| left_out.contains(&option.as_str()))
            {
                *input = whole.clone();
            }
            input.is_absent = used_some_day.contains(&id) && !used.contains(&id);
        }
        method.whole = Some(Arc::clone(self));
        method.year_names = self.year_names.clone();
        method
    }

    fn read_for(
        name: &str,
        file: &Arc<RuleFile>,
        node: &Node,
        of: &ReadFor,
        report: &mut Report,
    ) -> Self {
        let dated = node.string_of("dated").is_none_or(|text| text != "false");
        let written = node.entries_of("options");
        let (out, kept): (Vec<_>, Vec<_>) = written
            .iter()
            .partition(|(name, _)| of.left_out.contains(&name.value.as_str()));
        let scope = Scope {
            undated: !dated,
            options: kept.iter().map(|(name, _)| name.value.clone()).collect(),
            elsewhere: option::names(written),
            fields: field_names(node),
            year: YearScope {
                exists: node.get("year").is_some(),
                ..YearScope::default()
            },
            ..Scope::default()
        };
        let (checks, answer, inverses, absent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut reader = PartReader {
            scope,
            checks,
            answer,
            inverses,
            day: of.day,
            absent,
            report,
        };
        reader.inputs(node, &kept);
        reader.part(node, None);
        let read_by_the_method = read_with_defaults(&reader.scope);
        let options = reader.options(&kept, written);
        let left_out = |(name, node): &&(PlacedText, Node)| {
            option::read_option(name, node, &mut reader.scope, reader.report)
        };
        let left_out = out.iter().filter_map(left_out).collect();
        reader.scope.used.inputs = read_with_defaults(&reader.scope);
        mark_inputs_of_options(&mut reader.scope, &read_by_the_method);
        let PartReader {
            mut scope,
            checks,
            answer,
            inverses,
            report,
            ..
        } = reader;
        let headlines = read_headlines(node, &scope, &answer, report);
        let curve = read_curve(node, &scope, &answer, report);
        check_measure(node, &headlines, &answer, report);
        let year = year::read_year(node, (&scope, &options, &answer), dated, report);
        let year_names = std::mem::take(&mut scope.year.names);
        let absent = scope
            .figures
            .split_off(scope.absent_from.unwrap_or(scope.figures.len()));
        check_dated(dated, node, &scope, report);
        Self {
            name: name.to_owned(),
            title: node.string_of("title").unwrap_or_default(),
            currency: node.string_of("currency"),
            decimals: decimals(node),
            aliases: Alias::read_all(node, "aliases"),
            near: Alias::read_all(node, "near"),
            dated,
            citation: node.string_of("citation"),
            sources: node
                .get("sources")
                .map(|node| read_sources(node, report))
                .unwrap_or_default(),
            whole: None,
            absent,
            scope,
            options,
            left_out,
            checks,
            answer,
            inverses,
            headlines,
            curve,
            year,
            year_names,
            constants: read_constants(node),
            place: Place::of_file(file),
        }
    }
}

/// Reports figures and sources written in the method where they belong in dated files.
fn check_dated(dated: bool, node: &Node, scope: &Scope, report: &mut Report) {
    if let (false, Some(shape)) = (dated, scope.figures.first()) {
        report.error(&shape.place, Problem::FiguresOfUndated {});
    }
    for key in ["sources", "citation"] {
        if dated && let Some(place) = node.key_place(key) {
            report.error(place, Problem::SourcesOfDated { key });
        }
    }
}

/// The fields of the answer, each with its formula where that is a single name.
fn field_names(node: &Node) -> Vec<(String, Option<String>)> {
    let shown = |node: &Node| {
        let text = node.text().or_else(|| node.text_of("value"))?;
        Some(text.value.clone()).filter(|text| text.split('.').all(is_name))
    };
    let options = node.entries_of("options").iter().map(|(_, option)| option);
    let parts = [node].into_iter().chain(options);
    parts
        .flat_map(|part| part.entries_of("answer"))
        .map(|(name, node)| (name.value.clone(), shown(node)))
        .collect()
}

fn read_constants(node: &Node) -> Vec<(String, PlacedText)> {
    let constant = |(name, node): &(PlacedText, Node)| {
        Some((name.value.clone(), node.text_of("text")?.clone()))
    };
    let options = node.entries_of("options").iter().map(|(_, option)| option);
    [node]
        .into_iter()
        .chain(options)
        .flat_map(|part| part.entries_of("answer"))
        .filter_map(constant)
        .collect()
}

/// Scope of the reading of a method: every day, or one scale.
#[derive(Default)]
struct ReadFor<'r> {
    /// Names of the options that the scale leaves out.
    left_out: &'r [&'r str],
    /// First day of the scale; `None`: every day.
    day: Option<Date>,
}

/// Reads the entries of the method itself, then those of each of its options.
struct PartReader<'r> {
    scope: Scope,
    checks: Vec<Check>,
    answer: Vec<Field>,
    inverses: Vec<Inverse>,
    /// First day of the scale that the method is read for.
    day: Option<Date>,
    /// The shapes of the figures that this scale does not give.
    absent: Vec<Shape>,
    report: &'r mut Report,
}

/// Decimals of the amounts of the answer.
fn decimals(node: &Node) -> u32 {
    node.string_of("decimals")
        .and_then(|text| text.parse().ok())
        .unwrap_or(2)
}

impl PartReader<'_> {
    /// Reads the options that the scale has, each with its entries.
    fn options(
        &mut self,
        kept: &[&(PlacedText, Node)],
        written: &[(PlacedText, Node)],
    ) -> Vec<MethodOption> {
        if let Some((name, _)) = written.get(MOST_OPTIONS) {
            self.report
                .error(&name.place, Problem::TooManyOptions { most: MOST_OPTIONS });
        }
        let mut options = Vec::new();
        for (index, (name, node)) in kept.iter().enumerate() {
            options.extend(option::read_option(
                name,
                node,
                &mut self.scope,
                self.report,
            ));
            self.scope.elsewhere = option::names(written);
            self.scope
                .elsewhere
                .retain(|(_, option)| *option != name.value);
            self.part(node, Some(index));
        }
        options
    }

    /// Reads the inputs, and the shapes of the figures. A default may read figures, whose keys may
    /// be inputs: so come first the inputs without their defaults, then the shapes of all the
    /// figures, then the defaults.
    fn inputs(&mut self, node: &Node, options: &[&(PlacedText, Node)]) {
        let (written, decimals) = (
            bounded(node, "inputs", 0, &INPUTS, self.report),
            decimals(node),
        );
        for (position, (name, node)) in written.iter().enumerate() {
            check_name(name, self.report);
            let input =
                input::read_input(name, node, decimals, InputId::new(position), self.report);
            self.scope.inputs.push(input);
        }
        self.figures(node, None);
        for (index, (_, node)) in options.iter().enumerate() {
            self.figures(node, Some(index));
        }
        self.scope.absent_from = self.day.map(|_| self.scope.figures.len());
        self.scope.figures.append(&mut self.absent);
        self.scope.year.varying = year::read_varying(node, &self.scope, self.report);
        self.scope.in_default = true;
        let inputs = std::mem::take(&mut self.scope.inputs);
        for (input, (name, node)) in inputs.into_iter().zip(written) {
            let input = self.with_default(input, name, node);
            self.scope.inputs.push(input);
        }
        self.scope.in_default = false;
    }

    /// Reads the default of an input, and the option whose figures it reads.
    fn with_default(&mut self, input: Input, name: &PlacedText, node: &Node) -> Input {
        let report = &mut *self.report;
        let scope = &mut self.scope;
        let (presence, mut names) =
            scope.names_read(|scope| input::read_presence(&input, name, node, scope, report));
        let figures = names
            .columns
            .iter()
            .filter_map(|(figure, _)| figure.of(&scope.figures)?.option);
        let of_figures = figures.filter_map(|option| scope.options.get(option).cloned());
        let of_inputs = names
            .inputs
            .iter()
            .filter_map(|input| input.of(&scope.inputs)?.option.clone());
        let mut options: Vec<String> = of_figures.chain(of_inputs).collect();
        options.dedup();
        if let [_, other, ..] = options.as_slice() {
            let problem = Problem::OtherOption {
                name: input.name.clone(),
                option: other.clone(),
            };
            self.report.error(&name.place, problem);
        }
        let default_reads = std::mem::take(&mut names.inputs);
        scope.used.join(names);
        Input {
            presence,
            default_reads,
            option: options.into_iter().next(),
            ..input
        }
    }

    /// Reads the shapes of the figures of one part: of an option, or of the method itself.
    fn figures(&mut self, node: &Node, option: Option<usize>) {
        self.scope.option = option;
        for (name, node) in bounded(
            node,
            "figures",
            self.scope.figures.len(),
            &FIGURES,
            self.report,
        ) {
            check_name(name, self.report);
            option::check_new(
                name,
                self.scope.figures.iter().map(|shape| &shape.name),
                self.report,
            );
            let shape = read_shape(name, node, &self.scope, self.report);
            let is_given = self.day.is_none_or(|day| shape.is_given_on(day));
            if is_given {
                self.scope.figures.push(shape)
            } else {
                self.absent.push(shape)
            }
        }
        self.scope.option = None;
    }

    /// Reads the steps, checks and fields of one part: of the option of this index, or of the
    /// method itself.
    fn part(&mut self, node: &Node, option: Option<usize>) {
        self.scope.option = option;
        self.scope.in_answer = false;
        let steps = bounded(node, "steps", self.scope.steps.len(), &STEPS, self.report);
        self.scope.step_names = steps.iter().map(|(name, _)| name.value.clone()).collect();
        for (name, node) in steps {
            self.step(name, node);
        }
        year::check_already(&self.scope, option, self.report);
        for node in node.items_of("checks") {
            let report = &mut *self.report;
            self.checks.extend(
                self.scope
                    .unless_absent(|scope| read_check(node, scope, report)),
            );
        }
        self.scope.in_answer = true;
        for (name, node) in bounded(node, "answer", self.answer.len(), &FIELDS, self.report) {
            option::check_new(
                name,
                self.answer.iter().map(|field| &field.name),
                self.report,
            );
            let (scope, report) = (&mut self.scope, &mut *self.report);
            let read = |scope: &mut Scope| {
                let (field, steps) =
                    scope.steps_read(|scope| Field::read(name, node, scope, report));
                field.map(|field| Field { steps, ..field })
            };
            self.answer.extend(scope.unless_absent(read));
        }
        for node in node.items_of("inverse") {
            let read =
                inverse::read_inverse(node, &self.scope, &self.answer, &self.inverses, self.report);
            self.inverses.extend(read);
        }
    }

    fn step(&mut self, name: &PlacedText, node: &Node) {
        check_name(name, self.report);
        option::check_new(
            name,
            self.scope.steps.iter().map(|step| &step.name),
            self.report,
        );
        let (scope, report) = (&mut self.scope, &mut *self.report);
        scope.step_being_read = Some(name.value.clone());
        let mut absent = None;
        let read = |scope: &mut Scope| {
            let step = read_step(name, node, scope, report);
            if step.is_absent {
                absent = Some(step);
                return None;
            }
            Some(step)
        };
        match scope.unless_absent(read) {
            Some(step) => scope.steps.push(step),
            None => scope.absent_steps.extend(absent),
        }
        scope.step_being_read = None;
    }
}

/// Reads a step, and records the figures and steps that it reads.
fn read_step(name: &PlacedText, node: &Node, scope: &mut Scope, report: &mut Report) -> Step {
    scope.year.has_summed = false;
    let (mut step, names) = scope.names_read(|scope| step::read_step(name, node, scope, report));
    step.figures = names.columns.iter().map(|(figure, _)| *figure).collect();
    step.figures.dedup();
    let reads_pays = |id: &StepId| id.of(&scope.steps).is_some_and(|step| step.depends_on_pays);
    step.depends_on_pays = scope.year.has_summed
        || names.inputs.iter().any(|input| scope.varies(*input))
        || names.steps.iter().any(reads_pays);
    step.steps = names.steps.iter().copied().collect();
    scope.used.join(names);
    check_step_name(name, &step, scope, report);
    step
}

/// The entries of a map, up to its limit, counting the entries read before.
fn bounded<'n>(
    node: &'n Node,
    key: &str,
    already: usize,
    limit: &Limit,
    report: &mut Report,
) -> &'n [(PlacedText, Node)] {
    let entries = node.entries_of(key);
    let room = limit.most.saturating_sub(already);
    match entries.get(room) {
        Some((first_beyond, _)) => {
            report.error(&first_beyond.place, limit.problem());
            entries.get(..room).unwrap_or_default()
        }
        None => entries,
    }
}

fn check_name(name: &PlacedText, report: &mut Report) {
    if !is_name(&name.value) {
        report.error(&name.place, Problem::bad_name(&name.value));
    } else if reserved().any(|known| known == name.value) {
        report.error(&name.place, Problem::reserved_name(&name.value));
    }
}

fn check_step_name(name: &PlacedText, step: &Step, scope: &Scope, report: &mut Report) {
    if scope.inputs.iter().any(|input| input.name == step.name) {
        report.error(
            &name.place,
            Problem::StepNamedAsInput {
                name: step.name.clone(),
            },
        );
    }
    let shape = scope
        .figures
        .iter()
        .find(|shape| shape.name == step.name && !shape.has_rows());
    let clash = shape.and_then(|shape| {
        step.outputs
            .iter()
            .find(|output| shape.column(&output.name).is_some())
    });
    if let Some(output) = clash {
        let problem = Problem::OutputHidesColumn {
            step: step.name.clone(),
            output: output.name.clone(),
        };
        report.error(&name.place, problem);
    }
}
