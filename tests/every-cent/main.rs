//! Compares the engine with the independent evaluator over every cent.

#![allow(
    clippy::expect_used,
    reason = "a test says what must be true: a panic is its message"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use every_cent::{State, World};

/// The engine against an independent evaluator, over every cent of every scale.
#[derive(Debug, Parser)]
struct Arguments {
    /// The rules.
    #[arg(long, default_value = "rules")]
    rules: PathBuf,
    /// Where the states of the folders are.
    #[arg(long, default_value = "target/every-cent")]
    states: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Goes on comparing, the folder that has had the least time first, until nothing is left or
    /// the limit is reached.
    Run {
        /// The folders, all of them if none is named.
        folders: Vec<String>,
        /// Stops after so many minutes.
        #[arg(long)]
        minutes: Option<u64>,
        /// Stops once all folders together have so many points.
        #[arg(long)]
        points: Option<u64>,
    },
    /// Writes the table of what has run into the manual of this program.
    Table {
        /// The manual.
        #[arg(long, default_value = "tests/every-cent/README.md")]
        file: PathBuf,
    },
    /// Writes the list of the cliffs.
    Cliffs {
        /// The list.
        #[arg(long, default_value = "rules/FALAISES.md")]
        file: PathBuf,
    },
    /// Checks `net=` and `cout=` against every amount of some cases.
    Inverses {
        /// The folders, all of them if none is named.
        folders: Vec<String>,
        /// Cases of each scale.
        #[arg(long, default_value_t = 2)]
        cases: usize,
        /// Results that are asked for of each.
        #[arg(long, default_value_t = 50)]
        targets: usize,
    },
}

/// Fewest runs of amounts that are compared between two writings of the state, and runs of a case:
/// a batch of rows is full.
const RUNS: u64 = 8192;
const RUNS_OF_CASE: u64 = 16;

fn main() {
    let arguments = Arguments::parse();
    let world = World::read(&arguments.rules);
    match &arguments.command {
        Command::Run {
            folders,
            minutes,
            points,
        } => run(&arguments, &world, folders, *minutes, *points),
        Command::Table { file } => write_table(&arguments, &world, file),
        Command::Cliffs { file } => {
            std::fs::write(file, world.cliffs()).expect("the list can be written")
        }
        Command::Inverses {
            folders,
            cases,
            targets,
        } => inverses(&world, folders, *cases, *targets),
    }
}

fn inverses(world: &World, requested: &[String], cases: usize, targets: usize) {
    for folder in world.folders() {
        if requested.is_empty() || requested.iter().any(|name| name == folder) {
            let chosen = world.cases(folder, |candidate| candidate.position.is_multiple_of(7));
            let outcomes = (0..cases).map(|case| chosen.inverses(case * 5, targets));
            for outcome in outcomes.filter(|outcome| outcome.points > 0) {
                println!(
                    "{folder}: {} searches, {} differ",
                    outcome.points, outcome.exceptions
                );
                outcome.kept.iter().for_each(|line| println!("    {line}"));
            }
        }
    }
}

fn write_table(arguments: &Arguments, world: &World, file: &Path) {
    let manual = std::fs::read_to_string(file).expect("the manual can be read");
    let (before, rest) = manual
        .split_once(BEGIN)
        .expect("the manual has a place for the table");
    let (_, after) = rest
        .split_once(END)
        .expect("the manual has an end of the table");
    let table = world.table(&arguments.states);
    std::fs::write(file, format!("{before}{BEGIN}\n{table}{END}{after}"))
        .expect("the manual can be written");
}

/// The text around the table in the manual.
const BEGIN: &str = "<!-- the table of `every-cent table` -->";
const END: &str = "<!-- end of the table -->";

fn run(
    arguments: &Arguments,
    world: &World,
    requested: &[String],
    minutes: Option<u64>,
    points: Option<u64>,
) {
    let started = Instant::now();
    let commit = commit();
    let is_requested =
        |folder: &&str| requested.is_empty() || requested.iter().any(|name| name == folder);
    let mut fields = Vec::new();

    for folder in world.folders().into_iter().filter(is_requested) {
        let field = world.cases(folder, |_| true);
        let empty = field.state();
        let known = State::read(&arguments.states, folder, &empty.version)
            .filter(|known| known.runs == empty.runs);
        println!(
            "{folder}: {} cases, {} amounts, {} not compiled",
            empty.cases, empty.amounts, empty.left
        );
        field
            .left
            .iter()
            .take(3)
            .for_each(|left| println!("    {left}"));
        fields.push((folder, field, known.unwrap_or(empty)));
    }

    loop {
        let total: u64 = fields
            .iter()
            .map(|(_, _, state)| state.outcome.points)
            .sum();
        let is_late =
            minutes.is_some_and(|minutes| started.elapsed() > Duration::from_secs(60 * minutes));
        if is_late || points.is_some_and(|points| total >= points) {
            return;
        }
        let unfinished = fields
            .iter_mut()
            .filter(|(_, _, state)| state.done < state.runs);
        let Some((folder, field, state)) =
            unfinished.min_by_key(|(_, _, state)| state.milliseconds)
        else {
            return;
        };
        let count = RUNS
            .max(RUNS_OF_CASE * state.cases as u64)
            .min(state.runs - state.done);
        let (outcome, time) = field.compare(state.done, count);
        state.done += count;
        outcome.kept.iter().for_each(|line| println!("{line}"));
        let compared = total + outcome.points;
        state.outcome.join(outcome);
        state.milliseconds += u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        state.date = today();
        if !state.commits.contains(&commit) {
            state.commits.push(commit.clone());
        }
        state.write(&arguments.states, folder);
        println!(
            "{compared} points; {folder}: {} of {} amounts",
            state.outcome.points, state.amounts
        );
    }
}

fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// The commit of the working tree.
fn commit() -> String {
    let git_output = std::process::Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .output();
    git_output.map_or_else(
        |_| "unknown".to_owned(),
        |git_output| {
            String::from_utf8_lossy(&git_output.stdout)
                .trim()
                .to_owned()
        },
    )
}
