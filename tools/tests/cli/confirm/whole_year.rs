//! A year of the rules of the project through one workbook: prepared, read, confirmed.

use std::collections::BTreeMap;
use std::fs::{read_to_string, write};
use std::path::Path;

use rust_xlsxwriter::Workbook;

use super::year::{HEADER, lines_of_workbook};
use crate::common::{root, run_in};

/// Every text of a copy of rules, by path.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let set = bareme_engine::FileSet::read(folder);
    let texts = set.texts();
    texts
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect()
}

/// Folders of a year: with a bill, with one that they calculate, with rows of all kinds.
const OF_A_YEAR: [&str; 7] = [
    "bareme-kilometrique",
    "contributions-hauts-revenus",
    "dividendes",
    "donation",
    "ir",
    "micro-entreprise",
    "succession",
];

/// A folder of figures alone, which others take: it has no endpoint.
const TAKEN: &str = "prelevements-sociaux";

/// The service of the project, or one with an endpoint for each folder of the year.
fn service(is_whole: bool) -> String {
    if is_whole {
        return read_to_string(root().join("rules/service.yaml")).unwrap();
    }
    let small = read_to_string(root().join("tests/broken/base/service.yaml")).unwrap();
    let title = "title: \"Salaire net en Espérie\"";
    let lines = small.lines().map(|line| match line.strip_prefix("  zz: ") {
        Some(endpoint) => {
            let own = OF_A_YEAR.map(|folder| {
                let one = endpoint.replace("folder: zz", &format!("folder: {folder}"));
                let one = one.replace(title, &format!("title: \"{folder}\""));
                format!("  {folder}: {one}")
            });
            own.join("\n")
        }
        None => line.replace(
            "endpoints: zz",
            &format!("endpoints: {}", OF_A_YEAR.join("; ")),
        ),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A year of the rules of the project: prepared, read, confirmed by one file. `BAREME_YEAR=all`
/// goes through all folders, in a minute.
#[test]
fn a_year_of_the_project_goes_through_one_workbook() {
    let copy = tempfile::tempdir().unwrap();
    let rules = copy.path().join("rules");
    let is_whole = std::env::var("BAREME_YEAR").is_ok_and(|folders| folders == "all");
    let is_copied = |path: &str| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        is_whole || folder == TAKEN || OF_A_YEAR.contains(&folder)
    };
    for (path, text) in texts(&root().join("rules")) {
        if is_copied(&path) {
            std::fs::create_dir_all(rules.join(&path).parent().unwrap()).unwrap();
            write(rules.join(path), text).unwrap();
        }
    }
    write(rules.join("service.yaml"), service(is_whole)).unwrap();
    let run = |arguments: &[&str]| {
        run_in(
            copy.path(),
            &[arguments, &["--date", "2026-12-30"]].concat(),
        )
    };
    run(&["new", "--all", "2027-01-01"]).fine();
    run(&["confirm", "--sheet", "--output", "annee.xlsx"]).fine();

    // Filled in by a script: what a bill proposes by the law, all else as it was read again.
    let lines = lines_of_workbook(&copy.path().join("annee.xlsx"));
    let least = if is_whole { 2000 } else { 200 };
    assert!(lines.len() > least, "{}", lines.len());
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let names: Vec<&str> = HEADER.split(';').collect();
    for (place, name) in (0..).zip(&names) {
        sheet.write_string(0, place, *name).unwrap();
    }
    for (row, line) in (1..).zip(&lines) {
        let mut line = line.clone();
        let mut fill = |column: &str, text: &str| line.insert(column.to_owned(), text.to_owned());
        let read = lines[usize::try_from(row).unwrap() - 1].clone();
        let proposed = Some(&read["propose"]).filter(|text| !text.is_empty());
        fill("valeur", proposed.map_or("=", |text| text));
        if read["article"].contains("Projet de loi") {
            fill("source", "loi-2027");
            fill("titre_source", "Loi de finances pour 2027");
            fill("editeur_source", "Journal officiel");
            fill("date_source", "2026-12-29");
        } else {
            fill("motif", "relu le 30 décembre 2026");
        }
        for (place, name) in (0..).zip(&names) {
            sheet.write_string(row, place, &*line[*name]).unwrap();
        }
    }
    workbook.save(copy.path().join("rempli.xlsx")).unwrap();

    let drafts = texts(&rules);
    let said = run(&["confirm", "--rows", "rempli.xlsx"]).fine();
    assert!(
        said.contains(&format!("{} valeurs confirmées", lines.len())),
        "{said}"
    );
    let none = run(&["confirm", "--sheet"]);
    assert!(none.errors.contains("Aucun brouillon"), "{none:#?}");
    let checked = run(&["check"]);
    assert!(checked.output.contains("0 erreur,"), "{checked:#?}");

    // No value but those that were confirmed has moved, and no digit of these.
    let after = texts(&rules);
    let changed = |path: &&String| after[*path] != drafts[*path];
    let files: Vec<&String> = drafts.keys().filter(changed).collect();
    let days: std::collections::BTreeSet<_> = lines
        .iter()
        .map(|line| format!("{}/{}.yaml", line["dossier"], line["jour"]))
        .collect();
    assert_eq!(
        files
            .into_iter()
            .cloned()
            .collect::<std::collections::BTreeSet<_>>(),
        days
    );
    let values = |text: &str| -> Vec<String> {
        let figures = text
            .split_once("\nfigures:")
            .map_or("", |(_, figures)| figures);
        let words = figures.split(['{', '}', ',', '\n']).map(str::trim);
        let value = words.filter_map(|word| word.trim_start_matches("- ").split_once(": "));
        let is_mark = |key: &str| ["unconfirmed", "confirmed", "source", "reviewed"].contains(&key);
        value
            .filter(|(key, value)| {
                !is_mark(key) && value.starts_with(|first: char| first.is_ascii_digit())
            })
            .map(|(key, value)| format!("{key}: {value}"))
            .collect()
    };
    for path in &days {
        assert_eq!(values(&after[path]), values(&drafts[path]), "{path}");
    }

    // The same workbook once more says the same.
    run(&["confirm", "--rows", "rempli.xlsx"]).fine();
    let again = texts(&rules);
    for (path, text) in &again {
        let lines = text.lines().zip(after[path].lines());
        let changed: Vec<_> = lines.filter(|(one, other)| one != other).collect();
        assert!(changed.is_empty(), "{path}: {changed:#?}");
    }
    assert_eq!(again, after);
}
