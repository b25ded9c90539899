//! The pages of the scales: figures, steps and remarks in words.

use harness::Server;

use crate::pages::{page, pages};

/// The visible text of a part of a page, a line for each element, with plain spaces.
fn lines(html: &str) -> Vec<String> {
    let texts = html.split('<').filter_map(|part| part.split_once('>'));
    let texts = texts.map(|(_, text)| {
        text.replace(['\u{202f}', '\u{a0}'], " ")
            .replace("&lt;", "<")
    });
    texts.filter(|text| !text.trim().is_empty()).collect()
}

/// The part of a page below a heading, up to the next one of its rank.
fn below<'p>(page: &'p str, id: &str) -> &'p str {
    let after = page
        .split(&format!("<h2 id=\"{id}\">"))
        .nth(1)
        .unwrap_or("");
    after.split("<h2 ").next().unwrap()
}

#[test]
fn no_scale_is_written_with_the_names_of_its_rules() {
    let server = Server::start();
    let mut read = 0;
    for path in pages(&server) {
        if !path.starts_with("/baremes/") || path.ends_with("/changements") {
            continue;
        }
        let text = page(&server.get(&path));
        for part in ["chiffres", "calcul"] {
            for line in lines(below(&text, part)) {
                read += 1;
                assert!(
                    !line.contains('_') && !line.contains("=true"),
                    "{path}: {line}"
                );
                // Digits that a division leaves are no figure of a law.
                let digits = line.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
                let decimals = digits.filter_map(|number| number.split_once(','));
                for (_, decimals) in decimals {
                    assert!(decimals.len() <= 8, "{path}: {line}");
                }
            }
        }
    }
    assert!(read > 10_000, "{read}");
}

#[test]
fn the_steps_of_a_scale_name_what_they_read() {
    let server = Server::start();
    let text = page(&server.get("/baremes/salaire"));
    let steps = lines(below(&text, "calcul")).join("\n");
    for sentence in [
        "Cotisation sur « Tranche 1 », chiffres de « Vieillesse plafonnée », pour la part au-delà \
         de « Rémunération de l’apprenti exonérée de cotisations », arrondi au plus proche, à 0,01",
        "« Plafond de la sécurité sociale, mensuel » × « Mois de la période »",
        "Ajouter le coût pour l’employeur",
    ] {
        assert!(steps.contains(sentence), "{sentence} in {steps}");
    }

    let figures = lines(below(&text, "chiffres"));
    assert!(figures.iter().any(|line| line == "151,66…"), "{figures:?}");
}
