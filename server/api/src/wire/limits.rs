//! Limits on every request, checked before anything else.

use std::pin::pin;
use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body, Buf as _, Bytes};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Method, Version};

use tokio::time::timeout;

use crate::wire::problem::Problem;
use crate::wire::problem::kinds::{self, Kind};

/// Greatest length of a path and of a query, in bytes. Every real call fits in a tenth of it.
pub(crate) const MAX_LENGTH: usize = 4096;

/// Refuses a request that is too long or whose framing is ambiguous.
pub fn check(request: &Parts) -> Result<(), Problem> {
    check_length(
        ("La chaîne de requête", "The query"),
        request.uri.query().unwrap_or_default(),
    )?;
    check_length(("Le chemin", "The path"), request.uri.path())?;

    // RFC 9112 3.2. hyper accepts all of these.
    let mut hosts = request.headers.get_all(HOST).iter();
    let sound = match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host),
        (None, _) => request.version != Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    if !sound {
        return Err(Problem::plain(&kinds::HOST));
    }

    // Clients of .NET and Java send the bodies of POST in chunks. hyper decodes those, and no other
    // transfer coding.
    if has_coding(request) && !(request.method == Method::POST && is_chunked(request)) {
        return Err(Problem::plain(&kinds::BODY));
    }
    Ok(())
}

/// Whether the body has a transfer coding.
///
/// A request with both a length and a transfer coding is the classic request smuggling. hyper
/// removes the length before it can be seen: as RFC 9112 6.1 demands for such a request, the
/// connection is closed after the reply to any body with a coding, so that nothing is read after
/// it.
pub fn has_coding(request: &Parts) -> bool {
    request.headers.contains_key(TRANSFER_ENCODING)
}

/// Whether the body is sent in chunks, without another coding.
fn is_chunked(request: &Parts) -> bool {
    // One coding in one field: two of them, or a list, are not what clients send.
    let mut codings = request.headers.get_all(TRANSFER_ENCODING).iter();
    let is_it = |coding: &HeaderValue| {
        coding
            .as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"chunked")
    };
    codings.next().is_some_and(is_it) && codings.next().is_none()
}

/// Reads a body that has a limit, within a time; `too_long` is the error of one beyond it.
pub async fn read<B: Body>(
    body: B,
    limit: usize,
    patience: Duration,
    too_long: &'static Kind,
) -> Result<Bytes, Problem>
where
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    read_held(body, limit, patience, too_long, |_| Ok(())).await
}

/// The same; each part that arrives is announced to `hold`, whose refusal ends the reading.
pub async fn read_held<B: Body>(
    body: B,
    limit: usize,
    patience: Duration,
    too_long: &'static Kind,
    mut hold: impl FnMut(usize) -> Result<(), Problem>,
) -> Result<Bytes, Problem>
where
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut body = pin!(Limited::new(body, limit));
    let mut whole = Vec::new();
    // The time bounds the whole body: a caller that sends a byte now and then cannot hold it open.
    let reading = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                let is_long = error.is::<LengthLimitError>();
                Problem::plain(if is_long {
                    too_long
                } else {
                    &kinds::UNREADABLE
                })
            })?;
            // Trailers are not read.
            let Ok(mut part) = frame.into_data() else {
                continue;
            };
            // Announced before it is copied, so that a refusal holds no memory.
            hold(part.remaining())?;

            whole.reserve(part.remaining());
            while part.has_remaining() {
                whole.extend_from_slice(part.chunk());
                part.advance(part.chunk().len());
            }
        }
        Ok(())
    };

    timeout(patience, reading)
        .await
        .unwrap_or_else(|_| Err(Problem::plain(&kinds::TIMEOUT)))?;
    Ok(whole.into())
}

/// Whether the request announces a body. The body is never read, so the connection is closed after
/// the reply.
pub fn has_body(request: &Parts) -> bool {
    request
        .headers
        .get(CONTENT_LENGTH)
        .is_some_and(|length| length != "0")
}

/// Whether this is `uri-host [ ":" port ]` (RFC 9110, 7.2). It is empty where the target has no
/// authority.
fn is_host(value: &HeaderValue) -> bool {
    // The parser of addresses takes more than a host.
    let authority = || Authority::try_from(value.as_bytes()).ok();
    // An authority may contain a user, a host may not; `host:` has no port, `host:x` an invalid
    // one.
    let sound = |authority: &Authority| {
        let text = authority.as_str();
        let port = text.get(authority.host().len()..).unwrap_or_default();
        !authority.host().is_empty()
            && !text.contains('@')
            && (matches!(port, "" | ":") || authority.port_u16().is_some())
    };
    value.is_empty() || authority().is_some_and(|authority| sound(&authority))
}

fn check_length(what: (&str, &str), text: &str) -> Result<(), Problem> {
    if text.len() > MAX_LENGTH {
        Err(Problem::too_long(what, text.len(), MAX_LENGTH))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

    #[test]
    fn the_limit_itself_is_accepted() {
        let of_length =
            |length: usize| request("GET", &format!("/api/v1/ir?{}", "a".repeat(length)));
        assert!(check(&of_length(MAX_LENGTH)).is_ok());
        assert_eq!(
            check(&of_length(MAX_LENGTH + 1)).unwrap_err().kind.status,
            414
        );
        let path = request("GET", &format!("/{}", "a".repeat(MAX_LENGTH)));
        assert_eq!(check(&path).unwrap_err().kind.status, 414);
    }

    #[test]
    fn one_host_and_no_more() {
        let mut parts = request("GET", "/livez");
        assert!(check(&parts).is_ok());
        parts.headers.append(HOST, "other".parse().unwrap());
        assert_eq!(check(&parts).unwrap_err().kind.code, "hote_absent");
        parts.headers.remove(HOST);
        assert_eq!(check(&parts).unwrap_err().kind.code, "hote_absent");
        parts.version = Version::HTTP_10;
        assert!(check(&parts).is_ok());
    }

    #[test]
    fn a_host_names_a_host() {
        let check_host = |host: &str| {
            let mut parts = request("GET", "/livez");
            parts.headers.insert(HOST, host.parse().unwrap());
            check(&parts)
        };
        for host in [
            "",
            "a",
            "bareme.example",
            "bareme.example:",
            "localhost:8080",
            "192.0.2.1",
            "[::1]",
            "[2001:db8::1]:80",
        ] {
            assert!(check_host(host).is_ok(), "{host}");
        }
        for host in [
            "a b", "a/b", "a@b", "a, b", "a:b", "a:99999", "a:1:2", "[::1", ":80", "http://a",
            "a\u{e9}", "<a>",
        ] {
            assert_eq!(
                check_host(host).map_err(|problem| problem.kind.code),
                Err("hote_absent"),
                "{host}"
            );
        }
    }

    #[test]
    fn a_body_is_not_read() {
        let mut parts = request("GET", "/livez");
        assert!(!has_body(&parts));
        parts.headers.insert(CONTENT_LENGTH, "0".parse().unwrap());
        assert!(!has_body(&parts));
        parts.headers.insert(CONTENT_LENGTH, "12".parse().unwrap());
        assert!(has_body(&parts) && check(&parts).is_ok());
        parts
            .headers
            .insert(TRANSFER_ENCODING, "chunked".parse().unwrap());
        assert_eq!(check(&parts).unwrap_err().kind.code, "corps_refuse");
    }

    #[test]
    fn a_body_in_chunks_is_accepted_with_a_post_alone() {
        for (method, coding, is_accepted) in [
            ("POST", "chunked", true),
            ("POST", "Chunked", true),
            ("GET", "chunked", false),
            ("HEAD", "chunked", false),
            ("POST", "gzip, chunked", false),
            ("POST", "gzip", false),
            ("POST", "identity", false),
        ] {
            let mut parts = request(method, "/api/v1/lot/ir");
            parts
                .headers
                .insert(TRANSFER_ENCODING, coding.parse().unwrap());
            assert_eq!(check(&parts).is_ok(), is_accepted, "{method} {coding}");
        }
        let mut parts = request("POST", "/api/v1/lot/ir");
        parts
            .headers
            .append(TRANSFER_ENCODING, "chunked".parse().unwrap());
        parts
            .headers
            .append(TRANSFER_ENCODING, "chunked".parse().unwrap());
        assert!(check(&parts).is_err());
    }
}
