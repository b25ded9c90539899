//! Many confirmations at once, and a cell of each folder of the project.

use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Stdio;

use super::Draft;
use crate::common::{command, root, run_in};

/// Twenty-eight at once on one disk: each is written, and no reader meets half a file.
#[test]
fn many_at_once_lose_nothing() {
    let draft = Draft::new(&[]);
    let cells: Vec<String> = std::iter::once("pension.ceiling".to_owned())
        .chain((1..=5).map(|row| format!("impot[{row}].rate")))
        .chain([1, 2, 4].map(|row| format!("impot[{row}].up_to")))
        .chain((1..=3).map(|row| format!("famille[{row}].montant")))
        .collect();
    let repeated: Vec<&String> = cells.iter().cycle().take(28).collect();
    let running: Vec<_> = repeated
        .iter()
        .map(|cell| {
            let reason = format!("relu dans la loi, {cell}");
            let mut one = command(&["confirm", "zz", cell, "--because", &reason]);
            one.current_dir(draft.0.path())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for one in running {
        let output = one.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let left = draft.confirmed(&["--sheet"]);
    assert_eq!(
        left.lines().skip(1).collect::<Vec<_>>(),
        ["pension.rate;;6.3%;;;;"],
        "{left}"
    );
    let text = draft.text();
    assert!(
        cells.iter().all(|cell| text.contains(cell.as_str())),
        "{text}"
    );
    let beside = std::fs::read_dir(draft.path().parent().unwrap()).unwrap();
    assert_eq!(
        beside
            .filter(|entry| entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with('.'))
            .count(),
        0
    );
}

/// A copy of a folder of the rules, alone.
fn alone(folder: &str, into: &Path) {
    let to = into.join(folder);
    std::fs::create_dir_all(&to).unwrap();
    for entry in std::fs::read_dir(root().join("rules").join(folder)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().ends_with(".yaml") {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// Of every folder, a few cells, each alone: every other keeps its mark. The unit tests of the
/// command go through all cells.
#[test]
fn a_cell_of_each_folder_is_confirmed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    let names = crate::common::dated_folders();
    std::fs::create_dir(&rules).unwrap();
    std::fs::copy(
        root().join("rules/service.yaml"),
        rules.join("service.yaml"),
    )
    .unwrap();
    names
        .iter()
        .map(String::as_str)
        .chain(["pret"])
        .for_each(|name| alone(name, &rules));
    let mut cells = 0;
    for name in names {
        // What follows a draft of this repository would be compared with proposals.
        for file in std::fs::read_dir(rules.join(&name))
            .unwrap()
            .map(|file| file.unwrap().path())
        {
            if read_to_string(&file).is_ok_and(|text| text.contains("unconfirmed: ")) {
                std::fs::remove_file(&file).unwrap();
            }
        }
        run_in(folder.path(), &["new", &name, "2028-01-01"]).fine();
        let path = rules.join(&name).join("2028-01-01.yaml");
        let draft = read_to_string(&path).unwrap();
        let all: Vec<String> = left(folder.path(), &name);
        // A scale without a figure has nothing to confirm.
        assert_eq!(all.is_empty(), !draft.contains("unconfirmed: "), "{name}");
        for cell in [all.first(), all.get(all.len() / 2), all.last()]
            .into_iter()
            .flatten()
        {
            run_in(folder.path(), &["confirm", &name, cell, "--unchanged"]).fine();
            let others: Vec<&String> = all.iter().filter(|other| *other != cell).collect();
            assert_eq!(
                left(folder.path(), &name).iter().collect::<Vec<_>>(),
                others,
                "{name} {cell}"
            );
            write(&path, &draft).unwrap();
            cells += 1;
        }
    }
    assert!(cells > 60, "{cells}");
}

/// The names of the cells that are left.
fn left(at: &Path, name: &str) -> Vec<String> {
    let sheet = run_in(at, &["confirm", name, "--sheet"]).fine();
    sheet
        .lines()
        .skip(1)
        .map(|line| line.split(';').next().unwrap().to_owned())
        .collect()
}
