//! The rule sets that came into force, kept so that an answer can be computed again by its law.
//!
//! A set is stored as its changes from the one before; its files, by their digest, once each.

use jiff::Timestamp;

use super::Pending;

/// SHA-256 of the text of a rule file.
pub type FileDigest = [u8; 32];

/// A rule set that came into force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSet {
    /// Its number: one more than that of the set before.
    pub number: i64,
    /// When it came into force.
    pub published: Timestamp,
    /// Hash of the whole set.
    pub version: String,
    /// The program that read it, with its version.
    pub program: String,
    /// Its changes from the set before, as JSON that the store does not read.
    pub changes: String,
}

/// A rule file that a set refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The digest of its text.
    pub digest: FileDigest,
    /// Its text, compressed.
    pub content: Vec<u8>,
}

/// Rule sets in a store.
pub trait RuleSets {
    /// Adds a set with those of its files that are not stored yet; false if its number is taken,
    /// since another node has added one meanwhile.
    fn add_rule_set(&self, set: PublishedSet, files: Vec<StoredFile>) -> Pending<'_, bool>;

    /// The sets with a greater number, in their order.
    fn rule_sets(&self, after: i64) -> Pending<'_, Vec<PublishedSet>>;

    /// The files with these digests; unknown digests are left out.
    fn rule_files(&self, digests: Vec<FileDigest>) -> Pending<'_, Vec<StoredFile>>;

    /// Removes the sets before one, which is rewritten to stand without them, and these files.
    fn forget_rule_sets(&self, first: PublishedSet, files: Vec<FileDigest>) -> Pending<'_, ()>;
}
