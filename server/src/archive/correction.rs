//! Corrections: the law of past days that a rule set changes, with what it moves.

use bareme_engine::run::Case;
use bareme_engine::service::Rules;
use bareme_engine::text::number_text;
use bareme_engine::{Calculation, Folder, Query};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::changes::{Changes, Law, State, day};

/// Worked cases that a correction is measured on, at most.
const MOST_CASES: usize = 200;

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

        for mut correction in periods(folder, [earlier, later], today) {
            measure(&mut correction, [old, new]);
            found.push(correction);
        }
    }
    found
}

/// The periods up to a day in which two lists of laws differ.
fn periods(folder: &str, [before, after]: [&[Law]; 2], today: Date) -> Vec<Correction> {
    let mut days: Vec<Option<Date>> = before
        .iter()
        .chain(after)
        .map(|law| law.from)
        .filter(|from| from.is_none_or(|from| from <= today))
        .collect();
    days.sort_unstable();
    days.dedup();

    let law_of = |laws: &[Law], day: Option<Date>| {
        let applies = |law: &&Law| law.from <= day;
        laws.iter().rfind(applies).map(|law| law.version.clone())
    };
    let of_day = |(index, from): (usize, &Option<Date>)| {
        let (old, new) = (law_of(before, *from), law_of(after, *from));
        let next = days.get(index + 1).copied().flatten();
        (old != new).then(|| Correction {
            folder: folder.to_owned(),
            from: *from,
            until: next.and_then(|next| next.yesterday().ok()),
            before: old,
            after: new,
            cases: 0,
            fields: Vec::new(),
        })
    };

    days.iter().enumerate().filter_map(of_day).collect()
}

/// Computes the worked cases of the days of a correction by both laws.
fn measure(correction: &mut Correction, [old, new]: [&Folder; 2]) {
    let is_inside = |day: &Date| {
        correction.from.is_none_or(|from| from <= *day)
            && correction.until.is_none_or(|until| *day <= until)
    };
    let is_asked = |case: &&Case| {
        let days = case.days();
        days.iter().all(is_inside) && (correction.from.is_none() || !days.is_empty())
    };

    let cases = new.answered_cases().filter(is_asked).take(MOST_CASES);
    let (mut answered, mut fields) = (0, Vec::new());
    for case in cases {
        let query = Query::from(&case.query);
        // A case has its day in it, but for a method without dates.
        let day = case.date().unwrap_or(Date::MIN);
        let (Ok(before), Ok(after)) = (old.calculate(&query, day), new.calculate(&query, day))
        else {
            continue;
        };
        answered += 1;
        add(case, [&before, &after], &mut fields);
    }

    correction.cases = answered;
    correction.fields = fields.into_iter().map(Moved::corrected).collect();
}

/// A field whose amount differs in some cases, with the greatest difference.
struct Moved {
    name: String,
    cases: usize,
    query: String,
    before: Decimal,
    after: Decimal,
}

impl Moved {
    fn distance(&self) -> Decimal {
        (self.after - self.before).abs()
    }

    fn corrected(self) -> CorrectedField {
        CorrectedField {
            name: self.name,
            cases: self.cases,
            query: self.query,
            before: number_text(self.before),
            after: number_text(self.after),
        }
    }
}

/// Adds the fields whose amounts differ in a case.
fn add(case: &Case, [before, after]: [&Calculation; 2], fields: &mut Vec<Moved>) {
    for (field, value) in after.fields() {
        let old = before.field(&field.name).and_then(|value| value.number());
        let Some((old, new)) = old.zip(value.number()).filter(|(old, new)| old != new) else {
            continue;
        };

        let pairs = case.query.iter();
        let query: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let moved = Moved {
            name: field.name.clone(),
            cases: 1,
            query: query.join("&"),
            before: old,
            after: new,
        };
        match fields.iter_mut().find(|known| known.name == moved.name) {
            Some(known) if known.distance() < moved.distance() => {
                *known = Moved {
                    cases: known.cases + 1,
                    ..moved
                };
            }
            Some(known) => known.cases += 1,
            None => fields.push(moved),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn laws(laws: &[(Option<Date>, &str)]) -> Vec<Law> {
        let law = |(from, version): &(Option<Date>, &str)| Law {
            from: *from,
            version: (*version).to_owned(),
        };
        laws.iter().map(law).collect()
    }

    #[test]
    fn only_days_whose_law_changed_and_that_have_come_are_corrected() {
        let (old, new) = (Some(date(2025, 1, 1)), Some(date(2026, 1, 1)));
        let next = Some(date(2027, 1, 1));
        let before = laws(&[(old, "a"), (new, "b")]);
        let after = laws(&[(old, "a"), (new, "c"), (next, "d")]);

        let found = periods("zz", [&before, &after], date(2026, 6, 1));
        let [only] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((only.from, only.until), (new, None));
        assert_eq!(
            (only.before.as_deref(), only.after.as_deref()),
            (Some("b"), Some("c"))
        );

        // A file that comes after its first day corrects what was answered since.
        let late = periods("zz", [&before, &after], date(2027, 2, 1));
        let days: Vec<_> = late.iter().map(|found| (found.from, found.until)).collect();
        assert_eq!(days, [(new, Some(date(2026, 12, 31))), (next, None)]);
        assert_eq!(late[1].before.as_deref(), Some("b"));
    }

    #[test]
    fn a_law_that_appears_before_all_others_corrects_its_days() {
        let (first, second) = (Some(date(2025, 1, 1)), Some(date(2026, 1, 1)));
        let before = laws(&[(second, "b")]);
        let after = laws(&[(first, "a"), (second, "b")]);
        let found = periods("zz", [&before, &after], date(2026, 6, 1));
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].before.as_deref(), found[0].until),
            (None, Some(date(2025, 12, 31)))
        );
    }
}
