//! Warnings about rules without errors, on a given day: the engine itself has no clock. None of
//! them prevents the use of a scale.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::law::{Authority, FigureId, Method, Scale, Shape, Source, SourceKind, Type};
use crate::run::{Case, Edition, Folder};
use crate::text::words::shortened;
use crate::text::{Place, Problem, Report};

/// Days before the end of a scale from which its renewal is due, and days for which a file counts
/// as new.
const RENEWAL_DAYS: i32 = 60;

/// Checks folders without errors, on a given day, for parts that need a second look; reports them
/// as warnings.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// // What an analyst should see to some day: scales that end soon, sources without a date.
/// let advice = bareme_engine::set::lint(rules.folders(), jiff::civil::date(2026, 3, 31));
/// assert!(advice.is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lint<'f>(folders: impl IntoIterator<Item = &'f Folder>, today: Date) -> Report {
    let folders: Vec<&Folder> = folders.into_iter().collect();
    let of_each = folders.par_iter().map(|folder| of_folder(folder, today));
    let of_each: Vec<Report> = of_each.collect();

    let mut report = Report::default();
    of_each.into_iter().for_each(|own| report.extend(own));
    report.sort();
    report
}

/// The warnings about one folder.
fn of_folder(folder: &Folder, today: Date) -> Report {
    let mut report = Report::default();

    for edition in folder.editions() {
        if let Some(scale) = edition.scale() {
            figures_without_law(edition.method(), scale, &mut report);
        }
    }

    unguarded(folder, today, &mut report);
    gaps(folder, today, &mut report);
    days_to_come(folder, today, &mut report);

    // The last scale only: of earlier ones, the sources stay as they are and the end is the start
    // of the next.
    let Some(latest) = folder.latest() else {
        return report;
    };
    undated_sources(
        latest
            .scale()
            .map_or(&latest.method().sources, |scale| &scale.sources),
        &mut report,
    );
    if let Some(scale) = latest.scale() {
        ending(scale, today, &mut report);
        unchanged(folder, scale, today, &mut report);
    }
    report
}

/// Ids of the sources for which `lacks` is true, and the place of the first.
fn lacking(sources: &[Source], lacks: impl Fn(&Source) -> bool) -> Option<(&Place, String)> {
    let found: Vec<&Source> = sources.iter().filter(|source| lacks(source)).collect();
    let ids: Vec<&str> = found.iter().map(|source| source.id.as_str()).collect();
    found.first().map(|first| (&first.place, shortened(&ids)))
}

/// Warns of sources with neither a date, a number, a gazette nor an article of a code: nothing
/// distinguishes them from the text that replaced them.
fn undated_sources(sources: &[Source], report: &mut Report) {
    let lacks = |source: &Source| {
        let named = [&source.article, &source.published, &source.identifier];
        source.kind == SourceKind::Law
            && source.date.is_none()
            && named.iter().all(|name| name.is_none())
    };
    if let Some((place, ids)) = lacking(sources, lacks) {
        report.warn(place, Problem::SourcesWithoutDate { ids });
    }
}

/// Warns of figures, or rows, that cite an official page but no legal text, without a note. Figures
/// with evidence only must have a note anyway; texts, such as labels, are not figures of the law.
fn figures_without_law(method: &Method, scale: &Scale, report: &mut Report) {
    // A figure of another folder is that one's.
    let figures = method.figures().iter().zip(&scale.figures);
    let figures = figures.filter(|(shape, _)| shape.shared.is_none());
    let is_number = |shape: &Shape| {
        shape.bound.is_some() || shape.columns.iter().any(|column| column.ty != Type::Text)
    };
    let without = figures.filter(|(shape, figure)| {
        is_number(shape)
            && figure.authority(&scale.sources) >= Authority::Administration
            && !figure.documents_gaps(&scale.sources)
    });

    let names: Vec<&str> = without.map(|(shape, _)| shape.name.as_str()).collect();
    if !names.is_empty() {
        let problem = Problem::FiguresWithoutLaw {
            count: names.len(),
            figures: shortened(&names),
        };
        report.warn(&Place::of_file(scale.place.file()), problem);
    }
}

/// Warns of figures that no worked case reads, in the scale in force and in later ones.
fn unguarded(folder: &Folder, today: Date, report: &mut Report) {
    let in_force = folder
        .edition(today)
        .and_then(Edition::scale)
        .map(|scale| scale.date);

    for edition in folder.editions() {
        let Some(scale) = edition.scale().filter(|scale| Some(scale.date) >= in_force) else {
            continue;
        };
        let place = Place::of_file(scale.place.file());

        // A computed case repeats what the program gave: it guards nothing.
        let cases: Vec<&Case> = folder
            .cases_of(edition)
            .filter(|case| !case.is_computed)
            .collect();
        if cases.is_empty() && !scale.figures.is_empty() {
            report.warn(
                &place,
                Problem::ScaleWithoutCases {
                    count: scale.figures.len(),
                },
            );
            continue;
        }

        let unread = unread_figures(folder, edition, &cases);
        if !unread.is_empty() {
            report.warn(
                &place,
                Problem::FiguresNoCaseReads {
                    count: unread.len(),
                    figures: shortened(&unread),
                },
            );
        }
    }
}

/// The figures that no applied step reads in any of these cases.
fn unread_figures<'f>(folder: &Folder, edition: &'f Edition, cases: &[&Case]) -> Vec<&'f str> {
    let steps = edition.method().steps().iter();
    let of_steps = steps.flat_map(|step| step.figures.iter().copied());
    let mut unread: BTreeSet<FigureId> = of_steps.collect();

    for case in cases {
        // Most often the first cases read every figure: the others need not run again.
        if unread.is_empty() {
            break;
        }

        // A refused case computes nothing.
        let Ok(calculation) = folder.calculate(&(&case.query).into(), Date::ZERO) else {
            continue;
        };
        let Ok(steps) = calculation.steps() else {
            continue;
        };

        // A step that does not apply has read its figures for nothing: no value depends on them.
        let applied = steps.iter().filter(|trace| trace.applied);
        for figure in applied.flat_map(|trace| trace.step.figures.iter()) {
            unread.remove(figure);
        }
    }

    let figures = edition.method().figures();
    let unread = unread.iter().filter_map(|id| figures.get(id.position()));
    unread.map(|shape| shape.name.as_str()).collect()
}

/// Days from one day to another.
fn days(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

/// Warns of a last scale that has ended, or soon will, without a successor.
fn ending(scale: &Scale, today: Date, report: &mut Report) {
    let end = scale
        .until
        .map_or(scale.known_until, |until| until.min(scale.known_until));
    let left = days(today, end);
    let is_of_law = scale.until == Some(end);
    let end = end.to_string();

    // The law ends a scale, or only the knowledge of it ends: answers of later days are refused in
    // the one case, and carry a warning in the other.
    let problem = match (left < 0, is_of_law) {
        (true, true) => Problem::ScaleEnded { end },
        (true, false) => Problem::ScaleOver { end },
        (false, true) => Problem::ScaleToEnd { end, days: left },
        (false, false) => Problem::ScaleEnds { end, days: left },
    };

    if left <= RENEWAL_DAYS {
        report.warn(&scale.place, problem);
    }
}

/// Months after which a future day is more likely a mistake than a law already voted.
const MAX_MONTHS_AHEAD: i32 = 18;

/// Whether a day is so far after another that it is more likely a mistake.
pub(super) fn is_far_ahead(day: Date, from: Date) -> bool {
    day > from.saturating_add(jiff::Span::new().months(MAX_MONTHS_AHEAD))
}

/// Warns of a scale that starts long after the one in force ends: another one may be missing
/// between them.
fn gaps(folder: &Folder, today: Date, report: &mut Report) {
    let scales: Vec<&Scale> = folder
        .editions()
        .iter()
        .filter_map(Edition::scale)
        .collect();

    for (scale, next) in scales
        .iter()
        .zip(scales.iter().skip(1))
        .filter(|(_, next)| next.date > today)
    {
        // Days between the two that nobody has checked.
        if scale
            .known_until
            .tomorrow()
            .is_ok_and(|day| day < next.date)
        {
            ending(scale, today, report);
        }

        // A year of a date is easily mistyped, and such a scale would never be used.
        if is_far_ahead(next.date, today) && !next.is_reviewed {
            let (date, end) = (next.date.to_string(), scale.known_until.to_string());
            report.warn(
                &Place::of_file(next.place.file()),
                Problem::ScaleFarAhead { date, end },
            );
        }
    }
}

/// Warns of future days where only past ones are possible: of a text, of a check, of the end of
/// what is known.
fn days_to_come(folder: &Folder, today: Date, report: &mut Report) {
    // Nobody can know more than the next year, or than the year of the scale itself.
    let end_of_next_year = Date::new(today.year().saturating_add(1), 12, 31).unwrap_or(today);

    for scale in folder.editions().iter().filter_map(Edition::scale) {
        for source in scale.sources.iter() {
            if let Some(date) = source.date.filter(|date| *date > today) {
                let (id, date) = (source.id.clone(), date.to_string());
                report.warn(&source.place, Problem::SourceOfTheFuture { id, date });
            }
        }

        if let (Some(date), Some(place)) = (
            scale.checked.filter(|date| *date > today),
            &scale.checked_at,
        ) {
            report.warn(
                place,
                Problem::CheckedInTheFuture {
                    date: date.to_string(),
                },
            );
        }

        known_past_watch(scale, report);

        let end_of_own_year = Date::new(scale.date.year(), 12, 31).unwrap_or(scale.date);
        if scale.known_until > end_of_next_year.max(end_of_own_year) {
            report.warn(
                &scale.place,
                Problem::KnownForTooLong {
                    end: scale.known_until.to_string(),
                },
            );
        }
    }
}

/// Warns of a last known day, written in the file, that is later than a text which the file awaits:
/// nobody knows the scale beyond it. The first day of the file says that nothing beyond is known.
fn known_past_watch(scale: &Scale, report: &mut Report) {
    let awaited = scale
        .watch
        .iter()
        .filter(|awaited| awaited.expected < scale.known_until);
    let awaited = awaited.min_by_key(|awaited| awaited.expected);
    let (Some(awaited), Some(place)) = (awaited, &scale.known_until_at) else {
        return;
    };
    if scale.known_until > scale.date {
        let problem = Problem::KnownPastWatch {
            end: scale.known_until.to_string(),
            text: awaited.text.clone(),
            expected: awaited.expected.to_string(),
        };
        report.warn(place, problem);
    }
}

/// Warns of figures of a new file that equal those of the earlier one: their change may have been
/// forgotten.
fn unchanged(folder: &Folder, scale: &Scale, today: Date, report: &mut Report) {
    if days(scale.date, today) > RENEWAL_DAYS {
        return;
    }

    // Methods of other names have other figures: the same name may mean another thing.
    let [.., before, last] = folder.editions() else {
        return;
    };
    let Some(old) = before.scale() else { return };
    if before.method().name != last.method().name {
        return;
    }

    let old_figure = |name: &str| {
        FigureId::find(before.method().figures(), |shape| shape.name == name)?.of(&old.figures)
    };
    let figures = last.method().figures().iter().zip(&scale.figures);
    let same = figures.filter(|(shape, new)| {
        shape.shared.is_none()
            && old_figure(&shape.name).is_some_and(|old| new.same_values(old))
            && !new.is_confirmed_in_words()
    });
    let same: Vec<&str> = same.map(|(shape, _)| shape.name.as_str()).collect();

    if !same.is_empty() {
        let problem = Problem::FiguresUnchanged {
            date: old.date.to_string(),
            figures: same.join("; "),
        };
        report.warn(&Place::of_file(scale.place.file()), problem);
    }
}
