//! Free keys whose mailbox is confirmed, through a real mail server.

use std::thread;
use std::time::Duration;

use harness::{Answer, Server, eventually};

use crate::desk::{A, B, Desk, rate_limit, with_key};
use crate::emails::{MailServer, text};
use crate::form::{JSON, post};

/// The text of the newest e-mail, once another one has arrived.
pub(crate) fn newest(mail: &MailServer, known: &mut Vec<String>) -> String {
    let mut new = None;
    eventually("an e-mail comes", || {
        new = mail
            .emails()
            .into_iter()
            .find(|email| !known.contains(email));
        new.is_some()
    });
    let new = new.unwrap();
    known.push(new.clone());
    text(&new)
}

/// The path and the query of the link in an e-mail.
pub(crate) fn link(text: &str) -> String {
    let link = text
        .split_whitespace()
        .find(|word| word.starts_with("https://"))
        .unwrap();
    link.strip_prefix("https://bareme.example")
        .unwrap()
        .to_owned()
}

fn confirm(server: &Server, link: &str) -> Answer {
    let token = link.strip_prefix("/cle/confirmation?").unwrap();
    server.post("/cle/confirmation", token, JSON)
}

fn key_of(answer: &Answer) -> String {
    assert_eq!(
        (answer.status, answer.header("cache-control")),
        (201, "no-store")
    );
    answer.json()["cle"].as_str().unwrap().to_owned()
}

fn listed(desk: &Desk) -> Vec<serde_json::Value> {
    serde_json::from_slice(&desk.keys(&["list", "--format", "json"]).stdout).unwrap()
}

#[test]
fn a_mailbox_has_one_free_key_which_only_its_owner_gets() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&["--log", "debug"], |command| mail.used_by(command));
    let mut known = Vec::new();

    let asked = post(&server, "courriel=claire@example.org", JSON);
    assert_eq!(asked.status, 202);
    assert_eq!(
        asked.json(),
        serde_json::json!({"etat": "a_confirmer", "courriel": "claire@example.org"})
    );
    let first = newest(&mail, &mut known);
    assert!(
        !first.contains("bma_") && !first.contains("déjà"),
        "{first}"
    );
    let link_of_first = link(&first);
    // A scanner of e-mails opens the link without using it up.
    for _ in 0..3 {
        let page = server.get(&link_of_first);
        let body = String::from_utf8(page.body.clone()).unwrap();
        assert_eq!(
            (page.status, page.header("cache-control")),
            (200, "no-store")
        );
        assert!(
            body.contains("<form method=\"post\" action=\"/cle/confirmation\">"),
            "{body}"
        );
    }
    assert!(listed(&desk).is_empty());
    let evil = format!("{JSON}Origin: https://evil.example\r\n");
    let token = link_of_first.split_once('?').unwrap().1;
    server
        .post("/cle/confirmation", token, &evil)
        .problem_unread(403, "origine_refusee");
    let key = key_of(&confirm(&server, &link_of_first));
    assert_eq!(with_key(&server, A, &key).status, 200);
    confirm(&server, &link_of_first).problem_unread(410, "confirmation_refusee");

    // The same mailbox with another spelling: a stranger sees no difference, and its owner gets a
    // key that replaces the first.
    let again = post(&server, "courriel=Claire%2Bapi@Example.org", JSON);
    assert_eq!(
        (again.status, &again.json()["etat"]),
        (202, &"a_confirmer".into())
    );
    let second = newest(&mail, &mut known);
    assert!(
        second.contains(&format!("finit par {}", &key[36..])),
        "{second}"
    );
    assert_eq!(
        with_key(&server, A, &key).status,
        200,
        "to ask changes nothing"
    );
    let replaced = key_of(&confirm(&server, &link(&second)));
    assert_ne!(replaced, key);
    eventually("the old key is refused", || {
        with_key(&server, A, &key).status == 401
    });
    let answer = with_key(&server, A, &replaced);
    assert!(
        answer.status == 200 && rate_limit(&answer).1 < 997,
        "on the account of the first"
    );
    assert_eq!(listed(&desk).len(), 1);

    // The other variant has its own key; an incomplete or made-up link gives nothing.
    assert_eq!(
        post(&server, "courriel=claire@example.org&variante=b", JSON).status,
        202
    );
    let of_b = link(&newest(&mail, &mut known));
    confirm(&server, &of_b[..of_b.len() - 1]).problem_unread(410, "confirmation_refusee");
    assert_eq!(server.get(&of_b[..of_b.len() - 1]).status, 410);
    assert_eq!(
        with_key(&server, B, &key_of(&confirm(&server, &of_b))).status,
        200
    );

    // No part of a link is logged.
    let log = serde_json::to_string(&server.log()).unwrap();
    assert!(!log.contains("lnk_") && !log.contains("claire"), "{log}");
}

#[test]
fn a_mailbox_gets_three_e_mails_a_day_and_each_link_is_good() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&["--trusted-proxy", "127.0.0.1"], |command| {
        mail.used_by(command)
    });
    let mut known = Vec::new();
    let mut links = Vec::new();
    for n in 1..=4 {
        let from = format!("{JSON}X-Forwarded-For: 203.0.113.{n}\r\n");
        assert_eq!(
            post(
                &server,
                &format!("courriel=claire%2B{n}@example.org"),
                &from
            )
            .status,
            202
        );
        if n < 4 {
            links.push(link(&newest(&mail, &mut known)));
        }
    }
    thread::sleep(Duration::from_secs(2));
    assert_eq!(
        mail.emails().len(),
        3,
        "nobody floods the mailbox of another"
    );
    let keys: Vec<String> = links
        .iter()
        .map(|link| key_of(&confirm(&server, link)))
        .collect();
    assert_eq!(listed(&desk).len(), 1);
    assert_eq!(with_key(&server, A, &keys[2]).status, 200);
}

#[test]
fn a_person_is_told_what_to_do_and_sees_the_key_on_a_page() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&[], |command| mail.used_by(command));
    let page = |answer: &Answer| String::from_utf8(answer.body.clone()).unwrap();
    let form = page(&server.get("/cle"));
    assert!(
        form.contains("Une adresse a une clé gratuite par version")
            && form.contains("2\u{202f}000"),
        "{form}"
    );
    let asked = post(
        &server,
        "courriel=claire@example.org",
        "Accept: text/html\r\n",
    );
    assert_eq!(asked.status, 202);
    assert!(page(&asked).contains("<h1>Confirmez votre adresse</h1>"));
    let link = link(&newest(&mail, &mut Vec::new()));
    let shown = server.post(
        "/cle/confirmation",
        link.split_once('?').unwrap().1,
        "Accept: text/html\r\n",
    );
    assert_eq!(shown.status, 201);
    assert!(page(&shown).contains("<code class=\"key\">bma_"));
    let spent = server.post(
        "/cle/confirmation",
        link.split_once('?').unwrap().1,
        "Accept: text/html\r\n",
    );
    assert!(spent.status == 410 && page(&spent).contains("Demander une clé"));
}

#[test]
fn a_link_is_good_for_a_day() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let serve = |clock: &str| desk.serve_as(&["--clock", clock], |command| mail.used_by(command));
    let server = serve("2027-05-05T10:00:00Z");
    let mut known = Vec::new();
    let mut links = Vec::new();
    for _ in 0..2 {
        assert_eq!(
            post(&server, "courriel=claire@example.org", JSON).status,
            202
        );
        links.push(link(&newest(&mail, &mut known)));
    }
    drop(server);
    assert_eq!(
        confirm(&serve("2027-05-06T09:50:00Z"), &links[0]).status,
        201
    );
    confirm(&serve("2027-05-06T10:10:00Z"), &links[1]).problem_unread(410, "confirmation_refusee");
}
