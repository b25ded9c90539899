//! The rule sets that were published, with their corrections: as JSON, as a page and as a feed.

use bareme_api::wire::headers::METHODS;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_api::wire::reply::{self, Content, Reply};
use bareme_api::work::{Payer, cost};
use bareme_engine::service::Rules;
use bareme_site::corrections;
use hyper::StatusCode;

use crate::app::call::Call;
use crate::app::caller::admit;
use crate::app::{form, pipeline};
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

/// The corrections, as a page or as a feed.
///
/// # Errors
/// A method that the path does not accept.
pub(super) fn news(call: Call, rules: &Rules) -> Result<Reply, Problem> {
    if pipeline::asks_options(call.request, METHODS)? {
        return Ok(reply::options(METHODS));
    }

    let index = call.shared.archive.index();
    let news = described::news(&index);
    if call.request.uri.path() == corrections::FEED {
        return Ok(reply::feed(corrections::atom(rules, &news)));
    }

    let since = index.sets().first().map(|set| set.published);
    Ok(form::page(
        StatusCode::OK,
        corrections::page(rules, &news, since),
    ))
}
