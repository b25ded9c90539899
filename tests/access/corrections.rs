//! E-mails about corrections: whom they reach, what they say, and that each is sent once, on a file
//! and on a database with two nodes.

use std::thread::sleep;
use std::time::Duration;

use harness::{Answer, Cluster, Connection, Rules, Server, eventually};

use crate::desk::{A, Desk, printed_key, with_key};
use crate::emails::text;
use crate::mailboxes::link;
use crate::smtp::{Manner, Smtp};

/// A calculation that the corrected figure moves: 11 % up to the bound, 30 % above.
const IR: &str = "/api/v1/ir?revenu=40000&date=2026-06-30";

const FILE: &str = "ir/2026-01-01.yaml";

/// A bound of the scale, with the tax on 40 000 by hand: 11 % of what is between 11 600 and the
/// bound, and 30 % of the rest, to the nearest euro.
struct Law {
    bound: &'static str,
    tax: u32,
}

/// 1 977.69 + 3 126.30.
const FIRST: Law = Law {
    bound: "{up_to: 29 579, ",
    tax: 5_104,
};
/// 1 988.69 + 3 096.30.
const SECOND: Law = Law {
    bound: "{up_to: 29 679, ",
    tax: 5_085,
};
/// 1 966.69 + 3 156.30.
const THIRD: Law = Law {
    bound: "{up_to: 29 479, ",
    tax: 5_123,
};

/// The case of a law, alone.
fn cases(law: &Law) -> String {
    format!(
        "format: bareme/1\n\ncases:\n  - {{name: \"Célibataire\", date: 2026-06-30, \
         given: {{revenu: 40000}}, expect: {{impot_net: {}}}, origin: {{kind: hand}}}}\n",
        law.tax
    )
}

fn correct(rules: &Rules, before: &Law, after: &Law) {
    rules.replace(FILE, before.bound, after.bound);
    rules.write("ir/cases.yaml", &cases(after));
}

/// A key of an owner, who reads about corrections or does not.
fn issued(desk: &Desk, email: &str, reads: bool) -> String {
    let key = printed_key(&desk.keys(&["issue", "--plan", "pro", "--email", email]));
    if reads {
        let changed = desk.keys(&["change", &desk.id(&key), "--corrections", "on"]);
        assert!(changed.status.success(), "{changed:?}");
    }
    key
}

fn version(answer: &Answer) -> String {
    answer.json()["version"].as_str().unwrap().to_owned()
}

/// The texts of the e-mails to an address, with plain spaces.
fn letters(smtp: &Smtp, address: &str) -> Vec<String> {
    let to = format!("To: {address}");
    let emails = smtp.emails();
    let found = emails.iter().filter(|email| email.contains(&to));
    found
        .map(|email| text(email).replace(['\u{a0}', '\u{202f}'], " "))
        .collect()
}

/// Starts the nodes of a store: two on a database, one on a file.
fn nodes(desk: &Desk, smtp: &Smtp) -> Vec<Server> {
    let count = if desk.is_shared() { 2 } else { 1 };
    (0..count)
        .map(|_| desk.serve_as(&[], |command| smtp.used_by(command)))
        .collect()
}

/// Waits for the law to be in force everywhere, and for what it makes nodes write about.
fn in_force(nodes: &[Server], law: &Law) {
    eventually("the law is in force", || {
        let tax = |node: &Server| node.get(IR).json()["impot_net"] == law.tax;
        nodes.iter().all(tax)
    });
}

fn each_is_written_to_once(desk: &Desk) {
    let smtp = Smtp::start();
    let first = nodes(desk, &smtp);
    in_force(&first, &FIRST);

    // 1. The answers of three keys: one reads about corrections, one does not, one used another law.
    let claire = issued(desk, "claire@example.org", true);
    let dan = issued(desk, "dan@example.org", false);
    let eve = issued(desk, "eve@example.org", true);
    let node = &first[0];
    let answers = [(); 3].map(|()| with_key(node, IR, &claire));
    let before = version(&answers[2]);
    let rows = b"{\"revenu\": 40000, \"date\": \"2026-06-30\"}\n{\"revenu\": \"x\"}\n";
    let key = format!("X-API-Key: {claire}\r\n");
    let mut connection = Connection::open(first[first.len() - 1].address()).unwrap();
    let lot = connection.post("/api/v1/lot/ir", "application/x-ndjson", rows, &key);
    assert_eq!(lot.unwrap().status, 200);
    assert_eq!(with_key(node, IR, &dan).status, 200);
    assert_eq!(with_key(node, A, &eve).status, 200);
    // Without a key nobody is counted, and a refused call has applied no law.
    assert_eq!(node.get(IR).status, 200);
    assert_eq!(with_key(node, "/api/v1/ir?revenu=x", &claire).status, 400);

    // 2. The correction is announced to the first, with what it moves.
    correct(desk.rules(), &FIRST, &SECOND);
    in_force(&first, &SECOND);
    eventually("an e-mail comes", || !smtp.emails().is_empty());
    let after = version(&with_key(node, IR, &claire));
    let letter = &letters(&smtp, "claire@example.org")[0];
    for part in [
        &format!("qui finit par {})", &claire[36..]),
        "Impôt sur le revenu",
        "Depuis le 1er janvier 2026\n",
        "- Impôt net : 5 085 au lieu de 5 104 au plus loin ; le seul cas type change.\n",
        &format!("Version de vos réponses : {before} (4 réponses, la dernière le "),
        &format!("Version en service : {after}\n"),
        &format!("par exemple version={before}\n"),
        "https://bareme.example/baremes/corrections\n",
        "https://bareme.example/cle/gestion\n",
    ] {
        assert!(letter.contains(part), "{part} in {letter}");
    }
    assert!(!letter.contains("40000") && !letter.contains("40 000"));

    // 3. Once: the other node, and a restart, send nothing more; nor to the others.
    sleep(Duration::from_secs(5));
    drop(first);
    let second = nodes(desk, &smtp);
    in_force(&second, &SECOND);
    sleep(Duration::from_secs(2));
    assert_eq!(smtp.emails().len(), 1);

    // 4. One that the mail server refuses is sent later, after a restart at the latest.
    let node = &second[0];
    assert_eq!(version(&with_key(node, IR, &claire)), after);
    smtp.set(Manner::Refuse(Duration::ZERO));
    correct(desk.rules(), &SECOND, &THIRD);
    eventually("it is refused", || {
        let refused = |node: &Server| {
            let log = node.log();
            log.iter()
                .any(|line| line["message"] == "corrections could not be announced")
        };
        second.iter().any(refused)
    });
    // The other node may be about to be refused as well: one that is stopped meanwhile has taken it.
    sleep(Duration::from_secs(2));
    assert_eq!(smtp.emails().len(), 1);
    drop(second);
    smtp.set(Manner::Take(Duration::ZERO));
    let third = nodes(desk, &smtp);
    eventually("it is sent after all", || smtp.emails().len() == 2);
    let letter = &letters(&smtp, "claire@example.org")[1];
    let part = "- Impôt net : 5 123 au lieu de 5 085";
    assert!(letter.contains(part), "{letter}");
    // The first answers were by another law, which was corrected before.
    assert!(
        letter.contains(&after) && !letter.contains(&before),
        "{letter}"
    );

    its_owner_stops_them(desk, &smtp, &third, &claire);
}

/// Stops and starts the e-mails on the page of the owner of a key.
fn its_owner_stops_them(desk: &Desk, smtp: &Smtp, nodes: &[Server], claire: &str) {
    let node = &nodes[0];
    assert_eq!(with_key(node, IR, claire).json()["impot_net"], THIRD.tax);
    let page = "/cle/gestion";
    assert_eq!(
        node.post(page, "courriel=claire@example.org", "").status,
        202
    );
    eventually("the link comes", || smtp.emails().len() == 3);
    let link = link(&letters(smtp, "claire@example.org")[2]);
    let shown = String::from_utf8(node.get(&link).body).unwrap();
    assert!(
        shown.contains("Ne plus recevoir les corrections"),
        "{shown}"
    );
    let (_, token) = link.split_once('?').unwrap();
    let id = desk.id(claire);
    let act = |action: &str| {
        let form = format!("{token}&cle={id}&action={action}");
        String::from_utf8(node.post(page, &form, "").body).unwrap()
    };
    let stopped = act("ne_plus_suivre");
    assert!(stopped.contains("Recevoir les corrections"), "{stopped}");
    let shown = desk.keys(&["show", &id, "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert!(shown["corrections_since"].is_null(), "{shown}");
    let log = String::from_utf8(desk.keys(&["audit", &id]).stdout).unwrap();
    let entries: Vec<&str> = log
        .lines()
        .filter(|line| line.contains(" corrections: "))
        .collect();
    assert_eq!(entries.len(), 2, "{log}");
    assert!(
        entries[0].contains(" owner ") && entries[0].ends_with(": off"),
        "{log}"
    );
    assert!(
        entries[1].contains(" operator ") && entries[1].ends_with(": on"),
        "{log}"
    );
    correct(desk.rules(), &THIRD, &FIRST);
    in_force(nodes, &FIRST);
    sleep(Duration::from_secs(5));
    assert_eq!(smtp.emails().len(), 3);
    assert!(act("suivre_corrections").contains("Ne plus recevoir les corrections"));
}

fn rules() -> Rules {
    let rules = Rules::small();
    rules.write("ir/cases.yaml", &cases(&FIRST));
    rules
}

#[test]
fn a_reader_of_corrections_is_written_to_once_beside_a_file() {
    each_is_written_to_once(&Desk::new().with_rules(rules()));
}

#[test]
fn a_reader_of_corrections_is_written_to_once_by_two_nodes() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    each_is_written_to_once(&Desk::on(cluster.address()).with_rules(rules()));
}

#[test]
fn without_a_mail_server_no_law_is_counted() {
    let desk = Desk::new().with_rules(rules());
    let mut server = desk.serve(&[]);
    let key = issued(&desk, "claire@example.org", true);
    assert_eq!(with_key(&server, IR, &key).status, 200);
    // What is counted is written at the latest when the service stops.
    server.terminate();
    server.ended_within(Duration::from_secs(20));

    let store = rusqlite::Connection::open(desk.file()).unwrap();
    let sql = "select count(*) from law_uses";
    let count: i64 = store.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0);
}
