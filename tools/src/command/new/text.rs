//! The text of the next dated file: that of the last one with its title updated, its figures
//! marked, and without what only holds for the last scale.

use bareme_engine::authoring::{Node, dates_in_text, french_date, note_names_another_year};
use bareme_engine::law::Scale;
use bareme_engine::text::{PlacedText, RuleFile};
use jiff::civil::Date;

use super::indexation::{Adjustment, Proposal};
use crate::command::confirm::CARRY;
use crate::edit::{Edit, edited, with_entry, with_first_entry, without_entry};
use crate::format::rule_number;

/// The key that makes a draft of the file until its figures are confirmed.
const MARK: &str = "unconfirmed";

/// The text of the next file: that of the last one with marks and proposals.
pub(super) fn next_text(
    file: &RuleFile,
    node: &Node,
    from: Date,
    last: &Scale,
    proposals: &[Proposal],
    ended: &[String],
    carries: bool,
) -> String {
    // 1. The indexed amounts.
    let text = file.text();
    let moved = proposals
        .iter()
        .filter_map(|proposal| match &proposal.fate {
            Adjustment::Moved { new, .. } => {
                Some(Edit::replace(proposal.place.clone(), rule_number(*new)))
            }
            Adjustment::Left(_) => None,
        });

    let mut edits: Vec<Edit> = moved.collect();

    // 2. The mark on each figure, and the key that carries changes before the sources.
    let (past, kept): (Vec<_>, Vec<_>) = node
        .get("figures")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .partition(|(name, _)| ended.contains(&name.value));
    edits.extend(past.into_iter().map(|entry| without_entry(text, entry)));
    let figures = kept.into_iter().map(|(_, figure)| figure);
    edits.extend(figures.clone().map(|figure| match figure.get(MARK) {
        Some(_) => with_entry(text, figure, MARK, "true"),
        None => with_first_entry(text, figure, MARK, "true"),
    }));

    if carries
        && let Some((key, _)) = node
            .entries()
            .iter()
            .find(|(key, _)| key.value == "sources")
    {
        edits.push(Edit::insert(
            key.place.span().start,
            format!("{CARRY}: true\n"),
        ));
    }

    // 3. The title, with its day or its years.
    if let Some(title) = node.get("title").and_then(Node::text) {
        let place = title.place.span();
        edits.push(Edit::replace(
            place.clone(),
            title_of(text.get(place).unwrap_or_default(), last.date, from),
        ));
    }
    // The end of the last scale, and when it was checked, say nothing about the next one.
    let dropped = ["until", "known_until", "checked", "state", CARRY];
    edits.extend(
        node.entries()
            .iter()
            .filter(|(key, _)| dropped.contains(&key.value.as_str()))
            .map(|entry| without_entry(text, entry)),
    );

    // 4. Notes about another year, and what was confirmed or reviewed in the text of the last
    // scale.
    let rows = figures
        .clone()
        .flat_map(|figure| figure.get("rows").map(Node::items).unwrap_or_default());

    for part in [node].into_iter().chain(figures).chain(rows.clone()) {
        // What rests on no text has a note that says so, which the file must keep.
        let needs_note = part.get("checked_with").is_some() && part.get("source").is_none();
        let is_past = |(key, value): &&(PlacedText, Node)| match key.value.as_str() {
            "note" => value
                .text()
                .is_some_and(|note| !needs_note && note_names_another_year(&note.value, from)),
            "confirmed" | "reviewed" => true,
            _ => false,
        };

        edits.extend(
            part.entries()
                .iter()
                .filter(is_past)
                .map(|entry| without_entry(text, entry)),
        );
    }

    // 5. The marks of rows are replaced by that of their figure.
    let marks = rows
        .flat_map(Node::entries)
        .filter(|(key, _)| key.value == MARK);
    edits.extend(marks.map(|entry| without_entry(text, entry)));

    edited(text, edits)
}

/// A title for a day, with the day and the years of the last scale replaced: the last day of a year
/// that starts in July moves on with its first.
fn title_of(title: &str, last: Date, from: Date) -> String {
    let days = dates_in_text(title);
    if !days.iter().any(|(_, spoken)| *spoken == last) {
        return shifted(title, last.year(), from.year());
    }

    let years = from.year().saturating_sub(last.year());
    let moved = |spoken: Date| {
        let year = spoken.year().saturating_add(years);
        match spoken == last {
            true => Some(from),
            false => Date::new(year, spoken.month(), spoken.day()).ok(),
        }
    };
    let own = days.into_iter().filter(|(_, spoken)| *spoken >= last);
    let edits = own.filter_map(|(place, spoken)| {
        let day = moved(spoken)?;
        Some(Edit::replace(place, french_date(day)))
    });
    edited(title, edits.collect())
}

/// A title with its years updated: that of the scale, and the year before, whose income it may tax.
fn shifted(title: &str, old: i16, new: i16) -> String {
    let moved = |year: i16| year.saturating_add(new.saturating_sub(old)).to_string();
    let words = title.split_inclusive(|letter: char| !letter.is_ascii_digit());

    let shift = |word: &str| {
        let digits = word.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        match digits.parse::<i16>() {
            Ok(year) if year == old || year.saturating_add(1) == old => {
                word.replacen(digits, &moved(year), 1)
            }
            _ => word.to_owned(),
        }
    };
    words.map(shift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_moves_its_years_on() {
        assert_eq!(
            shifted(
                "\"Barème 2026 (revenus de 2025), loi 2026-103\"",
                2026,
                2027
            ),
            "\"Barème 2027 (revenus de 2026), loi 2027-103\""
        );
        assert_eq!(
            shifted("au 1er mai 2026 et 2014", 2026, 2028),
            "au 1er mai 2028 et 2014"
        );
    }

    #[test]
    fn a_title_names_its_own_day() {
        let (last, from) = (Date::constant(2026, 5, 1), Date::constant(2027, 1, 1));
        assert_eq!(
            title_of("Salaires au 1er mai 2026", last, from),
            "Salaires au 1er janvier 2027"
        );
        assert_eq!(title_of("Barème 2026", last, from), "Barème 2027");
        let july = [2026, 2027].map(|year| Date::constant(year, 7, 1));
        assert_eq!(
            title_of(
                "Salaires du 1er juillet 2026 au 30 juin 2027",
                july[0],
                july[1]
            ),
            "Salaires du 1er juillet 2027 au 30 juin 2028"
        );
    }
}
