//! Rows of JSON: the items of an array, or one object on each line. Numbers keep their digits.

use std::fmt;

use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_show::spreadsheet::{MemberText, Members};
use hyper::body::Bytes;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Counted, Header, KeyValue, Reading, Row, Values, bad_row, unreadable};
use crate::calls::batch::form::Form;
use crate::wire::problem::Problem;
use crate::wire::query::{MAX_PARAMETERS, Query, too_many};

/// The expected form of a row.
const OBJECT: (&str, &str) = (
    "un objet JSON, `{\"revenu\": 30000}`",
    "a JSON object, `{\"revenu\": 30000}`",
);

/// Counts the items of an array.
pub(super) fn array(body: &Bytes, counted: &mut Counted) -> Result<Header, Problem> {
    // Only the limits of the items are found here: each is parsed in its own turn, and refused
    // alone.
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = reader
        .deserialize_seq(Items { body, counted })
        .and_then(|()| reader.end());
    read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        unreadable(
            &format!(
                "un tableau JSON d’objets est attendu (ligne {line}, colonne {column} : {error})"
            ),
            &format!("a JSON array of objects is expected (line {line}, column {column}: {error})"),
        )
    })?;

    Ok(Header {
        form: Form::Array,
        cells: Vec::new(),
    })
}

/// Reads the items of an array into the rows that are counted.
struct Items<'b> {
    body: &'b Bytes,
    counted: &'b mut Counted,
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.counted
                .add(|| self.body.slice_ref(item.get().as_bytes()));
        }
        Ok(())
    }
}

/// Counts the lines that are not empty.
pub(super) fn lines(body: &Bytes, counted: &mut Counted) -> Header {
    // Empty lines, as at the end of a file, are no rows.
    let lines = body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines
        .filter(|line| !line.is_empty())
        .for_each(|line| counted.add(|| body.slice_ref(line)));

    Header {
        form: Form::Lines,
        cells: Vec::new(),
    }
}

/// Whether some row may have a member of this name.
pub(super) fn has_member(body: &[u8], name: &str) -> bool {
    let Ok(name) = serde_json::to_vec(name) else {
        return false;
    };
    // A name written with escapes is not found as it is.
    body.windows(name.len()).any(|part| part == name) || body.contains(&b'\\')
}

/// Parses a row. `null` is a parameter that is not sent, or in a list an empty place.
pub(super) fn row(text: &[u8], reading: &Reading) -> Row {
    let mut keys = vec![None; reading.keys.len()];
    // A row in another encoding does not spoil the others.
    let Ok(text) = std::str::from_utf8(text) else {
        let reason = (
            "La ligne n’est pas un texte UTF-8.",
            "The row is not UTF-8 text.",
        );
        return Row {
            keys,
            query: Err(bad_row(reason, OBJECT)),
        };
    };
    let Ok(Members(members)) = serde_json::from_str(text) else {
        let reason = (
            "La ligne n’est pas un objet JSON.",
            "The row is not a JSON object.",
        );
        return Row {
            keys,
            query: Err(bad_row(reason, OBJECT)),
        };
    };

    // A row may have as many members as a query has parameters.
    let mut query = Query::default();
    query
        .bad
        .extend(members.get(MAX_PARAMETERS).map(|(name, _)| too_many(name)));
    for (name, value) in members.into_iter().take(MAX_PARAMETERS) {
        // The key is repeated in the answer as it is written, and is no parameter.
        let place = reading.keys.iter().position(|key| *key == name);
        match place.and_then(|index| keys.get_mut(index)) {
            Some(key) => read_key(key, &name, value.get(), &mut query),
            None => read_parameter(name, value, reading.values, &mut query),
        }
    }

    Row {
        keys,
        query: Ok(query),
    }
}

/// Reads a value of the key, which is a single one so that it fits in a line and in a cell.
fn read_key(key: &mut Option<KeyValue>, name: &str, value: &str, query: &mut Query) {
    if key.is_some() {
        let expected = ("une seule valeur", "a single value");
        query
            .bad
            .push(BadParameter::repeated(name, Some(value), expected));
    } else if value.starts_with(['[', '{']) {
        query.bad.push(not_one_value(name, value, Values::Single));
    } else {
        // As it was written: `0012` in quotes and 12 are different keys.
        *key = Some(KeyValue::Json(value.to_owned()));
    }
}

fn read_parameter(name: String, value: &RawValue, values: Values, query: &mut Query) {
    let read = match MemberText::of(value) {
        MemberText::Nested if values == Values::Lists => list_of(value.get()),
        MemberText::Nested => None,
        MemberText::Single(text) => Some(text.into_owned()),
        MemberText::Null => return,
    };
    match read {
        Some(value) => query.pairs.push((name, value)),
        None => query.bad.push(not_one_value(&name, value.get(), values)),
    }
}

fn not_one_value(name: &str, received: &str, values: Values) -> BadParameter {
    let (reason, expected) = match values {
        Values::Single => (
            (
                "Une seule valeur est attendue.",
                "A single value is expected.",
            ),
            (
                "un nombre, un texte, `true` ou `false`",
                "a number, a text, `true` or `false`",
            ),
        ),
        Values::Lists => (
            (
                "Une valeur, ou une liste d’une valeur par mois, est attendue.",
                "A value, or a list of one value a month, is expected.",
            ),
            (
                "un nombre, un texte, ou leur tableau",
                "a number, a text, or an array of them",
            ),
        ),
    };

    BadParameter::new(
        name,
        ParameterCode::Format,
        reason,
        Some(received),
        expected,
    )
}

/// An array as a query writes a list: values separated by `;`, `null` for an empty place. `None`
/// for an object, and for values that a list cannot hold.
fn list_of(json: &str) -> Option<String> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    let text_of = |item: &RawValue| match MemberText::of(item) {
        MemberText::Single(text) => Some(text.into_owned()),
        MemberText::Null => Some(String::new()),
        MemberText::Nested => None,
    };

    let texts: Vec<String> = items.into_iter().map(text_of).collect::<Option<_>>()?;
    // A value of a list cannot contain its separator.
    let is_list = !texts.is_empty() && texts.iter().all(|text| !text.contains(';'));
    is_list.then(|| texts.join(";"))
}
