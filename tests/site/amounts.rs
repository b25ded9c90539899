//! The fields of a pay that may each be typed: gross, net, net after tax, cost. The others follow.

use harness::Server;
use serde_json::Value;

use crate::pages::page;

/// What the field of an amount shows, with plain spaces.
fn field(text: &str, name: &str) -> String {
    let (_, after) = text
        .split_once(&format!("id=\"champ-{name}\""))
        .unwrap_or_else(|| panic!("no field {name} in {text}"));
    let (_, value) = after.split_once("value=\"").unwrap();
    let value = value.split('"').next().unwrap();
    value.replace(['\u{202f}', '\u{a0}'], " ")
}

/// An amount of an answer, as a field shows it.
fn written(amount: &Value) -> String {
    let plain = format!("{:.2}", amount.as_f64().unwrap()).replace('.', ",");
    let (whole, cents) = plain.split_at(plain.len() - 3);
    match whole.len() {
        4.. => {
            let (thousands, rest) = whole.split_at(whole.len() - 3);
            format!("{thousands} {rest}{cents}")
        }
        _ => plain,
    }
}

/// Whether a field is shown.
fn is_shown(text: &str, name: &str) -> bool {
    let (_, after) = text.split_once(&format!("data-champs=\"{name}\"")).unwrap();
    !after.split('>').next().unwrap().contains("hidden")
}

const DAY: &str = "date=2026-06-30";

#[test]
fn each_amount_of_a_pay_may_be_typed_and_the_others_follow() {
    let server = Server::start();
    // By hand: the cases of the folder.
    for (sent, brut, after) in [
        ("net_apres_impot=2000", 2621.61, 2000.0),
        ("net_apres_impot=4000&cadre=true", 6024.10, 4000.0),
        ("net=2075.25", 2621.61, 2000.0),
        ("brut=2621.61", 2621.61, 2000.0),
    ] {
        let answer = server
            .get(&format!(
                "/api/v1/salaire?{sent}&{DAY}&taux_pas=neutre&employeur=true"
            ))
            .json();
        assert_eq!(answer["brut"].as_f64(), Some(brut), "{sent}");
        assert_eq!(answer["net_apres_impot"].as_f64(), Some(after), "{sent}");

        // The page is asked without a rate and without the cost: it shows both all the same.
        let text = page(&server.get(&format!("/simulateurs/salaire?{sent}&{DAY}")));
        let typed = sent.split('=').next().unwrap();
        for (name, key) in [
            ("brut", "brut"),
            ("net", "net"),
            ("net_apres_impot", "net_apres_impot"),
            ("cout", "cout_employeur"),
        ] {
            if name != typed {
                assert_eq!(
                    field(&text, name),
                    written(&answer[key]),
                    "{name} of {sent}"
                );
            }
        }
        // What is paid is the net: one field is enough.
        assert!(
            is_shown(&text, "net") && !is_shown(&text, "net_a_payer"),
            "{sent}"
        );
    }

    let vouchers = "titres_restaurant=10&titre_restaurant_valeur=11";
    let text = page(&server.get(&format!("/simulateurs/salaire?brut=2500&{vouchers}&{DAY}")));
    let answer = server
        .get(&format!("/api/v1/salaire?brut=2500&{vouchers}&{DAY}"))
        .json();
    assert!(is_shown(&text, "net_a_payer"), "44 are withheld");
    assert_eq!(field(&text, "net_a_payer"), written(&answer["net_a_payer"]));
}

/// The label and the value of the result in large type, with plain spaces.
fn first(server: &Server, address: &str) -> (String, String) {
    let text = page(&server.get(address)).replace(['\u{202f}', '\u{a0}'], " ");
    let (_, after) = text.split_once("<div class=\"net\"><dt>").unwrap();
    let (label, after) = after.split_once("</dt><dd>").unwrap();
    let (value, _) = after.split_once(['<', '€', 'F']).unwrap();
    (label.to_owned(), value.trim().to_owned())
}

/// Who types a net asks for the gross; who types a budget asks what is left of it.
#[test]
fn the_amount_that_is_searched_is_the_result_in_large_type() {
    let server = Server::start();
    for (folder, call, sent, label, key) in [
        (
            "salaire",
            "salaire?",
            "net_apres_impot=2200",
            "Salaire brut de la période",
            "brut",
        ),
        (
            "salaire",
            "salaire?taux_pas=neutre&",
            "brut=2940.64",
            "Net après impôt, au taux neutre",
            "net_apres_impot",
        ),
        (
            "salaire",
            "salaire?taux_pas=neutre&",
            "cout=4000",
            "Net après impôt, au taux neutre",
            "net_apres_impot",
        ),
        (
            "salaire-net/be",
            "salaire-net?pays=be&",
            "net=2500",
            "Salaire brut du mois",
            "brut_mensuel",
        ),
        (
            "micro-entreprise",
            "micro-entreprise?",
            "activite=service_bic&net=20000",
            "Chiffre d’affaires encaissé, hors taxes, de la période",
            "ca",
        ),
    ] {
        let answer = server.get(&format!("/api/v1/{call}{sent}&{DAY}")).json();
        let shown = first(&server, &format!("/simulateurs/{folder}?{sent}&{DAY}"));
        assert_eq!(shown, (label.to_owned(), written(&answer[key])), "{sent}");
    }
    // The gross of an hour, beside that of a month.
    let text = page(&server.get(&format!("/simulateurs/salaire?net=10&par=heure&{DAY}")));
    let (_, first) = text.split_once("<div class=\"net\"><dt>").unwrap();
    let (first, _) = first.split_once("</div>").unwrap();
    assert!(first.contains("12,63\u{a0}€ de l’heure"), "{first}");
}

/// The value beside a label among the main results, with plain spaces.
fn result(server: &Server, address: &str, label: &str) -> Option<String> {
    let text = page(&server.get(address)).replace(['\u{202f}', '\u{a0}'], " ");
    let (_, after) = text.split_once(&format!("<dt>{label}</dt><dd>"))?;
    let (value, _) = after.split_once('€')?;
    Some(value.trim().to_owned())
}

/// A micro-entrepreneur asks for what is left after tax, a borrower for what is paid each month.
#[test]
fn the_main_results_hold_the_tax_and_the_insurance() {
    let server = Server::start();
    let micro = "/simulateurs/micro-entreprise?ca=45000&activite=service_bic";
    let flat = "Impôt sur le revenu, au versement libératoire";
    let taxed = "Revenu à ajouter aux revenus imposables du foyer";
    // By hand: 1.7 % of 45 000; 45 000 less the half of it.
    assert_eq!(result(&server, micro, flat).as_deref(), Some("765,00"));
    assert_eq!(result(&server, micro, taxed).as_deref(), Some("22 500,00"));
    // Who chose the flat rate has it by its own name, and nothing else to be taxed.
    let chosen = format!("{micro}&versement_liberatoire=true");
    let own = "Versement libératoire de l’impôt sur le revenu";
    assert_eq!(result(&server, &chosen, own).as_deref(), Some("765,00"));
    assert_eq!(result(&server, &chosen, flat), None);
    assert_eq!(result(&server, &chosen, taxed).as_deref(), Some("0,00"));

    // 1 437.09 a month, and a twelfth of 0.3 % of 250 000.
    let loan = "/simulateurs/pret?montant=250000&duree=240&taux=3.4&assurance=0.3";
    let with = "Mensualité, assurance comprise";
    assert_eq!(result(&server, loan, with).as_deref(), Some("1 499,59"));
}

/// Digits in a row are counted by nobody.
#[test]
fn an_amount_in_a_field_is_written_in_thousands() {
    let server = Server::start();
    let shown = |address: &str, name: &str| {
        let text = page(&server.get(address));
        let (_, after) = text.split_once(&format!("id=\"champ-{name}\"")).unwrap();
        let (_, value) = after.split_once("value=\"").unwrap();
        value.split('"').next().unwrap().to_owned()
    };
    for (address, name, expected) in [
        (
            "/simulateurs/partage?actif=600000&lien=enfant",
            "actif",
            "600\u{202f}000",
        ),
        (
            "/simulateurs/pret?montant=250000.5&duree=240&taux=3.4",
            "montant",
            "250\u{202f}000,5",
        ),
        // Neither a number of things nor a rate is one.
        (
            "/simulateurs/salaire?brut=2500&effectif=1200",
            "effectif",
            "1200",
        ),
        (
            "/simulateurs/frais-acquisition?prix=280000&taux_departemental=4.5",
            "taux_departemental",
            "4,5",
        ),
    ] {
        assert_eq!(shown(address, name), expected, "{address}");
    }
}

/// A form sends every field, with what each of them showed: the one that differs was typed.
#[test]
fn without_a_script_the_field_that_was_typed_is_known() {
    let server = Server::start();
    let shown = "affiche-brut=2+500&affiche-net=1+979,00&affiche-net_apres_impot=1+909,73&affiche-cout=3+200,00";
    for (typed, expected) in [
        (
            "brut=2+500&net=2+000&net_apres_impot=1+909,73&cout=3+200,00",
            "net=2000",
        ),
        (
            "brut=2+500&net=1+979,00&net_apres_impot=1+800&cout=3+200,00",
            "net_apres_impot=1800",
        ),
        (
            "brut=2+600&net=1+979,00&net_apres_impot=1+909,73&cout=3+200,00",
            "brut=2600",
        ),
        (
            "brut=&net=1+979,00&net_apres_impot=1+909,73&cout=4+000",
            "cout=4000",
        ),
        // Nothing was typed: the question starts from what it did.
        (
            "brut=2+500&net=1+979,00&net_apres_impot=1+909,73&cout=3+200,00",
            "brut=2500",
        ),
    ] {
        let text = page(&server.get(&format!(
            "/simulateurs/salaire?point-de-depart=brut&{shown}&{typed}"
        )));
        assert!(
            text.contains(&format!("data-lien=\"/simulateurs/salaire?{expected}\"")),
            "{typed}: {text}"
        );
    }

    // A link that gives two is refused, as the API does.
    let text = page(&server.get("/simulateurs/salaire?brut=2500&net=2000"));
    assert!(text.contains("Corrigez la saisie."), "{text}");
}

#[test]
fn an_amount_of_the_other_period_is_doubted_and_a_link_corrects_it() {
    let server = Server::start();
    let plain = |address: &str| {
        page(&server.get(address))
            .replace(['\u{202f}', '\u{a0}'], " ")
            .replace("&amp;", "&")
    };

    let text = plain("/simulateurs/salaire?brut=42000");
    assert!(
        text.contains(
            "42 000 € par mois ? <a href=\"/simulateurs/salaire?brut=42000&periode=annuel\">\
             Passer à par an</a>"
        ),
        "{text}"
    );
    let text = plain("/simulateurs/salaire?net=2000&periode=annuel");
    assert!(
        text.contains(
            "2 000 € par an ? <a href=\"/simulateurs/salaire?net=2000&periode=mensuel\">\
             Passer à par mois</a>"
        ),
        "{text}"
    );
    for usual in ["brut=6000", "brut=42000&periode=annuel", "brut=0"] {
        let text = plain(&format!("/simulateurs/salaire?{usual}"));
        assert!(!text.contains("Passer à"), "{usual}");
    }
}

#[test]
fn a_usual_situation_is_a_button_and_is_taken_back_by_it() {
    let server = Server::start();
    let buttons = |address: &str| -> Vec<(String, String)> {
        let text = page(&server.get(address)).replace(['\u{202f}', '\u{a0}'], " ");
        let links = text.split("<a class=\"button").skip(1);
        let links = links.map(|link| {
            let (_, link) = link.split_once("href=\"").unwrap();
            let (link, rest) = link.split_once('"').unwrap();
            let (_, rest) = rest.split_once('>').unwrap();
            let label = rest.split("</a>").next().unwrap();
            (label.to_owned(), link.replace("&amp;", "&"))
        });
        links.collect()
    };
    let link = |buttons: &[(String, String)], label: &str| {
        let found = buttons.iter().find(|(known, _)| known == label);
        found
            .unwrap_or_else(|| panic!("{label} in {buttons:?}"))
            .1
            .clone()
    };

    let first = buttons("/simulateurs/salaire?brut=2500");
    assert_eq!(
        link(&first, "Cadre"),
        "/simulateurs/salaire?brut=2500&cadre=true"
    );
    assert_eq!(
        link(&first, "Temps partiel, 80 %"),
        "/simulateurs/salaire?brut=2000&quotite=80"
    );
    // Part time is paid its part, and full time the whole again.
    let part = buttons("/simulateurs/salaire?brut=2000&quotite=80");
    assert_eq!(
        link(&part, "✓ Temps partiel, 80 %"),
        "/simulateurs/salaire?brut=2500"
    );
    assert_eq!(
        link(&part, "Cadre"),
        "/simulateurs/salaire?brut=2000&quotite=80&cadre=true"
    );
    assert_eq!(
        link(&part, "Apprenti"),
        "/simulateurs/salaire?brut=2500&contrat=apprenti"
    );

    // An apprentice is no executive: one takes the place of the other, part time of neither.
    let executive = buttons("/simulateurs/salaire?net=2000&cadre=true&quotite=80");
    assert_eq!(
        link(&executive, "✓ Cadre"),
        "/simulateurs/salaire?net=2000&quotite=80"
    );
    assert_eq!(
        link(&executive, "Apprenti"),
        "/simulateurs/salaire?net=2000&contrat=apprenti"
    );
    assert_eq!(
        link(&executive, "✓ Temps partiel, 80 %"),
        "/simulateurs/salaire?net=2000&cadre=true"
    );
}

#[test]
fn the_year_takes_over_what_was_typed_for_a_month() {
    let server = Server::start();
    let link = |address: &str| {
        let text = page(&server.get(address)).replace("&amp;", "&");
        let (before, _) = text
            .split_once("Une année de paies, mois par mois")
            .unwrap();
        before
            .rsplit("href=\"")
            .next()
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .to_owned()
    };
    let year = "/simulateurs/salaire/annee?annee=2026";

    // The gross that was found for a net, and the twelfth of a year.
    assert_eq!(
        link(&format!("/simulateurs/salaire?net_apres_impot=2000&{DAY}")),
        format!("{year}&brut=2621.61")
    );
    assert_eq!(
        link(&format!(
            "/simulateurs/salaire?brut=42000&periode=annuel&cadre=true&{DAY}"
        )),
        format!("{year}&brut=3500&cadre=true")
    );
    // A bonus is paid in its month, days of presence are those of their month.
    let bonus = link(&format!("/simulateurs/salaire?brut=2600&primes=1000&{DAY}"));
    assert_eq!(bonus, format!("{year}&brut=2600&primes-6=1000"));
    let days = link(&format!(
        "/simulateurs/salaire?brut=1300&jours=15&brut_mois_complet=2600&{DAY}"
    ));

    // What is linked to is the year that the API answers.
    let net = |query: &str| {
        let answer = server
            .get(&format!("/api/v1/salaire/annee?annee=2026&{query}"))
            .json();
        written(&answer["total"]["net"]).replacen(' ', "\u{202f}", 2)
    };
    for (link, query) in [
        (&bonus, "brut=2600&primes=0;0;0;0;0;1000;0;0;0;0;0;0"),
        (
            &days,
            "brut=2600;2600;2600;2600;2600;1300;2600;2600;2600;2600;2600;2600&\
             jours=;;;;;15;;;;;;&brut_mois_complet=;;;;;2600;;;;;;",
        ),
    ] {
        let text = page(&server.get(link));
        assert!(
            text.contains(&net(query)),
            "{link}: {} in {text}",
            net(query)
        );
    }
}

/// A franc has no half: what the law counts in halves is shown in whole francs.
#[test]
fn no_half_franc_is_shown() {
    let server = Server::start();
    let exact = server
        .get("/api/v1/salaire-net?pays=ci&brut=350005&date=2026-06-30")
        .json();
    assert_eq!(exact["tranches"][2]["montant"], 23101.05);

    let text = page(&server.get("/simulateurs/salaire-net/ci?brut=350005&date=2026-06-30"));
    let text = text.replace(['\u{202f}', '\u{a0}'], " ");
    let result = text.split("id=\"resultat\"").nth(1).unwrap();
    assert!(result.contains("23 101 F CFA"), "{result}");
    let halves: Vec<&str> = result
        .match_indices(" F CFA")
        .filter_map(|(at, _)| result.get(at.checked_sub(4)?..at))
        .filter(|before| before.contains(',') && before.ends_with(|end: char| end.is_ascii_digit()))
        .collect();
    assert_eq!(halves, Vec::<&str>::new());
}
