//! Pages for somebody who wants to pay, or has lost a key.

use harness::{Answer, Connection, Rules, Server};

use crate::desk::Desk;

fn page(server: &Server, path: &str) -> (Answer, String) {
    let mut connection = Connection::open(server.address()).unwrap();
    let answer = connection
        .call("GET", path, "Accept: text/html,*/*;q=0.8\r\n")
        .unwrap();
    assert!(
        answer.header("content-type").starts_with("text/html"),
        "{path}: {:?}",
        answer.headers
    );
    let text = String::from_utf8(answer.body.clone()).unwrap();
    (answer, text)
}

#[test]
fn each_paid_plan_says_how_it_is_bought_and_a_lost_key_has_an_answer() {
    let rules = Rules::copy();
    rules.replace(
        "service.yaml",
        "contact: contact@bareme.example",
        "contact: aide@bareme.example",
    );
    let bought = "{title: Pro, price: \"199 € HT par an\"";
    rules.replace(
        "service.yaml",
        bought,
        &format!("{bought}, buy: \"https://buy.example/pro\""),
    );
    let desk = Desk::new().with_rules(rules);
    let server = desk.serve(&[]);
    for path in ["/api", "/cle"] {
        let (answer, text) = page(&server, path);
        assert_eq!(answer.status, 200);
        assert!(text.contains("href=\"https://buy.example/pro\""), "{path}");
        let asked = text
            .matches("href=\"mailto:aide@bareme.example?subject=Offre")
            .count();
        assert_eq!(asked, 4, "{path}: the paid plans without a link");
    }
    let (_, form) = page(&server, "/cle");
    assert!(
        form.contains("id=\"perdue\"") && form.contains("href=\"mailto:aide@bareme.example\""),
        "{form}"
    );
}

#[test]
fn terms_privacy_and_legal_notice_are_the_operators_own() {
    let desk = Desk::new();
    let pages = desk.place().join("pages");
    std::fs::create_dir(&pages).unwrap();
    let own = "## Éditeur\n\nLa société Exemple, pour {service}. <b>x</b>\n";
    std::fs::write(pages.join("mentions-legales.md"), own).unwrap();
    let server = desk.serve(&["--pages", pages.to_str().unwrap()]);
    let (_, home) = page(&server, "/");
    for (path, said) in [
        ("/conditions", "Portée des calculs"),
        ("/confidentialite", "ne déposent aucun cookie"),
        (
            "/mentions-legales",
            "La société Exemple, pour Barème. &lt;b&gt;x",
        ),
    ] {
        let (answer, text) = page(&server, path);
        assert_eq!(answer.status, 200);
        assert!(text.contains(said), "{path}: {text}");
        assert!(
            home.contains(&format!("href=\"{path}\"")),
            "{path} at the foot of every page"
        );
    }
    std::fs::write(pages.join("conditions.md"), "Nos conditions.\n").unwrap();
    assert!(
        page(&server, "/conditions").1.contains("Nos conditions."),
        "an edit shows at once"
    );

    let (missing, text) = page(&server, "/condition");
    assert_eq!(missing.status, 404);
    assert!(text.contains("Page introuvable") && text.contains("lang=\"fr\""));
    server
        .get("/condition")
        .problem_unread(404, "adresse_inconnue");
}
