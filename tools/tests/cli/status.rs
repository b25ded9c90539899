//! `bareme status`: how far a year is, at a glance.

use std::fs::{read_to_string, write};

use crate::common::{run, run_in, small_rules};

/// The small rules with a text in the place of another one, and what `status` says of 2027.
struct Small(tempfile::TempDir);

impl Small {
    fn new() -> Self {
        Self(small_rules(None))
    }

    fn edit(&self, from: &str, to: &str) {
        let path = self.0.path().join("rules/zz/2026-01-01.yaml");
        let text = read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn status(&self, more: &[&str]) -> String {
        let arguments = [&["status", "2027", "--date", "2026-12-01"], more].concat();
        run_in(self.0.path(), &arguments).fine()
    }

    /// The member of the only folder.
    fn member(&self, name: &str) -> serde_json::Value {
        let json = self.status(&["--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json[0][name].clone()
    }
}

const WATCH: &str = "watch: [{text: \"Projet de loi de finances pour 2027 (non voté)\", expected: 2026-12-31, changes: \"barème\"}]\ncitation:";

#[test]
fn a_folder_is_in_one_group_by_what_is_left() {
    // Without a file of the year, all figures are left.
    let small = Small::new();
    let shown = small.status(&[]);
    for part in [
        "0 lu, 1 à lire, 0 bloqué, 0 en vigueur.",
        "À lire : les chiffres qui restent",
        "aucun",
        "zz 3",
        "1 à finir",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert_eq!(
        (small.member("etat"), small.member("a_lire")),
        ("a_lire".into(), 3.into())
    );

    // A draft has those that are marked.
    run_in(small.0.path(), &["new", "zz", "2027-01-01"]).fine();
    let arguments = ["confirm", "zz", "famille", "--whole", "--unchanged"];
    run_in(small.0.path(), &arguments).fine();
    let shown = small.status(&[]);
    assert!(
        shown.contains("brouillon") && shown.contains("zz 2"),
        "{shown}"
    );
    assert_eq!(small.member("a_confirmer"), 2);

    // What is known until the end of the year is in force.
    let small = Small::new();
    small.edit("known_until: 2026-12-31", "known_until: 2027-12-31");
    let shown = small.status(&[]);
    assert!(
        shown.contains("0 à lire, 0 bloqué, 1 en vigueur.") && shown.contains("Tout est prêt."),
        "{shown}"
    );
    assert_eq!(small.member("etat"), "en_vigueur");

    // A file of the year that was read comes into force on its day.
    let small = Small::new();
    let path = small.0.path().join("rules/zz/2026-01-01.yaml");
    let text = read_to_string(&path).unwrap();
    let text = text
        .replace("6.3%", "6.4%")
        .replace("2024-06-01", "2026-06-01");
    let text = text
        .replace("known_until: 2026-12-31\n", "")
        .replace("2026", "2027");
    let text = text
        .replace("2025-12-29", "2026-11-28")
        .replace("2027-06-01", "2026-06-01");
    write(path.with_file_name("2027-01-01.yaml"), text).unwrap();
    let shown = small.status(&[]);
    for part in [
        "1 lu, 0 à lire",
        "Lus, pas encore en vigueur",
        "2027-01-01   zz",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert_eq!(small.member("etat"), "lu");
}

#[test]
fn what_blocks_a_folder_is_said() {
    // A text that has not come.
    let small = Small::new();
    small.edit("citation:", WATCH);
    let shown = small.status(&[]);
    for part in [
        "0 lu, 0 à lire, 1 bloqué, 0 en vigueur.",
        "Projet de loi de finances pour 2027  2026-12-31  zz",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert_eq!(
        small.member("bloque_par")[0],
        "attend le 2026-12-31 : Projet de loi de finances pour 2027 (non voté)"
    );
    // Once its day is past, it is to be read.
    let arguments = ["status", "2027", "--date", "2027-01-02"];
    let late = run_in(small.0.path(), &arguments).fine();
    assert!(late.contains("1 à lire, 0 bloqué"), "{late}");

    // A doubt about what is in force.
    let small = Small::new();
    small.edit(
        "title: \"Loi de finances 2026, art. 10\"",
        "title: \"Loi de finances pour 2025\"",
    );
    let shown = small.status(&[]);
    assert!(
        shown.contains("1 bloqué") && shown.contains("doutes"),
        "{shown}"
    );

    // A mistake in what is in force.
    let small = Small::new();
    small.edit("6.3%", "6.3");
    let shown = small.status(&[]);
    assert!(
        shown.contains("1 bloqué") && shown.contains("fautes (`bareme check`)"),
        "{shown}"
    );
    assert_eq!(
        (small.member("bareme"), small.member("fautes")),
        ("zz".into(), 1.into())
    );
}

#[test]
fn the_rules_of_the_project_fit_on_a_screen() {
    let arguments = ["status", "2027", "--date", "2026-12-01"];
    let shown = run(&arguments).fine();
    assert!(
        shown.lines().all(|line| line.chars().count() <= 100),
        "{shown}"
    );
    assert!(shown.lines().count() <= 56, "{shown}");

    // Every dated folder is in one group, and every file in the table.
    let json = run(&[&arguments[..], &["--format", "json"]].concat()).fine();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for file in json.as_array().unwrap() {
        let name = file["bareme"].as_str().unwrap();
        let last = name.rsplit('/').next().unwrap();
        assert!(shown.contains(last), "{name}\n{shown}");
        assert!(
            file["etat"].is_string()
                && file["cas"].as_u64().is_some() == file["fichier"].is_string()
        );
    }
    for format in ["markdown", "html"] {
        let shown = run(&[&arguments[..], &["--format", format]].concat()).fine();
        assert!(shown.contains("Bloqués"), "{shown}");
    }
    let table = run(&[&arguments[..], &["--verbose"]].concat()).fine();
    assert!(table.contains("Sans texte légal"), "{table}");
}
