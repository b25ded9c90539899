//! The reading of a whole method, for every day or for one dated file.

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::InputId;
use crate::law::advances::read_advances;
use crate::law::callee::Callees;
use crate::law::comparison::read_comparison;
use crate::law::formula::{FieldName, Symbols};
use crate::law::option;
use crate::law::page::{read_bar, read_presets, read_sections, read_sentence, read_trials};
use crate::law::presentation::{check_measure, read_curve, read_headlines, read_once};
use crate::law::source::read_sources;
use crate::text::words::is_name;
use crate::text::{Lang, Node, Place, PlacedText, Problem, Report, RuleFile};

use super::parts::PartReader;
use super::usage::{mark_inputs_of_options, warn_unused};
use super::year::{Declared, read_year};
use super::{Alias, Method};

impl Method {
    /// Reads a method, whose steps may calculate some other folders; mistakes go to the report.
    pub(crate) fn read(
        name: &str,
        file: &Arc<RuleFile>,
        node: &Node,
        callees: &Callees,
        report: &mut Report,
    ) -> Self {
        let every_day = ReadFor {
            left_out: &[],
            day: None,
            callees,
        };
        let method = Self::read_for(name, file, node, &every_day, report);
        warn_unused(&method.symbols, &method.reads, report);
        method
    }

    /// The method for a dated file that leaves out some of its options, or starts on a day on which
    /// some figures are not given: without these options, and without what reads these figures.
    pub(crate) fn of_scale(self: &Arc<Self>, node: &Node, left_out: &[&str], day: Date) -> Self {
        // Mistakes were reported when the whole method was read: this report is thrown away.
        let mut reported = Report::default();
        let mut read = |day| {
            Self::read_for(
                &self.name,
                self.place.file(),
                node,
                &ReadFor {
                    left_out,
                    day,
                    callees: &self.symbols.callees,
                },
                &mut reported,
            )
        };
        let every_day = (!left_out.is_empty()).then(|| read(None));
        let mut method = read(Some(day));

        // An input is absent where only figures of other days have it read. One that only a
        // left-out option reads is not, since a query that sends it is refused because of the
        // option: the inputs read on some day are therefore those without these options.
        let used_some_day = &every_day.as_ref().unwrap_or(self).reads.inputs;
        let used = &method.reads.inputs;
        for ((id, whole), input) in
            InputId::enumerate(self.inputs()).zip(method.symbols.inputs.iter_mut())
        {
            // The default of this input reads figures of an option left out, which this reading
            // does not have: the input stays as the whole method declares it.
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

        // The method itself comes before its options, which may read its names. What it reads is
        // taken between the two: the inputs read only after that are those of options.
        let symbols = declared_names(node, dated, &kept, of.callees);
        let mut reader = PartReader::new(symbols, of.day, report);
        reader.inputs(node, &kept);
        reader.part(node, None);
        let read_by_the_method = reader.read_inputs();

        // Options left out are declared as well, so that a query that switches one on, or aims at
        // one of its fields, is refused because of the day.
        let options = reader.options(&kept, written);
        let left_out = out
            .iter()
            .filter_map(|(name, node)| {
                let option = option::read_option(name, node, &reader.symbols, reader.report)?;
                reader.reads.inputs.insert(option.input);
                Some(option)
            })
            .collect();

        reader.reads.inputs = reader.read_inputs();
        let (inputs, read) = (&mut reader.symbols.inputs, &reader.reads.inputs);
        mark_inputs_of_options(inputs, read, &read_by_the_method);

        let PartReader {
            mut symbols,
            mut reads,
            checks,
            answer,
            inverses,
            report,
            ..
        } = reader;

        // What shows the answer, and the year of pays, name its fields: they come last.
        let headlines = read_headlines(node, &symbols, &answer, report);
        let curve = read_curve(node, &symbols, &answer, report);
        let once = read_once(node, &symbols, report);
        let comparison = read_comparison(node, &symbols, &answer, report);
        let advances = read_advances(node, &symbols, &answer, report);
        let sections = read_sections(node, &symbols, report);
        let presets = read_presets(node, &symbols, report);
        let sentence = read_sentence(node, &answer, report);
        let bar = read_bar(node, &answer, report);
        let trials = read_trials(node, &symbols, report);
        check_measure(node, &headlines, &answer, report);
        let declared = Declared {
            symbols: &symbols,
            options: &options,
            fields: &answer,
            dated,
        };
        let year = read_year(node, &declared, report);

        let year_names = std::mem::take(&mut reads.other_months);

        // Absent figures came last in the list, for `given` to find them. Without them, the
        // positions are those of the figures of the dated file.
        let given = symbols.absent_from.unwrap_or(symbols.figures.len());
        let absent = symbols.figures.split_off(given);
        check_dated(dated, node, &symbols, report);

        Self {
            name: name.to_owned(),
            lang: language(node),
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
            symbols,
            reads,
            options,
            left_out,
            checks,
            answer,
            inverses,
            headlines,
            curve,
            once,
            comparison,
            advances,
            sections,
            presets,
            sentence,
            bar,
            trials,
            year,
            year_names,
            constants: read_constants(node),
            place: Place::of_file(file),
        }
    }
}

/// Language of the texts of a method: English where these were put in the place of the French ones.
fn language(node: &Node) -> Lang {
    match node.string_of(LANGUAGE).as_deref() {
        Some("en") => Lang::En,
        _ => Lang::Fr,
    }
}

/// Key of a method that was put in another language; no file has it.
pub(crate) const LANGUAGE: &str = "language";

/// The symbols of a method before its first entry is read: what is declared by name alone.
fn declared_names(
    node: &Node,
    dated: bool,
    kept: &[&(PlacedText, Node)],
    callees: &Callees,
) -> Symbols {
    // The names of all options, those left out included: a formula that reads one of them gets a
    // message of its own, instead of an unknown name.
    Symbols {
        inputs: Vec::new(),
        groups: Vec::new(),
        figures: Vec::new(),
        absent_from: None,
        steps: Vec::new(),
        absent_steps: Vec::new(),
        fields: field_names(node),
        options: kept.iter().map(|(name, _)| name.value.clone()).collect(),
        names_of_options: option::names(node.entries_of("options")),
        is_dated: dated,
        has_year: node.get("year").is_some(),
        varying: Vec::new(),
        callees: callees.clone(),
    }
}

/// Reports figures and sources written in the method where they belong in dated files.
fn check_dated(dated: bool, node: &Node, symbols: &Symbols, report: &mut Report) {
    if let (false, Some(shape)) = (dated, symbols.figures.first()) {
        report.error(&shape.place, Problem::FiguresOfUndated {});
    }
    for key in ["sources", "citation"] {
        if dated && let Some(place) = node.key_place(key) {
            report.error(place, Problem::SourcesOfDated { key });
        }
    }
}

/// The names of the fields of the answer.
fn field_names(node: &Node) -> Vec<FieldName> {
    let shown = |node: &Node| {
        let text = node.text().or_else(|| node.text_of("value"))?;
        Some(text.value.clone()).filter(|text| text.split('.').all(is_name))
    };
    let options = node.entries_of("options").iter().map(|(_, option)| option);
    let parts = [node].into_iter().chain(options);
    parts
        .flat_map(|part| part.entries_of("answer"))
        .map(|(name, node)| FieldName {
            name: name.value.clone(),
            shown: shown(node),
        })
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

/// The days that a method is read for: all of them, or those of one scale.
struct ReadFor<'r> {
    /// Names of the options that the scale leaves out.
    left_out: &'r [&'r str],
    /// First day of the scale; `None`: every day.
    day: Option<Date>,
    /// The other folders that steps may calculate.
    callees: &'r Callees,
}

/// Decimals of the amounts of the answer.
pub(super) fn decimals(node: &Node) -> u32 {
    node.string_of("decimals")
        .and_then(|text| text.parse().ok())
        .unwrap_or(2)
}
