use std::path::Path;

use bareme_engine::Loader;

use super::super::details;
use super::*;

/// The explanation of a step of a pay, as a page shows it: its terms with plain spaces.
fn explained(sent: &[(&str, &str)], step: &str) -> Vec<String> {
    explained_in("salaire", sent, step)
}

/// The same of a calculation of any folder.
fn explained_in(folder: &str, sent: &[(&str, &str)], step: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let loaded = Loader::new().without_cases().only(&[folder]).load(&root);
    let rules = loaded.rules.unwrap();
    let folder = rules.folder(folder).unwrap();
    let sent: Vec<(String, String)> = sent
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let day = jiff::civil::date(2026, 3, 31);
    let calculation = folder.calculate(&sent[..].into(), day).unwrap();
    let mut steps = calculation.steps().unwrap().iter();
    let trace = steps.find(|trace| trace.step.name == step).unwrap();
    let terms = details(trace, calculation.edition().method(), Locale::PAGE);
    terms
        .into_iter()
        .map(|(term, value)| format!("{term} : {value}").replace(['\u{a0}', '\u{202f}'], " "))
        .collect()
}

#[test]
fn a_step_is_a_sentence_with_its_numbers() {
    let own = explained(&[("brut", "2650")], "vieillesse_plafonnee");
    assert_eq!(own[0], "Calcul : 2 650,00 € × 6,9 % = 182,85 €");
    assert!(
        !own.iter().any(|term| term.starts_with("Assiette")),
        "{own:?}"
    );

    // Above the ceiling, what counts of the base is not the base.
    let own = explained(&[("brut", "5000")], "vieillesse_plafonnee");
    assert_eq!(own[0], "Calcul : 4 005,00 € × 6,9 % = 276,35 €");

    // A branch is taken, and the rule says when.
    let own = explained(&[("brut", "2000"), ("quotite", "80")], "plafond_contrat");
    assert!(own[0].starts_with("Calcul : 4 005,00 € × (") && own[0].ends_with("= 3 204,00 €"));
    assert!(own[1].starts_with("Règle : si « Quotité de travail » < 1 alors « Plafond"));
}

#[test]
fn words_of_choices_are_labels() {
    let own = explained(&[("brut", "2650")], "mois");
    assert!(own.contains(&"Période des montants : Par mois".to_owned()));
    assert!(own[0].contains("« Par an »"), "{own:?}");
}

#[test]
fn a_column_has_its_own_label() {
    let sent = [
        ("situation", "couple"),
        ("salaire", "40000"),
        ("enfants_alternes", "2"),
    ];
    let own = explained_in("foyer", &sent, "parts_alternees");
    // Two children who live with each parent in turn: a quarter of a share each.
    assert_eq!(own[0], "Calcul : (2 × 0,5 + (2 − 2) × 1) × 0,5 = 0,5");
    let label = "Parts des personnes à charge (part d’un enfant en résidence alternée) : 0,5";
    assert!(own.iter().any(|term| term == label), "{own:?}");

    let sent = [
        ("situation", "couple"),
        ("salaire", "40000"),
        ("enfants_alternes", "1"),
        ("garde_alternee", "2000"),
    ];
    let own = explained_in("foyer", &sent, "garde_alternee_retenue");
    let rule = own.iter().find(|term| term.starts_with("Règle")).unwrap();
    assert!(
        rule.contains("« Frais de garde, plafond en résidence alternée »"),
        "{rule}"
    );
}
