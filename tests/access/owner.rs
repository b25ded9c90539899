//! `/cle/gestion`: the owner of keys sees, rotates, revokes and moves them, by a link that his mailbox
//! was sent, through a real mail server.

use harness::{Answer, Server, eventually};

use crate::desk::{A, Desk, with_key};
use crate::emails::MailServer;
use crate::mailboxes::{link, newest};

const PATH: &str = "/cle/gestion";

fn page(answer: &Answer) -> String {
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    String::from_utf8(answer.body.clone()).unwrap()
}

/// The text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap().0
}

/// The page behind a link, and its token as a form sends it.
fn open(server: &Server, link: &str) -> (String, String) {
    let shown = server.get(link);
    assert_eq!(shown.status, 200);
    let token = link.strip_prefix(&format!("{PATH}?")).unwrap();
    (page(&shown), token.to_owned())
}

fn act(server: &Server, token: &str, key: &str, action: &str) -> Answer {
    server.post(PATH, &format!("{token}&cle={key}&action={action}"), "")
}

#[test]
fn an_owner_sees_rotates_and_revokes_a_key() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&[], |command| mail.used_by(command));
    let (old, mut known) = (desk.issue("a", "pro"), Vec::new());
    let id = desk.id(&old);
    for _ in 0..3 {
        assert_eq!(with_key(&server, A, &old).status, 200);
    }

    // A stranger sees no difference between an address with a key and one without.
    let asked = server.post(PATH, "courriel=CLAIRE@example.org", "");
    let stranger = server.post(PATH, "courriel=nobody@example.org", "");
    assert_eq!((asked.status, stranger.status), (202, 202));
    let shown = page(&asked).replace("CLAIRE", "nobody");
    assert_eq!(shown, page(&stranger));
    let letter = newest(&mail, &mut known);
    assert!(!letter.contains("bma_"), "{letter}");
    let link = link(&letter);

    // The link works as often as it is opened.
    let (text, token) = open(&server, &link);
    assert!(
        text.contains("claire@example.org") && text.contains(&old[36..]),
        "{text}"
    );
    eventually("the use of the key is shown", || {
        let (text, _) = open(&server, &link);
        between(&text, "Appels, 90 jours</dt><dd>", "<") == "3"
    });

    let evil = server.post(
        PATH,
        &format!("{token}&cle={id}&action=revoquer"),
        "Origin: https://evil.example\r\n",
    );
    assert_eq!(evil.status, 403);
    let rotated = act(&server, &token, &id, "remplacer");
    assert_eq!(rotated.status, 201);
    let new = between(&page(&rotated), "<code class=\"key\">", "<").to_owned();
    assert_eq!(with_key(&server, A, &new).status, 200);
    assert_eq!(with_key(&server, A, &old).status, 200, "for seven days");
    assert!(desk.find(&old)["revoked"].is_string());
    assert_eq!(desk.find(&new)["account"], desk.find(&old)["account"]);

    let revoked = act(&server, &token, &id, "revoquer");
    assert_eq!(revoked.status, 200);
    assert!(page(&revoked).contains("La clé est révoquée"));
    eventually("the old key is refused", || {
        with_key(&server, A, &old).status == 401
    });
    assert_eq!(with_key(&server, A, &new).status, 200);

    // Neither a key that has ended nor one of somebody else can be changed; nor without a token.
    let others = desk.keys(&[
        "issue",
        "--variant",
        "a",
        "--plan",
        "pro",
        "--email",
        "eve@example.org",
    ]);
    let others = String::from_utf8(others.stdout).unwrap();
    for key in [id.as_str(), &desk.id(others.trim()), "x"] {
        for action in ["remplacer", "revoquer"] {
            assert_eq!(
                act(&server, &token, key, action).status,
                400,
                "{key} {action}"
            );
        }
    }
    assert_eq!(act(&server, &token, &id, "effacer").status, 400);
    assert_eq!(act(&server, "jeton=lnk_x", &id, "revoquer").status, 410);
    assert_eq!(with_key(&server, A, others.trim()).status, 200);

    let log = String::from_utf8(desk.keys(&["audit", &desk.id(&new)]).stdout).unwrap();
    let by_owner: Vec<&str> = log
        .lines()
        .filter(|line| line.contains(" owner "))
        .collect();
    assert_eq!(by_owner.len(), 2, "{log}");
    assert!(
        by_owner
            .iter()
            .all(|line| line.contains("address ") && !line.contains("127.0.0.1"))
    );
}

#[test]
fn an_account_has_few_valid_keys() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&[], |command| mail.used_by(command));
    let id = desk.id(&desk.issue("a", "pro"));
    assert_eq!(
        server.post(PATH, "courriel=claire@example.org", "").status,
        202
    );
    let (_, token) = open(&server, &link(&newest(&mail, &mut Vec::new())));

    let answers: Vec<u16> = (0..5)
        .map(|_| act(&server, &token, &id, "remplacer").status)
        .collect();
    assert_eq!(answers, [201, 201, 201, 400, 400]);
}

#[test]
fn an_owner_moves_to_another_address_which_confirms() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&[], |command| mail.used_by(command));
    let (key, mut known) = (desk.issue("a", "free"), Vec::new());
    let id = desk.id(&key);
    assert_eq!(
        server.post(PATH, "courriel=claire@example.org", "").status,
        202
    );
    let (_, token) = open(&server, &link(&newest(&mail, &mut known)));

    let form = format!("{token}&cle={id}&action=adresse&courriel=");
    assert_eq!(server.post(PATH, &format!("{form}claire"), "").status, 400);
    let sent = server.post(PATH, &format!("{form}dan@example.org"), "");
    assert!(page(&sent).contains("dan@example.org"));
    let link_of_dan = link(&newest(&mail, &mut known));
    assert_eq!(
        desk.find(&key)["email"],
        "claire@example.org",
        "not before it is confirmed"
    );

    let (text, token_of_dan) = open(&server, &link_of_dan);
    assert!(text.contains("dan@example.org"), "{text}");
    // The link of the new address gives no power over the keys before it is confirmed.
    assert_eq!(act(&server, &token_of_dan, &id, "revoquer").status, 410);
    let confirmed = server.post(PATH, &format!("{token_of_dan}&action=confirmer"), "");
    assert!(page(&confirmed).contains("dan@example.org"));
    assert_eq!(desk.find(&key)["email"], "dan@example.org");
    assert_eq!(with_key(&server, A, &key).status, 200);
    assert_eq!(server.get(&link_of_dan).status, 410, "once");

    // The old address has no key any more.
    let (text, _) = open(&server, &format!("{PATH}?{token}"));
    assert!(text.contains("Aucune clé valable"), "{text}");
}

#[test]
fn without_a_mail_server_the_page_says_whom_to_ask() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let text = page(&server.get(PATH));
    assert!(!text.contains("<form"), "{text}");
    assert_eq!(
        server.post(PATH, "courriel=claire@example.org", "").status,
        410
    );
    assert_eq!(server.get(&format!("{PATH}?jeton=lnk_x")).status, 410);
}
