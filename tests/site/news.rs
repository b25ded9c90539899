//! What changes: a folder that is added, feeds, the pages of changes.

use harness::{Rules, Server, eventually};

use crate::pages::{page, pages};

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
    // Two folders do not give one sum of one law: that of another country is another law.
    let folder = rules.root().join("salaire-net/zz");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("kind: law, title: \"", "kind: law, title: \"Espérie, ");
        std::fs::write(&path, text).unwrap();
    }
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
fn changes_are_described_in_words_and_by_no_name_of_a_rule_file() {
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
        titles.len() == 101 && summaries.len() == 100 && items.len() >= 100,
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
