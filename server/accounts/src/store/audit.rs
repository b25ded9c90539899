//! The audit log of keys: what was done to which key, by whom, when and from where.
//!
//! An entry is written before the change, or in its transaction: nothing is done to a key that the
//! log does not hold, though it may hold an attempt that failed.

use jiff::Timestamp;
use uuid::Uuid;

use super::named::named;
use super::{Pending, Record};

/// Days for which entries are kept: an account year, and the time to ask about it.
// Longer would keep traces of people without a purpose, shorter would end before the questions
// about a yearly bill.
pub const AUDIT_DAYS: i32 = 400;

named! {
    /// The party that did something to a key.
    Actor {
        /// Whoever runs the service, by the command line.
        Operator "operator"
        /// The owner of the key, by a link that was mailed.
        Owner "owner"
        /// The payment provider, by an event.
        Payments "payments"
        /// The service by itself: deliveries, expiry, deletion.
        Service "service"
    }
}

named! {
    /// What was done to a key.
    Action {
        /// It was issued.
        Issued "issued"
        /// Its text was replaced.
        Rotated "rotated"
        /// It was revoked, at once or from a moment on.
        Revoked "revoked"
        /// Its revocation was undone.
        Restored "restored"
        /// It was revoked because its payment was taken back.
        Suspended "suspended"
        /// Its plan or its end was changed.
        Changed "changed"
        /// The address of its owner was changed.
        Readdressed "readdressed"
        /// Its owner was sent a key that works: another text, or another key beside it.
        Resent "resent"
        /// It was removed.
        Removed "removed"
        /// The address of its owner was erased.
        Erased "erased"
    }
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When it was done.
    pub at: Timestamp,
    /// Who did it.
    pub actor: Actor,
    /// What was done.
    pub action: Action,
    /// The id of the key.
    pub key: Uuid,
    /// Its account.
    pub account: Uuid,
    /// From where: user and machine of a command, the pseudonym of an address, the id of an event.
    pub origin: String,
    /// Further words, without an address of an owner: the plan, the end, a reason.
    pub detail: String,
}

/// The party behind a change of keys, and where the change came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The party.
    pub actor: Actor,
    /// User and machine of a command, the pseudonym of an address, the id of an event.
    pub place: String,
}

impl Origin {
    /// The service itself.
    pub fn service() -> Self {
        Self {
            actor: Actor::Service,
            place: String::new(),
        }
    }

    /// An event of the payment provider.
    pub fn event(id: &str) -> Self {
        Self {
            actor: Actor::Payments,
            place: id.to_owned(),
        }
    }

    /// An entry about a key.
    pub fn entry(
        &self,
        action: Action,
        record: &Record,
        detail: impl Into<String>,
        at: Timestamp,
    ) -> AuditEntry {
        AuditEntry {
            at,
            actor: self.actor,
            action,
            key: record.id,
            account: record.account,
            origin: self.place.clone(),
            detail: detail.into(),
        }
    }
}

/// The audit log in a store.
pub trait AuditLog {
    /// Adds an entry.
    fn add_audit_entry(&self, entry: AuditEntry) -> Pending<'_, ()>;

    /// The newest entries since a moment, at most `most`, of one account or of all; the newest
    /// first.
    fn audit_entries(
        &self,
        account: Option<Uuid>,
        since: Timestamp,
        most: u32,
    ) -> Pending<'_, Vec<AuditEntry>>;
}

/// The plan and the end of a key, for the detail of an entry.
pub fn terms_in_words(record: &Record) -> String {
    // Without the address of the owner, which may be erased on request while the log stays.
    let Record {
        variant,
        plan,
        expires,
        ..
    } = record;
    match expires {
        Some(end) => format!("{variant} {plan}, until {end}"),
        None => format!("{variant} {plan}"),
    }
}
