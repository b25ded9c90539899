//! The request of a [batch]: its body is read, charged and computed on other threads than single
//! calls, and its answer is streamed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::Access;
use bareme_accounts::publishable::Door;
use bareme_api::calls::batch::address::Address;
use bareme_api::calls::batch::form::Form;
use bareme_api::calls::batch::receipt::BatchReceipt;
use bareme_api::calls::batch::rows::{Reading, Rows, Values};
use bareme_api::calls::batch::{self, Batch};
use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_api::calls::receipt;
use bareme_api::wire::headers::{BATCH_METHODS, ReplyMeta};
use bareme_api::wire::limits;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::Query;
use bareme_api::wire::reply::{self, Reply};
use bareme_api::work::rooms::{NoRoom, Room};
use bareme_api::work::turns::Turns;
use bareme_api::work::{Payer, cost};
use bareme_engine::Lang;
use bareme_engine::service::{Endpoint, Variant};
use bareme_show::spreadsheet::DialectOptions;
use hyper::Uri;
use hyper::body::{Bytes, Incoming};
use jiff::civil::Date;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::app::call::Call;
use crate::app::works;
use crate::app::{blocking, caller};
use crate::reload::in_force::Snapshot;

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

    // 1. What can be refused without the body: the method, the type, the key.
    let body =
        body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;
    let sent = Form::sent(&request.headers);
    let (sent, dialect) = sent.ok_or_else(|| Problem::plain(&kinds::BATCH_TYPE))?;
    let service = snapshot.rules.service();
    let caller = caller::identify(call, meta, (service, variant), Door::Secret).await?;

    // 2. Reading the body is work too, whatever becomes of its rows.
    let payer = caller::payer(call, &caller);
    caller::admit(call, payer, cost::BATCH.calls)?;
    let (body, room) = read(call, payer, body).await?;
    meta.read_body = true;

    // 3. Its rows, on another thread: up to 2 MiB are parsed.
    let unread = UnreadBatch {
        snapshot: Arc::clone(snapshot),
        endpoint: called.endpoint.clone(),
        word: called.word.map(str::to_owned),
        year: called.year,
        uri: request.uri.clone(),
        body,
        sent,
        dialect,
        requested: Form::requested(&request.headers, sent),
        most_rows: usize::try_from(batch::most_rows(caller.plan)).unwrap_or_default(),
        most_in_a_day: caller.calls_in_a_day(),
        today: context.time.today,
        lang: context.lang,
        receipt: call
            .receipt()?
            .map(|(signer, issued)| {
                BatchReceipt::new(Arc::clone(signer), receipt::name(called), issued)
            })
            .transpose()?,
    };
    let (batch, calls) = blocking::in_turn(call, payer, move || unread.read()).await??;

    // 4. All rows are charged at once, before any is computed.
    meta.work = Some(caller::admit(call, payer, calls)?);
    let rows = u32::try_from(batch.rows.count()).unwrap_or(u32::MAX);
    caller::charge(call, &caller, rows, meta, variant).await?;

    // 5. The answer is computed while it is read. A turn has fewer rows where each costs more.
    let (parts, received) = mpsc::channel(AHEAD);
    let reply = reply::in_parts(batch.form.media(), received);
    let row = calls.checked_div(rows).unwrap_or(1).max(1);
    let turns = Turned {
        turns: Arc::clone(&call.shared.budget.turns),
        payer,
        rows: usize::try_from(TURN / row).unwrap_or(1).max(1),
        access: Arc::clone(&call.shared.access),
        account: caller.account(),
        room,
    };
    tokio::spawn(send(batch, Arc::clone(snapshot), parts, turns));
    Ok(reply)
}

/// The body of a batch, with what its rows are read by: owned, so that another thread reads them.
struct UnreadBatch {
    snapshot: Arc<Snapshot>,
    endpoint: Endpoint,
    /// The value of the selector, where the path has one.
    word: Option<String>,
    /// Whether each row is a year of pays.
    year: bool,
    uri: Uri,
    body: Bytes,
    /// The form of the body.
    sent: Form,
    dialect: DialectOptions,
    /// The form of the answer.
    requested: Form,
    /// The most rows that the plan allows in a batch.
    most_rows: usize,
    /// The calls of a whole day of the plan; `None` if it has no quota.
    most_in_a_day: Option<u64>,
    today: Date,
    lang: Lang,
    receipt: Option<BatchReceipt>,
}

impl UnreadBatch {
    /// The batch, and what its rows cost in ordinary calls.
    fn read(self) -> Result<(Batch, u32), Problem> {
        let rules = &self.snapshot.rules;
        let called = CalledCalculation {
            endpoint: &self.endpoint,
            word: self.word.as_deref(),
            year: self.year,
        };

        // The address comes first: a mistake in it refuses the batch, not each of its rows.
        let query = Query::read(self.uri.query().unwrap_or_default());
        let address = Address::read(rules, called, query, self.today)?;
        let reading = Reading {
            most: self.most_rows,
            values: if self.year {
                Values::Lists
            } else {
                Values::Single
            },
            dialect: self.dialect,
            currency: called.currency(rules),
            keys: address.keys.clone(),
            is_key_asked: address.is_key_asked,
        };
        let rows = Rows::read(&self.body, self.sent, reading)?;

        // No day of the plan holds it: to wait for midnight would be in vain.
        let count = u64::try_from(rows.count()).unwrap_or(u64::MAX);
        if let Some(most) = self.most_in_a_day.filter(|most| count > *most) {
            return Err(Problem::beyond_a_day(rows.count(), most));
        }

        // The dialect found in the rows is that of the answer too.
        let form = if self.requested == self.sent {
            rows.form
        } else {
            self.requested
        };
        let batch = Batch::new(rules, called, (rows, address), form, self.today, self.lang)?;
        let calls = work(&batch, called, &self.snapshot);
        let signing = cost::RECEIPT
            .calls
            .saturating_mul(count.try_into().unwrap_or(u32::MAX));
        let signing = if self.receipt.is_some() { signing } else { 0 };
        Ok((batch.signed(self.receipt)?, calls.saturating_add(signing)))
    }
}

/// Reads the body, which takes memory as it arrives.
async fn read(call: Call<'_>, payer: Payer, body: Incoming) -> Result<(Bytes, Room), Problem> {
    let busy = |_: NoRoom| Problem::plain(&kinds::BUSY);
    // The memory is taken part by part, as it arrives: a length that is announced holds none yet.
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

    // A search is many calculations: for a result, asked on the address or in the row itself, or for
    // what the law of every row looks for in another folder.
    let always_searches = snapshot.always_searches(called.endpoint);
    let is_shared = is_sent(&batch.address.shared);
    let is_explained = cost::are_called_steps_asked(&batch.address.shared);
    let of_row = |index: usize| {
        let row = batch.rows.row(index).and_then(|row| row.query.ok());
        let explains = |row: &Query| cost::are_called_steps_asked(&row.pairs);
        if called.year {
            cost::YEAR.calls
        } else if always_searches {
            cost::LAW_THAT_SEARCHES.calls
        } else if is_shared || row.as_ref().is_some_and(|row| is_sent(&row.pairs)) {
            let own = row.map(|row| row.pairs).unwrap_or_default();
            let pairs = [own, batch.address.shared.clone()].concat();
            let sent = Query {
                pairs,
                bad: Vec::new(),
            };
            works::work_of_inverse(called, snapshot, &called.query(sent).pairs).calls
        } else if is_explained || row.as_ref().is_some_and(explains) {
            cost::EXPLAINED_CALLS.calls
        } else {
            cost::CALL.calls
        }
    };

    (0..batch.rows.count())
        .map(of_row)
        .fold(0, u32::saturating_add)
}

/// How a batch takes its turns, whom its rows are counted for, and the memory that it holds
/// meanwhile.
struct Turned {
    turns: Arc<Turns>,
    payer: Payer,
    /// Rows of a turn.
    rows: usize,
    access: Arc<Access>,
    account: Option<Uuid>,
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
        access,
        account,
        room,
    } = turned;
    let (mut next, count) = (0, batch.rows.count());

    let mut part = Vec::new();
    batch.head(&mut part);

    let mut is_whole = false;
    while !is_whole {
        // Between two turns other callers compute, so that nobody waits for a whole batch.
        let Ok(turn) = turns.take_for_batch(payer).await else {
            return;
        };
        let rules = Arc::clone(&snapshot);
        let computed = blocking::run(move || {
            // The rows, then what follows them, which may be long as well.
            let next = batch.answer(&rules.rules, next, rows, &mut part);
            let is_whole = next == count && batch.tail(&mut part);
            drop(turn);
            (batch, part, next, is_whole)
        });
        let Ok((back, made, reached, is_last)) = computed.await else {
            // The connection is aborted, so that the part sent does not look like a whole answer.
            drop(
                parts
                    .send(Err(io::Error::other("a row could not be computed")))
                    .await,
            );
            return;
        };

        (batch, next, is_whole) = (back, reached, is_last);
        let laws = batch.take_laws();
        access.count_laws(account, laws.iter().map(|(law, rows)| (law, *rows)));

        // The caller may be gone.
        if parts.send(Ok(Bytes::from(made))).await.is_err() {
            return;
        }
        part = Vec::new();
    }

    // The memory of the batch counts until its last part is handed over.
    drop(room);
}
