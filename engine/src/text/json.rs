//! JSON of the answers: members in a fixed order, numbers in their shortest exact form, so that
//! equal calculations give equal bytes.
//!
//! No tree of values is built. The result of a calculation is typed; [`Object`] and [`List`] are
//! views of it that append their text to a buffer of the caller.

use std::fmt;

use rust_decimal::Decimal;

use crate::text::number::write_number;

/// A view of a value of an answer.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// assert_eq!(calculation.datum().path("ht").map(|ht| ht.to_string()), Some("100".to_owned()));
/// assert!(calculation.datum().path("avertissements.0").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub enum Datum<'v> {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// An exact number.
    Number(Decimal),
    /// A string.
    Text(&'v str),
    /// A value written as a string, such as a date.
    Shown(&'v dyn fmt::Display),
    /// An array.
    List(&'v dyn List),
    /// An object.
    Object(&'v dyn Object),
}

/// The name of a member of an object.
///
/// [`Object::visit`] passes one with each value.
#[derive(Debug, Clone, Copy)]
pub struct Key<'v> {
    /// The text of the name, not yet escaped.
    pub name: &'v str,
    /// The name as JSON with its colon, `"nom":`, where it was formatted in advance.
    written: Option<&'v str>,
}

impl<'v> Key<'v> {
    /// A name whose JSON text, `"nom":`, was formatted in advance.
    pub(crate) const fn written(name: &'v str, text: &'v str) -> Self {
        Self {
            name,
            written: Some(text),
        }
    }

    /// JSON text of a name with its colon: `"nom":`.
    pub(crate) fn text(name: &str) -> String {
        let mut text = String::with_capacity(name.len() + 3);
        Key::from(name).write(&mut text);
        text
    }

    fn write(self, out: &mut String) {
        match self.written {
            Some(text) => out.push_str(text),
            None => {
                write_text(self.name, out);
                out.push(':');
            }
        }
    }
}

impl<'v> From<&'v str> for Key<'v> {
    fn from(name: &'v str) -> Self {
        Self {
            name,
            written: None,
        }
    }
}

/// A value that answers write as a JSON object.
///
/// Each step of a calculation is one; [`Datum::get`] reads its members.
pub trait Object {
    /// Passes each member to `visit`, in order.
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>));

    /// The JSON text, where it is constant and was formatted in advance.
    fn written(&self) -> Option<&str> {
        None
    }

    /// The first members, where they are constant and were formatted in advance.
    fn head(&self) -> Option<&Head> {
        None
    }

    /// Appends the JSON text. A provided method, so that the compiler makes one writer for each
    /// type, with its members inlined.
    fn write(&self, out: &mut String) {
        if let Some(text) = self.written() {
            return out.push_str(text);
        }

        // The separator before the first member is the brace itself: where it is left at the end,
        // the object is empty.
        let mut separator = '{';
        let mut in_head = 0;
        if let Some(head) = self.head() {
            out.push_str(&head.text);
            (separator, in_head) = (',', head.members);
        }

        // `visit` passes the members of the head too, since readers of single members know nothing
        // of it: they are skipped by their number.
        self.visit(&mut |key, value| {
            if in_head > 0 {
                in_head -= 1;
                return;
            }
            out.push(separator);
            separator = ',';
            key.write(out);
            value.write(out);
        });

        out.push_str(if separator == '{' { "{}" } else { "}" });
    }
}

/// The first members of an object, formatted in advance.
///
/// [`Object::head`] gives it.
#[derive(Debug, Default)]
pub struct Head {
    /// Their JSON text, after the opening brace.
    text: String,
    /// Their number.
    members: usize,
}

impl Head {
    /// Formats these members.
    pub(crate) fn from_members<'v>(members: impl Iterator<Item = (&'v str, Datum<'v>)>) -> Self {
        let mut head = Self::default();

        for (name, value) in members {
            head.text.push(if head.members == 0 { '{' } else { ',' });
            Key::from(name).write(&mut head.text);
            value.write(&mut head.text);
            head.members += 1;
        }

        head
    }
}

/// A value that answers write as a JSON array.
///
/// [`Datum::get`] reads its elements by their index.
pub trait List {
    /// Number of elements.
    fn count(&self) -> usize;

    /// An element, from 0.
    fn item(&self, index: usize) -> Option<Datum<'_>>;

    /// The JSON text, where it is constant and was formatted in advance.
    fn written(&self) -> Option<&str> {
        None
    }

    /// Appends the JSON text.
    fn write(&self, out: &mut String) {
        if let Some(text) = self.written() {
            return out.push_str(text);
        }

        out.push('[');
        for index in 0..self.count() {
            if index > 0 {
                out.push(',');
            }
            // An element is there for each index below the count; `null` rather than a panic if
            // not.
            self.item(index).unwrap_or(Datum::Null).write(out);
        }
        out.push(']');
    }
}

impl<T: Object> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.get(index).map(|item| Datum::Object(item))
    }
}

impl List for Vec<String> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.get(index).map(|text| Datum::Text(text))
    }
}

impl List for Vec<&str> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.get(index).map(|text| Datum::Text(text))
    }
}

impl<'v> Datum<'v> {
    /// A number, or `null`.
    pub(crate) fn number_or_null(number: Option<Decimal>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }

    /// The member of an object, or the element of an array by its index from 0.
    pub fn get(self, key: &str) -> Option<Datum<'v>> {
        match self {
            Self::Object(object) => {
                // A visit cannot be stopped: the members after the one found are passed too.
                let mut found = None;
                object.visit(&mut |member, value| {
                    if member.name == key {
                        found = Some(value);
                    }
                });
                found
            }
            Self::List(list) => list.item(key.parse().ok()?),
            _ => None,
        }
    }

    /// The value at a path: `tranches.1.montant`.
    pub fn path(self, path: &str) -> Option<Datum<'v>> {
        path.split('.').try_fold(self, Self::get)
    }

    /// The members of an object, in order; empty for any other value.
    pub fn members(self) -> Vec<(&'v str, Datum<'v>)> {
        let mut members = Vec::new();
        if let Self::Object(object) = self {
            object.visit(&mut |key, value| members.push((key.name, value)));
        }
        members
    }

    /// The elements of an array; empty for any other value.
    pub fn items(self) -> impl Iterator<Item = Datum<'v>> {
        let list = if let Self::List(list) = self {
            Some(list)
        } else {
            None
        };
        list.into_iter()
            .flat_map(|list| (0..list.count()).filter_map(|index| list.item(index)))
    }

    /// The number, if the value is one.
    pub fn number(self) -> Option<Decimal> {
        if let Self::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// Appends the JSON text.
    pub fn write(self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(true) => out.push_str("true"),
            Self::Boolean(false) => out.push_str("false"),
            Self::Number(number) => write_number(number, out),
            Self::Text(text) => write_text(text, out),
            Self::Shown(value) => write_shown(value, out),
            Self::List(list) => list.write(out),
            Self::Object(object) => object.write(out),
        }
    }
}

/// The JSON text.
impl fmt::Display for Datum<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        formatter.write_str(&text)
    }
}

impl fmt::Debug for Datum<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Appends a text as a JSON string, in quotes.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    push_escaped(text, out);
    out.push('"');
}

/// Appends the formatted text of a value as a JSON string.
fn write_shown(value: &dyn fmt::Display, out: &mut String) {
    /// A writer that escapes the text for a JSON string.
    struct Escaped<'o>(&'o mut String);

    impl fmt::Write for Escaped<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            push_escaped(text, self.0);
            Ok(())
        }
    }

    out.push('"');
    // Writing to a String cannot fail, and no value formatted here fails by itself.
    let _ = fmt::Write::write_fmt(&mut Escaped(out), format_args!("{value}"));
    out.push('"');
}

/// Appends a text with the characters escaped that a JSON string may not hold as they are.
fn push_escaped(text: &str, out: &mut String) {
    let must_escape = |byte: u8| (byte == b'"') | (byte == b'\\') | (byte < 0x20);

    // Nearly no text needs escaping; a fold over all its bytes is quicker than stopping at the
    // first that does (`benches/answer.rs`).
    if !text
        .bytes()
        .fold(false, |found, byte| found | must_escape(byte))
    {
        return out.push_str(text);
    }

    // Only ASCII is escaped; the bytes of longer characters are all above it.
    let mut plain_from = 0;
    for (place, byte) in text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| must_escape(*byte))
    {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample {
        list: Vec<String>,
    }

    impl Object for Sample {
        fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
            visit("b".into(), Datum::Number(Decimal::new(21040, 1)));
            visit(Key::written("a", "\"a\":"), Datum::List(&self.list));
            visit("c\n".into(), Datum::Null);
            visit("d".into(), Datum::Shown(&true));
        }
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_digits() {
        let sample = Sample {
            list: vec!["d\"é\\\n\u{1}".to_owned(), String::new()],
        };
        let value = Datum::Object(&sample);
        assert_eq!(
            value.to_string(),
            r#"{"b":2104,"a":["d\"é\\\n\u0001",""],"c\n":null,"d":"true"}"#
        );
        assert_eq!(
            value.path("a.1").map(|found| found.to_string()).as_deref(),
            Some("\"\"")
        );
        assert!(value.path("a.7").is_none() && value.path("b.0").is_none());
        let back: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
        assert_eq!(back["a"][0], "d\"é\\\n\u{1}");
    }

    #[test]
    fn what_is_empty_is_written_so() {
        struct Nothing;
        impl Object for Nothing {
            fn visit<'v>(&'v self, _: &mut dyn FnMut(Key<'v>, Datum<'v>)) {}
        }
        assert_eq!(Datum::Object(&Nothing).to_string(), "{}");
        assert_eq!(Datum::List(&Vec::<Nothing>::new()).to_string(), "[]");
    }
}
