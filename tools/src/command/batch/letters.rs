//! The letters of a file: UTF-16, as Excel saves its Unicode text, becomes UTF-8; other files are
//! passed on as they are.

use std::io::{BufRead, Chain, Cursor, Error, ErrorKind, Read, Result};

use bareme_engine::Lang;
use bareme_show::Text;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_16BE, UTF_16LE};

/// The byte order mark of UTF-8, which replaces that of UTF-16: answers get it in turn.
const MARK: &[u8] = b"\xef\xbb\xbf";

const NOT_UTF_16: Text = Text::new(
    "ce texte n’est pas de l’UTF-16 jusqu’au bout : l’enregistrer à nouveau, en « CSV UTF-8 »",
    "this text is not UTF-16 to its end: save it again, as \"CSV UTF-8\"",
);

/// A reader of a file in UTF-8, or in an encoding whose letters are one byte.
pub(super) struct Letters<R> {
    inner: Chain<Cursor<Vec<u8>>, R>,
    /// The decoder of UTF-16; `None` for other encodings.
    decoder: Option<Decoder>,
    /// Decoded bytes, the first `given` of which were read.
    ready: Vec<u8>,
    given: usize,
    is_at_end: bool,
    lang: Lang,
}

impl<R: BufRead> Letters<R> {
    /// A reader of a file in the encoding that is named, or that its first bytes show.
    pub(super) fn new(mut inner: R, named: Option<&'static Encoding>, lang: Lang) -> Result<Self> {
        let mut first = Vec::new();
        inner.by_ref().take(2).read_to_end(&mut first)?;

        // Without a mark, the order of the bytes is that of Windows.
        let marked = match first.as_slice() {
            [0xff, 0xfe] => Some(UTF_16LE),
            [0xfe, 0xff] => Some(UTF_16BE),
            _ => None,
        };
        let encoding = match named {
            None => marked,
            Some(named) if is_utf_16(named) => Some(marked.unwrap_or(named)),
            Some(_) => None,
        };

        let ready = encoding.map_or_else(Vec::new, |_| MARK.to_vec());
        Ok(Self {
            inner: Cursor::new(first).chain(inner),
            decoder: encoding.map(Encoding::new_decoder_with_bom_removal),
            ready,
            given: 0,
            is_at_end: false,
            lang,
        })
    }
}

/// Whether an encoding is one of those that are decoded.
pub(super) fn is_utf_16(encoding: &'static Encoding) -> bool {
    [UTF_16LE, UTF_16BE].contains(&encoding)
}

impl<R: BufRead> BufRead for Letters<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        let Some(decoder) = &mut self.decoder else {
            return self.inner.fill_buf();
        };

        // A chunk may end within a letter, and give no byte.
        while self.given == self.ready.len() && !self.is_at_end {
            let chunk = self.inner.fill_buf()?;
            self.is_at_end = chunk.is_empty();
            let most = decoder.max_utf8_buffer_length_without_replacement(chunk.len());
            self.ready.clear();
            self.ready.resize(most.unwrap_or_default(), 0);

            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(chunk, &mut self.ready, self.is_at_end);
            if let DecoderResult::Malformed(..) = result {
                let reason = NOT_UTF_16.in_lang(self.lang);
                return Err(Error::new(ErrorKind::InvalidData, reason));
            }
            self.ready.truncate(written);
            self.given = 0;
            self.inner.consume(read);
        }
        Ok(self.ready.get(self.given..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        match self.decoder {
            None => self.inner.consume(amount),
            Some(_) => self.given = self.given.saturating_add(amount).min(self.ready.len()),
        }
    }
}

impl<R: BufRead> Read for Letters<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut left = self.fill_buf()?;
        let read = left.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const TEXT: &str = "nom\tbrut\r\nZoé 🙂\t2650,50\r\n";

    fn encoded(is_little: bool) -> Vec<u8> {
        let units = TEXT.encode_utf16();
        match is_little {
            true => units.flat_map(u16::to_le_bytes).collect(),
            false => units.flat_map(u16::to_be_bytes).collect(),
        }
    }

    /// The text read through a buffer that cuts letters.
    fn read(bytes: &[u8], named: Option<&'static Encoding>) -> Result<String> {
        let mut text = String::new();
        let inner = BufReader::with_capacity(3, bytes);
        Letters::new(inner, named, Lang::Fr)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn utf_16_is_read_by_its_mark_or_its_name() {
        let marked = format!("\u{feff}{TEXT}");
        let little = [b"\xff\xfe".to_vec(), encoded(true)].concat();
        let big = [b"\xfe\xff".to_vec(), encoded(false)].concat();
        for (bytes, named) in [
            (&little, None),
            (&little, Some(UTF_16LE)),
            (&big, None),
            (&big, Some(UTF_16LE)),
            (&encoded(true), Some(UTF_16LE)),
        ] {
            assert_eq!(read(bytes, named).unwrap(), marked);
        }
    }

    #[test]
    fn other_letters_are_passed_on() {
        for text in [TEXT, "a", ""] {
            assert_eq!(read(text.as_bytes(), None).unwrap(), text);
        }
    }

    #[test]
    fn half_a_letter_is_refused() {
        let bytes = [b"\xff\xfe".to_vec(), encoded(true)].concat();
        for cut in [&bytes[..bytes.len() - 1], b"\xff\xfe\x3d\xd8a\0"] {
            let error = read(cut, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
        }
    }
}
