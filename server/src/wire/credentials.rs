//! The keys that a request sends.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

/// The field that carries a key.
pub(crate) const KEY_FIELD: HeaderName = HeaderName::from_static("x-api-key");

/// The keys that a request sends, in `X-API-Key` or as `Authorization: Bearer`. Credentials of another scheme
/// are a key that is not valid: who identifies itself is never taken for a caller without a key.
pub(crate) fn sent_keys(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let credentials = headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes);
    let token = |value| strip_bearer(value).unwrap_or(value);
    headers.get_all(KEY_FIELD).iter().map(HeaderValue::as_bytes).chain(credentials.map(token))
}

fn strip_bearer(credentials: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = credentials.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}
