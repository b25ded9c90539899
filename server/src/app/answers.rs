//! The answers of the API, which depend on the rules, the day and the address alone: 304, kept, or
//! made here or on another thread.

use std::sync::Arc;

use bareme_accounts::Caller;
use bareme_accounts::store::corrections::Law;
use bareme_api::calls::answer_cache::{AnswerId, MadeAnswer};
use bareme_api::calls::calculate::answer as answer_to;
use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_api::calls::receipt::signed_answer;
use bareme_api::calls::route::{self, Data, Route};
use bareme_api::data;
use bareme_api::wire::coding;
use bareme_api::wire::headers::ReplyMeta;
use bareme_api::wire::negotiation::accepts_gzip;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::Query;
use bareme_api::wire::reply::{self, Content, Reply};
use bareme_api::work::Payer;
use bareme_api::work::cost::{self, Work};
use bareme_engine::service::{Rules, Variant};
use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use jiff::civil::Date;

use crate::app::blocking;
use crate::app::call::Call;
use crate::app::caller::{admit, charge, door_for_pages, identify, payer};
use crate::app::works;
use crate::reload::in_force::Snapshot;

/// The reply with an OpenAPI document, which is made on another thread the first time.
pub(super) async fn description(
    call: Call<'_>,
    snapshot: &Arc<Snapshot>,
    variant: &Variant,
) -> Result<Reply, Problem> {
    let headers = &call.request.headers;
    let query = call.request.uri.query().unwrap_or_default();
    data::known_parameters(Query::read(query), &[])?;

    // Nobody needs a key for it, so the work is that of the address: much where it is made.
    let payer = Payer::Address(call.address());
    let gzip = accepts_gzip(headers);
    let document = match snapshot.documents.made(variant, gzip) {
        Some(made) => {
            admit(call, payer, cost::DATA.calls)?;
            made
        }
        None => {
            admit(call, payer, cost::DESCRIPTION.calls)?;
            let (snapshot, variant) = (Arc::clone(snapshot), variant.clone());
            let make = move || snapshot.documents.make(&snapshot.rules, &variant, gzip);
            let made = blocking::in_turn(call, payer, make).await?;
            made.ok_or_else(|| Problem::plain(&kinds::INTERNAL))?
        }
    };
    Ok(reply::good(reply::FOR_ALL, document, headers))
}

/// The reply with data of a variant.
pub(super) fn of_data(
    call: Call,
    snapshot: &Arc<Snapshot>,
    variant: &Variant,
    data: Data,
) -> Result<Reply, Problem> {
    admit(call, Payer::Address(call.address()), cost::DATA.calls)?;

    let (rules, today) = (&snapshot.rules, call.context.time.today);
    let query = call.request.uri.query().unwrap_or_default();
    let asked = Asked::new(call, snapshot, own_target(call.request));
    let make = || {
        let made = data::answer(rules, variant, data, Query::read(query), today);
        made.map(MadeAnswer::of_data)
    };
    match asked.without_making(reply::FOR_ALL) {
        Some(ready) => Ok(ready.reply),
        None => Ok(asked.reply(asked.made(make)?.body, reply::FOR_ALL)),
    }
}

/// The reply with a calculation, which is charged before it is computed.
pub(super) async fn calculation(
    call: Call<'_>,
    snapshot: &Arc<Snapshot>,
    (variant, called): (&Variant, CalledCalculation<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Call {
        request, context, ..
    } = call;
    let text = request.uri.query().unwrap_or_default();
    let (rules, today) = (&snapshot.rules, context.time.today);

    // Before the charge: an absent scale costs nothing.
    let pairs = || called.query(Query::borrowed(text)).pairs;
    if let Some(held) = rules.absent_for(called.endpoint, pairs) {
        return Err(Problem::absent(held, context.time.second));
    }

    let door = door_for_pages(call);
    let caller = identify(call, meta, (rules.service(), variant), door).await?;
    if call.is_signed {
        return Box::pin(signed(call, snapshot, (variant, called), &caller, meta)).await;
    }

    // The answer of a member of a family is that of the family with its parameter: one is kept.
    let general = called.general_target(variant, request.uri.query());
    let target = general.as_deref().unwrap_or_else(|| own_target(request));
    let asked = Asked::new(call, snapshot, target);

    // The work depends on whether the answer has to be computed; of the quota, it is a call in any
    // case.
    let ready = asked.without_making(reply::FOR_CALLER);
    let work = if ready.is_some() {
        &cost::MADE
    } else {
        works::work_of_call(called, snapshot, text)
    };
    let payer = pay(call, &caller, (work, work.calls), variant, meta).await?;

    // An ordinary call is computed here, and wakes no other thread.
    if let Some(Ready { reply, laws }) = ready {
        count_laws(call, &caller, &laws);
        return Ok(reply);
    }
    let made = if work.is_long() {
        Box::pin(calculated_in_turn(&asked, payer)).await?
    } else {
        asked.made(|| calculated(rules, called, text, today))?
    };
    count_laws(call, &caller, &made.laws);
    Ok(asked.reply(made.body, reply::FOR_CALLER))
}

/// Counts an answer for its key, with the laws that it applied.
fn count_laws(call: Call<'_>, caller: &Caller<'_>, laws: &[Law]) {
    let each = laws.iter().map(|law| (law, 1));
    call.shared.access.count_laws(caller.account(), each);
}

/// Takes the work of a calculation from its payer's budget, in ordinary calls, and one call from the
/// quota; returns the payer.
///
/// # Errors
/// A budget or a quota that is spent.
async fn pay(
    call: Call<'_>,
    caller: &Caller<'_>,
    (work, calls): (&Work, u32),
    variant: &Variant,
    meta: &mut ReplyMeta,
) -> Result<Payer, Problem> {
    let payer = payer(call, caller);
    let left = admit(call, payer, calls)?;
    // The header is for calls that are dear: an ordinary one hardly moves it.
    meta.work = Some(left).filter(|_| work.calls > cost::CALL.calls);

    charge(call, caller, 1, meta, variant).await?;
    Ok(payer)
}

/// The reply with a calculation and its receipt, which is of this moment: nothing keeps it.
async fn signed(
    call: Call<'_>,
    snapshot: &Arc<Snapshot>,
    (variant, called): (&Variant, CalledCalculation<'_>),
    caller: &Caller<'_>,
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Some((signer, issued)) = call.receipt()? else {
        return Err(Problem::plain(&kinds::INTERNAL));
    };
    let text = call.request.uri.query().unwrap_or_default();
    let today = call.context.time.today;

    let work = works::work_of_call(called, snapshot, text);
    let calls = work.calls.saturating_add(cost::RECEIPT.calls);
    let payer = pay(call, caller, (work, calls), variant, meta).await?;

    let made = if work.is_long() {
        let (snapshot, signer) = (Arc::clone(snapshot), Arc::clone(signer));
        let uri = call.request.uri.clone();
        let make = move || {
            let rules = &snapshot.rules;
            // What was found borrows from the request, which does not go to the other thread: it is
            // found again in the same rules.
            let Some(Route::Endpoint(_, called)) = route::find(rules, uri.path()) else {
                return Err(Problem::plain(&kinds::INTERNAL));
            };
            let query = uri.query().unwrap_or_default();
            signed_answer(rules, called, query, (&signer, today, issued))
        };
        blocking::in_turn(call, payer, make).await??
    } else {
        signed_answer(&snapshot.rules, called, text, (signer, today, issued))?
    };
    count_laws(call, caller, &made.laws);
    Ok(reply::of_moment(made.body))
}

/// The path and query of the request.
fn own_target(request: &Parts) -> &str {
    request
        .uri
        .path_and_query()
        .map_or(request.uri.path(), PathAndQuery::as_str)
}

/// The answer to a calculation as JSON, with its laws.
fn calculated(
    rules: &Rules,
    called: CalledCalculation,
    query: &str,
    today: Date,
) -> Result<MadeAnswer, Problem> {
    let answer = answer_to(rules, called, Query::borrowed(query), None, today)?;
    Ok(MadeAnswer {
        body: answer.to_json().into(),
        laws: answer.laws(),
    })
}

/// The same, made on another thread, where a call takes as long as many.
async fn calculated_in_turn(asked: &Asked<'_>, payer: Payer) -> Result<MadeAnswer, Problem> {
    // The thread owns what it works on, and finds the route in the same snapshot again.
    let own = asked.owned();
    let uri = asked.call.request.uri.clone();
    let make = move || {
        let rules = &own.snapshot.rules;
        let Some(Route::Endpoint(_, called)) = route::find(rules, uri.path()) else {
            return Err(Problem::plain(&kinds::INTERNAL));
        };
        let query = uri.query().unwrap_or_default();
        own.made(|| calculated(rules, called, query, own.today))
    };
    blocking::in_turn(asked.call, payer, make).await?
}

/// An answer that depends on the rules, the day and the address alone, which its id is made from.
pub(super) struct Asked<'c> {
    call: Call<'c>,
    answer: AskedAnswer<&'c Arc<Snapshot>>,
}

/// A reply that needs no computing, with the laws of its answer.
struct Ready {
    reply: Reply,
    laws: Arc<[Law]>,
}

/// The id of such an answer, with what it is made of; owned, it can be made on another thread.
struct AskedAnswer<S> {
    snapshot: S,
    id: AnswerId,
    today: Date,
    gzip: bool,
}

impl<'c> Asked<'c> {
    pub(super) fn new(call: Call<'c>, snapshot: &'c Arc<Snapshot>, target: &str) -> Self {
        let (gzip, today) = (accepts_gzip(&call.request.headers), call.context.time.today);
        let id = AnswerId::new(snapshot.rules.version(), today, target, gzip);
        Self {
            call,
            answer: AskedAnswer {
                snapshot,
                id,
                today,
                gzip,
            },
        }
    }

    /// The reply that needs no computing: 304 if the caller has the answer, which never changes, or
    /// one that is kept.
    fn without_making(&self, cache: reply::Cache) -> Option<Ready> {
        let AskedAnswer { snapshot, id, .. } = &self.answer;
        // The id has the version of the rules in it: an answer with the same `ETag` is the same
        // answer, even if this process never made it.
        if reply::names(&self.call.request.headers, &id.etag()) {
            let reply = reply::not_modified(id.etag(), cache);
            // It was counted when the caller got it, on the same day: the day is in the id.
            let laws = Arc::default();
            return Some(Ready { reply, laws });
        }
        let MadeAnswer { body, laws } = snapshot.answers.find(*id)?;
        let reply = self.reply(body, cache);
        Some(Ready { reply, laws })
    }

    pub(super) fn reply(&self, body: Bytes, cache: reply::Cache) -> Reply {
        let content = Content {
            body,
            media: reply::JSON,
            etag: self.answer.id.etag(),
        };
        reply::good(cache, content, &self.call.request.headers)
    }

    /// Makes the answer, compressed where the caller takes that, and offers it to the cache.
    fn made(
        &self,
        make: impl FnOnce() -> Result<MadeAnswer, Problem>,
    ) -> Result<MadeAnswer, Problem> {
        self.answer.made(make)
    }

    fn owned(&self) -> AskedAnswer<Arc<Snapshot>> {
        let AskedAnswer {
            snapshot,
            id,
            today,
            gzip,
        } = self.answer;
        AskedAnswer {
            snapshot: Arc::clone(snapshot),
            id,
            today,
            gzip,
        }
    }
}

impl<S: AsRef<Snapshot>> AskedAnswer<S> {
    fn made(
        &self,
        make: impl FnOnce() -> Result<MadeAnswer, Problem>,
    ) -> Result<MadeAnswer, Problem> {
        let mut made = make()?;
        if self.gzip
            && let Some(smaller) = coding::gzip(&made.body, coding::FAST)
        {
            made.body = smaller;
        }

        // The cache holds what is sent, so that an answer that is kept costs no compression.
        self.snapshot.as_ref().answers.offer(self.id, &made);
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_for_a_later_pay_is_charged_with_the_pays_before_it() {
        let snapshot = Snapshot::new(crate::testing::rules());
        let charged = |target: &str| {
            let (path, query) = target.split_once('?').unwrap();
            let Some(Route::Endpoint(_, called)) = route::find(&snapshot.rules, path) else {
                panic!("{path}");
            };
            works::work_of_call(called, &snapshot, query).calls
        };

        let later = cost::INVERSE_OF_LATER_PAY.calls;
        assert_eq!(charged("/api/v1/salaire-net/qc?net=8000&mois=12"), later);
        assert_eq!(
            charged("/api/v1/salaire-net?pays=qc&cout=8000&mois=2"),
            later
        );
        for one in [
            "/api/v1/salaire-net/qc?net=8000",
            "/api/v1/salaire-net/qc?net=8000&mois=1",
            "/api/v1/salaire-net/qc?net=8000&mois=",
            // There, the month says how many were paid, and none of them is computed.
            "/api/v1/salaire-net/ch?net=8000&mois=12",
            "/api/v1/salaire?net=2000",
        ] {
            assert_eq!(charged(one), cost::INVERSE.calls, "{one}");
        }
        assert_eq!(charged("/api/v1/salaire-net/qc?brut=8000&mois=12"), 1);
    }

    #[test]
    fn the_steps_of_other_calculations_are_charged() {
        let snapshot = Snapshot::new(crate::testing::rules());
        let charged = |query: &str| {
            let path = "/api/v1/dividendes";
            let Some(Route::Endpoint(_, called)) = route::find(&snapshot.rules, path) else {
                panic!("{path}");
            };
            works::work_of_call(called, &snapshot, query).calls
        };

        let explained = cost::EXPLAINED_CALLS.calls;
        assert_eq!(charged("dividendes=10000&detail=complet"), explained);
        assert_eq!(charged("detail=Compl%65t&dividendes=10000"), explained);
        assert_eq!(charged("dividendes=10000&detail=true"), 1);
        assert_eq!(charged("dividendes=10000"), 1);
    }
}
