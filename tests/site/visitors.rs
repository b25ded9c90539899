//! What visitors type and ask next: months in years, words of their own, the pay of a year with a
//! thirteenth month, the calculation that goes on from an answer.

use harness::Server;

use crate::pages::{in_language, page};

/// A page with plain spaces and addresses.
fn plain(server: &Server, address: &str) -> String {
    page(&server.get(address))
        .replace(['\u{202f}', '\u{a0}'], " ")
        .replace("&amp;", "&")
}

/// The address of the link with these words.
fn link(text: &str, words: &str) -> String {
    let (before, _) = text
        .split_once(&format!("\">{words}</a>"))
        .unwrap_or_else(|| panic!("{words}: {text}"));
    before.rsplit("href=\"").next().unwrap().to_owned()
}

#[test]
fn months_are_taken_in_years() {
    let server = Server::start();
    for (folder, sent, typed, expected) in [
        ("pret", "montant=180000&taux=3.15", "20+ans", "240"),
        ("pret", "montant=180000&taux=3.15", "1+an+6+mois", "18"),
        ("is", "resultat=50000&ca=600000", "1+an+et+3+mois", "15"),
    ] {
        let input = if folder == "pret" { "duree" } else { "mois" };
        let text = plain(
            &server,
            &format!("/simulateurs/{folder}?{sent}&{input}={typed}"),
        );
        assert!(
            text.contains(&format!("{input}={expected}")),
            "{typed}: {text}"
        );
        assert!(!text.contains("Corrigez la saisie."), "{typed}");
    }
    // What is no number of months is refused in words.
    let text = plain(
        &server,
        "/simulateurs/pret?montant=180000&taux=3.15&duree=vingt+ans",
    );
    assert!(
        text.contains("Écrivez un nombre de mois, ou d’années : 240, ou 20 ans."),
        "{text}"
    );
}

#[test]
fn months_that_are_most_likely_years_are_doubted() {
    let server = Server::start();
    let text = plain(
        &server,
        "/simulateurs/pret?montant=250000&duree=20&taux=3.5",
    );
    assert!(
        text.contains(
            "20 mois ? <a href=\"/simulateurs/pret?montant=250000&duree=240&taux=3.5\">\
             Passer à 20 ans</a>"
        ) || text.contains(
            "20 mois ? <a href=\"/simulateurs/pret?montant=250000&taux=3.5&duree=240\">\
             Passer à 20 ans</a>"
        ),
        "{text}"
    );
    for usual in [
        // A car is paid back in months, a house in years.
        "montant=5000&duree=20&taux=3.5",
        "montant=250000&duree=240&taux=3.5",
        "montant=250000&duree=120&taux=3.5",
    ] {
        let text = plain(&server, &format!("/simulateurs/pret?{usual}"));
        assert!(!text.contains("Passer à"), "{usual}");
    }
}

#[test]
fn a_thirteenth_month_is_part_of_the_pay_of_a_year() {
    let server = Server::start();
    let words = "Treizième mois : le brut en 13 fois, mois par mois";
    // By hand: 42 000 / 13 is 3 230.77, and twelve of them leave 3 230.76.
    for (address, gross) in [
        (
            "/simulateurs/salaire?brut=42000&periode=annuel",
            ["3230.77", "3230.76"],
        ),
        (
            "/simulateurs/salaire-net/ma?brut=156000&par=an",
            ["12000", "12000"],
        ),
    ] {
        let year = link(&plain(&server, address), words);
        let [month, last] = gross;
        assert!(year.contains(&format!("brut={month}&")), "{year}");
        assert!(year.ends_with(&format!("primes-12={last}")), "{year}");
        let text = plain(&server, &year);
        assert!(!text.contains("Corrigez la saisie."), "{year}");
    }
    // The year adds up to what was typed.
    let year = link(
        &plain(&server, "/simulateurs/salaire?brut=42000&periode=annuel"),
        words,
    );
    let text = plain(&server, &year);
    assert!(text.contains("42 000,00 €"), "{text}");

    // A month has the button that adds one.
    let month = plain(&server, "/simulateurs/salaire?brut=3500");
    assert!(month.contains("+ Treizième mois") && !month.contains(words));
}

#[test]
fn what_a_bonus_adds_is_shown_after_tax_too() {
    let server = Server::start();
    let asked = "brut=3500&cadre=true&taux_pas=neutre&date=2026-11-30";
    let text = plain(
        &server,
        &format!("/simulateurs/salaire?{asked}&primes=3500"),
    );
    let (_, table) = text.split_once("Ce que la prime ajoute").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    // By hand from the rates of the law: 704.41 of contributions, 816.69 of tax, at 17.9 % of
    // 5 764.79 less 7.5 % of 2 869.47.
    for (label, amount) in [
        ("Net avant impôt en plus", "2 795,59 €"),
        ("Net après impôt : en plus", "1 978,90 €"),
    ] {
        assert!(
            table.contains(&format!("{label}</th><td class=\"n\">{amount}")),
            "{label}: {table}"
        );
    }
}

#[test]
fn an_answer_leads_to_the_calculation_that_goes_on() {
    let server = Server::start();
    let words = "Mon impôt, au barème progressif";
    for (activity, input) in [
        ("vente", "micro_bic_ventes"),
        ("service_bic", "micro_bic_services"),
        ("liberal_ssi", "micro_bnc"),
        ("liberal_cipav", "micro_bnc"),
    ] {
        let micro =
            format!("/simulateurs/micro-entreprise?ca=3750&periode=mensuel&activite={activity}");
        let text = plain(&server, &micro);
        assert_eq!(
            link(&text, words),
            format!("/simulateurs/foyer?{input}=45000")
        );
        // Who pays a flat rate has nothing left to be taxed.
        let flat = plain(&server, &format!("{micro}&versement_liberatoire=true"));
        assert!(!flat.contains(words), "{activity}");
    }

    // A choice of words goes along in the spelling of the other simulator, or there is no link.
    let words = "Comparer avec une société";
    let micro = |activity: &str| {
        plain(
            &server,
            &format!("/simulateurs/micro-entreprise?ca=45000&activite={activity}"),
        )
    };
    let compared = link(&micro("liberal_ssi"), words);
    assert_eq!(compared, "/simulateurs/statuts?activite=liberal&ca=45000");
    assert!(!plain(&server, &compared).contains("Corrigez la saisie."));
    assert!(!micro("meuble_classe").contains(words));

    let left = plain(
        &server,
        "/simulateurs/indemnite-licenciement?anciennete_annees=8&salaire_reference=2100",
    );
    assert_eq!(
        link(&left, "Mon allocation chômage"),
        "/simulateurs/chomage?salaire_mensuel=2100"
    );
}

#[test]
fn what_is_not_calculated_is_stated_and_the_nearest_is_first() {
    let server = Server::start();
    let found = |words: &str, start: &str| -> (String, Vec<String>) {
        let words = words.replace(' ', "+");
        let answer = server.get(&format!("{start}/simulateurs?q={words}"));
        let language = if start.is_empty() { "fr" } else { "en" };
        let text = in_language(&answer, language).replace(['\u{202f}', '\u{a0}'], " ");
        let (_, main) = text.split_once("<main").unwrap();
        let links = main.split("class=\"title\" href=\"").skip(1);
        let links = links.map(|link| link.split('"').next().unwrap().to_owned());
        let links = links.collect();
        (main.to_owned(), links)
    };
    for (words, sentence, first) in [
        (
            "stage",
            "La gratification d’un stage n’est pas calculée",
            "salaire",
        ),
        ("CDD prime de précarité", "La prime de précarité", "salaire"),
        (
            "indemnité congés payés",
            "Les jours de congés payés",
            "salaire",
        ),
        (
            "prime Macron",
            "La prime de partage de la valeur",
            "salaire",
        ),
        ("PTZ", "Le droit à un prêt à taux zéro", "pret"),
        ("assurance vie", "L’impôt sur l’assurance-vie", "foyer"),
        ("TVA intracom", "La TVA entre pays", "tva"),
        (
            "solde de tout compte",
            "Un solde de tout compte",
            "indemnite-licenciement",
        ),
    ] {
        let (text, links) = found(words, "");
        assert!(text.contains(sentence), "{words}: {text}");
        assert_eq!(
            links.first(),
            Some(&format!("/simulateurs/{first}")),
            "{words}"
        );
        // The list under the field of the search has it too.
        let typed = words.replace(' ', "+");
        let listed = server.get(&format!("/site/recherche?q={typed}"));
        let listed = String::from_utf8(listed.body).unwrap();
        assert!(
            listed.contains(&format!("data-vers=\"/simulateurs/{first}\"")),
            "{words}: {listed}"
        );
    }
    let (text, links) = found("internship", "/en");
    assert!(text.contains("The allowance of an internship is not calculated."));
    assert_eq!(
        links.first().map(String::as_str),
        Some("/en/simulateurs/salaire")
    );

    // One word of a subject is not the subject.
    let (text, _) = found("prime", "");
    assert!(!text.contains("class=\"warning\""), "{text}");
}

#[test]
fn a_file_of_lines_says_what_the_page_says() {
    let server = Server::start();
    let day = "date=2026-11-30";
    let file = |address: &str| {
        let answer = server.get(&format!("/simulateurs/{address}&{day}"));
        let text = String::from_utf8(answer.body).unwrap();
        text.replace(['\u{202f}', '\u{a0}'], " ")
    };
    // By hand: 1 978.99 less 2.9 % of 2 050.22, the rate of a taxable net from 1 928 to 2 060.
    let pay = file("salaire.csv?brut=2500");
    assert!(
        pay.contains("Net après impôt, au taux neutre;;;1919,53;\r\n"),
        "{pay}"
    );
    let gift = file("donation.csv?montant=100000&lien=petit_enfant");
    for row in ["Taux marginal;20 %", "Lien avec le donateur;Petit-enfant"] {
        assert!(gift.contains(&format!("{row}\r\n")), "{row}: {gift}");
    }
}

#[test]
fn months_that_are_added_to_years_are_asked_beside_them() {
    let server = Server::start();
    let text = plain(&server, "/simulateurs/indemnite-licenciement");
    let (_, choice) = text.split_once("<fieldset class=\"choice\"").unwrap();
    let (choice, rest) = choice.split_once("</fieldset>").unwrap();
    assert!(choice.contains("id=\"champ-anciennete_mois\""), "{choice}");
    assert!(!rest.contains("id=\"champ-anciennete_mois\""));

    // A form sends the fields of the side that is not chosen too.
    let text = plain(
        &server,
        "/simulateurs/indemnite-licenciement?choix-date_entree=date_entree&date_entree=2018-03-15\
         &fin_preavis=2026-06-14&anciennete_mois=3&salaire_reference=2100",
    );
    assert!(!text.contains("Corrigez la saisie."), "{text}");
}

#[test]
fn a_main_result_is_shown_once_and_what_is_always_so_comes_after() {
    let server = Server::start();
    let text = plain(
        &server,
        "/simulateurs/pret?montant=180000&duree=216&taux=3.15",
    );
    let (_, results) = text.split_once("<dl class=\"headline\">").unwrap();
    let (results, _) = results.split_once("</dl>").unwrap();
    assert_eq!(results.matches("1 092,85 €").count(), 1, "{results}");
    assert_eq!(results.matches("56 056,85 €").count(), 1, "{results}");

    let text = plain(&server, "/simulateurs/chomage?salaire_mensuel=2300&age=48");
    let (before, notes) = text.split_once("<ul class=\"notes\">").unwrap();
    let part_time = "Le temps partiel, où l’allocation minimale";
    assert!(
        notes.contains(part_time) && !before.contains(part_time),
        "{text}"
    );
}
