//! The request of a [batch]: its body is read, charged and computed off the threads that answer single
//! calls, and its answer is sent as it is made.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bareme_engine::service::Variant;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::api::batch::form::Form;
use crate::api::batch::rows::{Rows, Values};
use crate::api::batch::{self, Answering, Batch};
use crate::api::called::Called;
use crate::app::pipeline;
use crate::app::shared::Shared;
use crate::reload::in_force::Snapshot;
use crate::wire::headers::{BATCH_METHODS, ReplyMeta, RequestContext};
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use crate::wire::reply::{self, Reply};

/// How long a body may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a batch may take until its answer begins: its body arrives, and waits its turn.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Rows that are computed before others have their turn: less than a millisecond, so that no single call waits behind a
/// batch for longer.
const TURN: usize = 64;

/// Parts of an answer that are made before the caller reads them.
const AHEAD: usize = 4;

/// The work of batches, bounded: single calls come first.
#[derive(Debug)]
pub(crate) struct Batches {
    /// Batches in memory.
    held: Arc<Semaphore>,
    /// Batches that are computed at one time.
    turns: Arc<Semaphore>,
}

impl Default for Batches {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // 2 MiB each, and a few times that when it is read.
        Self { held: Arc::new(Semaphore::new(32)), turns: Arc::new(Semaphore::new((processors / 2).max(1))) }
    }
}

/// Where a batch is answered from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'s> {
    pub snapshot: &'s Arc<Snapshot>,
    pub variant: &'s Variant,
    pub called: Called<'s>,
}

/// Answers a batch.
///
/// # Errors
/// Before anything is charged or computed: a method, a form, a length, a key or parameters that are refused; then a quota
/// with fewer calls left than the batch has rows.
pub(crate) async fn respond(
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    body: Option<Incoming>,
    target: Target<'_>,
    context: &RequestContext,
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Target { snapshot, variant, called } = target;
    let body = body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;
    let sent = Form::sent(&request.headers).ok_or_else(|| Problem::plain(&kinds::BATCH_TYPE))?;
    let service = snapshot.rules.service();
    let caller = pipeline::identify(shared, peer, request, context, meta, (service, variant)).await?;
    let held = Arc::clone(&shared.batches.held).try_acquire_owned();
    let held = held.map_err(|_| Problem::plain(&kinds::BUSY))?;

    let body = read(body).await?;
    meta.read_body = true;
    let most = usize::try_from(batch::most_rows(caller.plan)).unwrap_or_default();
    let query = Query::read(request.uri.query().unwrap_or_default());
    let answering =
        Answering { form: Form::wanted(&request.headers, sent), today: context.time.today, lang: context.lang };
    let batch = {
        let (snapshot, endpoint) = (Arc::clone(snapshot), called.endpoint.clone());
        let word = called.word.map(str::to_owned);
        let (year, wanted_own) = (called.year, answering.form == sent);
        run(move || {
            let rows = Rows::read(&body, sent, most, if year { Values::Lists } else { Values::Single })?;
            // The separator that was found is that of the answer too.
            let form = if wanted_own { rows.form } else { answering.form };
            let called = Called { endpoint: &endpoint, word: word.as_deref(), year };
            Batch::new(&snapshot.rules, called, rows, query, Answering { form, ..answering })
        })
        .await??
    };

    let calls = u32::try_from(batch.len()).unwrap_or(u32::MAX);
    pipeline::charge(shared, &caller, calls, context, meta, variant).await?;
    let (parts, received) = mpsc::channel(AHEAD);
    let reply = reply::in_parts(batch.media(), received);
    tokio::spawn(send(batch, Arc::clone(snapshot), parts, Arc::clone(&shared.batches.turns), held));
    Ok(reply)
}

/// Reads the body of a batch.
async fn read(body: Incoming) -> Result<Bytes, Problem> {
    match timeout(READ_TIMEOUT, Limited::new(body, batch::MAX_LENGTH).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::plain(&kinds::BATCH_LENGTH)),
        Ok(Err(_)) => Err(Problem::plain(&kinds::UNREADABLE)),
        Err(_) => Err(Problem::plain(&kinds::TIMEOUT)),
    }
}

/// Runs something off the threads that answer single calls. A panic there is a fault of ours.
async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    spawn_blocking(work).await.map_err(|_| Problem::plain(&kinds::INTERNAL))
}

/// Computes a batch, a few rows at a turn, and sends each part when the caller has read those before.
async fn send(
    mut batch: Batch,
    snapshot: Arc<Snapshot>,
    parts: mpsc::Sender<io::Result<Bytes>>,
    turns: Arc<Semaphore>,
    held: OwnedSemaphorePermit,
) {
    let (mut next, count) = (0, batch.len());
    let mut part = Vec::new();
    batch.head(&mut part);
    while next < count {
        let Ok(turn) = turns.acquire().await else { return };
        let rules = Arc::clone(&snapshot);
        let computed = run(move || {
            let next = batch.answer(&rules.rules, next, TURN, &mut part);
            (batch, part, next)
        });
        let Ok((back, mut made, reached)) = computed.await else {
            // What was sent must not look like a whole answer.
            drop(parts.send(Err(io::Error::other("a row could not be computed"))).await);
            return;
        };
        drop(turn);
        (batch, next) = (back, reached);
        if next == count {
            batch.tail(&mut made);
        }
        // The caller may have left.
        if parts.send(Ok(Bytes::from(made))).await.is_err() {
            return;
        }
        part = Vec::new();
    }
    drop(held);
}
