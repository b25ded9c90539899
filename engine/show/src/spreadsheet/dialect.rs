//! The dialect of a CSV file: separator, decimal sign, encoding, line endings. It is detected from
//! the beginning of the file, and the answers have the same.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use bareme_engine::text::Text;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::cell::NumberFormat;

/// The byte order mark that some spreadsheets write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The separators of cells, those that a spreadsheet chooses first.
const SEPARATORS: [u8; 3] = [b';', b'\t', b','];

/// The bytes that are no character of Windows-1252.
const UNDEFINED_IN_WINDOWS: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The settings that the caller gives; the others are detected.
#[derive(Debug, Clone, Copy, Default)]
pub struct DialectOptions {
    /// The notation of numbers.
    pub locale: Option<NumberFormat>,
    /// The encoding of the text.
    pub encoding: Option<&'static Encoding>,
    /// Whether the rows are JSON lines.
    pub is_json: Option<bool>,
}

/// The encoding with a name that programs use for it; `None` for one that is not read.
pub fn encoding_named(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).filter(|found| [UTF_8, WINDOWS_1252].contains(found))
}

/// Why the dialect of a whole file cannot be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialectError {
    /// The text is in UTF-16, or in no encoding that spreadsheets save.
    Encoding,
    /// The first line has several separators.
    Separators,
    /// A single column, whose cells have commas: decimals, or a second column without a name.
    OneColumn,
}

impl DialectError {
    /// The cause and the cure.
    pub fn sentence(self) -> Text {
        match self {
            Self::Encoding => Text::new(
                "le texte n’est ni en UTF-8 ni en Windows-1252 : l’enregistrer en « CSV UTF-8 »",
                "the text is neither UTF-8 nor Windows-1252: save it as \"CSV UTF-8\"",
            ),
            Self::Separators => Text::new(
                "la première ligne a des points-virgules, des virgules ou des tabulations à la \
                 fois : n’avoir qu’un séparateur, et mettre entre guillemets un nom qui en \
                 contient",
                "the first line mixes semicolons, commas or tabs: have one separator, and put a \
                 name that contains one in quotes",
            ),
            Self::OneColumn => Text::new(
                "une seule colonne, et des virgules dans ses cellules : terminer chaque ligne par \
                 un point-virgule si elles sont décimales, nommer chaque colonne sinon",
                "a single column, and commas in its cells: end each line with a semicolon if they \
                 are decimal commas, name each column otherwise",
            ),
        }
    }
}

/// The dialect of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The separator of two cells.
    pub separator: u8,
    /// The notation of numbers: a decimal comma where the separator is a semicolon.
    pub locale: NumberFormat,
    encoding: &'static Encoding,
    has_mark: bool,
    line_ending: &'static str,
}

impl Dialect {
    /// Detects the dialect from the first bytes of a file; also gives the length of its byte order
    /// mark.
    pub fn detect(beginning: &[u8], options: DialectOptions) -> (Self, usize) {
        let text = beginning.strip_prefix(BYTE_ORDER_MARK);
        let has_mark = text.is_some();
        let text = text.unwrap_or(beginning);

        // Empty lines before the header are skipped, as the reader of CSV does.
        let start = text
            .iter()
            .position(|byte| !byte.is_ascii_whitespace())
            .unwrap_or(0);

        // Separators and line endings are taken from the first line: the header, whose names have
        // no decimal comma.
        let first = text.get(start..).unwrap_or_default();

        let end = first
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(first.len());
        let (header, rest) = first.split_at(end);

        // The first of the list that the header has: `a;b,c` has a semicolon.
        let separator = SEPARATORS
            .into_iter()
            .find(|separator| has_unquoted(header, *separator))
            .unwrap_or(b',');

        let line_ending = match rest {
            [b'\r', b'\n', ..] => "\r\n",
            [b'\r', ..] => "\r",
            _ => "\n",
        };

        // Bytes that are no UTF-8 are taken for the encoding of French spreadsheets: any byte but
        // five is a character of it.
        let found = if has_mark || is_utf8(text) {
            UTF_8
        } else {
            WINDOWS_1252
        };
        let encoding = options.encoding.unwrap_or(found);

        // A semicolon separates cells where the comma is taken by decimals.
        let usual = if separator == b';' {
            NumberFormat::Fr
        } else {
            NumberFormat::En
        };
        let locale = options.locale.unwrap_or(usual);

        let length = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        (
            Self {
                separator,
                locale,
                encoding,
                has_mark,
                line_ending,
            },
            length,
        )
    }

    /// Detects the dialect of a whole file, as [`detect`](Self::detect) does from its beginning.
    ///
    /// # Errors
    /// A file that two dialects read differently, or none.
    pub fn of_whole(file: &[u8], options: DialectOptions) -> Result<(Self, usize), DialectError> {
        // A page has the whole file: what `detect` assumes can be checked.
        let (dialect, mark) = Self::detect(file, options);

        let text = file.get(mark..).unwrap_or_default();

        let is_readable = match dialect.is_windows() {
            true => !text.iter().any(|byte| UNDEFINED_IN_WINDOWS.contains(byte)),
            false => std::str::from_utf8(text).is_ok(),
        };

        // A zero byte is no text: it is one half of most letters in UTF-16.
        if !is_readable || text.contains(&0) {
            return Err(DialectError::Encoding);
        }

        let mut lines = text
            .trim_ascii_start()
            .split(|byte| matches!(byte, b'\n' | b'\r'));
        let header = lines.next().unwrap_or_default();
        let found: Vec<u8> = SEPARATORS
            .into_iter()
            .filter(|separator| has_unquoted(header, *separator))
            .collect();
        // A comma within cells of a single column is a decimal or a second column: only the author
        // knows.
        match found.as_slice() {
            [_, _, ..] => Err(DialectError::Separators),
            [] if lines.any(|line| has_unquoted(line, b',')) => Err(DialectError::OneColumn),
            _ => Ok((dialect, mark)),
        }
    }

    /// The default dialect, without a file to detect it from.
    pub fn usual(options: DialectOptions) -> Self {
        let locale = options.locale.unwrap_or(NumberFormat::En);

        let separator = if locale == NumberFormat::Fr {
            b';'
        } else {
            b','
        };
        let encoding = options.encoding.unwrap_or(UTF_8);

        Self {
            separator,
            locale,
            encoding,
            has_mark: false,
            line_ending: "\n",
        }
    }

    /// Whether the encoding is Windows-1252.
    pub fn is_windows(&self) -> bool {
        self.encoding == WINDOWS_1252
    }

    /// A number of an answer as a cell.
    pub fn number(&self, plain: String) -> String {
        // Cells are written as the file writes its own, so that a spreadsheet reads them as
        // numbers.
        if self.locale == NumberFormat::Fr {
            plain.replace('.', ",")
        } else {
            plain
        }
    }

    /// The byte order mark before the first line.
    pub fn mark(&self) -> &'static [u8] {
        if self.has_mark { BYTE_ORDER_MARK } else { b"" }
    }

    /// Adds a line of CSV, in UTF-8 until it is [`encoded`](Self::encoded).
    pub fn put<T: AsRef<str>>(&self, cells: impl IntoIterator<Item = T>, out: &mut Vec<u8>) {
        for (index, cell) in cells.into_iter().enumerate() {
            // RFC 4180: a separator, a quote or a line ending within a cell needs quotes, and a
            // quote is doubled.
            if index > 0 {
                out.push(self.separator);
            }
            self.put_cell(cell.as_ref(), out);
        }
        self.end_line(out);
    }

    /// Adds a cell, quoted where it must be.
    pub fn put_cell(&self, cell: &str, out: &mut Vec<u8>) {
        let is_special = |byte: u8| byte == self.separator || matches!(byte, b'"' | b'\n' | b'\r');

        if cell.bytes().any(is_special) {
            out.push(b'"');
            out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        } else {
            out.extend_from_slice(cell.as_bytes());
        }
    }

    /// Ends a line as the lines of the file end.
    pub fn end_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.line_ending.as_bytes());
    }

    /// Converts lines to the encoding of the file.
    pub fn encoded(&self, lines: Vec<u8>) -> Vec<u8> {
        if !self.is_windows() {
            return lines;
        }

        // The thin space and the minus sign have no letter of Windows; the wide and the short one
        // do.
        let text = String::from_utf8_lossy(&lines)
            .replace('\u{202f}', "\u{a0}")
            .replace('\u{2212}', "-");

        let (encoded, ..) = WINDOWS_1252.encode(&text);
        encoded.into_owned()
    }
}

/// Whether a line has a byte outside quotes.
fn has_unquoted(line: &[u8], sought: u8) -> bool {
    let mut is_quoted = false;
    line.iter().any(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && *byte == sought
    })
}

/// Whether bytes are UTF-8; the last character of a beginning may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// A reader that converts a CSV file to UTF-8 with `\n` line endings.
#[derive(Debug)]
pub struct Plain<R> {
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
    /// A reader of a file after its byte order mark.
    pub fn new(inner: R, dialect: &Dialect) -> Self {
        let encoding = dialect.encoding;
        Self {
            inner,
            encoding,
            ready: Vec::new(),
            given: 0,
            after_return: false,
            last: b'\n',
        }
    }

    /// Converts the next bytes; returns false at the end.
    fn convert(&mut self) -> std::io::Result<bool> {
        // The buffer is empty here: `read` has passed on all of it.
        self.ready.clear();
        self.given = 0;
        let chunk = self.inner.fill_buf()?;

        // The last line of a file may lack its end, which the reader of CSV counts on.
        if chunk.is_empty() {
            if self.last == b'\n' {
                return Ok(false);
            }
            self.ready.push(b'\n');
        }

        // A character of Windows-1252 is one byte, so a chunk never cuts one.
        let letters = match self.encoding == WINDOWS_1252 {
            true => Cow::Owned(
                WINDOWS_1252
                    .decode_without_bom_handling(chunk)
                    .0
                    .into_owned()
                    .into_bytes(),
            ),
            false => Cow::Borrowed(chunk),
        };

        if self.after_return || letters.contains(&b'\r') {
            // `\r\n` is one end of a line, even where a chunk ends between the two bytes.
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

        // The chunk is consumed only now, since what was read borrows from it.
        let length = chunk.len();
        self.inner.consume(length);
        Ok(true)
    }
}

impl<R: BufRead> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // A chunk may give no byte at all: the line feed after a carriage return.
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
        assert_eq!(
            (french.separator, french.locale, french.is_windows()),
            (b';', NumberFormat::Fr, false)
        );
        assert_eq!(
            (french.mark(), french.line_ending),
            (&b"\xef\xbb\xbf"[..], "\r\n")
        );
        assert!(
            dialect(b"brut;pr\xe9nom\n").is_windows()
                && !dialect("brut;prénom\n".as_bytes()).is_windows()
        );
        assert_eq!(
            (
                dialect(b"a\tb\r1\t2\r").separator,
                dialect(b"a\tb\r1\t2\r").line_ending
            ),
            (b'\t', "\r")
        );
        let stated = DialectOptions {
            locale: Some(NumberFormat::En),
            encoding: Some(WINDOWS_1252),
            is_json: None,
        };
        let (stated, _) = Dialect::detect(b"brut;nom\n", stated);
        assert!(stated.locale == NumberFormat::En && stated.is_windows());
    }

    #[test]
    fn a_file_that_can_be_read_in_two_ways_or_in_none_is_refused() {
        let whole = |text: &[u8]| Dialect::of_whole(text, DialectOptions::default()).map(|_| ());
        for good in [
            &b"brut;nom\n3000,50;\"a,b\"\n"[..],
            b"brut,nom\n\"3000,50\",a\n",
            b"\"a,b\";brut\n1;2\n",
            b"brut\n3000.50\n",
            b"brut;\n3000,50;\n",
            b"pr\xe9nom;brut\n",
            b"",
        ] {
            assert_eq!(whole(good), Ok(()), "{}", String::from_utf8_lossy(good));
        }
        assert_eq!(whole(b"brut\n3000,50\n"), Err(DialectError::OneColumn));
        assert_eq!(whole(b"brut,cadre;x\n"), Err(DialectError::Separators));
        assert_eq!(whole(b"\xff\xfeb\0r\0"), Err(DialectError::Encoding));
        assert_eq!(whole(b"brut\x81\n"), Err(DialectError::Encoding));
        assert_eq!(
            whole(b"\xef\xbb\xbfbrut;\xe9\n"),
            Err(DialectError::Encoding)
        );
        let stated = DialectOptions {
            encoding: Some(UTF_8),
            ..DialectOptions::default()
        };
        assert_eq!(
            Dialect::of_whole(b"pr\xe9nom\n", stated).map(|_| ()),
            Err(DialectError::Encoding)
        );
    }

    #[test]
    fn only_the_cells_that_must_be_are_quoted_and_all_are_written_as_they_were_read() {
        let mut out = Vec::new();
        dialect(b"a;b\n").put(["a,b", "c;d", "e\"f", "g\nh", ""], &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a,b;\"c;d\";\"e\"\"f\";\"g\nh\";\n"
        );
        let mut out = Vec::new();
        let windows = dialect(b"pr\xe9nom;b\r\n");
        windows.put(["Zoé", "5 €"], &mut out);
        assert_eq!(windows.encoded(out), b"Zo\xe9;5 \x80\r\n");
    }
}
