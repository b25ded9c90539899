//! Store of payments: the facts of each subscription, keys on their way to their owners, and cases that wait for a
//! person.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Pending, Record, Terms};
use crate::accounts::key::Digest;
use crate::accounts::payment::case::Case;

/// Delivery state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Delivery {
    /// It was shown or sent by whoever issued it.
    #[default]
    Direct,
    /// It waits for nothing: it had ended before it was sent.
    Held,
    /// It is to be sent; nobody has it yet.
    Due,
    /// It is being sent, or its sending was interrupted: its owner may have it.
    Sending,
    /// Its owner may have it; another key of the same account was sent after it.
    Unsure,
    /// The mail server has taken it.
    Delivered,
}

impl Delivery {
    /// Every state.
    pub const ALL: [Self; 6] = [Self::Direct, Self::Held, Self::Due, Self::Sending, Self::Unsure, Self::Delivered];

    /// Its name in the store and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Held => "held",
            Self::Due => "due",
            Self::Sending => "sending",
            Self::Unsure => "unsure",
            Self::Delivered => "delivered",
        }
    }

    /// The state of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Stored subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its identifier at the payment provider.
    pub id: String,
    /// Facts known of it, as JSON.
    pub facts: String,
    /// How often it was written; 0 before the first time.
    pub version: i64,
    /// Since when it waits for another event or for a person.
    pub waits_since: Option<Timestamp>,
}

/// Change of the keys of a subscription, written together with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    /// Nothing.
    None,
    /// Its first key is added.
    Add(Box<Record>),
    /// The keys of an account get other terms.
    Terms {
        /// The account.
        account: Uuid,
        /// The new terms.
        terms: Terms,
        /// Whether keys that were held are to be sent now.
        deliver: bool,
    },
}

/// A key that is to be sent, and whether an earlier attempt may have reached its owner.
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

    /// Writes a subscription and what follows for its keys, as a whole: false, and nothing is written, if its version
    /// is no longer the one that was read.
    fn save_subscription(&self, subscription: Subscription, keys: KeyChange) -> Pending<'_, bool>;

    /// Forgets what is known of a subscription; its key stays, and the next event takes it over as it is.
    fn forget_subscription(&self, id: String) -> Pending<'_, ()>;

    /// Every subscription, by identifier.
    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>>;

    /// Those that wait since before a moment.
    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>>;

    /// Claims the sending of one key until a moment: of several nodes one gets it. None if none is to be sent now.
    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>>;

    /// Gives a key that nobody has another text.
    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()>;

    /// Adds a key beside one that may have reached its owner, which becomes [`Delivery::Unsure`].
    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()>;

    /// Records how far a key is, and when it is looked at again; false if there is no such key.
    fn set_delivery(&self, id: Uuid, delivery: Delivery, again: Option<Timestamp>) -> Pending<'_, bool>;

    /// The keys that are to be sent or are being sent, oldest first.
    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>>;

    /// Makes a key as if it had not been revoked; false if there is no such key.
    fn restore_key(&self, id: Uuid) -> Pending<'_, bool>;

    /// Opens a case; false if it was opened before, whether it is settled or not.
    fn open_case(&self, case: Case) -> Pending<'_, bool>;

    /// The cases that are not settled, oldest first.
    fn cases(&self) -> Pending<'_, Vec<Case>>;

    /// Settles cases; how many were open. With `may_recur` they can be opened again.
    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64>;
}
