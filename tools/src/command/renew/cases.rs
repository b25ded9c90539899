//! The cases that a renewal touches: those that expect the warning of a day beyond what is known,
//! for a day that is known from now on.

use bareme_engine::authoring::Node;
use bareme_engine::law::parameter::DATE;
use bareme_engine::run::unchecked;
use bareme_engine::text::{RuleFile, french_date};
use bareme_engine::{FileSet, Loader, Report};
use bareme_show::say;
use jiff::civil::Date;

use super::plan::Days;
use super::{Args, refusal};
use crate::accept::CaseRun;
use crate::edit::{Edit, edited};
use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Failure, Session};

/// A case that asks about a later day now.
#[derive(Debug)]
pub(super) struct MovedCase {
    pub name: String,
    pub before: Option<Date>,
    pub after: Option<Date>,
}

/// A case that fails once the file is renewed.
struct Failing {
    name: String,
    day: Option<Date>,
    /// Its file, its line, and the byte of its first key, which identifies it.
    inside: String,
    line: usize,
    start: usize,
    /// Whether it expects the warning of a day beyond what was known.
    awaits: bool,
    /// The fields that were the year of the last known day, and are that of the new one.
    years: Vec<String>,
    /// Whether these are all that differs.
    is_year_alone: bool,
    report: Report,
}

impl Failing {
    fn new(run: &CaseRun, days: Days) -> Self {
        let (case, outcome) = (run.case, &run.outcome);
        let plain = |text: &str| text.replace(['\u{a0}', '\u{202f}'], " ");
        let is_expected = |day: Date, words: &str| {
            let warning = unchecked(days.known, day);
            *warning.code == *words || plain(&warning.text.fr).contains(&plain(words))
        };
        let day = case.date();
        let warns = case.warns.as_ref().map(|warns| warns.value.as_str());
        let late = day.filter(|day| *day > days.known);
        let awaits = late
            .zip(warns)
            .is_some_and(|(day, words)| is_expected(day, words));

        // Beyond what is known, the year of an answer is that of the last known day.
        let year = days.until.year().to_string();
        let years: Vec<String> = outcome
            .differences
            .iter()
            .filter(|difference| difference.found.trim_matches('"') == year)
            .map(|difference| difference.field.value.clone())
            .collect();

        Self {
            name: case.name.clone(),
            day,
            inside: case.place.file().path().to_owned(),
            line: case.place.line(),
            start: case.place.span().start,
            awaits,
            is_year_alone: late.is_some()
                && outcome.others.is_ok()
                && years.len() == outcome.differences.len(),
            years,
            report: outcome.report(),
        }
    }
}

/// The files with the cases that follow the renewal, and what was moved in them; or the reason why
/// it is refused.
pub(super) fn settled(
    set: FileSet,
    days: Days,
    args: &Args,
    files: &RuleFiles,
    session: &Session,
) -> Result<(FileSet, Vec<MovedCase>), Failure> {
    let found = failing(&set, days);
    if found.is_empty() {
        return Ok((set, Vec::new()));
    }
    // What a case expects is changed on purpose only.
    if !args.cases {
        return Err(refused(&found, days, files, session));
    }

    // 1. The days and the words of the warning.
    let late: Vec<&Failing> = found.iter().filter(|one| one.awaits).collect();
    let (mut set, mut moved) = (set, Vec::new());
    set = with_edits(set, &late, |one, node, text| {
        moved_edits(one, node, text, days)
    });
    for one in late {
        let after = one.day.map(|day| shifted(day, days));
        moved.push(MovedCase {
            name: one.name.clone(),
            before: one.day,
            after,
        });
    }

    // 2. The year that these days are answered with, where nothing else differs.
    let found = failing(&set, days);
    let years: Vec<&Failing> = found.iter().filter(|one| one.is_year_alone).collect();
    set = with_edits(set, &years, |one, node, text| {
        year_edits(one, node, text, days)
    });
    for one in years {
        if moved.iter().all(|known| known.name != one.name) {
            moved.push(MovedCase {
                name: one.name.clone(),
                before: one.day,
                after: one.day,
            });
        }
    }

    // 3. What fails still is no matter of days.
    let found = failing(&set, days);
    if found.is_empty() {
        Ok((set, moved))
    } else {
        Err(refused(&found, days, files, session))
    }
}

fn failing(set: &FileSet, days: Days) -> Vec<Failing> {
    // What cannot be loaded at all is refused when the files are checked.
    let loaded = Loader::new().without_cases().load_files(set);
    let folders = loaded.rules.iter().flat_map(|rules| rules.folders());
    let runs = folders.flat_map(CaseRun::all);
    runs.filter(|run| !run.outcome.is_ok())
        .map(|run| Failing::new(&run, days))
        .collect()
}

/// The files with the edits of some cases.
fn with_edits(
    set: FileSet,
    cases: &[&Failing],
    edits: impl Fn(&Failing, &Node, &str) -> Vec<Edit>,
) -> FileSet {
    // All cases of a folder are in one file.
    let Some(path) = cases.first().map(|one| one.inside.clone()) else {
        return set;
    };
    let text = set.text(&path).unwrap_or_default().to_owned();
    let file = RuleFile::new(path.as_str(), text.as_str());
    let Some(root) = Node::read(&file, &mut Report::default()) else {
        return set;
    };

    let nodes = root.get("cases").map(Node::items).unwrap_or_default();
    let own = |one: &Failing| {
        nodes.iter().find(|node| {
            let first = node.entries().first();
            first.is_some_and(|(key, _)| key.place.span().start == one.start)
        })
    };
    let all = cases
        .iter()
        .filter_map(|one| Some(edits(one, own(one)?, &text)))
        .flatten()
        .collect();
    set.with(&path, &edited(&text, all))
}

/// A day as far beyond the last known day as it was before.
fn shifted(day: Date, days: Days) -> Date {
    if day > days.until {
        return day;
    }
    let span = days.known.until(day).unwrap_or_default();
    days.until.saturating_add(span)
}

/// The edits that ask a case about a day beyond the new last one.
fn moved_edits(one: &Failing, node: &Node, text: &str, days: Days) -> Vec<Edit> {
    let mut edits = Vec::new();
    // A case of a year of pays has no day to move: it is refused as it fails.
    let date = node.get(DATE).and_then(Node::text);
    if let Some((date, day)) = date.zip(one.day) {
        let after = shifted(day, days).to_string();
        edits.push(Edit::replace(date.place.span(), after));
    }

    // The words may name the last known day, or be the code of the warning.
    if let Some(warns) = node.get("warns").and_then(Node::text) {
        let place = warns.place.span();
        let written = text.get(place.clone()).unwrap_or_default();
        let now = written.replace(&french_date(days.known), &french_date(days.until));
        edits.push(Edit::replace(place, now));
    }
    edits
}

/// The edits of the fields that are the year of the last known day.
fn year_edits(one: &Failing, node: &Node, text: &str, days: Days) -> Vec<Edit> {
    let expect = node.get("expect").map(Node::entries).unwrap_or_default();
    let (known, until) = (days.known.year().to_string(), days.until.year().to_string());
    expect
        .iter()
        .filter(|(field, _)| one.years.contains(&field.value))
        .filter_map(|(_, value)| value.text())
        .filter(|value| value.value == known)
        .map(|value| {
            let place = value.place.span();
            let written = text.get(place.clone()).unwrap_or_default();
            Edit::replace(place, written.replace(&known, &until))
        })
        .collect()
}

/// The refusal of cases that would fail, each named.
fn refused(found: &[Failing], days: Days, files: &RuleFiles, session: &Session) -> Failure {
    let lang = session.lang;
    let (known, until) = (days.known, days.until);

    // 1. Those that fail for another reason than a day that is known now: in full.
    let mut page = Page::default();
    let others = found.iter().filter(|one| !one.awaits && !one.is_year_alone);
    let mut others = others.peekable();
    let has_others = others.peek().is_some();
    files.show(
        others.flat_map(|one| one.report.errors()),
        &mut page,
        session,
    );
    if has_others {
        page.text(say!(
            lang,
            "Ces cas sont faux une fois le barème connu jusqu’au {until} : les corriger d’abord.",
            "These cases are wrong once the scale is known until {until}: fix them first."
        ));
    }
    let shown = if has_others {
        page.to_text(session.style)
    } else {
        String::new()
    };

    // 2. Those of a day that is known from now on.
    let late: Vec<&Failing> = found
        .iter()
        .filter(|one| one.awaits || one.is_year_alone)
        .collect();
    let Some(first) = late.first() else {
        return Failure::wrong(shown);
    };
    let named: Vec<String> = late
        .iter()
        .map(|one| match one.day {
            Some(day) => format!("« {} » ({day})", one.name),
            None => format!("« {} »", one.name),
        })
        .collect();
    let (count, named) = (named.len(), named.join(", "));
    let cause = say!(
        lang,
        "cas d’un jour après le {known}, désormais vérifié, {count} : {named}",
        "cases of a day after {known}, which is checked from now on, {count}: {named}"
    );
    let cure = say!(
        lang,
        "`--cases` les déplace d’autant après le {until}, avec le jour de `warns` et l’année ; ou les corriger à la main d’abord.",
        "`--cases` moves them as far beyond {until}, with the day of `warns` and the year; or fix them by hand first."
    );
    let place = format!("{}:{}", files.shown(&first.inside), first.line);
    let failure = refusal(&cause, &place, &cure, session);
    if shown.is_empty() {
        failure
    } else {
        Failure::unusable(format!("{shown}\n{}", failure.message))
    }
}
