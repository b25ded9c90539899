//! The steps of a request, from its head to the answer.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bareme_engine::service::{Plan, Rules, Service, Variant};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request};

use crate::api::answer_cache::AnswerId;
use crate::api::calculate::calculate;
use crate::api::route::{self, Route};
use crate::app::form;
use crate::app::shared::Shared;
use crate::openapi::form::{CONFIRMATION_PATH, PATH, USAGE_PATH};
use crate::ops::health::Probe;
use crate::ops::log;
use crate::pages::{self, failure};
use crate::wire::credentials::sent_keys;
use crate::wire::headers::{self, ReplyMeta, RequestContext};
use crate::wire::limits;
use crate::wire::net::Handler;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use crate::wire::reply::{self, Content, Reply};

/// How long an answer may take. A calculation takes microseconds and has no loop that a caller
/// could lengthen; this bounds what a request waits for, not what it computes.
const DEADLINE: Duration = Duration::from_secs(1);

impl Handler for Shared {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> Reply {
        let (request, body) = request.into_parts();
        // Any other body is dropped unread: content in a GET has no meaning.
        let sent = form::read(&request, body).await;
        respond(&self, peer, &request, sent).await
    }
}

/// Answers any request of `peer`, whatever it is and whatever goes wrong; `form` is the body of
/// the key form, if it is one.
async fn respond(shared: &Shared, peer: IpAddr, request: &Parts, form: form::FormBody) -> Reply {
    let started = Instant::now();
    let context = RequestContext::new(&shared.clock, &request.headers);
    let mut meta = ReplyMeta::default();
    let mut reply = match guarded(answer(shared, peer, request, form, &context, &mut meta)).await {
        Ok(reply) => reply,
        Err(problem) => {
            shared.metrics.refused(problem.kind());
            refused(shared, problem, request, &context, &mut meta)
        }
    };

    headers::complete(reply.headers_mut(), &context, &meta);
    if limits::has_body(request) {
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let (route, took) = (meta.served.then(|| request.uri.path()), started.elapsed());
    shared.metrics.answered(route, &reply, took);
    log::request(request, &context, route, meta.key, &reply, took);
    reply
}

/// The answer to a refused request: a page to a person on the site, JSON to everybody else.
fn refused(
    shared: &Shared,
    problem: Problem,
    request: &Parts,
    context: &RequestContext,
    meta: &mut ReplyMeta,
) -> Reply {
    let snapshot = shared.snapshot();
    let rules = snapshot.as_deref().map(|snapshot| &snapshot.rules);
    let page = failure::page(rules, &problem, request, context.id);
    let documentation = rules.map(|rules| rules.service().documentation.as_str());
    let mut reply = problem.in_language(context.lang).into_reply(documentation, context.id);
    if let Some(page) = page {
        failure::show(&mut reply, page);
        meta.cors = false;
    }
    reply
}

/// The steps, in order. Each may end the request with a problem; the answer still carries what was added
/// to `meta` before.
async fn answer(
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    form: form::FormBody,
    context: &RequestContext,
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    // 1. The limits that hold for every request.
    limits::check(request)?;

    // 2. The path. The probes need no rules; everything else takes the rule set in force now
    //    and keeps it to the end, so that no answer mixes two sets.
    let path = request.uri.path();
    if let Some(probe) = Probe::find(path).filter(|_| !shared.hides_probes) {
        meta.served = true;
        return if asks_options(request)? { Ok(reply::options()) } else { Ok(probe.reply(shared.status())) };
    }
    if path == "*" && asks_options(request)? {
        return Ok(reply::options());
    }
    let snapshot = shared.snapshot().ok_or_else(|| Problem::plain(&kinds::NOT_READY))?;
    let service = snapshot.rules.service();
    // The API comes first: no call looks among the pages.
    let Some(route) = route::find(service, path) else {
        let page = page(shared, peer, request, form, &snapshot.rules, context, meta).await;
        return page.unwrap_or_else(|| match pages::absent(&snapshot.rules, path) {
            Some(held) => Err(Problem::absent(held, context.time.second)),
            None => Err(Problem::not_found(path, &route::paths(service))),
        });
    };

    meta.served = true;

    // 3. The method. A preflight carries no key, so it is answered before the caller is identified.
    meta.cors = route.variant().cors;
    if asks_options(request)? {
        return Ok(reply::options());
    }

    // 4. The caller, the quota, and the answer. A calculation is charged before it is made.
    let content = match route {
        Route::Description(variant) => {
            let document = snapshot.documents.iter().find(|document| document.variant == variant.name);
            document.ok_or_else(|| Problem::plain(&kinds::INTERNAL))?.content.clone()
        }
        Route::Endpoint(variant, endpoint) => {
            let query = || Query::read(request.uri.query().unwrap_or_default());
            // Before the charge: nobody pays for a scale that is not there.
            if let Some(held) = snapshot.rules.absent_for(endpoint, || query().pairs) {
                return Err(Problem::absent(held, context.time.second));
            }
            charge(shared, peer, request, context, meta, (service, variant)).await?;
            let (rules, today) = (&snapshot.rules, context.time.today);
            let target = request.uri.path_and_query().map_or(path, PathAndQuery::as_str);
            let id = AnswerId::new(rules.version(), today, target);
            let etag = id.etag();
            // Without computing it: the answer of this name never changes.
            if reply::names(&request.headers, &etag) {
                return Ok(reply::not_modified(reply::JSON, etag));
            }
            let body = match snapshot.answers.find(id) {
                Some(known) => known,
                None => {
                    let body = calculate(rules, endpoint, query(), today)?;
                    snapshot.answers.offer(id, &body);
                    body
                }
            };
            Content { body, media: reply::JSON, etag }
        }
    };

    // 5. 200, or 304 if the caller has this answer already.
    Ok(reply::good(content, &request.headers))
}

/// Finds the caller of a calculation and charges the call.
async fn charge(
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    context: &RequestContext,
    meta: &mut ReplyMeta,
    (service, variant): (&Service, &Variant),
) -> Result<(), Problem> {
    let address = shared.proxies.client(peer, &request.headers);
    let sent = sent_keys(&request.headers);
    let caller = shared.access.identify(service, variant, sent, address, &context.time).await?;
    meta.credit = caller.plan.attribution.then(|| format!("{}/cle#attribution", service.documentation));
    meta.key = caller.key;
    meta.ending = caller.ends.map(|end| (end, renewal(service, caller.plan)));
    shared.access.charge(&caller, &context.time, &mut meta.allowance).await?;
    shared.metrics.called(&variant.name, &caller.plan.name);
    Ok(())
}

/// A page, if the path is that of one. It is not part of the API: scripts of other sites may not read it.
async fn page(
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    form: form::FormBody,
    rules: &Rules,
    context: &RequestContext,
    meta: &mut ReplyMeta,
) -> Option<Result<Reply, Problem>> {
    let path = request.uri.path();
    let route = pages::Route::find(rules, path);
    if route.is_none() && ![PATH, CONFIRMATION_PATH, USAGE_PATH].contains(&path) {
        return None;
    }
    (meta.served, meta.cors) = (true, false);
    Some(match path {
        PATH => Ok(form::respond(shared, rules, request, form, peer, context).await),
        CONFIRMATION_PATH => match admit_visit(shared, peer, request, context) {
            Ok(()) => form::confirmation::respond(shared, rules, request, form, context).await,
            Err(problem) => Err(problem),
        },
        USAGE_PATH => match admit_visit(shared, peer, request, context) {
            Ok(()) => form::usage::respond(shared, rules, request, form, peer, context).await,
            Err(problem) => Err(problem),
        },
        _ => site_page(&route?, shared, peer, request, rules, context),
    })
}

/// A page of the site.
fn site_page(
    route: &pages::Route,
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    rules: &Rules,
    context: &RequestContext,
) -> Result<Reply, Problem> {
    if asks_options(request)? {
        return Ok(reply::options());
    }
    let query = request.uri.query().unwrap_or_default();
    let visit = pages::Visit { rules, query, today: context.time.today, texts: &shared.texts };
    if route.calculates(visit.query) {
        admit_visit(shared, peer, request, context)?;
    }
    route.reply(&visit, &request.headers)
}

/// A visitor of pages that calculate may ask for so many of them a second.
fn admit_visit(shared: &Shared, peer: IpAddr, request: &Parts, context: &RequestContext) -> Result<(), Problem> {
    let address = shared.proxies.client(peer, &request.headers);
    if shared.visitors.admits(address) {
        return Ok(());
    }
    Err(Problem::until(&kinds::VISITS, context.time.second + Duration::from_secs(1)))
}

/// Where a key of a plan is renewed.
fn renewal(service: &Service, plan: &Plan) -> String {
    plan.buy.clone().unwrap_or_else(|| format!("{}/cle", service.documentation))
}

/// Whether this is OPTIONS; a method that no path serves is refused.
fn asks_options(request: &Parts) -> Result<bool, Problem> {
    match request.method {
        Method::GET | Method::HEAD => Ok(false),
        Method::OPTIONS => Ok(true),
        _ => Err(Problem::method(request.method.as_str())),
    }
}

/// Runs the steps within the deadline, and turns a panic into an answer.
async fn guarded<T>(steps: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let mut steps = pin!(steps);
    // After a panic the steps are dropped, never polled again: nothing half done is seen.
    let caught = std::future::poll_fn(move |context| {
        catch_unwind(AssertUnwindSafe(|| steps.as_mut().poll(context)))
            .unwrap_or_else(|_| Err(Problem::plain(&kinds::INTERNAL)).into())
    });
    tokio::time::timeout(DEADLINE, caught).await.unwrap_or_else(|_| Err(Problem::plain(&kinds::TIMEOUT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let problem = guarded::<()>(async { panic!("a mistake") }).await.unwrap_err();
        assert_eq!(problem.kind(), &kinds::INTERNAL);
    }

    #[tokio::test]
    async fn a_failure_is_a_page_to_a_person_and_json_to_a_program() {
        let shared = crate::testing::shared();
        let context = RequestContext::without_request(&shared.clock);
        let answered = |accept: &'static str| {
            let mut request = crate::testing::request("GET", "/simulateurs/ir");
            request.headers.insert("accept", HeaderValue::from_static(accept));
            refused(&shared, Problem::plain(&kinds::INTERNAL), &request, &context, &mut ReplyMeta::default())
        };
        let (person, program) = (answered("text/html,*/*;q=0.8"), answered("*/*"));
        assert_eq!((person.status().as_u16(), program.status().as_u16()), (500, 500));
        assert_eq!(program.headers()["content-type"], "application/json");
        assert_eq!(person.headers()["content-type"], pages::HTML);
        assert_eq!(person.headers()["vary"], "Accept");
        let page = String::from_utf8(person.into_body().to_vec()).unwrap();
        assert!(page.contains("<h1>Erreur interne</h1>") && page.contains(&context.id.to_string()), "{page}");
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_has_an_end() {
        let problem = guarded::<()>(std::future::pending()).await.unwrap_err();
        assert_eq!(problem.kind(), &kinds::TIMEOUT);
    }
}
