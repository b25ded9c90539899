//! How an answer is made: JSON always, and what a cache may do with it.

use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use hyper::{Response, StatusCode};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::wire::headers;

/// An answer, whole in memory.
pub(crate) type Reply = Response<Bytes>;

/// Room for the header fields of an answer.
const FIELDS: usize = 24;

/// Media type of every answer of the interface.
pub(crate) const JSON: &str = "application/json";

/// A body and the name of its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// The bytes.
    pub body: Bytes,
    /// Their media type.
    pub media: &'static str,
    /// The `ETag` of that text: equal bytes have equal names.
    pub etag: HeaderValue,
}

impl Content {
    /// JSON text, named by its bytes.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self::new(JSON, body)
    }

    /// Names the bytes by the first 128 bits of their digest.
    pub(crate) fn new(media: &'static str, body: Vec<u8>) -> Self {
        let digest = Sha256::digest(&body);
        let name = digest.first_chunk().copied().map(u128::from_be_bytes).unwrap_or_default();
        // Quotes and hexadecimal digits are always a good field value.
        let etag =
            HeaderValue::try_from(format!("\"{name:032x}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        Self { body: body.into(), media, etag }
    }
}

/// A good answer: 200 with the content, or 304 when the caller already has it.
pub(crate) fn good(content: Content, request: &HeaderMap) -> Reply {
    if names(request, &content.etag) || accepts_any(request) {
        return not_modified(content.media, content.etag);
    }
    cacheable(StatusCode::OK, content.media, content.body, content.etag)
}

/// 304, without the content that the caller already has.
pub(crate) fn not_modified(media: &'static str, etag: HeaderValue) -> Reply {
    cacheable(StatusCode::NOT_MODIFIED, media, Bytes::new(), etag)
}

/// `private` keeps an answer, and the quota fields of one caller, out of shared caches: `X-API-Key` does not
/// do that by itself as `Authorization` would.
fn cacheable(status: StatusCode, media: &'static str, body: Bytes, etag: HeaderValue) -> Reply {
    let mut reply = made(status, media, body, "private, max-age=300");
    reply.headers_mut().insert(ETAG, etag);
    reply
}

/// An answer that no cache may keep: errors, health.
pub(crate) fn unstored(status: StatusCode, body: &Value) -> Reply {
    made(status, JSON, body.to_string().into(), "no-store")
}

/// The answer to OPTIONS. It has a body, because every answer is JSON.
pub(crate) fn options() -> Reply {
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

/// Whether `If-None-Match` names this answer, by the weak comparison that RFC 9110 13.1.2 requires.
pub(crate) fn names(request: &HeaderMap, etag: &HeaderValue) -> bool {
    known_tags(request).any(|tag| tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
}

/// Whether `If-None-Match` is `*`: the caller has some answer, if there is one.
fn accepts_any(request: &HeaderMap) -> bool {
    known_tags(request).any(|tag| tag == b"*")
}

fn known_tags(request: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = request.get_all(IF_NONE_MATCH).iter();
    lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii)
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
