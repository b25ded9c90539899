//! The pages in English: the same amounts as the French ones, and no word of French.

mod typed;

use harness::Server;

use crate::pages::{BROWSER, asked, english, get, in_language, page, pages, with_steps};

/// Words that French sentences have, and English ones do not.
const FRENCH: &[&str] = &[
    "le",
    "la",
    "les",
    "des",
    "du",
    "une",
    "et",
    "est",
    "sont",
    "dans",
    "pour",
    "par",
    "sur",
    "avec",
    "sans",
    "qui",
    "que",
    "ne",
    "pas",
    "au",
    "aux",
    "ou",
    "où",
    "montant",
    "salaire",
    "impôt",
    "mois",
    "année",
    "taux",
    "cotisation",
    "cotisations",
    "employeur",
    "calcul",
    "brut",
    "retenue",
    "retenues",
    "vide",
    "voir",
    "aucun",
    "aucune",
    "votre",
    "vous",
];

/// Words that English sentences have, and French ones do not.
const ENGLISH: &[&str] = &[
    "the", "and", "of", "with", "without", "pay", "employer", "employee", "gross", "year", "month",
    "rate", "amount", "tax", "your", "from", "this",
];

/// The text that a page shows, without what is marked as another language, code and some elements.
fn shown(page: &str, left_out: &[&str]) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let (tag, after) = after.split_once('>').unwrap();
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let is_left_out = tag.contains(" lang=\"") || left_out.contains(&name.as_str());
        rest = if is_left_out {
            after_element(&name, after)
        } else {
            after
        };
    }
    text.push_str(rest);
    text
}

/// What follows an element whose start tag was read.
fn after_element<'p>(name: &str, mut rest: &'p str) -> &'p str {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut depth = 1;
    while depth > 0 {
        let end = rest.find(&close).unwrap();
        let is_inner = |start: &usize| {
            let next = rest[start + open.len()..].chars().next();
            *start < end && next.is_some_and(|next| next == '>' || next == ' ')
        };
        match rest.find(&open).filter(is_inner) {
            Some(start) => {
                depth += 1;
                rest = &rest[start + open.len()..];
            }
            None => {
                depth -= 1;
                rest = &rest[end + close.len()..];
            }
        }
    }
    rest
}

/// The words of a list that a page shows, each with what is around it.
fn words_of(list: &[&str], page: &str, left_out: &[&str]) -> Vec<String> {
    // An address that a page shows is no sentence.
    let text = shown(page, left_out);
    let parts = text.split_whitespace().filter(|part| !part.contains("://"));
    let text = parts.collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric() && letter != '’' && letter != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let found = words.iter().enumerate();
    let found = found.filter(|(_, word)| list.contains(&word.to_lowercase().as_str()));
    let around = |(index, _): (usize, &&str)| {
        words[index.saturating_sub(4)..(index + 4).min(words.len())].join(" ")
    };
    found.map(around).collect()
}

/// Signs of money that French writes after an amount; in English they come before it.
const AFTER_AMOUNTS: &[&str] = &[
    "€", "F CFA", "CFA", "FC", "GNF", "CA$", "$", "CHF", "DH", "DA", "DT", "Ar", "Rs", "RWF", "MRU",
];

/// The amounts of an English text that are written as French is: `2,650.50 €`.
fn amounts_written_as_french_is(text: &str) -> Vec<String> {
    let text = text.replace(['\u{a0}', '\u{202f}'], " ");
    let mut found = Vec::new();
    for sign in AFTER_AMOUNTS {
        for (at, sign) in text.match_indices(&format!(" {sign}")) {
            let (before, after) = (&text[..at], &text[at + sign.len()..]);
            let is_amount = before.ends_with(|letter: char| letter.is_ascii_digit());
            // `655.957 CFA francs` names the currency.
            let is_name = after.starts_with(" francs");
            if is_amount && !is_name && !after.starts_with(char::is_alphanumeric) {
                let number = before.rsplit(' ').next().unwrap_or_default();
                found.push(format!("{number}{sign}"));
            }
        }
    }
    found
}

#[test]
fn an_amount_of_an_english_text_has_its_sign_first() {
    assert_eq!(
        amounts_written_as_french_is("€20, MAD 5 and 2,650.50\u{a0}€, 5\u{a0}F\u{a0}CFA, 3 Days"),
        ["2,650.50 €", "5 F CFA"]
    );
}

/// The numbers of the answer of a simulator, without the signs of a language; a text of the law is
/// none.
fn numbers(page: &str, thousands: &[char], decimal: char) -> Vec<String> {
    const LETTERS_OF_A_SIGN: usize = 6;
    let (_, answer) = page.split_once("<div class=\"answer\"").unwrap();
    let (answer, _) = answer.split_once("id=\"textes\"").unwrap();
    let cells = answer.split("<td class=\"n\">").skip(1);
    let cells = cells.filter_map(|rest| rest.split("</td>").next());
    let (_, headline) = answer.split_once("<dl class=\"headline\">").unwrap();
    let heads = headline
        .split("</dl>")
        .next()
        .unwrap()
        .split("<dd>")
        .skip(1);
    let heads = heads.filter_map(|rest| rest.split('<').next());
    let is_number = |cell: &&str| {
        cell.chars().filter(|letter| letter.is_alphabetic()).count() <= LETTERS_OF_A_SIGN
    };
    let plain = |cell: &str| {
        let text = cell.replace(thousands, "").replace(decimal, ".");
        let is_kept = |letter: &char| letter.is_ascii_digit() || ['.', '-', '−'].contains(letter);
        text.replace('−', "-").chars().filter(is_kept).collect()
    };
    let numbers = cells.chain(heads).filter(is_number).map(plain);
    numbers
        .filter(|number: &String| !number.is_empty())
        .collect()
}

#[test]
fn every_english_page_has_the_amounts_of_the_french_one() {
    let server = Server::start();
    let simulators = english(&server).into_iter();
    let simulators: Vec<String> = simulators
        .filter(|path| path.starts_with("/en/simulateurs/"))
        .collect();
    let is_there = |path: &str| simulators.iter().any(|known| known == path);
    assert!(simulators.len() > 50, "{simulators:?}");
    assert!(is_there("/en/simulateurs/tva-afrique"));
    assert!(is_there("/en/simulateurs/salaire/annee"));
    for path in simulators {
        assert_same_amounts(&server, &path);
    }
}

/// Checks that an English page has the amounts of the French one; returns the English page.
fn assert_same_amounts(server: &Server, path: &str) -> String {
    let french = page(&with_steps(server, path.strip_prefix("/en").unwrap()));
    let english = in_language(&with_steps(server, path), "en");
    let own = numbers(&english, &[','], '.');
    assert!(own.len() >= 2, "{path}: {own:?}");
    assert_eq!(
        numbers(&french, &[' ', '\u{202f}', '\u{a0}'], ','),
        own,
        "{path}"
    );
    english
}

#[test]
fn every_rate_of_vat_is_in_english() {
    let server = Server::start();
    let form = in_language(&get(&server, "/en/simulateurs/tva-afrique"), "en");
    let countries = form.split_once("name=\"pays\"").unwrap().1;
    let countries = countries.split("</select>").next().unwrap();
    let countries = countries.split("<option value=\"").skip(1);
    let countries = countries.filter_map(|option| option.split('"').next());
    let countries: Vec<&str> = countries.filter(|country| !country.is_empty()).collect();
    assert_eq!(countries.len(), 26, "{countries:?}");

    // The days on which what is written of a rate changes.
    for day in [
        "2023-06-30",
        "2024-06-30",
        "2025-06-30",
        "2026-01-10",
        "2026-06-30",
    ] {
        for country in &countries {
            let query = format!("pays={country}&date={day}");
            let answer = get(&server, &format!("/api/v1/tva-afrique?{query}")).json();
            for row in answer["taux_disponibles"].as_array().unwrap() {
                let (category, rate) = (row["categorie"].as_str().unwrap(), &row["taux"]);
                let query = format!("{query}&montant=100000&categorie={category}");
                let path = format!("/en/simulateurs/tva-afrique?{query}");
                let text = assert_same_amounts(&server, &path);
                let found = words_of(FRENCH, &text, &["code", "pre"]);
                assert!(found.is_empty(), "{path}: {found:#?}");
                let sentence = format!("of VAT at {rate}%");
                assert!(text.contains(&sentence), "{sentence} in {path}: {text}");
                let headline = text.split_once("<dl class=\"headline\">").unwrap().1;
                let headline = headline.split("</dl>").next().unwrap();
                assert!(
                    headline.contains(&format!("<dd>{rate}%")),
                    "{path}: {headline}"
                );
            }
        }
    }

    // A rate that a country does not have: the others are named as the form names them.
    let refused = "/en/simulateurs/tva-afrique?pays=maurice&categorie=reduit";
    let text = in_language(&get(&server, refused), "en");
    assert!(
        text.contains("for this value of “Rate”. Expected: Standard rate."),
        "{text}"
    );
}

#[test]
fn a_year_of_pays_is_in_english_with_its_file() {
    let server = Server::start();
    let query = "annee=2026&premier_mois=3&brut=1600;3100;1000&jours=16;;10\
                 &brut_mois_complet=3100&depart=true&employeur=true";
    let path = format!("/en/simulateurs/salaire/annee?{query}");
    let text = assert_same_amounts(&server, &path);
    let found = words_of(FRENCH, &text, &["code", "pre"]);
    assert!(found.is_empty(), "{found:#?}");

    let year = get(&server, &format!("/api/v1/salaire/annee?{query}")).json();
    let net = year["total"]["net"].as_f64().unwrap();
    let months = text.split("table class=\"payslip months\"").nth(1).unwrap();
    let months = months.split("</table>").next().unwrap();
    let rows = months.split("<th scope=\"row\">").skip(1);
    let rows: Vec<&str> = rows.filter_map(|row| row.split('<').next()).collect();
    assert_eq!(rows, ["March", "April", "May", "Total"]);
    let plain = months.replace(',', "");
    assert!(plain.contains(&format!("{net:.2}")), "{net} in {months}");

    // The page of one pay leads to it, with what was typed.
    let one = in_language(&get(&server, "/en/simulateurs/salaire?brut=2650"), "en");
    assert!(
        one.contains("href=\"/en/simulateurs/salaire/annee?brut=2650"),
        "{one}"
    );

    let file = get(
        &server,
        &format!("/en/simulateurs/salaire/annee.csv?{query}"),
    );
    let file = String::from_utf8(file.body).unwrap();
    let (_, table) = file.split_once("\r\n\r\n").unwrap();
    assert!(
        table.starts_with("Month,") && table.contains("\r\nApril,3100.00,"),
        "{file}"
    );
}

#[test]
fn a_failure_at_an_english_address_is_in_english() {
    let server = Server::start();
    let failure = |path: &str, status: u16| {
        let mut answer = asked(&server, path, BROWSER);
        assert_eq!(answer.status, status, "{path}");
        answer.status = 200;
        let text = in_language(&answer, "en");
        let found = words_of(FRENCH, &text, &["code", "pre"]);
        assert!(found.is_empty(), "{path}: {found:#?}");
        text
    };

    let text = failure("/en/sn", 404);
    assert!(
        text.contains("Page not found") && text.contains("href=\"/en/simulateurs/salaire-net/sn\""),
        "{text}"
    );
    // A page that is in French alone.
    let text = failure("/en/simulateurs/ir", 404);
    assert!(
        text.contains("href=\"/simulateurs/ir\" hreflang=\"fr\""),
        "{text}"
    );
    let text = failure("/en/simulateurs/salaire.csv?brut=abc", 400);
    assert!(text.contains("Invalid parameters"), "{text}");
    // A program is answered in JSON.
    get(&server, "/en/sn").problem(404, "adresse_inconnue");
}

#[test]
fn no_word_of_the_other_language_is_on_a_page() {
    let server = Server::start();
    let paths = english(&server);
    assert!(paths.contains(&"/en".to_owned()) && paths.contains(&"/en/comparer".to_owned()));
    // A frame is on the pages of others, and in no site map.
    let frame = "/en/widget/salaire".to_owned();
    for path in paths.iter().chain([&frame]) {
        let text = in_language(&with_steps(&server, path), "en");
        let found = words_of(FRENCH, &text, &["code", "pre"]);
        assert!(found.is_empty(), "{path}: {found:#?}");
        let amounts = amounts_written_as_french_is(&shown(&text, &["code", "pre"]));
        assert!(amounts.is_empty(), "{path}: {amounts:#?}");
    }

    // A French page cites sources in English, in lists and at its end.
    for path in &paths {
        let french = path.strip_prefix("/en").unwrap();
        let french = if french.is_empty() { "/" } else { french };
        let text = page(&with_steps(&server, french));
        let before = text.split("<section class=\"cite\"").next().unwrap();
        let found = words_of(ENGLISH, before, &["code", "pre", "dd", "li"]);
        assert!(found.is_empty(), "{french}: {found:#?}");
    }
}

#[test]
fn a_page_in_both_languages_leads_to_the_other_with_its_question() {
    let server = Server::start();
    let french = page(&get(&server, "/simulateurs/salaire?brut=2650&cadre=true"));
    let english = in_language(
        &get(&server, "/en/simulateurs/salaire?brut=2650&cadre=true"),
        "en",
    );
    assert!(
        french.contains("href=\"/en/simulateurs/salaire?brut=2650&amp;cadre=true\" lang=\"en\"")
    );
    assert!(english.contains("href=\"/simulateurs/salaire?brut=2650&amp;cadre=true\" lang=\"fr\""));

    for text in [&french, &english] {
        for (language, path) in [("fr", ""), ("en", "/en"), ("x-default", "")] {
            let link = format!(
                "hreflang=\"{language}\" href=\"https://bareme.example{path}/simulateurs/salaire\""
            );
            assert!(text.contains(&link), "{link}");
        }
    }
    assert!(english.contains(
        "<link rel=\"canonical\" href=\"https://bareme.example/en/simulateurs/salaire\">"
    ));

    // What is in French alone says nothing of English, and has no English address.
    for path in pages(&server) {
        let own = if path == "/" { "" } else { path.as_str() };
        let answer = get(&server, &format!("/en{own}"));
        let has_english = answer.status == 200;
        let text = page(&get(&server, &path));
        assert_eq!(text.contains("hreflang=\"en\""), has_english, "{path}");
    }
    assert_eq!(get(&server, "/en/simulateurs/ir").status, 404);
    assert_eq!(
        get(&server, "/en/simulateurs/salaire-net/ci/annee").status,
        404
    );
}

#[test]
fn the_home_page_is_in_the_language_that_a_visitor_reads() {
    let server = Server::start();
    let english = "accept-language: en-GB,en;q=0.9,fr;q=0.5\r\n";
    let sent = asked(&server, "/", english);
    assert_eq!((sent.status, sent.header("location")), (302, "/en"));
    assert!(sent.header("vary").contains("Accept-Language"));

    // French is preferred, a link of the site leads where it says, and a question stays where it is.
    let own_link = format!("{english}sec-fetch-site: same-origin\r\n");
    for (path, headers) in [
        ("/", "accept-language: fr-FR,fr;q=0.9,en;q=0.8\r\n"),
        ("/", ""),
        ("/", own_link.as_str()),
        ("/?brut=2650", english),
    ] {
        page(&asked(&server, path, headers));
    }
    for language in ["fr", "en"] {
        let headers = format!("accept-language: {language}\r\n");
        in_language(&asked(&server, "/en", &headers), "en");
    }
    let french = asked(&server, "/", "accept-language: fr\r\n");
    assert_eq!(
        french.header("vary"),
        "Accept-Encoding, Accept-Language, Sec-Fetch-Site"
    );
}

#[test]
fn a_file_of_an_english_page_is_one_of_english_spreadsheets() {
    let server = Server::start();
    let answer = get(&server, "/en/simulateurs/salaire.csv?brut=2650");
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.body).unwrap();
    assert!(
        text.contains("Line,Base,Rate,Employee,Employer\r\n"),
        "{text}"
    );
    assert!(text.contains(",2650.00,6.9%,-182.85,"), "{text}");
}

#[test]
fn suggestions_of_the_search_are_of_the_language_of_the_page() {
    let server = Server::start();
    let found = |path: &str| {
        let answer = get(&server, path);
        assert_eq!(answer.status, 200, "{path}");
        String::from_utf8(answer.body).unwrap()
    };
    let english = found("/en/site/recherche?q=belgium");
    assert!(
        english.contains("data-vers=\"/en/simulateurs/salaire-net/be\"")
            && english.contains("Net pay in Belgium"),
        "{english}"
    );
    assert!(found("/site/recherche?q=belgique").contains("Salaire net en Belgique"));
}
