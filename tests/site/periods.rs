//! Amounts of an hour and of a year, where the law asks for those of a month.

use harness::Server;
use serde_json::Value;

use crate::pages::page;

const DAY: &str = "date=2026-06-30";

/// A page with plain spaces.
fn plain(server: &Server, address: &str) -> String {
    let text = page(&server.get(address));
    text.replace(['\u{202f}', '\u{a0}'], " ")
        .replace("&amp;", "&")
}

/// A number as a French page writes it: `1 895,83`.
fn french(value: &Value) -> String {
    let text = value.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "00"));
    let thousands = match whole.len() {
        0..=3 => whole.to_owned(),
        length => format!("{} {}", &whole[..length - 3], &whole[length - 3..]),
    };
    format!("{thousands},{decimals:0<2}")
}

/// The value shown in the field of an amount.
fn field<'p>(text: &'p str, name: &str) -> &'p str {
    let control = text.split(&format!("id=\"champ-{name}\"")).nth(1).unwrap();
    let value = control.split("value=\"").nth(1).unwrap();
    value.split('"').next().unwrap()
}

#[test]
fn an_amount_of_an_hour_is_that_of_the_hours_of_a_month() {
    let server = Server::start();

    // 1 820 hours of a year over twelve: 12.50 an hour are 1 895.83 a month, at 80 % 1 516.67.
    for (sent, month, link) in [
        ("brut=12.5&periode=heure", "brut=1895.83", "brut=12.5"),
        ("brut=12.5&par=heure", "brut=1895.83", "brut=12.5"),
        (
            "brut=12.5&par=heure&quotite=80",
            "brut=1516.67&quotite=80",
            "brut=12.5&quotite=80",
        ),
        ("net=10&par=heure", "net=1516.67", "net=10"),
    ] {
        let text = plain(&server, &format!("/simulateurs/salaire?{sent}&{DAY}"));
        let answer = server
            .get(&format!("/api/v1/salaire?{month}&taux_pas=neutre&{DAY}"))
            .json();
        let result = text.split("id=\"resultat\"").nth(1).unwrap();
        assert!(
            result.contains(&format!("{} €", french(&answer["net"]))),
            "{sent}: {answer} in {result}"
        );
        // The link holds what was typed, the call of the API what the law is asked.
        assert!(
            text.contains(&format!(
                "data-lien=\"/simulateurs/salaire?{link}&{DAY}&par=heure\""
            )) || text.contains(&format!("{DAY}&par=heure")) && text.contains(link),
            "{sent}"
        );
        assert!(text.contains(month.split('&').next().unwrap()), "{sent}");
    }

    let text = plain(
        &server,
        &format!("/simulateurs/salaire?brut=12.5&par=heure&{DAY}"),
    );
    assert_eq!(field(&text, "brut"), "12,5");
    assert!(
        text.contains("Sur la base de 151,67 heures par mois."),
        "{text}"
    );
    // What is left of an hour: the net of the month over its hours, to the nearest cent.
    let net = french(
        &server
            .get(&format!("/api/v1/salaire?brut=1895.83&{DAY}"))
            .json()["net"],
    );
    let cents: u32 = net.replace([' ', ','], "").parse().unwrap();
    let hour = (cents * 24 + 1820) / (2 * 1820);
    let hour = format!("{},{:02}", hour / 100, hour % 100);
    assert!(
        text.contains(&format!(", {hour} € de l’heure")),
        "{hour} in {text}"
    );

    // Morocco: 191 hours; the page offers no hour where the law of the country has none.
    let text = plain(
        &server,
        &format!("/simulateurs/salaire-net/ma?brut=20&par=heure&{DAY}"),
    );
    assert!(text.contains("brut=3820"), "{text}");
    let text = plain(&server, "/simulateurs/salaire-net/ci");
    assert!(text.contains("Par an</option>") && !text.contains("Par heure</option>"));
}

#[test]
fn an_amount_of_a_year_is_twelve_times_that_of_a_month() {
    let server = Server::start();
    let text = plain(
        &server,
        &format!("/simulateurs/salaire-net/ci?brut=4200000&par=an&{DAY}"),
    );
    let answer = server
        .get(&format!("/api/v1/salaire-net?pays=ci&brut=350000&{DAY}"))
        .json();
    let net = answer["net_mensuel"].as_i64().unwrap();
    let year = field(&text, "net").replace(' ', "");
    assert_eq!(year, (net * 12).to_string());
    assert!(text.contains("brut=4200000") && text.contains("brut=350000"));

    // Without a script, the field that was typed stays that of the year.
    let shown = "affiche-brut=4+200+000&affiche-net=1";
    let text = plain(
        &server,
        &format!(
            "/simulateurs/salaire-net/ci?point-de-depart=brut&brut=4+800+000&net=1&{shown}&par=an&{DAY}"
        ),
    );
    assert!(text.contains("brut=400000"), "{text}");
}

#[test]
fn an_amount_of_an_hour_is_not_taken_for_one_of_a_month() {
    let server = Server::start();
    for (folder, sent, doubt) in [
        (
            "salaire",
            "brut=12.5",
            "12,50 € par mois ? <a href=\"/simulateurs/salaire?brut=12.5&par=heure\">Passer à par \
             heure</a>",
        ),
        (
            "salaire",
            "brut=2650&par=heure",
            "2 650 € par heure ? <a href=\"/simulateurs/salaire?brut=2650&periode=mensuel\">Passer \
             à par mois</a>",
        ),
        (
            "salaire-net/ci",
            "brut=4200000",
            "4 200 000 F CFA par mois ? <a href=\"/simulateurs/salaire-net/ci?brut=4200000&par=an\">\
             Passer à par an</a>",
        ),
    ] {
        let text = plain(&server, &format!("/simulateurs/{folder}?{sent}"));
        assert!(text.contains(doubt), "{doubt} in {text}");
    }
}

#[test]
fn the_home_page_takes_an_amount_of_an_hour() {
    let server = Server::start();
    let text = plain(&server, "/?brut=12,50&par=heure&pays=salaire");
    let net = server.get("/api/v1/salaire?brut=1895.83").json();
    assert!(
        text.contains(&format!("{} €", french(&net["net"]))),
        "{text}"
    );
    assert!(text.contains("/simulateurs/salaire?brut=12.50&"), "{text}");

    // A country whose law fixes no hours of a month says so.
    let text = plain(&server, "/?brut=12,50&par=heure&pays=salaire-net/ci");
    assert!(
        text.contains("ne fixe pas ici les heures d’un mois"),
        "{text}"
    );
}
