//! Publishable keys: accepted from the pages that they were declared for, counted, changed, revoked,
//! and refused for everything that no page needs.

use harness::{Answer, Cluster, Connection, Server, eventually};
use serde_json::Value;

use crate::desk::{A, B, Desk, printed_key, rate_limit, with_key};
use crate::emails::MailServer;
use crate::mailboxes::{link, newest};

const SHOP: &str = "https://boutique.example.fr";
const HERE: &str = "http://localhost:8080";
const OWNER: &str = "/cle/gestion";

/// One request with a key, from a page of this origin.
fn call(server: &Server, method: &str, target: &str, headers: &str) -> Answer {
    Connection::open(server.address())
        .unwrap()
        .call(method, target, headers)
        .unwrap()
}

fn from(server: &Server, key: &str, origin: &str) -> Answer {
    let headers = format!("X-API-Key: {key}\r\nOrigin: {origin}\r\n");
    call(server, "GET", A, &headers)
}

/// A publishable key of the account of a key.
fn publish(desk: &Desk, key: &str, flags: &[&str]) -> String {
    let id = desk.id(key);
    let arguments = [&["publish", id.as_str()], flags].concat();
    printed_key(&desk.keys(&arguments))
}

fn vary(answer: &Answer) -> Vec<&str> {
    let fields = answer.headers.iter().filter(|(name, _)| name == "vary");
    let values = fields.flat_map(|(_, value)| value.split(','));
    values.map(str::trim).collect()
}

#[test]
fn a_publishable_key_answers_its_pages_as_a_secret_key_does() {
    let desk = Desk::new();
    let secret = desk.issue("a", "pro");
    let page = publish(&desk, &secret, &["--origin", SHOP, "--origin", HERE]);
    assert!(page.starts_with("bma_pub_"), "{page}");
    let server = desk.serve(&[]);

    let expected = with_key(&server, A, &secret);
    for origin in [SHOP, HERE] {
        let answer = from(&server, &page, origin);
        assert_eq!((answer.status, &answer.body), (200, &expected.body));
        assert_eq!(answer.header("etag"), expected.header("etag"));
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        assert!(vary(&answer).contains(&"origin"), "{:?}", vary(&answer));
        assert!(vary(&answer).contains(&"X-API-Key"), "{:?}", vary(&answer));
        assert!(!answer.has("access-control-allow-credentials"));
    }
    assert_eq!(
        expected.header("access-control-allow-origin"),
        "*",
        "a secret key is read as before"
    );
    assert!(!vary(&expected).contains(&"origin"));

    // As a bearer too, and unchanged for who has the answer.
    let bearer = call(
        &server,
        "GET",
        A,
        &format!("Authorization: Bearer {page}\r\nOrigin: {SHOP}\r\n"),
    );
    assert_eq!((bearer.status, &bearer.body), (200, &expected.body));
    let known = format!(
        "X-API-Key: {page}\r\nOrigin: {SHOP}\r\nIf-None-Match: {}\r\n",
        expected.header("etag")
    );
    let unchanged = call(&server, "GET", A, &known);
    assert_eq!(unchanged.status, 304);
    assert_eq!(unchanged.header("access-control-allow-origin"), SHOP);
    assert!(vary(&unchanged).contains(&"origin"));

    // A page reads its own mistake too.
    let wrong = call(
        &server,
        "GET",
        &A.replace("100", "x"),
        &format!("X-API-Key: {page}\r\nOrigin: {SHOP}\r\n"),
    );
    assert_eq!(wrong.status, 400);
    assert_eq!(wrong.header("access-control-allow-origin"), SHOP);
}

#[test]
fn every_other_origin_is_refused_and_charged_nothing() {
    let desk = Desk::new();
    let secret = desk.issue("a", "pro");
    let page = publish(&desk, &secret, &["--origin", SHOP]);
    let server = desk.serve(&[]);
    let (_, before, _) = rate_limit(&with_key(&server, A, &secret));

    for origin in [
        "https://evil.example",
        "http://boutique.example.fr",
        "https://boutique.example.fr:8443",
        "https://boutique.example.fr:443",
        "https://boutique.example.fr.",
        "https://BOUTIQUE.example.fr",
        "https://www.boutique.example.fr",
        "https://boutique.example.fr.evil.example",
        "https://boutique.example.fr/",
        "https://boutique.example.fr, https://evil.example",
        "null",
        "*",
        "",
        HERE,
    ] {
        let refused = from(&server, &page, origin);
        let body = refused.problem(403, "origine_non_declaree");
        assert_eq!(body["entete"], "Origin", "{origin}");
        assert_eq!(body["origine"], origin, "{body}");
        assert!(!refused.has("ratelimit"), "{origin}");
        let detail = body["detail"].as_str().unwrap();
        assert!(detail.contains("déclarez son origine"), "{detail}");
    }
    let without = with_key(&server, A, &page);
    let body = without.problem(403, "origine_non_declaree");
    assert!(body["origine"].is_null() && body["detail"].as_str().unwrap().contains("manque"));
    let twice = format!("X-API-Key: {page}\r\nOrigin: {SHOP}\r\nOrigin: {SHOP}\r\n");
    call(&server, "GET", A, &twice).problem(403, "origine_non_declaree");
    // A referrer is no origin.
    let referrer = format!("X-API-Key: {page}\r\nReferer: {SHOP}/\r\n");
    call(&server, "GET", A, &referrer).problem(403, "origine_non_declaree");

    let (_, after, _) = rate_limit(&with_key(&server, A, &secret));
    assert_eq!(after, before - 1, "the refusals took nothing");
}

#[test]
fn it_opens_calculations_and_nothing_else() {
    let desk = Desk::new();
    let secret = desk.issue("a", "pro");
    let page = publish(&desk, &secret, &["--origin", SHOP]);
    let server = desk.serve(&["--mcp"]);
    let sent = format!("X-API-Key: {page}\r\nOrigin: {SHOP}\r\n");

    let batch = Connection::open(server.address())
        .unwrap()
        .post(
            "/api/v1/lot/tva",
            "application/json",
            br#"[{"montant":100,"taux":20,"sens":"ht"}]"#,
            &sent,
        )
        .unwrap();
    batch.problem(403, "cle_publiable_refusee");
    let tools = Connection::open(server.address())
        .unwrap()
        .post(
            "/mcp",
            "application/json",
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            &format!("{sent}Accept: application/json, text/event-stream\r\n"),
        )
        .unwrap();
    assert_eq!(tools.status, 403);
    assert_eq!(tools.json()["code"], "cle_publiable_refusee");
    let refused = call(&server, "GET", "/cle/usage", &sent);
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["code"], "cle_publiable_refusee");
    call(&server, "GET", B, &sent).problem(403, "cle_autre_version");

    // Not beside another key, and not without its mark.
    let both = format!("X-API-Key: {page}\r\nAuthorization: Bearer {secret}\r\nOrigin: {SHOP}\r\n");
    call(&server, "GET", A, &both).problem(401, "cle_refusee");
    for bad in [page.replace("pub_", ""), page.replace("pub_", "pub-")] {
        from(&server, &bad, SHOP).problem(401, "cle_refusee");
    }

    // A preflight has no key and costs nothing; it allows the header of the key.
    let asked = "Origin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\n\
                 Access-Control-Request-Headers: x-api-key\r\n";
    for _ in 0..50 {
        let preflight = call(&server, "OPTIONS", A, asked);
        assert_eq!(preflight.status, 200);
        assert_eq!(preflight.header("access-control-allow-origin"), "*");
        assert!(!preflight.has("ratelimit"));
        assert!(
            preflight
                .header("access-control-allow-headers")
                .contains("X-API-Key")
        );
    }
    let (quota, left, _) = rate_limit(&from(&server, &page, SHOP));
    assert_eq!(left, quota - 1, "nothing before was charged");
}

#[test]
fn its_calls_count_in_the_plan_and_in_a_limit_of_its_own_on_each_store() {
    let cluster = Cluster::start();
    for store in [None, cluster.as_ref().map(Cluster::address)] {
        let desk = store.map_or_else(Desk::new, Desk::on);
        let secret = desk.issue("a", "pro");
        let limited = ["--origin", SHOP, "--calls-per-day", "3"];
        let page = publish(&desk, &secret, &limited);
        let free = publish(&desk, &secret, &["--origin", SHOP, "--label", "Blog"]);
        let server = desk.serve(&[]);

        let (quota, left, _) = rate_limit(&with_key(&server, A, &secret));
        assert_eq!(left, quota - 1);
        for used in 2..5 {
            let answer = from(&server, &page, SHOP);
            assert_eq!(answer.status, 200);
            assert_eq!(rate_limit(&answer).1, quota - used, "of the plan");
        }
        let over = from(&server, &page, SHOP);
        assert_eq!(over.status, 429);
        assert_eq!(over.header("access-control-allow-origin"), SHOP);
        let body = over.json();
        assert_eq!(body["code"], "quota_depasse");
        assert_eq!(body["violated-policies"], serde_json::json!(["cle"]));
        assert_eq!((&body["limite"], &body["restant"]), (&3.into(), &0.into()));
        assert_eq!(
            rate_limit(&with_key(&server, A, &secret)).1,
            quota - 5,
            "the plan lost nothing by the refusal"
        );
        assert_eq!(rate_limit(&from(&server, &free, SHOP)).1, quota - 6);

        for (key, calls) in [(&page, 3), (&free, 1), (&secret, 6)] {
            let id = desk.id(key);
            eventually(
                "its own calls are shown, of the account for a secret one",
                || {
                    let shown = desk.keys(&["show", &id, "--format", "json"]);
                    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
                    shown["calls_today"] == calls
                },
            );
        }
    }
}

#[test]
fn the_operator_publishes_changes_lists_and_revokes_on_each_store() {
    let cluster = Cluster::start();
    for store in [None, cluster.as_ref().map(Cluster::address)] {
        let desk = store.map_or_else(Desk::new, Desk::on);
        let secret = desk.issue("a", "pro");
        let page = publish(&desk, &secret, &["--origin", SHOP, "--label", "Boutique"]);
        let id = desk.id(&page);
        let server = desk.serve(&[]);
        assert_eq!(from(&server, &page, SHOP).status, 200);

        let shown = desk.find(&page);
        assert_eq!(shown["kind"], "publishable");
        assert_eq!(shown["label"], "Boutique");
        assert_eq!(shown["origins"], serde_json::json!([SHOP]));
        assert_eq!(shown["account"], desk.find(&secret)["account"]);
        let plain = desk.find(&secret);
        assert_eq!(
            (&plain["kind"], &plain["origins"]),
            (&"secret".into(), &Value::Null)
        );
        let listed = String::from_utf8(desk.keys(&["list"]).stdout).unwrap();
        assert!(
            listed.contains(&format!("pub_…{}", &page[40..])),
            "{listed}"
        );
        let text = String::from_utf8(desk.keys(&["show", &id]).stdout).unwrap();
        assert!(text.contains(&format!("origins      {SHOP}\n")), "{text}");

        let changed = desk.keys(&["republish", &id, "--origin", HERE, "--calls-per-day", "9"]);
        assert!(changed.status.success(), "{changed:?}");
        eventually("the new origin is accepted, the old one refused", || {
            from(&server, &page, HERE).status == 200 && from(&server, &page, SHOP).status == 403
        });
        assert_eq!(
            desk.find(&page)["label"],
            "",
            "what is not given is taken away"
        );

        // What replaces it is of its kind; a secret key has no origins.
        let replaced = printed_key(&desk.keys(&["rotate", &id, "--overlap", "0"]));
        assert!(replaced.starts_with("bma_pub_"));
        assert_eq!(from(&server, &replaced, HERE).status, 200);
        eventually("the replaced key is refused", || {
            from(&server, &page, HERE).status == 401
        });
        let refused = desk.keys(&["republish", &desk.id(&secret), "--origin", SHOP]);
        assert!(!refused.status.success());
        assert!(String::from_utf8_lossy(&refused.stderr).contains("is secret"));

        assert!(desk.keys(&["revoke", &desk.id(&replaced)]).status.success());
        eventually("a revoked key is refused", || {
            from(&server, &replaced, HERE).status == 401
        });
        assert_eq!(with_key(&server, A, &secret).status, 200);

        let log = String::from_utf8(desk.keys(&["audit", &id]).stdout).unwrap();
        assert!(log.contains(&format!("publishable, from {SHOP}")), "{log}");
        assert!(log.contains(&format!("publishable, from {HERE}, at most 9 calls")));
        assert!(!log.contains("Boutique"), "{log}");
    }
}

#[test]
fn everything_wrong_with_a_declaration_is_reported_at_once() {
    let desk = Desk::new();
    let id = desk.id(&desk.issue("a", "pro"));
    let refused = desk.keys(&[
        "publish",
        &id,
        "--origin",
        "http://boutique.example.fr",
        "--origin",
        "https://*.fr",
        "--origin",
        SHOP,
        "--origin",
        "HTTPS://Boutique.Example.fr:443/",
        "--calls-per-day",
        "0",
    ]);
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stderr).unwrap();
    for part in [
        "--origin: `http://boutique.example.fr`: only https is accepted",
        "--origin: `https://*.fr`: a wildcard",
        "is declared twice",
        "--calls-per-day: It is not a number of calls",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let none = desk.keys(&["publish", &id]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("declared sites alone"));

    for number in 0..10 {
        let origin = format!("https://{number}.example.fr");
        printed_key(&desk.keys(&["publish", &id, "--origin", &origin]));
    }
    let many = desk.keys(&["publish", &id, "--origin", SHOP]);
    assert!(String::from_utf8_lossy(&many.stderr).contains("10 valid publishable keys"));
}

/// The text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap().0
}

fn page_of(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

#[test]
fn an_owner_publishes_renames_redeclares_and_revokes_on_his_page() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let server = desk.serve_as(&[], |command| mail.used_by(command));
    let secret = desk.issue("a", "pro");
    let id = desk.id(&secret);
    assert_eq!(
        server.post(OWNER, "courriel=claire@example.org", "").status,
        202
    );
    let link = link(&newest(&mail, &mut Vec::new()));
    let token = link.strip_prefix(&format!("{OWNER}?")).unwrap();
    let act = |key: &str, action: &str, fields: &str| {
        let form = format!("{token}&cle={key}&action={action}{fields}");
        server.post(OWNER, &form, "")
    };
    let shop = "%0D%0Ahttps%3A%2F%2Fboutique.example.fr%2F";

    // Everything that is wrong, with what was typed still there.
    let wrong = act(
        &id,
        "publier",
        &format!(
            "&nom=Boutique&origines=http%3A%2F%2Fa.example%0D%0Ahttp%3A%2F%2Fb.example{shop}{shop}\
             &appels_par_jour=x"
        ),
    );
    assert_eq!(wrong.status, 400);
    let text = page_of(&wrong);
    for part in [
        "seul https est accepté",
        "deux fois",
        "pas un nombre d’appels",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(
        text.contains("value=\"Boutique\"")
            && text.contains("http://a.example\nhttp://b.example\nhttps://boutique"),
        "{text}"
    );
    // What is expected of two sites is said once.
    assert_eq!(text.matches("puis le nom du site").count(), 1, "{text}");

    let issued = act(
        &id,
        "publier",
        &format!("&nom=Boutique&origines={shop}&appels_par_jour=50"),
    );
    assert_eq!(issued.status, 201);
    let text = page_of(&issued);
    let page = between(&text, "<code class=\"key\">", "<").to_owned();
    assert!(
        page.starts_with("bma_pub_") && text.contains(&format!("cle=&quot;{page}&quot;")),
        "{text}"
    );
    assert_eq!(from(&server, &page, SHOP).status, 200);
    assert_eq!(desk.find(&page)["calls_per_day"], 50);
    let shown = page_of(&server.get(&link));
    assert!(
        shown.contains(&format!("Clé publiable …{}, Boutique", &page[40..])),
        "{shown}"
    );
    assert!(!shown.contains(&page), "a key is shown once");

    let page_id = desk.id(&page);
    let changed = act(
        &page_id,
        "declarer",
        "&nom=Blog&origines=http%3A%2F%2Flocalhost%3A8080",
    );
    assert_eq!(changed.status, 200);
    assert!(page_of(&changed).contains("Blog"));
    eventually("the new origin is accepted, the old one refused", || {
        from(&server, &page, HERE).status == 200 && from(&server, &page, SHOP).status == 403
    });
    // A secret key gets no origins, nor the key of somebody else.
    assert_eq!(
        act(&id, "declarer", &format!("&origines={shop}")).status,
        400
    );
    let others = desk.keys(&["issue", "--plan", "pro", "--email", "eve@example.org"]);
    let others = desk.id(&printed_key(&others));
    assert_eq!(
        act(&others, "publier", &format!("&origines={shop}")).status,
        400
    );

    let rotated = act(&page_id, "remplacer", "");
    assert_eq!(rotated.status, 201);
    let new = between(&page_of(&rotated), "<code class=\"key\">", "<").to_owned();
    assert!(new.starts_with("bma_pub_"));
    assert_eq!(from(&server, &new, HERE).status, 200);
    assert_eq!(act(&desk.id(&new), "revoquer", "").status, 200);
    eventually("a revoked key is refused", || {
        from(&server, &new, HERE).status == 401
    });
    assert_eq!(with_key(&server, A, &secret).status, 200);

    let log = String::from_utf8(desk.keys(&["audit", &page_id]).stdout).unwrap();
    let by_owner = log.lines().filter(|line| line.contains(" owner ")).count();
    assert_eq!(by_owner, 4, "{log}");
}

#[test]
fn a_publishable_key_outlives_a_restore_as_what_it_is() {
    let desk = Desk::new();
    let secret = desk.issue("a", "pro");
    let page = publish(&desk, &secret, &["--origin", SHOP, "--calls-per-day", "7"]);
    let list = desk.place().join("keys.json");
    std::fs::write(&list, desk.keys(&["export"]).stdout).unwrap();

    let restored = Desk::new();
    let done = restored.keys(&["reconcile", "--from", list.to_str().unwrap()]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(restored.find(&page), desk.find(&page));
    let server = restored.serve(&[]);
    assert_eq!(from(&server, &page, SHOP).status, 200);
    from(&server, &page, HERE).problem(403, "origine_non_declaree");

    // A list without its origins, as a program before would write it, makes it no secret key.
    let text = std::fs::read_to_string(&list).unwrap();
    let members: Value = serde_json::from_str(&text).unwrap();
    let published = &members["keys"][1]["publication"];
    assert_eq!(published["origins"], serde_json::json!([SHOP]));
    let mut without = members.clone();
    without["keys"][1]["publication"] = Value::Null;
    std::fs::write(&list, without.to_string()).unwrap();
    let older = Desk::new();
    older.keys(&["reconcile", "--from", list.to_str().unwrap()]);
    let server = older.serve(&[]);
    with_key(&server, A, &page).problem(401, "cle_refusee");
    from(&server, &page, SHOP).problem(401, "cle_refusee");
}
