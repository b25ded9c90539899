//! Signed receipts: what the service gives is verified by another library, and by the command line,
//! after a restart, after a correction of the law, and after the key has changed.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use harness::{Answer, Connection, Rules, SIGNING_KEY, Server, built, pem, write_private};
use serde_json::{Value, json};

const CALL: &str = "/api/v1/ir?revenu=40000&date=2026-06-30";
const KEYS: &str = "/.well-known/jwks.json";

/// Two keys, as `openssl genpkey -algorithm ed25519` writes them.
const FIRST: &str = SIGNING_KEY;
const SECOND: &str = "MC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
const FIRST_PUBLIC: &str = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

/// A file beside the rules, which the owner alone reads.
fn written(rules: &Rules, name: &str, text: &str) -> PathBuf {
    let file = rules.beside(name);
    write_private(&file, text);
    file
}

/// A service that signs by a key, and publishes a retired one.
fn started(rules: &Rules, key: &str, retired: Option<&str>) -> Server {
    let store = format!("sqlite:{}", rules.beside("bareme.db").display());
    let key = written(rules, "key.pem", &pem("PRIVATE", key));
    let mut flags = vec!["--store", &store, "--log", "info,access=off"];
    flags.extend(["--signing-key-file", key.to_str().unwrap()]);
    let retired = retired.map(|key| written(rules, "retired.pem", &pem("PUBLIC", key)));
    if let Some(file) = &retired {
        flags.extend(["--retired-keys-file", file.to_str().unwrap()]);
    }
    Server::with(&rules.root(), &flags)
}

/// A key set, which has a media type of its own.
fn as_json(keys: &Answer) -> Value {
    assert_eq!(keys.status, 200);
    serde_json::from_slice(&keys.body).unwrap()
}

/// `bareme verify` of a text, with these keys and rules.
fn verified(rules: &Rules, keys: &Answer, text: &str) -> Output {
    verified_by(rules, keys, text, &[])
}

/// The same, with options of its own.
fn verified_by(rules: &Rules, keys: &Answer, text: &str, options: &[&str]) -> Output {
    let keys = written(rules, "jwks.json", &as_json(keys).to_string());
    let mut command = Command::new(built("bareme"));
    command
        .args(["verify", "--format", "json", "--keys"])
        .arg(keys);
    command.arg("--rules").arg(rules.root()).args(options);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Refused early, it reads no further.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap()
}

/// The verdict of each calculation, by a command that ends with this code.
fn verdicts(output: &Output, code: i32) -> Vec<String> {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = shown["calculs"].as_array().unwrap().iter();
    rows.map(|row| row["verdict"].as_str().unwrap().to_owned())
        .collect()
}

fn text(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.json());
    String::from_utf8(answer.body.clone()).unwrap()
}

fn batch(server: &Server, query: &str, media: &str, rows: &str) -> Answer {
    let mut connection = Connection::open(server.address()).unwrap();
    let path = format!("/api/v1/lot/ir?{query}");
    connection.post(&path, media, rows.as_bytes(), "").unwrap()
}

/// What another library finds: Node.js, by the public key alone.
const BY_NODE: &str = r"
const crypto = require('node:crypto');
const { answer, keys } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const canonical = (value) => {
    if (Array.isArray(value)) return '[' + value.map(canonical).join(',') + ']';
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    const names = Object.keys(value).sort();
    return '{' + names.map((name) => JSON.stringify(name) + ':' + canonical(value[name])).join(',') + '}';
};
const [header, payload, signature] = answer.recu.split('.');
const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url'));
const jwk = keys.keys.find((key) => key.kid === kid);
const key = crypto.createPublicKey({ key: jwk, format: 'jwk' });
const signed = Buffer.from(header + '.' + payload);
const isTrue = crypto.verify(null, signed, key, Buffer.from(signature, 'base64url'));
delete answer.recu;
const digest = crypto.createHash('sha256').update(canonical(answer)).digest('base64url');
const claim = JSON.parse(Buffer.from(payload, 'base64url'));
const thumbprint = crypto.createHash('sha256')
    .update(canonical({ crv: jwk.crv, kty: jwk.kty, x: jwk.x })).digest('base64url');
console.log(JSON.stringify({ alg, isTrue, isAnswer: digest === claim.reponse, isKey: thumbprint === kid, claim }));
";

#[test]
fn another_library_verifies_a_receipt() {
    let rules = Rules::copy().without_cases();
    let server = started(&rules, FIRST, None);
    let answer = server.get(&format!("{CALL}&recu=true"));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(!answer.has("etag"));
    let keys = server.get(KEYS);
    assert_eq!(keys.header("content-type"), "application/jwk-set+json");

    let mut command = Command::new("node");
    command
        .args(["-e", BY_NODE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("Node.js");
    let sent = json!({"answer": answer.json(), "keys": as_json(&keys)}).to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(sent.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["alg"], "EdDSA");
    for is in ["isTrue", "isAnswer", "isKey"] {
        assert_eq!(found[is], true, "{is}: {found}");
    }
    let claim = &found["claim"];
    assert_eq!(claim["calcul"], "ir");
    assert_eq!(
        claim["demande"],
        json!({"date": "2026-06-30", "revenu": "40000"})
    );
    assert_eq!(claim["entrees"]["situation"], "celibataire");
    assert_eq!(claim["resultats"]["impot_net"], answer.json()["impot_net"]);
    assert_eq!(claim["version"], answer.json()["version"]);
    assert_eq!(claim["programme"], env!("CARGO_PKG_VERSION"));

    // The rest of the answer is that without a receipt.
    let mut members = answer.json();
    members.as_object_mut().unwrap().shift_remove("recu");
    assert_eq!(members, server.get(CALL).json());
}

#[test]
fn a_receipt_holds_after_a_restart_a_correction_and_another_key() {
    let rules = Rules::copy().without_cases();
    let as_it_was = Rules::copy().without_cases();
    let server = started(&rules, FIRST, None);
    server.logged(|line| line["message"] == "rule set kept" && line["number"] == 1);
    let year = "/api/v1/salaire/annee?annee=2026&brut=2650&recu=true";
    let member = "/api/v1/salaire-net/ci?brut=350000&parts=2.5&recu=1";
    let first = text(&server.get(&format!("{CALL}&recu=true")));
    let keys = server.get(KEYS);
    for receipt in [&first, &text(&server.get(year)), &text(&server.get(member))] {
        assert_eq!(
            verdicts(&verified(&rules, &keys, receipt), 0),
            ["identique"]
        );
    }

    // 1. A figure is corrected: the law of the receipt is no longer at hand, unless the rules are
    // those of then. The service gives the same answer again, with another receipt.
    rules.replace("ir/2026-01-01.yaml", "{up_to: 29 579, ", "{up_to: 29 679, ");
    server.logged(|line| line["message"] == "rule set kept" && line["number"] == 2);
    assert_eq!(
        verdicts(&verified(&rules, &keys, &first), 3),
        ["droit_absent"]
    );
    assert_eq!(
        verdicts(&verified(&as_it_was, &keys, &first), 0),
        ["identique"]
    );
    let parsed: Value = serde_json::from_str(&first).unwrap();
    let version = parsed["version"].as_str().unwrap();
    let again = server.get(&format!("{CALL}&version={version}&recu=true"));
    assert_eq!(again.json()["impot_net"], parsed["impot_net"]);
    assert_eq!(
        verdicts(&verified(&as_it_was, &keys, &text(&again)), 0),
        ["identique"]
    );
    let corrected = text(&server.get(&format!("{CALL}&recu=true")));
    assert_eq!(
        verdicts(&verified(&rules, &keys, &corrected), 0),
        ["identique"]
    );
    let refused = verified(
        &as_it_was,
        &keys,
        &first.replace(version, "0123456789abcdef"),
    );
    assert_eq!(refused.status.code(), Some(1));
    drop(server);

    // 2. Another key signs. The first one is published as retired, then no longer.
    let server = started(&rules, SECOND, Some(FIRST_PUBLIC));
    let both = server.get(KEYS);
    assert_eq!(as_json(&both)["keys"].as_array().unwrap().len(), 2);
    assert_eq!(
        verdicts(&verified(&as_it_was, &both, &first), 0),
        ["identique"]
    );
    let later = text(&server.get(&format!("{CALL}&recu=true")));
    assert_eq!(verdicts(&verified(&rules, &both, &later), 0), ["identique"]);
    assert_eq!(verified(&rules, &keys, &later).status.code(), Some(1));
    drop(server);
    let server = started(&rules, SECOND, None);
    let one = server.get(KEYS);
    assert_eq!(verified(&as_it_was, &one, &first).status.code(), Some(1));
}

#[test]
fn a_receipt_is_computed_again_by_the_rule_sets_that_the_service_exports() {
    let rules = Rules::copy().without_cases();
    let server = started(&rules, FIRST, None);
    let is_kept = |number: i64| {
        server.logged(|line| line["message"] == "rule set kept" && line["number"] == number);
    };
    is_kept(1);
    let keys = server.get(KEYS);
    let year = "/api/v1/salaire/annee?annee=2026&brut=2650&recu=true";
    let call = format!("{CALL}&recu=true");
    let first = [call.as_str(), year].map(|call| text(&server.get(call)));

    // 1. Two corrections, one of a figure that other folders take: three sets are kept.
    rules.replace("ir/2026-01-01.yaml", "{up_to: 29 579, ", "{up_to: 29 679, ");
    is_kept(2);
    let second = text(&server.get(&call));
    rules.replace(
        "prelevements-sociaux/2026-01-01.yaml",
        "plein: 6.2%",
        "plein: 6.3%",
    );
    rules.replace("plafond-securite-sociale/2026-01-01.yaml", "4 005", "4 006");
    is_kept(3);

    // 2. They are written beside the running service; a second time there is nothing to add.
    let folder = rules.beside("sets");
    let export = || {
        let output = Command::new(built("bareme-server"))
            .args(["rules", "export", "--to"])
            .arg(&folder)
            .arg("--store")
            .arg(format!("sqlite:{}", rules.beside("bareme.db").display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(export(), "3 rule sets written, of 3 that are kept\n");
    assert_eq!(export(), "0 rule sets written, of 3 that are kept\n");
    let sets = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(sets, 3);

    // 3. Each receipt is computed again by its own set, and by none of the others.
    let archive = ["--archive", folder.to_str().unwrap()];
    for receipt in first.iter().chain([&second]) {
        assert_eq!(
            verdicts(&verified_by(&rules, &keys, receipt, &archive), 0),
            ["identique"]
        );
    }
    let [tax, pay] = &first;
    let verdict = |receipt: &str, code: i32| {
        verdicts(&verified_by(&rules, &keys, receipt, &archive), code).remove(0)
    };
    let without_the_oldest = || {
        let sets = std::fs::read_dir(&folder).unwrap();
        let oldest = sets.map(|entry| entry.unwrap().path()).min().unwrap();
        std::fs::remove_dir_all(oldest).unwrap();
    };
    // The second set has the law of the pay still, which only the third one changes.
    without_the_oldest();
    assert_eq!(verdict(tax, 3), "droit_absent");
    assert_eq!(verdict(pay, 0), "identique");
    assert_eq!(verdict(&second, 0), "identique");
    without_the_oldest();
    assert_eq!(verdict(pay, 3), "droit_absent");

    // 4. A folder without sets is no archive.
    let empty = rules.beside("empty");
    std::fs::create_dir(&empty).unwrap();
    let none = ["--archive", empty.to_str().unwrap()];
    let refused = verified_by(&rules, &keys, &second, &none);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn a_batch_has_one_receipt_and_a_proof_for_each_row() {
    let rules = Rules::copy().without_cases();
    let server = started(&rules, FIRST, None);
    let keys = server.get(KEYS);

    // Enough rows for a receipt of several parts.
    let rows: Vec<Value> = (0..700)
        .map(|index| match index {
            5 => json!({"id": index, "revenu": "beaucoup"}),
            _ => json!({"id": index, "revenu": 20_000 + index * 10}),
        })
        .collect();
    let whole = batch(
        &server,
        "recu=true&date=2026-06-30&champs=impot_net",
        "application/json",
        &Value::from(rows.clone()).to_string(),
    );
    let whole = text(&whole);
    let found = verdicts(&verified(&rules, &keys, &whole), 0);
    assert_eq!(found.len(), 700);
    for (index, verdict) in found.iter().enumerate() {
        let expected = if index == 5 {
            "sans_montant"
        } else {
            "identique"
        };
        assert_eq!(verdict, expected, "{index}");
    }

    // A row by itself, as the manual puts it together.
    let elements: Vec<Value> = serde_json::from_str(&whole).unwrap();
    let receipt = &elements[700]["recu"];
    for index in [0, 5, 699] {
        let mut row = elements[index].clone();
        assert_eq!(row["id"], index);
        row["recu"]["chemin"] = receipt["chemins"][index].clone();
        row["recu"]["jws"] = receipt["jws"].clone();
        verdicts(&verified(&rules, &keys, &row.to_string()), 0);
        row["id"] = 7.into();
        assert_eq!(
            verified(&rules, &keys, &row.to_string()).status.code(),
            Some(1)
        );
    }

    // Lines, and what has no room for a receipt.
    let lines = "{\"revenu\": 40000}\n{\"revenu\": 30000}\n";
    let answer = text(&batch(&server, "recu=true", "application/x-ndjson", lines));
    assert_eq!(answer.lines().count(), 3);
    let found = verdicts(&verified(&rules, &keys, &answer), 0);
    assert_eq!(found, ["identique", "identique"]);
    let csv = batch(&server, "recu=true", "text/csv", "revenu\n40000\n");
    assert_eq!(
        csv.problem(400, "parametres_invalides")["parametres"][0]["code"],
        "incompatible"
    );
    let plain = batch(&server, "recu=false", "text/csv", "revenu\n40000\n");
    assert_eq!(plain.status, 200);
    // A row has no parameter of the service.
    let row = batch(
        &server,
        "",
        "application/x-ndjson",
        "{\"revenu\": 1, \"recu\": true}\n",
    );
    assert!(
        text(&row).contains("\"code\":\"inconnu\""),
        "{}",
        text(&row)
    );
}

#[test]
fn a_receipt_that_cannot_be_given_is_refused() {
    let server = Server::start();
    let refused = server.get(&format!("{CALL}&recu=true"));
    refused.problem(400, "recu_indisponible");
    server.get(KEYS).problem(404, "adresse_inconnue");
    assert_eq!(server.get(&format!("{CALL}&recu=false")).status, 200);
    let bad = |query: &str| {
        let refused = server.get(&format!("{CALL}&{query}"));
        refused.problem(400, "parametres_invalides")["parametres"][0].clone()
    };
    for (query, code) in [("recu=peut-etre", "format"), ("recu=1&recu=1", "repete")] {
        let bad = bad(query);
        assert_eq!((&bad["nom"], &bad["code"]), (&json!("recu"), &json!(code)));
    }
}
