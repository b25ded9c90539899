//! The request of a [batch]: its body is read, charged and computed on other threads than single calls, and its
//! answer is streamed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bareme_engine::service::Variant;
use hyper::body::{Bytes, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::api::batch::address::Address;
use crate::api::batch::form::Form;
use crate::api::batch::rows::{Reading, Rows, Values};
use crate::api::batch::{self, Batch};
use crate::api::called_calculation::CalledCalculation;
use crate::app::call::Call;
use crate::app::{blocking, pipeline};
use crate::reload::in_force::Snapshot;
use crate::wire::headers::{BATCH_METHODS, ReplyMeta};
use crate::wire::limits;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use crate::wire::reply::{self, Reply};

/// How long a body may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Rows that are computed before other work has its turn: less than a millisecond, the longest that a single call
/// waits behind a batch.
const TURN: usize = 64;

/// Parts of an answer that are computed ahead of the reader.
const AHEAD: usize = 4;

/// Limits of the work on batches, so that single calls come first.
#[derive(Debug)]
pub(crate) struct Batches {
    /// Permits for batches in memory.
    held: Arc<Semaphore>,
    /// Permits for batches computed at the same time.
    turns: Arc<Semaphore>,
}

impl Default for Batches {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // 2 MiB each, and a few times that once parsed.
        Self { held: Arc::new(Semaphore::new(32)), turns: Arc::new(Semaphore::new((processors / 2).max(1))) }
    }
}

/// Answers a batch.
///
/// # Errors
/// Before anything is charged or computed: a refused method, format, length, key or parameter; then a quota with
/// fewer calls left than the batch has rows.
pub(super) async fn respond(
    call: Call<'_>,
    body: Option<Incoming>,
    (snapshot, variant, called): (&Arc<Snapshot>, &Variant, CalledCalculation<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Call { shared, request, context, .. } = call;
    let body = body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;
    let sent = Form::sent(&request.headers);
    let (sent, dialect) = sent.ok_or_else(|| Problem::plain(&kinds::BATCH_TYPE))?;
    let service = snapshot.rules.service();
    let caller = pipeline::identify(call, meta, (service, variant)).await?;
    let held = Arc::clone(&shared.batches.held).try_acquire_owned();
    let held = held.map_err(|_| Problem::plain(&kinds::BUSY))?;

    let body = limits::read(body, batch::MAX_LENGTH, READ_TIMEOUT, &kinds::BATCH_LENGTH).await?;
    meta.read_body = true;
    let most = usize::try_from(batch::most_rows(caller.plan)).unwrap_or_default();
    let query = Query::read(request.uri.query().unwrap_or_default());
    let (wanted, today, lang) = (Form::wanted(&request.headers, sent), context.time.today, context.lang);
    let in_a_day = caller.calls_in_a_day();
    let batch = {
        let (snapshot, endpoint) = (Arc::clone(snapshot), called.endpoint.clone());
        let word = called.word.map(str::to_owned);
        let year = called.year;
        blocking::run(move || {
            let rules = &snapshot.rules;
            let called = CalledCalculation { endpoint: &endpoint, word: word.as_deref(), year };
            let address = Address::read(rules, called, query, today)?;
            let reading = Reading {
                most,
                values: if year { Values::Lists } else { Values::Single },
                dialect,
                currency: called.currency(rules),
                keys: address.keys.clone(),
                is_key_asked: address.is_key_asked,
            };

            let rows = Rows::read(&body, sent, reading)?;
            // No day of the plan holds it: to wait for midnight would be in vain.
            let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
            if let Some(most) = in_a_day.filter(|most| count > *most) {
                return Err(Problem::beyond_a_day(rows.len(), most));
            }
            // The dialect found in the rows is that of the answer too.
            let form = if wanted == sent { rows.form } else { wanted };
            Batch::new(rules, called, (rows, address), form, today, lang)
        })
        .await??
    };

    let calls = u32::try_from(batch.rows.len()).unwrap_or(u32::MAX);
    pipeline::charge(call, &caller, calls, meta, variant).await?;
    let (parts, received) = mpsc::channel(AHEAD);
    let reply = reply::in_parts(batch.form.media(), received);
    tokio::spawn(send(batch, Arc::clone(snapshot), parts, Arc::clone(&shared.batches.turns), held));
    Ok(reply)
}

/// Computes a batch, a few rows at a time, and sends each part once the caller has read the ones before.
async fn send(
    mut batch: Batch,
    snapshot: Arc<Snapshot>,
    parts: mpsc::Sender<io::Result<Bytes>>,
    turns: Arc<Semaphore>,
    held: OwnedSemaphorePermit,
) {
    let (mut next, count) = (0, batch.rows.len());
    let rows = (TURN / batch.calculations_a_row()).max(1);
    let mut part = Vec::new();
    batch.head(&mut part);
    while next < count {
        let Ok(turn) = turns.acquire().await else { return };
        let rules = Arc::clone(&snapshot);
        let computed = blocking::run(move || {
            let next = batch.answer(&rules.rules, next, rows, &mut part);
            (batch, part, next)
        });
        let Ok((back, mut made, reached)) = computed.await else {
            // The connection is aborted, so that the part sent does not look like a whole answer.
            drop(parts.send(Err(io::Error::other("a row could not be computed"))).await);
            return;
        };
        drop(turn);
        (batch, next) = (back, reached);
        if next == count {
            batch.tail(&mut made);
        }
        // The caller may be gone.
        if parts.send(Ok(Bytes::from(made))).await.is_err() {
            return;
        }
        part = Vec::new();
    }
    drop(held);
}
