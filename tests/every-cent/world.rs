//! The rules, read by both sides, and the cases of each folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bareme_engine::run::plan::Plan;
use bareme_engine::service::Rules;
use bareme_engine::{Folder, Loader};

use crate::cases::{Case, Scale, combinations, scales};
use crate::compare::Comparison;
use crate::evaluator::{Block, Span, Stopped};
use crate::order::{Order, span};
use crate::outcome::Outcome;
use crate::state::State;

/// The rules of a folder of files.
#[derive(Debug)]
pub struct World {
    root: PathBuf,
    rules: Rules,
}

/// A combination of inputs of a scale that may be chosen.
#[derive(Debug)]
pub struct Candidate {
    /// Its position among all of its folder.
    pub position: usize,
    /// Whether the scale is the latest one.
    pub is_latest: bool,
    /// How many inputs it sends beside the amount.
    pub sent: usize,
}

/// The text above the list of the cliffs.
const PREFACE: &str = include_str!("preface.md");

/// The cases of a folder.
pub struct Cases<'w> {
    pub(crate) path: &'w str,
    pub(crate) folder: &'w Folder,
    pub(crate) scales: Vec<(Scale, Plan)>,
    /// Each with the index of its scale.
    pub(crate) cases: Vec<(usize, Case)>,
    /// Combinations that the evaluator cannot compile: what it cannot say of each.
    pub left: Vec<String>,
    order: Order,
}

impl World {
    /// Reads the rules.
    pub fn read(root: &Path) -> Self {
        Self::read_separately(root, root)
    }

    /// Has the engine and the evaluator read rules in two places.
    pub fn read_separately(engine: &Path, evaluator: &Path) -> Self {
        let loaded = Loader::new().without_cases().load_service(engine);
        Self {
            root: evaluator.to_owned(),
            rules: loaded
                .rules
                .expect("the rules have errors: run `bareme check` on them"),
        }
    }

    /// The paths of the folders.
    pub fn folders(&self) -> Vec<&str> {
        self.rules.folders().map(Folder::path).collect()
    }

    /// The list of the cliffs, as a page for analysts.
    pub fn cliffs(&self) -> String {
        let mut page = PREFACE.to_owned();
        for folder in self.folders() {
            if let Some(section) = self.cases_of_cliffs(folder).cliffs() {
                page.push('\n');
                page.push_str(&section);
            }
        }
        page
    }

    /// The cases of a folder that the list of the cliffs looks at.
    pub fn cases_of_cliffs<'w>(&'w self, path: &'w str) -> Cases<'w> {
        self.cases(path, |candidate| candidate.is_latest || candidate.sent <= 1)
    }

    /// What has been done of each folder, as a table.
    pub fn table(&self, states: &Path) -> String {
        let mut table = "| Folder | Scales | Combinations | Amounts | Points compared | Part | Differences | Exceptions | Seconds | Day | Commit |\n\
                         |---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|\n"
            .to_owned();
        let mut total = State::default();
        for folder in self.rules.folders() {
            let Some(state) = State::read(states, folder.path(), folder.version()) else {
                continue;
            };
            table.push_str(&state.row(folder.path()));
            total.add(&state);
        }

        table.push_str(&total.row("together"));
        table
    }

    /// The cases of a folder that are chosen.
    pub fn cases<'w>(&'w self, path: &'w str, is_chosen: impl Fn(&Candidate) -> bool) -> Cases<'w> {
        let folder = self.rules.folder(path).expect("a folder of the rules");
        let scales = scales(&self.root, path).into_iter().map(|scale| {
            let plan =
                Plan::new(&self.rules, path, scale.when.day, None).expect("a folder of the rules");
            (scale, plan)
        });
        let scales: Vec<(Scale, Plan)> = scales.collect();
        let (mut cases, mut left, mut position) = (Vec::new(), Vec::new(), 0);

        for (index, (scale, _)) in scales.iter().enumerate() {
            for combination in combinations(folder, &scale.law) {
                let is_latest = index + 1 == scales.len();
                let candidate = Candidate {
                    position,
                    is_latest,
                    sent: combination.sent.len(),
                };
                position += 1;
                if !is_chosen(&candidate) {
                    continue;
                }
                match Case::new(folder, scale, &combination) {
                    Ok(case) => cases.push((index, case)),
                    Err(Stopped::Refused) => {}
                    Err(Stopped::Unsupported(what)) => {
                        cases.push((index, Case::uncompiled(folder, scale, &combination)));
                        left.push(format!(
                            "{path} of {}, {:?}: {what}",
                            scale.name(),
                            combination.sent
                        ));
                    }
                }
            }
        }

        let order = Order::new(cases.iter().map(|(_, case)| case.points()));
        Cases {
            path,
            folder,
            scales,
            cases,
            left,
            order,
        }
    }
}

impl<'w> Cases<'w> {
    /// A state with nothing done.
    pub fn state(&self) -> State {
        State {
            version: self.folder.version().to_owned(),
            runs: self.order.runs(),
            scales: self.scales.len(),
            cases: self.cases.len(),
            left: self.left.len(),
            amounts: self
                .cases
                .iter()
                .map(|(_, case)| case.points().unsigned_abs())
                .sum(),
            ..State::default()
        }
    }

    /// The cases of a scale.
    pub(crate) fn of_scale(&self, index: usize) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(move |(scale, case)| *scale == index && !case.is_slow)
            .map(|(_, case)| case)
    }

    /// Compares whole answers, lists and all, of amounts of each case: the engine's single
    /// calculation and the slow evaluator.
    pub fn compare_singles(&self, seed: u64) -> Outcome {
        let mut outcome = Outcome::default();
        for (index, (scale, case)) in self.cases.iter().enumerate() {
            let (scale, plan) = &self.scales[*scale];
            let amount = case.axis.as_ref().map_or(0, |axis| {
                let place = (seed + index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
                axis.first + (place % case.points().unsigned_abs()) as i64
            });
            Comparison {
                folder: self.path,
                scale,
                case,
                plan,
            }
            .single(self.folder, amount, &mut outcome);
        }

        outcome
    }

    /// The number of runs of amounts.
    pub fn runs(&self) -> u64 {
        self.order.runs()
    }

    /// Compares so many runs of amounts from a position on; after the last comes the first.
    pub fn compare(&self, from: u64, count: u64) -> (Outcome, Duration) {
        let start = Instant::now();
        let positions = (from..from + count).map(|position| position % self.runs());
        let mut runs: Vec<(usize, u64)> =
            positions.map(|position| self.order.at(position)).collect();
        runs.sort_unstable();
        let mut outcome = Outcome::default();
        let mut block = Block::default();

        for of_case in runs.chunk_by(|(case, _), (next, _)| case == next) {
            let (scale, case) = &self.cases[of_case[0].0];
            let (scale, plan) = &self.scales[*scale];
            let spans: Vec<Span> = of_case
                .iter()
                .map(|(_, run)| {
                    case.axis
                        .as_ref()
                        .map_or((0, 1), |axis| span(axis.first, axis.last, *run))
                })
                .collect();
            Comparison {
                folder: self.path,
                scale,
                case,
                plan,
            }
            .compare(&spans, &mut block, &mut outcome);
        }

        (outcome, start.elapsed())
    }
}
