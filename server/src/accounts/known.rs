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
const FRESH: Duration = Duration::from_secs(1);

/// How long a known key waits for its look-up, before the cached state is used. A database may be that far away.
const PATIENCE: Duration = Duration::from_millis(400);

/// When the cache is full, keys unused for this long are dropped.
const STALE: Duration = Duration::from_secs(3600);

/// Greatest number of keys in the cache.
const MAX_KNOWN: usize = 20_000;

/// The cache of keys.
#[derive(Debug)]
pub(crate) struct KnownKeys {
    lookups: Lookups,
    known: Mutex<HashMap<Digest, Known>>,
}

/// A key in the cache.
#[derive(Debug)]
pub(crate) enum Recalled {
    /// Looked up a moment ago.
    Fresh(Arc<Record>),
    /// Looked up earlier; to be looked up again.
    Stale(Arc<Record>),
    /// Not in the cache.
    Unknown,
}

#[derive(Debug)]
struct Known {
    record: Arc<Record>,
    checked: Instant,
}

impl KnownKeys {
    /// An empty cache.
    pub(crate) fn new(lookups: Lookups) -> Self {
        Self { lookups, known: Mutex::default() }
    }

    /// Finds a digest in the cache, without a query.
    pub(crate) fn recall(&self, digest: &Digest) -> Recalled {
        match self.known.lock().get_mut(digest) {
            None => Recalled::Unknown,
            Some(known) if known.checked.elapsed() < FRESH => Recalled::Fresh(Arc::clone(&known.record)),
            Some(known) => {
                // This call looks it up; concurrent ones need not.
                known.checked = Instant::now();
                Recalled::Stale(Arc::clone(&known.record))
            }
        }
    }

    /// Looks up the key of a digest, valid or not, in the store; `stale` is its cached state.
    pub(crate) async fn check(
        &self,
        digest: Digest,
        stale: Option<Arc<Record>>,
    ) -> Result<Option<Arc<Record>>, Unavailable> {
        let search = self.lookups.find(digest);
        let found = match &stale {
            Some(_) => {
                timeout(PATIENCE, search).await.unwrap_or_else(|_| Err(Unavailable("no key in time".to_owned())))
            }
            None => search.await,
        };
        match (found, stale) {
            // The store found it by the digest; that both are equal is checked here, in constant time.
            (Ok(Some(record)), _) if record.digest == digest => Ok(Some(self.learn(digest, Arc::new(record)))),
            (Ok(_), _) => {
                self.known.lock().remove(&digest);
                Ok(None)
            }
            // The store is unavailable: the cached state is used.
            (Err(_), Some(record)) => Ok(Some(record)),
            (Err(failure), None) => Err(failure),
        }
    }

    fn learn(&self, digest: Digest, record: Arc<Record>) -> Arc<Record> {
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN {
            known.retain(|_, known| known.checked.elapsed() < STALE);
        }
        if known.len() < MAX_KNOWN || known.contains_key(&digest) {
            known.insert(digest, Known { record: Arc::clone(&record), checked: Instant::now() });
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

    async fn find(keys: &KnownKeys, digest: Digest) -> Result<Option<Arc<Record>>, Unavailable> {
        match keys.recall(&digest) {
            Recalled::Fresh(record) => Ok(Some(record)),
            Recalled::Stale(record) => keys.check(digest, Some(record)).await,
            Recalled::Unknown => keys.check(digest, None).await,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_asked_for_once_a_second_and_a_revocation_is_seen() {
        let store = Memory::new(Sharing::Alone);
        let keys = KnownKeys::new(Lookups::start(Arc::clone(&store) as _));
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
            advance(FRESH / 10).await;
        }
        let found = find(&keys, record.digest).await.unwrap().unwrap();
        assert_eq!(found.revoked, Some(Timestamp::UNIX_EPOCH));
    }

    #[tokio::test(start_paused = true)]
    async fn a_known_key_is_good_while_the_store_is_away() {
        let store = Memory::new(Sharing::Several);
        let keys = KnownKeys::new(Lookups::start(Arc::clone(&store) as _));
        let [known, unknown] = [record(), record()];
        store.add_key(known.clone()).await.unwrap();
        store.add_key(unknown.clone()).await.unwrap();
        find(&keys, known.digest).await.unwrap();
        store.set_unavailable(true);
        advance(Duration::from_secs(7_200)).await;
        assert!(matches!(keys.recall(&unknown.digest), Recalled::Unknown));
        assert!(find(&keys, known.digest).await.unwrap().is_some());
        assert!(find(&keys, unknown.digest).await.is_err());
        store.set_unavailable(false);
        assert!(find(&keys, unknown.digest).await.unwrap().is_some());
    }
}
