//! The simulator of a household, whose page is declared by its method, and the way there and back
//! from that of a pay.

use harness::Server;
use serde_json::Value;

use crate::pages::page;

/// A household of the income of 2025, with levies and a credit.
const HOUSEHOLD: &str = "situation=couple&enfants=2&salaire=38400&salaire_conjoint=26150&\
                         dividendes=3000&emploi_domicile=600&date=2026-06-30";

/// The page, with plain spaces.
fn simulator(server: &Server, query: &str) -> String {
    let text = page(&server.get(&format!("/simulateurs/foyer?{query}")));
    text.replace(['\u{202f}', '\u{a0}'], " ")
}

fn answer(server: &Server, query: &str) -> Value {
    server.get(&format!("/api/v1/foyer?{query}")).json()
}

fn amount(answer: &Value, field: &str) -> i64 {
    answer[field].as_i64().unwrap()
}

/// `3 412` of 3412.
fn written(amount: i64) -> String {
    if amount < 1000 {
        return amount.to_string();
    }
    format!("{} {:03}", written(amount / 1000), amount % 1000)
}

/// `6,2 %` of 0.0617.
fn percent(rate: &Value) -> String {
    let written = rate.to_string();
    let (_, decimals) = written.split_once('.').unwrap_or(("0", ""));
    let millionths: i64 = format!("{decimals:0<6}")[..6].parse().unwrap();

    let tenths = (millionths + 500) / 1000;
    match tenths % 10 {
        0 => format!("{} %", tenths / 10),
        last => format!("{},{last} %", tenths / 10),
    }
}

/// What follows a text, up to another one.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, after) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("{start} in {text}"));
    after.split(end).next().unwrap()
}

#[test]
fn the_answer_is_a_sentence_and_each_euro_goes_somewhere() {
    let server = Server::start();
    let (text, answer) = (simulator(&server, HOUSEHOLD), answer(&server, HOUSEHOLD));
    let tax = amount(&answer, "impot_net");
    let levies = amount(&answer, "prelevements_sociaux");
    assert!(tax > 0 && levies > 0, "{answer}");

    // 1. The sentence is before the figures.
    let sentence = between(&text, "<p class=\"sentence\">", "</p>");
    assert_eq!(
        sentence,
        format!(
            "Votre foyer paie {} € d’impôt sur le revenu pour 2025, soit {} de ses revenus ; {} € de \
             prélèvements sociaux s’y ajoutent ; le taux de prélèvement à la source du foyer est de {}.",
            written(tax),
            percent(&answer["taux_moyen"]),
            written(levies),
            percent(&answer["taux_foyer"]),
        )
    );
    assert!(text.find("class=\"sentence\"") < text.find("class=\"headline\""));

    // 2. The parts of the bar are all of what was declared.
    assert_eq!(amount(&answer, "revenus"), 38_400 + 26_150 + 3_000);
    let bar = between(&text, "<figure class=\"parts\">", "</figure>");
    let rest = amount(&answer, "revenus") - tax - levies;
    for part in [tax, levies, rest] {
        assert!(
            bar.contains(&format!("<strong>{},00 €</strong>", written(part))),
            "{part}: {bar}"
        );
    }

    // 3. A refund is said as one, and is in what is left.
    let refunded = HOUSEHOLD.replace("emploi_domicile=600", "emploi_domicile=8000");
    let text = simulator(&server, &refunded);
    let answer = server.get(&format!("/api/v1/foyer?{refunded}")).json();
    let refund = -amount(&answer, "impot_net");
    let sentence = between(&text, "<p class=\"sentence\">", "</p>");
    assert!(
        refund > 0 && sentence.contains(&format!("pour 2025 et reçoit {} € ;", written(refund))),
        "{sentence}"
    );
    let rest = amount(&answer, "revenus") + refund - amount(&answer, "prelevements_sociaux");
    let bar = between(&text, "<figure class=\"parts\">", "</figure>");
    assert!(
        bar.contains(&format!("<strong>{},00 €</strong>", written(rest))),
        "{bar}"
    );
}

#[test]
fn a_little_more_of_each_pay_is_asked_again() {
    let server = Server::start();
    let text = simulator(&server, HOUSEHOLD);
    let total = amount(&answer(&server, HOUSEHOLD), "total");
    for (own, more, label) in [
        ("salaire=38400", "salaire=38500", "de votre salaire"),
        (
            "salaire_conjoint=26150",
            "salaire_conjoint=26250",
            "du salaire de votre conjoint",
        ),
    ] {
        let after = amount(&answer(&server, &HOUSEHOLD.replace(own, more)), "total");
        let effect = after - total;
        let line = format!(
            "Sur 100 € de plus {label}, <strong>{effect} €</strong> sont prélevés ({effect} %)."
        );
        assert!(effect > 0 && text.contains(&line), "{line}: {text}");
    }
    // There is no spouse whose pay could be greater.
    let alone = simulator(&server, "salaire=38400&date=2026-06-30");
    assert!(alone.contains("de plus de votre salaire") && !alone.contains("de votre conjoint,"));
}

#[test]
fn a_change_is_computed_by_its_button() {
    let server = Server::start();
    let before = amount(&answer(&server, HOUSEHOLD), "total");

    for (tried, more, title) in [
        (
            "un-essai=enfants",
            "enfants=2=>enfants=3",
            "Un enfant de plus",
        ),
        ("un-essai=dons", "&date=>&dons=100&date", "Un don de 100 €"),
        // The form sends the amount of each change.
        (
            "un-essai=dons&essai-dons=1+200&essai-per=1+000",
            "&date=>&dons=1200&date",
            "Un don de 1 200 €",
        ),
        (
            "un-essai=per&essai-dons=100&essai-per=1000",
            "&date=>&per=1000&date",
            "Un versement d’épargne retraite (PER) de 1 000 €",
        ),
    ] {
        let (from, to) = more.split_once("=>").unwrap();
        let after = amount(&answer(&server, &HOUSEHOLD.replacen(from, to, 1)), "total");
        let text = simulator(&server, &format!("{HOUSEHOLD}&{tried}"));
        let effect = between(&text, "id=\"essai\">", "</div>");
        assert!(effect.starts_with(&format!("<h3>{title}</h3>")), "{effect}");
        let less = format!(
            "Vous payez <strong>{} €</strong> de moins.",
            written(before - after)
        );
        assert!(before > after && effect.contains(&less), "{less}: {effect}");
        assert!(
            effect.contains(&format!("<mark>{},00 €</mark>", written(after))),
            "{effect}"
        );
    }

    // The link to the case tries the same; an amount that is none is asked for again.
    let text = simulator(
        &server,
        &format!("{HOUSEHOLD}&un-essai=dons&essai-dons=300"),
    );
    assert!(
        between(&text, "data-lien=\"", "\"").ends_with("&amp;un-essai=dons&amp;essai-dons=300")
    );
    let text = simulator(
        &server,
        &format!("{HOUSEHOLD}&un-essai=dons&essai-dons=beaucoup"),
    );
    assert!(
        between(&text, "id=\"essai\">", "</div>").contains("Écrivez un montant"),
        "{text}"
    );
}

#[test]
fn questions_are_in_sections_and_those_of_a_spouse_beside_a_couple() {
    let server = Server::start();
    let text = simulator(&server, "salaire=30000");
    let form = between(&text, "<form class=\"questions\"", "</form>");
    let titles: Vec<&str> = form.split("<legend>").skip(1).collect();
    assert!(titles[0].starts_with("Votre foyer</legend>"), "{form}");
    assert!(
        titles[1].starts_with("Ce que chacun a gagné</legend>"),
        "{form}"
    );
    assert!(
        titles[0].contains("name=\"enfants_alternes\"") && titles[1].contains("name=\"salaire\"")
    );
    // What was not sent is folded, and what was sent is not.
    assert!(
        form.contains("<details class=\"more\"><summary>Loyers et location meublée (5)"),
        "{form}"
    );
    let rent = simulator(&server, "salaire=30000&micro_foncier=5000");
    assert!(rent.contains("<details class=\"more\" open><summary>Loyers et location meublée (5)"));

    let of = |name: &str| between(form, &format!("data-champs=\"{name}\""), ">").to_owned();
    assert_eq!(of("salaire_conjoint"), " data-pour=\"situation=couple\"");
    assert_eq!(of("salaire"), "");
    assert_eq!(of("case_l"), " data-pour=\"situation=celibataire veuf\"");
}

#[test]
fn a_rate_is_found_by_the_household_and_brought_back_to_the_pay() {
    let server = Server::start();
    let unescaped = |link: &str| link.replace("&amp;", "&");

    // 1. The button gives the pay of a year.
    let pay = page(&server.get("/simulateurs/salaire?brut=6000&date=2026-06-30"));
    let (before, _) = pay
        .split_once("\">Mon taux d’impôt</a>")
        .expect("the button");
    let link = unescaped(before.rsplit("href=\"").next().unwrap());
    let month = server
        .get("/api/v1/salaire?brut=6000&date=2026-06-30")
        .json();
    let taxable = (month["net_imposable"].as_f64().unwrap() * 12.0).round();
    assert!(link.ends_with(&format!("&salaire={taxable}")), "{link}");

    // 2. The page says what its questions are for, and each rate is a button back.
    let household = page(&server.get(&format!(
        "{link}&situation=couple&enfants=1&date=2026-06-30"
    )));
    assert!(
        household.contains("puis reprenez la valeur dans"),
        "{household}"
    );
    let takes = between(&household, "<ul class=\"takes screen\">", "</ul>");
    let links: Vec<String> = takes
        .split("href=\"")
        .skip(1)
        .map(|after| unescaped(after.split('"').next().unwrap()))
        .collect();
    assert_eq!(links.len(), 2, "{takes}");
    // The form keeps the way back.
    assert!(
        between(&household, "<form class=\"questions\"", "</form>").contains(
            "type=\"hidden\" name=\"retour-vers\" value=\"salaire?brut=6000&amp;date=2026-06-30\""
        )
    );

    // 3. The pay has the rate, and its net is that of the API.
    let asked = format!("situation=couple&enfants=1&salaire={taxable}&date=2026-06-30");
    let rate = answer(&server, &asked)["taux_declarant"].as_f64().unwrap() * 100.0;
    assert!(rate > 0.0);
    let rate = format!("{rate:.1}");
    let rate = rate.trim_end_matches(".0");
    assert_eq!(
        links[0],
        format!("/simulateurs/salaire?brut=6000&date=2026-06-30&taux_pas={rate}")
    );
    let back = page(&server.get(&links[0])).replace(['\u{202f}', '\u{a0}'], " ");
    let answer = server
        .get(&links[0].replace("/simulateurs", "/api/v1"))
        .json();
    let net = format!("{:.2}", answer["net_apres_impot"].as_f64().unwrap()).replace('.', ",");
    let (thousands, rest) = net.split_at(net.len() - 6);
    assert!(
        back.contains(&format!("<dt>Net après impôt</dt><dd>{thousands} {rest} €")),
        "{net}: {back}"
    );

    // 4. A way back to what finds nothing here is none.
    for other in [
        "ir?revenu=1",
        "rien",
        "https%3A%2F%2Fexample.org",
        "salaire-net/sn",
    ] {
        let text = page(&server.get(&format!("/simulateurs/foyer?salaire=1&retour-vers={other}")));
        assert!(
            !text.contains("class=\"takes") && !text.contains("class=\"purpose"),
            "{other}"
        );
    }
}
