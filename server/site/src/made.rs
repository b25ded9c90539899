//! Pages that depend on the rules and the day alone: made once, and kept as they are sent.

use bareme_api::wire::reply::Content;
use jiff::civil::Date;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Capacity in bytes: more than all pages of the rules of this repository, compressed and not.
const MAX_BYTES: u64 = 24 * 1024 * 1024;

/// Size of a usual page, to allocate the table.
const USUAL_PAGE: usize = 16 * 1024;

/// Size of an entry in bytes, without its page.
const ENTRY: usize = 128;

/// A page: its path, its day, and whether it is compressed.
type Key = (String, Date, bool);

/// The pages of one rule set that were made.
#[derive(Debug)]
pub struct MadePages(Cache<Key, Content, ByBytes>);

#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<Key, Content> for ByBytes {
    fn weight(&self, (path, ..): &Key, content: &Content) -> u64 {
        (path.len() + content.body.len() + ENTRY) as u64
    }
}

impl Default for MadePages {
    fn default() -> Self {
        Self(Cache::with_weighter(
            MAX_BYTES as usize / USUAL_PAGE,
            MAX_BYTES,
            ByBytes,
        ))
    }
}

impl MadePages {
    /// A page that was made.
    pub fn find(&self, path: &str, day: Date, gzip: bool) -> Option<Content> {
        self.0.get(&(path.to_owned(), day, gzip))
    }

    /// Keeps a page.
    pub fn keep(&self, path: &str, day: Date, gzip: bool, content: Content) {
        self.0.insert((path.to_owned(), day, gzip), content);
    }
}
