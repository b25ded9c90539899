//! The recently seen keys, so that a call seldom queries the store, and known keys work while the store is
//! unavailable.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::key::Digest;
use super::lookups::Lookups;
use super::store::{Record, Unavailable};

/// For how long a key is valid without another look-up, and the delay of a revocation.
const FRESH: Duration = Duration::from_secs(1);

/// How long a known key waits for its look-up; then it is taken to be as it was. A database may be so far away.
const PATIENCE: Duration = Duration::from_millis(400);

/// When there are too many keys, those not used for this long are dropped.
const STALE: Duration = Duration::from_secs(3600);

/// Most keys known at once.
const MAX_KNOWN: usize = 20_000;

/// The keys known here.
#[derive(Debug)]
pub(crate) struct KnownKeys {
    lookups: Lookups,
    known: Mutex<HashMap<Digest, Known>>,
}

/// A key in the memory of this node.
#[derive(Debug)]
pub(crate) enum Recalled {
    /// Checked a moment ago.
    Fresh(Arc<Record>),
    /// True once; to be checked.
    Stale(Arc<Record>),
    /// Never seen.
    Unknown,
}

#[derive(Debug)]
struct Known {
    record: Arc<Record>,
    checked: Instant,
}

impl KnownKeys {
    /// Knows none yet.
    pub(crate) fn new(lookups: Lookups) -> Self {
        Self { lookups, known: Mutex::default() }
    }

    /// Looks a digest up in memory, without asking the store.
    pub(crate) fn recall(&self, digest: &Digest) -> Recalled {
        match self.known.lock().get_mut(digest) {
            None => Recalled::Unknown,
            Some(known) if known.checked.elapsed() < FRESH => Recalled::Fresh(Arc::clone(&known.record)),
            Some(known) => {
                // This call checks it; those that come meanwhile need not.
                known.checked = Instant::now();
                Recalled::Stale(Arc::clone(&known.record))
            }
        }
    }

    /// The key of a digest, good or not, by the store; `stale` is what was known of it.
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
            // The store looked it up; that it is the same is decided here, in constant time.
            (Ok(Some(record)), _) if record.digest == digest => Ok(Some(self.learn(digest, Arc::new(record)))),
            (Ok(_), _) => {
                self.known.lock().remove(&digest);
                Ok(None)
            }
            // The store is unavailable: what was true a moment ago still is.
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
        // However often it is used meanwhile.
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
