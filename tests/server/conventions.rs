//! Conventions of every answer, whatever was asked.

use std::time::SystemTime;

use harness::{Connection, GOOD, Server};

#[test]
fn a_good_answer_and_its_fields() {
    let server = Server::start();
    let answer = server.get(GOOD);
    assert_eq!(answer.status, 200);
    assert!(answer.json().is_object());
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    for name in [
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "ETag",
        "Link",
    ] {
        assert!(
            answer
                .header("access-control-expose-headers")
                .contains(name),
            "{name}"
        );
    }
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(
        answer.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(
        answer.header("cross-origin-resource-policy"),
        "cross-origin"
    );
    assert_eq!(
        answer.header("vary"),
        "X-API-Key, Authorization, Accept-Encoding"
    );
    for absent in [
        "server",
        "last-modified",
        "access-control-allow-credentials",
        "strict-transport-security",
    ] {
        assert!(!answer.has(absent), "{absent}");
    }
    let date = httpdate::parse_http_date(answer.header("date")).unwrap();
    assert!(SystemTime::now().duration_since(date).unwrap().as_secs() < 5);

    let id = answer.header("x-request-id");
    assert_eq!(
        (id.len(), id.as_bytes()[14]),
        (36, b'7'),
        "{id} is a UUID of version 7"
    );
    assert_ne!(id, server.get(GOOD).header("x-request-id"));
}

#[test]
fn head_is_get_without_its_content() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    for target in [
        GOOD,
        "/livez",
        "/readyz",
        "/api/v1/openapi.json",
        "/api/v1/ir?revenu=x",
        "/nowhere",
        "/api/v1",
        "/api/v1/pays",
    ] {
        let got = connection.call("GET", target, "").unwrap();
        let head = connection.call("HEAD", target, "").unwrap();
        assert_eq!(head.status, got.status);
        let fields = |headers: &[(String, String)]| {
            // The content of an error holds its own name, so its length is all that is the same.
            let lasting = headers
                .iter()
                .filter(|(name, _)| name != "x-request-id" && name != "date");
            lasting.cloned().collect::<Vec<_>>()
        };
        assert_eq!(fields(&head.headers), fields(&got.headers), "{target}");
        assert!(head.body.is_empty());
    }
}

#[test]
fn options_tells_the_methods_and_what_a_browser_may_send() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let preflight = "Origin: https://example.org\r\nAccess-Control-Request-Method: GET\r\n\
                     Access-Control-Request-Headers: x-api-key\r\n";
    for target in [
        GOOD,
        "/api/v1/ir",
        "/api/v1/openapi.json",
        "/livez",
        "/readyz",
        "*",
    ] {
        for headers in ["", preflight] {
            let answer = connection.call("OPTIONS", target, headers).unwrap();
            assert_eq!(answer.status, 200, "{target}");
            assert!(answer.json().is_object());
            assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS");
            assert_eq!(
                answer.header("access-control-allow-methods"),
                "GET, HEAD, OPTIONS"
            );
            for name in [
                "X-API-Key",
                "If-None-Match",
                "traceparent",
                "Content-Type",
                "X-Requested-With",
                "Cache-Control",
            ] {
                assert!(
                    answer.header("access-control-allow-headers").contains(name),
                    "{name}"
                );
            }
            assert_eq!(answer.header("access-control-max-age"), "7200");
            assert_eq!(answer.header("access-control-allow-origin"), "*");
        }
    }
    assert_eq!(
        connection
            .call("OPTIONS", "/nowhere", preflight)
            .unwrap()
            .status,
        404
    );
}

#[test]
fn other_methods_are_refused_where_the_path_exists() {
    let server = Server::start();
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        for target in ["/api/v1/ir", "/api/v1/openapi.json", "/livez", "/readyz"] {
            let answer = Connection::open(server.address())
                .unwrap()
                .call(method, target, "")
                .unwrap();
            answer.problem(405, "methode_refusee");
            assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS");
        }
        let answer = Connection::open(server.address())
            .unwrap()
            .call(method, "/nowhere", "")
            .unwrap();
        answer.problem(404, "adresse_inconnue");
    }
}

#[test]
fn unknown_paths_are_told_the_known_ones() {
    let server = Server::start();
    for (path, meant) in [
        ("/api/v1/", Some("/api/v1")),
        ("/api/v1/ir/", Some("/api/v1/ir")),
        ("/api/v1/IR", Some("/api/v1/ir")),
        ("/api/v1/salaire_net", Some("/api/v1/salaire-net")),
        ("//api/v1/ir", Some("/api/v1/ir")),
        ("/api/v2/ir", None),
        ("/api/v1/%69r", None),
    ] {
        let body = server.get(path).problem(404, "adresse_inconnue");
        let detail = body["detail"].as_str().unwrap();
        assert!(
            detail.contains("/api/v1/ir,") && detail.contains("/api-docs/v1/ir,"),
            "{detail}"
        );
        match meant {
            Some(meant) => assert!(
                detail.contains(&format!("Vouliez-vous dire `{meant}` ?")),
                "{path}: {detail}"
            ),
            None => assert!(!detail.contains("Vouliez-vous dire"), "{path}: {detail}"),
        }
        assert_eq!(
            body["type"],
            "https://bareme.example/erreurs/adresse-inconnue"
        );
    }
}

#[test]
fn the_accept_field_changes_nothing() {
    let server = Server::start();
    for accept in ["text/html", "application/xml", "image/*;q=0", ""] {
        let mut connection = Connection::open(server.address()).unwrap();
        let answer = connection
            .call(
                "GET",
                GOOD,
                &format!("Accept: {accept}\r\nAccept-Encoding: gzip, br\r\n"),
            )
            .unwrap();
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/json")
        );
    }
}

#[test]
fn equal_questions_have_equal_bytes_and_are_not_sent_twice() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let first = connection.call("GET", GOOD, "").unwrap();
    let etag = first.header("etag").to_owned();
    assert!(
        etag.len() == 34 && etag.starts_with('"') && etag.ends_with('"'),
        "{etag}"
    );
    assert_eq!(
        connection.call("GET", GOOD, "").unwrap().header("etag"),
        etag
    );

    for sent in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"x\", {etag}"),
        "*".to_owned(),
    ] {
        for method in ["GET", "HEAD"] {
            let again = connection
                .call(method, GOOD, &format!("If-None-Match: {sent}\r\n"))
                .unwrap();
            assert_eq!(again.status, 304, "{sent}");
            assert_eq!(again.header("etag"), etag);
            assert_eq!(again.header("cache-control"), "private, no-cache");
            assert_eq!(again.header("content-type"), "application/json");
            assert!(again.has("date") && again.has("access-control-allow-origin"));
        }
    }
    let other = connection
        .call("GET", GOOD, "If-None-Match: \"x\"\r\n")
        .unwrap();
    assert_eq!((other.status, &other.body), (200, &first.body));
    // An error is never "not modified".
    let bad = connection
        .call("GET", "/api/v1/ir?revenu=x", "If-None-Match: *\r\n")
        .unwrap();
    assert_eq!(bad.status, 400);
}

#[test]
fn both_variants_answer_the_same() {
    let server = Server::start();
    let other = GOOD.replace("/api/v1", "/api-docs/v1");
    assert_eq!(server.get(GOOD).body, server.get(&other).body);
    server
        .get("/api-docs/v1/salaire-net?pays=ci")
        .problem(404, "adresse_inconnue");
    server
        .get("/api-docs/v1/tva-afrique?pays=ci")
        .problem(404, "adresse_inconnue");
}

#[test]
fn probes_are_small_and_never_stored() {
    let server = Server::start();
    let live = server.get("/livez");
    assert_eq!(
        (live.status, live.json()),
        (200, serde_json::json!({"status": "ok"}))
    );
    assert_eq!(live.header("cache-control"), "no-store");
    let ready = server.get("/readyz");
    assert_eq!(
        (ready.status, ready.header("cache-control")),
        (200, "no-store")
    );
    let body = ready.json();
    assert_eq!(body["status"], "ok");
    assert_eq!(body["reload"]["etat"], "a_jour");
    assert_eq!(body["reload"]["erreurs"], serde_json::json!([]));
    let since: jiff::Timestamp = body["reload"]["depuis"].as_str().unwrap().parse().unwrap();
    assert!(jiff::Timestamp::now().as_second() - since.as_second() < 60);
}

#[test]
fn the_log_ties_an_answer_to_its_request_and_never_tells_what_was_asked() {
    let server = Server::start();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let headers =
        format!("traceparent: 00-{trace}-00f067aa0ba902b7-01\r\nX-Request-Id: order-12\r\n");
    let mut connection = Connection::open(server.address()).unwrap();
    let answer = connection.call("GET", GOOD, &headers).unwrap();
    let id = answer.header("x-request-id").to_owned();
    assert_ne!(id, "order-12");
    let line = server.logged(|event| event["id"] == id);
    assert_eq!(line["status"], 200);
    assert_eq!(line["method"], "GET");
    assert_eq!(line["path"], "/api/v1/ir");
    assert_eq!(
        (line["trace"].as_str(), line["client_id"].as_str()),
        (Some(trace), Some("order-12"))
    );
    assert!(line["micros"].is_u64());
    assert!(
        !line.to_string().contains("30000"),
        "somebody's income is in the log: {line}"
    );
}

#[test]
fn errors_are_in_the_language_of_the_caller_and_answers_are_the_same() {
    let server = Server::start();
    let call = |target: &str, language: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        connection
            .call("GET", target, &format!("Accept-Language: {language}\r\n"))
            .unwrap()
    };
    for (target, title, reason) in [
        (
            "/api/v1/ir?parts=x",
            "Invalid parameters",
            "A required parameter is missing.",
        ),
        (
            "/api/v1/ir?revenu=1,5",
            "Invalid parameters",
            "A comma is not accepted: write `1.5`.",
        ),
        (
            "/api/v1/ir?revenu=1&date=hier",
            "Invalid parameters",
            "A date is expected, written YYYY-MM-DD.",
        ),
        (
            "/api/v1/ir?revenu=1&date=1950-01-01",
            "Invalid parameters",
            "No scale is known on this date",
        ),
        (
            "/api/v1/tva?montant=1&taux=21",
            "Invalid parameters",
            "The scale has no row for this value of `taux`.",
        ),
        (
            "/api/v1/ir?revenus=1",
            "Invalid parameters",
            "Unknown parameter; did you mean `revenu`?",
        ),
        (
            "/api/v1/ir?revenu=%zz",
            "Invalid parameters",
            "A `%` is not followed by two hexadecimal digits.",
        ),
        ("/api/v1/nothing", "Unknown address", ""),
    ] {
        let (english, french) = (call(target, "en-GB,en;q=0.9"), call(target, "fr"));
        assert_eq!(
            (english.header("vary"), french.header("vary")),
            ("Accept-Language", "Accept-Language")
        );
        let (english, french) = (english.json(), french.json());
        for stable in ["type", "status", "code"] {
            assert_eq!(english[stable], french[stable], "{target}: {stable}");
        }
        assert_eq!(english["title"], title);
        assert!(
            english["detail"] != french["detail"] && english["title"] != french["title"],
            "{target}"
        );
        let (said, parameters) = (
            english["parametres"].as_array(),
            french["parametres"].as_array(),
        );
        let bad: Vec<_> = said
            .into_iter()
            .flatten()
            .zip(parameters.into_iter().flatten())
            .collect();
        assert!(
            reason.is_empty()
                || bad
                    .iter()
                    .any(|(bad, _)| bad["motif"].as_str().unwrap().contains(reason)),
            "{english}"
        );
        for (english, french) in bad {
            assert_eq!(
                (&english["nom"], &english["code"]),
                (&french["nom"], &french["code"])
            );
            assert_ne!(english["motif"], french["motif"], "{target}");
        }
    }
    let (english, french) = (call(GOOD, "en"), call(GOOD, "fr"));
    assert_eq!(
        (english.header("etag"), &english.body),
        (french.header("etag"), &french.body)
    );
}
