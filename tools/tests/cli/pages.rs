//! `bareme list`, `bareme schema`, `bareme doc`, completions and manual pages.

use serde_json::Value;

use crate::common::{root, run};

#[test]
fn every_scale_is_listed_and_each_in_detail() {
    let all: Value = serde_json::from_str(&run(&["list", "--format", "json"]).fine()).unwrap();
    let paths: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|scale| scale["bareme"].as_str().unwrap())
        .collect();
    assert!(
        paths.contains(&"ir") && paths.contains(&"salaire-net/sn"),
        "{paths:?}"
    );
    for path in paths {
        let one = run(&["list", path]).fine();
        assert!(
            one.contains("\nParamètres\n") && one.contains("\nRéponse\n"),
            "{one}"
        );
        let wide = one
            .lines()
            .filter(|line| line.chars().count() > 80)
            .collect::<Vec<_>>();
        assert!(wide.is_empty(), "{path}: {wide:#?}");
    }
}

#[test]
fn a_scale_names_what_it_calculates_and_what_calculates_it() {
    let one = |path: &str| -> Value {
        serde_json::from_str(&run(&["list", path, "--format", "json"]).fine()).unwrap()
    };
    let of_dividends = ["contributions-hauts-revenus", "ir", "prelevements-sociaux"];
    assert_eq!(
        one("dividendes")["utilise"],
        serde_json::json!(of_dividends)
    );
    assert_eq!(one("tva")["utilise_par"], serde_json::json!(["facture"]));
    assert_eq!(one("tva")["utilise"], serde_json::json!([]));
    let shown = run(&["list", "facture"]).fine();
    assert!(shown.contains("Utilise : tva"), "{shown}");
}

#[test]
fn the_schemas_written_are_those_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    run(&["schema", "--write", folder.path().to_str().unwrap()]).fine();
    let schemas = root().join("schemas");
    for path in [
        "method.json",
        "cases.json",
        "service.json",
        "scales/ir/method.json",
        "scales/salaire-net/cd/method-ipr.json",
    ] {
        let text = |folder: &std::path::Path| std::fs::read_to_string(folder.join(path)).unwrap();
        assert!(text(folder.path()) == text(&schemas), "{path} is stale");
    }
    assert_eq!(
        run(&["schema", "ir"]).fine(),
        std::fs::read_to_string(schemas.join("scales/ir/method.json")).unwrap()
    );
}

#[test]
fn every_scale_has_its_page() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["html", "markdown"] {
        run(&[
            "doc",
            "--out",
            folder.path().to_str().unwrap(),
            "--format",
            format,
            "--date",
            "2026-11-01",
        ])
        .fine();
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let page = read("salaire-net-sn.html");
    for wanted in [
        "<h1>Salaire net au Sénégal</h1>",
        "<h2>Chiffres</h2>",
        "630\u{202f}000",
        "<h2>Calcul</h2>",
        "barème par tranches sur imposable",
        "<h2>Exemple\u{a0}: ",
        "<svg ",
        "<h2>Sources</h2>",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    let index = read("index.md");
    for line in index.lines().filter_map(|line| line.strip_prefix("- [")) {
        let file = line.rsplit_once("](").unwrap().1.trim_end_matches(')');
        assert!(read(file).starts_with("# "), "{file}");
    }
    assert!(read("salaire-net-sn.md").contains("(salaire-net-sn.svg)"));
    assert!(read("salaire-net-sn.svg").starts_with("<svg "));
}

#[test]
fn shells_and_manuals_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).fine();
        assert!(
            script.contains("explain") && script.contains("--mutate") || script.contains("mutate"),
            "{shell}"
        );
    }
    assert!(run(&["man"]).fine().starts_with(".ie "));
    let folder = tempfile::tempdir().unwrap();
    run(&["man", "--out", folder.path().to_str().unwrap()]).fine();
    assert!(folder.path().join("bareme-explain.1").exists());
}
