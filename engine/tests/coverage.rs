//! Every figure of the scales in force is covered by a case: written a little differently, it makes a case
//! give another answer. What no case can notice is listed in `unnoticed.yaml`, with the reason.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;

use bareme_engine::Folder;
use bareme_engine::run::Edition;
use bareme_engine::set::{mutate::Cell, mutate::Probe};
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
    let mut found = unnoticed();
    found.sort();
    found.dedup();
    let silent: Vec<_> = found.iter().filter(|cell| !listed.contains(cell)).collect();
    assert!(silent.is_empty(), "no case notices a change in these figures, add one for each:\n{silent:#?}");
    let stale: Vec<_> = listed.iter().filter(|cell| !found.contains(cell)).collect();
    assert!(stale.is_empty(), "a case notices these figures, remove them from `unnoticed.yaml`:\n{stale:#?}");
}

/// Every cell that no case notices, on every processor that there is.
fn unnoticed() -> Vec<String> {
    let folders: Vec<&Folder> = common::rules().folders().collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = folders.iter().map(|folder| scope.spawn(|| unnoticed_in(folder))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn unnoticed_in(folder: &Folder) -> Vec<String> {
    let is_held = |edition: &&Edition| {
        let is_first = folder.edition(FROM).is_some_and(|first| std::ptr::eq(first, *edition));
        is_first || edition.scale().is_some_and(|scale| scale.date > FROM)
    };
    let probes = folder.editions().iter().filter(is_held).filter_map(|edition| Probe::new(folder, edition));
    probes
        .flat_map(|probe| silent_cells(&probe).collect::<Vec<_>>())
        .map(|cell| format!("{}: {cell}", folder.path()))
        .collect()
}

fn silent_cells(probe: &Probe) -> impl Iterator<Item = String> {
    let is_noticed = |cell: &Cell| cell.nearby().iter().any(|written| probe.is_noticed(cell, written));
    probe.cells().into_iter().filter(move |cell| !is_noticed(cell)).map(|cell| cell.name())
}
