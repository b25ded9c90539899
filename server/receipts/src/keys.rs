//! Keys: the one that signs, those that verify, and how both are written in files.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use serde::{Deserialize, Serialize};

use crate::{decoded, digest, encoded};

/// What precedes the 32 bytes of a public Ed25519 key in its DER form (RFC 8410).
const DER_OF_PUBLIC: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// Why keys cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No private key in PEM.
    #[error("no private key in PEM (PKCS#8), as `openssl genpkey -algorithm ed25519` writes it")]
    Private,
    /// A private key of another algorithm.
    #[error("the private key is no Ed25519 key")]
    Algorithm,
    /// No public key in PEM, or one of another algorithm.
    #[error("no public Ed25519 key in PEM, as `openssl pkey -pubout` writes it")]
    Public,
    /// No key set in JSON.
    #[error("no JSON key set (JWKS) with Ed25519 keys")]
    Set,
}

/// The key that signs receipts.
#[derive(Debug)]
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// Reads a private key in PEM (PKCS#8).
    ///
    /// # Errors
    /// Something else, or a key of another algorithm.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes());
        let der = der.map_err(|_| KeyError::Private)?;
        // OpenSSL writes the private part alone, from which the public one is computed.
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der());
        Self::of(pair.map_err(|_| KeyError::Algorithm)?)
    }

    /// The key of a seed of 32 bytes.
    ///
    /// # Errors
    /// Another length.
    pub fn from_seed(seed: &[u8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed);
        Self::of(pair.map_err(|_| KeyError::Private)?)
    }

    fn of(pair: Ed25519KeyPair) -> Result<Self, KeyError> {
        let public = pair.public_key().as_ref().try_into();
        let public = PublicKey::new(public.map_err(|_| KeyError::Algorithm)?);
        Ok(Self { pair, public })
    }

    /// The public part.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(crate) fn sign(&self, text: &str) -> String {
        encoded(self.pair.sign(text.as_bytes()).as_ref())
    }
}

/// A key that verifies receipts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    bytes: [u8; 32],
    id: String,
}

impl PublicKey {
    /// The key of these bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        // The members that RFC 8037 requires of a thumbprint (RFC 7638), in order.
        let x = encoded(&bytes);
        let id = digest(&format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#));
        Self { bytes, id }
    }

    /// Its id: the thumbprint of RFC 7638.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn has_signed(&self, text: &str, signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.bytes);
        key.verify(text.as_bytes(), signature).is_ok()
    }
}

/// The keys that verify receipts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet {
    keys: Vec<PublicKey>,
}

/// A key of a set, as JSON has it.
#[derive(Debug, Serialize, Deserialize)]
struct Jwk {
    kty: String,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default, rename = "use")]
    purpose: String,
    #[serde(default)]
    alg: String,
    #[serde(default)]
    kid: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Jwks {
    keys: Vec<Jwk>,
}

impl KeySet {
    /// Reads a key set in JSON (RFC 7517). Keys of other algorithms are left out.
    ///
    /// # Errors
    /// Something else, or no Ed25519 key.
    pub fn from_json(text: &str) -> Result<Self, KeyError> {
        let jwks: Jwks = serde_json::from_str(text).map_err(|_| KeyError::Set)?;
        let is_ours = |key: &&Jwk| key.kty == "OKP" && key.crv == "Ed25519";

        let mut set = Self::default();
        for key in jwks.keys.iter().filter(is_ours) {
            let bytes = decoded(&key.x).and_then(|bytes| bytes.try_into().ok());
            // The id follows from the key, whatever its `kid` says. A damaged key is an error: left
            // out, its receipts would seem to be signed by somebody else.
            set.add(PublicKey::new(bytes.ok_or(KeyError::Set)?));
        }
        if set.keys.is_empty() {
            return Err(KeyError::Set);
        }
        Ok(set)
    }

    /// Reads public keys in PEM, one after the other.
    ///
    /// # Errors
    /// Something else, a key of another algorithm, or none.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let mut set = Self::default();
        for der in SubjectPublicKeyInfoDer::pem_slice_iter(pem.as_bytes()) {
            let der = der.map_err(|_| KeyError::Public)?;
            let bytes = der.as_ref().strip_prefix(&DER_OF_PUBLIC);
            let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
            set.add(PublicKey::new(bytes.ok_or(KeyError::Public)?));
        }
        if set.keys.is_empty() {
            return Err(KeyError::Public);
        }
        Ok(set)
    }

    /// Adds a key, unless it is there.
    pub fn add(&mut self, key: PublicKey) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }

    /// The keys, in order.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// The set in JSON (RFC 7517, RFC 8037).
    pub fn to_json(&self) -> String {
        let jwk = |key: &PublicKey| Jwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            x: encoded(&key.bytes),
            purpose: "sig".to_owned(),
            alg: "EdDSA".to_owned(),
            kid: key.id.clone(),
        };
        let keys = self.keys.iter().map(jwk).collect();
        // A list of texts always has a JSON form.
        serde_json::to_string(&Jwks { keys }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8037, appendix A.
    const SEED: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const THUMBPRINT: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

    // The private key of this seed, as OpenSSL writes it, and its public part.
    const PEM: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";
    const PUBLIC_PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn a_key_has_the_public_part_and_the_thumbprint_of_rfc_8037() {
        let of_seed = SigningKey::from_seed(&decoded(SEED).unwrap()).unwrap();
        let of_pem = SigningKey::from_pem(PEM).unwrap();
        for key in [&of_seed, &of_pem] {
            assert_eq!(encoded(&key.public.bytes), PUBLIC);
            assert_eq!(key.public.id(), THUMBPRINT);
        }
    }

    #[test]
    fn a_set_is_read_from_json_and_from_pem() {
        let key = PublicKey::new(decoded(PUBLIC).unwrap().try_into().unwrap());
        let json = format!(
            r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{PUBLIC}","use":"sig","alg":"EdDSA","kid":"{THUMBPRINT}"}}]}}"#
        );
        let set = KeySet::from_json(&json).unwrap();
        assert_eq!(set.keys(), std::slice::from_ref(&key));
        assert_eq!(set.to_json(), json);
        assert_eq!(KeySet::from_pem(PUBLIC_PEM).unwrap(), set);
        // The same key twice is one; keys of other algorithms do not count.
        assert_eq!(KeySet::from_pem(&PUBLIC_PEM.repeat(2)).unwrap(), set);
        let mixed = json.replace("[{", r#"[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"#);
        assert_eq!(KeySet::from_json(&mixed).unwrap(), set);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for pem in ["", "hunter2", PUBLIC_PEM, &PEM.replace("MC4C", "MC4!")] {
            assert_eq!(SigningKey::from_pem(pem).unwrap_err(), KeyError::Private);
        }
        // The same with the algorithm X25519.
        let other = PEM.replace("K2Vw", "K2Vu");
        let refused = SigningKey::from_pem(&other).unwrap_err();
        assert_eq!(refused, KeyError::Algorithm);
        let other = PUBLIC_PEM.replace("K2Vw", "K2Vu");
        for pem in ["", PEM, &other] {
            assert_eq!(KeySet::from_pem(pem), Err(KeyError::Public), "{pem}");
        }
        for json in [
            "",
            "[]",
            r#"{"keys":[]}"#,
            r#"{"keys":[{"kty":"RSA"}]}"#,
            r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qY"}]}"#,
        ] {
            assert_eq!(KeySet::from_json(json), Err(KeyError::Set), "{json}");
        }
        assert_eq!(
            SigningKey::from_seed(&[0; 31]).unwrap_err(),
            KeyError::Private
        );
    }
}
