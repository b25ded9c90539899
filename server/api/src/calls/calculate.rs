//! The answer to a calculation, of one pay or of a year of pays.

use std::collections::BTreeSet;
use std::sync::Arc;

use bareme_accounts::store::corrections::Law;
use bareme_engine::run::{FieldSelection, YearCalculation};
use bareme_engine::service::Rules;
use bareme_engine::{Calculation, CalculationError};
use jiff::civil::Date;

use super::called_calculation::CalledCalculation;
use crate::wire::credentials;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Answer of the engine.
#[derive(Debug)]
pub enum Answer<'r> {
    /// A single calculation.
    One(Box<Calculation<'r>>),
    /// A year of pays.
    Year(Box<YearCalculation<'r>>),
}

impl Answer<'_> {
    /// The JSON text: equal calls give equal bytes.
    pub fn to_json(&self) -> String {
        match self {
            Self::One(calculation) => calculation.to_json(),
            Self::Year(year) => year.to_json(),
        }
    }

    /// The laws that it applies: one, or in a year of pays those of its months.
    pub fn laws(&self) -> Arc<[Law]> {
        match self {
            Self::One(calculation) => [law(calculation)].into(),
            Self::Year(year) => {
                let months = year.months().iter();
                let mut laws: Vec<Law> = months.map(|month| law(&month.calculation)).collect();
                laws.dedup();
                laws.into()
            }
        }
    }
}

fn law(calculation: &Calculation) -> Law {
    Law {
        folder: calculation.folder().path().to_owned(),
        version: calculation.edition().version().to_owned(),
    }
}

/// The answer, limited to some fields if these are named; or everything that is wrong with the
/// parameters at once: those that could not be decoded, and those that the engine refuses.
pub fn answer<'r, 'q, Text: AsRef<str> + From<&'q str>>(
    rules: &'r Rules,
    called: CalledCalculation<'q>,
    query: Query<Text>,
    fields: Option<FieldSelection>,
    today: Date,
) -> Result<Answer<'r>, Problem> {
    // 1. What could not be decoded. The engine computes all the same, so that every mistake is
    // reported at once.
    let Query { pairs, mut bad } = called.query(query);
    // A parameter sent many times is reported once.
    let mut reported = BTreeSet::new();
    bad.retain(|bad| reported.insert(bad.name.clone()));

    // 2. The answer counts only if nothing is wrong.
    match computed(rules, called, &pairs, fields, today) {
        Ok(answer) if bad.is_empty() => Ok(answer),
        Ok(_) => Err(Problem::parameters(bad)),
        Err(CalculationError::Internal(fault)) => {
            Err(Problem::internal(&called.endpoint.folder, &fault))
        }
        Err(CalculationError::Refused(refusal)) => {
            // A parameter that could not be decoded is missing for the engine, and must not be
            // reported twice.
            let refused = refusal
                .parameters
                .into_iter()
                .filter(|other| !reported.contains(&other.name));
            bad.extend(refused.map(credentials::sent_as_parameter));
            Err(Problem::parameters(bad))
        }
    }
}

fn computed<'r>(
    rules: &'r Rules,
    called: CalledCalculation,
    pairs: &[(impl AsRef<str>, impl AsRef<str>)],
    fields: Option<FieldSelection>,
    today: Date,
) -> Result<Answer<'r>, CalculationError> {
    let endpoint = called.endpoint;
    // Only the steps of the fields that are asked for are computed.
    if called.year {
        let year = match fields {
            None => rules.year(endpoint, pairs)?,
            Some(fields) => rules.year_only(endpoint, pairs, fields)?,
        };
        return Ok(Answer::Year(Box::new(year)));
    }

    let calculation = match fields {
        None => rules.calculate(endpoint, pairs, today)?,
        Some(fields) => rules.calculate_only(endpoint, pairs, fields, today)?,
    };
    Ok(Answer::One(Box::new(calculation)))
}
