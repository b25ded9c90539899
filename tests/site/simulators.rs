//! What a simulator shows: the answer first, its curve, its schedule, its file.

use harness::{Answer, Server};

use crate::pages::{page, pages};

/// A figure above the others: its value, and the same over the other period.
fn figure(page: &str, label: &str) -> String {
    let (_, after) = page
        .split_once(&format!("<dt>{label}</dt><dd>"))
        .unwrap_or_else(|| panic!("{label} in {page}"));
    after
        .split("</dd>")
        .next()
        .unwrap()
        .replace(['\u{202f}', '\u{a0}'], " ")
}

#[test]
fn the_answer_comes_first() {
    let server = Server::start();
    let text = page(&server.get("/simulateurs/salaire?brut=2650"));
    let headline = text.split("<dl class=\"headline\">").nth(1).unwrap();
    assert!(
        headline.starts_with("<div class=\"net\"><dt>Net après impôt, au taux neutre</dt>"),
        "{headline}"
    );
    let answer = server
        .get("/api/v1/salaire?brut=2650&taux_pas=neutre")
        .json();
    let (net, after) = (
        answer["net"].as_f64().unwrap(),
        answer["net_apres_impot"].as_f64().unwrap(),
    );
    let written = |amount: f64| {
        let plain = format!("{amount:.2}").replace('.', ",");
        let whole = plain.len() - 6;
        format!("{} {} €", &plain[..whole], &plain[whole..])
    };

    let shown = figure(&text, "Net après impôt, au taux neutre");
    assert!(
        shown.starts_with(&written(after)) && shown.contains("par mois"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("soit {} par an", written(after * 12.0))),
        "{shown}"
    );
    assert!(figure(&text, "Net avant impôt").starts_with(&written(net)));
    // A rate that is given is the caller's own, and a year is a year.
    let own = page(&server.get("/simulateurs/salaire?brut=2650&taux_pas=5"));
    assert!(
        !own.contains("au taux neutre") && own.contains("<dt>Net après impôt</dt>"),
        "{own}"
    );
    let year = page(&server.get("/simulateurs/salaire?brut=31800&periode=annuel"));
    assert!(
        figure(&year, "Net avant impôt").contains("par an")
            && figure(&year, "Net avant impôt").contains("par mois")
    );
    let tax = page(&server.get("/simulateurs/ir?revenu=60000&parts=2"));
    assert!(figure(&tax, "Impôt sur le revenu à payer").starts_with("4 208,00 €"));
    assert_eq!(figure(&tax, "Taux marginal, celui de la tranche"), "30 %");
    assert_eq!(
        figure(&tax, "Taux moyen, impôt rapporté au revenu"),
        "7,01 %"
    );
    assert!(
        figure(&page(&server.get("/simulateurs/tva?montant=100")), "TVA").starts_with("20,00 €")
    );
    let loan = page(&server.get("/simulateurs/pret?montant=200000&duree=240&taux=3.5"));
    assert!(figure(&loan, "Mensualité, hors assurance").starts_with("1 159,92 €"));
    assert!(loan.contains("<dt>Coût total du crédit</dt>"));
}

#[test]
fn lines_at_zero_are_folded_and_both_parts_stand_in_one_table() {
    let server = Server::start();
    let text = page(&server.get("/simulateurs/salaire?brut=2650"));
    let table = text
        .split("<table class=\"payslip\">")
        .nth(1)
        .unwrap()
        .split("</table>")
        .next()
        .unwrap();
    assert!(
        table.contains("Vieillesse plafonnée") && !table.contains("Maladie, régime local"),
        "{table}"
    );
    assert!(text.contains(" lignes à zéro</summary>"), "{text}");

    for folder in [
        "salaire?brut=2650&employeur=true",
        "salaire-net/sn?brut=450000&employeur=true",
    ] {
        let text = page(&server.get(&format!("/simulateurs/{folder}")));
        assert_eq!(
            text.matches("<table class=\"payslip").count(),
            1,
            "{folder}"
        );
        let head = text
            .split("<table class=\"payslip")
            .nth(1)
            .unwrap()
            .split("</thead>")
            .next()
            .unwrap();
        assert!(
            head.to_lowercase().contains("salarié") && head.to_lowercase().contains("employeur"),
            "{head}"
        );
    }
}

#[test]
fn a_curve_names_its_axes_and_its_bends_and_says_what_lies_ahead() {
    let server = Server::start();
    let text = page(&server.get("/simulateurs/ir?revenu=60000&parts=2"));
    let plain = text.replace(['\u{202f}', '\u{a0}'], " ");

    for part in [
        "Revenu net imposable du foyer, € par an",
        "Taux, en %",
        "<strong>59 158 €</strong> : Impôt avec toutes les parts, tranche à 30 %",
        "À <strong>109 154,00 €</strong> de la tranche à <strong>41 %</strong>.",
        "1 000 € de plus : impôt net et contribution exceptionnelle <strong>+300,00 €</strong> (30 %).",
    ] {
        assert!(plain.contains(part), "{part} in {plain}");
    }

    let pay =
        page(&server.get("/simulateurs/salaire?brut=3500")).replace(['\u{202f}', '\u{a0}'], " ");
    assert!(
        pay.contains("<strong>4 005 €</strong> : Tranche 1, plafond atteint"),
        "{pay}"
    );
}

#[test]
fn a_loan_has_its_curve_and_on_demand_its_schedule_by_year() {
    let server = Server::start();
    let text = page(&server.get("/simulateurs/pret?montant=12000&duree=30&taux=3"));
    assert!(
        text.contains("Années depuis le début") && !text.contains("Année\u{a0}1"),
        "{text}"
    );
    let text = page(&server.get("/simulateurs/pret?montant=12000&duree=30&taux=3&echeancier=true"));
    let schedule = text
        .split("id=\"echeancier\"")
        .nth(1)
        .unwrap()
        .split("</details>")
        .next()
        .unwrap();
    assert_eq!(
        schedule.matches("scope=\"rowgroup\"").count(),
        3,
        "{schedule}"
    );
    assert_eq!(
        schedule.matches("<th scope=\"row\">").count(),
        30,
        "{schedule}"
    );
}

fn file(answer: &Answer) -> String {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/csv; charset=utf-8")
    );
    assert!(
        answer
            .header("content-disposition")
            .starts_with("attachment; filename=")
    );
    let text = String::from_utf8(answer.body.clone()).unwrap();
    text.strip_prefix('\u{feff}')
        .expect("the mark of UTF-8")
        .to_owned()
}

#[test]
fn the_lines_are_a_file_that_a_french_spreadsheet_reads() {
    let server = Server::start();
    let text = page(&server.get("/simulateurs/salaire-net/sn?brut=450000&employeur=true"));
    let link = "href=\"/simulateurs/salaire-net/sn.csv?brut=450000&amp;employeur=true\"";
    assert!(
        text.contains(link) && text.contains("data-partager") && text.contains("data-imprimer"),
        "{text}"
    );
    let lines = file(&server.get("/simulateurs/salaire-net/sn.csv?brut=450000&employeur=true"));
    assert!(
        lines.contains("Ligne;Assiette;Taux;Salarié;Employeur\r\n"),
        "{lines}"
    );
    assert!(
        lines.contains("Salaire net du mois;;;333225,00;\r\n"),
        "{lines}"
    );
    let tax = file(&server.get("/simulateurs/ir.csv?revenu=60000&parts=2"));
    assert!(tax.contains("Impôt net;4208\r\n"), "{tax}");
    let loan =
        file(&server.get("/simulateurs/pret.csv?montant=12000&duree=30&taux=3&echeancier=true"));
    assert!(
        loan.contains("Échéance;Mensualité;Intérêts;Capital;Assurance;Reste dû\r\n1;"),
        "{loan}"
    );
    assert_eq!(
        server.get("/simulateurs/ir.csv?revenu=beaucoup").status,
        400
    );
    assert_eq!(server.get("/simulateurs/rien.csv").status, 404);
}

#[test]
fn a_year_is_shown_month_by_month_and_is_a_file() {
    let server = Server::start();
    let simulator = page(&server.get("/simulateurs/salaire?brut=2650&date=2026-03-31"));
    assert!(
        simulator.contains("href=\"/simulateurs/salaire/annee?annee=2026&amp;brut=2650"),
        "{simulator}"
    );
    let query = "annee=2026&premier_mois=3&brut=1600;3100;1000&jours=16;;10&brut_mois_complet=3100&depart=true&employeur=true";
    let text = page(&server.get(&format!("/simulateurs/salaire/annee?{query}")))
        .replace(['\u{202f}', '\u{a0}'], " ");
    let months = text
        .split("table class=\"payslip months\"")
        .nth(1)
        .unwrap()
        .split("</table>")
        .next()
        .unwrap();
    assert_eq!(months.matches("<th scope=\"row\">").count(), 4, "{months}");
    let year = server.get(&format!("/api/v1/salaire/annee?{query}")).json();
    let written = |amount: f64| {
        let plain = format!("{amount:.2}").replace('.', ",");
        let (whole, cents) = plain.split_at(plain.len() - 3);
        let (thousands, rest) = whole.split_at(whole.len() - 3);
        format!("{thousands} {rest}{cents}")
    };

    for amount in [
        &year["total"]["net"],
        &year["total"]["cout_employeur"],
        &year["mois"][1]["net"],
    ] {
        assert!(
            months.contains(&written(amount.as_f64().unwrap())),
            "{amount} in {months}"
        );
    }

    let lines = file(&server.get(&format!("/simulateurs/salaire/annee.csv?{query}")));
    // What was typed for some months is beside their names.
    let days = "Jours de présence;\"mars\u{a0}: 16 ; mai\u{a0}: 10\"";
    assert!(lines.contains(days), "{lines}");
    let table = lines.split("\r\n\r\n").nth(1).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(
        table.starts_with("Mois;") && table.contains("\r\navril;3100,00;"),
        "{table}"
    );
    assert_eq!(
        server
            .get("/simulateurs/salaire/annee.csv?annee=2026&brut=beaucoup")
            .status,
        400
    );
    for path in [
        "/simulateurs/ir/annee",
        "/simulateurs/salaire-net/ci/annee",
        "/simulateurs/ir/annee.csv",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_form_gives_the_side_that_is_chosen_and_a_link_that_gives_two_is_refused() {
    let server = Server::start();
    let typed = "/simulateurs/chomage?salaire_mensuel=2+300,00+%E2%82%AC&sjr=120&age=40";

    for side in ["salaire_mensuel", "sjr"] {
        let text = page(&server.get(&format!("{typed}&choix-salaire_mensuel={side}")));
        let kept = if side == "sjr" {
            "sjr=120&amp;age=40"
        } else {
            "salaire_mensuel=2300.00&amp;age=40"
        };
        assert!(
            text.contains(&format!("data-lien=\"/simulateurs/chomage?{kept}\"")),
            "{side}: {text}"
        );
        assert!(
            text.contains(&format!("value=\"{side}\" checked")),
            "{side}: {text}"
        );
    }

    for refused in [
        typed.to_owned(),
        format!("{typed}&choix-salaire_mensuel=autre"),
    ] {
        assert!(
            page(&server.get(&refused)).contains("Corrigez la saisie."),
            "{refused}"
        );
    }

    let empty = page(&server.get(
        "/simulateurs/chomage?choix-salaire_mensuel=salaire_mensuel&salaire_mensuel=&sjr=120",
    ));
    assert!(
        empty.contains("Complétez la saisie.")
            && empty.contains("value=\"salaire_mensuel\" checked"),
        "{empty}"
    );
}

#[test]
fn two_values_that_exclude_each_other_are_named_by_their_labels_and_not_as_bad_values() {
    let server = Server::start();

    let text = page(
        &server
            .get("/simulateurs/dividendes?dividendes=10000&taux_marginal=30&autres_revenus=20000"),
    );
    let reason = "Donner soit «\u{a0}Taux marginal d’imposition\u{a0}», soit «\u{a0}Revenu net \
                  imposable du foyer, hors dividendes\u{a0}», et non les deux.";
    assert!(text.contains(reason), "{text}");
    // Both amounts are within what their fields accept: it would cure nothing.
    assert!(!text.contains("Attendu"), "{text}");

    let text = page(&server.get("/simulateurs/dividendes?dividendes=-1&taux_marginal=30"));
    assert!(text.contains("Attendu"), "{text}");
}

#[test]
fn what_is_missing_is_to_be_filled_in_with_answers_that_the_form_shows() {
    let server = Server::start();

    // Every calculation, of which the page is given no answer but the way it rounds or its day.
    let mut simulators = pages(&server);
    simulators.retain(|path| path.starts_with("/simulateurs/"));
    assert!(simulators.len() > 60, "{}", simulators.len());
    for address in simulators {
        let text = page(&server.get(&format!("{address}?date=2026-06-01")));
        assert!(!text.contains("obligatoire manquant"), "{address}: {text}");
    }

    let text =
        page(&server.get("/simulateurs/statuts?ca=60000")).replace(['\u{202f}', '\u{a0}'], " ");
    // A choice shows its words by itself.
    assert!(text.contains("Activité : À choisir.<"), "{text}");
    let text = page(&server.get("/simulateurs/statuts?activite=vente"))
        .replace(['\u{202f}', '\u{a0}'], " ");
    let turnover = "Chiffre d’affaires de l’année, hors taxes : À remplir. Attendu : un montant de \
                    0 à 10 000 000, 2 décimales au plus.";
    assert!(text.contains(turnover), "{text}");
}

#[test]
fn a_thirteenth_month_is_added_by_a_button_and_its_effect_is_shown() {
    let server = Server::start();

    // 1. The button sends the pay once more, and what the law asks for beside it.
    for (path, link, label) in [
        (
            "sn?brut=450000",
            "brut=450000&amp;primes=450000",
            "+ Treizième mois",
        ),
        (
            "qc?brut=4000",
            "brut=4000&amp;mois=12&amp;primes=4000",
            "+ Prime",
        ),
    ] {
        let text = page(&server.get(&format!("/simulateurs/salaire-net/{path}")));
        assert!(
            text.contains(&format!("?{link}\">{label}")),
            "{link} {label}: {text}"
        );
    }

    // 2. What it adds is the difference of two answers.
    let sent = "pays=sn&brut=450000&employeur=true&date=2026-03-31";
    let net = |more: &str| {
        let answer = server
            .get(&format!("/api/v1/salaire-net?{sent}{more}"))
            .json();
        ["net_mensuel", "cout_employeur"].map(|field| answer[field].as_i64().unwrap())
    };
    let (usual, with) = (net(""), net("&primes=450000"));
    let text = page(&server.get(
        "/simulateurs/salaire-net/sn?brut=450000&employeur=true&primes=450000&date=2026-03-31",
    ));
    let (_, added) = text.split_once("Ce que la prime ajoute").unwrap();
    let shown = added.replace(['\u{202f}', '\u{a0}'], " ");
    let written = |amount: i64| {
        let (thousands, rest) = (amount / 1000, amount % 1000);
        format!("{thousands} {rest:03} F CFA")
    };
    for (label, amount) in [
        ("Net en plus", with[0] - usual[0]),
        ("Coût pour l’employeur", with[1] - usual[1]),
    ] {
        let row = format!("{label}</th><td class=\"n\">{}", written(amount));
        assert!(shown.contains(&row), "{row}: {shown}");
    }

    // 3. The guide has every country that takes one.
    let guide = page(&server.get("/documentation/primes"));
    let rows = guide.matches("<td><code>").count();
    assert!(rows >= 17, "{rows}: {guide}");
}

#[test]
fn a_word_and_a_parameter_are_shown_by_their_labels() {
    let server = Server::start();

    // However the word was written.
    let text = page(&server.get("/simulateurs/statuts?ca=60000&activite=Liberal-SSI"));
    assert!(
        text.contains("<option value=\"liberal\" selected>Profession libérale non réglementée"),
        "{text}"
    );
    // What the folder that it calculates asks, and this page does not, is no advice here.
    assert!(!text.contains("Prévoyance"), "{text}");

    // A list without which there is no answer is never folded.
    let text = page(&server.get("/simulateurs/partage"));
    let (group, folded) = (text.find("<fieldset"), text.find("<details class=\"more\""));
    assert!(
        group.is_some() && group < folded,
        "{group:?} {folded:?}: {text}"
    );
}

#[test]
fn a_number_that_reads_in_two_ways_is_refused_with_everything_else_that_is_wrong() {
    let server = Server::start();
    let text =
        page(&server.get("/simulateurs/salaire?brut=2.650&quotite=abc&mutuelle_salarie=12,5"));
    assert!(
        text.contains(
            "«\u{a0}2.650\u{a0}» se lit de deux façons\u{a0}: écrivez 2,65\u{a0}ou 2\u{202f}650."
        ),
        "{text}"
    );
    for name in ["brut", "quotite"] {
        assert!(
            text.contains(&format!("data-champ=\"{name}\"")),
            "{name}: {text}"
        );
    }

    assert!(
        text.contains("value=\"2.650\"") && !text.contains("data-lien"),
        "{text}"
    );
    assert_eq!(
        server.get("/simulateurs/salaire.csv?brut=2.650").status,
        400
    );
    // The API reads a point as it always does.
    assert_eq!(
        server.get("/api/v1/salaire?brut=2.650").json()["brut"].to_string(),
        "2.65"
    );
    let compared = page(&server.get("/comparer?montant=3.000"));
    assert!(
        compared.contains("écrivez 3\u{a0}ou 3\u{202f}000"),
        "{compared}"
    );
}
