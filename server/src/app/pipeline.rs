//! The steps of a request, from its head to the reply.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bareme_api::calls::receipt::{self, Signer};
use bareme_api::calls::route::{self, Route, WITHDRAWALS};
use bareme_api::wire::headers::{self, METHODS, ReplyMeta, RequestContext};
use bareme_api::wire::limits;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::reply::{self, Reply};
use bareme_api::work::Payer;
use bareme_api::work::cost;
use bareme_engine::service::{Retirement, Rules, Service};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request};

use crate::app::answers::{calculation, description, of_data};
use crate::app::call::Call;
use crate::app::caller::admit;
#[cfg(feature = "mcp")]
use crate::app::mcp;
use crate::app::shared::Shared;
use crate::app::{batch, blocking, past, published, site};
use crate::net::Handler;
use crate::ops::health::Probe;
use crate::ops::log;
use crate::reload::in_force::Snapshot;

/// How long a reply may take. It bounds waiting, for a turn as well: computing is bounded where it
/// happens (fields, attempts of a search, words, rows), and is charged before it begins.
const DEADLINE: Duration = Duration::from_secs(1);

impl Handler for Shared {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, peer: IpAddr) -> Reply {
        let (request, body) = request.into_parts();
        let sent = Sent::new(&request, body).await;
        respond(&self, peer, &request, sent).await
    }
}

/// The body of a request, for paths that read one. A body of a GET has no meaning, and is ignored.
#[derive(Debug, Default)]
struct Sent {
    /// The body of a form of the site.
    form: site::FormBody,
    /// The body of any other POST, unread.
    unread: Option<Incoming>,
}

impl Sent {
    async fn new(request: &Parts, body: Incoming) -> Self {
        // A form is read whole before the rules are looked at; a batch reads its body by itself.
        match site::read_submitted(request, body).await {
            Ok(form) => Self { form, unread: None },
            Err(body) => Self {
                unread: Some(body).filter(|_| request.method == Method::POST),
                ..Self::default()
            },
        }
    }
}

/// Replies to any request of `peer`, whatever goes wrong.
async fn respond(shared: &Shared, peer: IpAddr, request: &Parts, sent: Sent) -> Reply {
    let started = Instant::now();
    let context = RequestContext::new(&shared.clock, &request.headers);
    let mut meta = ReplyMeta::default();
    let call = Call {
        shared,
        peer,
        request,
        context: &context,
        is_signed: false,
    };

    // 1. The snapshot is dropped before the steps begin, which take their own: holding it would
    // keep an old rule set in memory as long as the request.
    let snapshot = shared.rules.snapshot();
    let deadline = deadline(
        request,
        &sent,
        snapshot.as_deref().map(|snapshot| &snapshot.rules),
    );
    drop(snapshot);

    // 2. The steps, of which every outcome is a reply.
    let mut reply = match guarded(deadline, answer(call, sent, &mut meta)).await {
        Ok(reply) => reply,
        Err(problem) => {
            shared.metrics.refused(problem.kind);
            refused(call, problem, &mut meta)
        }
    };

    // 3. The headers of every reply.
    headers::complete(reply.headers_mut(), &context, &meta);

    // An unread body is still on the connection, where it would be read as the next request; of a
    // body with a coding nobody knows where it ends (RFC 9112, 6.1).
    let is_unread = limits::has_body(request) && !meta.read_body;
    if is_unread || limits::has_coding(request) {
        reply
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }

    // 4. The metrics and the log, under a name that exists: names invented by callers would fill
    // both.
    let (route, took) = (meta.served.then(|| request.uri.path()), started.elapsed());
    shared
        .metrics
        .answered(meta.counted_as.as_deref().or(route), &reply, took);
    log::request(request, &context, route, meta.key, &reply, took);
    reply
}

/// The reply to a refused request: a page to a person on the site, JSON to everybody else.
fn refused(call: Call, problem: Problem, meta: &mut ReplyMeta) -> Reply {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;

    // The rules may have changed since the refusal, which shows only in the look of the page.
    let snapshot = shared.rules.snapshot();
    let rules = snapshot.as_deref().map(|snapshot| &snapshot.rules);
    let english = snapshot.as_deref().and_then(Snapshot::in_english);
    let page = site::failure::page(rules, english, &problem, request, context.id);
    let documentation = rules.map(|rules| rules.service().documentation.as_str());

    let mut reply = problem
        .in_language(context.lang)
        .into_reply(documentation, context.id);
    // A page is part of the site, which scripts of other sites may not read.
    if let Some(page) = page {
        site::failure::show(&mut reply, page);
        meta.without_cors = true;
    }
    reply
}

/// The steps, in order. Each may end the request with a problem; the reply still has what was added
/// to `meta` before.
async fn answer(call: Call<'_>, sent: Sent, meta: &mut ReplyMeta) -> Result<Reply, Problem> {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;
    // 1. The limits that hold for every request.
    limits::check(request)?;

    // 2. The path. Probes need no rules; everything else takes the rule set in force now
    //    and keeps it to the end, so that no reply mixes two sets.
    let path = request.uri.path();
    if let Some(probe) = Probe::find(path).filter(|_| !shared.hides_probes) {
        meta.served = true;
        return if asks_options(request, METHODS)? {
            Ok(reply::options(METHODS))
        } else {
            Ok(probe.reply(shared.status()))
        };
    }
    if path == "*" && asks_options(request, METHODS)? {
        return Ok(reply::options(METHODS));
    }
    let snapshot = shared
        .rules
        .snapshot()
        .ok_or_else(|| Problem::plain(&kinds::NOT_READY))?;
    #[cfg(feature = "mcp")]
    if path == mcp::PATH && shared.mcp_hosts.is_some() {
        meta.served = true;
        return Box::pin(mcp::respond(call, sent.unread, snapshot, meta)).await;
    }
    let service = snapshot.rules.service();
    // The API comes first: its calls need no look-up among the pages.
    let Some(route) = route::find(&snapshot.rules, path) else {
        let reply = Box::pin(outside_api(call, sent.form, &snapshot, meta)).await?;
        return reply.ok_or_else(|| not_found(&snapshot.rules, path, context));
    };

    meta.served = true;
    meta.counted_as = route.counted_as();
    meta.retirement = retirement(service, route);

    // 3. The method. A preflight has no key, so it is answered before the caller is identified.
    meta.without_cors = !route.variant().cors;
    if asks_options(request, route.methods())? {
        return Ok(reply::options(route.methods()));
    }

    // 4. What the service does besides the calculation: the law that the call names, where it is
    // another than that in force, and the receipt.
    if past::is_for_service(request.uri.query()) {
        return Box::pin(past::respond(call, sent.unread, (&snapshot, route), meta)).await;
    }

    // 5. The caller, the quota, and the answer.
    answer_from(call, sent.unread, (&snapshot, route), meta).await
}

/// The problem of an unknown path, with the nearest known one; or of a scale that is absent for its
/// errors.
fn not_found(rules: &Rules, path: &str, context: &RequestContext) -> Problem {
    // What exists, but not as a year, or not at the moment, has a problem of its own.
    if let Some(folder) = route::without_year(rules, path) {
        return Problem::without_year(folder);
    }
    match route::absent(rules, path).or_else(|| site::absent(rules, path)) {
        Some(held) => Problem::absent(held, context.time.second),
        None => Problem::not_found(
            path,
            &route::paths(rules.service()),
            route::near(rules, path).as_deref(),
        ),
    }
}

/// The reply for a path of the API.
pub(super) async fn answer_from(
    call: Call<'_>,
    unread: Option<Incoming>,
    (snapshot, route): (&Arc<Snapshot>, Route<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    match route {
        // What is rare is boxed: the future of every call has room for the largest branch.
        Route::Batch(variant, called) => {
            Box::pin(batch::respond(
                call,
                unread,
                (snapshot, variant, called),
                meta,
            ))
            .await
        }
        Route::Description(variant) => Box::pin(description(call, snapshot, variant)).await,
        Route::Data(variant, data) => of_data(call, snapshot, variant, data),
        Route::Published(_) => published::describe(call),
        Route::Endpoint(variant, called) => {
            calculation(call, snapshot, (variant, called), meta).await
        }
    }
}

/// The announced withdrawal of a route, and the page about it.
fn retirement(service: &Service, route: Route) -> Option<(Retirement, String)> {
    // A calculation may be withdrawn before its whole version is.
    let retirement = match route {
        Route::Endpoint(variant, called) | Route::Batch(variant, called) => {
            Service::retirement(variant, called.endpoint)
        }
        Route::Description(variant) | Route::Data(variant, _) | Route::Published(variant) => {
            variant.retirement
        }
    };
    retirement.map(|retirement| {
        (
            retirement,
            format!("{}{}", service.documentation, WITHDRAWALS),
        )
    })
}

/// The reply for a path outside the API, if there is something.
async fn outside_api(
    call: Call<'_>,
    form: site::FormBody,
    snapshot: &Arc<Snapshot>,
    meta: &mut ReplyMeta,
) -> Result<Option<Reply>, Problem> {
    let asks_keys = call.request.uri.path() == receipt::KEYS;
    if let Some(signer) = call.shared.signer.as_ref().filter(|_| asks_keys) {
        return public_keys(call, signer, meta).map(Some);
    }
    site::respond(call, form, snapshot, meta).await
}

/// The public keys of receipts, which scripts of any site may read.
fn public_keys(call: Call, signer: &Signer, meta: &mut ReplyMeta) -> Result<Reply, Problem> {
    meta.served = true;
    if asks_options(call.request, METHODS)? {
        return Ok(reply::options(METHODS));
    }
    admit(call, Payer::Address(call.address()), cost::MADE.calls)?;
    let headers = &call.request.headers;
    Ok(reply::good(reply::PUBLIC, signer.published(), headers))
}

/// Whether the method is OPTIONS; refuses a method that the path does not accept.
pub(super) fn asks_options(request: &Parts, methods: &'static str) -> Result<bool, Problem> {
    let method = request.method.as_str();
    if !methods.split(", ").any(|accepted| accepted == method) {
        return Err(Problem::method_other_than(methods, method));
    }
    Ok(request.method == Method::OPTIONS)
}

/// How long the reply to a request may take: a page, a batch, and an OpenAPI document the first
/// time, are made on other threads, and wait for a turn.
fn deadline(request: &Parts, sent: &Sent, rules: Option<&Rules>) -> Duration {
    let path = request.uri.path();
    let is_description = path.rsplit('/').next() == Some(route::DESCRIPTION);
    let is_page = || rules.is_some_and(|rules| site::is_page(rules, path));
    if sent.unread.is_some() || is_description || is_page() {
        blocking::DEADLINE
    } else {
        DEADLINE
    }
}

/// Runs the steps within the deadline, and turns a panic into a problem.
async fn guarded<T>(
    deadline: Duration,
    steps: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let mut steps = pin!(steps);
    // Nearly every reply is ready at once, and needs no timer.
    let mut end = None;
    // After a panic the steps are dropped, never polled again: no inconsistent state can be seen.
    std::future::poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| steps.as_mut().poll(context)))
            .unwrap_or_else(|_| Err(Problem::plain(&kinds::INTERNAL)).into());
        if polled.is_ready() {
            return polled;
        }

        let end = end.get_or_insert_with(|| Box::pin(tokio::time::sleep(deadline)));
        end.as_mut()
            .poll(context)
            .map(|()| Err(Problem::plain(&kinds::TIMEOUT)))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let problem = guarded::<()>(DEADLINE, async { panic!("a mistake") })
            .await
            .unwrap_err();
        assert_eq!(problem.kind, &kinds::INTERNAL);
    }

    #[tokio::test]
    async fn a_failure_is_a_page_to_a_person_and_json_to_a_program() {
        let (_place, shared) = crate::testing::shared();
        let context = RequestContext::without_request(&shared.clock);
        let answered = |accept: &'static str| {
            let mut request = crate::testing::request("GET", "/simulateurs/ir");
            request
                .headers
                .insert("accept", HeaderValue::from_static(accept));
            let call = Call {
                shared: &shared,
                peer: [127, 0, 0, 1].into(),
                request: &request,
                context: &context,
                is_signed: false,
            };
            refused(
                call,
                Problem::plain(&kinds::INTERNAL),
                &mut ReplyMeta::default(),
            )
        };
        let (person, program) = (answered("text/html,*/*;q=0.8"), answered("*/*"));
        assert_eq!(
            (person.status().as_u16(), program.status().as_u16()),
            (500, 500)
        );
        assert_eq!(program.headers()["content-type"], "application/json");
        assert_eq!(person.headers()["content-type"], bareme_site::HTML);
        assert_eq!(person.headers()["vary"], "Accept");
        let page = String::from_utf8(person.body().bytes().to_vec()).unwrap();
        assert!(
            page.contains("<h1>Erreur interne</h1>") && page.contains(&context.id.to_string()),
            "{page}"
        );
    }

    #[tokio::test]
    async fn the_future_of_a_request_is_small() {
        let ((_place, shared), request) = (
            crate::testing::shared(),
            crate::testing::request("GET", "/api/v1/ir"),
        );
        let future = respond(
            &shared,
            IpAddr::from([127, 0, 0, 1]),
            &request,
            Sent::default(),
        );
        // The future is moved for each request: rarely used parts are boxed.
        assert!(
            size_of_val(&future) < 5_000,
            "{} bytes",
            size_of_val(&future)
        );
    }

    #[test]
    fn what_is_made_on_other_threads_has_more_time_than_a_calculation() {
        let rules = crate::testing::rules();
        let of = |target| {
            deadline(
                &crate::testing::request("GET", target),
                &Sent::default(),
                Some(&rules),
            )
        };
        assert_eq!(of("/simulateurs/ir?revenu=30000"), blocking::DEADLINE);
        assert_eq!(of("/a/openapi.json?x=1"), blocking::DEADLINE);
        assert_eq!(of("/a/calcul?brut=1"), DEADLINE);
        assert_eq!(of("/a/openapi.json/calcul"), DEADLINE);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_has_an_end() {
        let problem = guarded::<()>(DEADLINE, std::future::pending())
            .await
            .unwrap_err();
        assert_eq!(problem.kind, &kinds::TIMEOUT);
    }
}
