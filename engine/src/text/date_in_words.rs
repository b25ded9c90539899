//! Dates written in French texts: finds titles and notes that name another day or year than that of
//! their file.

use jiff::civil::Date;

use super::lang::{Lang, Text};

const MONTHS: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

/// Words before a year that make it the year of the scale rather than the date of a legal text:
/// `pour 2026`.
const BEFORE_YEAR_OF_SCALE: &[&str] = &["en", "pour", "année", "exercice"];

/// The French name of the month of a day: `mai`.
///
/// ```
/// assert_eq!(bareme_engine::text::french_month(jiff::civil::date(2026, 8, 1)), "août");
/// ```
pub fn french_month(date: Date) -> &'static str {
    let index = usize::try_from(date.month())
        .ok()
        .and_then(|month| month.checked_sub(1));
    index
        .and_then(|index| MONTHS.get(index))
        .copied()
        .unwrap_or_default()
}

/// A day as a French text writes it: `1er mai 2026`.
///
/// ```
/// let day = jiff::civil::date(2026, 1, 1);
/// assert_eq!(bareme_engine::authoring::french_date(day), "1er janvier 2026");
/// ```
pub fn french_date(date: Date) -> String {
    let day = if date.day() == 1 {
        "1er".to_owned()
    } else {
        date.day().to_string()
    };
    format!("{day} {} {}", french_month(date), date.year())
}

/// The date of a scale in a citation, in a language: `au 1er mai 2026`, `as of 1 May 2026`.
pub(crate) fn since(date: Date, lang: Lang) -> String {
    match lang {
        Lang::Fr => format!("au {}", french_date(date)),
        Lang::En => format!("as of {}", date.strftime("%-d %B %Y")),
    }
}

/// A day as each language writes it: `1er mai 2026`, `2026-05-01`.
pub(crate) fn in_words(date: Date) -> Text<String> {
    Text {
        fr: french_date(date),
        en: date.to_string(),
    }
}

/// The full dates that a text names, each with its range of bytes.
///
/// ```
/// let text = "Loi du 14 février 2025";
/// let (place, day) = &bareme_engine::authoring::dates_in_text(text)[0];
/// assert_eq!((&text[place.clone()], *day), ("14 février 2025", jiff::civil::date(2025, 2, 14)));
/// ```
pub fn dates_in_text(text: &str) -> Vec<(std::ops::Range<usize>, Date)> {
    let words = words(text);

    // Three words in a row, `14 février 2025`. A day that the calendar does not have is no date.
    let read = |three: &[(usize, &str)]| {
        let [(start, day), (_, month), (last, year)] = three else {
            return None;
        };
        // The first day of a month is `1er`.
        let day = day.strip_suffix("er").unwrap_or(day).parse().ok()?;
        let month = MONTHS
            .iter()
            .position(|name| name == month)?
            .checked_add(1)?;
        let date = Date::new(year.parse().ok()?, i8::try_from(month).ok()?, day).ok()?;
        Some((*start..last.checked_add(year.len())?, date))
    };

    words.windows(3).filter_map(read).collect()
}

/// Whether a title names another day, or only years other than that of the day.
pub(crate) fn title_names_another_day(title: &str, date: Date) -> bool {
    dates_in_text(title).iter().any(|(_, named)| *named != date)
        || title_names_another_year(title, date)
}

/// Whether a title names years, none of which is that of the day.
pub(crate) fn title_names_another_year(title: &str, date: Date) -> bool {
    let years = years(title);
    !years.is_empty() && !years.contains(&date.year())
}

/// Whether a note names an earlier year as the year of the scale, and nowhere the scale's own.
///
/// ```
/// let day = jiff::civil::date(2026, 1, 1);
/// assert!(bareme_engine::authoring::note_names_another_year("Montant pour 2025.", day));
/// assert!(!bareme_engine::authoring::note_names_another_year("Loi du 14 février 2025.", day));
/// ```
pub fn note_names_another_year(note: &str, date: Date) -> bool {
    let words = words(note);
    let is_earlier = |word: &str| year(word).is_some_and(|year| year < date.year());

    // A year alone may be that of a law, which stays older than the scale: only `pour 2025` or
    // `en 2025` speaks of the scale.
    let of_the_scale = words.windows(2).any(|two| match two {
        [(_, before), (_, word)] => {
            BEFORE_YEAR_OF_SCALE.contains(&before.to_lowercase().as_str()) && is_earlier(word)
        }
        _ => false,
    });

    of_the_scale
        && !words
            .iter()
            .any(|(_, word)| year(word) == Some(date.year()))
}

/// The years that a text says it is for: `finances pour 2027`, `finances 2027`.
pub fn years_of_scale(text: &str) -> Vec<i16> {
    let words = words(text);
    let of_scale = words.windows(2).filter_map(|two| match two {
        [(_, "pour" | "finances"), (_, word)] => year(word),
        _ => None,
    });
    of_scale.collect()
}

/// The years that a text names.
pub(crate) fn years(text: &str) -> Vec<i16> {
    words(text)
        .iter()
        .filter_map(|(_, word)| year(word))
        .collect()
}

/// The year that a word is, of four digits between 1900 and 2199.
fn year(word: &str) -> Option<i16> {
    word.parse()
        .ok()
        .filter(|year| word.len() == 4 && (1900..2200).contains(year))
}

/// The words of a text, each with the byte at which it starts.
pub(crate) fn words(text: &str) -> Vec<(usize, &str)> {
    // Punctuation is no part of a word: `(à compter du 1er mai 2026)`.
    let is_between = |letter: char| !letter.is_alphanumeric();
    let mut next = 0usize;
    let placed = text.split_inclusive(is_between).map(|word| {
        let start = next;
        next = start.saturating_add(word.len());
        (start, word.trim_end_matches(is_between))
    });
    placed.filter(|(_, word)| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_read_and_written_as_in_french() {
        let day = date(2026, 5, 1);
        assert_eq!(french_date(day), "1er mai 2026");
        let text = "Barème (à compter du 1er mai 2026)";
        let named = dates_in_text(text);
        assert_eq!(
            (named[0].1, &text[named[0].0.clone()]),
            (day, "1er mai 2026")
        );
        assert_eq!(dates_in_text("31 février 2026, art. 12"), []);
    }

    #[test]
    fn a_title_or_a_note_of_another_day_is_recognised() {
        let day = date(2027, 1, 1);
        for title in [
            "Salaires au 1er mai 2026",
            "Barème 2026",
            "Salaires au 1er mai 2027",
        ] {
            assert!(title_names_another_day(title, day), "{title}");
        }
        for title in [
            "Barème",
            "Barème 2027 (revenus de 2026)",
            "Au 1er janvier 2027",
        ] {
            assert!(!title_names_another_day(title, day), "{title}");
        }
        assert!(note_names_another_year("Gelé pour 2026.", day));
        assert!(!note_names_another_year(
            "Loi du 29 décembre 2026, art. 3.",
            day
        ));
        assert!(!note_names_another_year("Gelé en 2026 et pour 2027.", day));
    }
}
