//! The admin listener and the log.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use harness::{Answer, Connection, GOOD, Rules, Server, eventually, get};

/// A server with an admin listener.
fn with_admin(rules: &Rules) -> (Server, SocketAddr) {
    let server = Server::with(&rules.root(), &["--admin", "127.0.0.1:0"]);
    let admin = admin_of(&server);
    (server, admin)
}

/// Address of the admin listener of a server.
fn admin_of(server: &Server) -> SocketAddr {
    let event = server.logged(|event| event["message"] == "admin listener open");
    event["address"].as_str().unwrap().parse().unwrap()
}

/// The series of a collection: name with labels, and value.
fn series(answer: &Answer) -> BTreeMap<String, f64> {
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("content-type")
            .starts_with("application/openmetrics-text;")
    );
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (
                name.to_owned(),
                value.parse().unwrap_or_else(|_| panic!("{line}")),
            )
        })
        .collect()
}

#[test]
fn requests_are_counted_by_route_and_status() {
    let (server, admin) = with_admin(&Rules::copy());
    for _ in 0..3 {
        assert_eq!(server.get(GOOD).status, 200);
    }
    server.get("/api/v1/ir?revenu=x").blamed();
    for unknown in ["/made/up", "/another"] {
        assert_eq!(server.get(unknown).status, 404);
    }
    let series = series(&get(admin, "/metrics"));
    let count = |route: &str, status: u16| {
        series
            .get(&format!(
                "bareme_request_duration_seconds_count{{route=\"{route}\",status=\"{status}\"}}"
            ))
            .copied()
    };
    assert_eq!(
        (count("/api/v1/ir", 200), count("/api/v1/ir", 400)),
        (Some(3.0), Some(1.0))
    );
    assert_eq!(
        count("none", 404),
        Some(2.0),
        "what callers make up is one series"
    );
    assert!(series.keys().all(|name| !name.contains("made/up")));
    let within =
        "bareme_request_duration_seconds_bucket{le=\"1.0\",route=\"/api/v1/ir\",status=\"200\"}";
    assert_eq!(series[within], 3.0);
    assert_eq!(
        series["bareme_problems_total{code=\"parametres_invalides\"}"],
        1.0
    );
    assert_eq!(
        series["bareme_problems_total{code=\"adresse_inconnue\"}"],
        2.0
    );
    assert!(series["bareme_connections_limit"] >= 4.0);
}

#[test]
fn the_rules_in_force_are_told_and_so_are_reloads() {
    let rules = Rules::copy();
    let (server, admin) = with_admin(&rules);
    let version = server.get("/readyz").json()["version"]
        .as_str()
        .unwrap()
        .to_owned();
    let now = || series(&get(admin, "/metrics"));
    let before = now();
    assert_eq!(
        before[&format!("bareme_rules_info{{version=\"{version}\"}}")],
        1.0
    );
    assert_eq!(
        (
            before["bareme_ready"],
            before["bareme_store_up"],
            before["bareme_rules_refused"]
        ),
        (1.0, 1.0, 0.0)
    );
    assert_eq!(before["bareme_reloads_total{outcome=\"accepted\"}"], 1.0);
    assert_eq!(before["bareme_reloads_total{outcome=\"refused\"}"], 0.0);
    let end = before["bareme_scale_known_until_time_seconds{folder=\"ir\"}"];
    assert_eq!(end % 86_400.0, 0.0, "the end of a day: {end}");
    let checked = before["bareme_scale_checked_time_seconds{folder=\"ir\"}"];
    assert_eq!(
        checked % 86_400.0,
        0.0,
        "the start of a day, or 0: {checked}"
    );

    rules.write("service.yaml", "format: bareme/1\n");
    eventually("the refusal is counted", || {
        now()["bareme_rules_refused"] == 1.0
    });
    let after = now();
    assert!(after["bareme_reloads_total{outcome=\"partial\"}"] >= 1.0);
    assert_eq!(
        after["bareme_rules_folder_held{folder=\"service.yaml\",serves=\"older\"}"],
        1.0
    );
    assert_eq!(after["bareme_ready"], 1.0, "the last good set serves");
}

#[test]
fn a_quota_that_is_used_up_is_counted() {
    let rules = Rules::copy();
    let unlimited = "free:       {title: \"Gratuite (Free)\", price: \"0 € par mois\", calls_per_day: unlimited";
    rules.replace(
        "service.yaml",
        unlimited,
        &unlimited.replace("unlimited", "2"),
    );
    let (server, admin) = with_admin(&rules);
    let statuses: Vec<u16> = (0..4)
        .map(|_| server.get("/api-docs/v1/ir?revenu=30000&parts=1").status)
        .collect();
    assert_eq!(statuses, [200, 200, 429, 429]);
    assert_eq!(
        series(&get(admin, "/metrics"))["bareme_problems_total{code=\"quota_depasse\"}"],
        2.0
    );
}

#[test]
fn the_second_door_serves_metrics_and_probes_only() {
    let (server, admin) = with_admin(&Rules::copy());
    assert_eq!(get(admin, "/livez").json()["status"], "ok");
    assert_eq!(get(admin, "/readyz").json()["status"], "ok");
    assert_eq!(get(admin, GOOD).status, 404);
    let mut connection = Connection::open(admin).unwrap();
    assert_eq!(connection.call("POST", "/metrics", "").unwrap().status, 405);
    assert_eq!(connection.call("HEAD", "/metrics", "").unwrap().status, 200);
    // And the first one serves none.
    server.get("/metrics").problem(404, "adresse_inconnue");
}

#[test]
fn the_first_door_need_not_answer_probes() {
    let rules = Rules::copy();
    let server = Server::with(
        &rules.root(),
        &["--admin", "127.0.0.1:0", "--probes", "admin"],
    );
    for probe in ["/livez", "/readyz"] {
        server.get(probe).problem(404, "adresse_inconnue");
        assert_eq!(get(admin_of(&server), probe).status, 200);
    }
}

#[test]
fn the_second_door_is_open_while_the_service_stops() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--admin", "127.0.0.1:0", "--drain", "2"]);
    let admin = admin_of(&server);
    server.terminate();
    eventually("readiness is lost", || get(admin, "/readyz").status == 503);
    assert_eq!(series(&get(admin, "/metrics"))["bareme_ready"], 0.0);
}

#[test]
fn silent_connections_close_the_second_listener_for_seconds_at_most() {
    let (_server, admin) = with_admin(&Rules::copy());
    let mut silent: Vec<Connection> = (0..32).map(|_| Connection::open(admin).unwrap()).collect();
    let start = Instant::now();
    // A first request comes within five seconds; then a collector may pause for long.
    let mut used = Connection::open(admin).unwrap();
    assert_eq!(used.call("GET", "/readyz", "").unwrap().status, 200);
    eventually("the silent ones are closed", || {
        silent.iter_mut().all(Connection::is_closed_by_now)
    });
    let waited = start.elapsed();
    assert!(
        (Duration::from_secs(4)..Duration::from_secs(9)).contains(&waited),
        "after {waited:?}"
    );
    assert_eq!(used.call("GET", "/livez", "").unwrap().status, 200);
}

#[test]
fn what_callers_make_up_is_not_logged() {
    let server = Server::start_with(&["--log", "trace"]);
    let mut connection = Connection::open(server.address()).unwrap();
    for (method, target) in [
        ("GET", "/claire.martin@example.org/secret"),
        ("SECRET-CLAIRE-MARTIN", "/livez"),
        ("GET", "/api/v1/ir?revenu=30000&secret=1"),
        ("GET", "/livez?secret"),
    ] {
        connection
            .call(
                method,
                target,
                "Authorization: secret\r\nCookie: secret\r\nReferer: secret\r\n",
            )
            .unwrap();
    }
    eventually("the calls are in the log", || {
        server
            .log()
            .iter()
            .filter(|line| line["status"].is_u64())
            .count()
            == 4
    });
    let log = serde_json::to_string(&server.log()).unwrap().to_lowercase();
    assert!(
        !log.contains("secret") && !log.contains("claire") && !log.contains("127.0.0.1\""),
        "{log}"
    );
    assert!(log.contains("/api/v1/ir") && log.contains("/livez"));
}

#[test]
fn an_unknown_path_is_answered_with_those_that_exist() {
    let (_server, admin) = with_admin(&Rules::copy());
    let answer = get(admin, "/");
    let problem = answer.json();
    assert_eq!(
        (answer.status, problem["code"].as_str()),
        (404, Some("adresse_inconnue")),
        "{problem}"
    );
    for path in ["/metrics", "/livez", "/readyz"] {
        assert!(
            problem["detail"].as_str().unwrap().contains(path),
            "{problem}"
        );
    }
}
