//! Which law the answers to an account applied, and whom a correction of it is announced to.
//!
//! A row is an account, a law, how many answers and the day of the last: no input, no amount, no
//! address.

use jiff::Timestamp;
use uuid::Uuid;

use super::Pending;
use crate::day::Day;

/// Days after the last answer by a law for which its use is kept.
// A year of pays is corrected until the accounts of the year are closed, some weeks into the next.
pub const USE_DAYS: i32 = 400;

/// The law that an answer applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Law {
    /// The path of its folder.
    pub folder: String,
    /// Its version, which the answer names.
    pub version: String,
}

/// The use of a law by an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LawUse {
    /// The law.
    pub law: Law,
    /// The account.
    pub account: Uuid,
    /// Answers.
    pub calls: i64,
    /// The day of the last one.
    pub day: Day,
}

/// The use of a law by an account whose owner reads about corrections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderUse {
    /// The use.
    pub used: LawUse,
    /// Since when he reads about them.
    pub since: Timestamp,
}

/// The uses of laws in a store, and the e-mails about their corrections.
pub trait Corrections {
    /// Adds answers to the counts, each law and account once; the later day stays.
    fn add_law_uses(&self, uses: Vec<LawUse>) -> Pending<'_, ()>;

    /// The uses of some laws since a day, by accounts that read about corrections.
    fn law_uses(&self, laws: Vec<Law>, since: Day) -> Pending<'_, Vec<ReaderUse>>;

    /// Has the owner of an account read about corrections from a moment on, or no longer; one who
    /// reads already goes on as since then.
    fn set_correction_reader(&self, account: Uuid, since: Option<Timestamp>) -> Pending<'_, ()>;

    /// Since when the owner of an account reads about corrections.
    fn correction_reader(&self, account: Uuid) -> Pending<'_, Option<Timestamp>>;

    /// Claims the e-mail to an account about the corrections of a rule set; false if it was claimed
    /// before, so that only one of several nodes sends it.
    fn claim_letter(&self, set: i64, account: Uuid, now: Timestamp) -> Pending<'_, bool>;

    /// Takes a claim back: the e-mail was not sent.
    fn release_letter(&self, set: i64, account: Uuid) -> Pending<'_, ()>;

    /// Deletes uses and claims of more than [`USE_DAYS`] ago. A store with a clock uses its own if
    /// that is behind.
    fn forget_law_uses(&self, today: Day) -> Pending<'_, ()>;
}
