//! Simulators answer as the API does, and are found by the words that people use.

use std::collections::BTreeSet;

use harness::Server;

use crate::pages::{get, in_language, page, pages};

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
    let form = "/simulateurs/salaire-net/sn?point-de-depart=net\
                &montant-de-depart=300%C2%A0000%2C00&parts=2&statut=";
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
    // The example of a number is one of the language of the page.
    let french = "comme 2\u{202f}650,50.";
    for (address, expected) in [
        ("/simulateurs/salaire-net/sn?net=beaucoup", french),
        ("/?brut=beaucoup&par=mois&pays=salaire", french),
        ("/en/simulateurs/salaire?brut=plenty", "such as 2,650.50."),
    ] {
        let text = String::from_utf8(server.get(address).body).unwrap();
        assert!(
            text.contains(expected) && !text.contains("2650.50"),
            "{text}"
        );
    }
    let script =
        page(&server.get("/simulateurs/salaire-net/sn?brut=%3Cscript%3Ealert(1)%3C/script%3E"));
    assert!(!script.contains("<script>alert"), "{script}");
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

    // A word that nothing has does not hide the others.
    let near = page(&server.get("/simulateurs?q=frais+de+notaire+69"));
    assert!(
        near.contains("Rien ne répond à tous les mots")
            && near.contains("href=\"/simulateurs/frais-acquisition\""),
        "{near}"
    );

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

#[test]
fn the_topics_are_in_their_order_on_the_home_page_each_with_its_picture() {
    let server = Server::start();
    let topics = |home: &str| -> Vec<(String, String)> {
        let (_, grid) = home.split_once("<div class=\"reasons\">").unwrap();
        let headings = grid.split("<h3>").skip(1);
        let headings = headings.map(|rest| {
            let (heading, _) = rest.split_once("</h3>").unwrap();
            let (picture, title) = heading.split_once("</svg>").unwrap();
            (title.to_owned(), picture.to_owned())
        });
        headings.collect()
    };

    let shown = topics(&page(&server.get("/")));
    let titles: Vec<&str> = shown.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Je suis payé",
            "J’emploie",
            "J’entreprends",
            "J’achète ou je transmets",
            "Je déclare",
        ]
    );
    // Each has a drawing of its own, with the shapes that the file gives it.
    assert!(
        shown[4]
            .1
            .ends_with("d=\"M11 5h18l8 8v30H11z\"></path><path d=\"M29 5v8h8M17 20h14M17 26h6M20 34l4 4 9-10\"></path>"),
        "one path within the other would not be drawn: {}",
        shown[4].1
    );
    let pictures: BTreeSet<&str> = shown.iter().map(|(_, picture)| picture.as_str()).collect();
    assert_eq!(pictures.len(), 5);

    // In English, the topics of the calculations that are in English.
    let english = topics(&in_language(&server.get("/en"), "en"));
    let titles: Vec<&str> = english.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["I am paid", "I employ", "I run a business"]);
    assert_eq!(english[0].1, shown[0].1);
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

#[test]
fn a_link_to_a_case_shows_its_result_where_it_is_shared() {
    let server = Server::start();
    let meta = |address: &str, name: &str| {
        let text = String::from_utf8(server.get(address).body).unwrap();
        let start = text
            .split_once(&format!("<meta property=\"{name}\" content=\""))
            .unwrap()
            .1;
        let value = start.split_once('"').unwrap().0;
        value
            .replace(['\u{a0}', '\u{202f}'], " ")
            .replace("&amp;", "&")
    };

    let case = "/simulateurs/salaire?brut=42000&periode=annuel";
    assert_eq!(
        meta(case, "og:title"),
        "Net après impôt, au taux neutre : 30 663,81 € par an"
    );
    let description = meta(case, "og:description");
    assert!(
        description.contains("Salaire brut de la période : 42 000 €"),
        "{description}"
    );
    // What reads a link follows this address: that of the case, and not of the page.
    let address = meta(case, "og:url");
    assert!(address.ends_with(case), "{address}");

    let case = "/en/simulateurs/salaire-net/be?brut=3000";
    assert_eq!(
        meta(case, "og:title"),
        "Net pay for the month: €2,269.94 per month"
    );

    // The page itself, and a question that is refused, are shown by their title.
    for address in ["/simulateurs/salaire", "/simulateurs/salaire?brut=-1"] {
        let title = "Salaire brut en net, salarié du secteur privé en France";
        assert_eq!(meta(address, "og:title"), title, "{address}");
        assert!(meta(address, "og:url").ends_with("/simulateurs/salaire"));
    }
}

/// What a calculation answers is in words: a choice by its label, a comparison by what it compares.
#[test]
fn an_answer_is_in_words() {
    let server = Server::start();
    let shown = |path: &str| page(&get(&server, path)).replace(['\u{a0}', '\u{202f}'], " ");

    for (path, word, label) in [
        (
            "/simulateurs/ir",
            "celibataire",
            "Célibataire, divorcé ou séparé",
        ),
        (
            "/simulateurs/pret",
            "mensualites constantes",
            "Mensualités constantes",
        ),
    ] {
        let text = shown(path);
        let fields = text.split_once("id=\"champs\"").unwrap().1;
        let fields = fields.split("</table>").next().unwrap();
        assert!(!fields.contains(word), "{path}: {fields}");
        assert!(fields.contains(label), "{path}: {fields}");
    }

    // The step and the word have the same label in the law: the word has it in quotes alone.
    let vat = shown("/simulateurs/tva?montant=1000&sens=ttc");
    assert!(
        !vat.contains("« Montant saisi » = « Montant toutes taxes comprises »"),
        "{vat}"
    );
}

/// What a refused day is, and when it would be accepted, are in words.
#[test]
fn a_refused_day_is_in_words() {
    let server = Server::start();
    let text = page(&get(&server, "/simulateurs/salaire?date=2022-01-01"));
    let text = text.replace(['\u{a0}', '\u{202f}'], " ");
    let refused = text.split_once("class=\"refused\"").unwrap().1;
    assert!(refused.contains("Date du calcul : Aucun barème connu"));
    assert!(refused.contains("Attendu : une date à partir du 1er janvier 2023."));
}
