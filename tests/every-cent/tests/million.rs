//! A million points, another million each day.
//!
//! `BAREME_CENTS_DAY=2026-11-24` asks for those of a day again.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

use std::path::Path;
use std::sync::Mutex;

use every_cent::{Outcome, World};
use jiff::civil::Date;

/// Points of all folders together.
const POINTS: u64 = 1_000_000;

/// Combinations of inputs of a folder that a day looks at.
const COMBINATIONS: usize = 6;

/// Runs of 64 amounts.
const RUN: u64 = 64;

fn seed() -> u64 {
    let today = || jiff::Zoned::now().date();
    let day: Date =
        std::env::var("BAREME_CENTS_DAY").map_or_else(|_| today(), |day| day.parse().unwrap());
    println!("the points of BAREME_CENTS_DAY={day}");
    u64::try_from(Date::constant(2000, 1, 1).until(day).unwrap().get_days()).unwrap()
}

fn rules() -> World {
    World::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules"))
}

/// Which combinations of a folder a day looks at, spread over all of them.
fn is_chosen(seed: u64, position: usize) -> bool {
    const SPREAD: usize = 53;
    (position + seed as usize * 7) % SPREAD < COMBINATIONS
}

#[test]
fn the_engine_and_the_evaluator_agree_on_the_million_points_of_the_day() {
    let (world, seed) = (rules(), seed());
    // A folder of figures alone has no amount to draw.
    let mut folders = world.folders();
    folders.retain(|folder| {
        let cases = world.cases(folder, |candidate| is_chosen(seed, candidate.position));
        cases.runs() > 0
    });
    // Some folders have fewer.
    let share = POINTS * 6 / 5 / folders.len() as u64;
    let total = Mutex::new(Outcome::default());
    let compare = |folder: &str| {
        let cases = world.cases(folder, |candidate| is_chosen(seed, candidate.position));
        let runs = (share / RUN + 1).min(cases.runs());
        let (outcome, _) = cases.compare(seed.wrapping_mul(1009) % cases.runs(), runs);
        let mut total = total.lock().unwrap();
        total.join(outcome);
        total.join(cases.compare_singles(seed));
    };
    let (even, odd): (Vec<_>, Vec<_>) = folders
        .iter()
        .enumerate()
        .partition(|(index, _)| index.is_multiple_of(2));
    std::thread::scope(|scope| {
        scope.spawn(|| even.iter().for_each(|(_, folder)| compare(folder)));
        odd.iter().for_each(|(_, folder)| compare(folder));
    });
    let total = total.into_inner().unwrap();
    println!(
        "{} points, {} refused by both, {} in the slow way",
        total.points, total.refused, total.slow
    );
    assert!(total.points >= POINTS, "{total:?}");
    assert!(
        total.differences == 0 && total.exceptions == 0,
        "{total:#?}"
    );
}

#[test]
fn after_the_last_run_comes_the_first() {
    let world = rules();
    let cases = world.cases("salaire-net/ci", |candidate| candidate.position == 0);
    let points = |from, count| cases.compare(from, count).0.points;
    let last = cases.runs() - 1;
    assert_eq!(points(last, 2), points(last, 1) + points(0, 1));
}

#[test]
fn a_figure_that_differs_is_seen() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let folder = "salaire-net/ci";
    let other = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one-figure");
    // With the folder whose figures it takes.
    for copied in [folder, "salaire-minimum/ci"] {
        std::fs::create_dir_all(other.join(copied)).unwrap();
        for file in std::fs::read_dir(rules.join(copied)).unwrap() {
            let file = file.unwrap();
            let text = std::fs::read_to_string(file.path()).unwrap();
            let text = text.replace("rate: 6.3%", "rate: 6.3001%");
            std::fs::write(other.join(copied).join(file.file_name()), text).unwrap();
        }
    }
    let cases = World::read_separately(&rules, &other);
    let cases = cases.cases(folder, |candidate| candidate.position.is_multiple_of(29));
    let (outcome, _) = cases.compare(0, 100.min(cases.runs()));
    assert!(outcome.differences > 0, "{outcome:?}");
}

#[test]
fn searches_find_what_trying_every_amount_finds() {
    let (world, seed) = (rules(), seed());
    let folders = ["salaire-net/ch", "salaire-net/bf", "salaire-net/be"];
    let folder = folders[seed as usize % folders.len()];
    let cases = world.cases(folder, |candidate| candidate.position.is_multiple_of(5));
    // Some have too many amounts to try, or no search.
    let mut outcomes = (0..50).map(|next| cases.inverses(seed as usize + next, 20));
    let outcome = outcomes
        .find(|outcome| outcome.points > 0)
        .expect("a case with searches");
    println!("{folder}: {} searches", outcome.points);
    assert_eq!(outcome.exceptions, 0, "{outcome:#?}");
}

#[test]
fn the_list_of_the_cliffs_is_current() {
    let (world, seed) = (rules(), seed());
    let page = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules/FALAISES.md"),
    )
    .unwrap();
    let folders = world.folders();
    // The folders with most combinations take long: a day looks at one in eight.
    for (index, folder) in folders.iter().enumerate() {
        if !(index as u64 + seed).is_multiple_of(8) {
            continue;
        }
        let section = world.cases_of_cliffs(folder).cliffs();
        let title = format!("(`{folder}`)\n");
        match section {
            Some(section) => assert!(
                page.contains(&section),
                "{folder}: run `every-cent cliffs`\n{section}"
            ),
            None => assert!(
                !page.contains(&title),
                "{folder} has no cliff any more: run `every-cent cliffs`"
            ),
        }
    }
}
