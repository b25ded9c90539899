//! The site: its pages, the forms of the keys, the availability of the service, the corrections.
//!
//! Nothing of it is part of the API: scripts of other sites may not read it.

mod form;
pub(super) mod news;
mod pages;
mod state;

use std::sync::Arc;

use bareme_api::openapi::form::{CONFIRMATION_PATH, FORM_PATHS, OWNER_PATH, USAGE_PATH};
use bareme_api::wire::headers::ReplyMeta;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::reply::Reply;
use bareme_api::work::{Payer, cost};
use bareme_engine::service::Rules;
use bareme_site::{Route, availability, corrections, language};

use crate::app::call::Call;
use crate::app::caller::admit;
use crate::reload::in_force::Snapshot;

pub(super) use bareme_site::absent;
pub(super) use bareme_site::failure;
pub(super) use form::{FormBody, read_submitted};
pub(crate) use state::KnownDays;

/// Whether a path is that of a page, which is made on another thread.
pub(super) fn is_page(rules: &Rules, path: &str) -> bool {
    let (_, path) = language::of_path(path);
    Route::find(rules, path).is_some()
}

/// The reply of the site for a path, if it has one.
pub(super) async fn respond(
    call: Call<'_>,
    form: FormBody,
    snapshot: &Arc<Snapshot>,
    meta: &mut ReplyMeta,
) -> Result<Option<Reply>, Problem> {
    let (path, rules) = (call.request.uri.path(), &snapshot.rules);
    // The forms of the keys are pages with a POST, besides those of the site.
    let route = snapshot.page(path);
    let is_own = FORM_PATHS.contains(&path)
        || [availability::PATH, corrections::PATH, corrections::FEED].contains(&path);
    if route.is_none() && !is_own {
        return Ok(None);
    }

    (meta.served, meta.without_cors) = (true, true);
    // A page pays for its own work; a form is charged here.
    if let Some(route) = route {
        return pages::respond(call, &route, snapshot).await.map(Some);
    }

    // The measured availability and the corrections are neither kept pages nor forms.
    let payer = Payer::Address(call.address());
    if [corrections::PATH, corrections::FEED].contains(&path) {
        admit(call, payer, cost::STATE.calls)?;
        return news::respond(call, rules).map(Some);
    }
    if path == availability::PATH {
        admit(call, payer, cost::STATE.calls)?;
        let measured = Box::pin(state::respond(call, snapshot));
        return measured.await.map(Some);
    }

    admit(call, payer, cost::FORM.calls)?;
    Ok(Some(match path {
        OWNER_PATH => Box::pin(form::owner::respond(call, rules, form)).await?,
        CONFIRMATION_PATH => form::confirmation::respond(call, rules, form).await?,
        USAGE_PATH => form::usage::respond(call, rules, form).await?,
        _ => form::respond(call, rules, form).await,
    }))
}
