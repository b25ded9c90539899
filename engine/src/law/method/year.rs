//! The block `year:` of a method, by which it computes a year of pays.

use rust_decimal::Decimal;

use crate::law::formula::Scope;
use crate::law::{Field, Input, InputId, MethodOption, Step, Type};
use crate::text::problem::suggestion;
use crate::text::{Node, PlacedText, Problem, Report};

use super::Method;

/// The block `year:` of a method, by which it computes a year of pays, month by month.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire"]).load(root).rules.ok_or("errors")?;
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

    /// Whether an input is refused in a year.
    pub fn goes_without(&self, input: &str) -> bool {
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
pub(super) fn read_varying(node: &Node, scope: &Scope, report: &mut Report) -> Vec<InputId> {
    inputs(&listed(node, "varying"), scope, report)
}

fn inputs(names: &[PlacedText], scope: &Scope, report: &mut Report) -> Vec<InputId> {
    names
        .iter()
        .filter_map(|name| scope.named_input(name, report))
        .collect()
}

/// Reads the block once inputs, options and fields are known.
pub(super) fn read_year(
    node: &Node,
    (scope, options, fields): (&Scope, &[MethodOption], &[Field]),
    dated: bool,
    report: &mut Report,
) -> Option<YearBlock> {
    let block = node.get("year")?;
    if let (false, Some((key, _))) = (dated, block.entries().first()) {
        report.error(&key.place, Problem::YearOfUndated {});
    }
    let [varying, each_month, totals, without] =
        ["varying", "each_month", "totals", "without"].map(|key| listed(node, key));
    for name in &varying {
        if options.iter().any(|option| option.name == name.value) {
            report.error(
                &name.place,
                Problem::SwitchVaries {
                    name: name.value.clone(),
                },
            );
        }
    }
    inputs(&each_month, scope, report);
    let varies = |name: &PlacedText| varying.iter().any(|other| other.value == name.value);
    for name in each_month.iter().filter(|name| !varies(name)) {
        report.error(
            &name.place,
            Problem::EachMonthOfConstant {
                name: name.value.clone(),
            },
        );
    }
    inputs(&without, scope, report);
    if let Some(twice) = without.iter().find(|name| varies(name)) {
        report.error(
            &twice.place,
            Problem::VaryingLeftOut {
                name: twice.value.clone(),
            },
        );
    }
    let added_up = || fields.iter().filter(|field| field.is_added_up());
    for name in &totals {
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
    let rank = block
        .text_of("rank")
        .and_then(|name| read_rank(name, scope, &varying, report));
    let names = |list: Vec<PlacedText>| list.into_iter().map(|name| name.value).collect();
    let [varying, each_month, totals, without]: [Vec<String>; 4] =
        [varying, each_month, totals, without].map(names);
    let has_lines = |name: &&String| {
        fields
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

/// Reads the input of the rank: an optional integer from 1 to 12.
fn read_rank(
    name: &PlacedText,
    scope: &Scope,
    varying: &[PlacedText],
    report: &mut Report,
) -> Option<InputId> {
    let found = inputs(std::slice::from_ref(name), scope, report).pop()?;
    let is_month = |input: &Input| {
        let bounds = (input.min, input.max) == (Some(Decimal::ONE), Some(Decimal::from(12)));
        input.integer && input.is_optional() && bounds
    };
    if !found.of(&scope.inputs).is_some_and(is_month)
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
pub(super) fn check_already(scope: &Scope, option: Option<usize>, report: &mut Report) {
    let steps = || scope.steps.iter().filter(|step| step.option == option);
    for (index, step) in steps().enumerate() {
        let Some(named) = &step.already else { continue };
        let known = || steps().skip(index);
        let of = |step: &Step| {
            step.outputs
                .iter()
                .find(|output| output.main)
                .map_or(Type::Unknown, |output| output.ty)
        };
        match known().find(|known| known.name == named.value) {
            // A step absent from the scale of the day gives 0.
            None if scope.absent_step(&named.value).is_some() => {}
            None => {
                let near = suggestion(&named.value, known().map(|step| step.name.as_str()))
                    .map(str::to_owned);
                report.error(
                    &named.place,
                    Problem::AlreadyNoStep {
                        name: named.value.clone(),
                        near,
                    },
                );
            }
            Some(found) if of(step).together(of(found)) == Some(of(step)) => {}
            Some(found) => {
                let (name, expected, found) =
                    (named.value.clone(), of(step).name(), of(found).name());
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
        let (owner, member) = name.split_once('.').unwrap_or((name, ""));
        let mut steps = self.steps().iter().chain(&self.scope.absent_steps);
        let step = steps.find(|step| step.name == owner)?;
        step.outputs
            .iter()
            .find(|output| output.name == member)
            .map(|output| output.ty)
    }
}
