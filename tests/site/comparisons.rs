//! Two years side by side, and the countries side by side.

use harness::{Rules, Server};

use crate::pages::{in_language, page};

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
        .get("/api/v1/salaire?brut=500000&employeur=true&taux_pas=neutre")
        .json();
    let shown = row(&own, "salaire").replace(',', ".");
    for name in ["net_apres_impot", "cout_employeur"] {
        let amount = format!("{:.2} €", france[name].as_f64().unwrap());
        assert!(shown.contains(&amount), "{name} in {shown}");
    }

    // The tax that France withholds is that of the neutral rate; the link asks for the same.
    assert!(
        shown.contains("Net après impôt. au taux neutre")
            && shown.contains("brut=500000&amp;taux_pas=neutre&amp;employeur=true\""),
        "{shown}"
    );
    let switzerland = row(&own, "salaire-net/ch");
    assert!(switzerland.contains("avant impôt"), "{switzerland}");
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

    let has = |group: &str, country: &str| group.contains(&format!("<span>{country}</span>"));
    assert!(has(before, "Suisse") && !has(taxed, "Suisse"));
    for country in ["France", "Sénégal"] {
        assert!(has(taxed, country) && !has(before, country), "{country}");
    }
}

/// The folders of a comparison, in the order of its rows.
fn folders(page: &str) -> Vec<&str> {
    let rows = page.split("data-bareme=\"").skip(1);
    rows.filter_map(|row| row.split('"').next()).collect()
}

#[test]
fn the_countries_that_are_chosen_are_compared_alone() {
    let server = Server::start();
    let chosen = "pays=salaire&pays=salaire-net%2Fbe&pays=salaire-net%2Fch&pays=salaire-net%2Flu";
    let text = page(&server.get(&format!("/comparer?montant=4500&devise=EUR&{chosen}")));
    // Switzerland waits for a rate, the only one that is asked for: it comes last.
    assert_eq!(
        folders(&text),
        [
            "salaire-net/be",
            "salaire",
            "salaire-net/lu",
            "salaire-net/ch"
        ]
    );
    let rates: Vec<&str> = text
        .split("id=\"taux-")
        .skip(1)
        .map(|rate| &rate[..3])
        .collect();
    assert_eq!(rates, ["CHF"]);
    assert_eq!(text.matches("type=\"checkbox\"").count(), 23);
    assert_eq!(text.matches(" checked").count(), 4, "{text}");
    // The fields below the result are of the form above it, which leads to the result.
    assert!(text.contains("action=\"/comparer#resultat\"") && text.contains("id=\"resultat\""));
    assert!(
        text.contains("name=\"taux-CHF\" form=\"comparaison\""),
        "{text}"
    );

    let given = page(&server.get(&format!("/comparer?montant=4500&taux-CHF=0,93&{chosen}")));
    assert_eq!(
        folders(&given),
        [
            "salaire-net/be",
            "salaire",
            "salaire-net/lu",
            "salaire-net/ch"
        ]
    );
    assert!(
        row(&given, "salaire-net/ch").contains("4185,00 CHF"),
        "{given}"
    );
}

#[test]
fn what_is_no_country_is_named_and_the_others_are_compared() {
    let server = Server::start();
    let compared = |path: &str, chosen: &str| {
        let language = if path.starts_with("/en/") { "en" } else { "fr" };
        let answer = server.get(&format!("{path}?montant=4500&devise=locale{chosen}"));
        let text = in_language(&answer, language);
        let wrong = text.split_once("id=\"pays-inconnus\"").map(|(_, rest)| {
            let (wrong, _) = rest.split_once("</div>").unwrap();
            wrong.replace(['\u{a0}', '\u{202f}'], " ")
        });
        let folders: Vec<String> = folders(&text).into_iter().map(str::to_owned).collect();
        (folders, wrong)
    };

    // The names of a country are those of the interface, in any case and with or without accents.
    for name in [
        "salaire-net%2Fsn",
        "sn",
        "SEN",
        "S%C3%A9n%C3%A9gal",
        "senegal",
    ] {
        let (folders, wrong) = compared("/comparer", &format!("&pays={name}"));
        assert_eq!(
            (folders.as_slice(), wrong),
            (&["salaire-net/sn".to_owned()][..], None)
        );
    }
    for name in ["salaire", "fr", "FRA", "France"] {
        let (folders, wrong) = compared("/comparer", &format!("&pays={name}"));
        assert_eq!(
            (folders.as_slice(), wrong),
            (&["salaire".to_owned()][..], None)
        );
    }
    assert_eq!(compared("/comparer", "").0.len(), 23);
    assert_eq!(compared("/comparer", "&pays=").0.len(), 23);

    // One that is none is named, with the one that is near, and the others are compared.
    let (folders, wrong) = compared("/comparer", "&pays=Senegol&pays=ma");
    assert_eq!(folders, ["salaire-net/ma"]);
    let wrong = wrong.unwrap();
    assert!(
        wrong.contains("« Senegol » n’est pas un pays")
            && wrong.contains("pays=salaire-net%2Fsn&amp;pays=ma\">Sénégal</a> ?")
            && !wrong.contains("aucun pays"),
        "{wrong}"
    );
    let (_, wrong) = compared("/en/comparer", "&pays=Canada&pays=ma");
    let wrong = wrong.unwrap();
    assert!(
        wrong.contains("“Canada” is not a country") && wrong.contains(">Quebec</a>?"),
        "{wrong}"
    );

    // Of none that is one, nothing is compared.
    let (folders, wrong) = compared("/comparer", "&pays=zz&pays=%3Cb%3E&pays=zz");
    let wrong = wrong.unwrap();
    assert_eq!(
        (folders.len(), wrong.matches("n’est pas un pays").count()),
        (0, 2)
    );
    assert!(
        wrong.contains("&lt;b&gt;") && wrong.contains("Il ne reste aucun pays"),
        "{wrong}"
    );
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
