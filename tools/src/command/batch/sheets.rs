//! Rows of a workbook of Excel, as those of a CSV.

use std::io::{Error, ErrorKind, Result};

use bareme_engine::Lang;
use bareme_show::spreadsheet::{Dialect, DialectOptions};

use super::layout::{Layout, TextForm};
use super::rows::{CHUNK, Chunk};
use crate::workbook::{self, SheetCell, SheetRow};

/// The layout and the rows of the first worksheet of a workbook, whose first row names the columns;
/// `None` for an empty one.
///
/// # Errors
/// Bytes that are no workbook.
pub(super) fn open(
    bytes: Vec<u8>,
    options: DialectOptions,
    lang: Lang,
) -> Result<Option<(Layout, Vec<Chunk>)>> {
    let unreadable = |error: workbook::Unreadable| {
        let reason = error.sentence().in_lang(lang).to_owned();
        Error::new(ErrorKind::InvalidData, reason)
    };
    let rows = workbook::rows(bytes).map_err(unreadable)?;
    let dialect = Dialect::usual(options);

    // A cell beyond the named columns is refused in its row, as in a CSV.
    let width = rows.iter().map(|(_, cells)| cells.len()).max();
    let width = width.unwrap_or_default();
    let mut rows = rows.into_iter();
    let Some((_, header)) = rows.next() else {
        return Ok(None);
    };
    let mut names: Vec<String> = header.into_iter().map(|cell| text(cell, dialect)).collect();
    names
        .iter_mut()
        .for_each(|name| *name = name.trim().to_owned());
    names.resize(width, String::new());

    let form = TextForm::Csv {
        parameters: names.clone(),
        names,
        dialect,
    };
    Ok(Some((Layout::new(form), chunks(rows, width, dialect))))
}

fn chunks(rows: impl Iterator<Item = SheetRow>, width: usize, dialect: Dialect) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for (line, mut cells) in rows.filter(|(_, cells)| !cells.iter().all(SheetCell::is_empty)) {
        if chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            chunks.push(Chunk::default());
        }

        cells.resize(width, SheetCell::Empty);
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(width));
        for cell in cells {
            bytes.extend_from_slice(text(cell, dialect).as_bytes());
            ends.push(bytes.len());
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(line, &bytes, ends.into_iter());
        }
    }
    chunks
}

/// The text of a cell; a number in the notation in which it is read again.
fn text(cell: SheetCell, dialect: Dialect) -> String {
    match cell {
        SheetCell::Empty => String::new(),
        SheetCell::Text(text) => text,
        SheetCell::Number(number) | SheetCell::Percent(number) => dialect.number(number),
    }
}
