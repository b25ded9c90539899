//! JSON list of the rule sets published since a day: each with the laws that it changed, and what it
//! corrected.

use bareme_api::data::{self, object};
use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::changes::{Changes, Law};
use super::correction::{CorrectedField, Correction};
use super::index::{Index, KeptSet};

/// The day since which sets were published.
pub(crate) const SINCE: &str = "depuis";

/// The day on which a corrected law applied, or a later one.
pub(crate) const EFFECT: &str = "effet";

/// Rule sets in an answer, at most: the newest.
pub(crate) const MOST_SETS: usize = 100;

/// The answer to a query.
///
/// # Errors
/// Parameters that cannot be used.
pub(crate) fn describe(index: &Index, query: Query) -> Result<Value, Problem> {
    let sent = data::known_parameters(query, &[SINCE, EFFECT])?;
    let since = data::day(&sent, SINCE)?;
    let effect = data::day(&sent, EFFECT)?;

    let is_since = |set: &&KeptSet| since.is_none_or(|since| published_on(set) >= since);
    let newest = index.sets().iter().rev().filter(is_since);
    // One more than is answered says whether there are others.
    let mut sets: Vec<&KeptSet> = newest.take(MOST_SETS + 1).collect();
    let has_more = sets.len() > MOST_SETS;
    sets.truncate(MOST_SETS);

    // The first set that is kept: those before it were removed after their years.
    let kept_since = index.sets().first().map(|set| set.published.to_string());
    let sets: Vec<Value> = sets.iter().map(|set| publication(set, effect)).collect();
    Ok(object([
        ("conservees_depuis", kept_since.into()),
        ("publications", sets.into()),
        ("suite", has_more.into()),
    ]))
}

fn publication(set: &KeptSet, effect: Option<Date>) -> Value {
    let Changes {
        laws, corrections, ..
    } = &set.changes;
    let calculation = |(folder, laws): (&String, &Option<Vec<Law>>)| {
        let laws: Vec<Value> = laws.iter().flatten().map(law).collect();
        object([("dossier", folder.clone().into()), ("lois", laws.into())])
    };
    let calculations: Vec<Value> = laws.iter().map(calculation).collect();

    // Whoever asks about a day and those after it is spared the corrections that end before.
    let reaches = |correction: &&Correction| {
        let ends_before = |effect| correction.until.is_some_and(|until| until < effect);
        !effect.is_some_and(ends_before)
    };
    let corrections = corrections.iter().filter(reaches).map(correction);

    object([
        ("numero", set.number.into()),
        ("publie", set.published.to_string().into()),
        ("empreinte", set.version.clone().into()),
        ("programme", set.program.clone().into()),
        ("calculs", calculations.into()),
        ("corrections", corrections.collect::<Vec<Value>>().into()),
    ])
}

fn law(law: &Law) -> Value {
    object([
        ("du", written(law.from)),
        ("version", law.version.clone().into()),
    ])
}

fn correction(correction: &Correction) -> Value {
    object([
        ("dossier", correction.folder.clone().into()),
        ("du", written(correction.from)),
        ("au", written(correction.until)),
        ("version_avant", correction.before.clone().into()),
        ("version", correction.after.clone().into()),
        ("cas_types", correction.cases.into()),
        (
            "champs",
            correction
                .fields
                .iter()
                .map(field)
                .collect::<Vec<Value>>()
                .into(),
        ),
    ])
}

fn field(field: &CorrectedField) -> Value {
    // Amounts are numbers of JSON with all their decimals.
    let amount = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    object([
        ("champ", field.name.clone().into()),
        ("cas_types", field.cases.into()),
        ("requete", field.query.clone().into()),
        ("avant", amount(&field.before)),
        ("apres", amount(&field.after)),
    ])
}

fn written(day: Option<Date>) -> Value {
    day.map(|day| day.to_string()).into()
}

fn published_on(set: &KeptSet) -> Date {
    set.published.to_zoned(TimeZone::UTC).date()
}
