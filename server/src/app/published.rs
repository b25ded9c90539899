//! The rule sets that were published, with their corrections, as JSON.

use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_api::wire::reply::{self, Content, Reply};
use bareme_api::work::{Payer, cost};

use crate::app::call::Call;
use crate::app::caller::admit;
use crate::archive::described;

/// The rule sets that were published, as JSON.
///
/// # Errors
/// Parameters that cannot be used, or a budget that is spent.
pub(super) fn describe(call: Call) -> Result<Reply, Problem> {
    admit(call, Payer::Address(call.address()), cost::STATE.calls)?;

    let query = Query::read(call.request.uri.query().unwrap_or_default());
    let described = described::describe(&call.shared.archive.index(), query)?;
    let content = Content::new(reply::JSON, described.to_string().into_bytes());
    Ok(reply::good(reply::FOR_ALL, content, &call.request.headers))
}
