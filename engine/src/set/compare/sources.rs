//! Sources of a dated file that contradict themselves, each other or those of earlier files: the
//! address or the number of another text, a gazette of a day before the text, a text twice.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::law::source::parse_date;
use crate::text::date_in_words::dates_in_text;
use crate::text::{Node, Place, PlacedText, Problem};

use super::sheet::Sheet;

/// Least number of digits of an address or a number that names one text.
const DIGITS_OF_A_TEXT: usize = 6;

/// What a text is known by, with its date and the first file that cites it.
type Known<'n> = BTreeMap<&'n str, (Date, &'n str)>;

/// The findings in the sources of each file, given from the oldest on, in the order of the files.
pub(super) fn found(sheets: &[Sheet]) -> Vec<Vec<(Place, Problem)>> {
    // From the oldest file on: where two give one text different dates, the later file is reported.
    let mut known: Known = BTreeMap::new();
    let of_sheet = |sheet: &Sheet| {
        let sources = sheet.node.entries_of("sources");
        let mut found = Vec::new();
        for (id, source) in sources {
            found.extend(gazette_before_text(id, source));
            found.extend(letters_in_number(source));
            found.extend(address_of_no_text(source));
        }
        found.extend(twice(sources));
        found.extend(of_the_file(sheet));
        found
    };
    let mut all: Vec<Vec<(Place, Problem)>> = sheets.iter().map(of_sheet).collect();

    // One address, or one number, is that of one text.
    for (sheet, found) in sheets.iter().zip(&mut all) {
        for (_, source) in sheet.node.entries_of("sources") {
            found.extend(of_two_days(sheet, source, &mut known));
        }
    }
    all
}

fn is_law(source: &Node) -> bool {
    source
        .text_of("kind")
        .is_none_or(|kind| kind.value == "law")
}

fn date_of(source: &Node) -> Option<Date> {
    parse_date(&source.text_of("date")?.value)
}

/// An address or a number that another date gave to another text.
fn of_two_days<'n>(
    sheet: &Sheet<'n>,
    source: &'n Node,
    known: &mut Known<'n>,
) -> Option<(Place, Problem)> {
    let date = date_of(source).filter(|_| is_law(source))?;
    let mut found = None;
    for key in ["url", "identifier"] {
        let Some(text) = source.text_of(key) else {
            continue;
        };

        // A page of many texts has no number of its own.
        let mut numbers = text.value.split(|letter: char| !letter.is_ascii_digit());
        let is_of_one_text = match key {
            "url" => numbers.any(|number| number.len() > DIGITS_OF_A_TEXT),
            _ => text.value.contains(" n° "),
        };
        if !is_of_one_text {
            continue;
        }

        match known.get(text.value.as_str()) {
            Some((other, at)) if *other != date => {
                let problem = Problem::TextOfTwoDays {
                    stated: text.value.clone(),
                    date: date.to_string(),
                    other: other.to_string(),
                    file: (*at).to_owned(),
                };
                found = found.or(Some((text.place.clone(), problem)));
            }
            Some(_) => {}
            None => {
                known.insert(&text.value, (date, sheet.node.place.file().path()));
            }
        }
    }
    found
}

/// How the names of gazettes begin; other words under `published` name a consolidated text.
const GAZETTES: [&str; 6] = [
    "JO",
    "Journal",
    "Bulletin",
    "Moniteur",
    "Gazette",
    "Mémorial",
];

/// A gazette of a day before the text that it published.
fn gazette_before_text(id: &PlacedText, source: &Node) -> Option<(Place, Problem)> {
    let date = date_of(source)?;
    let is_gazette = |text: &&PlacedText| GAZETTES.iter().any(|name| text.value.starts_with(name));
    let published = source.text_of("published").filter(is_gazette)?;
    let days = dates_in_text(&published.value);
    // A text may name the gazettes of its changes too.
    let last = days.iter().map(|(_, day)| *day).max()?;
    (last < date).then(|| {
        let problem = Problem::GazetteBeforeText {
            id: id.value.clone(),
            gazette: last.to_string(),
            date: date.to_string(),
        };
        (published.place.clone(), problem)
    })
}

/// Letters among the digits of the number of a text: `2026-15OO`.
fn letters_in_number(source: &Node) -> Option<(Place, Problem)> {
    let text = source.text_of("identifier")?;
    let words = text.value.split([' ', '\u{a0}', ',', ';', '(', ')']);
    // With three digits at least: `II`, `lo` and `I-2` are no mistyped numbers.
    let is_typed = |word: &&str| {
        let letters: Vec<char> = word.chars().collect();
        let is_like = |letter: &char| matches!(letter, 'O' | 'o' | 'I' | 'l');
        let is_number =
            |letter: &char| letter.is_ascii_digit() || is_like(letter) || *letter == '-';
        letters.iter().all(is_number)
            && letters.iter().any(is_like)
            && letters.iter().filter(|one| one.is_ascii_digit()).count() > 2
    };

    let word = words.into_iter().find(is_typed)?;
    let near = word.replace(['O', 'o'], "0").replace(['I', 'l'], "1");
    let problem = Problem::LettersInNumber {
        text: word.to_owned(),
        near,
    };
    Some((text.place.clone(), problem))
}

/// An address of a legal text that is that of a whole site, or that a blank cuts.
fn address_of_no_text(source: &Node) -> Option<(Place, Problem)> {
    let url = source.text_of("url").filter(|_| is_law(source))?;
    let address = url.value.split_once("://").map(|(_, rest)| rest)?;
    let path = address.split_once('/').map_or("", |(_, path)| path);
    let is_cut = address.contains(char::is_whitespace);
    (path.is_empty() || is_cut).then(|| {
        let problem = Problem::AddressOfNoText {
            url: url.value.clone(),
        };
        (url.place.clone(), problem)
    })
}

/// The same text under two ids.
fn twice(sources: &[(PlacedText, Node)]) -> Vec<(Place, Problem)> {
    let parts = ["kind", "title", "article", "date", "identifier"];
    let stated = |source: &Node| parts.map(|key| source.string_of(key));
    let mut found = Vec::new();
    for (position, (id, source)) in sources.iter().enumerate() {
        let mut before = sources.iter().take(position);
        if let Some((first, _)) = before.find(|(_, other)| stated(other) == stated(source)) {
            let problem = Problem::TextTwice {
                id: id.value.clone(),
                first: first.value.clone(),
            };
            found.push((id.place.clone(), problem));
        }
    }
    found
}

/// What the file says of itself and its sources contradict: a check before the day of a text, an
/// awaited text that is cited already, or whose day was over at the check.
fn of_the_file(sheet: &Sheet) -> Vec<(Place, Problem)> {
    let sources = sheet.node.entries_of("sources");
    let mut found = Vec::new();

    // 1. The file cannot have been checked before the latest text that it cites was published.
    let checked = sheet.text("checked");
    let checked = checked.and_then(|text| Some((text, parse_date(&text.value)?)));
    if let Some((text, day)) = checked {
        let dated = sources
            .iter()
            .filter_map(|(id, source)| Some((id, date_of(source)?)));
        let last = dated.max_by_key(|(_, date)| *date);
        if let Some((id, date)) = last.filter(|(_, date)| *date > day) {
            let problem = Problem::CheckedBeforeText {
                checked: day.to_string(),
                id: id.value.clone(),
                date: date.to_string(),
            };
            found.push((text.place.clone(), problem));
        }
    }

    // 2. An awaited text that is cited has come: the line of it is to be removed.
    for awaited in sheet.node.items_of("watch") {
        let Some(text) = awaited.text_of("text") else {
            continue;
        };
        let is_it = |source: &Node| {
            let title = source.text_of("title").filter(|_| is_law(source));
            title.is_some_and(|title| is_the_text(&title.value, &text.value))
        };
        if let Some((id, _)) = sources.iter().find(|(_, source)| is_it(source)) {
            let problem = Problem::AwaitedIsCited {
                text: text.value.clone(),
                id: id.value.clone(),
            };
            found.push((text.place.clone(), problem));
            continue;
        }

        // 3. One whose day was over at the check should have been looked for then.
        let expected = awaited.text_of("expected");
        let expected = expected.and_then(|text| Some((text, parse_date(&text.value)?)));
        if let (Some((place, expected)), Some((_, checked))) = (expected, checked)
            && expected < checked
        {
            let problem = Problem::AwaitedIsOver {
                text: text.value.clone(),
                expected: expected.to_string(),
                checked: checked.to_string(),
            };
            found.push((place.place.clone(), problem));
        }
    }
    found
}

/// Whether a title is the one of an awaited text: the text begins with it, up to the year that it
/// is for.
fn is_the_text(title: &str, awaited: &str) -> bool {
    let years = crate::text::date_in_words::years_of_scale(awaited);
    let Some(year) = years.last() else {
        return false;
    };
    let name = |text: &str| {
        let (before, _) = text.split_once(&year.to_string())?;
        let words = before.split_whitespace().map(str::to_lowercase);
        Some(words.collect::<Vec<_>>().join(" "))
    };
    name(title).is_some_and(|own| own.len() > 8 && Some(own) == name(awaited))
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};

    const LAW: &str = "  s: {kind: law, title: Source, publisher: P, date: 2025-12-20}";

    /// The findings in files whose source is written otherwise.
    fn found(edits: &[(&str, &dyn Fn(String) -> String)]) -> Vec<String> {
        let keys = "figures:\n  f: {v: rate}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n";
        let figure = |day: &str| format!("  f: {{v: {}%, source: s}}", &day[3..4]);
        let mut files = vec![("method.yaml", method(&format!("{GROSS}{keys}")))];
        for (day, edit) in edits {
            files.push((day, edit(scale(&figure(day)))));
        }
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let (_, report) = read(&files);
        let shown = |one: &crate::text::Diagnostic| {
            let place = one.place();
            format!("{} {}", one.code(), &place.file().text()[place.span()])
        };
        let codes = ["W60", "W61", "W62", "W63", "W64", "W65", "W66", "W67"];
        report
            .all()
            .filter(|one| codes.contains(&one.code()))
            .map(shown)
            .collect()
    }

    /// The findings in one file whose line of the source is another.
    fn with(source: &'static str, head: &'static str) -> Vec<String> {
        let edit = move |text: String| {
            let start = text.find("  s: {").unwrap();
            let end = start + text[start..].find('\n').unwrap();
            let text = format!("{}{source}{}", &text[..start], &text[end..]);
            text.replacen("sources:", &format!("{head}sources:"), 1)
        };
        found(&[("2026-01-01.yaml", &edit)])
    }

    #[test]
    fn a_source_that_agrees_with_itself_is_silent() {
        assert_eq!(with(LAW, ""), Vec::<String>::new());
        assert_eq!(
            with(
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, published: JO du 21 décembre 2025, identifier: loi n° 2025-1500, url: https://e.org/t/9999999}",
                "checked: 2025-12-28\nwatch: [{text: Loi de finances pour 2027, expected: 2026-12-31, changes: x}]\n"
            ),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_contradicts_itself_is_marked() {
        for (source, head, mark) in [
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, published: JO du 19 décembre 2025}",
                "",
                "W61 JO du 19 décembre 2025",
            ),
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, published: JO du 21 décembre 2024}",
                "",
                "W61 JO du 21 décembre 2024",
            ),
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, identifier: loi n° 2025-15OO}",
                "",
                "W62 loi n° 2025-15OO",
            ),
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20}\n  t: {kind: law, title: Loi, publisher: Q, date: 2025-12-20}",
                "",
                "W63 t",
            ),
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, url: https://e.org/}",
                "",
                "W64 https://e.org/",
            ),
            (
                "  s: {kind: law, title: Loi, publisher: P, date: 2025-12-20, url: https://e.org/loi 12}",
                "",
                "W64 https://e.org/loi 12",
            ),
            (LAW, "checked: 2025-12-19\n", "W65 2025-12-19"),
            (
                "  s: {kind: law, title: Loi de finances pour 2026, publisher: P, date: 2025-12-20}",
                "watch: [{text: \"Loi de finances pour 2026, à paraître\", expected: 2025-12-31, changes: x}]\n",
                "W66 \"Loi de finances pour 2026, à paraître\"",
            ),
            (
                LAW,
                "checked: 2026-02-01\nwatch: [{text: Décret, expected: 2026-01-31, changes: x}]\n",
                "W67 2026-01-31",
            ),
        ] {
            assert_eq!(with(source, head), [mark], "{source}");
        }
    }

    #[test]
    fn one_address_and_one_number_are_of_one_text() {
        let edit = |member: &'static str, date: &'static str| {
            move |text: String| {
                let start = text.find("  s: {").unwrap();
                let end = start + text[start..].find('\n').unwrap();
                let own =
                    format!("  s: {{kind: law, title: Loi, publisher: P, date: {date}, {member}}}");
                format!("{}{own}{}", &text[..start], &text[end..])
            }
        };
        for (first, second, mark) in [
            (
                "url: https://e.org/t/9999999",
                "url: https://e.org/t/9999999",
                vec!["W60 https://e.org/t/9999999"],
            ),
            (
                "identifier: loi n° 12",
                "identifier: loi n° 12",
                vec!["W60 loi n° 12"],
            ),
            ("url: https://e.org/loi", "url: https://e.org/loi", vec![]),
            ("identifier: loi n° 12", "identifier: loi n° 13", vec![]),
        ] {
            let (one, two) = (edit(first, "2024-12-20"), edit(second, "2025-12-20"));
            assert_eq!(
                found(&[("2025-01-01.yaml", &one), ("2026-01-01.yaml", &two)]),
                mark,
                "{first} {second}"
            );
        }
        let (one, two) = (
            edit("identifier: loi n° 12", "2025-12-20"),
            edit("identifier: loi n° 12", "2025-12-20"),
        );
        assert_eq!(
            found(&[("2025-01-01.yaml", &one), ("2026-01-01.yaml", &two)]),
            Vec::<String>::new()
        );
    }
}
