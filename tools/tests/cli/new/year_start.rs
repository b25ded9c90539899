//! `bareme new --all`: the year of a folder begins where its law begins.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{root, run_in, small_rules};

/// Copies the rule files of some folders of the project, without the words that choose them in
/// their family: the service of the copy has none.
fn copied(folders: &[&str], into: &Path) {
    for folder in folders {
        let (from, to) = (
            root().join("rules").join(folder),
            into.join("rules").join(folder),
        );
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().ends_with(".yaml") {
                let text = fs::read_to_string(entry.path()).unwrap();
                let is_of_family = |line: &&str| {
                    ["aliases:", "near:"]
                        .iter()
                        .any(|key| line.starts_with(key))
                };
                let lines = text
                    .split_inclusive('\n')
                    .filter(|line| !is_of_family(line));
                fs::write(to.join(entry.file_name()), lines.collect::<String>()).unwrap();
            }
        }
    }
}

/// The dated files of a folder.
fn days(rules: &Path, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(rules.join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut days: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".yaml")?.to_owned()))
        .filter(|name| name.starts_with("20"))
        .collect();
    days.sort();
    days
}

#[test]
fn each_folder_of_the_project_is_prepared_for_the_day_of_its_law() {
    let copy = small_rules(None);
    let rules = copy.path().join("rules");
    // The tax of companies is of the years that end from 31 December on, that of Mauritius of the
    // years from July on; the minimum wage of Quebec changes each May.
    let expected = BTreeMap::from([
        ("is", "2027-12-31"),
        ("salaire-net/mu", "2027-07-01"),
        ("salaire-minimum/qc", "2027-05-01"),
        ("salaire-minimum/mu", "2027-01-01"),
        ("donation", "2027-01-01"),
        ("ifi", "2027-01-01"),
    ]);
    let folders: Vec<&str> = expected.keys().copied().collect();
    copied(&folders, copy.path());
    let before: BTreeMap<&str, Vec<String>> = folders
        .iter()
        .map(|folder| (*folder, days(&rules, folder)))
        .collect();

    let run = |arguments: &[&str]| {
        run_in(
            copy.path(),
            &[arguments, &["--date", "2026-12-01"]].concat(),
        )
    };
    let shown = run(&["new", "--all", "2027-01-01"]).fine();
    for (folder, day) in &expected {
        let mut all = before[folder].clone();
        if !all.iter().any(|known| known == day) {
            all.push((*day).to_owned());
        }
        all.sort();
        assert_eq!(days(&rules, folder), all, "{folder}");
    }
    let plain = shown.replace('\n', " ");
    assert!(
        plain.contains("is : préparé au 2027-12-31, jour où ses barèmes commencent chaque année."),
        "{shown}"
    );
    let title = fs::read_to_string(rules.join("is/2027-12-31.yaml")).unwrap();
    assert!(
        title.contains("exercices clos à compter du 31 décembre 2027\""),
        "{title}"
    );

    // Once more, nothing is left to write; the year of all of them is in preparation.
    let again = run(&["new", "--all", "2027-01-01"]).fine();
    assert!(again.contains("a déjà un fichier du 2027-01-01"), "{again}");
    let status = run(&["status", "2027", "--format", "json"]).fine();
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    for (folder, day) in &expected {
        let mut files = status.as_array().unwrap().iter();
        let file = files.find(|file| file["bareme"] == **folder).unwrap();
        let shown = file["fichier"].as_str().unwrap();
        assert!(shown.starts_with(day), "{folder}: {shown}");
    }
}
