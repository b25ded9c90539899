//! Reasons why a command on keys fails, in English for the operator.

use uuid::Uuid;

use crate::mail::MailFailure;
use crate::store::Unavailable;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandFailure {
    /// The store cannot be used.
    #[error("--store: {0}")]
    Store(#[from] Unavailable),
    /// The rules have errors.
    #[error("--rules: `{0}` has errors, run `bareme check`")]
    Rules(String),
    /// No such plan.
    #[error("--plan: no plan `{0}`; known plans: {1}")]
    Plan(String, String),
    /// Not an e-mail address.
    #[error("--email: `{0}` is not an e-mail address")]
    Email(String),
    /// The publication cannot be used; everything that is wrong with it.
    #[error("{0}")]
    Publication(String),
    /// The key is secret.
    #[error("key {0} is secret: only a publishable key has origins; `keys publish` issues one")]
    Secret(Uuid),
    /// The account has as many publishable keys as it may have.
    #[error("the account has {0} valid publishable keys already: revoke one first")]
    TooManyPages(usize),
    /// No such case.
    #[error("--settle: no open case `{0}`; `keys payments` lists them")]
    Case(String),
    /// The key was not revoked.
    #[error("key {0} is not revoked")]
    NotRevoked(Uuid),
    /// The key has no owner to send it to.
    #[error("key {0} has no e-mail address: give it one with `keys change --email`")]
    NoAddress(Uuid),
    /// The export, or the newer keys, cannot be read.
    #[error("--from: {0}")]
    From(String),
    /// The stored facts of a subscription cannot be read.
    #[error("subscription {0}: {1}")]
    Facts(String, serde_json::Error),
    /// The provider and the keys differ.
    #[error("{0} differences")]
    Differences(usize),
    /// No such key.
    #[error("no key with id {0}")]
    Unknown(Uuid),
    /// The key is no longer valid.
    #[error("key {0} has expired or was revoked: renew it if it has expired, or issue a new one")]
    Ended(Uuid),
    /// The address owns no key.
    #[error("--email: no key of `{0}`")]
    NoOwner(String),
    /// The day cannot be used.
    #[error("--until: {0}")]
    Until(jiff::Error),
    /// The key could not be sent; it was revoked.
    #[error("{0}; the key was revoked")]
    Mail(#[from] MailFailure),
    /// The answer cannot be printed.
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
}
