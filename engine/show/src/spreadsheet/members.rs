//! The members of a row of JSON, whose numbers keep the digits that were written.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in order, with their values as raw JSON; one that is repeated is there
/// each time.
#[derive(Debug)]
pub struct Members<'j>(pub Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // `serde_json::Value` would keep the last of repeated members, and read numbers as floats.
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

/// A value of a member as a query writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberText<'j> {
    /// A text, a number with its digits, `true` or `false`.
    Single(Cow<'j, str>),
    /// `null`: not sent.
    Null,
    /// An array or an object.
    Nested,
}

impl<'j> MemberText<'j> {
    /// Reads a value.
    pub fn of(value: &'j RawValue) -> Self {
        let json = value.get();
        match json.as_bytes().first() {
            Some(b'"') => serde_json::from_str(json)
                .map_or(Self::Nested, |text| Self::Single(Cow::Owned(text))),
            Some(b'[' | b'{') => Self::Nested,
            Some(b'n') => Self::Null,
            _ => Self::Single(Cow::Borrowed(json)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_repeated_members_stay() {
        let text = r#"{"a": 999999999999.004999999999999, "b": "\u00e9", "a": 1e3, "c": null, "d": [1], "e": true}"#;
        let Members(members) = serde_json::from_str(text).unwrap();
        let read: Vec<(&str, MemberText)> = members
            .iter()
            .map(|(name, value)| (name.as_str(), MemberText::of(value)))
            .collect();
        let single = |text: &str| MemberText::Single(text.to_owned().into());
        let expected = [
            ("a", single("999999999999.004999999999999")),
            ("b", single("é")),
            ("a", single("1e3")),
            ("c", MemberText::Null),
            ("d", MemberText::Nested),
            ("e", single("true")),
        ];
        assert_eq!(read, expected);
    }
}
