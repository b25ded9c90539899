//! Editing the rules while the service runs, as an analyst does.

use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use harness::{Connection, Load, Rules, Server, eventually};
use serde_json::{Value, json};

/// A change is in force within a second; a server built without optimisation reads the rules more
/// slowly.
const SOON: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(8)
} else {
    Duration::from_secs(1)
};

const SCALE: &str = "salaire-net/ci/2026-01-01.yaml";
const CASES: &str = "salaire-net/ci/cases.yaml";
const PAY: &str = "/api/v1/salaire-net?pays=ci&brut=350000&parts=2.5&date=2026-06-30";

fn net(answer: &Value) -> String {
    answer["net_mensuel"].to_string()
}

fn reload(server: &Server) -> Value {
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 200, "a good set still serves");
    ready.json()["reload"].clone()
}

/// The rules without the cases that hold the Ivorian figures fast.
fn editable() -> Rules {
    let rules = Rules::copy();
    rules.remove(CASES);
    rules
}

#[test]
fn a_hang_up_reads_the_rules_and_stops_nothing() {
    let rules = editable();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let hang_up = || {
        assert!(
            Command::new("kill")
                .args(["-HUP", &server.id().to_string()])
                .status()
                .unwrap()
                .success()
        )
    };

    let read = |unchanged: bool, refused: usize| {
        server.logged(|line| {
            line["message"] == "rules read again, as asked by SIGHUP"
                && (&line["unchanged"], &line["refused"]) == (&unchanged.into(), &refused.into())
        })
    };

    hang_up();
    read(true, 0);
    rules.replace(SCALE, "rate: 6.3%", "rate: 7.3%");
    hang_up();
    eventually("the new rate is in force", || {
        net(&server.get(PAY).json()) == "291450"
    });
    rules.replace(SCALE, "rate: 7.3%", "rate: 7.3");
    eventually("the set is refused", || {
        reload(&server)["etat"] == "partiel"
    });
    hang_up();
    read(true, 1);
    assert_eq!(
        net(&server.get(PAY).json()),
        "291450",
        "the last good set serves"
    );
}

/// A slip of the keyboard in a file that is in force: the law never moved by ten in a year.
#[test]
fn a_tenfold_value_is_in_force_once_its_reason_is_written() {
    const FILE: &str = "salaire-net/ma/2026-01-01.yaml";
    const HIGH_PAY: &str = "/api/v1/salaire-net?pays=ma&brut=20000&date=2026-06-30";
    let rules = Rules::copy();
    rules.remove("salaire-net/ma/cases.yaml");
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let before = net(&server.get(HIGH_PAY).json());

    let (right, tenfold) = (
        "cnss: {rate: 4.48%, ceiling: 6 000,",
        "cnss: {rate: 4.48%, ceiling: 60 000,",
    );
    rules.replace(FILE, right, tenfold);
    eventually("the value is held back", || {
        reload(&server)["etat"] == "partiel"
    });
    let held = reload(&server);
    assert!(
        held.to_string().contains("W40") && held.to_string().contains(FILE),
        "{held}"
    );
    assert_eq!(net(&server.get(HIGH_PAY).json()), before, "{held}");

    let with_reason = format!("{tenfold} reviewed: \"Plafond décuplé par décret.\",");
    rules.replace(FILE, tenfold, &with_reason);
    eventually("the value is in force", || {
        net(&server.get(HIGH_PAY).json()) != before
    });
    assert_eq!(reload(&server)["etat"], "a_jour");

    rules.replace(FILE, &with_reason, right);
    eventually("the right value is in force again", || {
        net(&server.get(HIGH_PAY).json()) == before
    });
}

#[test]
fn a_new_rate_is_in_force_within_a_second_and_no_request_fails() {
    let rules = editable();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    assert_eq!(net(&server.get(PAY).json()), "294950");
    let load = Load::start(server.address(), PAY, net);

    // Other tests load the machine at the same time: the best of a few edits is what the service
    // takes.
    let edits = [("6.3%", "7.3%", "291450"), ("7.3%", "6.3%", "294950")];
    let mut took = Vec::new();

    for (old, new, expected) in edits.iter().cycle().take(10) {
        rules.replace(SCALE, &format!("rate: {old}"), &format!("rate: {new}"));
        took.push(eventually("the new rate is in force", || {
            net(&server.get(PAY).json()) == *expected
        }));
        if took.len() > 1 && took.iter().any(|took| *took < SOON) {
            break;
        }
    }

    println!("in force after {took:?}");
    assert!(
        took.iter().any(|took| *took < SOON),
        "in force after {took:?}"
    );

    let seen = load.stop();
    assert_eq!(
        seen.keys().map(String::as_str).collect::<Vec<_>>(),
        ["291450", "294950"],
        "the old or the new, never a mix"
    );
    println!("{} requests, none failed", seen.values().sum::<u64>());
    assert_eq!(reload(&server)["etat"], "a_jour");
}

#[test]
fn a_broken_scale_leaves_the_old_answer_and_says_where_the_mistake_is() {
    let rules = editable();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let before = server.get(PAY);
    let version = server.get("/readyz").json()["version"].clone();
    let load = Load::start(server.address(), PAY, net);

    rules.replace(SCALE, "rate: 6.3%", "rate: 6.3");
    eventually("the mistake is reported", || {
        reload(&server)["etat"] == "partiel"
    });
    let reported = reload(&server);
    let error = &reported["erreurs"][0];
    let line = 1 + rules
        .read(SCALE)
        .lines()
        .position(|line| line.contains("rate: 6.3"))
        .unwrap();
    assert_eq!(
        (&error["fichier"], &error["ligne"]),
        (&json!(SCALE), &json!(line)),
        "{reported}"
    );
    for member in ["code", "message", "remede"] {
        assert!(
            error[member].as_str().is_some_and(|text| !text.is_empty()),
            "{member} in {reported}"
        );
    }

    assert!(
        !reported
            .to_string()
            .contains(rules.root().to_str().unwrap()),
        "a path of the machine is reported: {reported}"
    );
    assert_eq!(server.get(PAY).body, before.body);
    assert_eq!(server.get("/readyz").json()["version"], version);
    let logged = server.logged(|event| event["level"] == "ERROR" && event["file"] == SCALE);
    assert_eq!(
        (&logged["file"], &logged["line"]),
        (&json!(SCALE), &json!(line)),
        "{logged}"
    );

    rules.replace(SCALE, "rate: 6.3", "rate: 6.3%");
    eventually("the mistake is mended", || {
        reload(&server)["etat"] == "a_jour"
    });
    assert_eq!(reload(&server)["erreurs"], json!([]));
    assert_eq!(load.stop().len(), 1);
}

#[test]
fn a_broken_folder_holds_back_no_other() {
    const OTHER: &str = "salaire-net/sn/2026-01-01.yaml";
    let rules = editable();
    rules.remove("salaire-net/sn/cases.yaml");
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let other = PAY.replace("pays=ci", "pays=sn");
    let before = [server.get(PAY).json(), server.get(&other).json()];

    rules.replace(SCALE, "rate: 6.3%", "rate: 6.3");
    eventually("the mistake is reported", || {
        reload(&server)["etat"] == "partiel"
    });
    rules.replace(OTHER, "\ncitation: \"", "\ncitation: \"Corrigé. ");
    eventually("the other folder is in force", || {
        server.get(&other).json()["source"]
            .as_str()
            .is_some_and(|source| source.starts_with("Corrigé. "))
    });
    assert_eq!(
        server.get(PAY).json(),
        before[0],
        "the last good state serves"
    );
    let held = reload(&server)["dossiers"].clone();
    assert_eq!(
        (held.as_array().map(Vec::len), &held[0]["dossier"]),
        (Some(1), &json!("salaire-net/ci")),
        "{held}"
    );
    assert_eq!(held[0]["sert"], "dernier_etat_valide");
    let logged = server.logged(|event| {
        event["message"]
            .as_str()
            .is_some_and(|text| text.contains("last good state"))
    });
    assert_eq!(logged["folder"], "salaire-net/ci", "{logged}");

    // The file of the service is held back alone too.
    let service = rules.read("service.yaml");
    rules.write("service.yaml", "format: bareme/1\n");
    rules.replace(SCALE, "rate: 6.3", "rate: 7.3%");
    eventually("the folder is mended", || {
        net(&server.get(PAY).json()) == "291450"
    });
    assert_eq!(reload(&server)["dossiers"][0]["dossier"], "service.yaml");
    rules.write("service.yaml", &service);
    eventually("all is mended", || reload(&server)["etat"] == "a_jour");
}

#[test]
fn a_draft_waits_and_everything_else_goes_on() {
    let rules = editable();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let ahead = PAY.replace("2026-06-30", "2027-02-01");
    let before = net(&server.get(&ahead).json());
    let draft = rules
        .read(SCALE)
        .replace("rate: 6.3%", "rate: 60")
        .replace("\nfigures:", "\nstate: draft\nfigures:");
    rules.write("salaire-net/ci/2027-01-01.yaml", &draft);
    let drafts = || server.get("/readyz").json()["brouillons"].clone();
    let of_country = || {
        drafts()
            .as_array()?
            .iter()
            .find(|draft| draft["bareme"] == "salaire-net/ci")
            .cloned()
    };

    eventually("the draft is named", || of_country().is_some());
    let named = of_country().unwrap();
    assert_eq!(named["date"], "2027-01-01");
    assert!(
        named["erreurs"].as_u64().is_some_and(|errors| errors > 0),
        "{named}"
    );
    assert_eq!(reload(&server)["etat"], "a_jour");
    assert_eq!(
        net(&server.get(&ahead).json()),
        before,
        "a draft is never in force"
    );
    server.logged(|event| {
        event["message"] == "draft not in force" && event["folder"] == "salaire-net/ci"
    });
}

#[test]
fn an_answer_that_is_known_is_sent_again_when_the_scale_changes() {
    let rules = editable();
    let server = Server::with(&rules.root(), &[]);
    let known = format!("If-None-Match: {}\r\n", server.get(PAY).header("etag"));
    let status = || {
        Connection::open(server.address())
            .unwrap()
            .call("GET", PAY, &known)
            .unwrap()
            .status
    };

    assert_eq!(status(), 304);
    rules.replace(SCALE, "rate: 6.3%", "rate: 7.3%");
    eventually("the new scale is sent", || status() == 200);
    rules.replace(SCALE, "rate: 7.3%", "rate: 6.3%");
    eventually("the old one is known still", || status() == 304);
}

#[test]
fn a_rate_that_contradicts_a_worked_case_is_refused() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    rules.replace(SCALE, "rate: 6.3%", "rate: 7.3%");
    eventually("the case fails", || reload(&server)["etat"] == "partiel");
    let reported = reload(&server);
    assert!(
        reported["erreurs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|error| error["fichier"] == CASES),
        "{reported}"
    );
    assert_eq!(net(&server.get(PAY).json()), "294950");
}

#[test]
fn a_file_written_in_two_halves_is_never_half_in_force() {
    let rules = editable();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let load = Load::start(server.address(), PAY, net);
    let text = rules.read(SCALE).replace("rate: 6.3%", "rate: 7.3%");
    // The first half ends in the middle of the Ivorian brackets.
    let middle = text.find("{up_to: 800 000").unwrap();
    rules.write(SCALE, &text[..middle]);
    eventually("half a file is refused", || {
        reload(&server)["etat"] == "partiel"
    });
    rules.write(SCALE, &text);
    eventually("the whole file is in force", || {
        net(&server.get(PAY).json()) == "291450"
    });
    let seen = load.stop();
    assert_eq!(
        seen.keys().map(String::as_str).collect::<Vec<_>>(),
        ["291450", "294950"]
    );
}

#[test]
fn a_deleted_file_is_refused_until_it_is_back() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    let method = rules.read("salaire-net/ci/method.yaml");
    rules.remove("salaire-net/ci/method.yaml");
    eventually("the loss is reported", || {
        reload(&server)["etat"] == "partiel"
    });
    assert_eq!(net(&server.get(PAY).json()), "294950");
    rules.write("salaire-net/ci/method.yaml", &method);
    eventually("the file is back", || reload(&server)["etat"] == "a_jour");
}

#[test]
fn a_server_started_on_a_bad_folder_serves_the_others() {
    let rules = Rules::copy();
    rules.replace(SCALE, "rate: 6.3%", "rate: 6.3");
    let ir = rules.read("ir/method.yaml");
    rules.write("ir/method.yaml", "format: bareme/1\n");
    let server = Server::with(&rules.root(), &[]);
    let ready = server.get("/readyz").json();
    assert_eq!(
        (&ready["status"], &ready["reload"]["etat"]),
        (&json!("degrade"), &json!("partiel"))
    );
    let held = ready["reload"]["dossiers"].as_array().unwrap();
    let absent: Vec<_> = held
        .iter()
        .map(|held| (held["dossier"].as_str(), held["sert"].as_str()))
        .collect();
    assert_eq!(
        absent,
        [
            // These calculate `ir`.
            (Some("dividendes"), Some("absent")),
            (Some("foyer"), Some("absent")),
            (Some("ir"), Some("absent")),
            (Some("salaire-net/ci"), Some("absent")),
            (Some("statuts"), Some("absent")),
        ]
    );

    // 503, with the reason, and without a charge; the words of the others are known still.
    let tax = "/api/v1/ir?revenu=30000&date=2026-06-30";

    for path in [
        PAY,
        tax,
        "/api/v1/salaire-net?pays=cote-d-ivoire&brut=1000",
        "/api/v1/salaire-net/ci?brut=1000",
    ] {
        let refused = server.get(path);
        let detail = refused.problem(503, "bareme_indisponible")["detail"].to_string();
        assert!(
            detail.contains("n’est pas en service") && detail.contains("yaml:"),
            "{detail}"
        );
        assert!(
            refused.has("retry-after") && !refused.has("ratelimit"),
            "{:?}",
            refused.headers
        );
    }

    assert_eq!(server.get(&PAY.replace("pays=ci", "pays=sn")).status, 200);

    for path in ["/simulateurs/ir", "/baremes/salaire-net/ci"] {
        assert_eq!(server.get(path).status, 503, "{path}");
    }

    for path in [
        "/",
        "/simulateurs",
        "/baremes",
        "/comparer",
        "/api/v1/openapi.json",
        "/sitemap.xml",
        "/documentation",
    ] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }

    rules.replace(SCALE, "rate: 6.3", "rate: 6.3%");
    eventually("the country is there", || server.get(PAY).status == 200);
    assert_eq!(server.get(tax).status, 503);
    rules.write("ir/method.yaml", &ir);
    eventually("the tax is there", || server.get(tax).status == 200);
    assert_eq!(server.get("/readyz").json()["status"], "ok");
}

#[test]
fn a_server_started_on_a_bad_service_waits_for_a_good_one() {
    let rules = Rules::copy();
    let service = rules.read("service.yaml");
    rules.write("service.yaml", "format: bareme/1\n");
    let server = Server::with(&rules.root(), &[]);
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503);
    let body = ready.json();
    assert_eq!(body["status"], "indisponible");
    assert_eq!(body["reload"]["erreurs"][0]["fichier"], "service.yaml");
    assert_eq!(server.get("/livez").status, 200);
    let refused = server.get(PAY);
    assert_eq!(
        refused.problem(503, "baremes_indisponibles")["type"],
        "about:blank"
    );
    assert_eq!(refused.header("retry-after"), "1");

    rules.write("service.yaml", &service);
    eventually("it is ready", || server.get("/readyz").status == 200);
    assert_eq!(net(&server.get(PAY).json()), "294950");
}

#[test]
fn what_is_no_rule_reloads_nothing() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let loaded = || {
        server
            .log()
            .iter()
            .filter(|event| event["message"] == "rules in force")
            .count()
    };

    rules.write("salaire-net/ci/.2026-01-01.yaml.swp", "an editor's own");
    rules.write("salaire-net/ci/2026-01-01.yaml~", "an editor's own");
    rules.write("notes.md", "a note");
    let same = rules.read(SCALE);
    rules.write(SCALE, &same);
    sleep(Duration::from_secs(2));
    assert_eq!((loaded(), &reload(&server)["etat"]), (1, &json!("a_jour")));
}
