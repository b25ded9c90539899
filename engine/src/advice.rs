//! What deserves a second look in rules that hold no mistake, on a given day: the engine itself has no
//! clock, and none of this stops a scale from being served.

use jiff::civil::Date;

use crate::diagnostic::{Place, Report};
use crate::folder::Folder;
use crate::problem::Problem;
use crate::rules::Rules;
use crate::scale::Scale;
use crate::source::Source;

/// Days before its end from which a scale is to be renewed, and days for which a file is new.
const NOTICE: i32 = 60;

/// What to look at again in the last scale of each folder, as warnings.
pub fn advise(rules: &Rules, today: Date) -> Report {
    let mut report = Report::default();
    for folder in rules.folders() {
        let Some(latest) = folder.latest() else { continue };
        undated_sources(latest.scale().map_or(&latest.method().sources, |scale| &scale.sources), &mut report);
        if let Some(scale) = latest.scale() {
            ending(scale, today, &mut report);
            unchanged(folder, scale, today, &mut report);
        }
    }
    report.sort();
    report
}

/// How many sources a message names.
const SHOWN: usize = 8;

/// A text without date cannot be told from the one that replaced it.
fn undated_sources(sources: &[Source], report: &mut Report) {
    let undated: Vec<&Source> = sources.iter().filter(|source| source.date.is_none()).collect();
    if let Some(first) = undated.first() {
        let mut ids = undated.iter().take(SHOWN).map(|source| source.id.as_str()).collect::<Vec<_>>().join("; ");
        if undated.len() > SHOWN {
            ids.push_str(&format!("… ({})", undated.len()));
        }
        report.warn(&first.place, Problem::SourcesWithoutDate { ids });
    }
}

fn days(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

/// Nothing follows this scale, and it is over, or soon will be.
fn ending(scale: &Scale, today: Date, report: &mut Report) {
    let end = scale.until.map_or(scale.known_until, |until| until.min(scale.known_until));
    let left = days(today, end);
    if left < 0 {
        report.warn(&scale.place, Problem::ScaleOver { end: end.to_string() });
    } else if left <= NOTICE {
        report.warn(&scale.place, Problem::ScaleEnds { end: end.to_string(), days: left });
    }
}

/// In a file that is new, a figure equal to the one before may have been forgotten.
fn unchanged(folder: &Folder, scale: &Scale, today: Date, report: &mut Report) {
    if days(scale.date, today) > NOTICE {
        return;
    }
    let [.., before, last] = folder.editions() else { return };
    let Some(old) = before.scale().filter(|_| before.method().name == last.method().name) else { return };
    let same = last.method().figures().iter().zip(scale.figures.iter().zip(&old.figures));
    let same: Vec<&str> =
        same.filter(|(_, (new, old))| new.same_values(old)).map(|(shape, _)| shape.name.as_str()).collect();
    if !same.is_empty() {
        let problem = Problem::FiguresUnchanged { date: old.date.to_string(), figures: same.join("; ") };
        report.warn(&Place::of_file(scale.place.file()), problem);
    }
}
