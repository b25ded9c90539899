//! The result of an impact: its sums, and the rows that are refused.

use std::collections::BTreeMap;

use bareme_engine::CalculationError;
use bareme_engine::run::plan::Answers;
use bareme_show::say;

use super::super::extremes::Extremes;
use super::super::replication::{Drawn, Replicate};
use super::super::sides::Side;
use super::super::statistics::Weighted;
use super::super::tally::{Gains, Row, Tally, TooGreat};
use super::Group;
use crate::session::Session;
use crate::target::reason;

/// The rows refused for one reason.
#[derive(Debug, Clone)]
pub(in crate::command::impact) struct RefusedRows {
    pub rows: u64,
    /// Number of the first of them, from 1, and its message.
    pub first: u64,
    pub message: String,
}

/// The result of an impact.
#[derive(Debug, Clone, Default)]
pub(in crate::command::impact) struct ImpactResult {
    /// Number of rows of the sample, refused ones included.
    pub rows: u64,
    pub refused: u64,
    pub reasons: BTreeMap<String, RefusedRows>,
    pub tally: Tally,
    pub gains: Gains,
    pub groups: Vec<BTreeMap<Group, Tally>>,
    /// Remaining income of each row, before and after, with its weight.
    pub left: Vec<(i64, i64, i64)>,
    pub extremes: Extremes,
    /// The sums by each of the replicate weights.
    pub replicates: Vec<Replicate>,
    /// The rows that a bootstrap draws from.
    pub drawn: Drawn,
    /// The effect on each row, with its number from 1, where it is asked for.
    pub kept: Vec<(u64, Row)>,
}

impl ImpactResult {
    /// Counts the rows that one side refuses, by reason; rows counted before are left out.
    pub(in crate::command::impact) fn refuse(
        &mut self,
        answers: &Answers,
        side: &Side,
        first: u64,
        is_counted: impl Fn(usize) -> bool,
        session: &Session,
    ) {
        for (row, error) in answers.refused.iter().filter(|(row, _)| !is_counted(*row)) {
            // Rows are counted by what is wrong rather than by message, which may have a value of
            // the row in it.
            let key = match error {
                CalculationError::Refused(refusal) => {
                    let bad = refusal.parameters.first();
                    bad.map(|bad| format!("{} {} {}", side.day, bad.name, bad.code.as_str()))
                        .unwrap_or_default()
                }
                CalculationError::Internal(fault) => fault.to_string(),
            };

            let (day, lang) = (side.day, session.lang);
            let number = first.saturating_add(u64::try_from(*row).unwrap_or_default());
            // The message is only made for the first row of a reason.
            self.count_refused(key, number, || {
                let reason = reason(error, lang);
                say!(lang, "au {day}, {reason}", "on {day}, {reason}")
            });
        }
    }

    /// A row without a value of the field; its reason is counted already unless the answer lacks it.
    pub(super) fn refuse_without_field(&mut self, number: u64, is_absent: bool, session: &Session) {
        self.refused = self.refused.saturating_add(1);
        if is_absent {
            self.count_refused("-".to_owned(), number, || {
                say!(
                    session.lang,
                    "la réponse n’a pas ce champ",
                    "the answer does not have the field"
                )
            });
        }
    }

    pub(in crate::command::impact) fn refuse_weight(&mut self, number: u64, session: &Session) {
        // Such a row would count with an unknown weight: it is refused like one without an answer.
        self.refused = self.refused.saturating_add(1);
        self.count_refused(String::new(), number, || {
            say!(
                session.lang,
                "poids absent, illisible ou négatif",
                "weight missing, unreadable or negative"
            )
        });
    }

    pub(in crate::command::impact) fn refuse_consumption(
        &mut self,
        number: u64,
        session: &Session,
    ) {
        self.refused = self.refused.saturating_add(1);
        self.count_refused("unit".to_owned(), number, || {
            say!(
                session.lang,
                "unités de consommation absentes, illisibles ou nulles",
                "consumption units missing, unreadable or not positive"
            )
        });
    }

    pub(in crate::command::impact) fn refuse_income(&mut self, number: u64, session: &Session) {
        self.refused = self.refused.saturating_add(1);
        self.count_refused("income".to_owned(), number, || {
            say!(
                session.lang,
                "revenu absent ou illisible",
                "income missing or unreadable"
            )
        });
    }

    pub(super) fn count_refused(&mut self, key: String, first: u64, message: impl Fn() -> String) {
        let refused = self.reasons.entry(key).or_insert_with(|| RefusedRows {
            rows: 0,
            first,
            message: message(),
        });

        refused.rows = refused.rows.saturating_add(1);
    }

    pub(in crate::command::impact) fn merge(&mut self, other: Self) -> Result<(), TooGreat> {
        self.rows = self.rows.saturating_add(other.rows);
        self.refused = self.refused.saturating_add(other.refused);

        for (key, refused) in other.reasons {
            match self.reasons.get_mut(&key) {
                Some(own) => own.rows = own.rows.saturating_add(refused.rows),
                None => drop(self.reasons.insert(key, refused)),
            }
        }

        // The sums are checked for overflow, as in a batch.
        self.tally.merge(&other.tally)?;
        self.gains.merge(&other.gains)?;
        merge_groups(&mut self.groups, &other.groups)?;
        for (own, other) in self.replicates.iter_mut().zip(&other.replicates) {
            own.tally.merge(&other.tally)?;
            merge_groups(&mut own.groups, &other.groups)?;
        }
        self.drawn.merge(&other.drawn);

        self.left.extend(other.left);
        self.kept.extend(other.kept);
        self.extremes.merge(other.extremes);
        Ok(())
    }

    /// Remaining incomes before or after, with the weights of their rows.
    pub(in crate::command::impact) fn left(&self, is_after: bool) -> Vec<Weighted> {
        self.left
            .iter()
            .map(|(before, after, weight)| (if is_after { *after } else { *before }, *weight))
            .collect()
    }
}

fn merge_groups(
    groups: &mut [BTreeMap<Group, Tally>],
    others: &[BTreeMap<Group, Tally>],
) -> Result<(), TooGreat> {
    for (own, other) in groups.iter_mut().zip(others) {
        for (group, tally) in other {
            own.entry(group.clone()).or_default().merge(tally)?;
        }
    }
    Ok(())
}
