//! Rows of CSV, as spreadsheets save them: the first line names the columns.

use std::borrow::Cow;
use std::io::Read as _;

use bareme_engine::say;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_show::spreadsheet::{self, Dialect, DialectOptions, NumberFormat, Plain};
use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};
use hyper::body::Bytes;

use super::{Counted, Header, KeyValue, Reading, Row, Values, bad_row, unreadable};
use crate::calls::batch::form::Form;
use crate::wire::problem::Problem;
use crate::wire::query::{MAX_PARAMETERS, Query};

/// A reader of CSV in UTF-8; a row may have another number of cells than the first line.
fn reader(text: &[u8], separator: u8) -> Reader<&[u8]> {
    let mut builder = ReaderBuilder::new();
    builder
        .delimiter(separator)
        .flexible(true)
        .has_headers(false);
    builder.from_reader(text)
}

/// Counts the rows of a body, and reads the names of its columns.
///
/// # Errors
/// A body whose dialect cannot be decided, or with too many columns.
pub(super) fn records(
    body: &Bytes,
    sent: DialectOptions,
    counted: &mut Counted,
) -> Result<Header, Problem> {
    let (dialect, mark) = Dialect::of_whole(body, sent).map_err(|error| {
        let sentence = error.sentence();
        unreadable(sentence.fr, sentence.en)
    })?;

    let text = in_utf8(body.slice(mark..), &dialect)?;

    let mut reader = reader(&text, dialect.separator);
    let mut header = StringRecord::new();
    let read = reader.read_record(&mut header);
    read.map_err(|error| unreadable(&error.to_string(), &error.to_string()))?;

    // More columns than a query has parameters: each row would be refused for it.
    if header.len() > MAX_PARAMETERS {
        return Err(unreadable(
            &format!("la première ligne a plus de {MAX_PARAMETERS} colonnes"),
            &format!("the first line has more than {MAX_PARAMETERS} columns"),
        ));
    }

    // The rows stay slices of the body, and each is parsed in its own turn.
    let place = |reader: &Reader<&[u8]>| {
        usize::try_from(reader.position().byte())
            .unwrap_or(usize::MAX)
            .min(text.len())
    };

    let (mut start, mut record) = (place(&reader), ByteRecord::new());
    // Reading bytes from memory cannot fail.
    while reader.read_byte_record(&mut record).unwrap_or_default() {
        let end = place(&reader);
        counted.add(|| text.slice(start..end));
        start = end;
    }

    let separator = dialect.separator;
    counted.remove_last(|row| {
        row.iter()
            .all(|byte| *byte == separator || byte.is_ascii_whitespace())
    });

    let cells = header.iter().map(|name| name.trim().to_owned()).collect();
    Ok(Header {
        form: Form::Csv(dialect),
        cells,
    })
}

/// The text of a body in UTF-8.
fn in_utf8(body: Bytes, dialect: &Dialect) -> Result<Bytes, Problem> {
    // A body in UTF-8 is used as it is, without a copy.
    if !dialect.is_windows() {
        return Ok(body);
    }

    let mut text = Vec::with_capacity(body.len());
    let read = Plain::new(&*body, dialect).read_to_end(&mut text);

    read.map_err(|error| unreadable(&error.to_string(), &error.to_string()))?;
    Ok(text.into())
}

/// Parses a row of a body whose first line has these cells.
pub(super) fn row(text: &[u8], header: &[String], dialect: Dialect, reading: &Reading) -> Row {
    let mut keys = vec![None; reading.keys.len()];
    let mut record = StringRecord::new();
    if reader(text, dialect.separator)
        .read_record(&mut record)
        .is_err()
    {
        let reason = (
            "La ligne n’est pas un texte UTF-8.",
            "The row is not UTF-8 text.",
        );
        return Row {
            keys,
            query: Err(bad_row(reason, ("un texte UTF-8", "UTF-8 text"))),
        };
    }

    // Spreadsheets add empty cells after the last column.
    let (found, expected) = (record.len(), header.len());
    let is_longer = record
        .iter()
        .skip(expected)
        .any(|cell| !cell.trim().is_empty());
    if found < expected || is_longer {
        let bad = bad_row(
            say!("La ligne a {found} cellules.", "The row has {found} cells."),
            say!(
                "{expected}, comme la première ligne",
                "{expected}, as the first line has"
            ),
        );
        return Row {
            keys,
            query: Err(bad),
        };
    }

    let mut query = Query::default();
    for (name, cell) in header.iter().zip(&record) {
        // A column of the key is no parameter. Its cell is repeated as it is, spaces included.
        let place = reading.keys.iter().position(|key| key == name);
        if let Some(key) = place.and_then(|index| keys.get_mut(index)) {
            *key = Some(KeyValue::Text(cell.to_owned()));
            continue;
        }

        let cell = cell.trim();
        match value(name, cell, dialect, reading) {
            // Spreadsheets add empty columns without a name at the end.
            Ok(value) if name.is_empty() && value.is_empty() => {}
            Ok(value) => query.pairs.push((name.clone(), value)),
            Err(bad) => query.bad.push(bad),
        }
    }

    Row {
        keys,
        query: Ok(query),
    }
}

/// The value of a cell as a query writes it. Only a file with semicolons has decimal commas: in
/// another one a comma may separate thousands as well, and is refused as in a query.
fn value(
    name: &str,
    text: &str,
    dialect: Dialect,
    reading: &Reading,
) -> Result<String, BadParameter> {
    if dialect.locale != NumberFormat::Fr {
        return Ok(text.to_owned());
    }

    let currency = reading.currency.as_deref();
    let one = |text| spreadsheet::cell(text, dialect.locale, currency);

    // Each value of a list is a cell of its own.
    let read = match reading.values {
        Values::Lists if text.contains(';') => {
            let values = text.split(';').map(str::trim).map(one);
            values
                .collect::<Result<Vec<_>, _>>()
                .map(|values| values.join(";"))
        }
        _ => one(text).map(Cow::into_owned),
    };

    read.map_err(|reason| {
        let reason = say!("{reason}.", "{reason}."; reason);
        let expected = (
            "une écriture qui se lit d’une seule façon",
            "what reads in one way only",
        );
        BadParameter::new(name, ParameterCode::Format, reason, Some(text), expected)
    })
}
