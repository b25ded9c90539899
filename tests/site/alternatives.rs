//! Alternatives side by side, and what is settled after a year: what their simulators show.

use std::collections::BTreeMap;

use harness::{Connection, Server};
use serde_json::Value;

use crate::pages::page;

const LINES: &str = "application/x-ndjson";

const STATUSES: [&str; 4] = ["micro", "ei", "eurl", "sasu"];

/// A page without the spaces between thousands, and with plain ones elsewhere.
fn plain(page: &str) -> String {
    page.replace('\u{202f}', "").replace('\u{a0}', " ")
}

/// The texts between two others.
fn between<'p>(page: &'p str, start: &str, end: &str) -> Vec<&'p str> {
    let parts = page.split(start).skip(1);
    parts.map(|part| part.split(end).next().unwrap()).collect()
}

fn written(amount: f64) -> String {
    format!("{amount:.2}").replace('.', ",").replace('-', "−")
}

/// The nets of the statuses for some turnovers, by the interface; a micro-enterprise only where it is
/// possible.
fn nets(server: &Server, turnovers: &[i64], rest: &str) -> Vec<BTreeMap<&'static str, f64>> {
    let body: String = turnovers
        .iter()
        .map(|ca| format!("{{\"ca\": {ca}}}\n"))
        .collect();
    let mut connection = Connection::open(server.address()).unwrap();
    let path = format!("/api/v1/lot/statuts?{rest}");
    let answer = connection.post(&path, LINES, body.as_bytes(), "").unwrap();
    let lines = String::from_utf8(answer.body).unwrap();
    let read = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let answer = if row["reponse"].is_object() {
            &row["reponse"]
        } else {
            &row
        };
        let is_possible = answer["micro_possible"] == Value::Bool(true);
        let net = |status: &&'static str| {
            let net = answer[format!("{status}_net")].as_f64()?;
            (*status != "micro" || is_possible).then_some((*status, net))
        };
        STATUSES.iter().filter_map(net).collect()
    };
    let found: Vec<_> = lines.lines().map(read).collect();
    assert_eq!(found.len(), turnovers.len(), "{lines}");
    found
}

/// Which of two statuses leaves more, where both may be chosen.
fn leader(
    nets: &BTreeMap<&'static str, f64>,
    (one, other): (&'static str, &'static str),
) -> Option<Option<&'static str>> {
    let (first, second) = (nets.get(one)?, nets.get(other)?);
    Some(match first.total_cmp(second) {
        std::cmp::Ordering::Less => Some(other),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(one),
    })
}

/// The crossings that a page tells: the turnover, the status that passes, the one that is passed.
fn crossings(page: &str) -> Vec<(i64, &'static str, &'static str)> {
    let names = [
        ("la micro-entreprise", "micro"),
        ("l’entreprise individuelle au réel", "ei"),
        ("l’EURL", "eurl"),
        ("la SASU", "sasu"),
    ];
    let reported = between(page, "<span data-croisement=\"", "</span>");
    let read = |sentence: &str| {
        let amount = sentence.split('"').next().unwrap().parse().unwrap();
        let (after, other) = sentence.split_once(" laisse plus que ").unwrap();
        let named = |text: &str| {
            let found = names.iter().filter(|(name, _)| text.ends_with(name));
            found.map(|(_, word)| *word).next_back().unwrap()
        };
        (amount, named(after), named(other))
    };
    reported.into_iter().map(read).collect()
}

#[test]
fn statuses_stand_side_by_side_with_their_calculations() {
    let server = Server::start();
    let query = "ca=60000&charges=12000&activite=service_bic&date=2026-06-30";
    let text = plain(&page(&server.get(&format!("/simulateurs/statuts?{query}"))));
    let answer = server.get(&format!("/api/v1/statuts?{query}")).json();

    let number = |name: &str| answer[name].as_f64().unwrap();
    for status in STATUSES {
        let rows = between(&text, &format!("<tr data-choix=\"{status}\">"), "</tr>");
        let [row] = rows[..] else {
            panic!("{status} in {text}")
        };
        let net = written(number(&format!("{status}_net")));
        assert!(
            row.contains(&format!("<strong>{net}</strong>")),
            "{net} in {row}"
        );
        let contributions = written(number(&format!("{status}_cotisations")));
        assert!(row.contains(&contributions), "{contributions} in {row}");
        let quarters = format!(">{}</td>", number(&format!("{status}_trimestres")));
        assert!(row.contains(&quarters), "{quarters} in {row}");
    }
    // What leaves most comes first, in a sentence with what it leaves more.
    assert_eq!(answer["meilleur"], "micro");
    let more = written(number("micro_net") - number("eurl_net"));
    let sentence = between(&text, "<p class=\"sentence\">", "</p>")[0];
    assert!(
        sentence.contains("la micro-entreprise laisse plus que l’EURL, qui vient ensuite")
            && sentence.contains(&more),
        "{sentence}"
    );
    let first = between(&text, "<div class=\"net\">", "</div>")[0];
    assert!(
        first.contains(&written(number("micro_net"))) && first.contains("par mois"),
        "{first}"
    );

    // Each links to the same calculation, whose amounts are those of the row.
    let links: Vec<String> = between(&text, "<small class=\"link\"><a href=\"", "\"")
        .into_iter()
        .map(|link| link.replace("&amp;", "&"))
        .collect();
    let folders: Vec<&str> = links
        .iter()
        .map(|link| link.split('?').next().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(
        folders,
        ["micro-entreprise", "independant", "independant", "salaire"]
    );
    let field = |link: &str, name: &str| {
        let (folder, query) = link.split_once('?').unwrap();
        let folder = folder.rsplit('/').next().unwrap();
        server.get(&format!("/api/v1/{folder}?{query}")).json()[name]
            .as_f64()
            .unwrap()
    };
    assert_eq!(
        field(&links[0], "total_cotisations"),
        number("micro_cotisations")
    );
    assert_eq!(field(&links[1], "net"), number("ei_net_avant_impot"));
    assert!(links[2].contains("imposition=is"), "{}", links[2]);
    assert_eq!(field(&links[2], "total"), number("eurl_cotisations"));
    assert_eq!(field(&links[3], "net"), number("sasu_net_avant_impot"));
}

#[test]
fn each_crossing_is_that_of_a_scan() {
    // The flicker of roundings around a crossing, in euros.
    const NEAR: i64 = 400;

    let server = Server::start();
    for rest in [
        "charges=12000&activite=service_bic&date=2026-06-30",
        "charges=9000&activite=liberal&part_remuneration=40&date=2025-06-30",
    ] {
        let shown = server.get(&format!("/simulateurs/statuts?ca=74000&{rest}"));
        let text = plain(&page(&shown));
        let reported = crossings(&text);
        assert!(reported.len() > 3, "{reported:?}");
        // The pay alone leaves most of the least turnovers.
        assert!(
            reported.iter().any(|(_, _, other)| *other == "sasu"),
            "{reported:?}"
        );

        // 1. At each, the lead changes from one euro to the next.
        let around: Vec<i64> = reported
            .iter()
            .flat_map(|(at, _, _)| [*at, at + 1])
            .collect();
        let found = nets(&server, &around, rest);
        for ((amount, after, other), pair) in reported.iter().zip(found.chunks(2)) {
            let here = leader(&pair[0], (*after, *other)).unwrap();
            let next = leader(&pair[1], (*after, *other)).unwrap();
            assert_ne!(here, Some(*after), "{after} leads before {amount}");
            assert_eq!(next, Some(*after), "{after} does not lead after {amount}");
        }

        // 2. No other change of the best in a scan of the range.
        let scan: Vec<i64> = (0..=300).map(|step| 12_000 + step * 460).collect();
        let found = nets(&server, &scan, rest);
        let best = |nets: &BTreeMap<&'static str, f64>| {
            let most = nets.values().copied().fold(f64::MIN, f64::max);
            let mut first = nets.iter().filter(|(_, net)| **net == most);
            first
                .next()
                .map(|(status, _)| *status)
                .filter(|_| first.next().is_none())
        };
        let mut last: Option<&str> = None;
        for (amount, nets) in scan.iter().zip(&found) {
            let Some(lead) = best(nets) else { continue };
            // A status that ends is passed by none.
            if last.is_some_and(|last| last != lead && nets.contains_key(last)) {
                let is_reported = reported.iter().any(|(at, after, _)| {
                    *after == lead && (amount - 920 - NEAR..=amount + NEAR).contains(at)
                });
                assert!(is_reported, "{lead} is first before {amount}: {reported:?}");
            }
            last = Some(lead);
        }
        // 3. Where the micro-enterprise ends.
        assert!(
            text.contains("la micro-entreprise n’est plus possible"),
            "{text}"
        );
    }
}

#[test]
fn where_no_status_is_best_none_is_named() {
    let server = Server::start();
    let path = "/simulateurs/statuts?ca=900000&activite=vente&date=2026-06-30";
    let text = plain(&page(&server.get(path)));
    let sentence = between(&text, "<p class=\"sentence\">", "</p>")[0];
    assert!(
        sentence.contains("aucun choix n’est nommé le meilleur"),
        "{sentence}"
    );
    assert!(!text.contains("class=\"best\""), "{text}");

    // Nor is a line drawn where no amount that is looked at has a best one: the first is refused, for
    // its costs, and the next ones are too great.
    let path = "/simulateurs/statuts?ca=3175261&charges=48001&activite=liberal&date=2026-06-30";
    let text = page(&server.get(path));
    assert!(text.contains("id=\"champ-ca\""), "{text}");
    assert!(!text.contains("<polyline"), "{text}");
}

#[test]
fn a_year_of_the_self_employed_has_its_result_with_its_advances() {
    let server = Server::start();
    let query = "benefice=47300&activite=commercant&date=2026-06-30";
    let text = plain(&page(
        &server.get(&format!("/simulateurs/independant?{query}")),
    ));
    let sentence = between(&text, "<p class=\"sentence\">", "</p>")[0];
    for amount in ["47300 €", "32441 €", "2703,42 €", "14859 €"] {
        assert!(sentence.contains(amount), "{amount} in {sentence}");
    }
    // Each contribution by month and by year.
    let lines = between(&text, "<th scope=\"row\">Maladie-maternité</th>", "</tr>")[0];
    assert!(
        lines.contains("135,33") && lines.contains("1624,00"),
        "{lines}"
    );

    // Without an earlier year nothing is left to settle; a first year is advanced on a flat base.
    assert!(
        text.contains("<strong>1238,25 €</strong> par mois"),
        "{text}"
    );
    let first = server
        .get(&format!("/api/v1/independant?{query}&debut_activite=true"))
        .json();
    let called = first["provisionnel_total"].as_f64().unwrap();
    let row = between(&text, "<table class=\"settled\">", "</table>")[0];
    for amount in [called, called / 12.0, 14_859.0 - called] {
        assert!(row.contains(&written(amount)), "{amount} in {row}");
    }
    assert!(row.contains("à payer"), "{row}");

    // From the profit of an earlier year.
    let earlier = format!("/simulateurs/independant?{query}&annee-anterieure=30 000");
    let text = plain(&page(&server.get(&earlier.replace(' ', "%20"))));
    let answer =
        server.get("/api/v1/independant?benefice=30000&activite=commercant&date=2026-06-30");
    let called = answer.json()["total"].as_f64().unwrap();
    let row = between(&text, "<table class=\"settled\">", "</table>")[0];
    assert!(row.contains("calcule ses appels : 30000 €</th>"), "{row}");
    for amount in [called, called / 12.0, 14_859.0 - called] {
        assert!(row.contains(&written(amount)), "{amount} in {row}");
    }
    // More than what is due is given back.
    let text = plain(&page(&server.get(&format!(
        "/simulateurs/independant?{query}&annee-anterieure=60000"
    ))));
    assert!(text.contains("à vous rendre"), "{text}");
    // The other day has no flat base; what cannot be read has its reason.
    let text = plain(&page(&server.get(
        "/simulateurs/independant?benefice=47300&activite=commercant&date=2025-06-30\
         &annee-anterieure=beaucoup",
    )));
    assert!(!text.contains("Première année d’activité"), "{text}");
    assert!(
        between(&text, "<section class=\"advances\">", "</section>")[0]
            .contains("class=\"warning\"")
    );
}
