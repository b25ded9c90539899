//! JSON as answers need it: members in a fixed order, numbers in their shortest exact form. Equal
//! calculations give equal bytes.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::number::write_number;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// An exact number.
    Number(Decimal),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    List(Vec<Json<'a>>),
    /// An object, its members in order.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    /// A value that never changes, written once for all.
    Written(&'a WrittenJson),
}

/// A value and its text.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenJson {
    value: Json<'static>,
    text: String,
}

impl WrittenJson {
    /// Writes a value once for all.
    pub fn new(value: Json<'static>) -> Self {
        Self { text: value.to_string(), value }
    }
}

impl<'a> Json<'a> {
    /// A string.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A number, or `null`.
    pub fn number_or_null(number: Option<Decimal>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }

    /// The member of an object, or the element of an array by its rank from 0.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            Self::List(items) => items.get(key.parse::<usize>().ok()?),
            Self::Written(written) => written.value.get(key),
            _ => None,
        }
    }

    /// The names of the members of an object; none of other values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let members = if let Self::Object(members) = self { members.as_slice() } else { &[] };
        members.iter().map(|(name, _)| name.as_ref())
    }

    /// The elements of an array; none of other values.
    pub fn items(&self) -> &[Json<'a>] {
        match self {
            Self::List(items) => items,
            Self::Written(written) => written.value.items(),
            _ => &[],
        }
    }

    /// The members of an object, in order; none of other values.
    pub fn members(&self) -> &[(Cow<'a, str>, Json<'a>)] {
        match self {
            Self::Object(members) => members,
            Self::Written(written) => written.value.members(),
            _ => &[],
        }
    }

    /// What a path leads to: `tranches.1.montant`.
    pub fn path(&self, path: &str) -> Option<&Json<'a>> {
        path.split('.').try_fold(self, |here, key| here.get(key))
    }

    /// Appends the text of the value.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(true) => out.push_str("true"),
            Self::Boolean(false) => out.push_str("false"),
            Self::Number(number) => write_number(*number, out),
            Self::Text(text) => write_text(text, out),
            Self::Written(written) => out.push_str(&written.text),
            Self::List(items) => {
                out.push('[');
                for (rank, item) in items.iter().enumerate() {
                    if rank > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (rank, (name, value)) in members.iter().enumerate() {
                    if rank > 0 {
                        out.push(',');
                    }
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl std::fmt::Display for Json<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        formatter.write_str(&text)
    }
}

fn write_text(text: &str, out: &mut String) {
    let must_escape = |byte: u8| (byte == b'"') | (byte == b'\\') | (byte < 0x20);
    out.push('"');
    // Nearly every text is plain; a fold over all of it is quicker than stopping at the first that is not.
    if !text.bytes().fold(false, |found, byte| found | must_escape(byte)) {
        out.push_str(text);
        out.push('"');
        return;
    }
    // Only ASCII is escaped; the bytes of longer characters are all above it.
    let mut plain_from = 0;
    for (place, byte) in text.bytes().enumerate().filter(|(_, byte)| must_escape(*byte)) {
        out.push_str(text.get(plain_from..place).unwrap_or_default());
        plain_from = place + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            _ => out.push_str(&format!("\\u{byte:04x}")),
        }
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_numbers_their_digits() {
        let value = Json::Object(vec![
            ("b".into(), Json::Number(Decimal::new(21040, 1))),
            ("a".into(), Json::List(vec![Json::Null, Json::Boolean(true), Json::text("d\"é\\\n\u{1}")])),
        ]);
        assert_eq!(value.to_string(), r#"{"b":2104,"a":[null,true,"d\"é\\\n\u0001"]}"#);
        assert_eq!(value.path("a.1"), Some(&Json::Boolean(true)));
        assert_eq!(value.path("a.7"), None);
        let back: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
        assert_eq!(back["a"][2], "d\"é\\\n\u{1}");
    }
}
