//! Text of a key, which a caller sends in `X-API-Key`, and its digest, which is stored.
//!
//! `bma_` + 30 random characters + 6 characters of checksum. The three letters identify a variant
//! (and let scanners for leaked secrets recognise a key), `_` makes a double click select the
//! whole, and the checksum allows a mistyped key to be refused without a look-up; it protects
//! nothing.
//!
//! A publishable key has `bma_pub_` in front instead: whoever reads it sees that it is no secret, and
//! a program that knows secret keys alone refuses it by its length.
//!
//! 30 characters of 62 are 178 random bits, too many to try: a plain SHA-256 is enough, where a
//! password chosen by a person would need a slow hash. There is no pepper to lose.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The characters of a key, in the order of their values in the checksum.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const PREFIX_LENGTH: usize = 3;
const RANDOM_LENGTH: usize = 30;
const CHECKSUM_LENGTH: usize = 6;
const LENGTH: usize = PREFIX_LENGTH + 1 + RANDOM_LENGTH + CHECKSUM_LENGTH;

/// The mark of a publishable key, after its prefix.
const PUBLISHABLE: &str = "pub_";

/// Largest multiple of 62 that fits a byte: greater bytes are drawn again, so that all characters
/// are equally likely.
const REJECTED_FROM: u8 = 248;

/// A whole key. `{:?}` never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// Digest of a key, which is stored in its place.
#[derive(Clone, Copy, Debug)]
pub struct Digest(pub [u8; 32]);

impl Key {
    /// A new key, from the random source of the system.
    pub fn generate(prefix: &str) -> Result<Self, getrandom::Error> {
        Self::drawn(format!("{prefix}_"))
    }

    /// A new key that may be in the source of a page.
    pub(crate) fn generate_publishable(prefix: &str) -> Result<Self, getrandom::Error> {
        Self::drawn(format!("{prefix}_{PUBLISHABLE}"))
    }

    fn drawn(mut text: String) -> Result<Self, getrandom::Error> {
        let end = text.len() + RANDOM_LENGTH;
        while text.len() < end {
            let mut bytes = [0; RANDOM_LENGTH];
            getrandom::fill(&mut bytes)?;
            text.extend(
                bytes
                    .into_iter()
                    // Some bytes are rejected, so one draw may not be enough: the loop draws again.
                    .filter_map(character)
                    .take(end - text.len()),
            );
        }

        let check = checksum(&text);
        text.extend(check);
        Ok(Self(text))
    }

    /// Parses what a caller sent, if it can be a key; `known` tells the existing prefixes. The
    /// tests are cheap and need no store.
    pub fn parse(sent: &[u8], known: impl Fn(&str) -> bool) -> Option<Self> {
        // The length alone refuses most wrong texts, before anything is read of them.
        if ![LENGTH, LENGTH + PUBLISHABLE.len()].contains(&sent.len()) {
            return None;
        }
        let text = std::str::from_utf8(sent).ok()?;

        let (prefix, rest) = text.split_once('_')?;
        let rest = rest.strip_prefix(PUBLISHABLE).unwrap_or(rest);
        if prefix.len() != PREFIX_LENGTH
            || rest.len() != RANDOM_LENGTH + CHECKSUM_LENGTH
            || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            || !known(prefix)
        {
            return None;
        }

        let (signed, check) = text.split_at_checked(text.len() - CHECKSUM_LENGTH)?;
        checksum(signed)
            .into_iter()
            .eq(check.chars())
            .then(|| Self(text.to_owned()))
    }

    /// Its digest.
    pub fn digest(&self) -> Digest {
        Digest(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Whether it may be in the source of a page.
    pub fn is_publishable(&self) -> bool {
        self.0.len() > LENGTH
    }

    /// The last four characters, for people to recognise their keys.
    pub fn last_four(&self) -> &str {
        let start = self.0.len().saturating_sub(4);
        self.0.get(start..).unwrap_or_default()
    }

    /// The key itself, to be shown once to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key(…{})", self.last_four())
    }
}

impl Digest {
    /// Parses 64 hexadecimal digits; `None` for any other text.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return None;
        }
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Some(Self(bytes))
    }
}

/// Compared in constant time, so that the time tells nothing about the digest.
impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

/// A digest is random already: eight of its bytes are its hash.
impl std::hash::Hash for Digest {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write(&self.0);
    }
}

/// CRC32 in six base62 digits, leading zeros kept.
fn checksum(text: &str) -> [char; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = ['0'; CHECKSUM_LENGTH];
    for place in digits.iter_mut().rev() {
        *place = digit(rest);
        rest /= 62;
    }
    digits
}

/// The character for a random byte; none for one that is drawn again.
fn character(byte: u8) -> Option<char> {
    (byte < REJECTED_FROM).then(|| digit(byte.into()))
}

/// The last base62 digit of a number.
fn digit(value: u32) -> char {
    ALPHABET
        .get(value as usize % ALPHABET.len())
        .copied()
        .map_or('0', char::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Option<Key> {
        Key::parse(text.as_bytes(), |prefix| prefix == "bma")
    }

    #[test]
    fn a_new_key_is_read_back() {
        let key = Key::generate("bma").unwrap();
        let text = key.reveal();
        assert_eq!((text.len(), &text[..4]), (40, "bma_"));
        assert_eq!(parse(text), Some(key.clone()));
        assert_eq!(key.last_four(), &text[36..]);
        assert_eq!(format!("{key:?}"), format!("Key(…{})", &text[36..]));
        assert_ne!(Key::generate("bma").unwrap(), key);
    }

    #[test]
    fn a_publishable_key_is_recognised_by_its_text() {
        let key = Key::generate_publishable("bma").unwrap();
        let text = key.reveal();
        assert_eq!((text.len(), &text[..8]), (44, "bma_pub_"));
        assert_eq!(parse(text), Some(key.clone()));
        assert!(key.is_publishable() && !Key::generate("bma").unwrap().is_publishable());
        assert_eq!(key.last_four(), &text[40..]);
        // Neither kind becomes the other without its mark: the checksum is of the whole text.
        let secret = Key::generate("bma").unwrap().reveal().to_owned();
        for bad in [
            &text.replace("pub_", ""),
            &text.replace("pub_", "pub"),
            &text.replace("bma_pub_", "bmapub__"),
            &text.replace("pub_", "pub0"),
            &text.replace("pub_", "PUB_"),
            &secret.replace("bma_", "bma_pub_"),
            &format!("{text}0"),
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn all_characters_are_equally_likely() {
        let drawn: Vec<char> = (0..=u8::MAX).filter_map(character).collect();
        for one in ALPHABET {
            assert_eq!(
                drawn
                    .iter()
                    .filter(|drawn| **drawn == char::from(*one))
                    .count(),
                4,
                "{}",
                char::from(*one)
            );
        }
    }

    #[test]
    fn a_prefix_is_three_known_letters() {
        let unknown = Key::generate("bmb").unwrap();
        assert_eq!(parse(unknown.reveal()), None);
        assert!(Key::parse(unknown.reveal().as_bytes(), |prefix| prefix == "bmb").is_some());
        // As long as a key, and with the right checksum.
        let signed = format!("bm_{}", "0".repeat(RANDOM_LENGTH + 1));
        let short: String = signed.chars().chain(checksum(&signed)).collect();
        assert_eq!(Key::parse(short.as_bytes(), |_| true), None);
    }

    #[test]
    fn a_digest_is_read_from_64_hexadecimal_digits() {
        let digits = "0f1E2d3C4b5A6978".repeat(4);
        let bytes = [0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78].repeat(4);
        assert_eq!(Digest::from_hex(&digits).unwrap().0.as_slice(), bytes);
        for bad in [
            &digits[..62],
            &digits[..63],
            &format!("{digits}0"),
            &format!("{digits}00"),
            &digits.replace('f', "g"),
        ] {
            assert!(Digest::from_hex(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_format() {
        // CRC32 of `bma_` and thirty zeros, computed with Python's zlib.
        let known = "bma_0000000000000000000000000000002p64JP";
        assert_eq!(
            parse(known).map(|key| key.reveal().to_owned()).as_deref(),
            Some(known)
        );
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let text = Key::generate("bma").unwrap().reveal().to_owned();
        for bad in [
            "",
            "bma_",
            &text[..39],
            &format!("{text}0"),
            &text.replace("bma", "bmb"),
            &text.replace("bma_", "bma-"),
            &text.replace("bma_", "bm__"),
            &format!("{}é", &text[..38]),
            &text.to_uppercase(),
            &" ".repeat(40),
        ] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
        assert_eq!(Key::parse(&[0xff; 40], |_| true), None);
    }

    #[test]
    fn a_key_is_not_shown_by_accident() {
        let key = Key::generate("bma").unwrap();
        let shown = format!("{key:?}");
        assert!(!shown.contains(&key.reveal()[4..36]), "{shown}");
    }

    #[test]
    fn every_character_is_as_likely_as_another() {
        let mut counts = [0_u32; 128];
        for _ in 0..2_000 {
            let key = Key::generate("bma").unwrap();
            for byte in key.reveal()[4..34].bytes() {
                counts[usize::from(byte)] += 1;
            }
        }
        // 60 000 draws of 62: 968 each, and a standard deviation of 31.
        for byte in ALPHABET {
            let count = counts[usize::from(*byte)];
            assert!(
                (770..1170).contains(&count),
                "{} came {count} times",
                char::from(*byte)
            );
        }
    }

    proptest! {
        #[test]
        fn any_slip_of_one_character_is_seen(at in 0..40_usize, with in "[0-9A-Za-z_]") {
            let key = Key::generate("bma").unwrap();
            let mut slipped = key.reveal().to_owned();
            slipped.replace_range(at..=at, &with);
            prop_assert_eq!(parse(&slipped).is_some(), slipped == key.reveal());
        }

        #[test]
        fn any_bytes_are_read_or_refused(sent in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(Key::parse(&sent, |_| true).is_none());
        }
    }
}
