//! Compression of pages and files, since mobile visitors pay for each byte.

use std::collections::HashMap;
use std::sync::LazyLock;

use bareme_api::wire::coding::compressed;
use bareme_api::wire::reply::Content;
use flate2::Compression;
use parking_lot::Mutex;

/// Level for pages, which are compressed each time; files are compressed once.
const PAGE: Compression = Compression::new(4);

/// A page as gzip, where that is worth it.
pub(super) fn page(content: &Content) -> Option<Content> {
    compressed(content, PAGE)
}

/// A file of the site as gzip, compressed once.
pub(super) fn file(path: &'static str, content: &Content) -> Option<Content> {
    static KEPT: LazyLock<Mutex<HashMap<&'static str, Content>>> = LazyLock::new(Mutex::default);
    // Compressed under the lock: several first visitors would all do it.
    let mut kept = KEPT.lock();
    if let Some(known) = kept.get(path) {
        return Some(known.clone());
    }

    let made = compressed(content, Compression::best())?;
    kept.insert(path, made.clone());
    Some(made)
}
