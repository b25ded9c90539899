//! Canonical JSON: one text for all texts of equal JSON, as RFC 8785 has it.
//!
//! RFC 8785 reads numbers as doubles, which lose digits of a decimal. Here a number keeps all its
//! digits, in the layout of the RFC. For numbers of up to fifteen significant digits, which doubles
//! hold, the texts are those of the RFC to the byte.

use std::cmp::Ordering;
use std::ops::Range;

use crate::number;

/// Greatest depth of arrays and objects.
const MOST_DEPTH: usize = 64;

/// Why a text has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// It is not JSON.
    #[error("not JSON, at byte {0}")]
    Syntax(usize),
    /// An object has a member twice: readers differ about which one counts.
    #[error("a member is there twice, before byte {0}")]
    Repeated(usize),
    /// It is nested too deeply.
    #[error("nested too deeply, at byte {0}")]
    Depth(usize),
}

/// An object without one of its members.
#[derive(Debug, PartialEq, Eq)]
pub struct Split<'t> {
    /// The canonical form of the rest.
    pub rest: String,
    /// The value of the member, as it was written.
    pub member: Option<&'t str>,
}

/// The canonical form of a JSON text.
///
/// ```
/// use bareme_receipts::canonical::canonical;
///
/// assert_eq!(canonical(r#"{"b": 4.50, "a": "\u00e9"}"#)?, r#"{"a":"é","b":4.5}"#);
/// # Ok::<(), bareme_receipts::canonical::CanonicalError>(())
/// ```
///
/// # Errors
/// No JSON, a repeated member, too deep.
pub fn canonical(text: &str) -> Result<String, CanonicalError> {
    Ok(split(text, None)?.rest)
}

/// The canonical form of an object without one of its members, and the value of that member.
///
/// # Errors
/// As [`canonical`].
pub fn without<'t>(text: &'t str, member: &str) -> Result<Split<'t>, CanonicalError> {
    split(text, Some(member))
}

/// Writes a text as a canonical JSON string.
pub(crate) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    // Escaped characters are ASCII: a cut beside one is never within another character.
    let mut plain = 0;
    let escapes = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, 0..0x20 | b'"' | b'\\'));
    for (place, byte) in escapes {
        out.push_str(text.get(plain..place).unwrap_or_default());
        write_escaped(char::from(byte), out);
        plain = place + 1;
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

/// Writes a character inside a canonical string.
fn write_escaped(letter: char, out: &mut String) {
    match letter {
        // RFC 8785, 3.2.2.2: the short escape where JSON has one, otherwise four digits in lower
        // case.
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
        _ => out.push(letter),
    }
}

fn split<'t>(text: &'t str, left_out: Option<&str>) -> Result<Split<'t>, CanonicalError> {
    let mut reader = Reader {
        text,
        place: 0,
        out: String::with_capacity(text.len()),
        depth: 0,
        left_out,
        found: None,
    };

    reader.value()?;
    reader.blank();
    // A further value is an error, by which a check knows the lines of a batch.
    if reader.place < text.len() {
        return Err(CanonicalError::Syntax(reader.place));
    }

    Ok(Split {
        rest: reader.out,
        member: reader.found.and_then(|range| text.get(range)),
    })
}

/// A member of an object that is being read.
#[derive(Debug, Clone)]
struct Member {
    /// The name in the output, without its quotes.
    name: Range<usize>,
    /// Name and value in the output.
    whole: Range<usize>,
    /// Whether the name has letters of ASCII without an escape alone.
    is_plain: bool,
}

struct Reader<'t, 'm> {
    text: &'t str,
    place: usize,
    out: String,
    depth: usize,
    /// The member of the outermost object that is left out.
    left_out: Option<&'m str>,
    /// Where its value is.
    found: Option<Range<usize>>,
}

impl Reader<'_, '_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn blank(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.place += 1;
        }
    }

    fn wrong<T>(&self) -> Result<T, CanonicalError> {
        Err(CanonicalError::Syntax(self.place))
    }

    /// Takes a byte if it is the next one.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.place += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Result<(), CanonicalError> {
        self.blank();
        match self.next() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), CanonicalError> {
        let rest = self.text.get(self.place..).unwrap_or_default();
        if !rest.starts_with(word) {
            return self.wrong();
        }
        self.place += word.len();
        self.out.push_str(word);
        Ok(())
    }

    fn number(&mut self) -> Result<(), CanonicalError> {
        let rest = self.text.get(self.place..).unwrap_or_default();
        // As much as could be a number; whether it is one is decided by its writer.
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = rest.bytes().take_while(is_part).count();
        let text = rest.get(..length).unwrap_or_default();
        if number::write(text, &mut self.out).is_none() {
            return self.wrong();
        }
        self.place += length;
        Ok(())
    }

    fn open(&mut self, sign: char) -> Result<(), CanonicalError> {
        self.place += 1;
        self.depth += 1;
        self.out.push(sign);
        // Values are read by recursion: unbounded, a body of brackets alone would use up the stack.
        if self.depth > MOST_DEPTH {
            return Err(CanonicalError::Depth(self.place));
        }
        self.blank();
        Ok(())
    }

    fn close(&mut self, sign: char) {
        self.depth -= 1;
        self.out.push(sign);
    }

    fn array(&mut self) -> Result<(), CanonicalError> {
        self.open('[')?;
        if !self.takes(b']') {
            loop {
                self.value()?;
                self.blank();
                if self.takes(b']') {
                    break;
                }
                if !self.takes(b',') {
                    return self.wrong();
                }
                self.out.push(',');
            }
        }
        self.close(']');
        Ok(())
    }

    fn object(&mut self) -> Result<(), CanonicalError> {
        self.open('{')?;
        let start = self.out.len();
        let mut members: Vec<Member> = Vec::new();
        if !self.takes(b'}') {
            loop {
                self.member(&mut members)?;
                self.blank();
                if self.takes(b'}') {
                    break;
                }
                if !self.takes(b',') {
                    return self.wrong();
                }
                self.blank();
            }
        }

        self.sort(start, &mut members)?;
        self.close('}');
        Ok(())
    }

    /// Reads a member, and writes it after the others.
    fn member(&mut self, members: &mut Vec<Member>) -> Result<(), CanonicalError> {
        let before = self.out.len();
        if !members.is_empty() {
            self.out.push(',');
        }

        let start = self.out.len();
        if self.next() != Some(b'"') {
            return self.wrong();
        }
        self.string()?;
        let name = start + 1..self.out.len() - 1;
        let written = self.out.get(name.clone()).unwrap_or_default();
        let is_plain = written.is_ascii() && !written.contains('\\');
        self.blank();
        if !self.takes(b':') {
            return self.wrong();
        }
        self.out.push(':');
        self.blank();
        let value = self.place;
        self.value()?;

        // The member that is left out was read as any other one, and must be there once.
        let is_left_out = self.depth == 1 && self.left_out == self.out.get(name.clone());
        if is_left_out {
            if self.found.is_some() {
                return Err(CanonicalError::Repeated(self.place));
            }
            self.found = Some(value..self.place);
            // With the comma before it: the next member writes its own.
            self.out.truncate(before);
        } else {
            members.push(Member {
                name,
                whole: start..self.out.len(),
                is_plain,
            });
        }
        Ok(())
    }

    /// Puts the members of an object in order, which are in the output from `start` on.
    fn sort(&mut self, start: usize, members: &mut [Member]) -> Result<(), CanonicalError> {
        let repeated = CanonicalError::Repeated(self.place);
        let out = &self.out;
        let name = |member: &Member| out.get(member.name.clone()).unwrap_or_default();

        // Writers often have them in order already.
        let order = |one: &Member, other: &Member| {
            if one.is_plain && other.is_plain {
                return name(one).cmp(name(other));
            }
            in_order(name(one), name(other))
        };
        // Strictly, so that a member that is there twice is found below.
        let are_in_order = members.is_sorted_by(|one, other| order(one, other) == Ordering::Less);
        if are_in_order {
            return Ok(());
        }

        members.sort_by(order);
        let are_distinct = members.is_sorted_by(|one, other| name(one) != name(other));
        if !are_distinct {
            return Err(repeated);
        }

        let mut sorted = String::with_capacity(out.len() - start);
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                sorted.push(',');
            }
            sorted.push_str(out.get(member.whole.clone()).unwrap_or_default());
        }
        self.out.truncate(start);
        self.out.push_str(&sorted);
        Ok(())
    }

    /// Reads a string, and writes it with the escapes of the canonical form alone.
    fn string(&mut self) -> Result<(), CanonicalError> {
        self.place += 1;
        self.out.push('"');
        loop {
            let rest = self.text.get(self.place..).unwrap_or_default();
            let length = plain_length(rest.as_bytes());
            self.out.push_str(rest.get(..length).unwrap_or_default());
            self.place += length;

            if self.takes(b'"') {
                self.out.push('"');
                return Ok(());
            }
            // A character that had to be escaped (RFC 8259, 7), or the end of the text.
            if !self.takes(b'\\') {
                return self.wrong();
            }
            let letter = self.escape()?;
            write_escaped(letter, &mut self.out);
        }
    }

    /// Reads an escape, after its backslash.
    fn escape(&mut self) -> Result<char, CanonicalError> {
        let Some(sign) = self.next() else {
            return self.wrong();
        };
        self.place += 1;
        Ok(match sign {
            b'"' | b'\\' | b'/' => char::from(sign),
            b'b' => '\u{8}',
            b't' => '\t',
            b'n' => '\n',
            b'f' => '\u{c}',
            b'r' => '\r',
            b'u' => return self.unicode(),
            _ => return self.wrong(),
        })
    }

    /// Reads the digits of `\u`, and the second half of a pair. Half a pair is no character.
    fn unicode(&mut self) -> Result<char, CanonicalError> {
        let first = self.unit()?;
        if let Some(letter) = char::from_u32(first.into()) {
            return Ok(letter);
        }
        if !(self.takes(b'\\') && self.takes(b'u')) {
            return self.wrong();
        }
        let pair = [first, self.unit()?];
        match char::decode_utf16(pair).next() {
            Some(Ok(letter)) => Ok(letter),
            _ => self.wrong(),
        }
    }

    fn unit(&mut self) -> Result<u16, CanonicalError> {
        let digits = self.text.get(self.place..self.place + 4);
        // `from_str_radix` reads a sign too, which an escape does not have.
        let is_hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unit = digits
            .filter(is_hex)
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let Some(unit) = unit else {
            return self.wrong();
        };
        self.place += 4;
        Ok(unit)
    }
}

/// Bytes that are looked at together.
const TOGETHER: usize = 32;

/// The number of bytes before the first one that ends a string, starts an escape, or must be
/// escaped.
fn plain_length(bytes: &[u8]) -> usize {
    let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    // A fold over a few bytes is quicker than a look at each: texts of the law are long.
    let is_plain = |part: &&[u8]| {
        let found = part
            .iter()
            .fold(false, |found, byte| found | is_special(*byte));
        part.len() == TOGETHER && !found
    };
    let whole = bytes.chunks(TOGETHER).take_while(is_plain).count() * TOGETHER;
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().take_while(|byte| !is_special(**byte)).count()
}

/// The order of names, by their UTF-16 units (RFC 8785, 3.2.3). Of letters of ASCII without an
/// escape, it is that of the bytes.
fn in_order(one: &str, other: &str) -> Ordering {
    let units = |name: &str| {
        let text: String = serde_json::from_str(&format!("\"{name}\"")).unwrap_or_default();
        text.encode_utf16().collect::<Vec<u16>>()
    };
    units(one).cmp(&units(other))
}

#[cfg(test)]
mod tests;
