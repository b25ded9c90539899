//! The names that a year of pays reads from month to month, over the methods that can meet in one.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::run::edition::Edition;
use crate::say;
use crate::text::diagnostic::Report;
use crate::text::lang::Text;
use crate::text::problem::Problem;

/// Checks that what any of the editions of a calendar year reads of other months is there in each, with the same type.
pub(super) fn check_years(editions: &[Edition], report: &mut Report) {
    let start = |edition: &Edition| Some(edition.scale()?.date);
    let years: BTreeSet<i16> = editions.iter().filter_map(|edition| Some(start(edition)?.year())).collect();
    for year in years {
        let meets = |(index, edition): &(usize, &Edition)| {
            let end = editions.get(index.saturating_add(1)).and_then(start);
            let first = Date::new(year, 1, 1).ok();
            start(edition).is_some_and(|date| date.year() <= year) && end.is_none_or(|end| first < Some(end))
        };
        let of_year: Vec<&Edition> = editions.iter().enumerate().filter(meets).map(|(_, edition)| edition).collect();
        if of_year.iter().any(|edition| edition.method.year.is_some()) {
            check_year(&of_year, report);
        }
    }
}

/// Reports each method once for each name.
fn check_year(editions: &[&Edition], report: &mut Report) {
    let Some(last) = editions.last() else { return };
    let names = &last.method.year_names;
    for name in names.summed.iter().chain(&names.ahead) {
        let expected = editions.iter().rev().find_map(|edition| edition.method.type_of(name));
        let mut told: Vec<&str> = Vec::new();
        for edition in editions {
            let method = &edition.method;
            let found = method.type_of(name);
            if found == expected || told.contains(&method.name.as_str()) {
                continue;
            }
            told.push(&method.name);
            let found = found.map_or_else(
                || Text::new("(elle ne l’a pas)", "(it does not have it)").into(),
                |ty| {
                    let ty = ty.name();
                    say!("(il y est de type `{ty}`)", "(there it is of type `{ty}`)")
                },
            );
            let method_name = format!("{}.yaml", method.name);
            report.error(&method.place, Problem::NotInEveryMethod { name: name.clone(), method: method_name, found });
        }
    }
}
