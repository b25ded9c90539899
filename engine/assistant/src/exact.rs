//! Numbers of messages, exactly as they were written.
//!
//! The protocol's own types hold JSON numbers in binary, which changes the digits of long ones. In
//! The protocol's own types hold JSON numbers in binary, which changes the digits of long ones. In
//! the arguments of a tool such a number is replaced by a text with its digits before the message
//! is parsed: tools read both the same way.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Number;
use serde_json::value::RawValue;

/// The members of an object, not parsed.
type Members<'m> = BTreeMap<Cow<'m, str>, &'m RawValue>;

/// A message in whose arguments every number has the digits that were sent; one that calls no tool
/// is unchanged.
pub fn with_exact_numbers(message: &[u8]) -> Cow<'_, [u8]> {
    let Some(exact) = exact(message) else {
        return Cow::Borrowed(message);
    };
    Cow::Owned(exact)
}

fn exact(message: &[u8]) -> Option<Vec<u8>> {
    // Most messages call no tool. Members are read without their values, which stay slices of the
    // message.
    let members: Members = serde_json::from_slice(message).ok()?;
    let method: Cow<str> = serde_json::from_str(members.get("method")?.get()).ok()?;
    if method != "tools/call" {
        return None;
    }

    let parameters: Members = serde_json::from_str(members.get("params")?.get()).ok()?;
    let arguments = parameters.get("arguments")?.get();

    // The arguments are a part of the message, so that what surrounds them can be kept as it is.
    let start = arguments
        .as_ptr()
        .addr()
        .checked_sub(message.as_ptr().addr())?;
    let end = start.checked_add(arguments.len())?;

    let texts = numbers_as_texts(arguments)?;
    Some([message.get(..start)?, texts.as_bytes(), message.get(end..)?].concat())
}

/// Valid JSON in which the numbers that would lose digits are texts; `None` if there are none.
fn numbers_as_texts(json: &str) -> Option<String> {
    let mut written = String::new();
    // The end of what was written, within the JSON.
    let mut done = 0;
    let mut bytes = json.bytes().enumerate().peekable();
    while let Some((start, byte)) = bytes.next() {
        match byte {
            b'"' => {
                // An escaped character is skipped, so that `\"` does not end the text.
                while let Some((_, byte)) = bytes.next().filter(|(_, byte)| *byte != b'"') {
                    if byte == b'\\' {
                        bytes.next();
                    }
                }
            }

            // Outside of a text, only a number begins so.
            b'-' | b'0'..=b'9' => {
                let mut end = start + 1;
                while let Some((place, _)) = bytes.next_if(|(_, byte)| is_of_number(*byte)) {
                    end = place + 1;
                }
                let number = json.get(start..end)?;
                if !keeps_its_digits(number) {
                    // The text before the number is copied as it was sent.
                    written.push_str(json.get(done..start)?);
                    written.extend(["\"", number, "\""]);
                    done = end;
                }
            }
            _ => {}
        }
    }

    written.push_str(json.get(done..)?);
    (done > 0).then_some(written)
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
}

/// Whether a number in binary is written with the same digits again.
fn keeps_its_digits(text: &str) -> bool {
    // Not only long numbers: `2.10` would be written as `2.1`, and `1e3` as `1000.0`.
    text.parse::<Number>()
        .is_ok_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(arguments: &str) -> String {
        let message = |arguments: &str| {
            format!(
                r#"{{"jsonrpc": "2.0", "id": 1.50, "method": "tools/call",
                    "params": {{"name": "ir", "arguments": {arguments}}}}}"#
            )
        };
        let sent = message(arguments);
        let exact = String::from_utf8(with_exact_numbers(sent.as_bytes()).into_owned()).unwrap();
        let (before, after) = sent.split_once(arguments).unwrap();
        exact
            .strip_prefix(before)
            .unwrap()
            .strip_suffix(after)
            .unwrap()
            .to_owned()
    }

    #[test]
    fn a_number_that_would_lose_digits_is_a_text() {
        for (sent, exact) in [
            (r#"{"revenu": 30000}"#, r#"{"revenu": 30000}"#),
            (
                r#"{"revenu":-3.5,"x":30000.0}"#,
                r#"{"revenu":-3.5,"x":30000.0}"#,
            ),
            (
                r#"{"revenu": 1234567890123456.789012345678901}"#,
                r#"{"revenu": "1234567890123456.789012345678901"}"#,
            ),
            (
                r#"{"a":[1,2.10],"b":{"c":1e3}}"#,
                r#"{"a":[1,"2.10"],"b":{"c":"1e3"}}"#,
            ),
            (
                r#"{"1.10": "2.20\" 3.30", "a": 4.40}"#,
                r#"{"1.10": "2.20\" 3.30", "a": "4.40"}"#,
            ),
            (r#"{"a": "\\", "b": 0.30}"#, r#"{"a": "\\", "b": "0.30"}"#),
            ("1.10", r#""1.10""#),
        ] {
            assert_eq!(arguments(sent), exact, "{sent}");
        }
    }

    #[test]
    fn other_messages_are_unchanged() {
        for message in [
            &br#"{"method": "tools/list", "params": {"arguments": {"a": 1.10}}}"#[..],
            br#"{"method": "tools/call"}"#,
            br#"{"method": "tools/call", "params": {"name": 1.10}}"#,
            b"[1.10]",
            b"{",
            b"\xff",
        ] {
            assert_eq!(&*with_exact_numbers(message), message);
        }
    }
}
