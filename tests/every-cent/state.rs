//! What has been done of each folder, in a file each, so that a run goes on where the last one
//! stopped.

use std::path::{Path, PathBuf};

use bareme_engine::Lang;
use bareme_show::Locale;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;

/// How far a folder has come.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// The version of the folder's rules: with other rules everything is compared again.
    pub version: String,
    /// Runs of amounts in all.
    pub runs: u64,
    /// Runs that were compared.
    pub done: u64,
    /// Scales in force since 2023.
    pub scales: usize,
    /// Combinations of inputs of the scales.
    pub cases: usize,
    /// Combinations that the evaluator cannot compile, which are compared in the slow way only.
    pub left: usize,
    /// Amounts in all.
    pub amounts: u64,
    /// Result of all comparisons so far.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Milliseconds that it took.
    #[serde(default)]
    pub milliseconds: u64,
    /// The last day on which it ran.
    pub date: String,
    /// The commits of the repository at which it ran.
    pub commits: Vec<String>,
}

impl State {
    fn file(directory: &Path, folder: &str) -> PathBuf {
        directory.join(format!("{}.json", folder.replace('/', "-")))
    }

    /// The state of a folder; none where nothing was done, or by other rules.
    pub fn read(directory: &Path, folder: &str, version: &str) -> Option<Self> {
        let text = std::fs::read_to_string(Self::file(directory, folder)).ok()?;
        serde_json::from_str(&text)
            .ok()
            .filter(|state: &Self| state.version == version)
    }

    /// Writes it: whole, or not at all.
    pub fn write(&self, directory: &Path, folder: &str) {
        let file = Self::file(directory, folder);
        let beside = file.with_extension("new");
        std::fs::create_dir_all(directory).expect("the folder of the states can be made");
        std::fs::write(&beside, serde_json::to_string_pretty(self).unwrap())
            .expect("a state can be written");
        std::fs::rename(beside, file).expect("a state can be replaced");
    }

    /// Its row of the table.
    pub(crate) fn row(&self, name: &str) -> String {
        let Self {
            scales,
            cases,
            amounts,
            date,
            ..
        } = self;
        let Outcome {
            points,
            differences,
            exceptions,
            ..
        } = &self.outcome;
        let hundredths = Decimal::from(*points) * Decimal::ONE_HUNDRED;
        let part = hundredths
            .checked_div(Decimal::from(*amounts))
            .unwrap_or_default()
            .round_sf(3)
            .unwrap_or_default();
        let count = |count: u64| Locale::from(Lang::En).number(Decimal::from(count));
        format!(
            "| {name} | {scales} | {cases} | {} | {} | {part} % | {differences} | {exceptions} | {} | {date} | {} |\n",
            count(*amounts),
            count(*points),
            self.milliseconds / 1000,
            self.commits.join(" ")
        )
    }

    /// Adds another folder.
    pub(crate) fn add(&mut self, other: &Self) {
        self.scales += other.scales;
        self.cases += other.cases;
        self.amounts += other.amounts;
        self.outcome.join(other.outcome.clone());
        self.milliseconds += other.milliseconds;
    }
}
