//! Signed texts: JWS in compact form (RFC 7515), with Ed25519 (RFC 8037).

use serde::Deserialize;

use crate::keys::{KeySet, PublicKey, SigningKey};
use crate::{decoded, encoded};

/// What a signed text is, which its header names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The receipt of a calculation.
    Receipt,
    /// The receipt of a batch.
    Batch,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Receipt, Self::Batch];

    /// The type in the header. It keeps one kind of text from passing for another.
    fn name(self) -> &'static str {
        match self {
            Self::Receipt => "bareme-recu+jws",
            Self::Batch => "bareme-lot+jws",
        }
    }

    /// The only header of this kind for a key.
    fn header(self, key: &PublicKey) -> String {
        let (id, kind) = (key.id(), self.name());
        encoded(format!(r#"{{"alg":"EdDSA","kid":"{id}","typ":"{kind}"}}"#).as_bytes())
    }
}

/// Why a signed text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JwsError {
    /// It is no JWS in compact form.
    #[error("no signed text (JWS)")]
    Form,
    /// Its header is none that this service writes.
    #[error("another header than that of a receipt")]
    Header,
    /// None of the keys is the one that it names.
    #[error("signed by a key that is not known: {0}")]
    UnknownKey(String),
    /// The signature is not that of the text.
    #[error("the signature is not that of the text")]
    Signature,
}

/// A text whose signature holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened {
    /// What it is.
    pub kind: Kind,
    /// The id of the key.
    pub key: String,
    /// The text.
    pub payload: String,
}

impl SigningKey {
    /// A text with its signature.
    pub fn signed(&self, kind: Kind, payload: &str) -> String {
        // RFC 7515, 7.1: header, payload and signature, each in base64url. The header is signed
        // too.
        let mut text = kind.header(self.public());
        text.push('.');
        text.push_str(&encoded(payload.as_bytes()));
        let signature = self.sign(&text);
        text.push('.');
        text.push_str(&signature);
        text
    }
}

/// Opens a signed text.
///
/// # Errors
/// Another form, an unknown key, a signature that does not hold.
pub fn open(text: &str, keys: &KeySet) -> Result<Opened, JwsError> {
    let (signed, signature) = text.rsplit_once('.').ok_or(JwsError::Form)?;
    let (header, payload) = signed.split_once('.').ok_or(JwsError::Form)?;
    let signature = decoded(signature).ok_or(JwsError::Form)?;
    let payload = decoded(payload).ok_or(JwsError::Form)?;

    // Nothing in the header decides how it is verified: it is one of those written here, or none.
    let headers = keys
        .keys()
        .iter()
        .flat_map(|key| Kind::ALL.map(|kind| (kind, key)));
    let found = headers
        .into_iter()
        .find(|(kind, key)| kind.header(key) == header);
    let Some((kind, key)) = found else {
        return Err(unknown(header));
    };

    if !key.has_signed(signed, &signature) {
        return Err(JwsError::Signature);
    }
    let payload = String::from_utf8(payload).map_err(|_| JwsError::Form)?;
    Ok(Opened {
        kind,
        key: key.id().to_owned(),
        payload,
    })
}

/// Why a header is none of those of the keys.
fn unknown(header: &str) -> JwsError {
    #[derive(Deserialize)]
    struct Header {
        kid: String,
    }
    let Some(bytes) = decoded(header) else {
        return JwsError::Form;
    };
    let Ok(Header { kid }) = serde_json::from_slice(&bytes) else {
        return JwsError::Header;
    };

    // One of this form, by another key; or whatever else.
    let is_ours = Kind::ALL.iter().any(|kind| {
        let name = kind.name();
        format!(r#"{{"alg":"EdDSA","kid":"{kid}","typ":"{name}"}}"#).as_bytes() == bytes
    });
    if is_ours {
        JwsError::UnknownKey(kid)
    } else {
        JwsError::Header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(first: u8) -> SigningKey {
        let mut seed = [7; 32];
        seed[0] = first;
        SigningKey::from_seed(&seed).unwrap()
    }

    fn set(keys: &[&SigningKey]) -> KeySet {
        let mut set = KeySet::default();
        keys.iter().for_each(|key| set.add(key.public().clone()));
        set
    }

    #[test]
    fn the_signature_is_that_of_rfc_8037() {
        // Appendix A.4: its header and its payload.
        let seed = decoded("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
        let key = SigningKey::from_seed(&seed).unwrap();
        let signed = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt\
                         9g7sVvpAr_MuM0KAg";
        assert_eq!(key.sign(signed), signature);
        assert!(
            key.public()
                .has_signed(signed, &decoded(signature).unwrap())
        );
        // It is a signature of the key, and no receipt.
        let refused = open(&format!("{signed}.{signature}"), &set(&[&key]));
        assert_eq!(refused, Err(JwsError::Header));
    }

    #[test]
    fn a_signed_text_is_opened_with_its_key_alone() {
        let (one, other) = (key(1), key(2));
        for kind in Kind::ALL {
            let text = one.signed(kind, "{\"a\":1}");
            let opened = open(&text, &set(&[&other, &one])).unwrap();
            assert_eq!((opened.kind, opened.payload.as_str()), (kind, "{\"a\":1}"));
            assert_eq!(opened.key, one.public().id());
            assert_eq!(
                open(&text, &set(&[&other])),
                Err(JwsError::UnknownKey(one.public().id().to_owned()))
            );
        }
    }

    #[test]
    fn another_header_payload_or_signature_is_refused() {
        let (one, other) = (key(1), key(2));
        let keys = set(&[&one, &other]);
        let text = one.signed(Kind::Receipt, "{\"a\":1}");
        let [header, payload, signature] = text.split('.').collect::<Vec<_>>()[..] else {
            panic!("{text}")
        };
        let changed = encoded(b"{\"a\":2}");
        let none = encoded(br#"{"alg":"none"}"#);
        let of_other = other.signed(Kind::Receipt, "{\"a\":1}");
        let of_other: Vec<&str> = of_other.split('.').collect();
        for (text, error) in [
            (
                format!("{header}.{changed}.{signature}"),
                JwsError::Signature,
            ),
            (format!("{none}.{payload}."), JwsError::Header),
            (format!("{none}.{payload}.{signature}"), JwsError::Header),
            (
                format!("{}.{payload}.{signature}", of_other[0]),
                JwsError::Signature,
            ),
            (
                format!("{header}.{payload}.{}", of_other[2]),
                JwsError::Signature,
            ),
            (format!("{header}.{payload}."), JwsError::Signature),
            (format!("{header}.{payload}"), JwsError::Form),
            (format!("{header}.{payload}.{signature}="), JwsError::Form),
            (
                format!("{header}.{payload}.{signature}.{signature}"),
                JwsError::Form,
            ),
            (format!(" {text}"), JwsError::Form),
            (String::new(), JwsError::Form),
        ] {
            assert_eq!(open(&text, &keys), Err(error), "{text}");
        }

        // A kind is signed too.
        let batch = Kind::Batch.header(one.public());
        let refused = open(&format!("{batch}.{payload}.{signature}"), &keys);
        assert_eq!(refused, Err(JwsError::Signature));
    }

    #[test]
    fn every_other_byte_is_refused() {
        let one = key(1);
        let keys = set(&[&one]);
        let text = one.signed(Kind::Receipt, "{\"a\":1}");
        for place in 0..text.len() {
            for byte in (0x20..0x7f_u8).filter(|byte| *byte != text.as_bytes()[place]) {
                let mut other = text.clone().into_bytes();
                other[place] = byte;
                let other = String::from_utf8(other).unwrap();
                assert!(open(&other, &keys).is_err(), "{other}");
            }
        }
    }
}
