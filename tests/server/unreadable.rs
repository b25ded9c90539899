//! Requests that are no requests: the answer is JSON all the same.

use harness::{Connection, GOOD, Server, raw};

#[test]
fn what_does_not_parse_gets_json() {
    let server = Server::start();
    for bytes in [
        "this is not a request\r\n\r\n",
        "GET  /livez HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET /a\\b<c> HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /livez HTTP/3.7\r\nHost: a\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551614\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        "G\u{0}T /livez HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}",
    ] {
        let answer = raw(server.address(), bytes.as_bytes());
        let body = answer.problem(400, "requete_illisible");
        assert_eq!(
            body["type"], "https://bareme.example/erreurs/requete-illisible",
            "{bytes:?}"
        );
        assert_eq!(answer.header("connection"), "close");
    }
    // The service is none the worse.
    assert_eq!(server.get(GOOD).status, 200);
}

#[test]
fn too_many_or_too_long_headers() {
    let server = Server::start();
    let head = |fields: &str| format!("GET {GOOD} HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
    let many = |count: usize| {
        (0..count)
            .map(|rank| format!("X-H{rank}: v\r\n"))
            .collect::<String>()
    };
    let mut connection = Connection::open(server.address()).unwrap();
    connection.send(head(&many(63)).as_bytes()).unwrap();
    assert_eq!(connection.receive(false).unwrap().status, 200, "64 fields");
    raw(server.address(), head(&many(64)).as_bytes()).problem(431, "entetes_trop_longs");
    // The caller still sends while it is refused, and learns it all the same.
    for kilobytes in [20, 200] {
        raw(
            server.address(),
            head(&format!("X-Long: {}\r\n", "a".repeat(kilobytes * 1024))).as_bytes(),
        )
        .problem(431, "entetes_trop_longs");
    }
}

#[test]
fn a_query_over_four_kilobytes_is_too_long() {
    let server = Server::start();
    let target = |length: usize| format!("/api/v1/ir?x={}", "1".repeat(length - 2));
    assert_eq!(
        server.get(&target(4096)).status,
        400,
        "an unknown parameter, of a good length"
    );
    for length in [4097, 10 * 1024, 14 * 1024] {
        let body = server
            .get(&target(length))
            .problem(414, "requete_trop_longue");
        assert!(body["detail"].as_str().unwrap().contains("4096"), "{body}");
    }
    server
        .get(&format!("/{}", "a".repeat(5000)))
        .problem(414, "requete_trop_longue");
    // Beyond the room for a head it is hyper that refuses.
    assert!([414, 431].contains(&raw_get(&server, &target(70_000)).status));
}

fn raw_get(server: &Server, target: &str) -> harness::Answer {
    let answer = raw(
        server.address(),
        format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes(),
    );
    answer.json();
    answer
}

#[test]
fn one_host_exactly() {
    let server = Server::start();
    for head in [
        "",
        "Host: a\r\nHost: b\r\n",
        "Host: a b\r\n",
        "Host: a@b\r\n",
        "Host: a:b\r\n",
        "Host: a/b\r\n",
    ] {
        raw(
            server.address(),
            format!("GET {GOOD} HTTP/1.1\r\n{head}\r\n").as_bytes(),
        )
        .problem(400, "hote_absent");
    }
    // HTTP/1.0 knew no Host, and closes by itself.
    assert_eq!(
        raw(
            server.address(),
            format!("GET {GOOD} HTTP/1.0\r\n\r\n").as_bytes()
        )
        .status,
        200
    );
}

#[test]
fn http_2_gets_an_answer_of_http_1() {
    let server = Server::start();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let preface = [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &settings].concat();
    let answer = raw(server.address(), &preface);
    answer.problem(505, "version_refusee");
    assert_eq!(answer.header("connection"), "close");
    // However it is cut.
    let mut connection = Connection::open(server.address()).unwrap();
    for part in preface.chunks(5) {
        // The last parts may find the connection closed.
        drop(connection.send(part));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    connection
        .receive(false)
        .unwrap()
        .problem(505, "version_refusee");
    // What only starts like it is read as it is.
    raw(
        server.address(),
        b"PRI * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    )
    .problem(405, "methode_refusee");
    assert_eq!(server.get(GOOD).status, 200);
}

#[test]
fn smuggling_is_refused_and_a_body_is_never_read() {
    let server = Server::start();
    let head = format!("GET {GOOD} HTTP/1.1\r\nHost: a\r\n");
    for framing in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Transfer-Encoding: chunked\r\n",
    ] {
        let hidden = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
        raw(
            server.address(),
            format!("{head}{framing}\r\n0\r\n\r\n{hidden}").as_bytes(),
        )
        .problem(400, "corps_refuse");
    }
    // In a POST the chunks are the body, whatever length is announced besides, and nothing is read
    // after them.
    for length in ["", "Content-Length: 4\r\n", "Content-Length: 400\r\n"] {
        let hidden = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
        let head = "POST /api/v1/lot/tva?champs=ht HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
        let chunks = "Transfer-Encoding: chunked\r\n\r\n11\r\n[{\"montant\": 12}]\r\n0\r\n\r\n";
        let answer = raw(
            server.address(),
            format!("{head}{length}{chunks}{hidden}").as_bytes(),
        );
        assert_eq!(
            (answer.status, answer.header("connection")),
            (200, "close"),
            "{length}"
        );
        assert_eq!(answer.json()[0]["ht"], 12);
    }
    let with_body = raw(
        server.address(),
        format!("{head}Content-Length: 9\r\n\r\n{{\"a\": 1}}\n").as_bytes(),
    );
    assert_eq!(
        (with_body.status, with_body.header("connection")),
        (200, "close")
    );
    // A body that never comes is not waited for.
    let announced = raw(
        server.address(),
        format!("{head}Content-Length: 999999\r\n\r\n").as_bytes(),
    );
    assert_eq!(announced.status, 200);
    let expected = format!("{head}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(raw(server.address(), expected.as_bytes()).status, 200);
}

#[test]
fn a_refusal_after_good_requests_on_one_connection() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let good = format!("GET {GOOD} HTTP/1.1\r\nHost: a\r\n\r\n");
    connection
        .send(format!("{good}{good}nonsense\r\n\r\n").as_bytes())
        .unwrap();
    assert_eq!(connection.receive(false).unwrap().status, 200);
    assert_eq!(connection.receive(false).unwrap().status, 200);
    connection
        .receive(false)
        .unwrap()
        .problem(400, "requete_illisible");
    assert!(connection.is_closed());
}

#[test]
fn a_pipeline_is_answered_in_order() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let targets = [
        GOOD,
        "/livez",
        "/nowhere",
        "/api/v1/openapi.json",
        "/readyz",
    ];
    let sent: String = targets
        .iter()
        .map(|target| format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"))
        .collect();
    connection.send(sent.as_bytes()).unwrap();
    connection.finish();
    let statuses: Vec<u16> = targets
        .iter()
        .map(|_| connection.receive(false).unwrap().status)
        .collect();
    assert_eq!(statuses, [200, 200, 404, 200, 200]);
    assert!(connection.is_closed());
}
