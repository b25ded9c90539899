//! The work that a call of a calculation asks for.

use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_api::wire::query::Query;
use bareme_api::work::cost::{self, Work};
use bareme_engine::Folder;

use crate::reload::in_force::Snapshot;

/// What a call with a query costs.
pub(super) fn work_of_call(
    called: CalledCalculation<'_>,
    snapshot: &Snapshot,
    query: &str,
) -> &'static Work {
    if called.year {
        &cost::YEAR
    } else if snapshot.always_searches(called.endpoint) {
        &cost::LAW_THAT_SEARCHES
    } else if cost::sends(query, snapshot.inverses(called.endpoint)) {
        let pairs = called.query(Query::borrowed(query)).pairs;
        work_of_inverse(called, snapshot, &pairs)
    } else if cost::asks_for_called_steps(query) {
        &cost::EXPLAINED_CALLS
    } else {
        &cost::CALL
    }
}

/// The work of an inverse calculation: one for a pay that comes after others computes these each
/// time.
pub(super) fn work_of_inverse<N: AsRef<str>, V: AsRef<str>>(
    called: CalledCalculation<'_>,
    snapshot: &Snapshot,
    pairs: &[(N, V)],
) -> &'static Work {
    let folder = snapshot.rules.select(called.endpoint, pairs).ok();
    let editions = folder.map(Folder::editions).unwrap_or_default().iter();
    let mut ranks = editions.filter_map(|edition| {
        let method = edition.method();
        let rank = method.year()?.rank()?.of(method.inputs())?;
        Some(rank.name.as_str())
    });

    let is_later = |rank: &str| {
        let mut sent = pairs
            .iter()
            .map(|(name, value)| (name.as_ref(), value.as_ref()));
        sent.any(|(name, value)| name == rank && !matches!(value, "" | "1"))
    };
    if ranks.any(is_later) {
        &cost::INVERSE_OF_LATER_PAY
    } else {
        &cost::INVERSE
    }
}
