//! Replies of the form to a person: pages of the site.

use bareme_engine::service::{Plan, Rules, Service, Variant};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};

use crate::accounts::issue::Issued;
use crate::app::shared::Shared;
use crate::pages::{self, key};
use crate::wire::headers::RequestContext;
use crate::wire::reply::Reply;

/// The form, with the error of the previous attempt.
pub(super) fn form(
    shared: &Shared,
    service: &Service,
    email: &str,
    wrong: Option<&str>,
    context: &RequestContext,
) -> Reply {
    let form = shared.access.new_form(&context.time);
    page(StatusCode::OK, key::form(service, email, wrong, shared.confirmations.is_some(), form))
}

/// Page that says that an e-mail is on its way.
pub(super) fn unconfirmed(service: &Service, email: &str) -> Reply {
    page(StatusCode::ACCEPTED, key::unconfirmed(service, email))
}

/// The page of a new key, which is only shown once.
pub(super) fn issued(rules: &Rules, variant: &Variant, plan: &Plan, issued: &Issued) -> Reply {
    let (end, call) = (issued.end(plan), pages::first_call(rules, variant));
    let given = key::NewKey { key: issued.key.reveal(), variant, plan, end: end.as_deref(), call: &call };
    page(StatusCode::CREATED, key::new_key(rules.service(), &given))
}

pub(super) fn page(status: StatusCode, html: String) -> Reply {
    let mut reply = Reply::new(html.into());
    *reply.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, pages::HTML),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, pages::POLICY),
        // Under `no-referrer` a browser would send the form with `Origin: null`.
        (REFERRER_POLICY, "same-origin"),
    ] {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}
