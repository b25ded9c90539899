//! Answers that depend on the rules, the day and the address alone: 304, kept, or made here or on
//! another thread.

use std::sync::Arc;

use bareme_engine::service::Rules;
use hyper::body::Bytes;
use jiff::civil::Date;

use crate::api::answer_cache::AnswerId;
use crate::api::calculate::answer as answer_to;
use crate::api::called_calculation::CalledCalculation;
use crate::api::route::{self, Route};
use crate::app::blocking;
use crate::app::call::Call;
use crate::reload::in_force::Snapshot;
use crate::wire::coding;
use crate::wire::negotiation::accepts_gzip;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use crate::wire::reply::{self, Content, Reply};
use crate::work::Payer;
use crate::work::cost::{self, Work};

/// The answer to a calculation as JSON.
pub(super) fn calculated(
    rules: &Rules,
    called: CalledCalculation,
    query: &str,
    today: Date,
) -> Result<Bytes, Problem> {
    let answer = answer_to(rules, called, Query::borrowed(query), None, today)?;
    Ok(answer.to_json().into())
}

/// The same, made on another thread, where a call takes as long as many.
pub(super) async fn calculated_in_turn(asked: &Asked<'_>, payer: Payer) -> Result<Bytes, Problem> {
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

impl CalledCalculation<'_> {
    /// What a call with a query costs.
    pub(super) fn work(self, snapshot: &Snapshot, query: &str) -> &'static Work {
        if self.year {
            &cost::YEAR
        } else if cost::sends(query, snapshot.inverses(self.endpoint)) {
            &cost::INVERSE
        } else {
            &cost::CALL
        }
    }
}

/// An answer that depends on the rules, the day and the address alone, which its id is made from.
pub(super) struct Asked<'c> {
    call: Call<'c>,
    answer: AskedAnswer<&'c Arc<Snapshot>>,
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
    pub(super) fn known(&self, cache: reply::Cache) -> Option<Reply> {
        let AskedAnswer { snapshot, id, .. } = &self.answer;
        if reply::names(&self.call.request.headers, &id.etag()) {
            return Some(reply::not_modified(id.etag(), cache));
        }
        snapshot
            .answers
            .find(*id)
            .map(|body| self.reply(body, cache))
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
    pub(super) fn made(
        &self,
        make: impl FnOnce() -> Result<Bytes, Problem>,
    ) -> Result<Bytes, Problem> {
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
    fn made(&self, make: impl FnOnce() -> Result<Bytes, Problem>) -> Result<Bytes, Problem> {
        let plain = make()?;
        let smaller = if self.gzip {
            coding::gzip(&plain, coding::FAST)
        } else {
            None
        };
        let made = smaller.unwrap_or(plain);
        self.snapshot.as_ref().answers.offer(self.id, &made);
        Ok(made)
    }
}
