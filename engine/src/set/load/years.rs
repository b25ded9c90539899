//! Consistency of the methods of a folder that may meet in one year of pays: the names read from
//! month to month, and the sums that `already` deducts.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::parameter::{OF_THE_DAY, YEAR};
use crate::law::scalar::Scalar;
use crate::run::{Edition, Folder, Query, StepResult, StepTrace, YearCalculation};
use crate::say;
use crate::text::number::round_decimals;
use crate::text::{Problem, Report, Text, number_text};

/// Checks that every value of another month that an edition of a calendar year reads exists in each
/// of them, with the same type.
pub(super) fn check_years(editions: &[Edition], report: &mut Report) {
    let start = |edition: &Edition| Some(edition.scale()?.date);
    let years: BTreeSet<i16> = editions
        .iter()
        .filter_map(|edition| Some(start(edition)?.year()))
        .collect();

    for year in years {
        // In force on some day of the year: started by its end, and replaced after its first day.
        let meets = |(index, edition): &(usize, &Edition)| {
            let end = editions.get(index.saturating_add(1)).and_then(start);
            let first = Date::new(year, 1, 1).ok();
            start(edition).is_some_and(|date| date.year() <= year)
                && end.is_none_or(|end| first < Some(end))
        };
        let of_year: Vec<&Edition> = editions
            .iter()
            .enumerate()
            .filter(meets)
            .map(|(_, edition)| edition)
            .collect();

        if of_year.iter().any(|edition| edition.method.year.is_some()) {
            check_year(&of_year, report);
        }
    }
}

/// Reports the methods of one year that lack a name read from month to month, or have it with
/// another type: each method once for each name.
fn check_year(editions: &[&Edition], report: &mut Report) {
    let Some(last) = editions.last() else { return };
    let names = &last.method.year_names;

    for name in names.summed.iter().chain(&names.ahead) {
        // The latest method that has the name says what it is.
        let expected = editions
            .iter()
            .rev()
            .find_map(|edition| edition.method.type_of(name));

        let mut reported: Vec<&str> = Vec::new();
        for edition in editions {
            let method = &edition.method;
            let found = method.type_of(name);
            if found == expected || reported.contains(&method.name.as_str()) {
                continue;
            }
            reported.push(&method.name);

            let found = found.map_or_else(
                || Text::new("(elle ne l’a pas)", "(it does not have it)").into(),
                |ty| {
                    let ty = ty.name();
                    say!("(il y est de type `{ty}`)", "(there it is of type `{ty}`)")
                },
            );
            let method_name = format!("{}.yaml", method.name);
            report.error(
                &method.place,
                Problem::NotInEveryMethod {
                    name: name.clone(),
                    method: method_name,
                    found,
                },
            );
        }
    }
}

/// Warns of a step whose `already` deducts another sum than what the months gave: tried over twelve
/// equal months of a worked case.
pub(super) fn check_settlement(folder: &Folder, report: &mut Report) {
    let Some(method) = folder.latest().map(Edition::method) else {
        return;
    };
    let Some(block) = method.year() else { return };

    // What a case of one month sends, but for what a year does not take: its day, the rank of the
    // pay, the inputs that only a single period has.
    let is_kept = |name: &str| {
        let is_rank = block
            .rank()
            .and_then(|rank| rank.of(method.inputs()))
            .is_some_and(|rank| rank.name == name);
        !is_rank && !OF_THE_DAY.contains(&name) && !block.is_excluded_in_year(name)
    };

    for case in folder.answered_cases() {
        let Some(year) = case.date().map(|date| date.year().to_string()) else {
            continue;
        };
        let sent = case.query.iter().filter(|(name, _)| is_kept(name));
        let sent = sent
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain([(YEAR, year.as_str())]);
        if let Ok(answer) = folder.year(&sent.collect::<Query>()) {
            // One case is enough: the formulas are the same for all.
            return compare_sums(&case.name, &answer, report);
        }
    }
}

/// Warns of each step of the last month that deducts a sum which is not that of the months.
fn compare_sums(case: &str, year: &YearCalculation, report: &mut Report) {
    let traces: Vec<&[StepTrace]> = year
        .months()
        .iter()
        .filter_map(|month| month.calculation.steps().ok())
        .collect();
    let Some(last) = traces.last() else { return };

    let value = |traces: &[StepTrace], name: &str| {
        let found = traces.iter().find(|trace| trace.step.name == name)?;
        match &found.result {
            StepResult::Value(Scalar::Number(number), _) => Some(*number),
            _ => None,
        }
    };

    for trace in last.iter() {
        let (Some(earlier), Some(taken)) = (&trace.earlier, &trace.step.already) else {
            continue;
        };

        // A sum that restarted covers the last months only.
        let sums = traces.iter().rev().scan(Decimal::ZERO, |sum, month| {
            *sum = sum.checked_add(value(month, &taken.value).unwrap_or_default())?;
            Some(*sum)
        });
        let sums: Vec<Decimal> = sums.collect();

        // Explanations show only ten decimals of each month.
        let shown = |value| round_decimals(value, 6);
        if !sums.iter().any(|sum| shown(*sum) == shown(earlier.so_far))
            && let Some(sum) = sums.last()
        {
            let problem = Problem::SettledOtherwise {
                step: trace.step.name.clone(),
                taken: taken.value.clone(),
                case: case.to_owned(),
                sum: number_text(*sum),
                so_far: number_text(earlier.so_far),
            };
            report.warn(&taken.place, problem);
        }
    }
}
