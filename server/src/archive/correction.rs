//! Corrections: the law of past days that a rule set changes, with what it moves.

use bareme_engine::Folder;
use bareme_engine::service::Rules;
use bareme_engine::set::effect::{ChangedField, Period, effect_on_cases, periods};
use bareme_engine::text::number_text;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::changes::{Changes, Law, State, day};

/// The law of a folder that a set changes for days on which another one was in force already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Correction {
    pub folder: String,
    /// The first day; none for a method without dates.
    #[serde(with = "day")]
    pub from: Option<Date>,
    /// The last day before the next law; none where it goes on.
    #[serde(with = "day")]
    pub until: Option<Date>,
    /// The version of the law that applied, and of the one that applies now.
    pub before: Option<String>,
    pub after: Option<String>,
    /// Worked cases of these days that both laws answer.
    pub cases: usize,
    /// The fields whose amounts differ in some of them.
    pub fields: Vec<CorrectedField>,
}

/// A field whose amount a correction changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CorrectedField {
    pub name: String,
    /// In how many of the cases.
    pub cases: usize,
    /// The case in which it moves most, as a query, with both amounts.
    pub query: String,
    pub before: String,
    pub after: String,
}

/// The corrections between two sets: laws of days up to `today` that differ.
pub(crate) fn corrections(
    changes: &Changes,
    [before, after]: [&State; 2],
    [old, new]: [&Rules; 2],
    today: Date,
) -> Vec<Correction> {
    let mut found = Vec::new();
    for folder in changes.laws.keys() {
        // A folder that is new answered nothing, and one that is gone answers nothing.
        let (Some(earlier), Some(later)) = (before.laws.get(folder), after.laws.get(folder)) else {
            continue;
        };
        let (Some(old), Some(new)) = (old.folder(folder), new.folder(folder)) else {
            continue;
        };

        // Up to today: what a set changes for later days is an announced law, which corrects no
        // answer.
        for period in periods([&laws(earlier), &laws(later)], today) {
            found.push(Correction::of(folder, &period, [old, new]));
        }
    }
    found
}

fn laws(laws: &[Law]) -> Vec<(Option<Date>, &str)> {
    laws.iter()
        .map(|law| (law.from, law.version.as_str()))
        .collect()
}

impl Correction {
    /// The correction of a period, measured on the worked cases of its days.
    fn of(folder: &str, period: &Period, laws: [&Folder; 2]) -> Self {
        let effect = effect_on_cases(period, laws);
        let version = |version: Option<&str>| version.map(str::to_owned);

        Self {
            folder: folder.to_owned(),
            from: period.from,
            until: period.until,
            before: version(period.before),
            after: version(period.after),
            cases: effect.answered,
            fields: effect.fields.into_iter().map(corrected).collect(),
        }
    }
}

fn corrected(field: ChangedField) -> CorrectedField {
    let pairs = field.query.iter();
    let query: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect();

    CorrectedField {
        name: field.name,
        cases: field.count,
        query: query.join("&"),
        before: number_text(field.before),
        after: number_text(field.after),
    }
}
