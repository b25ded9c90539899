//! JSON whose numbers keep every digit: those of a usual reader are binary floats.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Boolean(bool),
    /// A number, without the zeros at its end: two doors may write 12.50 and 12.5.
    Number(String),
    Text(String),
    List(Vec<Json>),
    /// Names and values, in order.
    Object(Vec<(String, Json)>),
}

/// The members of an object, in order.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;

        impl<'de> Visitor<'de> for Of {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Of)
    }
}

impl Json {
    /// Reads a text, which must be JSON.
    pub(crate) fn read(text: &str) -> Self {
        let raw: &RawValue =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        Self::of(raw)
    }

    fn of(raw: &RawValue) -> Self {
        let text = raw.get();
        match text.as_bytes()[0] {
            b'{' => {
                let Members(members) = serde_json::from_str(text).unwrap();
                Self::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name, Self::of(value)))
                        .collect(),
                )
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).unwrap();
                Self::List(items.into_iter().map(Self::of).collect())
            }
            b'"' => Self::Text(serde_json::from_str(text).unwrap()),
            b't' => Self::Boolean(true),
            b'f' => Self::Boolean(false),
            b'n' => Self::Null,
            _ => Self::Number(number(text)),
        }
    }

    /// The member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members()
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// The members of an object; none of any other value.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        if let Self::Object(members) = self {
            members
        } else {
            &[]
        }
    }

    /// The items of a list; none of any other value.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self {
            items
        } else {
            &[]
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Whether it is a single value.
    pub(crate) fn is_single(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Object(_))
    }

    /// Whether nothing stands there: in a cell, `null` and an empty text are the same.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Self::Null) || self.text() == Some("")
    }

    /// As the cell of a table of texts.
    pub(crate) fn cell(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Number(text) | Self::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// A number without the zeros at its end, and without an exponent: one door may write 0.000009, and
/// another 9e-6.
pub(crate) fn number(text: &str) -> String {
    let text = match text.split_once("e-") {
        Some((digits, places)) => small(digits, places.parse().unwrap()),
        None => text.to_owned(),
    };
    match text.contains('.') && !text.contains(['e', 'E']) {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Digits with a point, moved by so many places to the left.
fn small(digits: &str, places: usize) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = "0".repeat(places.saturating_sub(whole.len()));
    let all = format!("{zeros}{whole}{fraction}");
    let point = (zeros.len() + whole.len()) - places;
    let (before, after) = all.split_at(point);
    format!(
        "{sign}{}{before}.{after}",
        if before.is_empty() { "0" } else { "" }
    )
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Number(text) => formatter.write_str(text),
            Self::Text(text) => formatter.write_str(&quoted(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(formatter, "[{}]", items.join(","))
            }
            Self::Object(members) => {
                let member = |(name, value): &(String, Self)| format!("{}:{value}", quoted(name));
                write!(
                    formatter,
                    "{{{}}}",
                    members.iter().map(member).collect::<Vec<_>>().join(",")
                )
            }
        }
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether a text is a JSON number without an exponent, so that a caller may send it without
/// quotes.
pub(crate) fn is_number(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_ascii_digit() || "-.".contains(letter))
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[test]
fn numbers_keep_their_digits() {
    let read = Json::read(r#"{"a": 1234567890123456789012345.6700, "b": [1.0, "x", null, true]}"#);
    assert_eq!(
        read.to_string(),
        r#"{"a":1234567890123456789012345.67,"b":[1,"x",null,true]}"#
    );
    let small = Json::read("[9e-6, -1.25e-7, 12.5e-1, 0.000009]");
    assert_eq!(small.to_string(), "[0.000009,-0.000000125,1.25,0.000009]");
    assert!(is_number("-1.5") && !is_number("1,5") && !is_number("abc") && !is_number("007"));
}
