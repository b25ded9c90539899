//! The free keys of mailboxes, and requests for one that wait for confirmation.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Pending, Record};
use crate::key::Digest;

/// A request for a free key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// E-mail address, as it was typed.
    pub email: String,
    /// Variant of the interface.
    pub variant: String,
    /// When it was made.
    pub created: Timestamp,
}

/// Mailboxes in a store. An account holds a mailbox, through one of its keys, while any of its keys
/// is valid.
pub trait Mailboxes {
    /// Adds a request, by the digest of its confirmation token.
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()>;

    /// Removes the request of a token and returns it; concurrent callers get it only once.
    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>>;

    /// The keys of the account that holds a mailbox, the newest first, valid or not.
    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>>;

    /// Makes a key hold a mailbox; fails if another account holds it with a valid key.
    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool>;

    /// Replaces the digest, the last characters and the expiry of a key by those of `new`, with the
    /// same id; returns false if the key has changed meanwhile.
    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool>;
}
