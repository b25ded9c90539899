//! Outputs that others read: cells that a spreadsheet would run, a reader that leaves, a full disk.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::common::{command, root, run_with};

const ROWS: &str = "matricule,brut\n=1+1,2650\n-5,2650\n@x,2650\n\"=cmd()\",abc\n";

#[test]
fn texts_that_a_spreadsheet_would_run_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let errors = folder.path().join("refusees.csv");
    let asked = [
        "batch",
        "salaire",
        "-",
        "--keep",
        "matricule",
        "--fields",
        "net",
        "--date",
    ];
    let asked = [
        &asked[..],
        &["2026-11-01", "--errors", errors.to_str().unwrap()],
    ]
    .concat();

    let marked = run_with(&asked, ROWS);
    assert_eq!(
        marked.output,
        "ligne,matricule,net\n2,'=1+1,2097.72\n3,-5,2097.72\n4,'@x,2097.72\n"
    );
    let refused = std::fs::read_to_string(&errors).unwrap();
    assert!(refused.contains("\n'=cmd(),abc,5,"), "{refused}");

    let raw = run_with(&[&asked[..], &["--raw"]].concat(), ROWS);
    assert!(raw.output.contains("\n2,=1+1,2097.72\n"), "{raw:#?}");
    assert!(
        std::fs::read_to_string(&errors)
            .unwrap()
            .contains("\n=cmd(),abc,5,")
    );
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let bareme = env!("CARGO_BIN_EXE_bareme");
    let script = format!(
        "{bareme} population ir --rows 200000 --seed 1 | head -n 1; echo ${{PIPESTATUS[0]}}"
    );
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(root())
        .output()
        .unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(printed, "foyer,revenu,parts,situation,case_l,poids\n0\n");
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
}

#[test]
fn a_full_disk_is_named() {
    for (lang, expected) in [("fr", "le disque est plein"), ("en", "the disk is full")] {
        for words in [vec!["list"], vec!["population", "ir", "--rows", "20000"]] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let ran = command(&words)
                .args(["--lang", lang])
                .current_dir(root())
                .stdout(full)
                .stderr(Stdio::piped())
                .output()
                .unwrap();
            let errors = String::from_utf8(ran.stderr).unwrap();
            assert_eq!(ran.status.code(), Some(2), "{words:?} {errors}");
            assert!(errors.contains(expected), "{words:?} {errors}");
        }
    }
}
