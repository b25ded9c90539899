//! `/cle`, for a person with a browser and for a program.

use harness::{Answer, Connection, Server};

use crate::desk::{A, B, Desk, rate_limit, with_key};

pub(crate) fn post(server: &Server, form: &str, headers: &str) -> Answer {
    server.post("/cle", form, headers)
}

pub(crate) const JSON: &str = "Accept: application/json\r\n";

fn page(answer: &Answer) -> String {
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "same-origin");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with(
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
        ),
        "{policy}"
    );
    assert!(
        !answer.has("access-control-allow-origin"),
        "no other site reads this"
    );
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(
        text.starts_with("<!DOCTYPE html><html lang=\"fr\">") && text.ends_with("</html>\n"),
        "{text}"
    );
    for refused in ["<script", "style=", "onclick"] {
        assert!(!text.contains(refused), "{refused} in {text}");
    }
    text
}

#[test]
fn the_form_asks_for_an_address_and_shows_the_plans() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let answer = server.get("/cle");
    assert_eq!(answer.status, 200);
    let text = page(&answer);
    for part in [
        "<form method=\"post\" action=\"/cle\">",
        "name=\"courriel\" type=\"email\"",
        "name=\"variante\" value=\"a\" checked",
        "name=\"variante\" value=\"b\"",
        "id=\"attribution\"",
        ">Calculs : Barème, https://bareme.example</pre>",
        "500\u{202f}000\u{a0}appels par jour",
        "appels illimités",
        // The prices of the two tables of plans.
        "<th scope=\"row\">Gratuite (Free)</th><td>0\u{a0}€</td>",
        "<th scope=\"row\">Pro</th><td>199\u{a0}€ HT par an<br>",
        "<th scope=\"row\">Entreprise (Business)</th><td>499\u{a0}€ HT par an<br>",
        "<th scope=\"row\">Grands volumes (Scale)</th><td>990\u{a0}€ HT par an<br>",
        "<th scope=\"row\">Gratuite (Free)</th><td>0\u{a0}€ par mois</td>",
        "<th scope=\"row\">Pro</th><td>19\u{a0}€ HT par mois<br>",
        "<th scope=\"row\">Sur mesure (Enterprise)</th><td>sur devis<br>",
        "points d’accès sur mesure",
        // How a paid plan is bought.
        "<a href=\"mailto:contact@bareme.example?subject=Offre%20Pro%20%28Version%20multi-pays%29\">Demander cette offre</a>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let style = server.get("/style.css");
    assert_eq!(
        (style.status, style.header("content-type")),
        (200, "text/css; charset=utf-8")
    );
    let mut connection = Connection::open(server.address()).unwrap();
    let head = connection.call("HEAD", "/cle", "").unwrap();
    assert_eq!(
        (head.status, head.header("content-length")),
        (200, answer.header("content-length"))
    );
    let options = connection.call("OPTIONS", "/cle", "").unwrap();
    assert_eq!(
        (options.status, options.header("allow")),
        (200, "GET, HEAD, POST, OPTIONS")
    );
    let deleted = connection.call("DELETE", "/cle", JSON).unwrap();
    assert_eq!(
        (deleted.status, deleted.header("allow")),
        (405, "GET, HEAD, POST, OPTIONS")
    );
}

#[test]
fn a_person_gets_a_key_at_once_and_sees_it_once() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let answer = post(
        &server,
        "courriel=claire%40example.org&variante=b",
        "Origin: http://localhost\r\n",
    );
    assert_eq!(answer.status, 201);
    let text = page(&answer);
    let key = text
        .split("<code class=\"key\">")
        .nth(1)
        .unwrap()
        .split("</code>")
        .next()
        .unwrap();
    assert!(key.starts_with("bfr_"), "{key}");
    assert_eq!(
        (
            rate_limit(&with_key(&server, B, key)).0,
            with_key(&server, A, key).status
        ),
        (100, 403)
    );
    assert!(text.contains("ne sera plus jamais affichée"));
    assert!(
        text.contains("Elle prend fin après 180\u{a0}jours sans appel."),
        "{text}"
    );
    let record = desk.find(key);
    assert_eq!(
        (&record["email"], &record["plan"]),
        (&"claire@example.org".into(), &"free".into())
    );
}

/// The hidden field with the id of a form.
fn once(page: &str) -> String {
    let after = page.split("name=\"formulaire\" value=\"").nth(1).unwrap();
    after.split('"').next().unwrap().to_owned()
}

#[test]
fn a_page_that_is_loaded_again_gives_no_second_key() {
    let desk = Desk::new();
    let server = desk.serve(&["--clock", "2027-05-05T10:00:00Z"]);
    let shown = page(&server.get("/cle"));
    let form = |shown: &str| format!("courriel=claire%40example.org&formulaire={}", once(shown));
    assert_eq!(post(&server, &form(&shown), "").status, 201);
    let again = post(&server, &form(&shown), "");
    assert_eq!(again.status, 409);
    let again = page(&again);
    assert!(
        again.contains("déjà été envoyé") && again.contains("value=\"claire@example.org\""),
        "{again}"
    );
    let keys = || desk.keys(&["list", "--format", "json"]).stdout;
    let count = |keys: Vec<u8>| {
        serde_json::from_slice::<serde_json::Value>(&keys)
            .unwrap()
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(keys()), 1);
    // The page that says so holds a form that can be sent, and what is no form of today cannot.
    post(&server, "courriel=claire@example.org&formulaire=x", JSON)
        .problem_unread(409, "formulaire_deja_envoye");
    assert_eq!(post(&server, &form(&again), "").status, 201);
    assert_eq!(count(keys()), 2);
    drop(server);
    let server = desk.serve(&["--clock", "2027-05-06T10:00:00Z"]);
    assert_eq!(
        post(&server, &form(&shown), "").status,
        409,
        "a page of yesterday"
    );
}

#[test]
fn a_program_gets_its_key_in_json() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let answer = post(&server, "courriel=claire@example.org", JSON);
    assert_eq!(
        (answer.status, answer.header("cache-control")),
        (201, "no-store")
    );
    let body = answer.json();
    let key = body["cle"].as_str().unwrap();
    assert_eq!(with_key(&server, A, key).status, 200);
    assert_eq!(
        (&body["variante"], &body["offre"]),
        (&"a".into(), &"free".into())
    );
    assert_eq!(
        (
            &body["appels_par_jour"],
            &body["expire_apres_jours_sans_appel"]
        ),
        (&1_000.into(), &180.into())
    );
    let end: jiff::Timestamp = body["expire"].as_str().unwrap().parse().unwrap();
    let days = end
        .duration_since(jiff::Timestamp::now())
        .as_secs()
        .div_euclid(86_400);
    assert_eq!(days, 179);
    assert_eq!(
        body["attribution"],
        "Calculs : Barème, https://bareme.example"
    );
    assert_eq!(
        post(&server, "email=claire@example.org", JSON).status,
        201,
        "the name that browsers fill in"
    );
}

#[test]
fn a_wrong_form_says_where() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    for (form, blamed) in [
        ("", &["courriel"][..]),
        ("courriel=", &["courriel"]),
        ("courriel=claire", &["courriel"]),
        ("courriel=a%40b", &["courriel"]),
        ("courriel=a%40b.fr%0d%0aBcc:c@d", &["courriel"]),
        ("courriel=claire@example.org&variante=c", &["variante"]),
        ("courriel=x&variante=c", &["courriel", "variante"]),
    ] {
        assert_eq!(post(&server, form, JSON).blamed(), blamed, "{form}");
        let answer = post(&server, form, "");
        assert_eq!(answer.status, 400);
        assert!(page(&answer).contains("class=\"wrong\" id=\"erreur\" role=\"alert\""));
    }
    let typed = page(&post(
        &server,
        "courriel=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "",
    ));
    assert!(
        typed.contains("value=\"&quot;&gt;&lt;script&gt;"),
        "{typed}"
    );
}

#[test]
fn a_page_of_another_site_cannot_ask_for_a_key() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    for headers in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\nOrigin: http://localhost\r\n",
    ] {
        post(
            &server,
            "courriel=claire@example.org",
            &format!("{JSON}{headers}"),
        )
        .problem_unread(403, "origine_refusee");
    }
    assert_eq!(
        String::from_utf8(desk.keys(&["list", "--format", "json"]).stdout).unwrap(),
        "[]\n"
    );
    let own = "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n";
    assert_eq!(
        post(&server, "courriel=claire@example.org", own).status,
        201
    );
}

#[test]
fn a_form_of_another_kind_or_size_is_refused() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let long = format!("courriel={}", "a".repeat(2_048));
    post(&server, &long, JSON).problem_unread(413, "formulaire_trop_long");
    let mut connection = Connection::open(server.address()).unwrap();
    let json = "{\"courriel\": \"claire@example.org\"}";
    let head = format!(
        "Content-Type: application/json\r\nContent-Length: {}\r\n{JSON}",
        json.len()
    );
    connection
        .send(format!("POST /cle HTTP/1.1\r\nHost: localhost\r\n{head}\r\n{json}").as_bytes())
        .unwrap();
    connection
        .receive(false)
        .unwrap()
        .problem_unread(415, "formulaire_illisible");
    // A form that never arrives is not waited for, so that it does not keep the connection.
    let mut connection = Connection::open(server.address()).unwrap();
    let head =
        format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n{JSON}");
    connection
        .send(format!("POST /cle HTTP/1.1\r\nHost: localhost\r\n{head}\r\ncourriel=").as_bytes())
        .unwrap();
    assert_eq!(connection.receive(false).unwrap().status, 503);
}

#[test]
fn an_address_gets_five_keys_a_day_and_nobody_stops_the_owner_of_a_mailbox() {
    let desk = Desk::new();
    let flags = [
        "--trusted-proxy",
        "127.0.0.1",
        "--clock",
        "2027-05-05T10:00:00Z",
    ];
    let server = desk.serve(&flags);
    let from = |address: &str, email: &str| {
        post(
            &server,
            &format!("courriel={email}"),
            &format!("{JSON}X-Forwarded-For: {address}\r\n"),
        )
    };
    for n in 0..5 {
        assert_eq!(from("192.0.2.1", &format!("a{n}@example.org")).status, 201);
    }
    let refused = from("192.0.2.1", "other@example.org");
    refused.problem_unread(429, "trop_de_cles");
    assert_eq!(
        refused.header("retry-after"),
        "Thu, 06 May 2027 00:00:00 GMT"
    );
    for n in 0..8 {
        assert_eq!(
            from(&format!("192.0.2.{}", 10 + n), "claire@example.org").status,
            201
        );
    }
    assert_eq!(
        from("192.0.2.20", "Claire@Example.org").status,
        201,
        "others asked in her name"
    );

    // A restart does not reset the limit.
    let mut server = server;
    server.terminate();
    server.ended_within(std::time::Duration::from_secs(5));
    let server = desk.serve(&flags);
    let again = post(
        &server,
        "courriel=other@example.org",
        &format!("{JSON}X-Forwarded-For: 192.0.2.1\r\n"),
    );
    again.problem_unread(429, "trop_de_cles");
}

/// Requests keys from successive addresses until one is refused by the limit; returns how many were
/// given, and how many failed on a busy machine, which may count or not.
fn until_refused(server: &Server, addresses: impl Iterator<Item = String>) -> (usize, usize) {
    let (mut given, mut unavailable) = (0, 0);
    for address in addresses {
        let forwarded = format!("{JSON}X-Forwarded-For: {address}\r\n");
        let answer = post(server, "courriel=claire@example.org", &forwarded);
        match answer.status {
            201 => given += 1,
            503 => unavailable += 1,
            _ => {
                answer.problem_unread(429, "trop_de_cles");
                assert_eq!(
                    answer.header("retry-after"),
                    "Thu, 06 May 2027 00:00:00 GMT"
                );
                return (given, unavailable);
            }
        }
    }
    panic!("never refused");
}

#[test]
fn an_ipv6_network_has_its_bound() {
    let desk = Desk::new();
    let server = desk.serve(&[
        "--trusted-proxy",
        "127.0.0.1",
        "--clock",
        "2027-05-05T10:00:00Z",
    ]);
    let (given, unavailable) =
        until_refused(&server, (0..60).map(|n| format!("2001:db8:1:{n:x}::1")));
    assert!(
        given <= 25 && given + unavailable >= 25,
        "{given} given, {unavailable} could not be"
    );
    let forwarded = format!("{JSON}X-Forwarded-For: 2001:db8:2::1\r\n");
    let neighbour = || post(&server, "courriel=claire@example.org", &forwarded).status;
    harness::eventually("the network beside it has its own", || neighbour() == 201);
}

#[test]
fn all_together_have_their_bound() {
    let desk = Desk::new();
    let flags = [
        "--trusted-proxy",
        "127.0.0.1",
        "--clock",
        "2027-05-05T10:00:00Z",
    ];
    drop(desk.serve(&flags));
    // Most of the daily limit is used up.
    let database = rusqlite::Connection::open(desk.file()).unwrap();
    let sql = "insert into daily_counts (day, subject, total) values (20943, zeroblob(16), 1990)";
    database.execute(sql, []).unwrap();
    drop(database);
    let server = desk.serve(&flags);
    let addresses = (0..60).map(|n| std::net::Ipv4Addr::from_bits(0xc612_0000 + n).to_string());
    let (given, unavailable) = until_refused(&server, addresses);
    assert!(
        given <= 10 && given + unavailable >= 10,
        "{given} given, {unavailable} could not be"
    );
}

#[test]
fn free_keys_of_one_address_have_a_ceiling_together() {
    let desk = Desk::new();
    let server = desk.serve(&["--trusted-proxy", "127.0.0.1"]);
    let paid = desk.issue("b", "pro");
    let keys: Vec<String> = (0..3).map(|_| desk.issue("b", "free")).collect();
    let mut connection = Connection::open(server.address()).unwrap();
    let mut call = |key: &str, address: &str| {
        connection
            .call(
                "GET",
                B,
                &format!("X-API-Key: {key}\r\nX-Forwarded-For: {address}\r\n"),
            )
            .unwrap()
    };
    let mut granted = |address: &str| {
        keys.iter()
            .map(|key| {
                (0..110)
                    .filter(|_| call(key, address).status == 200)
                    .count()
            })
            .collect::<Vec<_>>()
    };
    // Calls refused by the quota of a key do not count towards the limit of the address.
    assert_eq!(granted("2001:db8:1:2::1"), [100, 100, 0]);
    let refused = call(&keys[2], "2001:db8:1:2::ffff");
    let body = refused.problem(429, "quota_depasse");
    assert_eq!(
        (&body["violated-policies"][0], &body["limite"]),
        (&"adresse".into(), &200.into())
    );
    assert_eq!(
        refused.header("ratelimit-policy"),
        "\"adresse\";q=200;w=86400"
    );
    assert_eq!(
        call(&paid, "2001:db8:1:2::1").status,
        200,
        "a paid key has its own"
    );
    assert_eq!(
        call(&keys[2], "2001:db8:1:3::1").status,
        200,
        "the address beside it too"
    );
    let without = connection
        .call("GET", B, "X-Forwarded-For: 2001:db8:1:2::1\r\n")
        .unwrap();
    assert_eq!((without.status, rate_limit(&without).1), (200, 99));
}
