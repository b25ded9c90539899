//! `bareme inverse`: the gross of a net.

use serde_json::Value;

use crate::common::run;

#[test]
fn the_gross_found_is_shown_with_the_net_it_gives() {
    let output = run(&[
        "inverse",
        "salaire-net/be",
        "net=2500",
        "--date",
        "2026-11-01",
    ])
    .fine();
    let amounts: Vec<&str> = output
        .lines()
        .skip(4)
        .take(3)
        .filter_map(|line| line.rsplit("  ").next())
        .collect();
    assert_eq!(amounts[0], "2 500", "{output}");
    assert_eq!(amounts[2], "2 500", "{output}");
    let json = run(&[
        "inverse",
        "salaire-net/be",
        "net=2500",
        "--date",
        "2026-11-01",
        "--format",
        "json",
    ])
    .fine();
    let json: Value = serde_json::from_str(&json).unwrap();
    let gross = json["brut"].as_f64().unwrap();
    assert!(
        output.contains(&format!("brut={gross}")),
        "{output}\n{json}"
    );
    // The other way round again, and with one cent less.
    let net = |gross: f64| {
        let answer = run(&[
            "explain",
            "salaire-net/be",
            &format!("brut={gross:.2}"),
            "--date",
            "2026-11-01",
            "--format",
            "json",
        ]);
        serde_json::from_str::<Value>(&answer.fine()).unwrap()["net_mensuel"]
            .as_f64()
            .unwrap()
    };
    assert!(net(gross) >= 2500.0);
    assert!(net(gross - 0.01) < 2500.0);
}

#[test]
fn a_net_that_is_lost_again_above_is_told() {
    let output = run(&[
        "inverse",
        "salaire-net/sn",
        "net=683558",
        "--date",
        "2026-11-01",
    ])
    .fine();
    assert!(output.contains("le résultat retombe"), "{output}");
}

#[test]
fn what_has_no_inverse_and_what_asks_nothing_are_told() {
    let other = run(&["inverse", "tva", "ht=3"]);
    assert_eq!(other.code, 2);
    assert!(
        other.errors.contains("n’a pas de clé `inverse`"),
        "{other:#?}"
    );
    let nothing = run(&["inverse", "salaire", "cadre=true"]);
    assert_eq!(
        (nothing.code, nothing.errors.trim()),
        (
            2,
            "Dire ce qui est voulu : `net=…`, `net_apres_impot=…`, `net_a_payer=…`, `cout=…`."
        )
    );
    assert_eq!(run(&["inverse", "salaire", "net=99999999"]).code, 1);
}
