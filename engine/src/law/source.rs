//! Sources of the figures of the law, and dates.

use std::sync::Arc;

use jiff::civil::Date;

use crate::text::date_in_words::dates_in_text;
use crate::text::{Node, Place, PlacedText, Problem, Report};

/// Kind of a source, which says whether a figure may rest on it.
///
/// [`Source`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A legal text: code, law, decree, order, circular.
    Law,
    /// An official page, table or calculator of the body that collects the tax or publishes the
    /// figures.
    Administration,
    /// Firms, press, other programs: evidence that a figure was checked against, never the law.
    Secondary,
}

impl SourceKind {
    /// Each kind with its word in rule files and its French name in answers.
    pub const WRITTEN: [(&'static str, &'static str, Self); 3] = [
        ("law", "loi", Self::Law),
        ("administration", "administration", Self::Administration),
        ("secondary", "secondaire", Self::Secondary),
    ];

    fn from_word(word: &str) -> Option<Self> {
        Self::WRITTEN
            .iter()
            .find(|(written, ..)| *written == word)
            .map(|(.., kind)| *kind)
    }

    /// Its name in answers: `loi`, `administration`, `secondaire`.
    pub fn french(self) -> &'static str {
        Self::WRITTEN
            .iter()
            .find(|(.., kind)| *kind == self)
            .map_or("", |(_, french, _)| french)
    }
}

/// A source of figures: a legal text, an official page, or other evidence.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let scale = folder.latest().and_then(|edition| edition.scale()).ok_or("no scale")?;
/// let mut sources = scale.sources.iter().filter(|source| !source.is_secondary());
/// assert!(sources.any(|source| source.cited().starts_with(&source.title)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Source {
    /// Its identifier in the file.
    pub id: String,
    /// Its kind.
    pub kind: SourceKind,
    /// Title.
    pub title: String,
    /// Articles that hold the figures.
    pub article: Option<String>,
    /// Its publisher.
    pub publisher: String,
    /// Gazette, with its number, date and page.
    pub published: Option<String>,
    /// Date of the text.
    pub date: Option<Date>,
    /// Stable identifier: ELI, NOR, number of the text.
    pub identifier: Option<String>,
    /// Address.
    pub url: Option<String>,
    pub(crate) place: Place,
}

impl Source {
    /// Its title with its articles: `Code général des impôts, art. 119 bis`.
    pub fn cited(&self) -> String {
        match &self.article {
            Some(article) => format!("{}, {article}", self.title),
            None => self.title.clone(),
        }
    }

    /// Whether it is evidence only: no figure may rest on it.
    pub fn is_secondary(&self) -> bool {
        self.kind == SourceKind::Secondary
    }
}

/// Reads the sources of a file.
pub(crate) fn read_sources(node: &Node, report: &mut Report) -> Arc<[Source]> {
    let read = |(id, node): &(PlacedText, Node)| Source {
        id: id.value.clone(),
        // The schema reports a missing or unknown kind.
        kind: node
            .text_of("kind")
            .and_then(|word| SourceKind::from_word(&word.value))
            .unwrap_or(SourceKind::Law),
        title: node.string_of("title").unwrap_or_default(),
        article: node.string_of("article"),
        publisher: node.string_of("publisher").unwrap_or_default(),
        published: node.string_of("published"),
        date: node
            .text_of("date")
            .and_then(|text| read_date(text, report)),
        identifier: node.string_of("identifier"),
        url: node.string_of("url"),
        place: id.place.clone(),
    };

    node.entries().iter().map(read).collect()
}

/// Parses `2026-01-31`.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    // The parser of dates takes other forms of ISO 8601, which rule files do not have.
    let plain = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if plain { text.parse().ok() } else { None }
}

/// Parses a date; reports one that is malformed.
pub(crate) fn read_date(text: &PlacedText, report: &mut Report) -> Option<Date> {
    let date = parse_date(&text.value);

    if date.is_none() {
        report.error(&text.place, bad_date(text));
    }
    date
}

/// The problem of a malformed date, with the date that was meant: `31/12/2026`, `29 décembre 2025`.
pub(crate) fn bad_date(text: &PlacedText) -> Problem {
    let spoken = || Some(dates_in_text(&text.value).first()?.1.to_string());

    // A year or a month alone does not tell which of its days was meant: the first, or the last.
    let has_day = |text: &&str| text.split(['-', '/', '.', ' ']).count() != 2 && text.len() > 4;
    let written = Some(text.value.as_str()).filter(has_day);
    let near = written.and_then(corrected_date).or_else(spoken);
    Problem::BadDate {
        text: text.value.clone(),
        near,
    }
}

/// The date that another notation means, if it is clear: `1/2/2026`, `2026-2-1`, `01.02.2026`,
/// `2026`.
pub(crate) fn corrected_date(text: &str) -> Option<String> {
    // `20260201`: eight digits without a separator.
    let text = text.split_once('T').map_or(text, |(day, _)| day);

    let digits =
        (text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text);

    if let Some((year, (month, day))) =
        digits.and_then(|text| Some((text.get(..4)?, (text.get(4..6)?, text.get(6..)?))))
    {
        return corrected_date(&format!("{year}/{month}/{day}"));
    }

    // The day comes first in French, the year in ISO: four digits say which part is the year.
    let mut parts: Vec<&str> = text
        .split(['/', '-', '‐', '‑', '–', '—', '−', '.', '_', ' '])
        .collect();

    if parts.last().is_some_and(|last| last.len() == 4) && parts.len() == 3 {
        parts.reverse();
    }

    let [year, month, day] = match *parts.as_slice() {
        [year] if year.len() == 4 => [year, "1", "1"],
        [year, month, day] if year.len() == 4 && month.len() <= 2 && day.len() <= 2 => {
            [year, month, day]
        }
        _ => return None,
    };

    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
        .ok()?
        .to_string();
    // A text that already has the form is one that is no day of the calendar: nothing better is
    // known.
    (date != text).then_some(date)
}

/// Text that cites the sources: the citation, or else the titles and articles of the sources that
/// are not secondary.
pub(crate) fn source_text<'s>(
    citation: Option<&str>,
    sources: impl IntoIterator<Item = &'s Source>,
) -> String {
    let texts = sources.into_iter().filter(|source| !source.is_secondary());
    let titles = || texts.map(Source::cited).collect::<Vec<_>>().join(" ; ");
    citation.map_or_else(titles, str::to_owned)
}
