//! The free keys of mailboxes, and requests whose link waits to be opened by the owner of a
//! mailbox.

use jiff::Timestamp;
use uuid::Uuid;

use super::named::named;
use super::{Pending, Record};
use crate::key::Digest;

named! {
    /// Purpose of the link that a mailbox was sent.
    Purpose {
        /// It shows a free key.
        Key "key"
        /// It opens the page of the keys of the address.
        Manage "manage"
        /// It moves an account to this address.
        Move "move"
    }
}

/// A request whose link was sent to a mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// E-mail address, as it was typed.
    pub email: String,
    /// Variant of the interface; empty where the link concerns the keys of all.
    pub variant: String,
    /// When it was made.
    pub created: Timestamp,
    /// Purpose of the link.
    pub purpose: Purpose,
    /// The account to move to the address.
    pub account: Option<Uuid>,
}

/// Mailboxes in a store. An account holds a mailbox, through one of its keys, while any of its keys
/// is valid.
pub trait Mailboxes {
    /// Adds a request, by the digest of its confirmation token.
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()>;

    /// The request of a token, which stays.
    fn request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>>;

    /// Removes the request of a token and returns it; concurrent callers get it only once.
    // Removed and returned in one statement of the store: reading it first would let two callers
    // have it.
    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>>;

    /// The keys of the account that holds a mailbox, the newest first, valid or not.
    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>>;

    /// The keys of an e-mail address in any letter case, valid or not, oldest first.
    fn keys_of_email(&self, email: String) -> Pending<'_, Vec<Record>>;

    /// The keys of an account, valid or not, oldest first.
    fn keys_of_account(&self, account: Uuid) -> Pending<'_, Vec<Record>>;

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
