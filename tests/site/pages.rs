//! The pages for people, as they are sent.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use harness::{Answer, Connection, Rules, Server};

use crate::{post, with_quotas};

pub(crate) fn page(answer: &Answer) -> String {
    in_language(answer, "fr")
}

/// A page in a language, which it states.
pub(crate) fn in_language(answer: &Answer, language: &str) -> String {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(
        !answer.has("access-control-allow-origin"),
        "a page is not for scripts of other sites"
    );
    assert!(!answer.has("set-cookie"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let lower = text.to_ascii_lowercase();
    assert!(
        lower.starts_with(&format!("<!doctype html><html lang=\"{language}\">"))
            && text.ends_with("</html>\n"),
        "{text}"
    );
    for refused in ["style=\"", "<style", "onclick", "<script>"] {
        assert!(!text.contains(refused), "{refused} in {text}");
    }

    text
}

/// Answer to a request with headers, from a visitor with an address of its own: a hundred pages at
/// once are more than an address may have.
pub(crate) fn asked(server: &Server, path: &str, headers: &str) -> Answer {
    static VISITORS: AtomicU32 = AtomicU32::new(0x7f00_2000);
    let visitor = VISITORS.fetch_add(1, Ordering::Relaxed);
    let visitor = IpAddr::from(visitor.to_be_bytes());
    let mut connection = Connection::open_from(visitor, server.address()).unwrap();
    connection.call("GET", path, headers).unwrap()
}

/// Answer to a request without headers.
pub(crate) fn get(server: &Server, path: &str) -> Answer {
    asked(server, path, "")
}

/// Answer to a request for a page with every step of its calculation, where it has one.
pub(crate) fn with_steps(server: &Server, path: &str) -> Answer {
    let answer = get(server, path);
    let text = String::from_utf8_lossy(&answer.body);
    let Some((before, _)) = text.split_once("#etapes\" data-etapes") else {
        return answer;
    };
    let (_, query) = before.rsplit_once("href=\"?").unwrap();

    let path = path.split('?').next().unwrap();
    let answer = get(server, &format!("{path}?{}", query.replace("&amp;", "&")));
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("<ol class=\"steps\">"), "{path}: {text}");
    answer
}

/// The links of a page within the site, as text.
fn links(page: &str) -> Vec<String> {
    let values = ["href=\"", "src=\""]
        .into_iter()
        .flat_map(|name| page.split(name).skip(1).collect::<Vec<_>>());
    let links = values
        .filter_map(|rest| rest.split('"').next())
        .map(|link| link.replace("&amp;", "&"));
    links.filter(|link| link.starts_with('/')).collect()
}

/// The paths of the French pages in the site map.
pub(crate) fn pages(server: &Server) -> Vec<String> {
    let mut paths = all(server);
    paths.retain(|path| !is_english(path));
    paths
}

/// The paths of the English pages in the site map.
pub(crate) fn english(server: &Server) -> Vec<String> {
    let mut paths = all(server);
    paths.retain(|path| is_english(path));
    paths
}

fn is_english(path: &str) -> bool {
    path == "/en" || path.starts_with("/en/")
}

/// The paths of the site map.
fn all(server: &Server) -> Vec<String> {
    let answer = server.get("/sitemap.xml");
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/xml; charset=utf-8")
    );
    let text = String::from_utf8(answer.body).unwrap();
    let paths = text
        .split("<loc>https://bareme.example")
        .skip(1)
        .filter_map(|rest| rest.split("</loc>").next());
    paths.map(str::to_owned).collect()
}

#[test]
fn every_example_of_the_page_for_developers_is_answered() {
    let server = Server::start();
    let api = page(&server.get("/api"));
    let calls: Vec<String> = links(&api)
        .into_iter()
        .filter(|link| link.starts_with("/api/") && link.contains('?'))
        .collect();
    // Six endpoints, one of them with a member a country.
    assert!(calls.len() >= 5 + 11, "{calls:?}");

    for call in &calls {
        assert_eq!(server.get(call).status, 200, "{call}");
    }

    let shown = server.get(&calls[0]).json();
    let first = shown.as_object().unwrap().iter().next().unwrap();
    assert!(
        api.contains(&format!("&quot;{}&quot;: {}", first.0, first.1)),
        "the answer that is shown is the real one"
    );
}

#[test]
fn every_page_has_its_head_and_every_link_leads_somewhere() {
    let server = Server::start();
    let paths = pages(&server);
    assert!(paths.len() > 60, "{paths:?}");
    let mut targets = std::collections::BTreeSet::new();
    let mut titles = std::collections::BTreeSet::new();

    for path in &paths {
        let text = page(&get(&server, path));
        let title = text
            .split("<title>")
            .nth(1)
            .unwrap()
            .split("</title>")
            .next()
            .unwrap()
            .to_owned();
        assert!(titles.insert(title.clone()), "two pages are called {title}");
        assert!(text.contains("<meta name=\"description\""), "{path}");
        assert!(
            text.contains(&format!(
                "<link rel=\"canonical\" href=\"https://bareme.example{path}\">"
            )),
            "{path}"
        );
        targets.extend(
            links(&text)
                .into_iter()
                .map(|link| link.split('#').next().unwrap().to_owned()),
        );
    }

    // A hundred simulators at once are more than an address may have: each is asked from its own.
    for (target, visitor) in targets.iter().zip(0x7f00_0100_u32..) {
        let visitor = IpAddr::from(visitor.to_be_bytes());
        let mut connection = Connection::open_from(visitor, server.address()).unwrap();
        let answer = connection.call("GET", target, "").unwrap();
        assert_eq!(answer.status, 200, "{target}");
    }
}

#[test]
fn every_call_of_the_guides_is_answered_as_they_say() {
    let server = Server::start();
    let mut calls = 0;

    let (french, english) = (pages(&server), english(&server));
    let is_guide = |path: &&String| path.contains("/documentation/");
    assert!(english.iter().filter(is_guide).count() >= 8, "{english:?}");
    for path in french.iter().chain(&english).filter(is_guide) {
        let language = if is_english(path) { "en" } else { "fr" };
        let text = in_language(&get(&server, path), language).replace("&amp;", "&");
        for part in text.split("data-appel=\"").skip(1) {
            let call = part.split('"').next().unwrap();
            let status: u16 = part
                .split("data-statut=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(get(&server, call).status, status, "{call} on {path}");
            calls += 1;
        }
    }

    assert!(calls >= 15, "{calls}");
}

#[test]
fn a_key_says_what_it_used_today_and_is_not_charged_for_that() {
    let server = with_quotas();
    let issued = post(
        &server,
        "/cle",
        "courriel=claire@example.org",
        "Accept: application/json\r\n",
    )
    .json();
    let key = issued["cle"].as_str().unwrap();
    let header = format!("X-API-Key: {key}\r\n");
    let mut connection = Connection::open(server.address()).unwrap();

    for _ in 0..3 {
        assert_eq!(
            connection
                .call("GET", harness::GOOD, &header)
                .unwrap()
                .status,
            200
        );
    }

    for header in [
        &header,
        &header,
        &format!("Authorization: Bearer {key}\r\n"),
    ] {
        let usage = connection.call("GET", "/cle/usage", header).unwrap();
        assert_eq!(
            (usage.status, usage.header("cache-control")),
            (200, "no-store")
        );
        let usage = usage.json();
        assert_eq!(
            (&usage["appels_aujourd_hui"], &usage["restants"]),
            (&3.into(), &997.into())
        );
        assert!(
            usage["reinitialisation"]
                .as_str()
                .unwrap()
                .ends_with("T00:00:00Z"),
            "{usage}"
        );
    }

    let shown = page(&post(&server, "/cle/usage", &format!("cle={key}"), ""));
    assert!(
        shown.contains("<dd id=\"appels\">3</dd>") && !shown.contains(key),
        "{shown}"
    );
    let wrong = post(&server, "/cle/usage", "cle=bma_rien", "");
    assert_eq!(wrong.status, 401);
    assert!(
        String::from_utf8(wrong.body)
            .unwrap()
            .contains("role=\"alert\"")
    );
    connection
        .call("GET", "/cle/usage", "X-API-Key: bma_rien\r\n")
        .unwrap()
        .problem_unread(401, "cle_refusee");
    assert_eq!(
        post(
            &server,
            "/cle/usage",
            &format!("cle={key}"),
            "Origin: https://evil.example\r\n"
        )
        .status,
        403
    );
}

#[test]
fn the_first_page_is_light() {
    let server = Server::start();
    let start = std::time::Instant::now();
    let home = page(&server.get("/"));
    let files: Vec<String> = links(&home)
        .into_iter()
        .filter(|link| link.ends_with(".js") || link.ends_with(".css") || link.ends_with(".svg"))
        .collect();
    let bytes: usize = home.len()
        + files
            .iter()
            .map(|file| server.get(file).body.len())
            .sum::<usize>();
    assert!(bytes < 150_000, "{bytes}");
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let mut connection = Connection::open(server.address()).unwrap();
    let mut sent = |path: &str| connection.call("GET", path, GZIP).unwrap().body.len();
    let sent: usize = sent("/") + files.iter().map(|file| sent(file)).sum::<usize>();
    println!("the first page is {bytes} bytes, {sent} as gzip");
    assert!(sent < 30_000, "{sent}");
}

const GZIP: &str = "Accept-Encoding: gzip, deflate, br\r\n";

#[test]
fn pages_are_compressed_for_who_reads_gzip() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();

    for path in [
        "/",
        "/style.css",
        "/baremes/ir",
        "/simulateurs/ir",
        "/site/reference/swagger-ui-bundle.js",
    ] {
        let plain = connection.call("GET", path, "").unwrap();
        let small = connection.call("GET", path, GZIP).unwrap();
        assert!(!plain.has("content-encoding"), "{path}");
        // The home page is also in the language that a visitor reads.
        let vary = match path {
            "/" => "Accept-Encoding, Accept-Language, Sec-Fetch-Site",
            _ => "Accept-Encoding",
        };
        assert_eq!((plain.header("vary"), small.header("vary")), (vary, vary));
        assert_eq!(small.header("content-encoding"), "gzip", "{path}");
        assert!(
            small.body.starts_with(&[0x1f, 0x8b]) && small.body.len() * 2 < plain.body.len(),
            "{path}"
        );
        assert_ne!(plain.header("etag"), small.header("etag"));
        let known = format!("{GZIP}If-None-Match: {}\r\n", small.header("etag"));
        assert_eq!(
            connection.call("GET", path, &known).unwrap().status,
            304,
            "{path}"
        );
    }

    // What fits one packet is sent as it is.
    assert!(
        !connection
            .call("GET", "/icone.svg", GZIP)
            .unwrap()
            .has("content-encoding")
    );
}

#[test]
fn the_type_of_a_problem_is_explained_where_it_says() {
    let server = Server::start();
    for bad in ["/nowhere", "/api/v1/ir?revenu=x"] {
        let body = server.get(bad).json();
        let path = body["type"]
            .as_str()
            .unwrap()
            .strip_prefix("https://bareme.example")
            .unwrap();
        let text = page(&server.get(path));
        assert!(
            text.contains(body["title"].as_str().unwrap())
                && text.contains(body["code"].as_str().unwrap()),
            "{text}"
        );
    }

    server
        .get("/erreurs/rien-de-tel")
        .problem(404, "adresse_inconnue");
    server.get("/index.html").problem(404, "adresse_inconnue");
}

/// `Accept` field of a browser.
pub(crate) const BROWSER: &str =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n";

/// The page of a failure, which a person gets.
fn failure(server: &Server, target: &str, status: u16) -> String {
    failure_in(server, target, status, "fr")
}

/// The same in a language.
fn failure_in(server: &Server, target: &str, status: u16, language: &str) -> String {
    let mut answer = Connection::open(server.address())
        .unwrap()
        .call("GET", target, BROWSER)
        .unwrap();
    assert_eq!(
        (
            answer.status,
            answer.header("cache-control"),
            answer.header("vary")
        ),
        (status, "no-store", "Accept")
    );
    answer.status = 200;
    in_language(&answer, language)
}

#[test]
fn a_mistyped_address_is_a_page_to_a_person_and_json_to_a_program() {
    let server = Server::start();
    for (typed, meant) in [
        ("/simulateur/salaire-net/sn", "/simulateurs/salaire-net/sn"),
        ("/simulateurs/", "/simulateurs"),
        ("/sn", "/simulateurs/salaire-net/sn"),
        ("/Comparer", "/comparer"),
    ] {
        let text = failure(&server, typed, 404);
        let proposed = text.split("<main").nth(1).unwrap();
        assert!(
            proposed.contains(&format!("href=\"{meant}\"")),
            "{meant} in {proposed}"
        );
        server.get(typed).problem(404, "adresse_inconnue");
    }

    // A part of the site by its name, rather than by its address.
    let text = failure_in(&server, "/en/simulateurs/", 404, "en");
    assert!(
        text.contains("<a href=\"/en/simulateurs\">Calculators</a></li>"),
        "{text}"
    );

    let text = failure(&server, "/%3Cscript%3E", 404);
    assert!(
        text.contains("Page introuvable") && !text.contains("Cherchiez-vous"),
        "{text}"
    );
    // The interface answers in JSON whoever asks.
    let mut connection = Connection::open(server.address()).unwrap();
    connection
        .call("GET", "/api/v1/rien", BROWSER)
        .unwrap()
        .problem(404, "adresse_inconnue");
}

#[test]
fn pages_are_kept_by_browsers_and_answer_like_everything_else() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();

    for path in [
        "/",
        "/erreurs",
        "/style.css",
        "/icone.svg",
        "/simulateurs/ir",
        "/baremes/ir",
    ] {
        let got = connection.call("GET", path, "").unwrap();
        let known = format!("If-None-Match: {}\r\n", got.header("etag"));
        assert_eq!(
            connection.call("GET", path, &known).unwrap().status,
            304,
            "{path}"
        );
        let head = connection.call("HEAD", path, "").unwrap();
        assert_eq!(head.header("content-length"), got.body.len().to_string());
        assert_eq!(
            connection
                .call("OPTIONS", path, "")
                .unwrap()
                .header("allow"),
            "GET, HEAD, OPTIONS"
        );
        assert_eq!(connection.call("DELETE", path, "").unwrap().status, 405);
    }
}

#[test]
fn the_first_page_follows_the_rules() {
    let rules = Rules::copy();
    rules.replace(
        "service.yaml",
        "title: \"Barème\"",
        "title: \"Le <Barème> d’été\"",
    );
    let server = Server::with(&rules.root(), &[]);
    let home = page(&server.get("/"));
    assert!(home.contains("Le &lt;Barème&gt; d’été</a>"), "{home}");
    assert!(
        home.contains("<title>Le &lt;Barème&gt; d’été</title>"),
        "{home}"
    );
}
