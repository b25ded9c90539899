//! `bareme batch` by a law as it was: of an archive of kept rule sets, by the version that an answer
//! named or as the rules were known on a day.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Ran, run_in, run_in_with, small_rules};

/// The sets of the archive, each with its rate and the net of a gross of 1 000.
///
/// Of 7.3%: 73 of pension; 12 x 927 = 11 124, rounded down to 11 120; 10% of 5 120 = 512, a twelfth
/// of which is 42.67. Of 8.3%: 83; 12 x 917 = 11 004, 11 000; 500, 41.67.
const SETS: [(&str, &str, &str); 3] = [
    ("000001-20260701T120000Z", "6.3%", "893.33"),
    ("000002-20260701T130000Z", "7.3%", "884.33"),
    ("000003-20260815T120000Z", "8.3%", "875.33"),
];

/// A row of each year: the same law applies to both only by mistake.
const ROWS: &str = "brut,date\n1000,2026-03-31\n1000,2027-03-31\n";

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = small_rules(None);
        let zz = folder.path().join("rules/zz");
        let text = fs::read_to_string(zz.join("2026-01-01.yaml")).unwrap();
        let next = text
            .replace("2026", "2027")
            .replace("2025-12-29", "2026-12-29");
        fs::write(zz.join("2027-01-01.yaml"), next).unwrap();
        fs::remove_file(zz.join("cases.yaml")).unwrap();

        for (name, rate, _) in SETS {
            let set = folder.path().join("sets").join(name);
            fs::create_dir_all(set.join("zz")).unwrap();
            fs::copy(
                folder.path().join("rules/service.yaml"),
                set.join("service.yaml"),
            )
            .unwrap();
            for file in ["method.yaml", "2027-01-01.yaml"] {
                fs::copy(zz.join(file), set.join("zz").join(file)).unwrap();
            }
            let corrected = text.replace("rate: 6.3%", &format!("rate: {rate}"));
            fs::write(set.join("zz/2026-01-01.yaml"), corrected).unwrap();
        }
        Self { folder }
    }

    fn batch(&self, options: &[&str], rows: &str) -> Ran {
        let usual = ["batch", "zz", "--date", "2026-03-31", "--lang", "en"];
        run_in_with(self.folder.path(), &[&usual[..], options].concat(), rows)
    }

    /// The reason why a batch is refused, before a row is read.
    fn refused(&self, options: &[&str]) -> String {
        let usual = ["batch", "zz", "--date", "2026-03-31", "--lang", "en"];
        let ran = run_in(self.folder.path(), &[&usual[..], options].concat());
        assert_eq!(
            (ran.code, ran.output.as_str()),
            (2, ""),
            "{options:?}: {ran:#?}"
        );
        ran.errors
    }

    /// The versions of the laws of a row each, by one set.
    fn versions(&self, set: &str) -> Vec<String> {
        let rules = self.sets().join(set);
        let rules = ["--rules", rules.to_str().unwrap(), "--fields", "version"];
        let lines = self.batch(&rules, ROWS).fine();
        let cells = lines
            .lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap());
        cells.map(|(_, version)| version.to_owned()).collect()
    }

    fn sets(&self) -> PathBuf {
        self.folder.path().join("sets")
    }
}

/// The first row of CSV, and the reasons why rows are refused.
fn net(ran: &Ran) -> (String, String) {
    let row = ran.output.lines().nth(1).unwrap_or_default();
    (row.to_owned(), ran.errors.clone())
}

#[test]
fn rows_are_computed_by_the_law_that_is_named_and_others_are_refused() {
    let place = Place::new();
    let archive = ["--archive", "sets"];
    let single = ["--fields", "net"];
    let first_row = "brut\n1000\n";

    // 1. Each law of the archive, whatever the form of the rows and of the answers.
    for (set, _, expected) in SETS {
        let versions = place.versions(set);
        let law = ["--version", versions[0].as_str()];
        let ran = place.batch(&[&archive[..], &law, &["--fields", "net"]].concat(), ROWS);
        let (row, errors) = net(&ran);
        assert_eq!(
            (ran.code, row.as_str()),
            (1, format!("2,{expected}").as_str())
        );
        assert!(errors.contains("line 3: version"), "{errors}");

        // A list is of a single calculation, not of the plan.
        let rows = "{\"brut\": 1000}\n{\"brut\": 1000, \"date\": \"2027-03-31\"}\n";
        let lists = ["--fields", "net,tranches"];
        let ran = place.batch(&[&archive[..], &law, &lists].concat(), rows);
        let first: Value = serde_json::from_str(ran.output.lines().next().unwrap()).unwrap();
        assert_eq!(first["net"].to_string(), expected);
        assert_eq!(ran.code, 1);
        assert!(ran.errors.contains("line 2: version"), "{}", ran.errors);

        // The whole answer is the one of the set itself.
        let ran = place
            .batch(&[&archive[..], &law].concat(), first_row)
            .fine();
        let rules = place.sets().join(set);
        let own = place
            .batch(&["--rules", rules.to_str().unwrap()], first_row)
            .fine();
        assert_eq!(ran, own);
    }

    // 2. As the rules were known at the end of a day.
    for (day, expected) in [
        ("2026-07-01", "884.33"),
        ("2026-08-14", "884.33"),
        ("2026-08-15", "875.33"),
    ] {
        let known = ["--known-on", day];
        let ran = place.batch(&[&archive[..], &known, &single].concat(), first_row);
        assert_eq!(net(&ran).0, format!("2,{expected}"), "{day}");
    }

    // 3. Without an archive, the law is that of the rules at hand, or the batch is refused.
    let [own, other] = [0, 1].map(|set| place.versions(SETS[set].0)[0].clone());
    let ran = place.batch(&["--version", &own, "--fields", "net"], first_row);
    assert_eq!(net(&ran).0, "2,893.33");
    let errors = place.refused(&["--version", &other]);
    assert!(errors.contains("rules export"), "{errors}");
}

#[test]
fn a_law_that_the_archive_lacks_is_refused_with_those_that_it_has() {
    let place = Place::new();
    let refused = |options: &[&str]| place.refused(options);

    let errors = refused(&["--archive", "sets", "--version", "0123456789abcdef"]);
    let mut known = SETS
        .iter()
        .rev()
        .map(|(set, ..)| place.versions(set)[0].clone());
    let known = format!("{}.", known.by_ref().collect::<Vec<_>>().join(", "));
    assert!(
        errors.contains("`0123456789abcdef`") && errors.contains(&known),
        "{errors}"
    );

    let errors = refused(&["--archive", "sets", "--known-on", "2026-06-30"]);
    assert!(errors.contains("2026-07-01"), "{errors}");
    let errors = refused(&["--archive", "sets"]);
    assert!(errors.contains("--known-on"), "{errors}");
    let errors = refused(&["--archive", "rules", "--version", "0123456789abcdef"]);
    assert!(errors.contains("rules export"), "{errors}");
    let errors = refused(&["--known-on", "2026-07-01"]);
    assert!(errors.contains("--archive"), "{errors}");
    assert!(Path::new(&place.sets()).is_dir());
}

#[test]
fn a_year_of_pays_is_computed_by_its_law() {
    let months = "cle,annee,mois,brut\nm1,2026,1,2650\nm1,2026,2,2650\n";
    let year = |options: &[&str]| {
        let usual = ["batch", "salaire/annee", "--fields", "net,version"];
        crate::common::run_with(&[&usual[..], options].concat(), months)
    };
    let plain = year(&[]).fine();
    let version = plain.trim_end().rsplit_once(',').unwrap().1;
    assert_eq!(year(&["--version", version]).fine(), plain);
    let other = ["batch", "salaire/annee", "--version", "0123456789abcdef"];
    let refused = crate::common::run(&other);
    assert_eq!(
        (refused.code, refused.output.as_str()),
        (2, ""),
        "{refused:#?}"
    );
}
