//! Replies: JSON with their caching headers.

use std::io;

use hyper::body::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH,
    LOCATION, VARY,
};
use hyper::{Response, StatusCode};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::wire::body::Body;
use crate::wire::{coding, headers};

/// A reply.
pub type Reply = Response<Body>;

/// Number of headers to allocate for a reply.
const FIELDS: usize = 24;

/// Media type of every reply of the API.
pub const JSON: &str = "application/json";

/// A body with its `ETag`.
#[derive(Debug, Clone)]
pub struct Content {
    /// The bytes, as they are sent.
    pub body: Bytes,
    /// Their media type.
    pub media: &'static str,
    /// Its `ETag`, made from the bytes.
    pub etag: HeaderValue,
}

impl Content {
    /// Content whose `ETag` is the first 128 bits of the digest of its bytes.
    pub fn new(media: &'static str, body: Vec<u8>) -> Self {
        // By the bytes alone: equal content has an equal `ETag` on every node.
        let digest = Sha256::digest(&body);
        let name = digest
            .first_chunk()
            .copied()
            .map(u128::from_be_bytes)
            .unwrap_or_default();
        Self {
            body: body.into(),
            media,
            etag: etag(name),
        }
    }
}

/// The `ETag` of an id.
pub(crate) fn etag(name: u128) -> HeaderValue {
    let mut digits = Uuid::encode_buffer();
    let digits = Uuid::from_u128(name).simple().encode_lower(&mut digits);
    // Quotes and hexadecimal digits are always a valid header value.
    HeaderValue::try_from(["\"", digits, "\""].concat())
        .unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Caching of a reply (`Cache-Control`), and the request headers that it depends on (`Vary`).
pub type Cache = (&'static str, &'static str);

/// A reply that is the same for anybody: a cache may use it for five minutes without revalidation.
pub const FOR_ALL: Cache = ("private, max-age=300", "Accept-Encoding");

/// The same, which shared caches may keep as well: it is made once for everybody.
pub const PUBLIC: Cache = ("public, max-age=300", "Accept-Encoding");

/// A reply to a caller whose key was checked and whose call was charged. A cache revalidates each
/// time, so that an invalid key is refused and the quota headers are those of the call; the content
/// it has is not sent again. `private` keeps the reply, and the quota headers of one caller, out of
/// shared caches: `X-API-Key` does not prevent that, as `Authorization` would.
pub const FOR_CALLER: Cache = (
    "private, no-cache",
    "X-API-Key, Authorization, Accept-Encoding",
);

/// 304: the caller has the content with this `ETag`.
pub fn not_modified(etag: HeaderValue, cache: Cache) -> Reply {
    cacheable(StatusCode::NOT_MODIFIED, JSON, Bytes::new(), (etag, cache))
}

/// A successful reply with this caching: 200 with the content, or 304 if the caller has it.
pub fn good(cache: Cache, content: Content, request: &HeaderMap) -> Reply {
    let Content { body, media, etag } = content;
    // `*` matches whatever is there (RFC 9110, 13.1.2).
    if names(request, &etag) || accepts_any(request) {
        return cacheable(StatusCode::NOT_MODIFIED, media, Bytes::new(), (etag, cache));
    }
    cacheable(StatusCode::OK, media, body, (etag, cache))
}

/// A cacheable reply.
fn cacheable(
    status: StatusCode,
    media: &'static str,
    body: Bytes,
    (etag, (cache, vary)): (HeaderValue, Cache),
) -> Reply {
    // The bytes say whether they are compressed, so that no caller can forget to.
    let is_gzip = coding::is_gzip(&body);
    let mut reply = made(status, media, body, cache);

    let headers = reply.headers_mut();
    headers.insert(ETAG, etag);
    headers.insert(VARY, HeaderValue::from_static(vary));
    if is_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    reply
}

/// Media type of a feed.
const ATOM: &str = "application/atom+xml; charset=utf-8";

/// A reply that leads to another page of the site, by headers of the request.
pub fn elsewhere(path: &'static str, by: &'static str) -> Reply {
    let mut reply = made(StatusCode::FOUND, JSON, Bytes::new(), "private, no-cache");
    let headers = reply.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static(path));
    headers.insert(VARY, HeaderValue::from_static(by));
    reply
}

/// A reply that no cache may store, such as an error or a probe.
pub fn unstored(status: StatusCode, body: &Value) -> Reply {
    made(status, JSON, body.to_string().into(), "no-store")
}

/// JSON that is of this moment, which no cache may store.
pub fn of_moment(json: Bytes) -> Reply {
    made(StatusCode::OK, JSON, json, "no-store")
}

/// A feed that changes at any moment, which no cache may store.
pub fn feed(xml: Vec<u8>) -> Reply {
    made(StatusCode::OK, ATOM, xml.into(), "no-store")
}

/// A streamed reply that no cache may store.
pub fn in_parts(media: &'static str, parts: mpsc::Receiver<io::Result<Bytes>>) -> Reply {
    // Its length is not known before its end, and it has no `ETag`.
    let mut reply = made(StatusCode::OK, media, Bytes::new(), "no-store");
    *reply.body_mut() = Body::Parts(parts);
    reply
}

/// The reply to OPTIONS for a path with these methods. It has a body, since every reply is JSON.
pub fn options(methods: &'static str) -> Reply {
    // The same methods as in `Allow`, for those who read only the body.
    let listed: Vec<&str> = methods.split(", ").collect();
    let mut reply = unstored(StatusCode::OK, &serde_json::json!({"methodes": listed}));
    headers::preflight(reply.headers_mut(), methods);
    reply
}

fn made(status: StatusCode, media: &'static str, body: Bytes, cache: &'static str) -> Reply {
    let mut reply = Response::new(Body::from(body));
    *reply.status_mut() = status;
    // Room for all headers: growing the map would rehash them.
    *reply.headers_mut() = HeaderMap::with_capacity(FIELDS);

    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media));
    reply
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    reply
}

/// Whether `If-None-Match` lists this `ETag`, by the weak comparison that RFC 9110 13.1.2 requires.
pub fn names(request: &HeaderMap, etag: &HeaderValue) -> bool {
    known_tags(request).any(|tag| tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
}

/// Whether `If-None-Match` is `*`, which matches any existing content.
fn accepts_any(request: &HeaderMap) -> bool {
    known_tags(request).any(|tag| tag == b"*")
}

fn known_tags(request: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = request.get_all(IF_NONE_MATCH).iter();
    lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_with(tags: &[&'static str]) -> u16 {
        let mut headers = HeaderMap::new();
        for tag in tags {
            headers.append(IF_NONE_MATCH, HeaderValue::from_static(tag));
        }
        good(FOR_ALL, Content::new(JSON, b"{}".to_vec()), &headers)
            .status()
            .as_u16()
    }

    #[test]
    fn the_name_is_half_a_digest() {
        assert_eq!(
            Content::new(JSON, b"{}".to_vec()).etag,
            "\"44136fa355b3678a1146ad16f7e8649e\""
        );
    }

    #[test]
    fn known_bytes_are_not_sent_again() {
        assert_eq!(status_with(&[]), 200);
        assert_eq!(status_with(&["\"44136fa355b3678a1146ad16f7e8649e\""]), 304);
        assert_eq!(
            status_with(&["\"other\" , W/\"44136fa355b3678a1146ad16f7e8649e\""]),
            304
        );
        assert_eq!(status_with(&["\"other\"", "*"]), 304);
        assert_eq!(status_with(&["\"44136fa355b3678a1146ad16f7e8649\""]), 200);
        assert_eq!(status_with(&["44136fa355b3678a1146ad16f7e8649e"]), 200);
    }

    #[test]
    fn a_304_keeps_its_fields() {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
        let reply = good(FOR_ALL, Content::new(JSON, b"{}".to_vec()), &headers);
        assert!(reply.headers().contains_key(ETAG) && reply.headers().contains_key(CACHE_CONTROL));
        assert_eq!(reply.headers()[CONTENT_TYPE], "application/json");
    }
}
