//! Malformed requests.

use std::collections::BTreeMap;

use harness::{Connection, GOOD, Server};

use crate::Effort;

const GOOD_LINE: &str = "GET /livez HTTP/1.1\r\n";

/// Malformed request lines, each sent with a valid `Host`.
const LINES: [&str; 32] = [
    "",
    " ",
    "\0",
    "GET\r\n",
    "GET \r\n",
    "GET /livez\r\n",
    "GET  /livez HTTP/1.1\r\n",
    "GET /livez HTTP/1.1 \r\n",
    "GET /livez HTTP/3.7\r\n",
    "GET /livez HTTP/2.0\r\n",
    "GET /livez HTTP/0.9\r\n",
    "GET /livez HTTP/1.\r\n",
    "GET /livez http/1.1\r\n",
    "G\0T /livez HTTP/1.1\r\n",
    "GET /li\0vez HTTP/1.1\r\n",
    "GET /a\\b<c> HTTP/1.1\r\n",
    "GET /livez#part HTTP/1.1\r\n",
    "GET livez HTTP/1.1\r\n",
    "GET http:// HTTP/1.1\r\n",
    "GET //a@b:c HTTP/1.1\r\n",
    "CONNECT a:443 HTTP/1.1\r\n",
    "CONNECT /livez HTTP/1.1\r\n",
    "TRACE /livez HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n",
    "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}",
    "HTTP/1.1 200 OK\r\n",
    "get /livez HTTP/1.1\r\n",
    "GET /%ZZ HTTP/1.1\r\n",
    "GET /livez\tHTTP/1.1\r\n",
    "GET /\u{e9} HTTP/1.1\r\n",
    "GET * HTTP/1.1\r\n",
    "OPTIONS * HTTP/9.9\r\n",
];

/// Malformed headers, each after a valid request line.
const FIELDS: [&str; 44] = [
    "",
    "Host: a\r\nHost: b\r\n",
    "Host: a b\r\n",
    "Host: a@b\r\n",
    "Host: a:b\r\n",
    "Host: a:99999\r\n",
    "Host: a/b\r\n",
    "Host: [::1\r\n",
    "Host: :80\r\n",
    "Host : a\r\n",
    "Host: a\r\nno colon\r\n",
    "Host: a\r\n: empty\r\n",
    "Host: a\r\nX: \0\r\n",
    "Host: a\r\nX: \u{7f}\r\n",
    "Host: a\r\nX Y: z\r\n",
    "Host: a\r\n folded\r\n",
    "Host: a\r\nX: y\r\n folded\r\n",
    "Host: a\nX: y\r\n",
    "Host: a\rX: y\r\n",
    "Host: a\r\nContent-Length: x\r\n",
    "Host: a\r\nContent-Length: -1\r\n",
    "Host: a\r\nContent-Length: +1\r\n",
    "Host: a\r\nContent-Length: 1, 1\r\n",
    "Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
    "Host: a\r\nContent-Length: 18446744073709551615\r\n",
    "Host: a\r\nContent-Length: 18446744073709551616\r\n",
    "Host: a\r\nContent-Length: 99999999999999999999999999\r\n",
    "Host: a\r\nContent-Length: \r\n",
    "Host: a\r\nContent-Length: 1e3\r\n",
    "Host: a\r\nTransfer-Encoding: gzip\r\n",
    "Host: a\r\nTransfer-Encoding: chunked\r\n",
    "Host: a\r\nTransfer-Encoding: chunked, chunked\r\n",
    "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    "Host: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
    "Host: a\r\nTransfer-Encoding : chunked\r\n",
    "Host: a\r\nTransfer-Encoding: \tchunked\r\n",
    "Host: a\r\nTransfer-Encoding: xchunked\r\n",
    "Host: a\r\nExpect: 200-never\r\n",
    "Host: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n",
    "Host: a\r\nConnection: close, keep-alive, x\r\n",
    "Host: a\r\nRange: bytes=0-\r\n",
    "Host: a\r\nX-API-Key: \r\n",
    "Host: a\r\nX-API-Key: a\r\nX-API-Key: b\r\n",
    "Host: a\r\nIf-None-Match: \"\r\n",
];

/// Each gets an answer in JSON, or the connection is closed; there is no internal error or hang.
pub(crate) fn malformed(_: Effort) -> String {
    let server = Server::start();
    let lines = LINES.iter().map(|line| format!("{line}Host: a\r\n\r\n"));
    let fields = FIELDS
        .iter()
        .map(|fields| format!("{GOOD_LINE}{fields}\r\n"));
    let long = [
        format!("{GOOD_LINE}Host: a\r\nX: {}\r\n\r\n", "a".repeat(200_000)),
        format!("{GOOD_LINE}Host: a\r\n{}\r\n", "X: y\r\n".repeat(1_000)),
        format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(70_000)),
        format!("{} /livez HTTP/1.1\r\nHost: a\r\n\r\n", "G".repeat(70_000)),
        format!("{GOOD_LINE}Host: {}\r\n\r\n", "a".repeat(10_000)),
        "\r\n".repeat(50_000),
        "\0".repeat(100_000),
        format!("{GOOD_LINE}Host: a\r\n{}: y\r\n\r\n", "X".repeat(100_000)),
    ];
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let mut closed = 0;
    for bytes in lines.chain(fields).chain(long) {
        let mut connection = Connection::open(server.address()).unwrap();
        // The connection may be closed before the end of a long one.
        drop(connection.send(bytes.as_bytes()));
        connection.finish();
        let shown: String = bytes.chars().take(80).collect();
        match connection.receive(false) {
            Ok(answer) => {
                assert!(
                    answer.status < 500 || answer.status == 505,
                    "{} to {shown:?}",
                    answer.status
                );
                assert!(answer.json().is_object(), "{shown:?}");
                *statuses.entry(answer.status).or_default() += 1;
            }
            Err(_) => closed += 1,
        }
    }
    assert_eq!(server.get(GOOD).status, 200);
    assert!(server.log().iter().all(|event| event["level"] != "ERROR"));
    format!("answers by status {statuses:?}, {closed} closed without one")
}
