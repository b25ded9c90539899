//! The place of the site in a program that is built without it: no path is its own.

use std::sync::Arc;

use bareme_api::wire::headers::ReplyMeta;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::reply::Reply;
use bareme_engine::service::{Held, Rules};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use uuid::Uuid;

use crate::app::call::Call;
use crate::reload::in_force::Snapshot;

/// The body of a form: there is none.
#[derive(Debug, Default)]
pub(super) struct FormBody;

/// The pages of problems: there are none, a problem is JSON to everybody.
pub(super) mod failure {
    use super::*;

    /// The page, if a person asks.
    pub(in crate::app) fn page(
        _rules: Option<&Rules>,
        _english: Option<&Rules>,
        _problem: &Problem,
        _request: &Parts,
        _id: Uuid,
    ) -> Option<String> {
        None
    }

    /// Replaces the JSON of a reply by a page.
    pub(in crate::app) fn show(_reply: &mut Reply, _page: String) {}
}

/// Reads no form: the body is given back.
pub(super) async fn read_submitted(_request: &Parts, body: Incoming) -> Result<FormBody, Incoming> {
    Err(body)
}

/// No path of a page is absent.
pub(super) fn absent<'r>(_rules: &'r Rules, _path: &str) -> Option<&'r Held> {
    None
}

/// No path is that of a page.
pub(super) fn is_page(_rules: &Rules, _path: &str) -> bool {
    false
}

/// No reply for any path.
pub(super) async fn respond(
    _call: Call<'_>,
    _form: FormBody,
    _snapshot: &Arc<Snapshot>,
    _meta: &mut ReplyMeta,
) -> Result<Option<Reply>, Problem> {
    Ok(None)
}
