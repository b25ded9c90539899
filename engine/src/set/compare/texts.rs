//! Titles, citations and sources of a dated file that name another year, and files that only repeat
//! the one before.

use jiff::civil::Date;

use crate::law::source::parse_date;
use crate::text::date_in_words::{dates_in_text, title_names_another_year, years, years_of_scale};
use crate::text::{Node, Place, PlacedText, Problem, french_date};

use super::sheet::{Pair, Sheet, all_pairs};

/// The findings on the file as a whole.
pub(super) fn found(new: &Sheet, old: Option<&Sheet>) -> Vec<(Place, Problem)> {
    let mut found = Vec::new();

    // The title of a draft has its own, stricter check.
    if let Some(title) = new
        .text("title")
        .filter(|title| !new.is_draft && title_names_another_year(&title.value, new.date))
    {
        found.push((
            title.place.clone(),
            Problem::SpeaksOfOtherDay {
                date: french_date(new.date),
            },
        ));
    }

    found.extend(old.and_then(|old| stale_citation(new, old)));

    found.extend(old.and_then(|old| super::quoted::in_citation(new, old)));

    let sources = new.node.entries_of("sources");
    found.extend(
        sources
            .iter()
            .filter_map(|(id, source)| source_of_other_year(id, source)),
    );

    found.extend(old.filter(|old| repeats(new, old)).map(|old| {
        (
            Place::of_file(&new.file),
            Problem::ScaleCopied {
                date: old.date.to_string(),
            },
        )
    }));

    found
}

/// Whether the first day of a file is so far after the one before that it may have needed a reason
/// while it was still to come.
pub(super) fn is_tied_to_today(new: &Sheet, old: Option<&Sheet>) -> bool {
    old.is_none_or(|old| crate::set::lint::is_far_ahead(new.date, old.date))
}

/// Whether a figure has another value than in the earlier file.
fn is_changed(new: &Sheet, old: &Sheet) -> bool {
    new.figures.len() != old.figures.len()
        || all_pairs(old, new).iter().any(|both| {
            let is_as_long = both.old.lines.len() == both.new.lines.len();
            !is_as_long || both.pairs.iter().any(Pair::is_changed)
        })
}

/// A citation copied unchanged, which names the year of the earlier file although figures changed.
fn stale_citation(new: &Sheet, old: &Sheet) -> Option<(Place, Problem)> {
    let (citation, before) = (new.text("citation")?, old.text("citation")?);
    let named = years(&citation.value);
    let is_old =
        named.contains(&old.date.year()) && !named.iter().any(|year| *year >= new.date.year());

    // Where nothing changed, the text of the earlier year is still the one that sets the figures.
    let is_stale = citation.value == before.value && new.date.year() != old.date.year() && is_old;
    (is_stale && is_changed(new, old)).then(|| {
        (
            citation.place.clone(),
            Problem::SpeaksOfOtherDay {
                date: french_date(new.date),
            },
        )
    })
}

/// A source whose parts name different years: its id and its text, or its title and its date.
fn source_of_other_year(id: &PlacedText, source: &Node) -> Option<(Place, Problem)> {
    let date = source.text_of("date");
    let parts = ["title", "published", "date", "identifier", "article"];
    let named: Vec<i16> = parts
        .iter()
        .filter_map(|key| source.text_of(key))
        .flat_map(|text| years(&text.value))
        .collect();

    let of_id = year_of_id(&id.value);
    // A finance law for a year is dated of the year before.
    let is_of_id = |year: i16| {
        named
            .iter()
            .any(|named| *named == year || named.saturating_add(1) == year)
    };
    if let Some(year) = of_id.filter(|year| !named.is_empty() && !is_of_id(*year)) {
        let latest = named
            .iter()
            .max()
            .map(ToString::to_string)
            .unwrap_or_default();
        return Some((
            id.place.clone(),
            Problem::SourceOfOtherYear {
                id: id.value.clone(),
                year: year.to_string(),
                stated: latest,
            },
        ));
    }

    let title = source.text_of("title")?;
    if let Some(found) = finance_law_of_other_year(id, of_id, title, date) {
        return Some(found);
    }

    // The number of a law begins with its year; one signed in January may have that of the year
    // before.
    let numbered = source.text_of("identifier").and_then(year_of_number);
    let dated = date.and_then(|date| parse_date(&date.value));
    if let (Some(year), Some(day)) = (numbered, dated)
        && year != day.year()
        && !(day.month() == 1 && year.saturating_add(1) == day.year())
    {
        let place = source
            .text_of("identifier")
            .map(|text| text.place.clone())?;
        let problem = Problem::SourceOfOtherYear {
            id: id.value.clone(),
            year: year.to_string(),
            stated: day.year().to_string(),
        };
        return Some((place, problem));
    }

    // The same day and month in another year is a slip; any other day of the title, or of where the
    // text was published, is that of another text.
    let date = date?;
    let day = parse_date(&date.value)?;
    let stated: Vec<Date> = [Some(title), source.text_of("published")]
        .into_iter()
        .flatten()
        .flat_map(|text| dates_in_text(&text.value))
        .map(|(_, day)| day)
        .collect();
    let is_same_in_year = |other: &Date| other.month() == day.month() && other.day() == day.day();
    let other = stated
        .iter()
        .find(|other| is_same_in_year(other))
        .filter(|_| !stated.contains(&day))?;

    Some((
        date.place.clone(),
        Problem::SourceOfOtherYear {
            id: id.value.clone(),
            year: day.year().to_string(),
            stated: other.year().to_string(),
        },
    ))
}

/// A title that says for which year the text is (`Loi de finances pour 2026`), and an id of another
/// year (`lf2027`), or a date that is neither of that year nor of the one before.
fn finance_law_of_other_year(
    id: &PlacedText,
    of_id: Option<i16>,
    title: &PlacedText,
    date: Option<&PlacedText>,
) -> Option<(Place, Problem)> {
    let meant = years_of_scale(&title.value);
    let latest = *meant.last()?;
    let problem = |year: i16| Problem::SourceOfOtherYear {
        id: id.value.clone(),
        year: year.to_string(),
        stated: latest.to_string(),
    };

    let named = years(&title.value);
    if let Some(year) = of_id.filter(|year| !named.contains(year)) {
        return Some((id.place.clone(), problem(year)));
    }

    // Most finance laws are dated of the year before the one that they are for.
    let date = date?;
    let year = parse_date(&date.value)?.year();
    let is_near = |meant: &i16| *meant == year || *meant == year.saturating_add(1);
    (!meant.iter().any(is_near)).then(|| (date.place.clone(), problem(year)))
}

/// The year that the number of a law begins with: `loi n° 2026-1500`.
fn year_of_number(text: &PlacedText) -> Option<i16> {
    let (kind, number) = text.value.split_once(" n° ")?;
    let is_law = ["loi", "décret", "ordonnance", "arrêté"].contains(&kind.to_lowercase().as_str());
    let (year, rest) = number.split_once('-')?;
    let is_number = rest.starts_with(|first: char| first.is_ascii_digit());
    (is_law && is_number).then(|| years(year).first().copied())?
}

/// The year that an id ends with: `lf2026`, `decret-2024`.
fn year_of_id(id: &str) -> Option<i16> {
    let start = id.len().checked_sub(4)?;
    let (before, year) = id.split_at_checked(start)?;

    // The last four of more digits are no year.
    (!before.ends_with(|last: char| last.is_ascii_digit())).then(|| years(year).first().copied())?
}

/// Whether a file has the same figures, sources and citation as the one before.
fn repeats(new: &Sheet, old: &Sheet) -> bool {
    let parts = ["figures", "sources", "citation"];
    !new.is_draft
        && parts
            .iter()
            .all(|key| new.node.get(key).map(plain) == old.node.get(key).map(plain))
}

/// The text of a node without places and without the reasons of reviewers.
fn plain(node: &Node) -> String {
    match node.text() {
        Some(text) => text.value.clone(),
        None => {
            let entries = node
                .entries()
                .iter()
                .filter(|(key, _)| key.value != crate::law::figure::REVIEWED);
            let entries = entries.map(|(key, node)| format!("{}={};", key.value, plain(node)));
            entries
                .chain(node.items().iter().map(|item| format!("[{}]", plain(item))))
                .collect()
        }
    }
}
