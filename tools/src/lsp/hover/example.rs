//! Worked cases of a folder as examples of its steps and fields.

use bareme_engine::law::Method;
use bareme_engine::run::{Case, Edition, StepTrace};
use bareme_engine::{Calculation, Folder, Lang};
use bareme_show::{Locale, say, trace};
use jiff::civil::Date;

/// Day on which cases of methods without dates run; it has no effect.
pub(in crate::lsp) const ANY_DAY: Date = Date::constant(2026, 1, 1);

/// Cases tried until one is found in which a step applies.
const MAX_PREVIEWS: usize = 60;

/// The edition in force of a method, or else its last one.
pub(in crate::lsp) fn edition_of<'f>(
    folder: &'f Folder,
    method: &str,
    today: Date,
) -> Option<&'f Edition> {
    let of_method = |edition: &&Edition| edition.method().name == method;
    // The edition of today, if it has this method: a folder may change its method over the years.
    folder
        .edition(today)
        .filter(of_method)
        .or_else(|| folder.editions().iter().rev().find(of_method))
}

/// The case of an edition to show an example from: the selected one, or else the first for which
/// `of` finds something.
pub(in crate::lsp) fn example<'f, T>(
    folder: &'f Folder,
    edition: &'f Edition,
    chosen: Option<&str>,
    show: impl Fn(&Calculation) -> Option<T>,
) -> Option<(&'f Case, T)> {
    // Cases that must be refused have no results.
    let cases: Vec<&Case> = folder.answered_cases().collect();
    let is_its_own = |case: &&&Case| {
        let day = case.date().unwrap_or(ANY_DAY);
        folder
            .edition(day)
            .is_some_and(|found| found.is_of_file_of(edition))
    };

    // A case of another edition of the method shows other figures, but the same steps.
    let is_of_method = |case: &&&Case| {
        let day = case.date().unwrap_or(ANY_DAY);
        folder
            .edition(day)
            .is_some_and(|found| found.method().name == edition.method().name)
    };

    // The selected case, then those of this edition, then the latest of the method.
    let named = cases
        .iter()
        .filter(|case| Some(case.name.as_str()) == chosen);
    let own = cases.iter().filter(is_its_own).take(MAX_PREVIEWS);
    let others = cases.iter().rev().filter(is_of_method).take(MAX_PREVIEWS);

    // Calculating is quick, but a folder may have hundreds of cases: `MAX_PREVIEWS` bounds the
    // wait.
    named.chain(own).chain(others).find_map(|case| {
        let calculation = folder.calculate(&(&case.query).into(), ANY_DAY).ok()?;
        Some((*case, show(&calculation)?))
    })
}

/// How a step was computed, in figures, one line each.
pub(super) fn worked(trace: &StepTrace, method: &Method, lang: Lang) -> String {
    let locale = Locale {
        lang,
        ..Locale::PAGE
    };
    let mut lines: Vec<String> = trace::details(trace, method, locale)
        .into_iter()
        .map(|(term, value)| format!("- {term} : {value}"))
        .collect();

    // Brackets are shown one by one, each with its part of the base.
    let slices = trace.slices.iter().map(|slice| {
        let (base, rate) = (locale.money(slice.base, method), locale.percent(slice.rate));
        format!(
            "- {} : {base} × {rate} = {}",
            trace::bounds(slice, locale),
            locale.money(slice.amount, method)
        )
    });
    lines.extend(slices);

    let result = trace::result(trace, method, locale);
    lines.push(say!(
        lang,
        "- Résultat : **{result}**",
        "- Result: **{result}**"
    ));
    lines.join("\n")
}
