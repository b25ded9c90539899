//! `/cle/confirmation`: the page of the link that confirms the mailbox for a free key, and its
//! button.

use bareme_accounts::free_keys::read_token;
use bareme_accounts::issue::Issued;
use bareme_accounts::key::Key;
use bareme_api::openapi::form::TOKEN;
use bareme_api::wire::negotiation::wants_json;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::{Query, value};
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::service::{Plan, Rules, Service, Variant};
use bareme_site::key;
use hyper::{Method, StatusCode};

use super::{FormBody, METHODS, page, sent, show};
use crate::app::call::Call;
use crate::app::shared::Shared;

/// Answers a request.
pub(in crate::app) async fn respond(
    call: Call<'_>,
    rules: &Rules,
    form: FormBody,
) -> Result<Reply, Problem> {
    let Call {
        shared, request, ..
    } = call;
    let service = rules.service();
    match request.method {
        // Opening the link shows a button, and only the button uses the link up: scanners of
        // e-mails open links too.
        Method::OPTIONS => Ok(reply::options(METHODS)),
        Method::GET | Method::HEAD => Ok(match token(request.uri.query().unwrap_or_default()) {
            Ok(token) => page(
                StatusCode::OK,
                key::confirm(service, Some(token.reveal()), None),
            ),
            Err(problem) => refused(shared, service, &problem),
        }),
        Method::POST => match confirm(call, service, form).await {
            Ok((issued, variant, plan)) => Ok(show(
                rules,
                variant,
                plan,
                &issued,
                wants_json(&request.headers),
            )),
            Err(problem) if wants_json(&request.headers) => Err(problem),
            Err(problem) => Ok(refused(shared, service, &problem)),
        },
        _ => Err(Problem::method(request.method.as_str())),
    }
}

fn refused(shared: &Shared, service: &Service, problem: &Problem) -> Reply {
    shared.metrics.refused(problem.kind);
    page(
        problem.kind.status,
        key::confirm(service, None, Some(&problem.text())),
    )
}

/// Reads the token from a query or a form.
fn token(text: &str) -> Result<Key, Problem> {
    let pairs = Query::read(text).pairs;
    value(&pairs, TOKEN)
        .and_then(read_token)
        .ok_or_else(|| Problem::plain(&kinds::CONFIRMATION))
}

/// Issues the key for a link.
async fn confirm<'s>(
    call: Call<'_>,
    service: &'s Service,
    form: FormBody,
) -> Result<(Issued, &'s Variant, &'s Plan), Problem> {
    let form = sent(call.request, form)?;
    Ok(call
        .shared
        .access
        .confirm(service, &token(&form)?, call.context.time.second)
        .await?)
}
