//! The pages for people, as they are sent.

use harness::{Answer, Connection, Rules, Server, eventually};

use crate::{post, with_quotas};

pub(crate) fn page(answer: &Answer) -> String {
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
        lower.starts_with("<!doctype html><html lang=\"fr\">") && text.ends_with("</html>\n"),
        "{text}"
    );
    for refused in ["style=\"", "<style", "onclick", "<script>"] {
        assert!(!text.contains(refused), "{refused} in {text}");
    }
    text
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

/// The paths of the site map.
pub(crate) fn pages(server: &Server) -> Vec<String> {
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
fn every_example_of_the_first_page_is_answered() {
    let server = Server::start();
    let home = page(&server.get("/"));
    let calls: Vec<String> = links(&home)
        .into_iter()
        .filter(|link| link.starts_with("/api") && link.contains('?'))
        .collect();
    // Six endpoints, one of them with a member a country.
    assert!(calls.len() >= 5 + 11, "{calls:?}");
    for call in &calls {
        assert_eq!(server.get(call).status, 200, "{call}");
    }
    let shown = server.get(&calls[0]).json();
    let first = shown.as_object().unwrap().iter().next().unwrap();
    assert!(
        home.contains(&format!("&quot;{}&quot;: {}", first.0, first.1)),
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
        let text = page(&server.get(path));
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
    for target in targets {
        // A hundred simulators in a second are more than an address may have.
        eventually(&target, || match server.get(&target).status {
            429 => false,
            status => {
                assert_eq!(status, 200, "{target}");
                true
            }
        });
    }
}

#[test]
fn every_call_of_the_guides_is_answered_as_they_say() {
    let server = Server::start();
    let mut calls = 0;
    for path in pages(&server)
        .iter()
        .filter(|path| path.starts_with("/documentation/"))
    {
        let text = page(&server.get(path)).replace("&amp;", "&");
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
            assert_eq!(server.get(call).status, status, "{call} on {path}");
            calls += 1;
        }
    }
    assert!(calls >= 15, "{calls}");
}

#[test]
fn a_simulator_gives_what_the_interface_gives() {
    let server = Server::start();
    for (folder, query) in [
        ("salaire-net/sn", "brut=450000&parts=2"),
        ("salaire-net/ma", "net=9000"),
        ("salaire-net/ci", "cout=800000"),
        ("salaire-net/be", "brut=4000&date=2025-06-01"),
        ("salaire", "brut=3000&cadre=true"),
    ] {
        // No tax is withheld from it there.
        let label = if folder == "salaire" {
            "Net avant impôt"
        } else {
            "Salaire net du mois"
        };
        let call = match folder.split_once('/') {
            Some((family, word)) => format!("/api/v1/{family}?pays={word}&{query}"),
            None => format!("/api/v1/{folder}?{query}"),
        };
        let answer = server.get(&call).json();
        let net = ["net_mensuel", "net"]
            .iter()
            .find_map(|name| answer[name].as_f64())
            .unwrap();
        let text = page(&server.get(&format!("/simulateurs/{folder}?{query}")));
        let shown = text
            .split(&format!("<dt>{label}</dt><dd>"))
            .nth(1)
            .unwrap()
            .split("</dd>")
            .next()
            .unwrap();
        let shown = shown.split('\u{a0}').next().unwrap();
        let shown: f64 = shown
            .replace('\u{202f}', "")
            .replace(',', ".")
            .parse()
            .unwrap();
        assert!((shown - net).abs() < 0.001, "{call}: {shown} for {net}");
    }
}

#[test]
fn what_a_form_sends_is_read_as_people_write_it_and_refusals_name_their_field() {
    let server = Server::start();
    let form = "/simulateurs/salaire-net/sn?point-de-depart=net&montant-de-depart=300%C2%A0000%2C00&parts=2&statut=";
    let text = page(&server.get(form));
    assert!(
        text.contains("<dt>Salaire net du mois</dt><dd>300\u{202f}000"),
        "{text}"
    );
    assert!(
        text.contains("data-lien=\"/simulateurs/salaire-net/sn?net=300000.00&amp;parts=2\""),
        "{text}"
    );
    let text = page(&server.get("/simulateurs/salaire-net/sn?brut=beaucoup&parts=12&inconnu=1"));
    for (part, count) in [
        ("data-champ=\"brut\"", 1),
        ("data-champ=\"parts\"", 1),
        ("data-champ=\"inconnu\"", 1),
    ] {
        assert_eq!(text.matches(part).count(), count, "{part} in {text}");
    }
    assert!(
        text.contains("role=\"alert\"") && text.contains("aria-invalid=\"true\""),
        "{text}"
    );
    let script =
        page(&server.get("/simulateurs/salaire-net/sn?brut=%3Cscript%3Ealert(1)%3C/script%3E"));
    assert!(!script.contains("<script>alert"), "{script}");
}

#[test]
fn two_years_stand_side_by_side() {
    let server = Server::start();
    let text = page(
        &server.get("/simulateurs/salaire-net/tn?brut=3000&date=2026-03-01&comparer-a=2024-01-01"),
    );
    assert!(
        text.contains("<th class=\"n\" scope=\"col\">01/01/2024</th>")
            && text.contains("<th class=\"n\" scope=\"col\">Écart</th>"),
        "{text}"
    );
    let scale = page(&server.get("/baremes/salaire-net/tn"));
    assert!(
        scale.contains("<mark>") && scale.contains("01/01/2024"),
        "{scale}"
    );
}

/// The row of a folder in a comparison, without the spaces between thousands, and with plain ones
/// elsewhere.
fn row(page: &str, folder: &str) -> String {
    let (_, after) = page
        .split_once(&format!("data-bareme=\"{folder}\""))
        .unwrap();
    after
        .split("</tr>")
        .next()
        .unwrap()
        .replace('\u{202f}', "")
        .replace('\u{a0}', " ")
}

#[test]
fn the_comparison_gives_every_country_its_own_currency_or_the_rates_that_are_given() {
    let server = Server::start();
    let own = page(&server.get("/comparer?montant=500000&devise=locale"));
    let net =
        server.get("/api/v1/salaire-net?pays=sn&brut=500000").json()["net_mensuel"].to_string();
    let shown = row(&own, "salaire-net/sn");
    assert!(shown.contains(&format!("{net} F CFA")), "{shown}");
    // A country with an endpoint of its own stands beside those of the family.
    let france = server
        .get("/api/v1/salaire?brut=500000&employeur=true")
        .json();
    let shown = row(&own, "salaire").replace(',', ".");
    for name in ["net", "cout_employeur"] {
        let amount = format!("{:.2} €", france[name].as_f64().unwrap());
        assert!(shown.contains(&amount), "{name} in {shown}");
    }
    assert!(shown.contains("avant impôt"), "{shown}");
    // The law fixes what a franc CFA is worth, whatever the visitor types.
    let converted = page(&server.get("/comparer?montant=1000&devise=EUR&taux-XOF=700"));
    let shown = row(&converted, "salaire-net/sn");
    assert!(
        shown.contains("655957 F CFA") && shown.contains("1000,00 €"),
        "{shown}"
    );
    assert!(converted.contains("98/683/CE") && !converted.contains("id=\"taux-XOF\""));
    // Those whose rate is not given are there too, with the field that waits for it.
    assert!(
        row(&converted, "salaire-net/ma")
            .contains("<a href=\"#taux-MAD\">Donnez le taux de change</a>")
    );
    assert!(converted.contains("id=\"taux-MAD\""));
    let given = page(&server.get("/comparer?montant=1000&devise=EUR&taux-MAD=10,72"));
    assert!(row(&given, "salaire-net/ma").contains("10720,00 DH"));
}

#[test]
fn a_comparison_shows_every_country_by_name_and_ranks_like_with_like() {
    let server = Server::start();
    let text = page(&server.get("/comparer?montant=3000&devise=locale"));
    let names: Vec<&str> = text
        .split("data-bareme=\"")
        .skip(1)
        .map(|row| {
            row.split("<a href=\"")
                .nth(1)
                .unwrap()
                .split('>')
                .nth(1)
                .unwrap()
                .split('<')
                .next()
                .unwrap()
        })
        .collect();
    assert_eq!(names.len(), 23, "{names:?}");
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap();
    assert!(
        place("Algérie") < place("Belgique") && place("Bénin") < place("Burkina Faso"),
        "{names:?}"
    );
    assert!(
        place("Congo-Brazzaville") < place("Côte d’Ivoire") && place("France") < place("Gabon"),
        "{names:?}"
    );
    // Nets from which the tax is still to be paid have bars of their own.
    let (taxed, before) = text.split_once("Avant impôt sur le revenu").unwrap();
    let (_, taxed) = taxed.split_once("impôt déduit</figcaption>").unwrap();
    for country in ["France", "Suisse"] {
        assert!(
            before.contains(&format!("<span>{country}</span>")),
            "{country}"
        );
        assert!(
            !taxed.contains(&format!("<span>{country}</span>")),
            "{country}"
        );
    }
    assert!(taxed.contains("<span>Sénégal</span>"));
}

#[test]
fn the_owners_of_a_service_may_give_dated_rates() {
    let rules = Rules::copy();
    let rates = "exchange_rates:\n  date: 2026-11-20\n  publisher: \"Banque d'exemple\"\n  currency: EUR\n  rates: {MAD: 10.72}\n";
    rules.replace(
        "service.yaml",
        "parities: parites\n",
        &format!("parities: parites\n{rates}"),
    );
    let server = Server::with(&rules.root(), &[]);
    let text = page(&server.get("/comparer?montant=1000"));
    assert!(
        text.contains("Banque d’exemple") && text.contains("value=\"10,72\""),
        "{text}"
    );
    assert!(row(&text, "salaire-net/ma").contains("10720,00 DH"));
    // What the visitor types goes before it.
    assert!(
        row(
            &page(&server.get("/comparer?montant=1000&taux-MAD=11")),
            "salaire-net/ma"
        )
        .contains("11000,00 DH")
    );
}

#[test]
fn a_folder_that_is_added_shows_itself_everywhere() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    assert!(!pages(&server).contains(&"/simulateurs/salaire-net/zz".to_owned()));
    harness::copy_folder(
        &rules.root().join("salaire-net/sn"),
        &rules.root().join("salaire-net/zz"),
    );
    let method = rules.root().join("salaire-net/zz/method.yaml");
    let text = std::fs::read_to_string(&method).unwrap();
    let text = text
        .replace("salaire-net/sn", "salaire-net/zz")
        .replace("{text: sn,", "{text: zz,");
    let text = text.replace("aliases: \"Sénégal; sen\"", "aliases: \"Espérie\"");
    std::fs::write(
        &method,
        text.replace("Salaire net au Sénégal", "Salaire net en Espérie"),
    )
    .unwrap();
    let cases = rules.root().join("salaire-net/zz/cases.yaml");
    let text = std::fs::read_to_string(&cases)
        .unwrap()
        .replace("pays: sn", "pays: zz");
    std::fs::write(&cases, text).unwrap();
    eventually("the new folder is listed", || {
        pages(&server).contains(&"/simulateurs/salaire-net/zz".to_owned())
    });
    assert!(page(&server.get("/simulateurs/salaire-net/zz")).contains("Espérie"));
    assert!(
        page(&server.get("/comparer?montant=500000&devise=locale"))
            .contains("data-bareme=\"salaire-net/zz\"")
    );
    assert!(
        String::from_utf8(server.get("/baremes.atom").body)
            .unwrap()
            .contains("/baremes/salaire-net/zz#")
    );
    assert!(
        String::from_utf8(server.get("/api/v1/openapi.json").body)
            .unwrap()
            .contains("Espérie")
    );
    assert!(page(&server.get("/simulateurs")).contains("Espérie"));
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
        assert_eq!(
            (plain.header("vary"), small.header("vary")),
            ("Accept-Encoding", "Accept-Encoding")
        );
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
fn feeds_and_rules_for_robots() {
    let server = Server::start();
    for path in [
        "/baremes.atom",
        "/baremes/ir.atom",
        "/baremes/salaire-net/sn.atom",
    ] {
        let answer = server.get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/atom+xml; charset=utf-8")
        );
        let text = String::from_utf8(answer.body).unwrap();
        assert!(
            text.starts_with("<?xml")
                && text.contains("<entry>")
                && text.contains(&format!("<id>https://bareme.example{path}</id>")),
            "{text}"
        );
    }
    let robots = String::from_utf8(server.get("/robots.txt").body).unwrap();
    assert!(
        robots.contains("Sitemap: https://bareme.example/sitemap.xml")
            && robots.contains("Disallow: /api/v1/"),
        "{robots}"
    );
}

#[test]
fn changes_are_told_in_words_and_by_no_name_of_a_rule_file() {
    let server = Server::start();
    let feed = String::from_utf8(server.get("/baremes.atom").body).unwrap();
    let between = |text: &str, open: &str, close: &str| -> Vec<String> {
        text.split(open)
            .skip(1)
            .filter_map(|rest| rest.split(close).next())
            .map(str::to_owned)
            .collect()
    };
    let titles = between(&feed, "<title>", "</title>");
    let summaries = between(&feed, "<summary>", "</summary>");
    let items = between(&page(&server.get("/baremes/changements")), "<li>", "</li>");
    assert!(
        titles.len() == 61 && summaries.len() == 60 && items.len() >= 60,
        "{} {}",
        summaries.len(),
        items.len()
    );
    for text in titles.iter().chain(&summaries).chain(&items) {
        // Addresses aside.
        let words = text
            .split('<')
            .map(|part| part.split_once('>').map_or(part, |(_, words)| words));
        for words in words {
            assert!(!words.contains('_'), "{text}");
        }
    }
    let of_income = String::from_utf8(server.get("/baremes/ir.atom").body).unwrap();
    assert!(
        of_income.contains("de 1\u{202f}791") && of_income.contains("à 1\u{202f}807"),
        "{of_income}"
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
    page(&answer)
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
    assert!(page(&server.get("/")).contains("<h1>Le &lt;Barème&gt; d’été</h1>"));
}

/// A simulator is found by the words that people use, whatever their case and accents.
#[test]
fn simulators_are_found_by_the_words_that_people_use() {
    let server = Server::start();
    for (words, folder) in [
        ("frais%20de%20notaire", "frais-acquisition"),
        ("auto-entrepreneur", "micro-entreprise"),
        ("IMPOT+SUR+LA+FORTUNE", "ifi"),
        ("S%C3%A9n%C3%A9gal", "salaire-net/sn"),
        ("arr%C3%AAt+maladie", "indemnites-journalieres"),
    ] {
        let found = page(&server.get(&format!("/simulateurs?q={words}")));
        assert!(
            found.contains(&format!("href=\"/simulateurs/{folder}\"")),
            "{words}: {found}"
        );
        assert!(
            !found.contains("href=\"/simulateurs/tva\""),
            "{words}: {found}"
        );
    }
    let none = page(&server.get("/simulateurs?q=%3Cb%3Exyz"));
    assert!(
        none.contains("Rien ne répond à")
            && none.contains("&lt;b&gt;xyz")
            && none.contains("/simulateurs/ir\""),
        "{none}"
    );
    let all = page(&server.get("/simulateurs"));
    for heading in [
        "Je suis payé",
        "J’emploie",
        "J’entreprends",
        "J’achète ou je transmets",
        "Je déclare",
    ] {
        assert!(
            all.contains(&format!("<h2>{heading}</h2>")),
            "{heading}: {all}"
        );
    }
}

/// A simulator opens on a case that is answered.
#[test]
fn every_simulator_opens_on_an_answer() {
    let server = Server::start();
    for path in pages(&server)
        .iter()
        .filter(|path| path.starts_with("/simulateurs/"))
    {
        let shown = page(&server.get(path));
        assert!(
            shown.contains("class=\"headline\"") && !shown.contains("role=\"alert\""),
            "{path}: {shown}"
        );
    }
}
