//! The free key of a mailbox, and the requests for one that wait to be confirmed.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Pending, Record};
use crate::accounts::key::Digest;

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

/// Mailboxes in a store. A mailbox is held by an account, through one of its keys, as long as any of them is
/// valid.
pub trait Mailboxes {
    /// Adds a request, by the digest of the token that confirms it.
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()>;

    /// Removes the request of a token and returns it: of several that ask, one gets it.
    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>>;

    /// The keys of the account that holds a mailbox, the newest first, valid or not.
    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>>;

    /// Lets a key hold a mailbox; fails if another account has a key there that is valid.
    fn hold_mailbox(&self, id: Uuid, variant: String, mailbox: String, now: Timestamp) -> Pending<'_, bool>;

    /// Puts the digest, the last characters and the expiry of `new` in the place of those of `old`, a key of the same
    /// id; false if it has changed meanwhile.
    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool>;
}
