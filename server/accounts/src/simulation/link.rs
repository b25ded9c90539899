//! The store as one node reaches it: a question may be late, refused, or done without an answer, as
//! the seed decides.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::ledger::Ledger;
use super::machine::{Chance, Machine, TrueTime};
use crate::day::{Day, Moment};
use crate::key::Digest;
use crate::payment::case::Case;
use crate::publishable::Publication;
use crate::store::audit::{AuditEntry, AuditLog};
use crate::store::availability::{Availability, ServedDay, ServedMinute};
use crate::store::corrections::{Corrections, Law, LawUse, ReaderUse};
use crate::store::mailboxes::{KeyRequest, Mailboxes};
use crate::store::postgres::followed;
use crate::store::publications::Publications;
use crate::store::rule_sets::{FileDigest, PublishedSet, RuleSets, StoredFile};
use crate::store::steady_clock::SteadyClock;
use crate::store::testing::Memory;
use crate::store::{
    Change, Claimed, Component, Counted, Delivery, Health, KeyChange, Pending, Record, Sharing,
    Store, Subscription, SubscriptionStore, Terms, Unavailable, shifted,
};
use crate::subject::Salt;

/// How long a node waits for an answer of the database, as the real link does; it then connects
/// again.
const STATEMENT: Duration = Duration::from_millis(800);
const RECONNECT: Duration = Duration::from_millis(250);

/// An answer that takes longer is trouble.
const SLOW: Duration = Duration::from_millis(100);

/// What all links share.
#[derive(Debug)]
pub(super) struct Network {
    pub sharing: Sharing,
    pub data: Arc<Memory>,
    pub time: TrueTime,
    pub chance: Arc<Chance>,
    pub ledger: Arc<Ledger>,
    /// Of a hundred questions, those that meet trouble.
    pub trouble: AtomicUsize,
}

/// The link of one process to the store.
#[derive(Debug)]
pub(super) struct Link {
    network: Arc<Network>,
    machine: Arc<Machine>,
    /// The process, in the ledger.
    life: usize,
    health: Health,
    is_dead: Arc<AtomicBool>,
    down_until: Mutex<Option<Instant>>,
    read_only_until: Mutex<Option<Instant>>,
    /// The connection is lost: what was asked on it gets no answer.
    lost: Notify,
    /// Milliseconds that the database's clock is ahead (several).
    offset: AtomicI64,
    /// Alone.
    steady: SteadyClock,
}

/// What becomes of one question.
#[derive(Debug, Clone, Copy)]
struct Fate {
    there: Duration,
    back: Duration,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Answered,
    /// Not done, and the node learns it.
    Refused,
    /// Done, and the node learns that it was not, or not known to be.
    DoneAndRefused,
    /// Not done, and the node hears nothing.
    Lost,
    /// Done, and the node hears nothing.
    Silent,
}

impl Link {
    pub(super) fn new(network: Arc<Network>, machine: Arc<Machine>, life: usize) -> Self {
        Self {
            network,
            machine,
            life,
            health: Health::default(),
            is_dead: Arc::default(),
            down_until: Mutex::default(),
            read_only_until: Mutex::default(),
            lost: Notify::new(),
            offset: AtomicI64::default(),
            steady: SteadyClock::default(),
        }
    }

    /// The store cannot be reached for a while, and what is under way gets no answer.
    pub(super) fn cut(&self, span: Duration) {
        *self.down_until.lock().unwrap() = Some(Instant::now() + span);
        self.health.failed(Component::Link, "simulated");
        self.network.ledger.trouble(self.life);
        self.lost.notify_waiters();
    }

    /// The store takes no writes for a while.
    pub(super) fn make_read_only(&self, span: Duration) {
        *self.read_only_until.lock().unwrap() = Some(Instant::now() + span);
    }

    /// Ends every outage.
    pub(super) fn heal(&self) {
        *self.down_until.lock().unwrap() = None;
        *self.read_only_until.lock().unwrap() = None;
        self.recover();
    }

    /// Its process was killed.
    pub(super) fn die(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// Whether counts can be reported to the store, as far as the node knows.
    pub(super) fn is_working(&self) -> bool {
        self.recover();
        self.health
            .outages()
            .iter()
            .all(|(component, _)| *component == Component::Clock)
    }

    /// The link is made again by itself.
    fn recover(&self) {
        let mut down_until = self.down_until.lock().unwrap();
        if down_until.is_none_or(|until| until <= Instant::now()) {
            *down_until = None;
            self.health.recovered(Component::Link);
        }
    }

    fn is_read_only(&self) -> bool {
        self.read_only_until
            .lock()
            .unwrap()
            .is_some_and(|until| until > Instant::now())
    }

    fn fate(&self) -> Fate {
        let chance = &self.network.chance;
        let is_alone = self.network.sharing == Sharing::Alone;
        let [there, back] = [(); 2].map(|()| chance.millis(0, if is_alone { 1 } else { 9 }));
        if !chance.percent(self.network.trouble.load(Ordering::SeqCst)) {
            return Fate {
                there,
                back,
                end: End::Answered,
            };
        }
        let slow = chance.millis(50, 450);
        // A file on this machine says what it did; it is slow, or refuses.
        match chance.below(if is_alone { 5 } else { 10 }) {
            0 | 1 => Fate {
                there: slow,
                back,
                end: End::Answered,
            },
            2 => Fate {
                there: slow,
                back,
                end: End::Refused,
            },
            3 | 4 => Fate {
                there,
                back,
                end: End::Refused,
            },
            5 => Fate {
                there,
                back: slow,
                end: End::Answered,
            },
            6 => Fate {
                there,
                back,
                end: End::DoneAndRefused,
            },
            // Done long after the node gave up.
            7 => Fate {
                there: chance.millis(900, 2_500),
                back,
                end: End::Silent,
            },
            8 => Fate {
                there,
                back,
                end: End::Lost,
            },
            _ => Fate {
                there,
                back,
                end: End::Silent,
            },
        }
    }

    /// Asks a question. What has been sent is done there, whatever becomes of whoever asked.
    fn carry<T: Send + 'static>(
        &self,
        component: Component,
        question: impl Future<Output = Result<T, Unavailable>> + Send + 'static,
    ) -> Pending<'_, T> {
        Box::pin(async move {
            self.machine.running().await;
            self.recover();
            if self.health.is_failing(Component::Link) {
                self.network.ledger.trouble(self.life);
                return Err(Unavailable("no connection".to_owned()));
            }
            let began = Instant::now();
            let asked = self.ask(component, question).await;
            self.machine.running().await;
            if asked.is_err() || began.elapsed() > SLOW {
                self.network.ledger.trouble(self.life);
            }
            asked
        })
    }

    async fn ask<T: Send + 'static>(
        &self,
        component: Component,
        question: impl Future<Output = Result<T, Unavailable>> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let (fate, lost) = (self.fate(), self.lost.notified());
        // Noted now: whoever asked may give up before the question does.
        if fate.end != End::Answered || fate.there + fate.back > SLOW {
            self.network.ledger.trouble(self.life);
        }
        let is_alone = self.network.sharing == Sharing::Alone;
        let refuses = component == Component::Writer && self.is_read_only();
        let (answer, answered) = oneshot::channel();
        let is_dead = Arc::clone(&self.is_dead);
        tokio::spawn(async move {
            sleep(fate.there).await;
            // The file of a process that is dead is written by nobody; a database still has the
            // question.
            if refuses
                || matches!(fate.end, End::Refused | End::Lost)
                || is_alone && is_dead.load(Ordering::SeqCst)
            {
                drop(answer.send(None));
            } else {
                drop(answer.send(Some(question.await)));
            }
        });
        let answer = async {
            let answer = answered.await.unwrap_or_default();
            match fate.end {
                End::Lost | End::Silent => std::future::pending().await,
                _ => sleep(fate.back).await,
            }
            answer.filter(|_| fate.end != End::DoneAndRefused)
        };
        let limit = if is_alone { Duration::MAX } else { STATEMENT };
        tokio::select! {
            biased;
            () = lost, if !is_alone => Err(Unavailable("the connection was lost".to_owned())),
            answer = timeout(limit, answer) => match answer {
                Ok(Some(answer)) => {
                    self.health.recovered(component);
                    answer
                }
                Ok(None) => {
                    if refuses {
                        self.health.failed(component, "simulated");
                    }
                    Err(Unavailable("refused".to_owned()))
                }
                Err(_) => {
                    self.cut(RECONNECT);
                    Err(Unavailable("no answer in time".to_owned()))
                }
            },
        }
    }
}

/// Questions that are asked as they are.
macro_rules! questions {
    ($($component:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> Pending<'_, $answer> {
            let data = Arc::clone(&self.network.data);
            self.carry(Component::$component, async move { data.$name($($argument),*).await })
        })*
    };
}

impl RuleSets for Link {
    questions! {
        Writer add_rule_set(set: PublishedSet, files: Vec<StoredFile>) -> bool;
        Reader rule_sets(after: i64) -> Vec<PublishedSet>;
        Reader rule_files(digests: Vec<FileDigest>) -> Vec<StoredFile>;
        Writer forget_rule_sets(first: PublishedSet, files: Vec<FileDigest>) -> ();
    }
}

impl Corrections for Link {
    questions! {
        Writer add_law_uses(uses: Vec<LawUse>) -> ();
        Reader law_uses(laws: Vec<Law>, since: Day) -> Vec<ReaderUse>;
        Writer set_correction_reader(account: Uuid, since: Option<Timestamp>) -> ();
        Reader correction_reader(account: Uuid) -> Option<Timestamp>;
        Writer claim_letter(set: i64, account: Uuid, now: Timestamp) -> bool;
        Writer release_letter(set: i64, account: Uuid) -> ();
        Writer forget_law_uses(today: Day) -> ();
    }
}

impl Store for Link {
    questions! {
        Writer add_key(record: Record) -> ();
        Writer put_key(record: Record) -> ();
        Reader find_keys(digests: Vec<Digest>) -> Vec<Record>;
        Reader keys() -> Vec<Record>;
        Writer revoke_key(id: Uuid, from: Timestamp) -> bool;
        Writer extend_keys(ends: Vec<(Uuid, Timestamp)>) -> ();
        Writer remove_keys(ids: Vec<Uuid>) -> ();
        Writer remove_digests(digests: Vec<Digest>) -> ();
        Reader keys_of_subscription(subscription: String) -> Vec<Record>;
        Reader expiring_keys(now: Timestamp, before: Timestamp) -> Vec<Record>;
        Writer change_terms(account: Uuid, terms: Terms) -> bool;
        Writer set_noticed(id: Uuid, from: Option<u16>, to: Option<u16>) -> bool;
        Reader usage(account: Uuid, since: Day) -> Vec<(Day, i64)>;
    }

    fn sharing(&self) -> Sharing {
        self.network.sharing
    }

    fn health(&self) -> &Health {
        self.recover();
        &self.health
    }

    /// One that the day decides: addresses have the same subjects whenever a seed is run.
    fn salt(&self, day: Day) -> Pending<'_, Salt> {
        let salt = std::array::from_fn(|index| day.0.to_be_bytes()[index % 4]);
        self.carry(Component::Writer, async move { Ok(Salt(salt)) })
    }

    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>> {
        Box::pin(async move {
            let (data, ledger, life) = (
                Arc::clone(&self.network.data),
                Arc::clone(&self.network.ledger),
                self.life,
            );
            ledger.sent(life, &changes);
            let asked = changes.clone();
            let done = async move {
                let counted = data.count(changes.clone()).await?;
                ledger.done(life, &changes);
                Ok(counted)
            };
            let counted = self.carry(Component::Writer, done).await?;
            self.network.ledger.answered(life, &asked, &counted);
            Ok(counted)
        })
    }

    fn forget(&self, today: Day) -> Pending<'_, bool> {
        let data = Arc::clone(&self.network.data);
        let of_database = Moment::new(self.network.time.now().into()).day;
        let today = if self.network.sharing == Sharing::Several {
            today.min(of_database)
        } else {
            today
        };
        let ledger = Arc::clone(&self.network.ledger);
        self.carry(Component::Writer, async move {
            ledger.forgets(today.before());
            data.forget(today).await
        })
    }

    fn check(&self, now: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            if self.network.sharing == Sharing::Alone {
                self.steady.check(now.into());
            } else {
                let time = self.network.time;
                let theirs = self
                    .carry(Component::Reader, async move { Ok(time.now()) })
                    .await?;
                let offset = theirs.as_millisecond() - now.as_millisecond();
                self.offset.store(followed(offset), Ordering::SeqCst);
            }
            if self.health.is_failing(Component::Writer) {
                self.carry(Component::Writer, async { Ok(()) }).await?;
            }
            Ok(())
        })
    }

    fn clock_offset(&self) -> SignedDuration {
        SignedDuration::from_millis(self.offset.load(Ordering::SeqCst))
    }

    fn time(&self, now: SystemTime) -> SystemTime {
        match self.network.sharing {
            Sharing::Alone => self.steady.time(now),
            Sharing::Several => shifted(now, self.clock_offset()),
        }
    }
}

impl SubscriptionStore for Link {
    questions! {
        Reader subscription(id: String) -> Option<Subscription>;
        Writer save_subscription(subscription: Subscription, keys: KeyChange, entry: Option<AuditEntry>) -> bool;
        Writer forget_subscription(id: String) -> ();
        Reader subscriptions() -> Vec<Subscription>;
        Reader waiting_subscriptions(before: Timestamp) -> Vec<Subscription>;
        Writer claim_delivery(now: Timestamp, until: Timestamp) -> Option<Claimed>;
        Writer change_digest(id: Uuid, digest: Digest, last_four: String) -> ();
        Writer add_beside(unsure: Uuid, record: Record) -> ();
        Writer set_delivery(id: Uuid, delivery: Delivery, again: Option<Timestamp>) -> bool;
        Reader undelivered_keys() -> Vec<Record>;
        Writer restore_key(id: Uuid) -> bool;
        Writer open_case(case: Case) -> bool;
        Reader cases() -> Vec<Case>;
        Writer settle_cases(ids: Vec<String>, may_recur: bool) -> u64;
    }
}

impl Mailboxes for Link {
    questions! {
        Writer add_request(token: Digest, request: KeyRequest) -> ();
        Reader request(token: Digest) -> Option<KeyRequest>;
        Writer take_request(token: Digest) -> Option<KeyRequest>;
        Reader keys_of_mailbox(variant: String, mailbox: String) -> Vec<Record>;
        Reader keys_of_email(email: String) -> Vec<Record>;
        Reader keys_of_account(account: Uuid) -> Vec<Record>;
        Writer hold_mailbox(id: Uuid, variant: String, mailbox: String, now: Timestamp) -> bool;
        Writer replace_key(old: Record, new: Record) -> bool;
    }
}

impl AuditLog for Link {
    questions! {
        Writer add_audit_entry(entry: AuditEntry) -> ();
        Reader audit_entries(account: Option<Uuid>, since: Timestamp, most: u32) -> Vec<AuditEntry>;
    }
}

impl Publications for Link {
    questions! {
        Writer set_publication(id: Uuid, publication: Publication) -> bool;
    }
}

impl Availability for Link {
    questions! {
        Writer add_minute(minute: ServedMinute) -> ();
        Reader served_days(since: Day) -> Vec<ServedDay>;
    }
}
