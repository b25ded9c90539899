//! What is enumerated: every scale in force since 2023, with every combination of inputs that a
//! worked case of its folder sends, over a range of amounts.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::path::Path;

use bareme_engine::Folder;
use bareme_engine::authoring::Node;
use bareme_show::Amounts;
use jiff::civil::Date;
use num_traits::ToPrimitive;
use rust_decimal::Decimal;

use crate::call::searches;
use crate::evaluator::{Axis, Compiled, Stopped};
use crate::kinks;
use crate::law::{Law, entries, literal, power_of_ten, text};
use crate::past::When;
use crate::properties::Dents;
use crate::rule_folder::read_folder;

/// The first day whose scales are enumerated.
const SINCE: &str = "2023-01-01";

/// Amounts are enumerated up to so many times the last kink.
const TIMES_LAST_KINK: i64 = 3;

/// Units that are enumerated at least, where the input accepts them.
const LEAST_UNITS: i64 = 1_000_000;

/// Amounts of a case that the evaluator cannot compile: the first of them, in units, and how many.
const SLOW_FROM: i64 = 10_000_000;
const SLOW_AMOUNTS: i64 = 256;
/// The same where each is the search of an amount of another folder, dozens of calculations.
const SEARCHED_AMOUNTS: i64 = 8;

/// Greatest amount at which a kink is looked for, in whole currency units.
const FARTHEST_KINK: i64 = 10_000_000_000;

/// The day of a method without dates.
pub(crate) const UNDATED: Date = Date::constant(2026, 3, 31);

/// A scale in force, asked on its first day.
pub(crate) struct Scale {
    pub law: Law,
    pub when: When,
}

/// Some inputs of a scale, and the input whose amounts are enumerated; none where no input is an
/// amount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Combination {
    pub sent: Vec<(String, String)>,
    pub axis: Option<String>,
}

/// A combination with the range of its amounts.
#[derive(Debug)]
pub(crate) struct Case {
    pub combination: Combination,
    pub axis: Option<Axis>,
    pub compiled: Compiled,
    /// Whether the evaluator cannot compile it: all of its amounts are compared in the slow way.
    pub is_slow: bool,
    /// What roundings have been seen to do.
    pub dents: Cell<Dents>,
    kinks: OnceCell<BTreeSet<i64>>,
}

/// The scales of a folder that have been in force since 2023, without drafts.
pub(crate) fn scales(root: &Path, folder: &str) -> Vec<Scale> {
    let mut laws = read_folder(&root.join(folder));
    laws.retain(|law| !law.is_draft());
    let later: Vec<Option<String>> = laws
        .iter()
        .skip(1)
        .map(|law| law.first_day.clone())
        .chain([None])
        .collect();
    let in_force = laws
        .into_iter()
        .zip(later)
        .filter(|(_, next)| next.as_deref().is_none_or(|next| next > SINCE));
    in_force.map(|(law, _)| Scale::new(law)).collect()
}

impl Scale {
    fn new(law: Law) -> Self {
        let day = law
            .first_day
            .as_ref()
            .map_or(UNDATED, |date| date.parse().unwrap());
        let when = crate::days::when(&law, day);
        Self { law, when }
    }

    /// The first day in words of a file name.
    pub(crate) fn name(&self) -> &str {
        self.law.first_day.as_deref().unwrap_or("sans date")
    }
}

/// The combinations of inputs that the worked cases of a folder send, each once.
pub(crate) fn combinations(folder: &Folder, law: &Law) -> Vec<Combination> {
    let cases = folder.cases().iter().filter(|case| !case.is_year);
    let found: BTreeSet<Combination> = cases
        .filter_map(|case| combination(law, &case.query))
        .collect();
    found.into_iter().collect()
}

/// An inverse of a method or of an option of it.
struct Asked<'l> {
    parameter: &'l str,
    /// The input that is looked for.
    input: &'l str,
    option: Option<&'l str>,
    /// The inputs sent where the query leaves them out, each with its value.
    assumed: Vec<(String, String)>,
}

/// The inverses of a method and of its options.
fn inverses(law: &Law) -> Vec<Asked<'_>> {
    let parts = law.parts().into_iter();
    let inverses = parts.flat_map(|(option, part)| {
        let items = part.get("inverse").map(Node::items).unwrap_or_default();
        items.iter().map(move |node| Asked {
            parameter: text(node, "parameter").unwrap(),
            input: text(node, "input").unwrap(),
            option,
            assumed: entries(node, "assume")
                .iter()
                .map(|(name, value)| (name.value.clone(), value.text().unwrap().value.clone()))
                .collect(),
        })
    });
    inverses.collect()
}

fn combination(law: &Law, query: &[(String, String)]) -> Option<Combination> {
    let inverses = inverses(law);
    let mut sent: Vec<(String, String)> = Vec::new();
    let mut looked_for = None;

    for (name, value) in query
        .iter()
        .filter(|(name, value)| !is_common(name) && !value.is_empty())
    {
        if let Some(asked) = inverses.iter().find(|asked| asked.parameter == name) {
            looked_for = Some(asked.input.to_owned());
            let option = asked.option.map(str::to_owned);
            sent.extend(option.map(|option| (option, "true".to_owned())));
            let is_left_out = |(input, _): &&(String, String)| {
                !query
                    .iter()
                    .any(|(name, value)| name == input && !value.is_empty())
            };
            sent.extend(asked.assumed.iter().filter(is_left_out).cloned());
        } else {
            // A combination that sends items of a group is left to the other evaluators.
            if text(law.input(name)?, "group").is_some() {
                return None;
            }
            sent.push((name.clone(), value.clone()));
        }
    }

    sent.sort();
    sent.dedup_by(|(name, _), (known, _)| name == known);
    let is_sent = |name: &str| sent.iter().any(|(known, _)| known == name);
    let curve = law
        .method
        .get("curve")
        .and_then(|curve| text(curve, "input"));
    let by_inverse = inverses
        .first()
        .map(|asked| asked.input)
        .or(curve)
        .filter(|input| is_sent(input));
    let of_type = |expected: &str| {
        let inputs = entries(&law.method, "inputs").iter();
        let mut inputs = inputs.filter(|(_, input)| text(input, "type") == Some(expected));
        inputs
            .find(|(name, _)| is_sent(&name.value))
            .map(|(name, _)| name.value.clone())
    };

    let axis = looked_for
        .or(by_inverse.map(str::to_owned))
        .or_else(|| of_type("money"))
        .or_else(|| of_type("number"));
    sent.retain(|(name, _)| Some(name) != axis.as_ref());
    Some(Combination { sent, axis })
}

/// What every endpoint accepts beside its inputs.
fn is_common(name: &str) -> bool {
    ["date", "annee", "detail", "champs"].contains(&name)
}

impl Case {
    /// A combination of a scale; what is refused whatever the amount is no case.
    pub(crate) fn new(
        folder: &Folder,
        scale: &Scale,
        combination: &Combination,
    ) -> Result<Self, Stopped> {
        let compile =
            |axis: Option<&Axis>| Compiled::new(&scale.law, &combination.sent, axis, scale.when);
        let Some(input) = &combination.axis else {
            let compiled = compile(None)?;
            return Ok(Self::of(combination, None, compiled));
        };

        let (mut axis, most) = axis(folder, scale, input);
        // Where 128 bits do not hold what comes of the greatest amounts, kinks are looked for
        // below.
        let mut wide = compile(Some(&axis));

        while matches!(wide, Err(Stopped::Unsupported("more than 128 bits")))
            && axis.last > LEAST_UNITS
        {
            axis.last /= 10;
            wide = compile(Some(&axis));
        }

        let last = kinks::last(&wide?, &axis);
        let farthest = last.unwrap_or_default().saturating_mul(TIMES_LAST_KINK);
        axis.last = farthest.max(LEAST_UNITS).min(most).max(axis.first);
        let compiled = compile(Some(&axis))?;
        Ok(Self::of(combination, Some(axis), compiled))
    }

    fn of(combination: &Combination, axis: Option<Axis>, compiled: Compiled) -> Self {
        let (dents, kinks) = (Cell::default(), OnceCell::new());
        Self {
            combination: combination.clone(),
            axis,
            compiled,
            is_slow: false,
            dents,
            kinks,
        }
    }

    /// A combination that the evaluator cannot compile, over fewer amounts.
    pub(crate) fn uncompiled(folder: &Folder, scale: &Scale, combination: &Combination) -> Self {
        let axis = combination.axis.as_ref().map(|input| {
            let (axis, most) = axis(folder, scale, input);
            let first = SLOW_FROM.min(most).max(axis.first);
            let amounts = if searches(&scale.law) {
                SEARCHED_AMOUNTS
            } else {
                SLOW_AMOUNTS
            };
            Axis {
                first,
                last: (first + amounts - 1).min(most),
                ..axis
            }
        });
        Self {
            is_slow: true,
            ..Self::of(combination, axis, Compiled::default())
        }
    }

    /// The amounts after which the law takes another way.
    pub(crate) fn kinks(&self) -> &BTreeSet<i64> {
        self.kinks.get_or_init(|| {
            self.axis
                .as_ref()
                .map(|axis| kinks::all(&self.compiled, axis).into_iter().collect())
                .unwrap_or_default()
        })
    }

    /// Number of amounts.
    pub(crate) fn points(&self) -> i64 {
        self.axis
            .as_ref()
            .map_or(1, |axis| axis.last - axis.first + 1)
    }
}

/// The amounts of an input up to where kinks are looked for, and the greatest that it accepts.
fn axis(folder: &Folder, scale: &Scale, input: &str) -> (Axis, i64) {
    let node = scale.law.input(input).unwrap();
    let own = |text: &str| {
        text.split_once('.')
            .map_or(0, |(_, decimals)| decimals.len() as u32)
    };

    let decimals = match (
        text(node, "type"),
        text(node, "round").or(text(node, "step")),
    ) {
        (_, Some(unit)) => own(unit),
        (Some("money"), None) => {
            let decimals = text(node, "decimals").or(text(&scale.law.method, "decimals"));
            decimals.map_or(2, |decimals| decimals.parse().unwrap())
        }
        _ => 0,
    };

    // A currency without cents is enumerated by its units.
    let edition = folder.edition(scale.when.day).or(folder.latest()).unwrap();
    let usual = Amounts::from(edition.method()).decimals_of(Decimal::ONE);
    let decimals = if text(node, "type") == Some("money") {
        decimals.min(usual)
    } else {
        decimals
    };

    let units = power_of_ten(decimals as usize);
    let bound = |key: &str| text(node, key).map(|text| literal(text).unwrap() * &units);
    let first = bound("min").map_or(0, |min| min.ceil().to_integer().to_i64().unwrap().max(0));
    let most = bound("max").map_or(i64::MAX, |max| max.floor().to_integer().to_i64().unwrap());
    let farthest = FARTHEST_KINK.saturating_mul(10_i64.pow(decimals)).min(most);
    (
        Axis {
            input: input.to_owned(),
            decimals,
            first,
            last: farthest,
        },
        most.min(1_000_000_000_000 * 10_i64.pow(decimals)),
    )
}
