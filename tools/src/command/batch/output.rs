//! Format of the answers.

use std::path::Path;

use bareme_arrow::Format as TableFormat;
use bareme_show::say;

use crate::session::{Failure, Session};

/// The format of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Csv,
    JsonLines,
    Table(TableFormat),
}

impl OutputFormat {
    /// The format of a file, by its extension.
    ///
    /// # Errors
    /// An unknown extension; the message lists the known ones.
    pub(super) fn from_path(path: &Path, session: &Session) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let format = match ending.as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => TableFormat::from_path(path).map(Self::Table),
        };
        let place = path.display();
        format.ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{place}` : la fin du nom dit le format, `.csv`, `.jsonl`, `.parquet`, `.arrow` ou `.arrows`.",
                "`{place}`: the ending of the name says the format, `.csv`, `.jsonl`, `.parquet`, `.arrow` or `.arrows`."
            ))
        })
    }
}
