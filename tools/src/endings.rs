//! The endings of the names of files of rows, which say their format.

use std::path::Path;

use bareme_arrow::Format;
use bareme_show::say;

use crate::session::{Failure, Session};

/// The endings of some formats of text, then those of tables, as messages and the help list them.
pub(crate) fn with_tables<'e>(texts: impl IntoIterator<Item = &'e str>) -> String {
    let tables = Format::ALL
        .iter()
        .filter_map(|(_, endings)| endings.first().copied());

    let written = texts.into_iter().chain(tables);
    let written: Vec<String> = written.map(|ending| format!("`.{ending}`")).collect();
    written.join(", ")
}

/// The refusal of a file whose name has none of the listed endings.
pub(crate) fn unknown(path: &Path, listed: &str, session: &Session) -> Failure {
    let place = path.display();
    Failure::unusable(say!(
        session.lang,
        "`{place}` : la fin du nom dit le format, parmi {listed}.",
        "`{place}`: the ending of the name says the format, one of {listed}."
    ))
}
