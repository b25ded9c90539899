//! What comparisons gave: how many points, and the first differences.

use serde::{Deserialize, Serialize};

/// Two answers that are not the same.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// The folder, the scale, the inputs.
    pub place: String,
    /// The amount, as it is sent.
    pub amount: String,
    /// The field, or what else differs.
    pub field: String,
    /// What the engine says.
    pub engine: String,
    /// What the evaluator says.
    pub evaluator: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self {
            place,
            amount,
            field,
            engine,
            evaluator,
        } = self;
        write!(
            formatter,
            "{place}, {amount}: {field} is {engine} by the engine, {evaluator} by the evaluator"
        )
    }
}

/// Differences that are kept: the rest is only counted.
const MOST_KEPT: usize = 20;

/// What comparisons gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Points that were compared.
    pub points: u64,
    /// Of them, those that both refuse.
    pub refused: u64,
    /// Points for which an approximation did not decide, compared in the slow exact way.
    pub slow: u64,
    /// Number of differences.
    pub differences: u64,
    /// Number of amounts at which a property does not hold.
    pub exceptions: u64,
    /// The first differences and exceptions, in words.
    pub kept: Vec<String>,
}

impl Outcome {
    /// Adds two answers that are not the same.
    pub(crate) fn add(&mut self, difference: Difference) {
        self.differences += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(difference.to_string());
        }
    }

    /// Adds an amount at which a property does not hold.
    pub(crate) fn exception(&mut self, described: String) {
        self.exceptions += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(described);
        }
    }

    /// Adds what another comparison gave.
    pub fn join(&mut self, other: Self) {
        self.points += other.points;
        self.refused += other.refused;
        self.slow += other.slow;
        self.differences += other.differences;
        self.exceptions += other.exceptions;
        let room = MOST_KEPT - self.kept.len();
        self.kept.extend(other.kept.into_iter().take(room));
    }
}
