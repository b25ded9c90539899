//! Storage of keys, counts and daily salts.
//!
//! A small trait and two stores: [`sqlite`], a file beside the data, for a service on one machine,
//! and [`postgres`], for several that share keys and quotas. Both count by the same rule,
//! [`Change`]. A single node counts in memory and writes with a delay; several take calls from the
//! common count before they grant them.

pub mod audit;
pub mod availability;
pub mod corrections;
mod health;
pub mod mailboxes;
mod named;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod publications;
pub mod rule_sets;
pub mod sqlite;
pub(super) mod steady_clock;
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
use super::publishable::Publication;
use super::subject::{Salt, Subject};
use audit::AuditLog;
use availability::Availability;
use corrections::Corrections;
pub use health::{Component, Durations, Health};
use mailboxes::Mailboxes;
use publications::Publications;
use rule_sets::RuleSets;
pub use subscription::{Claimed, Delivery, KeyChange, Subscription, SubscriptionStore};

/// Future of an answer of a store.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Unavailable>> + Send + 'a>>;

/// Error: the store is not available.
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
    /// Id of the key, for its administration.
    pub id: Uuid,
    /// Account that its calls count for: a key and its replacement have the same account.
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
    /// Moment from which it is revoked.
    pub revoked: Option<Timestamp>,
    /// The subscription at the payment provider that pays for it.
    pub subscription: Option<String>,
    /// Whether the payment provider renews it by itself.
    pub renews: bool,
    /// Days before its end of the last notice sent to its owner.
    pub noticed: Option<u16>,
    /// State of its delivery to its owner.
    pub delivery: Delivery,
    /// Attempts to send it.
    pub attempts: u32,
    /// When it is to be sent, or when an unfinished attempt counts as interrupted.
    pub attempt_at: Option<Timestamp>,
    /// Where it is accepted, if it is publishable; a secret key has none.
    pub publication: Option<Publication>,
}

impl Record {
    /// A key of a new account that is handed over at once, without an end or a subscription.
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
            publication: None,
        }
    }

    /// Its terms.
    pub fn terms(&self) -> Terms {
        Terms {
            plan: self.plan.clone(),
            email: self.email.clone(),
            expires: self.expires,
            renews: self.renews,
        }
    }

    /// Whether the key is valid at a moment.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked.is_none_or(|revoked| now < revoked)
            && self.expires.is_none_or(|expires| now < expires)
    }
}

/// Terms of the keys of an account, which may change.
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
// Named and never `*` in statements that write: a newer node may have added columns.
const KEY_COLUMNS: &str = "id, account, digest, last_four, variant, plan, email, created, \
                           expires, revoked, \
                           subscription, renews, noticed, delivery, attempts, attempt_at, \
                           page_label, page_origins, page_calls";

/// Parameters for the columns of a key, from the first one on: `$5, $6, …`.
fn key_parameters(first: usize) -> String {
    parameters(first, KEY_COLUMNS.split(", ").count())
}

/// So many parameters of a statement, from the first one on.
fn parameters(first: usize, count: usize) -> String {
    let parameters = (first..).take(count).map(|index| format!("${index}"));
    parameters.collect::<Vec<_>>().join(", ")
}

/// The statement that inserts a key, and the one that replaces the key with the same id.
fn statements_that_write_a_key() -> [String; 2] {
    let add = format!(
        "insert into api_keys ({KEY_COLUMNS}) values ({})",
        key_parameters(1)
    );
    let newer: Vec<String> = KEY_COLUMNS
        .split(", ")
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let put = format!("{add} on conflict (id) do update set {}", newer.join(", "));
    [add, put]
}

/// Days for which the daily use of an account is kept.
pub const USAGE_DAYS: i32 = 90;

/// Seconds during which a request for a key can be confirmed.
pub const REQUEST_SECONDS: i64 = 86_400;

/// A change of one count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The day of the count.
    pub day: Day,
    /// The subject that is counted.
    pub subject: Subject,
    /// Calls to add; negative to return calls.
    pub by: i64,
    /// Further calls to add as a reserve: at most a sixteenth of what is left.
    pub spare: i64,
    /// Limit of the count.
    pub quota: i64,
    /// Answered calls that are not reported yet.
    pub used: i64,
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The day of the count.
    pub day: Day,
    /// The subject that is counted.
    pub subject: Subject,
    /// Calls that were added.
    pub by: i64,
    /// The count after it.
    pub total: i64,
    /// Answered calls of the count, as far as they were reported.
    pub used: i64,
}

impl Change {
    /// The result of the change.
    fn counted(&self, by: i64, total: i64, used: i64) -> Counted {
        Counted {
            day: self.day,
            subject: self.subject,
            by,
            total,
            used,
        }
    }

    /// The rule of every store: how many calls are added to a count of `total`.
    pub fn allowed(&self, total: i64) -> i64 {
        if self.by < 0 {
            // Never below zero, even if a node returns calls twice.
            return self.by.max(-total);
        }
        // A quota may have been lowered below the count: nothing is left then, and nothing is taken
        // back.
        let left = self.quota.saturating_sub(total).max(0);
        // The reserve shrinks with what is left, so that the last calls are not locked up in the
        // blocks of idle nodes.
        let spare = self.spare.min(left.saturating_sub(self.by).max(0) / 16);
        left.min(self.by.saturating_add(spare))
    }
}

/// A store of keys and counts.
pub trait Store:
    Mailboxes
    + SubscriptionStore
    + AuditLog
    + Availability
    + RuleSets
    + Corrections
    + Publications
    + Send
    + Sync
    + fmt::Debug
{
    /// Whether one process counts, or several share the counts.
    fn sharing(&self) -> Sharing;

    /// Its health.
    fn health(&self) -> &Health;

    /// Stores a new key, durably once this returns.
    fn add_key(&self, record: Record) -> Pending<'_, ()>;

    /// Stores a key, or replaces the one with the same id.
    fn put_key(&self, record: Record) -> Pending<'_, ()>;

    /// The keys with these digests; unknown digests are left out.
    fn find_keys(&self, digests: Vec<Digest>) -> Pending<'_, Vec<Record>>;

    /// Every key, oldest first.
    fn keys(&self) -> Pending<'_, Vec<Record>>;

    /// Revokes a key from a moment on; returns false if there is no such key.
    fn revoke_key(&self, id: Uuid, from: Timestamp) -> Pending<'_, bool>;

    /// Postpones the expiry of each key; one that expires later already is unchanged.
    fn extend_keys(&self, ends: Vec<(Uuid, Timestamp)>) -> Pending<'_, ()>;

    /// Deletes keys without a trace; unknown ids are ignored.
    fn remove_keys(&self, ids: Vec<Uuid>) -> Pending<'_, ()>;

    /// Removes the keys of these digests; one whose text was replaced meanwhile stays.
    fn remove_digests(&self, digests: Vec<Digest>) -> Pending<'_, ()>;

    /// The keys that a subscription pays for, oldest first.
    fn keys_of_subscription(&self, subscription: String) -> Pending<'_, Vec<Record>>;

    /// The keys that expire before a moment, without those that have expired or were revoked.
    fn expiring_keys(&self, now: Timestamp, before: Timestamp) -> Pending<'_, Vec<Record>>;

    /// Changes the terms of every key of an account; with another end, notices of the old one are
    /// reset. False if the account has no key.
    fn change_terms(&self, account: Uuid, terms: Terms) -> Pending<'_, bool>;

    /// Records that a notice was sent, or was not; returns false if the last one was not `from`, so
    /// that only one of several nodes sends it.
    fn set_noticed(&self, id: Uuid, from: Option<u16>, to: Option<u16>) -> Pending<'_, bool>;

    /// Answered calls of each day from `since` on, in order; days without any are left out.
    fn usage(&self, account: Uuid, since: Day) -> Pending<'_, Vec<(Day, i64)>>;

    /// The salt of a day, drawn on first use.
    fn salt(&self, day: Day) -> Pending<'_, Salt>;

    /// Applies changes of different counts, and returns the result of each.
    fn count(&self, changes: Vec<Change>) -> Pending<'_, Vec<Counted>>;

    /// Deletes some of the old data: counts before yesterday, requests for keys, the use of
    /// accounts before the last [`USAGE_DAYS`], entries of the audit log and served minutes past
    /// theirs; returns true while there is more. Yesterday is kept, and a store with a clock uses
    /// its own: one node whose clock is a day ahead must not delete the counts of all.
    fn forget(&self, today: Day) -> Pending<'_, bool>;

    /// Checks each component that was not used for a while, and the failing ones. Called each
    /// second, with the time of the service.
    fn check(&self, now: Timestamp) -> Pending<'_, ()>;

    /// Writes the data in its final form. Called last, when the service stops.
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// How far the clock of the counts is ahead of this machine's.
    fn clock_offset(&self) -> SignedDuration {
        SignedDuration::ZERO
    }

    /// The time for counts and keys, given the time of this machine.
    fn time(&self, now: SystemTime) -> SystemTime {
        shifted(now, self.clock_offset())
    }
}

/// A time so much later, or as it is where that cannot be written.
pub(super) fn shifted(now: SystemTime, offset: SignedDuration) -> SystemTime {
    let shift = offset.unsigned_abs();
    let shifted = if offset.is_negative() {
        now.checked_sub(shift)
    } else {
        now.checked_add(shift)
    };
    shifted.unwrap_or(now)
}

/// Location of the store, as given on the command line.
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
            // `:memory:` would be a separate store for each connection, and lose the keys.
            Some(("sqlite", path)) if !path.is_empty() && path != ":memory:" => {
                Ok(Self::Sqlite(path.into()))
            }
            // Both schemes are common; the address itself is checked by the library that connects.
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            _ => Err(
                "`sqlite:<file>` or `postgres://<user>@<host>/<database>` is expected".to_owned(),
            ),
        }
    }
}

/// Without the address of a database, which may contain a password.
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
    /// To serve calls: only one process at a time may open a file for this.
    Serving,
    /// To administer keys, also while a service runs.
    Administration,
}

/// Opens the store and migrates its tables.
///
/// A file must open; a database may be unavailable, since it will be back.
pub async fn open(location: &Location, purpose: Purpose) -> Result<Arc<dyn Store>, Unavailable> {
    match location {
        Location::Sqlite(path) => Ok(Arc::new(sqlite::Sqlite::open(path, purpose)?)),
        #[cfg(feature = "postgres")]
        Location::Postgres(address) => Ok(Arc::new(postgres::Postgres::open(address).await?)),
        #[cfg(not(feature = "postgres"))]
        Location::Postgres(_) => Err(Unavailable(
            "this program was built without PostgreSQL (feature `postgres`)".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(by: i64, spare: i64, quota: i64) -> Change {
        Change {
            day: Day(0),
            subject: Subject::OVERFLOW,
            by,
            spare,
            quota,
            used: 0,
        }
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
        assert_eq!(
            change(1, 500, 1000).allowed(990),
            1,
            "the last ones are taken one by one"
        );
    }

    #[test]
    fn no_more_is_given_back_than_was_taken() {
        assert_eq!(change(-5, 0, 100).allowed(40), -5);
        assert_eq!(change(-5, 0, 100).allowed(3), -3);
    }

    #[test]
    fn locations() {
        let read = |text: &str| text.parse::<Location>();
        assert_eq!(
            read("sqlite:bareme.db"),
            Ok(Location::Sqlite("bareme.db".into()))
        );
        assert!(matches!(
            read("postgres://u:p@h/d"),
            Ok(Location::Postgres(_))
        ));
        assert!(matches!(
            read("postgresql:///d?host=/run"),
            Ok(Location::Postgres(_))
        ));
        for bad in [
            "",
            "bareme.db",
            "sqlite:",
            "sqlite::memory:",
            "mysql://h/d",
            "postgres:d",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(!format!("{:?}", read("postgres://u:secret@h/d")).contains("secret"));
    }
}
