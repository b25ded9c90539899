//! `bareme explain`: the payslip in words.

use serde_json::Value;

use crate::common::{broken, root, run, run_in};

const PAY: [&str; 6] = ["explain", "salaire-net/sn", "brut=450000", "parts=2.5", "--date", "2026-03-31"];

#[test]
fn a_payslip_tells_operands_bands_roundings_articles_and_addresses() {
    let output = run(&PAY).fine();
    for wanted in [
        "Salaire net au Sénégal",
        "  30 % x 5 400 000, au plus 900 000",
        "  de 4 000 000 à 8 000 000 : 35 % x 500 000 = 175 000",
        "  arrondi par défaut, à 1 000",
        "  CGI, art. 173 [1",
        "Sans objet ici : IPRES, régime complémentaire des cadres.",
        "https://taxsummaries.pwc.com/senegal",
    ] {
        assert!(output.contains(wanted), "{wanted}\n{output}");
    }
    let wide = output.lines().filter(|line| line.chars().count() > 80 && !line.contains("http")).collect::<Vec<_>>();
    assert!(wide.is_empty(), "{wide:#?}");
    let net = output.lines().find(|line| line.starts_with("Salaire net du mois")).unwrap();
    assert!(net.ends_with(" 358 225"), "{net}");
}

#[test]
fn the_same_comes_as_markdown_html_and_json() {
    let with = |format: &str| run(&[&PAY[..], &["--format", format]].concat()).fine();
    let markdown = with("markdown");
    assert!(markdown.starts_with("# Salaire net au Sénégal\n"), "{markdown}");
    assert!(markdown.contains("\n| Étape | Résultat |\n| --- | ---: |\n"), "{markdown}");
    let html = with("html");
    assert!(html.starts_with("<!doctype html>\n<html lang=\"fr\">"), "{html}");
    assert!(html.contains("<a href=\"https://taxsummaries.pwc.com/senegal"), "{html}");
    let json: Value = serde_json::from_str(&with("json")).unwrap();
    assert_eq!(json["net_mensuel"], 358_225);
    assert_eq!(json["etapes"][0]["nom"], "brut_annuel");
    let english = run(&[&PAY[..], &["--lang", "en"]].concat()).fine();
    for wanted in ["30% x 5,400,000, at most 900,000", "rounded down to 1,000"] {
        assert!(english.contains(wanted), "{wanted}\n{english}");
    }
}

#[test]
fn what_cannot_be_computed_says_why() {
    let refused = run(&["explain", "salaire-net/sn", "brut=12,5", "part=2"]);
    assert_eq!(refused.code, 1);
    assert!(refused.errors.contains("`part` : Paramètre inconnu ; vouliez-vous dire `parts` ?"), "{refused:#?}");
    assert!(refused.errors.contains("`brut` : La virgule n'est pas acceptée"), "{refused:#?}");
    let unknown = run(&["explain", "sn", "brut=1"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.errors.contains("vouliez-vous dire `salaire-net/sn` ?"), "{unknown:#?}");
    assert_eq!(run(&["explain", "salaire-net/sn", "450000"]).code, 2);
}

/// A rate is a rate whatever the analyst calls the input that it comes from.
#[test]
fn a_value_is_read_by_its_type_and_not_by_the_name_of_an_input() {
    let method = std::fs::read_to_string(root().join("rules/pret/method.yaml")).unwrap();
    for name in ["assurance", "assu"] {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join("rules");
        std::fs::create_dir_all(rules.join("zz")).unwrap();
        std::fs::copy(broken().join("base/service.yaml"), rules.join("service.yaml")).unwrap();
        let renamed = method
            .replace("\nfolder: pret\n", "\nfolder: zz\n")
            .replace("\n  assurance:", &format!("\n  {name}:"))
            .replace("insurance: assurance", &format!("insurance: {name}"));
        std::fs::write(rules.join("zz/method.yaml"), renamed).unwrap();
        let insured = format!("{name}=0.36");
        let output =
            run_in(folder.path(), &["explain", "zz", "montant=100000", "duree=120", "taux=3.5", &insured]).fine();
        let flat = output.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("taux = 3,5 % ; frais = 0 ; assurance = 0,36 %"), "{output}");
    }
}
