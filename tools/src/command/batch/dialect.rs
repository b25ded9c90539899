//! The dialect of a CSV file: separator, decimal sign, encoding, line endings. It is detected from the beginning of
//! the file, and the answers have the same.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::user_input::NumberFormat;

/// The byte order mark that some spreadsheets write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The parser of an option that names an encoding.
pub(super) fn encoding_parser() -> impl TypedValueParser<Value = &'static Encoding> {
    let names = PossibleValuesParser::new(["utf-8", "windows-1252"]);
    names.try_map(|name| Encoding::for_label(name.as_bytes()).ok_or(name))
}

/// The settings given on the command line; the others are detected.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DialectOptions {
    pub locale: Option<NumberFormat>,
    pub encoding: Option<&'static Encoding>,
    /// Whether the rows are JSON lines.
    pub is_json: Option<bool>,
}

/// The dialect of a CSV file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    pub separator: u8,
    pub locale: NumberFormat,
    encoding: &'static Encoding,
    has_mark: bool,
    line_ending: &'static str,
}

impl Dialect {
    /// Detects the dialect from the first bytes of a file; also gives the length of its byte order mark.
    pub(super) fn detect(beginning: &[u8], wanted: DialectOptions) -> (Self, usize) {
        let text = beginning.strip_prefix(BYTE_ORDER_MARK);
        let has_mark = text.is_some();
        let text = text.unwrap_or(beginning);
        let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let first = text.get(start..).unwrap_or_default();
        let end = first.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(first.len());
        let (header, rest) = first.split_at(end);
        let separator = [b';', b'\t'].into_iter().find(|separator| header.contains(separator)).unwrap_or(b',');
        let line_ending = match rest {
            [b'\r', b'\n', ..] => "\r\n",
            [b'\r', ..] => "\r",
            _ => "\n",
        };
        let found = if has_mark || is_utf8(text) { UTF_8 } else { WINDOWS_1252 };
        let encoding = wanted.encoding.unwrap_or(found);
        let usual = if separator == b';' { NumberFormat::Fr } else { NumberFormat::En };
        let locale = wanted.locale.unwrap_or(usual);
        let length = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        (Self { separator, locale, encoding, has_mark, line_ending }, length)
    }

    /// The default dialect, without a file to detect it from.
    pub(super) fn usual(wanted: DialectOptions) -> Self {
        let locale = wanted.locale.unwrap_or(NumberFormat::En);
        let separator = if locale == NumberFormat::Fr { b';' } else { b',' };
        let encoding = wanted.encoding.unwrap_or(UTF_8);
        Self { separator, locale, encoding, has_mark: false, line_ending: "\n" }
    }

    /// Whether the encoding is Windows-1252.
    pub(super) fn is_windows(&self) -> bool {
        self.encoding == WINDOWS_1252
    }

    /// A number of an answer as a cell.
    pub(super) fn number(&self, plain: String) -> String {
        if self.locale == NumberFormat::Fr { plain.replace('.', ",") } else { plain }
    }

    /// The byte order mark before the first line.
    pub(super) fn mark(&self) -> &'static [u8] {
        if self.has_mark { BYTE_ORDER_MARK } else { b"" }
    }

    /// Adds a line of CSV, in UTF-8 until it is [`encoded`](Self::encoded).
    pub(super) fn put<T: AsRef<str>>(&self, cells: impl IntoIterator<Item = T>, out: &mut Vec<u8>) {
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                out.push(self.separator);
            }
            self.put_cell(cell.as_ref(), out);
        }
        self.end_line(out);
    }

    /// Adds a cell, quoted where it must be.
    pub(super) fn put_cell(&self, cell: &str, out: &mut Vec<u8>) {
        let is_special = |byte: u8| byte == self.separator || matches!(byte, b'"' | b'\n' | b'\r');
        if cell.bytes().any(is_special) {
            out.push(b'"');
            out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        } else {
            out.extend_from_slice(cell.as_bytes());
        }
    }

    pub(super) fn end_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.line_ending.as_bytes());
    }

    /// Converts lines to the encoding of the file.
    pub(super) fn encoded(&self, lines: Vec<u8>) -> Vec<u8> {
        if !self.is_windows() {
            return lines;
        }
        let text = String::from_utf8_lossy(&lines);
        let (encoded, ..) = WINDOWS_1252.encode(&text);
        encoded.into_owned()
    }
}

/// Whether bytes are UTF-8; the last character of a beginning may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// A reader that converts a CSV file to UTF-8 with `\n` line endings.
pub(super) struct Plain<R> {
    inner: R,
    encoding: &'static Encoding,
    /// Converted bytes, the first `given` of which were read.
    ready: Vec<u8>,
    given: usize,
    after_return: bool,
    /// The last converted byte.
    last: u8,
}

impl<R: BufRead> Plain<R> {
    pub(super) fn new(inner: R, dialect: &Dialect) -> Self {
        let encoding = dialect.encoding;
        Self { inner, encoding, ready: Vec::new(), given: 0, after_return: false, last: b'\n' }
    }

    /// Converts the next bytes; returns false at the end.
    fn convert(&mut self) -> std::io::Result<bool> {
        self.ready.clear();
        self.given = 0;
        let chunk = self.inner.fill_buf()?;
        if chunk.is_empty() {
            if self.last == b'\n' {
                return Ok(false);
            }
            self.ready.push(b'\n');
        }
        // A character of Windows-1252 is one byte, so a chunk never cuts one.
        let letters = match self.encoding == WINDOWS_1252 {
            true => Cow::Owned(WINDOWS_1252.decode_without_bom_handling(chunk).0.into_owned().into_bytes()),
            false => Cow::Borrowed(chunk),
        };
        if self.after_return || letters.contains(&b'\r') {
            for byte in letters.iter() {
                match byte {
                    b'\n' if self.after_return => {}
                    b'\r' => self.ready.push(b'\n'),
                    _ => self.ready.push(*byte),
                }
                self.after_return = *byte == b'\r';
            }
        } else {
            self.ready.extend_from_slice(&letters);
        }
        self.last = self.ready.last().copied().unwrap_or(self.last);
        let length = chunk.len();
        self.inner.consume(length);
        Ok(true)
    }
}

impl<R: BufRead> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.ready.len() {
            if !self.convert()? {
                return Ok(0);
            }
        }
        let mut left = self.ready.get(self.given..).unwrap_or_default();
        let read = left.read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(text: &[u8]) -> Dialect {
        Dialect::detect(text, DialectOptions::default()).0
    }

    #[test]
    fn the_beginning_of_a_file_says_how_it_is_written() {
        let french = dialect(b"\xef\xbb\xbfbrut;nom\r\n1;a\r\n");
        assert_eq!((french.separator, french.locale, french.is_windows()), (b';', NumberFormat::Fr, false));
        assert_eq!((french.mark(), french.line_ending), (&b"\xef\xbb\xbf"[..], "\r\n"));
        assert!(dialect(b"brut;pr\xe9nom\n").is_windows() && !dialect("brut;prénom\n".as_bytes()).is_windows());
        assert_eq!((dialect(b"a\tb\r1\t2\r").separator, dialect(b"a\tb\r1\t2\r").line_ending), (b'\t', "\r"));
        let said = DialectOptions { locale: Some(NumberFormat::En), encoding: Some(WINDOWS_1252), is_json: None };
        let (said, _) = Dialect::detect(b"brut;nom\n", said);
        assert!(said.locale == NumberFormat::En && said.is_windows());
    }

    #[test]
    fn only_the_cells_that_must_be_are_quoted_and_all_are_written_as_they_were_read() {
        let mut out = Vec::new();
        dialect(b"a;b\n").put(["a,b", "c;d", "e\"f", "g\nh", ""], &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "a,b;\"c;d\";\"e\"\"f\";\"g\nh\";\n");
        let mut out = Vec::new();
        let windows = dialect(b"pr\xe9nom;b\r\n");
        windows.put(["Zoé", "5 €"], &mut out);
        assert_eq!(windows.encoded(out), b"Zo\xe9;5 \x80\r\n");
    }
}
