//! How an answer is made: JSON always, and what a cache may do with it.

use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use hyper::{Response, StatusCode};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::http::headers;

/// An answer, whole in memory.
pub type Reply = Response<Bytes>;

/// Room for the header fields of an answer.
const FIELDS: usize = 24;

/// What every answer of the interface is.
const JSON: &str = "application/json";

/// A body and the name of its bytes.
#[derive(Debug, Clone)]
pub struct Content {
    /// The bytes.
    pub body: Bytes,
    /// What they are.
    pub media: &'static str,
    /// The `ETag` of that text: equal bytes have equal names.
    pub etag: HeaderValue,
}

impl Content {
    /// JSON text.
    pub fn json(body: Vec<u8>) -> Self {
        Self::new(JSON, body)
    }

    /// Names the bytes by the first 128 bits of their digest.
    pub fn new(media: &'static str, body: Vec<u8>) -> Self {
        let digest = Sha256::digest(&body);
        let name = digest.first_chunk().copied().map(u128::from_be_bytes).unwrap_or_default();
        // Quotes and hexadecimal digits are always a good field value.
        let etag =
            HeaderValue::try_from(format!("\"{name:032x}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        Self { body: body.into(), media, etag }
    }
}

/// A good answer: 200 with the content, or 304 when the caller already has these bytes.
///
/// `private` keeps an answer, and later the quota fields of one caller, out of shared caches:
/// `X-API-Key` does not do that by itself as `Authorization` would.
pub fn good(content: Content, request: &HeaderMap) -> Reply {
    let known = knows(request, &content.etag);
    let (status, body) = if known { (StatusCode::NOT_MODIFIED, Bytes::new()) } else { (StatusCode::OK, content.body) };
    let mut reply = made(status, content.media, body, "private, max-age=300");
    reply.headers_mut().insert(ETAG, content.etag);
    reply
}

/// An answer that no cache may keep: errors, health.
pub fn unstored(status: StatusCode, body: &Value) -> Reply {
    made(status, JSON, body.to_string().into(), "no-store")
}

/// The answer to OPTIONS. It has a body, because every answer is JSON.
pub fn options() -> Reply {
    let mut reply = unstored(StatusCode::OK, &serde_json::json!({"methodes": ["GET", "HEAD", "OPTIONS"]}));
    headers::preflight(reply.headers_mut());
    reply
}

fn made(status: StatusCode, media: &'static str, body: Bytes, cache: &'static str) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    // Room for all that an answer carries: to grow would be to sort the fields anew.
    *reply.headers_mut() = HeaderMap::with_capacity(FIELDS);
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    reply
}

/// `If-None-Match` by the weak comparison that RFC 9110 13.1.2 demands.
fn knows(request: &HeaderMap, etag: &HeaderValue) -> bool {
    request
        .get_all(IF_NONE_MATCH)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .any(|tag| tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_with(tags: &[&'static str]) -> u16 {
        let mut headers = HeaderMap::new();
        for tag in tags {
            headers.append(IF_NONE_MATCH, HeaderValue::from_static(tag));
        }
        good(Content::json(b"{}".to_vec()), &headers).status().as_u16()
    }

    #[test]
    fn the_name_is_half_a_digest() {
        assert_eq!(Content::json(b"{}".to_vec()).etag, "\"44136fa355b3678a1146ad16f7e8649e\"");
    }

    #[test]
    fn known_bytes_are_not_sent_again() {
        assert_eq!(status_with(&[]), 200);
        assert_eq!(status_with(&["\"44136fa355b3678a1146ad16f7e8649e\""]), 304);
        assert_eq!(status_with(&["\"other\" , W/\"44136fa355b3678a1146ad16f7e8649e\""]), 304);
        assert_eq!(status_with(&["\"other\"", "*"]), 304);
        assert_eq!(status_with(&["\"44136fa355b3678a1146ad16f7e8649\""]), 200);
        assert_eq!(status_with(&["44136fa355b3678a1146ad16f7e8649e"]), 200);
    }

    #[test]
    fn a_304_keeps_its_fields() {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
        let reply = good(Content::json(b"{}".to_vec()), &headers);
        assert!(reply.headers().contains_key(ETAG) && reply.headers().contains_key(CACHE_CONTROL));
        assert_eq!(reply.headers()[CONTENT_TYPE], "application/json");
    }
}
