//! Any bytes on a connection: complete HTTP answers, or none, then the end of the connection.

use std::io::ErrorKind;

use harness::Connection;

use super::service::{check_answer, expect_no_panic, service};
use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "head",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 44] = [
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    " ",
    "\t",
    ":",
    "\0",
    "GET ",
    "HEAD ",
    "POST ",
    "OPTIONS ",
    "CONNECT ",
    "PRI * HTTP/2.0",
    " HTTP/1.1",
    " HTTP/1.0",
    " HTTP/2.0",
    "Host: a",
    "Host: [::1",
    "Content-Length: 0",
    "Content-Length: 4",
    "Content-Length: -1",
    "Content-Length: 18446744073709551616",
    "Transfer-Encoding: chunked",
    "0\r\n\r\n",
    "5\r\nabcde\r\n",
    "Connection: close",
    "Connection: keep-alive",
    "Expect: 100-continue",
    "Upgrade: h2c",
    "X-API-Key: ",
    "Authorization: Bearer ",
    "X-Forwarded-For: 1.2.3.4",
    "Forwarded: for=1.2.3.4",
    "Accept: text/html",
    "Accept-Encoding: gzip",
    "Accept-Language: en;q=0.5",
    "If-None-Match: \"a\"",
    "If-None-Match: *",
    "Range: bytes=0-",
    "Origin: null",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Type: text/csv",
    "*",
];

fn seeds() -> Vec<Vec<u8>> {
    [
        "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/v1/tva?montant=100&taux=20&sens=ht HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nX-API-Key: bma_x\r\n\r\n",
        "HEAD /api/v1/ir?revenu=1 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: W/\"a\", \"b\"\r\nConnection: close\r\n\r\n",
        "OPTIONS /api/v1/ir HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\nAccess-Control-Request-Method: GET\r\n\r\n",
        "GET / HTTP/1.0\r\nAccept: text/html,application/xhtml+xml;q=0.9\r\nAccept-Language: fr-FR,fr;q=0.8,en;q=0.5\r\n\r\n",
        "POST /api/v1/lot/tva HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 29\r\n\r\nmontant,taux,sens\n100,20,ht\n\n",
        "POST /api/v1/lot/tva HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
        "POST /cle HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\n\r\nvariante=aa",
        "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ]
    .map(|head| head.as_bytes().to_vec())
    .to_vec()
}

fn check(bytes: &[u8]) -> bool {
    let mut connection = Connection::open(service().public).unwrap();
    // The server may have closed the connection before the end of a long input.
    drop(connection.send(bytes));
    connection.finish_quietly();
    // The answer to HEAD has no body: what is read as its body belongs to the next answer.
    let has_bodies = !bytes.windows(4).any(|word| word == b"HEAD");
    let mut is_good = false;
    loop {
        let read = connection.is_at_end().and_then(|is_at_end| {
            let answer = if is_at_end {
                None
            } else {
                Some(connection.receive(false)?)
            };
            Ok(answer)
        });
        match read {
            Ok(Some(mut answer)) => {
                if !has_bodies {
                    answer.body.clear();
                }
                check_answer(&answer);
                is_good |= answer.status == 200;
            }
            Ok(None) => break,
            // Closed while unread bytes were on their way: what was sent of an answer may be lost.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) if error.kind() != ErrorKind::WouldBlock && !has_bodies => break,
            Err(error) => panic!("no complete answer: {error}"),
        }
    }
    expect_no_panic();
    is_good
}
