//! The block `year:` of a method, by which it computes a year of pays.

use rust_decimal::Decimal;

use crate::law::formula::{Env, Symbols};
use crate::law::{Field, Input, InputId, MethodOption, Step, Type};
use crate::text::problem::suggestion;
use crate::text::{Node, PlacedText, Problem, Report};

use super::Method;

/// The block `year:` of a method, by which it computes a year of pays, month by month.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// let year = folder.year_block().ok_or("no year")?;
/// assert!(year.varies("brut") && !year.varies("cadre"));
/// assert!(year.totals().any(|total| total == "net"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearBlock {
    varying: Vec<String>,
    each_month: Vec<String>,
    totals: Vec<String>,
    /// The totals that are lists of lines.
    lines: Vec<String>,
    without: Vec<String>,
    rank: Option<InputId>,
}

impl YearBlock {
    /// Names of the inputs that may differ from month to month; the others hold for the year.
    pub fn varying(&self) -> impl Iterator<Item = &str> {
        self.varying.iter().map(String::as_str)
    }

    /// Whether an input may differ from month to month.
    pub fn varies(&self, input: &str) -> bool {
        self.varying.iter().any(|name| name == input)
    }

    /// Whether an input that differs from month to month is asked for each of them: one value for
    /// several months is refused.
    pub fn is_asked_each_month(&self, input: &str) -> bool {
        self.each_month.iter().any(|name| name == input)
    }

    /// Names of the fields of the answer that a year totals, in the order of the block.
    pub fn totals(&self) -> impl Iterator<Item = &str> {
        self.totals.iter().map(String::as_str)
    }

    /// Names of the totals that are a single number each: those without lines.
    pub fn total_amounts(&self) -> impl Iterator<Item = &str> {
        self.totals()
            .filter(|total| !self.lines.iter().any(|lines| lines == total))
    }

    /// Names of the inputs for single months only, refused in a year.
    pub fn without(&self) -> impl Iterator<Item = &str> {
        self.without.iter().map(String::as_str)
    }

    /// The input that tells the rank of a single pay in the year, the same pay having been paid
    /// since January: the pays before it are computed first. In a year of pays it is the month.
    pub fn rank(&self) -> Option<InputId> {
        self.rank
    }
    /// Whether an input is for single months only, and is refused in a year.
    /// Whether an input is refused in a year.
    pub fn is_excluded_in_year(&self, input: &str) -> bool {
        self.without.iter().any(|name| name == input)
    }
}

/// The names in a list of the block.
fn listed(node: &Node, key: &str) -> Vec<PlacedText> {
    node.get("year")
        .and_then(|block| block.text_of(key))
        .map(PlacedText::list)
        .unwrap_or_default()
}

/// Reads the inputs that may differ from month to month, before formulas are read.
pub(super) fn read_varying(node: &Node, symbols: &Symbols, report: &mut Report) -> Vec<InputId> {
    inputs(&listed(node, "varying"), symbols, report)
}

fn inputs(names: &[PlacedText], symbols: &Symbols, report: &mut Report) -> Vec<InputId> {
    names
        .iter()
        .filter_map(|name| symbols.named_input(name, report))
        .collect()
}

/// Tables in which the names of the block are looked up, once the method is read.
pub(super) struct Declared<'m> {
    pub symbols: &'m Symbols,
    pub options: &'m [MethodOption],
    pub fields: &'m [Field],
    /// Whether the figures come from dated files.
    pub dated: bool,
}

/// Reads the block once inputs, options and fields are read.
pub(super) fn read_year(
    node: &Node,
    declared: &Declared,
    report: &mut Report,
) -> Option<YearBlock> {
    let symbols = declared.symbols;
    let block = node.get("year")?;
    if let (false, Some((key, _))) = (declared.dated, block.entries().first()) {
        report.error(&key.place, Problem::YearOfUndated {});
    }

    // 1. What varies. An option is not switched on or off during the year.
    let [varying, each_month, totals, without] =
        ["varying", "each_month", "totals", "without"].map(|key| listed(node, key));
    for name in &varying {
        if declared
            .options
            .iter()
            .any(|option| option.name == name.value)
        {
            report.error(
                &name.place,
                Problem::SwitchVaries {
                    name: name.value.clone(),
                },
            );
        }
    }

    // 2. What is asked for each month: it must vary.
    inputs(&each_month, symbols, report);
    let varies = |name: &PlacedText| varying.iter().any(|other| other.value == name.value);
    for name in each_month.iter().filter(|name| !varies(name)) {
        report.error(
            &name.place,
            Problem::EachMonthOfConstant {
                name: name.value.clone(),
            },
        );
    }

    // 3. What a year refuses: it must not vary.
    inputs(&without, symbols, report);
    if let Some(twice) = without.iter().find(|name| varies(name)) {
        report.error(
            &twice.place,
            Problem::VaryingLeftOut {
                name: twice.value.clone(),
            },
        );
    }

    // 4. What is totalled, and the rank of a single pay.
    check_totals(&totals, declared.fields, report);
    let rank = block
        .text_of("rank")
        .and_then(|name| read_rank(name, symbols, &varying, report));

    let names = |list: Vec<PlacedText>| list.into_iter().map(|name| name.value).collect();
    let [varying, each_month, totals, without]: [Vec<String>; 4] =
        [varying, each_month, totals, without].map(names);
    let has_lines = |name: &&String| {
        declared
            .fields
            .iter()
            .any(|field| field.name == **name && field.json_type() == "array")
    };
    let lines = totals.iter().filter(has_lines).cloned().collect();

    Some(YearBlock {
        varying,
        each_month,
        totals,
        lines,
        without,
        rank,
    })
}

/// Reports the totals that are no field that can be added up.
fn check_totals(totals: &[PlacedText], fields: &[Field], report: &mut Report) {
    let added_up = || fields.iter().filter(|field| field.is_added_up());
    for name in totals {
        if added_up().any(|field| field.name == name.value) {
            continue;
        }

        let known = added_up().map(|field| field.name.as_str());
        let near = suggestion(&name.value, known).map(str::to_owned);
        report.error(
            &name.place,
            Problem::NotAddedUp {
                name: name.value.clone(),
                near,
            },
        );
    }
}

/// Reads the input of the rank: an optional integer from 1 to 12.
fn read_rank(
    name: &PlacedText,
    symbols: &Symbols,
    varying: &[PlacedText],
    report: &mut Report,
) -> Option<InputId> {
    let found = inputs(std::slice::from_ref(name), symbols, report).pop()?;

    // One pay a month: the rank of a pay is the number of its month.
    let is_month = |input: &Input| {
        let bounds = (input.min, input.max) == (Some(Decimal::ONE), Some(Decimal::from(12)));
        input.integer && input.is_optional() && bounds
    };

    if !found.of(&symbols.inputs).is_some_and(is_month)
        || varying.iter().any(|other| other.value == name.value)
    {
        report.error(
            &name.place,
            Problem::RankOfOtherForm {
                name: name.value.clone(),
            },
        );
    }
    Some(found)
}

/// Checks that `already` names the step itself, or a later one of the same part, whose type is that
/// of the value it is deducted from.
pub(super) fn check_already(env: Env, report: &mut Report) {
    let own = |step: &&Step| step.option == env.option;
    let steps = || env.symbols.steps.iter().filter(own);
    for (index, step) in steps().enumerate() {
        let Some(named) = &step.already else { continue };
        // The values read are those of earlier months: the step may name itself or one below it.
        let candidates = || steps().skip(index);
        let main_type = |step: &Step| {
            step.outputs
                .iter()
                .find(|output| output.main)
                .map_or(Type::Unknown, |output| output.ty)
        };

        match candidates().find(|candidate| candidate.name == named.value) {
            // A step absent from the scale of the day gives 0.
            None if env.absent_step(&named.value).is_some() => {}
            None => {
                let near = suggestion(&named.value, candidates().map(|step| step.name.as_str()))
                    .map(str::to_owned);
                report.error(
                    &named.place,
                    Problem::AlreadyNoStep {
                        name: named.value.clone(),
                        near,
                    },
                );
            }
            Some(found) if main_type(step).together(main_type(found)) == Some(main_type(step)) => {}
            Some(found) => {
                let (name, expected, found) = (
                    named.value.clone(),
                    main_type(step).name(),
                    main_type(found).name(),
                );
                report.error(
                    &named.place,
                    Problem::AlreadyOfOtherType {
                        name,
                        expected,
                        found,
                    },
                );
            }
        }
    }
}

impl Method {
    /// The type of an input, a step or an output, by name; absent ones included.
    pub(crate) fn type_of(&self, name: &str) -> Option<Type> {
        if let Some(input) = self.inputs().iter().find(|input| input.name == name) {
            return Some(input.ty);
        }

        // `step.output`; the main output of a step has an empty name.
        let (owner, member) = name.split_once('.').unwrap_or((name, ""));
        let mut steps = self.steps().iter().chain(&self.symbols.absent_steps);

        let step = steps.find(|step| step.name == owner)?;
        step.outputs
            .iter()
            .find(|output| output.name == member)
            .map(|output| output.ty)
    }
}
