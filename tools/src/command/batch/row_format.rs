//! Format of rows, read or written.

use std::path::Path;

use bareme_arrow::Format as TableFormat;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::endings;
use crate::session::{Failure, Session};

/// The format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowFormat {
    Csv,
    JsonLines,
    Table(TableFormat),
}

/// The formats of text, with the extensions of their files; the first is the name.
const TEXTS: [(RowFormat, &[&str]); 2] = [
    (RowFormat::Csv, &["csv"]),
    (RowFormat::JsonLines, &["jsonl", "ndjson"]),
];

/// The endings of the names of files of rows, as the help and a message list them.
pub(crate) fn row_endings() -> String {
    let texts = TEXTS.iter().filter_map(|(_, endings)| endings.first());
    endings::with_tables(texts.copied())
}

impl RowFormat {
    /// Every format, with its extensions.
    fn all() -> impl Iterator<Item = (Self, &'static [&'static str])> {
        let tables = TableFormat::ALL.map(|(format, endings)| (Self::Table(format), endings));
        TEXTS.into_iter().chain(tables)
    }

    /// The parser of an option that names a format.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Self::all().filter_map(|(_, endings)| endings.first().copied());
        let names = PossibleValuesParser::new(names);
        names.try_map(|name| Self::named(&name).ok_or(name))
    }

    /// The format of an extension.
    fn named(ending: &str) -> Option<Self> {
        Self::all()
            .find(|(_, endings)| endings.contains(&ending))
            .map(|(format, _)| format)
    }

    /// The format of a file, by its extension.
    ///
    /// # Errors
    /// An unknown extension; the message lists the known ones.
    pub(super) fn from_path(path: &Path, session: &Session) -> Result<Self, Failure> {
        // The ending decides, since a file to be written has no content to look at.
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();

        Self::named(&ending).ok_or_else(|| endings::unknown(path, &row_endings(), session))
    }
}
