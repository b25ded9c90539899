//! Folders of rules, named on a command line by their path too.

use crate::common::run;

#[test]
fn a_path_to_a_folder_is_its_name() {
    for (command, name, more) in [
        ("explain", "ir", &["revenu=40000"][..]),
        ("list", "salaire-net/sn", &[]),
        ("diff", "ir", &["2025-01-01", "2026-01-01"]),
        ("doc", "tva", &[]),
        ("inverse", "salaire", &["net=2500"]),
    ] {
        let said = |name: &str| run(&[&[command, name], more].concat()).fine();
        let named = said(name);
        for path in [
            format!("rules/{name}"),
            format!("./rules/{name}/"),
            format!("{name}/"),
        ] {
            assert_eq!(said(&path), named, "{command} {path}");
        }
    }

    let unknown = run(&["explain", "rules/nowhere", "revenu=40000"]);
    assert!(
        unknown
            .errors
            .contains("Aucun barème ne s’appelle `rules/nowhere`"),
        "{unknown:#?}"
    );
}
