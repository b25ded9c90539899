//! Every figure of the scales in force is covered by a case: written a little differently, it makes
//! a case give another answer. What no case can notice is listed in `unnoticed.yaml`, with the
//! reason. And what a case notices is reported: a comparison of the two scales names a field that
//! the figure moves.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bareme_engine::Folder;
use bareme_engine::run::Edition;
use bareme_engine::set::{moved::moved_fields, mutate::Cell, mutate::Probe};
use jiff::civil::{Date, date};

/// The scales in force on that day and after it are covered; older ones were covered in their time.
const FROM: Date = date(2026, 1, 1);

/// Folder -> cells separated by `; ` -> why no case can notice them.
type Reasons = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn every_figure_in_force_is_held_by_a_case() {
    let reasons: Reasons = serde_yaml::from_str(include_str!("unnoticed.yaml")).unwrap();
    let listed = reasons.iter().flat_map(|(folder, cells)| {
        let cells = cells.keys().flat_map(|cells| cells.split("; "));
        cells.map(move |cell| format!("{folder}: {cell}"))
    });
    let listed: Vec<String> = listed.collect();
    let mut found: Vec<String> = FOUND
        .iter()
        .flat_map(|found| found.unnoticed.clone())
        .collect();
    found.sort();
    found.dedup();
    let silent: Vec<_> = found.iter().filter(|cell| !listed.contains(cell)).collect();
    assert!(
        silent.is_empty(),
        "no case notices a change in these figures, add one for each:\n{silent:#?}"
    );
    let stale: Vec<_> = listed.iter().filter(|cell| !found.contains(cell)).collect();
    assert!(
        stale.is_empty(),
        "a case notices these figures, remove them from `unnoticed.yaml`:\n{stale:#?}"
    );
}

#[test]
fn every_figure_that_a_case_notices_is_said_to_move_a_field() {
    let compared: usize = FOUND.iter().map(|found| found.compared).sum();
    let unmoved: Vec<&String> = FOUND.iter().flat_map(|found| &found.unmoved).collect();
    assert!(
        unmoved.is_empty(),
        "a comparison says that these figures move nothing:\n{unmoved:#?}"
    );
    assert!(compared > 300, "{compared} figures");
}

/// What is found of the scales of a folder.
#[derive(Default)]
struct Found {
    /// The cells that no case notices.
    unnoticed: Vec<String>,
    /// The figures of which a case notices a change, and a comparison of the scales with it and
    /// without does not.
    unmoved: Vec<String>,
    /// Number of figures that were compared.
    compared: usize,
}

/// What is found of every folder, on every processor that there is.
static FOUND: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let folders: Vec<&Folder> = common::rules().folders().collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = folders
            .iter()
            .map(|folder| scope.spawn(|| found_in(folder)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
});

fn found_in(folder: &Folder) -> Found {
    let is_held = |edition: &&Edition| {
        let is_first = folder
            .edition(FROM)
            .is_some_and(|first| std::ptr::eq(first, *edition));
        is_first || edition.scale().is_some_and(|scale| scale.date > FROM)
    };
    let mut found = Found::default();
    for edition in folder.editions().iter().filter(is_held) {
        let Some(probe) = Probe::new(folder, edition) else {
            continue;
        };
        let cells = probe.cells();
        let noticed = |cell: &Cell| {
            cell.nearby()
                .into_iter()
                .find(|written| probe.is_noticed(cell, written))
        };
        let mut last = None;
        for cell in &cells {
            let Some(written) = noticed(cell) else {
                found
                    .unnoticed
                    .push(format!("{}: {}", folder.path(), cell.name()));
                continue;
            };
            // One cell of each figure: a comparison asks all cases again. One that the file refuses
            // is not compared.
            let variant = probe
                .changed(&[(cell, written)])
                .filter(|_| last != Some(&cell.figure));
            let Some(variant) = variant else { continue };
            last = Some(&cell.figure);
            found.compared += 1;
            let moved = moved_fields(folder, [&variant, edition], &[&cell.figure], &[]);
            if moved
                .iter()
                .any(|moved| moved.fields.is_empty() && !moved.refusals)
            {
                found
                    .unmoved
                    .push(format!("{}: {}", folder.path(), cell.name()));
            }
        }
    }
    found
}
