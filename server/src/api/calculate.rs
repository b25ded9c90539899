//! The answer of an endpoint.

use bareme_engine::CalculationError;
use bareme_engine::service::{Endpoint, Rules};
use hyper::body::Bytes;
use jiff::civil::Date;

use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// The engine's answer, or everything that is wrong with the parameters at once: those that could
/// not be decoded, and what the engine says of the others.
pub(crate) fn calculate(rules: &Rules, endpoint: &Endpoint, query: Query, today: Date) -> Result<Bytes, Problem> {
    let Query { pairs, mut bad } = query;
    match rules.calculate(endpoint, &pairs, today) {
        Ok(calculation) if bad.is_empty() => Ok(calculation.to_json().into()),
        Ok(_) => Err(Problem::parameters(bad)),
        Err(CalculationError::Internal(fault)) => Err(Problem::internal(&endpoint.folder, &fault)),
        Err(CalculationError::Refused(refusal)) => {
            // A parameter that could not be decoded is missing for the engine: it is reported once.
            let known: Vec<String> = bad.iter().map(|bad| bad.name.clone()).collect();
            bad.extend(refusal.parameters.into_iter().filter(|other| !known.contains(&other.name)));
            Err(Problem::parameters(bad))
        }
    }
}
