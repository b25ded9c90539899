//! Strict decoding of a query into names and values.
//!
//! Usual decoders repair what they cannot decode (a lone `%`, invalid UTF-8): a wrong amount could
//! then be computed from half of what was sent. Here nothing is repaired.

use std::borrow::Cow;

use bareme_engine::text::{BadParameter, ParameterCode};

/// Most parameters in one query; a family has those of all its folders, some seventy, which
/// programs may send empty, and the grid of a year repeats its own for each month.
pub(crate) const MAX_PARAMETERS: usize = 256;

/// Usual number of parameters, to allocate their list.
const USUAL_PARAMETERS: usize = 8;

/// A decoded query.
#[derive(Debug, PartialEq)]
pub struct Query<Text = String> {
    /// Decoded parameters, in the order sent.
    pub pairs: Vec<(Text, Text)>,
    /// Parameters that could not be decoded.
    pub bad: Vec<BadParameter>,
}

impl<Text> Default for Query<Text> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            bad: Vec::new(),
        }
    }
}

impl Query {
    /// Decodes a query, without its `?`, into owned texts.
    pub fn read(text: &str) -> Self {
        // Owned texts, for those that outlive the request.
        let Query { pairs, bad } = Query::borrowed(text);
        let pairs = pairs
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value.into_owned()));
        Self {
            pairs: pairs.collect(),
            bad,
        }
    }
}

impl<'q> Query<Cow<'q, str>> {
    /// Decodes a query, without its `?`. Texts without escapes are borrowed.
    pub fn borrowed(text: &'q str) -> Self {
        let mut query = Self {
            pairs: Vec::with_capacity(USUAL_PARAMETERS),
            bad: Vec::new(),
        };
        // Clients write empty parts (`?a=1&&b=2`), which mean nothing.
        let mut sent = text.split('&').filter(|part| !part.is_empty());
        for part in sent.by_ref().take(MAX_PARAMETERS) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            // A name that cannot be decoded is reported as it was received.
            match (decode(name), decode(value)) {
                (Ok(name), Ok(value)) => query.pairs.push((name, value)),
                (Ok(name), Err(error)) => query.bad.push(error.of(&name, value)),
                (Err(error), _) => query.bad.push(error.of(name, name)),
            }
        }

        // One too many is enough: the others are not even decoded.
        if let Some(extra) = sent.next() {
            query
                .bad
                .push(too_many(extra.split('=').next().unwrap_or_default()));
        }
        query
    }
}

/// The first value of a parameter.
pub fn value<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    pairs
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// The first parameter of those that are more than a query may have.
pub(crate) fn too_many(name: &str) -> BadParameter {
    let reason = (
        "Il y a trop de paramètres.",
        "There are too many parameters.",
    );
    let expected = (
        format!("{MAX_PARAMETERS} paramètres au plus"),
        format!("at most {MAX_PARAMETERS} parameters"),
    );
    BadParameter::new(name, ParameterCode::TooMany, reason, None, expected)
}

/// Why a name or a value cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecodeError {
    Percent,
    Utf8,
    Control,
}

impl DecodeError {
    fn of(self, name: &str, received: &str) -> BadParameter {
        // The name or the value is shown as it was received, since its text is not known.
        let (reason, expected) = match self {
            Self::Percent => (
                (
                    "Un `%` n’est pas suivi de deux chiffres hexadécimaux.",
                    "A `%` is not followed by two hexadecimal digits.",
                ),
                (
                    "un texte dont chaque caractère spécial est codé `%XX` (`%25` pour `%`)",
                    "a text whose special characters are encoded `%XX` (`%25` for `%`)",
                ),
            ),
            Self::Utf8 => (
                (
                    "Les octets reçus ne forment pas un texte UTF-8.",
                    "The bytes received are not UTF-8 text.",
                ),
                ("un texte UTF-8", "UTF-8 text"),
            ),
            Self::Control => (
                (
                    "La valeur contient un caractère de contrôle.",
                    "The value contains a control character.",
                ),
                (
                    "un texte sans caractère de contrôle",
                    "a text without control characters",
                ),
            ),
        };
        BadParameter::new(
            name,
            ParameterCode::Encoding,
            reason,
            Some(received),
            expected,
        )
    }
}

fn decode(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    // Nearly every name and value is printable ASCII without escapes, and is borrowed.
    if text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'%' && byte != b'+')
    {
        return Ok(text.into());
    }

    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
                let (high, low) = (
                    digit().ok_or(DecodeError::Percent)?,
                    digit().ok_or(DecodeError::Percent)?,
                );
                // Two hexadecimal digits always fit a byte.
                u8::try_from(high * 16 + low).map_err(|_| DecodeError::Percent)?
            }
            other => other,
        });
    }

    // Control characters occur in no real value, and would break the lines of a log.
    let decoded = String::from_utf8(decoded).map_err(|_| DecodeError::Utf8)?;
    if decoded.chars().any(char::is_control) {
        Err(DecodeError::Control)
    } else {
        Ok(decoded.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let query = Query::read(text);
        assert_eq!(query.bad, []);
        query.pairs
    }

    fn bad(text: &str) -> (String, String) {
        let mut query = Query::read(text);
        assert_eq!(query.bad.len(), 1, "{text}");
        let bad = query.bad.remove(0);
        (bad.name, bad.reason.fr)
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn usual_queries() {
        assert_eq!(pairs(""), []);
        assert_eq!(
            pairs("brut=2500&cadre=true"),
            [pair("brut", "2500"), pair("cadre", "true")]
        );
        assert_eq!(
            pairs("pays=c%C3%B4te+d%27ivoire"),
            [pair("pays", "côte d'ivoire")]
        );
        assert_eq!(
            pairs("&brut=1&&parts=&detail&"),
            [pair("brut", "1"), pair("parts", ""), pair("detail", "")]
        );
        assert_eq!(pairs("a=b=c&=d"), [pair("a", "b=c"), pair("", "d")]);
        assert_eq!(pairs("brut=1&brut=2").len(), 2);
    }

    #[test]
    fn nothing_is_repaired() {
        for text in [
            "brut=%",
            "brut=1%",
            "brut=%4",
            "brut=%zz",
            "brut=%+1",
            "brut=%C3%",
        ] {
            assert_eq!(
                bad(text),
                pair(
                    "brut",
                    "Un `%` n’est pas suivi de deux chiffres hexadécimaux."
                ),
                "{text}"
            );
        }
        assert_eq!(
            bad("brut=%FF"),
            pair("brut", "Les octets reçus ne forment pas un texte UTF-8.")
        );
        assert_eq!(
            bad("brut=1%00"),
            pair("brut", "La valeur contient un caractère de contrôle.")
        );
        assert_eq!(
            bad("brut=1%0A"),
            pair("brut", "La valeur contient un caractère de contrôle.")
        );
        assert_eq!(bad("br%ut=1").0, "br%ut");
    }

    #[test]
    fn what_can_be_read_is_kept_beside_what_cannot() {
        let query = Query::read("pays=ci&brut=%ZZ&parts=2");
        assert_eq!(query.pairs, [pair("pays", "ci"), pair("parts", "2")]);
        assert_eq!(query.bad[0].received.as_deref(), Some("%ZZ"));
    }

    #[test]
    fn a_flood_of_parameters_is_cut() {
        let query = Query::read(&"a&".repeat(2000));
        assert_eq!((query.pairs.len(), query.bad.len()), (MAX_PARAMETERS, 1));
    }

    proptest! {
        #[test]
        fn what_is_encoded_comes_back(name in "[^\\pC]{0,12}", value in "[^\\pC]{0,24}") {
            let encode = |text: &str| text.bytes().map(
                |byte| format!("%{byte:02x}")
            ).collect::<String>();
            let query = Query::read(&format!("{}={}", encode(&name), encode(&value)));
            prop_assert_eq!(query.pairs, vec![(name, value)]);
        }

        #[test]
        fn any_text_is_read_or_blamed(text in "\\PC{0,200}") {
            let query = Query::read(&text);
            let parts = text.split('&').filter(
                |part| !part.is_empty()
            ).count().min(MAX_PARAMETERS + 1);
            prop_assert_eq!(query.pairs.len() + query.bad.len(), parts);
        }
    }
}
