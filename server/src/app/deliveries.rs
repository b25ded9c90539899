//! Sends purchased keys to their owners, with retries until the mail server accepts them.
//!
//! The keys to send are in the store, so that neither a mail server that hangs nor a restart loses
//! them. A node claims a key before it sends it. After an attempt without a result (the mail server
//! received the text and did not reply) the owner may have the key: the next attempt sends another
//! one of the same account, and both work.

use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::expiry::plan_of;
use bareme_accounts::issue;
use bareme_accounts::mail::{Letter, MailFailure, Mailer};
use bareme_accounts::payment::case::{Case, CaseKind};
use bareme_accounts::payment::{Failure, apply};
use bareme_accounts::store::{Claimed, Delivery, Record, Unavailable};
use bareme_engine::service::Service;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::app::shared::Shared;

/// Interval at which the store is asked for keys that other processes want to be sent.
const PERIOD: Duration = Duration::from_secs(2);

/// Interval at which waiting keys are counted, and waiting subscriptions evaluated again.
const WAITING_PERIOD: Duration = Duration::from_secs(10);

/// How long a node has an attempt to itself: longer than a mail server may take.
const CLAIM: SignedDuration = SignedDuration::from_secs(90);

/// Pause before the second attempt, in seconds; it doubles for each further one, up to the longest.
const FIRST_PAUSE: i64 = 10;
const LONGEST_PAUSE: i64 = 3_600;

/// Failed attempts after which a case is opened.
const WARN_AFTER: u32 = 4;

/// Sender of purchased keys.
#[derive(Debug)]
pub(crate) struct Deliveries {
    mailer: Arc<Mailer>,
    key_to_send: Notify,
}

/// The background tasks that send keys and watch waiting ones.
#[derive(Debug)]
pub(crate) struct Running {
    stop: watch::Sender<bool>,
    sending: JoinHandle<()>,
    watching: JoinHandle<()>,
}

impl Deliveries {
    /// A sender with a mail server.
    pub(crate) fn new(mailer: Arc<Mailer>) -> Self {
        Self {
            mailer,
            key_to_send: Notify::new(),
        }
    }

    /// Wakes the sender, because there is a key to send.
    pub(crate) fn wake(&self) {
        self.key_to_send.notify_one();
    }

    /// Starts sending, for as long as the service runs.
    pub(crate) fn start(self: Arc<Self>, shared: Arc<Shared>) -> Running {
        let (stop, mut stopped) = watch::channel(false);
        // On its own: a mail server that hangs must not stop the counting.
        let watching = tokio::spawn(watch_waiting(Arc::clone(&shared)));
        let sending = tokio::spawn(async move {
            loop {
                // A store that is away is no reason to end: the keys wait in it.
                if let Err(unavailable) = self.send_all(&shared, &stopped).await {
                    tracing::debug!(%unavailable, "keys wait to be sent");
                }
                tokio::select! {
                    () = self.key_to_send.notified() => {}
                    () = sleep(PERIOD) => {}
                    _ = stopped.wait_for(|stopping| *stopping) => break,
                }
            }
        });
        Running {
            stop,
            sending,
            watching,
        }
    }

    /// Sends every due key, one after the other.
    async fn send_all(
        &self,
        shared: &Shared,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), Unavailable> {
        let Some(snapshot) = shared.rules.snapshot() else {
            return Ok(());
        };

        let store = shared.access.store();

        // One key at a time, each claimed first, so that several nodes share the work and none is
        // sent twice at once.
        while !*stopped.borrow() {
            let now = shared.access.now(shared.clock.read().second)?;
            let until = now.checked_add(CLAIM).unwrap_or(now);
            let Some(claimed) = store.claim_delivery(now, until).await? else {
                break;
            };

            self.send(shared, snapshot.rules.service(), claimed, now)
                .await?;
        }
        Ok(())
    }

    async fn send(
        &self,
        shared: &Shared,
        service: &Service,
        Claimed {
            record,
            was_interrupted,
        }: Claimed,
        now: Timestamp,
    ) -> Result<(), Unavailable> {
        // 1. A key that has ended meanwhile, or has lost its address, is no longer owed.
        let (store, id) = (shared.access.store(), record.id);
        if !record.is_valid(now) || record.email.is_empty() {
            tracing::info!(key = %id, "a key that ended is not sent");
            return store.set_delivery(id, Delivery::Held, None).await.map(drop);
        }

        // 2. A plan that left the rules may come back: the attempt is repeated later.
        let Some((variant, plan)) = plan_of(service, &record) else {
            let error = "its plan is no longer offered";
            tracing::error!(key = %id, error, "a key cannot be sent");
            return store
                .set_delivery(id, Delivery::Due, Some(next_attempt(&record, now)))
                .await
                .map(drop);
        };

        // 3. The store has digests only, so that each attempt sends a new text. Where an earlier
        // text may have arrived, it stays valid beside the new one; otherwise it is replaced. It is
        // stored before it is sent: the key must work when the letter arrives.
        let issued =
            issue::rewritten(&record, &variant.key_prefix, was_interrupted.then_some(now))?;
        if was_interrupted {
            store.add_beside(id, issued.record.clone()).await?;
        } else {
            store
                .change_digest(id, issued.record.digest, issued.record.last_four.clone())
                .await?;
        }

        // 4. The letter, and what became of it.
        let sent = self
            .mailer
            .send(Letter::of_key(service, variant, plan, &issued))
            .await;
        shared.metrics.delivered(sent.is_ok());
        settle(shared, &issued.record, sent, now).await
    }
}

impl Running {
    /// Waits for the e-mail under way, and sends no other.
    pub(crate) async fn stop(self, limit: Duration) {
        self.stop.send_replace(true);
        // The counting owes nothing to anybody; the letter under way does.
        self.watching.abort();
        if timeout(limit, self.sending).await.is_err() {
            tracing::warn!("stopped while a key was being sent: it will be sent again");
        }
    }
}

/// Counts waiting keys, and evaluates waiting subscriptions again, independently of the mail
/// server.
async fn watch_waiting(shared: Arc<Shared>) {
    loop {
        // Without rules there are no plans to evaluate a subscription by.
        if let (Some(snapshot), Ok(now)) = (
            shared.rules.snapshot(),
            shared.access.now(shared.clock.read().second),
        ) && let Err(failure) = look_again(&shared, snapshot.rules.service(), now).await
        {
            tracing::debug!(error = %failure, "payments that wait could not be looked at");
        }
        sleep(WAITING_PERIOD).await;
    }
}

async fn look_again(shared: &Shared, service: &Service, now: Timestamp) -> Result<(), Failure> {
    let store = shared.access.store();
    apply::look_again(store, service, now).await?;
    shared
        .metrics
        .undelivered_keys(store.undelivered_keys().await?.len());
    shared.metrics.open_cases(&store.cases().await?);
    Ok(())
}

/// Records what became of a letter.
async fn settle(
    shared: &Shared,
    record: &Record,
    sent: Result<(), MailFailure>,
    now: Timestamp,
) -> Result<(), Unavailable> {
    let store = shared.access.store();
    let Err(failure) = sent else {
        store
            .set_delivery(record.id, Delivery::Delivered, None)
            .await?;
        store
            .settle_cases(vec![undelivered(record, now).id], true)
            .await?;
        tracing::info!(key = %record.id, attempts = record.attempts, "key sent");
        return Ok(());
    };

    // A key that somebody may have stays valid; one that nobody has gets another text.
    let state = if failure.is_refusal() {
        Delivery::Due
    } else {
        Delivery::Sending
    };
    store
        .set_delivery(record.id, state, Some(next_attempt(record, now)))
        .await?;
    tracing::warn!(
        key = %record.id,
        attempts = record.attempts,
        error = %failure,
        "a key could not be sent"
    );

    // A mail server that is restarted is no case: somebody looks after several attempts.
    if record.attempts >= WARN_AFTER
        && let Err(error) = apply::open(store, &undelivered(record, now)).await
    {
        tracing::warn!(%error, "a case could not be opened");
    }
    Ok(())
}

/// The case of a key that cannot be delivered.
fn undelivered(record: &Record, now: Timestamp) -> Case {
    let detail = format!("key {}, {} attempts", record.id, record.attempts);
    Case::new(
        CaseKind::Undelivered,
        &record.account.to_string(),
        detail,
        now,
    )
}

fn next_attempt(record: &Record, now: Timestamp) -> Timestamp {
    // The shift is bounded before the pause is: it would overflow after some days.
    let pause = FIRST_PAUSE
        .saturating_mul(1 << record.attempts.saturating_sub(1).min(10))
        .min(LONGEST_PAUSE);
    now.checked_add(SignedDuration::from_secs(pause))
        .unwrap_or(now)
}
