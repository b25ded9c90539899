//! Storage of payments: the facts of each subscription, keys to be delivered to their owners, and
//! cases for a person.

use jiff::Timestamp;
use uuid::Uuid;

use super::audit::AuditEntry;
use super::named::named;
use super::{Pending, Record, Terms};
use crate::key::Digest;
use crate::payment::case::Case;

named! {
    /// Delivery state of a key.
    Delivery {
        /// Shown or sent by whoever issued the key.
        Direct "direct"
        /// Not to be sent: the key had ended before.
        Held "held"
        /// To be sent; nobody has the key yet.
        Due "due"
        /// Being sent, or interrupted while it was: the owner may have the key.
        Sending "sending"
        /// The owner may have the key; another one of the same account was sent after it.
        Unsure "unsure"
        /// Accepted by the mail server.
        Delivered "delivered"
    }
}

/// A stored subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its identifier at the payment provider.
    pub id: String,
    /// Its facts, as JSON.
    pub facts: String,
    /// How often it was written; 0 before the first time.
    pub version: i64,
    /// Since when it has been waiting for another event or for a person.
    pub waits_since: Option<Timestamp>,
}

/// A change of the keys of a subscription, written together with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    /// Nothing.
    None,
    /// Its first key.
    Add(Box<Record>),
    /// Other terms for the keys of an account.
    Terms {
        /// The account.
        account: Uuid,
        /// The new terms.
        terms: Terms,
        /// Whether held keys are to be sent now.
        deliver: bool,
    },
}

/// A key to be sent, and whether an earlier attempt may have reached its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The key.
    pub record: Record,
    /// Whether an attempt before this one was interrupted.
    pub was_interrupted: bool,
}

/// Operations of a store that payments need.
pub trait SubscriptionStore {
    /// The stored state of a subscription.
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>>;

    /// Writes a subscription, the change of its keys and its entry of the audit log in one
    /// transaction; returns false, and writes nothing, if its version is no longer the one that was
    /// read.
    fn save_subscription(
        &self,
        subscription: Subscription,
        keys: KeyChange,
        entry: Option<AuditEntry>,
    ) -> Pending<'_, bool>;

    /// Deletes the facts of a subscription; its key stays, and the next event makes facts from it.
    fn forget_subscription(&self, id: String) -> Pending<'_, ()>;

    /// Every subscription, by identifier.
    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>>;

    /// Subscriptions that have been waiting since before a moment.
    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>>;

    /// Claims the delivery of one key until a moment, for one of several nodes. `None` if there is
    /// none to send now.
    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>>;

    /// Gives a key that nobody has received another text.
    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()>;

    /// Adds a key to the account of one that may have reached its owner, which becomes
    /// [`Delivery::Unsure`].
    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()>;

    /// Records the state of delivery of a key, and when to look at it again; returns false if there
    /// is no such key.
    fn set_delivery(
        &self,
        id: Uuid,
        delivery: Delivery,
        again: Option<Timestamp>,
    ) -> Pending<'_, bool>;

    /// The keys that are to be sent or are being sent, oldest first.
    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>>;

    /// Undoes the revocation of a key; returns false if there is no such key.
    fn restore_key(&self, id: Uuid) -> Pending<'_, bool>;

    /// Opens a case; returns false if it was opened before, settled or not.
    fn open_case(&self, case: Case) -> Pending<'_, bool>;

    /// The open cases, oldest first.
    fn cases(&self) -> Pending<'_, Vec<Case>>;

    /// Settles cases; returns how many were open. With `may_recur` they can be opened again.
    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64>;
}
