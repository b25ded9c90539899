//! Cache of recently used keys, so that few calls query the store, and known keys work while the store is
//! unavailable.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::key::Digest;
use super::lookups::Lookups;
use super::store::{Record, Unavailable};

/// How long a key is valid without another look-up; also the delay of a revocation.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// How long a known key waits for its look-up, before the cached state is used. A database may be that far away.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(400);

/// When the cache is full, keys unused for this long are dropped.
const UNUSED_FOR: Duration = Duration::from_secs(3600);

/// Greatest number of keys in the cache.
const MAX_KEYS: usize = 20_000;

/// The cache of keys.
#[derive(Debug)]
pub(crate) struct KeyCache {
    lookups: Lookups,
    known: Mutex<HashMap<Digest, CachedKey>>,
}

/// A key in the cache.
#[derive(Debug)]
pub(crate) enum Cached {
    /// Looked up a moment ago.
    Fresh(Arc<Record>),
    /// Looked up earlier; to be looked up again.
    Stale(Arc<Record>),
    /// Not in the cache.
    Unknown,
}

#[derive(Debug)]
struct CachedKey {
    record: Arc<Record>,
    /// When the look-up began that the store answered: its answer may have been late, and the key revoked meanwhile.
    learned: Instant,
    /// When the last look-up began.
    checked: Instant,
    /// Whether the store did not answer it.
    is_unanswered: bool,
}

impl KeyCache {
    /// An empty cache.
    pub(crate) fn new(lookups: Lookups) -> Self {
        Self { lookups, known: Mutex::default() }
    }

    /// Finds a digest in the cache, without a query.
    pub(crate) fn get(&self, digest: &Digest) -> Cached {
        let mut cache = self.known.lock();
        let Some(known) = cache.get_mut(digest) else { return Cached::Unknown };
        let (record, age, since_check) = (Arc::clone(&known.record), known.learned.elapsed(), known.checked.elapsed());
        // One call looks it up; concurrent ones need not, except for a key that rested: it may have been revoked long ago.
        let is_recent = known.is_unanswered || age < FRESH_FOR + LOOKUP_TIMEOUT;
        if age < FRESH_FOR || since_check < FRESH_FOR && is_recent {
            return Cached::Fresh(record);
        }
        // An outage of long ago says nothing of now.
        known.is_unanswered &= since_check < 2 * FRESH_FOR;
        known.checked = Instant::now();
        Cached::Stale(record)
    }

    /// Looks up the key of a digest, valid or not, in the store; `stale` is its cached state.
    pub(crate) async fn look_up(
        &self,
        digest: Digest,
        stale: Option<Arc<Record>>,
    ) -> Result<Option<Arc<Record>>, Unavailable> {
        let began = Instant::now();
        let search = self.lookups.find(digest);
        let found = match &stale {
            Some(_) => {
                timeout(LOOKUP_TIMEOUT, search).await.unwrap_or_else(|_| Err(Unavailable("no key in time".to_owned())))
            }
            None => search.await,
        };
        match (found, stale) {
            // The store found it by the digest; that both are equal is checked here, in constant time.
            (Ok(Some(record)), _) if record.digest == digest => Ok(Some(self.insert(digest, Arc::new(record), began))),
            (Ok(_), _) => {
                let mut known = self.known.lock();
                if known.get(&digest).is_some_and(|known| known.learned <= began) {
                    known.remove(&digest);
                }
                Ok(None)
            }
            // The store is unavailable: the cached state is used.
            (Err(_), Some(record)) => {
                if let Some(known) = self.known.lock().get_mut(&digest) {
                    known.is_unanswered = true;
                }
                Ok(Some(record))
            }
            (Err(failure), None) => Err(failure),
        }
    }

    /// Keeps the answer to a look-up, unless a later one was answered before.
    fn insert(&self, digest: Digest, record: Arc<Record>, began: Instant) -> Arc<Record> {
        let mut known = self.known.lock();
        if known.get(&digest).is_some_and(|known| known.learned > began) {
            return record;
        }
        if known.len() >= MAX_KEYS {
            known.retain(|_, known| known.checked.elapsed() < UNUSED_FOR);
        }
        if known.len() < MAX_KEYS || known.contains_key(&digest) {
            let record = Arc::clone(&record);
            known.insert(digest, CachedKey { record, learned: began, checked: began, is_unanswered: false });
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tokio::time::advance;

    use super::*;
    use crate::accounts::store::testing::{Memory, record};
    use crate::accounts::store::{Sharing, Store as _};

    async fn find(keys: &KeyCache, digest: Digest) -> Result<Option<Arc<Record>>, Unavailable> {
        match keys.get(&digest) {
            Cached::Fresh(record) => Ok(Some(record)),
            Cached::Stale(record) => keys.look_up(digest, Some(record)).await,
            Cached::Unknown => keys.look_up(digest, None).await,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_asked_for_once_a_second_and_a_revocation_is_seen() {
        let store = Memory::new(Sharing::Alone);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let record = record();
        store.add_key(record.clone()).await.unwrap();
        let asked = store.questions();
        for _ in 0..10 {
            assert!(find(&keys, record.digest).await.unwrap().is_some());
        }
        assert_eq!(store.questions(), asked + 1);
        store.revoke_key(record.id, Timestamp::UNIX_EPOCH).await.unwrap();
        // However often the key is used meanwhile.
        for _ in 0..10 {
            assert_eq!(find(&keys, record.digest).await.unwrap().unwrap().revoked, None);
            advance(FRESH_FOR / 10).await;
        }
        let found = find(&keys, record.digest).await.unwrap().unwrap();
        assert_eq!(found.revoked, Some(Timestamp::UNIX_EPOCH));
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_was_revoked_while_it_rested_is_refused_to_a_crowd() {
        let store = Memory::new(Sharing::Several);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let record = record();
        store.add_key(record.clone()).await.unwrap();
        find(&keys, record.digest).await.unwrap();
        store.set_unavailable(true);
        advance(Duration::from_secs(5)).await;
        assert!(find(&keys, record.digest).await.unwrap().is_some());
        store.set_unavailable(false);
        advance(Duration::from_secs(600)).await;
        store.revoke_key(record.id, Timestamp::UNIX_EPOCH).await.unwrap();
        let call = async || find(&keys, record.digest).await.unwrap().unwrap().revoked.is_some();
        assert_eq!(tokio::join!(call(), call(), call()), (true, true, true));
    }

    /// As when a node is paused while the answer is on its way.
    #[tokio::test(start_paused = true)]
    async fn a_late_answer_is_as_old_as_its_question() {
        let store = Memory::new(Sharing::Several);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let record = record();
        store.add_key(record.clone()).await.unwrap();
        let began = Instant::now();
        let answer = Arc::new(record.clone());
        store.revoke_key(record.id, Timestamp::UNIX_EPOCH).await.unwrap();
        advance(FRESH_FOR).await;
        keys.insert(record.digest, Arc::clone(&answer), began);
        assert!(find(&keys, record.digest).await.unwrap().unwrap().revoked.is_some());
        // An answer that comes after that to a later question says nothing new.
        keys.insert(record.digest, answer, began);
        assert!(find(&keys, record.digest).await.unwrap().unwrap().revoked.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_known_key_is_good_while_the_store_is_away() {
        let store = Memory::new(Sharing::Several);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let [known, unknown] = [record(), record()];
        store.add_key(known.clone()).await.unwrap();
        store.add_key(unknown.clone()).await.unwrap();
        find(&keys, known.digest).await.unwrap();
        store.set_unavailable(true);
        advance(Duration::from_secs(7_200)).await;
        assert!(matches!(keys.get(&unknown.digest), Cached::Unknown));
        assert!(find(&keys, known.digest).await.unwrap().is_some());
        assert!(find(&keys, unknown.digest).await.is_err());
        store.set_unavailable(false);
        assert!(find(&keys, unknown.digest).await.unwrap().is_some());
    }
}
