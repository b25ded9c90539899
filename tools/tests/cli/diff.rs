//! `bareme diff`: figures side by side, then the effect.

use serde_json::Value;

use crate::common::{run, run_in};
use crate::composed::composed_rules;

#[test]
fn the_figures_that_change_stand_side_by_side() {
    let output = run(&["diff", "salaire-net/ma", "2024", "2026"]).fine();
    for wanted in [
        "Salaire net au Maroc : du 2024-01-01 au 2026-01-01",
        "ir, ligne 1, borne                        30 000      40 000  +33,33 %",
        "ir, ligne 6, rate                           38 %        37 %     −1 pt",
        "salaire_minimum.horaire                    16,29       17,92  +10,01 %",
        "Effet : Salaire net du mois",
        "Par ménage, sur la même plage de revenus",
    ] {
        assert!(output.contains(wanted), "{wanted}\n{output}");
    }
    assert!(
        output.lines().all(|line| line.chars().count() <= 80),
        "{output}"
    );
}

#[test]
fn gains_and_losses_are_those_of_the_two_calculations() {
    let output = run(&[
        "diff",
        "salaire-net/ma",
        "2024",
        "2026",
        "--household",
        "personnes=2",
        "--range",
        "6000..14000",
        "--format",
        "json",
    ]);
    let output: Value = serde_json::from_str(&output.fine()).unwrap();
    let points = output["effet"]["points"].as_array().unwrap();
    assert_eq!(
        (points.len(), &points[0]["revenu"], &points[8]["revenu"]),
        (9, &6_000.into(), &14_000.into())
    );
    let net = |date: &str| {
        let pay = [
            "explain",
            "salaire-net/ma",
            "brut=10000",
            "personnes=2",
            "--format",
            "json",
            "--date",
            date,
        ];
        serde_json::from_str::<Value>(&run(&pay).fine()).unwrap()["net_mensuel"].clone()
    };
    assert_eq!(points[4]["avant"], net("2024-01-01"));
    assert_eq!(points[4]["apres"], net("2026-01-01"));
    assert_eq!(output["effet"]["menages"][0]["menage"], "personnes=2");
}

#[test]
fn both_editions_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("effet.svg");
    run(&[
        "diff",
        "salaire-net/ma",
        "2024",
        "2026",
        "--plot",
        path.to_str().unwrap(),
    ])
    .fine();
    let svg = std::fs::read_to_string(&path).unwrap();
    for wanted in [
        "<svg ",
        "Salaire net du mois",
        "2024-01-01, taux effectif",
        "2026-01-01, taux marginal",
    ] {
        assert!(svg.contains(wanted), "{wanted}");
    }
}

#[test]
fn what_cannot_be_compared_is_told() {
    for arguments in [
        &["diff", "pret"][..],
        &["diff", "salaire-net/ma", "2026", "2026"],
        &["diff", "salaire-net/ma", "1999"],
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.errors.is_empty()), (2, false), "{ran:#?}");
    }
    let same = run(&["diff", "salaire-net/sn", "2025", "2026"]).fine();
    assert!(same.contains("Aucun, pour brut de "), "{same}");
}

#[test]
fn the_effect_on_what_a_pay_costs_is_that_of_its_option() {
    let compared = [
        "diff",
        "salaire-net/ma",
        "2024",
        "2026",
        "--range",
        "6000..14000",
        "--format",
        "json",
    ];
    let output = run(&[&compared[..], &["--field", "cout_employeur"]].concat()).fine();
    let output: Value = serde_json::from_str(&output).unwrap();
    let pay = [
        "explain",
        "salaire-net/ma",
        "brut=10000",
        "employeur=true",
        "--format",
        "json",
        "--date",
        "2026-01-01",
    ];
    let cost = serde_json::from_str::<Value>(&run(&pay).fine()).unwrap()["cout_employeur"].clone();
    assert_eq!(output["effet"]["points"][4]["apres"], cost);
    let unknown = run(&["diff", "salaire-net/ma", "2024", "2026", "--field", "cout"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.errors.contains("`cout` n’est pas un nombre")
            && unknown.errors.contains("cout_employeur")
    );
}

/// An effect that nobody computed is an error, and never "none".
#[test]
fn a_household_that_is_not_answered_is_refused_with_the_reason() {
    let compared = ["diff", "salaire-net/sn", "2025", "2026", "--household"];
    let unknown = run(&[&compared[..], &["part=2.5"]].concat());
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .errors
            .contains("`part` n’est pas une donnée de ce barème ; vouliez-vous dire `parts` ?"),
        "{unknown:#?}"
    );
    let refused = run(&[&compared[..], &["parts=2.25"]].concat());
    assert_eq!(
        (refused.code, refused.output.as_str()),
        (1, ""),
        "{refused:#?}"
    );
    assert!(
        refused
            .errors
            .starts_with("Aucun effet calculé pour le ménage `parts=2.25`"),
        "{refused:#?}"
    );
    let amount = run(&[&compared[..], &["brut=450000"]].concat());
    assert!(
        amount.code == 2 && amount.errors.contains("`brut` varie de lui-même"),
        "{amount:#?}"
    );
    let odd = run(&[
        &compared[..],
        &[
            "parts=2",
            "--household-after",
            "parts=2",
            "--household-after",
            "parts=3",
        ],
    ]
    .concat());
    assert_eq!(odd.code, 2, "{odd:#?}");
}

/// A household may differ on each side; what one side does not know is left out there, and
/// reported.
#[test]
fn a_household_may_differ_on_each_side() {
    let compared = [
        "diff",
        "ir",
        "2025",
        "2026",
        "--range",
        "60 000..100 000",
        "--format",
        "json",
    ];
    let sides = [
        "--household",
        "situation=couple parts=2",
        "--household-after",
        "situation=couple parts=3",
    ];
    let output: Value =
        serde_json::from_str(&run(&[&compared[..], &sides].concat()).fine()).unwrap();
    let tax = |day: &str, household: &[&str]| {
        let asked = [
            &[
                "explain",
                "ir",
                "revenu=80 000",
                "--format",
                "json",
                "--date",
                day,
            ],
            household,
        ]
        .concat();
        serde_json::from_str::<Value>(&run(&asked).fine()).unwrap()["impot_total"].clone()
    };
    let middle = &output["effet"]["points"][4];
    assert_eq!(
        middle["avant"],
        tax("2025-01-01", &["situation=couple", "parts=2"])
    );
    assert_eq!(
        middle["apres"],
        tax("2026-01-01", &["situation=couple", "parts=3"])
    );
    assert_eq!(
        output["effet"]["menages"][0]["menage"],
        "situation=couple parts=2 → situation=couple parts=3"
    );
}

/// The households that are shown are those that the changes touch, found among the worked cases
/// too.
#[test]
fn households_that_the_changes_touch_are_found() {
    let output = run(&["diff", "ir", "2025", "2026", "--format", "json"]).fine();
    let output: Value = serde_json::from_str(&output).unwrap();
    let effect = &output["effet"];
    assert!(
        effect["menages_calcules"].as_u64().unwrap() > 20,
        "{effect}"
    );
    let shown: Vec<&str> = effect["menages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["menage"].as_str().unwrap())
        .collect();
    assert!(
        shown.len() > 3
            && shown
                .iter()
                .any(|name| name.contains("demi_parts_invalidite")),
        "{shown:?}"
    );
}

/// The cases of a caller are computed by both laws on the days of the later one: 10 % and 12 % of a
/// salary.
#[test]
fn the_effect_on_callers_is_that_on_their_cases() {
    let folder = composed_rules();
    let compared = ["diff", "impot", "2026", "2027", "--with-callers"];
    let output = run_in(
        folder.path(),
        &[&compared[..], &["--format", "json"]].concat(),
    )
    .fine();
    let output: Value = serde_json::from_str(&output).unwrap();
    let expected = serde_json::json!([{
        "dossier": "foyer",
        "titre": "Foyer",
        "du": "2027-01-01",
        "au": null,
        "cas": 3,
        "cas_changes": 3,
        "cas_refuses": 0,
        "champs": [
            {
                "champ": "reste",
                "cas": 3,
                "requete": "salaire=30000&date=2027-01-01",
                "avant": 27000,
                "apres": 26400,
            },
            {
                "champ": "taux",
                "cas": 3,
                "requete": "salaire=1000&date=2027-01-01",
                "avant": 0.1,
                "apres": 0.12,
            },
        ],
    }]);
    assert_eq!(output["appele_par"], expected, "{output:#}");

    // The other way round, the amounts are exchanged.
    let back = [
        "diff",
        "impot",
        "2027",
        "2026",
        "--with-callers",
        "--format",
        "json",
    ];
    let output: Value = serde_json::from_str(&run_in(folder.path(), &back).fine()).unwrap();
    let field = &output["appele_par"][0]["champs"][0];
    assert_eq!(
        (&field["avant"], &field["apres"]),
        (&26400.into(), &27000.into())
    );

    let page = run_in(folder.path(), &compared).fine();
    for wanted in [
        "foyer (Foyer), à partir du 2027-01-01 : 3 cas sur 3 changent",
        "reste    3  27 000  26 400  salaire=30000 date=2027-01-01",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
}

/// A folder that reads another one through a third is a caller too; one that nobody reads has none.
#[test]
fn the_callers_of_callers_are_there() {
    let compared = [
        "diff",
        "contributions-hauts-revenus",
        "--with-callers",
        "--format",
        "json",
    ];
    let output: Value = serde_json::from_str(&run(&compared).fine()).unwrap();
    let callers = output["appele_par"].as_array().unwrap();
    let names: Vec<&str> = callers
        .iter()
        .map(|caller| caller["dossier"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["dividendes", "foyer", "statuts"]);
    for caller in callers {
        assert!(caller["cas"].as_u64().unwrap() > 20, "{caller}");
    }

    let alone = run(&["diff", "salaire-net/sn", "2025", "2026", "--with-callers"]).fine();
    assert!(
        alone.contains("Aucun autre dossier ne calcule celui-ci"),
        "{alone}"
    );
}
