//! The request of a [batch]: its body is read, charged and computed on other threads than single
//! calls, and its answer is streamed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bareme_engine::service::Variant;
use hyper::body::{Bytes, Incoming};
use tokio::sync::mpsc;

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
use crate::work::rooms::{NoRoom, Room};
use crate::work::turns::Turns;
use crate::work::{Payer, cost};

/// How long a body may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Ordinary calls that are computed before other work has its turn: less than a millisecond, the
/// longest that a single call waits behind a batch.
const TURN: u32 = 64;

/// Parts of an answer that are computed ahead of the reader.
const AHEAD: usize = 4;

/// Answers a batch.
///
/// # Errors
/// Before anything is charged or computed: a refused method, format, length, key or parameter; then
/// a budget or a quota with fewer calls left than the batch takes.
pub(super) async fn respond(
    call: Call<'_>,
    body: Option<Incoming>,
    (snapshot, variant, called): (&Arc<Snapshot>, &Variant, CalledCalculation<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Call {
        request, context, ..
    } = call;
    let body =
        body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;
    let sent = Form::sent(&request.headers);
    let (sent, dialect) = sent.ok_or_else(|| Problem::plain(&kinds::BATCH_TYPE))?;
    let service = snapshot.rules.service();
    let caller = pipeline::identify(call, meta, (service, variant)).await?;
    let payer = pipeline::payer(call, &caller);
    pipeline::admit(call, payer, cost::BATCH.calls)?;

    let (body, room) = read(call, payer, body).await?;
    meta.read_body = true;
    let most = usize::try_from(batch::most_rows(caller.plan)).unwrap_or_default();
    let (wanted, today, lang) = (
        Form::wanted(&request.headers, sent),
        context.time.today,
        context.lang,
    );
    let in_a_day = caller.calls_in_a_day();
    let (batch, calls) = {
        let (snapshot, endpoint) = (Arc::clone(snapshot), called.endpoint.clone());
        let (word, uri) = (called.word.map(str::to_owned), request.uri.clone());
        let year = called.year;
        let make = move || {
            let rules = &snapshot.rules;
            let called = CalledCalculation {
                endpoint: &endpoint,
                word: word.as_deref(),
                year,
            };
            let query = Query::read(uri.query().unwrap_or_default());
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
            let batch = Batch::new(rules, called, (rows, address), form, today, lang)?;
            let calls = work(&batch, called, &snapshot);
            Ok((batch, calls))
        };
        blocking::in_turn(call, payer, make).await??
    };

    meta.work = Some(pipeline::admit(call, payer, calls)?);
    let rows = u32::try_from(batch.rows.len()).unwrap_or(u32::MAX);
    pipeline::charge(call, &caller, rows, meta, variant).await?;
    let (parts, received) = mpsc::channel(AHEAD);
    let reply = reply::in_parts(batch.form.media(), received);
    let row = calls.checked_div(rows).unwrap_or(1).max(1);
    let turns = Turned {
        turns: Arc::clone(&call.shared.budget.turns),
        payer,
        rows: usize::try_from(TURN / row).unwrap_or(1).max(1),
        room,
    };
    tokio::spawn(send(batch, Arc::clone(snapshot), parts, turns));
    Ok(reply)
}

/// Reads the body, which takes memory as it arrives.
async fn read(call: Call<'_>, payer: Payer, body: Incoming) -> Result<(Bytes, Room), Problem> {
    let busy = |_: NoRoom| Problem::plain(&kinds::BUSY);
    let mut room = call.shared.budget.rooms.open(payer).map_err(busy)?;
    let hold = |bytes| room.take(bytes).map_err(busy);
    let too_long = &kinds::BATCH_LENGTH;
    let body = limits::read_held(body, batch::MAX_LENGTH, READ_TIMEOUT, too_long, hold).await?;
    Ok((body, room))
}

/// What the rows of a batch cost, in ordinary calls.
fn work(batch: &Batch, called: CalledCalculation, snapshot: &Snapshot) -> u32 {
    let names = snapshot.inverses(called.endpoint);
    let is_sent = |pairs: &[(String, String)]| {
        pairs
            .iter()
            .any(|(name, value)| !value.is_empty() && names.contains(name))
    };
    let is_shared = is_sent(&batch.address.shared);
    let of_row = |index: usize| {
        let row = batch.rows.row(index).and_then(|row| row.query.ok());
        if called.year {
            cost::YEAR.calls
        } else if is_shared || row.is_some_and(|row| is_sent(&row.pairs)) {
            cost::INVERSE.calls
        } else {
            cost::CALL.calls
        }
    };
    (0..batch.rows.len())
        .map(of_row)
        .fold(0, u32::saturating_add)
}

/// How a batch takes its turns, and the memory that it holds meanwhile.
struct Turned {
    turns: Arc<Turns>,
    payer: Payer,
    /// Rows of a turn.
    rows: usize,
    room: Room,
}

/// Computes a batch, a few rows at a time, and sends each part once the caller has read the ones
/// before.
async fn send(
    mut batch: Batch,
    snapshot: Arc<Snapshot>,
    parts: mpsc::Sender<io::Result<Bytes>>,
    turned: Turned,
) {
    let Turned {
        turns,
        payer,
        rows,
        room,
    } = turned;
    let (mut next, count) = (0, batch.rows.len());
    let mut part = Vec::new();
    batch.head(&mut part);
    while next < count {
        let Ok(turn) = turns.take_for_batch(payer).await else {
            return;
        };
        let rules = Arc::clone(&snapshot);
        let computed = blocking::run(move || {
            let next = batch.answer(&rules.rules, next, rows, &mut part);
            drop(turn);
            (batch, part, next)
        });
        let Ok((back, mut made, reached)) = computed.await else {
            // The connection is aborted, so that the part sent does not look like a whole answer.
            drop(
                parts
                    .send(Err(io::Error::other("a row could not be computed")))
                    .await,
            );
            return;
        };
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
    drop(room);
}
