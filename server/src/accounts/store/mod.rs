//! Where keys, counts and the salts of days are kept.
//!
//! One small trait and two stores: [`sqlite`], a file beside the data, for a service on one machine;
//! [`postgres`], for several that share keys and quotas. Both count by the same rule, [`Change`]; the
//! difference is who may count: alone, a node counts in memory and writes behind; where there are
//! several, each takes calls from the common count before it gives them.

mod health;
mod link;
pub mod mailboxes;
pub mod postgres;
mod session;
pub mod sqlite;
mod steady;
pub(crate) mod subscription;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::day::Day;
use super::key::{Digest, Key};
use super::subject::{Salt, Subject};
pub use health::{Component, Health};
use mailboxes::Mailboxes;
pub use subscription::{Claimed, Delivery, KeyChange, Subscription, SubscriptionStore};

/// Pending answer of a store.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Unavailable>> + Send + 'a>>;

/// The store cannot answer now.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the store cannot be used: {0}")]
pub struct Unavailable(pub String);

/// Whether one process counts, or several share the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// This process alone.
    Alone,
    /// Several processes.
    Several,
}

/// Record of a key and of its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Name of the key, for its administration.
    pub id: Uuid,
    /// Account whose calls it counts: a key and the one that replaces it are of one account.
    pub account: Uuid,
    /// Digest of the key.
    pub digest: Digest,
    /// Its last four characters.
    pub last_four: String,
    /// Variant of the interface.
    pub variant: String,
    /// Plan of the variant.
    pub plan: String,
    /// E-mail address of its owner.
    pub email: String,
    /// When it was issued.
    pub created: Timestamp,
    /// First moment when it is no longer valid.
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
    /// The subscription at the payment provider that pays for it.
    pub subscription: Option<String>,
    /// Whether the payment provider renews it by itself.
    pub renews: bool,
    /// Days before its end of the last notice that was sent to its owner.
    pub noticed: Option<u16>,
    /// How far it is on its way to its owner.
    pub delivery: Delivery,
    /// Attempts to send it.
    pub attempts: u32,
    /// When it is to be sent, or when an attempt that has not ended counts as interrupted.
    pub attempt_at: Option<Timestamp>,
}

impl Record {
    /// A key of a new account, handed over at once: nothing ends it, and no subscription pays for it.
    pub fn new(key: &Key, variant: &str, plan: &str, email: &str, created: Timestamp) -> Self {
        let account = Uuid::now_v7();
        Self {
            id: account,
            account,
            digest: key.digest(),
            last_four: key.last_four().to_owned(),
            variant: variant.to_owned(),
            plan: plan.to_owned(),
            email: email.to_owned(),
            created,
            expires: None,
            revoked: None,
            subscription: None,
            renews: false,
            noticed: None,
            delivery: Delivery::Direct,
            attempts: 0,
            attempt_at: None,
        }
    }
}

/// Terms of an account's keys, which may change in their life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Plan of the variant.
    pub plan: String,
    /// E-mail address of the owner; empty once it was erased.
    pub email: String,
    /// First moment when the keys are no longer valid.
    pub expires: Option<Timestamp>,
    /// Whether the payment provider renews them by itself.
    pub renews: bool,
}

/// The columns of a key, in the order in which the stores write them.
const KEY_COLUMNS: [&str; 16] = [
    "id",
    "account",
    "digest",
    "last_four",
    "variant",
    "plan",
    "email",
    "created",
    "expires",
    "revoked",
    "subscription",
    "renews",
    "noticed",
    "delivery",
    "attempts",
    "attempt_at",
];

/// The statement that adds a key, and the one that puts a key in the place of the one with its id.
fn statements_that_write_a_key() -> [String; 2] {
    let numbers: Vec<String> = (1..=KEY_COLUMNS.len()).map(|number| format!("${number}")).collect();
    let add = format!("insert into api_keys ({}) values ({})", KEY_COLUMNS.join(", "), numbers.join(", "));
    let newer: Vec<String> = KEY_COLUMNS.iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let put = format!("{add} on conflict (id) do update set {}", newer.join(", "));
    [add, put]
}

/// Days for which the daily use of an account is kept.
pub const USAGE_DAYS: i32 = 90;

/// Seconds for which a request for a key can be confirmed.
pub const REQUEST_SECONDS: i64 = 86_400;

impl Record {
    /// Its terms.
    pub fn terms(&self) -> Terms {
        Terms { plan: self.plan.clone(), email: self.email.clone(), expires: self.expires, renews: self.renews }
    }

    /// Whether the key is valid at this moment.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none_or(|revoked| now < revoked) && self.expires.is_none_or(|expires| now < expires)
    }
}

/// A change of one count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The day of the count.
    pub day: Day,
    /// Subject of the count.
    pub subject: Subject,
    /// Calls to add; negative to return calls.
    pub by: i64,
    /// Further calls to add if there are plenty: a sixteenth of what is left, at most.
    pub spare: i64,
    /// Limit of the count.
    pub quota: i64,
    /// Calls that were answered and not reported yet.
    pub used: i64,
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The day of the count.
    pub day: Day,
    /// Subject of the count.
    pub subject: Subject,
    /// Calls that were added.
    pub by: i64,
    /// The count after it.
    pub total: i64,
    /// Calls of it that were answered, as far as they were reported.
    pub used: i64,
}

impl Change {
    /// Says what it did.
    fn counted(&self, by: i64, total: i64, used: i64) -> Counted {
        Counted { day: self.day, subject: self.subject, by, total, used }
    }

    /// The rule of every store: what is added to a count of `total`.
    pub fn allowed(&self, total: i64) -> i64 {
        if self.by < 0 {
            return self.by.max(-total);
        }
        let left = self.quota.saturating_sub(total).max(0);
        let spare = self.spare.min(left.saturating_sub(self.by).max(0) / 16);
        left.min(self.by.saturating_add(spare))
    }
}

/// A store of keys and counts.
pub trait Store: Mailboxes + SubscriptionStore + Send + Sync + fmt::Debug {
    /// Whether one process counts, or several share the counts.
    fn sharing(&self) -> Sharing;

    /// Its health.
    fn health(&self) -> &Health;

    /// Stores a new key. It is durable when this returns.
    fn add_key(&self, record: Record) -> Pending<'_, ()>;

    /// Stores a key as it is given, in the place of the one with its id if there is one.
    fn put_key(&self, record: Record) -> Pending<'_, ()>;

    /// The keys of these digests, as far as there are any.
    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>>;

    /// Every key, oldest first.
    fn keys(&self) -> Pending<'_, Vec<Record>>;

    /// Revokes a key from a moment on; false if there is no such key.
    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool>;

    /// Lets each key expire at a later moment, or at all; a key that expires later already stays as it is.
    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()>;

    /// Removes keys as if they had never been; those that are not there are no failure.
    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()>;

    /// The keys that a subscription pays for, oldest first.
    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>>;

    /// The keys that expire before a moment, and neither have expired now nor were revoked.
    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>>;

    /// Changes the terms of every key of an account; with another end, notices of the old one are forgotten. False if
    /// the account has no key.
    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool>;

    /// Records that a notice was sent, or that it was not: false if the last one was not `from`, so that of several
    /// nodes only one sends it.
    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool>;

    /// Calls answered on each day from `since` on that has any, in order.
    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>>;

    /// The salt of a day, drawn when it is first asked for.
    fn salt(&self, day: Day) -> Pending<'_, Salt>;

    /// Makes changes, each of another count, and says what each did.
    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>>;

    /// Forgets some of what is left of the days before yesterday, requests for keys included, and of accounts before the
    /// last [`USAGE_DAYS`]; true while there is more. Yesterday is kept, and a store with a clock believes its own: one node whose clock is a day ahead must not
    /// empty the counts of all.
    fn forget(&self, today: Day) -> Pending<'_, bool>;

    /// Checks each component that no caller may use for a while, and those that failed. To be called
    /// each second, with what the service takes for the time.
    fn check(&self, now: Timestamp) -> Pending<'_, ()>;

    /// Brings what is kept into its lasting form. To be called last, at the end of the service.
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// How far the clock by which calls are counted is ahead of this machine's.
    fn clock_offset(&self) -> SignedDuration {
        SignedDuration::ZERO
    }

    /// The time for counts and keys, where the clock of this machine says `now`.
    fn time(&self, now: SystemTime) -> SystemTime {
        let offset = self.clock_offset();
        let shift = offset.unsigned_abs();
        let shifted = if offset.is_negative() { now.checked_sub(shift) } else { now.checked_add(shift) };
        shifted.unwrap_or(now)
    }
}

/// Where the store is, as the command line says it.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file.
    Sqlite(PathBuf),
    /// The address of a PostgreSQL database, with its password.
    Postgres(String),
}

impl FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            // `:memory:` would be another store for each connection, and forget the keys it gave.
            Some(("sqlite", path)) if !path.is_empty() && path != ":memory:" => Ok(Self::Sqlite(path.into())),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => Ok(Self::Postgres(text.to_owned())),
            _ => Err("`sqlite:<file>` or `postgres://<user>@<host>/<database>` is expected".to_owned()),
        }
    }
}

/// Without the address of a database: it may hold a password.
impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(formatter, "sqlite:{}", path.display()),
            Self::Postgres(_) => formatter.write_str("postgres://…"),
        }
    }
}

/// Purpose of opening a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To answer calls: a file can be opened so by one process at a time.
    Serving,
    /// To administer keys, beside a service that runs.
    Administration,
}

/// Opens the store and brings its tables up to date.
///
/// A file must open; a database may be unavailable, for it comes back.
pub async fn open(location: &Location, purpose: Purpose) -> Result<Arc<dyn Store>, Unavailable> {
    match location {
        Location::Sqlite(path) => Ok(Arc::new(sqlite::Sqlite::open(path, purpose)?)),
        Location::Postgres(address) => Ok(Arc::new(postgres::Postgres::open(address).await?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(by: i64, spare: i64, quota: i64) -> Change {
        Change { day: Day(0), subject: Subject::OVERFLOW, by, spare, quota, used: 0 }
    }

    #[test]
    fn a_count_never_passes_its_quota() {
        assert_eq!(change(1, 0, 100).allowed(99), 1);
        assert_eq!(change(1, 0, 100).allowed(100), 0);
        assert_eq!(change(5, 0, 100).allowed(98), 2);
        assert_eq!(change(1, 0, 50).allowed(100), 0, "the quota was lowered");
        assert_eq!(change(7, 0, i64::MAX).allowed(100), 7);
    }

    #[test]
    fn spare_calls_are_a_small_part_of_what_is_left() {
        assert_eq!(change(1, 500, 1000).allowed(0), 1 + 62);
        assert_eq!(change(1, 8, 1000).allowed(0), 9);
        assert_eq!(change(0, 500, 1000).allowed(990), 0);
        assert_eq!(change(1, 500, 1000).allowed(990), 1, "the last ones are taken one by one");
    }

    #[test]
    fn no_more_is_given_back_than_was_taken() {
        assert_eq!(change(-5, 0, 100).allowed(40), -5);
        assert_eq!(change(-5, 0, 100).allowed(3), -3);
    }

    #[test]
    fn locations() {
        let read = |text: &str| text.parse::<Location>();
        assert_eq!(read("sqlite:bareme.db"), Ok(Location::Sqlite("bareme.db".into())));
        assert!(matches!(read("postgres://u:p@h/d"), Ok(Location::Postgres(_))));
        assert!(matches!(read("postgresql:///d?host=/run"), Ok(Location::Postgres(_))));
        for bad in ["", "bareme.db", "sqlite:", "sqlite::memory:", "mysql://h/d", "postgres:d"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(!format!("{:?}", read("postgres://u:secret@h/d")).contains("secret"));
    }
}
