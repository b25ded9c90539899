//! Cache of recently used keys, so that few calls query the store, and known keys work while the
//! store is unavailable.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::key::Digest;
use super::lookups::Lookups;
use super::store::{Record, Unavailable};

/// How long a key is valid without another look-up; also the delay of a revocation.
// It bounds the delay of a revocation, and with it how often a busy key makes the store search.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// How long a known key waits for its look-up, before the cached state is used. A database may be
/// that far away.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(400);

/// When the cache is full, keys unused for this long are dropped.
const UNUSED_FOR: Duration = Duration::from_secs(3600);

/// Greatest number of keys in the cache.
// A record takes less than a kilobyte: the cache stays below some twenty megabytes.
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
    /// When the look-up began that the store answered: its answer may have been late, and the key
    /// revoked meanwhile.
    learned: Instant,
    /// When the last look-up began.
    checked: Instant,
    /// Whether the store did not answer it.
    is_unanswered: bool,
}

impl KeyCache {
    /// An empty cache.
    pub(crate) fn new(lookups: Lookups) -> Self {
        Self {
            lookups,
            known: Mutex::default(),
        }
    }

    /// Finds a digest in the cache, without a query.
    pub(crate) fn get(&self, digest: &Digest) -> Cached {
        let mut cache = self.known.lock();
        let Some(known) = cache.get_mut(digest) else {
            return Cached::Unknown;
        };

        let (record, age, since_check) = (
            Arc::clone(&known.record),
            known.learned.elapsed(),
            known.checked.elapsed(),
        );
        // One call looks it up; concurrent ones need not, except for a key that rested: it may have
        // been revoked long ago.
        let is_recent = known.is_unanswered || age < FRESH_FOR + LOOKUP_TIMEOUT;
        if age < FRESH_FOR || since_check < FRESH_FOR && is_recent {
            return Cached::Fresh(record);
        }
        // An outage of long ago says nothing of now.
        known.is_unanswered &= since_check < 2 * FRESH_FOR;
        // Marked under the lock: concurrent calls of this key see a look-up under way, and go on
        // with the cached record.
        known.checked = Instant::now();
        Cached::Stale(record)
    }

    /// Looks up the key of a digest, valid or not, in the store; `stale` is its cached state.
    pub(crate) async fn look_up(
        &self,
        digest: Digest,
        stale: Option<Arc<Record>>,
    ) -> Result<Option<Arc<Record>>, Unavailable> {
        // Taken before the question: a record is as old as the question, not as its answer.
        let began = Instant::now();
        let search = self.lookups.find(digest);

        // A key that is cached waits for less than an unknown one: there is something to fall back
        // on.
        let found = match &stale {
            Some(_) => timeout(LOOKUP_TIMEOUT, search)
                .await
                .unwrap_or_else(|_| Err(Unavailable("no key in time".to_owned()))),
            None => search.await,
        };

        match (found, stale) {
            (Ok(Some(record)), _) => Ok(Some(self.insert(digest, Arc::new(record), began))),
            // The key was removed, not revoked. An answer that is older than the cached record is
            // not followed: the key may have been added after it.
            (Ok(None), _) => {
                let mut known = self.known.lock();
                if known
                    .get(&digest)
                    .is_some_and(|known| known.learned <= began)
                {
                    known.remove(&digest);
                }
                Ok(None)
            }
            // The store is unavailable: the cached state is used.
            (Err(_), Some(record)) => {
                // For the next second the cache answers alone, so that an outage does not make each
                // call wait for its look-up.
                if let Some(known) = self.known.lock().get_mut(&digest) {
                    known.is_unanswered = true;
                }
                Ok(Some(record))
            }
            // Nothing is known of the key: to refuse it as invalid would be wrong, to accept it
            // even more so.
            (Err(failure), None) => Err(failure),
        }
    }

    /// Keeps the answer to a look-up, unless a later one was answered before.
    fn insert(&self, digest: Digest, record: Arc<Record>, began: Instant) -> Arc<Record> {
        let mut known = self.known.lock();
        if known
            .get(&digest)
            .is_some_and(|known| known.learned > began)
        {
            return record;
        }

        // Only when the cache is full, since it reads all entries. A full cache of recent keys
        // takes no new one: that key is looked up at each call.
        if known.len() >= MAX_KEYS {
            known.retain(|_, known| known.checked.elapsed() < UNUSED_FOR);
        }

        if known.len() < MAX_KEYS || known.contains_key(&digest) {
            let record = Arc::clone(&record);
            known.insert(
                digest,
                CachedKey {
                    record,
                    learned: began,
                    checked: began,
                    is_unanswered: false,
                },
            );
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tokio::time::advance;

    use super::*;
    use crate::store::testing::{Memory, record};
    use crate::store::{Sharing, Store as _};

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
        store
            .revoke_key(record.id, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        // However often the key is used meanwhile.
        for _ in 0..10 {
            assert_eq!(
                find(&keys, record.digest).await.unwrap().unwrap().revoked,
                None
            );
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
        store
            .revoke_key(record.id, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        let call = async || {
            find(&keys, record.digest)
                .await
                .unwrap()
                .unwrap()
                .revoked
                .is_some()
        };
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
        store
            .revoke_key(record.id, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        advance(FRESH_FOR).await;
        keys.insert(record.digest, Arc::clone(&answer), began);
        assert!(
            find(&keys, record.digest)
                .await
                .unwrap()
                .unwrap()
                .revoked
                .is_some()
        );
        // An answer that comes after that to a later question says nothing new.
        keys.insert(record.digest, Arc::clone(&answer), began);
        let is_refused =
            || matches!(keys.get(&record.digest), Cached::Fresh(known) if known.revoked.is_some());
        assert!(is_refused());
        // Of two questions of one moment the last answer counts.
        advance(FRESH_FOR / 10).await;
        let refused = Arc::new(Record {
            revoked: Some(Timestamp::UNIX_EPOCH),
            ..record.clone()
        });
        for answer in [answer, refused] {
            keys.insert(record.digest, answer, Instant::now());
        }
        assert!(is_refused());
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_asks_again_and_those_beside_it_go_on_for_a_moment() {
        let keys = KeyCache::new(Lookups::start(Memory::new(Sharing::Alone)));
        let record = Arc::new(record());
        for (age, seen) in [
            (0, [true, true]),
            (999, [true, true]),
            (1_000, [false, true]),
            (1_399, [false, true]),
            (1_400, [false; 2]),
        ] {
            keys.insert(record.digest, Arc::clone(&record), Instant::now());
            advance(Duration::from_millis(age)).await;
            let is_fresh = || matches!(keys.get(&record.digest), Cached::Fresh(_));
            assert_eq!([(); 2].map(|()| is_fresh()), seen, "after {age} ms");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_store_is_away_it_is_asked_for_a_key_once_a_second() {
        let store = Memory::new(Sharing::Several);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let record = Arc::new(record());
        keys.insert(record.digest, Arc::clone(&record), Instant::now());
        store.set_unavailable(true);
        advance(Duration::from_secs(5)).await;
        assert!(find(&keys, record.digest).await.unwrap().is_some());
        for (wait, is_fresh) in [(999, true), (1, false), (500, true)] {
            advance(Duration::from_millis(wait)).await;
            assert_eq!(
                matches!(keys.get(&record.digest), Cached::Fresh(_)),
                is_fresh,
                "{wait} ms later"
            );
        }
        // Two seconds after the last question nothing is known of the store.
        advance(Duration::from_millis(1_500)).await;
        for _ in 0..2 {
            assert!(matches!(keys.get(&record.digest), Cached::Stale(_)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_the_store_no_longer_has_is_forgotten() {
        let store = Memory::new(Sharing::Several);
        let keys = KeyCache::new(Lookups::start(Arc::clone(&store) as _));
        let record = record();
        store.add_key(record.clone()).await.unwrap();
        find(&keys, record.digest).await.unwrap();
        store.remove_keys(vec![record.id]).await.unwrap();
        advance(FRESH_FOR).await;
        assert_eq!(find(&keys, record.digest).await.unwrap(), None);
        assert!(matches!(keys.get(&record.digest), Cached::Unknown));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_cache_makes_room_of_keys_that_were_not_used_for_an_hour() {
        let keys = KeyCache::new(Lookups::start(Memory::new(Sharing::Alone)));
        let record = Arc::new(record());
        let digest = |number: usize| {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            Digest(bytes)
        };
        let insert =
            |number| drop(keys.insert(digest(number), Arc::clone(&record), Instant::now()));
        let is_known = |number| !matches!(keys.get(&digest(number)), Cached::Unknown);
        insert(0);
        advance(UNUSED_FOR * 2).await;
        insert(1);
        assert!(is_known(0), "there is room");
        (0..=MAX_KEYS).for_each(insert);
        assert_eq!(
            [0, MAX_KEYS - 1, MAX_KEYS].map(is_known),
            [true, true, false]
        );
        advance(UNUSED_FOR - FRESH_FOR).await;
        insert(MAX_KEYS);
        assert!(!is_known(MAX_KEYS));
        // One that is known is renewed.
        insert(0);
        advance(FRESH_FOR).await;
        insert(MAX_KEYS);
        assert_eq!([0, 1, MAX_KEYS].map(is_known), [true, false, true]);
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
