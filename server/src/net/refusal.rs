//! JSON in place of the bare errors that hyper sends by itself.
//!
//! A request that cannot be parsed reaches no handler: hyper sends a bare head (400, 414 or 431, no
//! content) and closes. Every reply of this service is JSON, so the socket replaces it. The same
//! replies serve connections that are refused when accepted.

use bareme_api::wire::problem::kinds::{self, Kind};
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};

use crate::net::Host;

const END: &[u8] = b"\r\n\r\n";

/// Finds a bare refusal in bytes that hyper is about to send: its start, and the kind of error.
///
/// It is always the last thing sent on a connection, so only the end is examined. Every head of our
/// own has a `Content-Type`, and no content of ours ends in an empty line, so that there is no
/// false match.
pub(crate) fn find(bytes: &[u8]) -> Option<(usize, &'static Kind)> {
    // 1. The last head in the bytes: nothing follows it.
    let head_end = bytes.strip_suffix(END)?;
    let start = head_end
        .windows(END.len())
        .rposition(|window| window == END)
        .map_or(0, |at| at + END.len());
    // An earlier reply may precede it in the same bytes; its content ends where the head begins.
    let tail = bytes.get(start..)?;
    let start = start + tail.windows(9).rposition(|window| window == b"HTTP/1.1 ")?;

    let head = std::str::from_utf8(bytes.get(start..head_end.len())?).ok()?;

    // 2. The status tells the cause, and any other one is a reply of our own.
    let mut lines = head.split("\r\n");
    let kind = match lines.next()?.split(' ').nth(1)? {
        "400" => &kinds::UNREADABLE,
        "414" => &kinds::TOO_LONG,
        "431" => &kinds::HEADERS,
        _ => return None,
    };

    // 3. hyper's bare heads have these fields and no other.
    let mut bare = false;
    for line in lines {
        match line.split_once(": ")? {
            ("content-length", "0") => bare = true,
            ("connection" | "date", _) => {}
            _ => return None,
        }
    }
    bare.then_some((start, kind))
}

/// A complete reply of this kind, as bytes, that closes the connection.
pub(crate) fn answer(kind: &'static Kind, host: &dyn Host) -> Vec<u8> {
    let mut reply = host.refuse(kind);
    reply
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));

    // hyper frames the replies of handlers; this one is written without it.
    let length = HeaderValue::from(reply.body().bytes().len());
    reply.headers_mut().insert(CONTENT_LENGTH, length);

    let mut bytes = format!("HTTP/1.1 {}\r\n", kind.status).into_bytes();
    for (name, value) in reply.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }

    // The empty line ends the head.
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(reply.body().bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shared;

    const BARE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: \
                        close\r\ncontent-length: 0\r\n\
                        date: Sat, 21 Nov 2026 11:05:39 GMT\r\n\r\n";

    #[test]
    fn a_bare_refusal_is_found_alone_and_after_an_answer() {
        assert_eq!(find(BARE.as_bytes()), Some((0, &kinds::HEADERS)));
        let before =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(
            find(format!("{before}{BARE}").as_bytes()),
            Some((before.len(), &kinds::HEADERS))
        );
        let head_only =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n";
        assert_eq!(
            find(format!("{head_only}{BARE}").as_bytes()),
            Some((head_only.len(), &kinds::HEADERS))
        );
    }

    #[test]
    fn our_own_answers_pass() {
        for own in [
            "",
            "{}",
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: \
             0\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\ndate: x\r\n\r\n",
            "\r\n\r\n",
            "{\"a\":\"HTTP/1.1 400 Bad\"}\r\n\r\n",
        ] {
            assert_eq!(find(own.as_bytes()), None, "{own}");
        }
    }

    #[tokio::test]
    async fn what_replaces_it_is_a_whole_answer() {
        let bytes = answer(&kinds::HEADERS, &shared().1);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"),
            "{head}"
        );
        assert!(
            head.contains("content-type: application/json") && head.contains("connection: close"),
            "{head}"
        );
        assert!(
            head.contains(&format!("content-length: {}", body.len())),
            "{head}"
        );
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["code"], "entetes_trop_longs");
    }
}
