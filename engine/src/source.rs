//! Sources: where the figures of the law come from, and when.

use jiff::civil::Date;

use crate::diagnostic::{Place, Report};
use crate::problem::Problem;
use crate::yaml::{Node, Text};

/// Where a figure comes from.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name in the file.
    pub id: String,
    /// Title.
    pub title: String,
    /// Who publishes it.
    pub publisher: String,
    /// Date of the text.
    pub date: Option<Date>,
    /// Address.
    pub url: Option<String>,
    pub(crate) place: Place,
}

/// Reads the sources of a file.
pub(crate) fn read_sources(node: &Node, report: &mut Report) -> Vec<Source> {
    let read = |(id, node): &(Text, Node)| Source {
        id: id.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        publisher: node.string_of("publisher").unwrap_or_default(),
        date: node.text_of("date").and_then(|text| read_date(text, report)),
        url: node.string_of("url"),
        place: id.place.clone(),
    };
    node.entries().iter().map(read).collect()
}

/// Reads `2026-01-31`.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let plain = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if plain { text.parse().ok() } else { None }
}

/// Reads a date, told in the report when it is none.
pub(crate) fn read_date(text: &Text, report: &mut Report) -> Option<Date> {
    let date = parse_date(&text.value);
    if date.is_none() {
        report.error(&text.place, Problem::BadDate { text: text.value.clone() });
    }
    date
}

/// Text that names the sources: the citation, or else their titles.
pub(crate) fn source_text<'s>(citation: Option<&str>, sources: impl IntoIterator<Item = &'s Source>) -> String {
    let titles = || sources.into_iter().map(|source| source.title.as_str()).collect::<Vec<_>>().join(" ; ");
    citation.map_or_else(titles, str::to_owned)
}
