//! Format of rows, read or written.

use std::path::Path;

use bareme_arrow::Format as TableFormat;
use bareme_show::say;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::session::{Failure, Session};

/// The format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowFormat {
    Csv,
    JsonLines,
    Table(TableFormat),
}

impl RowFormat {
    /// The parser of an option that names a format.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = PossibleValuesParser::new(["csv", "jsonl", "parquet", "arrow", "arrows"]);
        names.try_map(|name| Self::named(&name).ok_or(name))
    }

    /// The format of an extension.
    fn named(ending: &str) -> Option<Self> {
        // `ndjson` is the same format under its other name.
        match ending {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => TableFormat::named(ending).map(Self::Table),
        }
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
        let place = path.display();
        Self::named(&ending).ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{place}` : la fin du nom dit le format, `.csv`, `.jsonl`, `.parquet`, `.arrow` \
                 ou `.arrows`.",
                "`{place}`: the ending of the name says the format, `.csv`, `.jsonl`, `.parquet`, \
                 `.arrow` or `.arrows`."
            ))
        })
    }
}
