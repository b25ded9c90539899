//! Two years side by side, and the countries side by side.

use harness::{Rules, Server};

use crate::pages::page;

#[test]
fn two_years_are_side_by_side() {
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
    // A country with an endpoint of its own is beside those of the family.
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
    let rates = "exchange_rates:\n  date: 2026-11-20\n  publisher: \"Banque d'exemple\"\n  \
                 currency: EUR\n  rates: {MAD: 10.72}\n";
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
