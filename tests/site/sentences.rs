//! Sentences of the simulators that hold in odd cases, and the page for developers.

use harness::Server;

use crate::pages::page;

/// The result of a simulator, with plain spaces.
fn result(server: &Server, address: &str) -> String {
    let text = page(&server.get(address)).replace(['\u{202f}', '\u{a0}'], " ");
    text.split("id=\"resultat\"").nth(1).unwrap().to_owned()
}

#[test]
fn a_warning_about_the_age_names_what_was_sent() {
    let server = Server::start();
    for (sent, parameter) in [
        ("age=63", "age"),
        ("date_naissance=1962-03-01", "date_naissance"),
    ] {
        let answer = server
            .get(&format!("/api/v1/chomage?sjr=100&{sent}&date=2026-02-01"))
            .json();
        let warnings = answer["avertissements"].as_array().unwrap();
        let of_age: Vec<_> = warnings
            .iter()
            .filter(|warning| warning["code"] == "regles_d_age_non_appliquees")
            .collect();
        assert_eq!(of_age.len(), 1, "{answer}");
        assert_eq!(of_age[0]["parametre"], parameter);
    }
}

#[test]
fn a_loss_is_no_profit() {
    let server = Server::start();
    for (profit, beginning) in [
        ("-200", "Avec une perte de 200 € par an, les cotisations"),
        ("0", "Sans bénéfice, les cotisations"),
        ("200", "Sur un bénéfice de 200 € par an, les cotisations"),
        ("40000", "Sur un bénéfice de 40 000 € par an, il vous reste"),
    ] {
        for date in ["2024-06-30", "2026-06-30"] {
            let query = format!("activite=artisan&benefice={profit}&date={date}");
            let shown = result(&server, &format!("/simulateurs/independant?{query}"));
            assert!(shown.contains(beginning), "{beginning} in {shown}");

            let answer = server.get(&format!("/api/v1/independant?{query}")).json();
            let net = answer["net"].as_i64().unwrap();
            let lacking = format!("il vous manque {} €", grouped(net.unsigned_abs()));
            assert_eq!(shown.contains(&lacking), net < 0, "{lacking} in {shown}");
        }
    }
}

/// A whole amount with its thousands separated.
fn grouped(amount: u64) -> String {
    match (amount / 1000, amount % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands} {rest:03}"),
    }
}

#[test]
fn a_rate_has_its_sign_beside_it() {
    let server = Server::start();
    let loan = "/simulateurs/pret?montant=180000&duree=216&taux=3.15";
    let answer = server.get("/api/v1/pret?montant=180000&duree=216&taux=3.15");
    let rate = answer.json()["taeg"].to_string().replace('.', ",");
    let rate = rate.strip_suffix(",0").unwrap_or(&rate).to_owned();
    let shown = result(&server, loan);
    assert!(
        shown.contains(&format!("<dt>TAEG</dt><dd>{rate} %</dd>")),
        "{rate} in {shown}"
    );
}

#[test]
fn who_has_no_employer_reads_nothing_of_employees() {
    let server = Server::start();
    let shown = result(
        &server,
        "/simulateurs/micro-entreprise?activite=vente&ca=24000",
    );
    let (before, _) = shown.split_once("id=\"etapes\"").unwrap();
    for words in ["salarié", "Bulletin", "du brut"] {
        assert!(!before.contains(words), "{words} in {before}");
    }
    assert!(before.contains("Cotisations et contributions"), "{before}");
}

#[test]
fn the_next_bracket_is_not_counted_from_below_an_allowance() {
    let server = Server::start();
    let shown = result(&server, "/simulateurs/succession?part=50000&lien=enfant");
    assert!(!shown.contains("de la tranche à"), "{shown}");
    // 150 000 less the allowance of 100 000: the bracket of 30 % begins at 552 324.
    let shown = result(&server, "/simulateurs/succession?part=150000&lien=enfant");
    assert!(
        shown.contains("À <strong>502 324,00 €</strong> de la tranche à <strong>30 %</strong>."),
        "{shown}"
    );
}

#[test]
fn the_home_page_leads_developers_to_one_page() {
    let server = Server::start();
    let home = page(&server.get("/"));
    assert!(home.contains("href=\"/api\"") && !home.contains("id=\"appel\""));
    let api = page(&server.get("/api"));
    for part in [
        "id=\"appel\"",
        "id=\"reponse\"",
        "href=\"/cle\"",
        "href=\"/documentation/clients\"",
        "href=\"/documentation/reference/a\"",
        "id=\"offres\"",
        "id=\"attribution\"",
    ] {
        assert!(api.contains(part), "{part}");
    }

    // The form works without a script: a refused call is shown as it is answered.
    let tried = page(&server.get("/api?appel=/api/v1/ir?revenus=1"));
    assert!(tried.contains("parametres_invalides"), "{tried}");
}

#[test]
fn a_bonus_a_million_times_the_gross_leaves_the_curves_on_their_axes() {
    let server = Server::start();
    // The average rate at a thousandth of a franc is a thousand million percent.
    let path = "/simulateurs/salaire-net/cg?brut=0.55&primes=9672.25&date=2026-06-30";
    let text = page(&server.get(path));
    let drawing = text.split("class=\"drawing\"").nth(1).unwrap();
    let lines = drawing.split("points=\"").skip(1);
    let points: Vec<&str> = lines
        .filter_map(|line| line.split('"').next())
        .flat_map(str::split_whitespace)
        .collect();
    assert!(points.len() > 20, "{drawing}");
    for point in points {
        let (x, y) = point.split_once(',').unwrap();
        let is_within = |text: &str, most: i32| (0..=most).contains(&text.parse().unwrap());
        assert!(is_within(x, 480) && is_within(y, 560), "{point}");
    }
}
