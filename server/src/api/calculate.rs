//! The answer of an endpoint.

use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::{Calculation, CalculationError};
use hyper::body::Bytes;
use jiff::civil::Date;

use crate::wire::credentials;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// The engine's answer as JSON, or everything that is wrong with the parameters at once.
pub(crate) fn calculate(
    rules: &Rules,
    endpoint: &Endpoint,
    query: Query<impl AsRef<str>>,
    today: Date,
) -> Result<Bytes, Problem> {
    answer(rules, endpoint, query, None, today).map(|calculation| calculation.to_json().into())
}

/// The engine's answer, of some fields where they are named, or everything that is wrong with the parameters at once:
/// those that could not be decoded, and what the engine says of the others.
pub(crate) fn answer<'r>(
    rules: &'r Rules,
    endpoint: &Endpoint,
    query: Query<impl AsRef<str>>,
    fields: Option<&[&str]>,
    today: Date,
) -> Result<Calculation<'r>, Problem> {
    let Query { pairs, mut bad } = query;
    let calculated = match fields {
        Some(fields) => rules.calculate_only(endpoint, &pairs, fields, today),
        None => rules.calculate(endpoint, &pairs, today),
    };
    match calculated {
        Ok(calculation) if bad.is_empty() => Ok(calculation),
        Ok(_) => Err(Problem::parameters(bad)),
        Err(CalculationError::Internal(fault)) => Err(Problem::internal(&endpoint.folder, &fault)),
        Err(CalculationError::Refused(refusal)) => {
            // A parameter that could not be decoded is missing for the engine: it is reported once.
            let known: Vec<String> = bad.iter().map(|bad| bad.name.clone()).collect();
            let refused = refusal.parameters.into_iter().filter(|other| !known.contains(&other.name));
            bad.extend(refused.map(credentials::sent_as_parameter));
            Err(Problem::parameters(bad))
        }
    }
}
