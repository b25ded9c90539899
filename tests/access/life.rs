//! Lifecycle of a key: renewal, changes, announcement of its end, usage, erasure.

use std::time::Duration;

use harness::{Answer, Cluster, Server, eventually, get};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::desk::{A, B, Desk, rate_limit, with_key};
use crate::emails::{MailServer, text};

fn run(desk: &Desk, arguments: &[&str]) {
    let output = desk.keys(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn end(desk: &Desk, key: &str) -> Timestamp {
    desk.find(key)["expires"].as_str().unwrap().parse().unwrap()
}

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// Starts a server whose clock is some days before the end of a key.
fn before_end(desk: &Desk, key: &str, before: i64) -> Server {
    desk.serve(&[
        "--clock",
        &end(desk, key)
            .checked_sub(days(before))
            .unwrap()
            .to_string(),
    ])
}

#[test]
fn a_key_that_is_renewed_stays_the_same_and_lives_on() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let (id, first) = (desk.id(&key), end(&desk, &key));
    run(&desk, &["renew", &id]);
    assert_eq!(
        end(&desk, &key),
        first.checked_add(days(365)).unwrap(),
        "from its end"
    );
    run(&desk, &["renew", &id, "--until", "2026-01-01"]);
    assert_eq!(desk.find(&key)["state"], "expired");
    let server = desk.serve(&[]);
    with_key(&server, A, &key).problem(401, "cle_refusee");
    run(&desk, &["renew", &id, "--plan", "business"]);
    eventually("it is good again", || {
        with_key(&server, A, &key).status == 200
    });
    assert_eq!(rate_limit(&with_key(&server, A, &key)).0, 100_000);
    let year = end(&desk, &key).duration_since(Timestamp::now());
    assert!(
        (days(364)..=days(365)).contains(&year),
        "from now, since it had expired: {year}"
    );

    run(
        &desk,
        &[
            "change",
            &id,
            "--plan",
            "scale",
            "--email",
            "elise@example.org",
        ],
    );
    eventually("the plan is changed", || {
        rate_limit(&with_key(&server, A, &key)).0 == 500_000
    });
    assert_eq!(desk.find(&key)["email"], "elise@example.org");
    run(&desk, &["revoke", &id]);
    for refused in [
        &["renew", &id][..],
        &["change", &id, "--plan", "pro"],
        &["change", &id],
        &["renew", &id, "--plan", "x"],
    ] {
        assert!(!desk.keys(refused).status.success(), "{refused:?}");
    }
}

#[test]
fn both_keys_of_an_account_are_renewed() {
    let desk = Desk::new();
    let old = desk.issue("a", "pro");
    let new = crate::desk::printed_key(&desk.keys(&["rotate", &desk.id(&old)]));
    run(&desk, &["renew", &desk.id(&new)]);
    assert_eq!(end(&desk, &old), end(&desk, &new));
}

#[test]
fn an_address_is_erased_on_request() {
    let desk = Desk::new();
    let [kept, ended] = ["pro", "pro"].map(|plan| desk.issue("a", plan));
    run(&desk, &["revoke", &desk.id(&ended)]);
    run(&desk, &["erase", "--email", "Claire@Example.org"]);
    let listed = String::from_utf8(desk.keys(&["list", "--format", "json"]).stdout).unwrap();
    assert!(
        !listed.contains("claire")
            && listed.contains(&kept[36..])
            && !listed.contains(&format!("…{}", &ended[36..]))
    );
    assert_eq!(
        with_key(&desk.serve(&[]), A, &kept).status,
        200,
        "it was paid for"
    );
    let again = desk.keys(&["erase", "--email", "claire@example.org"]);
    assert!(
        !again.status.success() && String::from_utf8_lossy(&again.stderr).contains("no key of")
    );

    let other = desk.issue("a", "pro");
    run(
        &desk,
        &["erase", "--email", "claire@example.org", "--revoke"],
    );
    with_key(&desk.serve(&[]), A, &other).problem(401, "cle_refusee");
    for file in std::fs::read_dir(desk.place()).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            !bytes
                .windows(18)
                .any(|window| window == b"claire@example.org"),
            "{}",
            file.display()
        );
    }
}

#[test]
fn the_answers_of_the_last_days_say_when_the_key_ends() {
    let desk = Desk::new();
    let [paid, free] = ["pro", "free"].map(|plan| desk.issue("a", plan));
    let announced = |answer: &Answer| answer.has("x-api-key-expires");
    assert!(!announced(&with_key(
        &before_end(&desk, &paid, 31),
        A,
        &paid
    )));
    let server = before_end(&desk, &paid, 29);
    let answer = with_key(&server, A, &paid);
    let said = httpdate::parse_http_date(answer.header("x-api-key-expires")).unwrap();
    assert_eq!(said, std::time::SystemTime::from(end(&desk, &paid)));
    assert_eq!(
        answer.header("link"),
        "<https://bareme.example/cle>; rel=\"payment\""
    );
    assert!(
        answer
            .header("access-control-expose-headers")
            .contains("X-API-Key-Expires")
    );
    let refused = with_key(&server, "/api/v1/tva", &paid);
    assert!(
        refused.status == 400 && announced(&refused),
        "errors say it too"
    );
    assert!(!announced(&server.get(A)));
    drop(server);
    assert!(
        !announced(&with_key(&before_end(&desk, &free, 2), A, &free)),
        "a call postpones its end"
    );
}

#[test]
fn the_owner_is_written_to_thirty_and_seven_days_before_the_end() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    desk.issue("a", "free");
    let at = |before: i64| {
        let clock = end(&desk, &key)
            .checked_sub(days(before))
            .unwrap()
            .to_string();
        desk.serve_as(&["--clock", &clock, "--admin", "127.0.0.1:0"], |command| {
            mail.used_by(command)
        })
    };
    let counted = |server: &Server, outcome: &str| {
        let admin = server.logged(|event| event["message"] == "admin listener open");
        let metrics = get(
            admin["address"].as_str().unwrap().parse().unwrap(),
            "/metrics",
        );
        let metrics = String::from_utf8(metrics.body).unwrap();
        metrics.contains(&format!(
            "bareme_notices_total{{outcome=\"{outcome}\"}} 1\n"
        ))
    };
    let quiet = || std::thread::sleep(Duration::from_millis(1_500));
    let server = at(40);
    quiet();
    assert!(mail.emails().is_empty());
    drop(server);
    let server = at(29);
    eventually("the first notice comes", || mail.emails().len() == 1);
    drop(server);
    let server = at(20);
    quiet();
    assert_eq!(mail.emails().len(), 1, "once");
    drop(server);
    let server = at(6);
    eventually("the second notice comes", || mail.emails().len() == 2);
    server.logged(|event| event["message"] == "end of a key announced" && event["days"] == 7);
    assert!(counted(&server, "sent") && !counted(&server, "failed"));
    let day = end(&desk, &key).strftime("%d/%m/%Y").to_string();
    for email in mail.emails() {
        let text = text(&email);
        assert!(email.contains("To: claire@example.org"), "{email}");
        assert!(
            text.contains(&day) && text.contains(&key[36..]) && !text.contains(&key),
            "{text}"
        );
    }
}

/// `keys` run by root, before and beside a service with its own user.
#[test]
fn a_file_that_root_makes_is_the_service_s() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    const SERVICE_USER: u32 = 65_534;
    let desk = Desk::new();
    if std::fs::metadata(desk.place()).unwrap().uid() != 0 {
        return eprintln!("skipped: not run by root");
    }
    chown(desk.place(), Some(SERVICE_USER), Some(SERVICE_USER)).unwrap();
    let before = desk.issue("a", "pro");
    let owners = || {
        let files = std::fs::read_dir(desk.place()).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().uid())
            .collect::<std::collections::BTreeSet<u32>>()
    };
    assert_eq!(owners(), [SERVICE_USER].into());
    // The program copied to where that user may read it, and readable rules.
    let program = desk.place().join("program");
    std::fs::copy(harness::binary(), &program).unwrap();
    let serve = || {
        let rules = desk.place().join("rules");
        harness::copy_folder(&crate::desk::small_rules(), &rules);
        let mut command = std::process::Command::new(&program);
        command.args(["--listen", "127.0.0.1:0", "--log-format", "json", "--store"]);
        command
            .arg(format!("sqlite:{}", desk.file().display()))
            .arg("--rules")
            .arg(rules)
            .env("BAREME_DRAIN", "0");
        Server::spawn(command.uid(SERVICE_USER).gid(SERVICE_USER).current_dir("/"))
    };
    let mut server = serve();
    assert_eq!(with_key(&server, A, &before).status, 200);
    let beside = desk.issue("a", "pro");
    assert_eq!(with_key(&server, A, &beside).status, 200);
    server.terminate();
    server.ended_within(Duration::from_secs(20));
    desk.issue("a", "pro");
    assert_eq!(with_key(&serve(), A, &beside).status, 200);
}

/// Output of `keys show` for a key.
fn shown(desk: &Desk, key: &str) -> Value {
    serde_json::from_slice(
        &desk
            .keys(&["show", &desk.id(key), "--format", "json"])
            .stdout,
    )
    .unwrap()
}

#[test]
fn what_was_used_is_shown_by_day_on_each_store() {
    let cluster = Cluster::start();
    for store in [None, cluster.as_ref().map(Cluster::address)] {
        let desk = store.map_or_else(Desk::new, Desk::on);
        let [paid, unlimited] = [desk.issue("a", "pro"), desk.issue("b", "enterprise")];
        let now = Timestamp::now();
        for (ago, calls) in [(0, 5), (1, 2), (88, 1), (100, 1)].into_iter().rev() {
            let clock = now.checked_sub(days(ago)).unwrap().to_string();
            // A database has its own clock, which the nodes follow.
            if ago > 0 && cluster.is_some() && desk.is_shared() {
                continue;
            }
            let mut server = desk.serve(&["--clock", &clock]);
            eventually("it serves", || with_key(&server, A, &paid).status == 200);
            for _ in 1..calls {
                assert_eq!(with_key(&server, A, &paid).status, 200);
            }
            assert_eq!(with_key(&server, B, &unlimited).status, 200);
            if ago == 0 {
                // While the node holds a larger block.
                eventually("it is shown", || shown(&desk, &paid)["calls_today"] == 5);
                eventually("it is shown", || {
                    shown(&desk, &unlimited)["calls_today"] == 1
                });
                let usage = with_key(&server, "/cle/usage", &paid).json();
                assert_eq!(usage["appels_aujourd_hui"], 5);
                let today = now.strftime("%Y-%m-%d").to_string();
                assert_eq!(
                    usage["jours"].as_array().unwrap().last().unwrap()["date"],
                    today
                );
                assert_eq!(
                    usage["jours"].as_array().unwrap().last().unwrap()["appels"],
                    5
                );
                assert_eq!(usage["expire"], desk.find(&paid)["expires"]);
            }
            server.terminate();
            server.ended_within(Duration::from_secs(20));
        }
        let by_day = shown(&desk, &paid)["calls_by_day"].clone();
        let calls: Vec<u64> = by_day
            .as_object()
            .unwrap()
            .values()
            .map(|calls| calls.as_u64().unwrap())
            .collect();
        assert_eq!(
            calls,
            if desk.is_shared() {
                vec![5]
            } else {
                vec![1, 2, 5]
            },
            "90 days: {by_day}"
        );
    }
}

#[test]
fn calls_are_logged_by_the_name_of_their_key_and_counted_by_plan() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let server = desk.serve(&["--admin", "127.0.0.1:0"]);
    with_key(&server, A, &key);
    server.get(A);
    let logged = server.logged(|line| line["key"].is_string());
    assert_eq!(
        (&logged["key"], &logged["status"]),
        (&desk.id(&key).into(), &200.into())
    );
    eventually("the other is logged", || {
        server
            .log()
            .iter()
            .filter(|line| line["status"] == 200)
            .count()
            == 2
    });
    assert_eq!(
        server
            .log()
            .iter()
            .filter(|line| line["key"].is_string())
            .count(),
        1
    );
    let admin = server.logged(|event| event["message"] == "admin listener open");
    let metrics = String::from_utf8(
        get(
            admin["address"].as_str().unwrap().parse().unwrap(),
            "/metrics",
        )
        .body,
    )
    .unwrap();
    for plan in ["free", "pro"] {
        assert!(
            metrics.contains(&format!(
                "bareme_calls_total{{variant=\"a\",plan=\"{plan}\"}} 1"
            )),
            "{metrics}"
        );
    }
}
