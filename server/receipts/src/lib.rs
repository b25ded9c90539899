//! Signed receipts of calculations, and their verification.
//!
//! A receipt binds a question (all inputs, defaults too), its answer, the law, the program and the
//! time. It is a JWS (RFC 7515) signed with Ed25519 (RFC 8037), in compact form. A batch has one
//! signature over the root of a Merkle tree (RFC 9162), and a proof for each row.
//!
//! | topic | module |
//! |---|---|
//! | one text for equal JSON | [`canonical`] |
//! | keys and key sets | [`keys`] |
//! | signed texts | [`jws`] |
//! | trees of rows | [`merkle`] |
//! | salts of rows | [`salt`] |
//! | what is attested of a calculation | [`claim`] |
//! | receipts that are checked | [`check`] |
//! | receipts that are computed again | [`again`] |

pub mod again;
pub mod canonical;
pub mod check;
pub mod claim;
pub mod jws;
pub mod keys;
pub mod merkle;
mod number;
pub mod salt;

use bareme_engine::law::parameter::RECEIPT;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// The member of an answer that holds its receipt.
pub const MEMBER: &str = RECEIPT;

/// The SHA-256 digest of a text, in base64url.
pub fn digest(text: &str) -> String {
    encoded(&Sha256::digest(text.as_bytes()))
}

/// Bytes in base64url without padding.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a base64url text without padding; only the one text that [`encoded`] gives is read.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
