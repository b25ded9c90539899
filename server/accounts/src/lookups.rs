//! Batched look-ups of keys in the store.
//!
//! Unknown keys make the store search for each of them. The store gets a few queries at a time,
//! each for many keys together: a flood costs one query for every [`BATCH`] keys, and a valid key
//! that arrives meanwhile waits only for those before it, a few milliseconds.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::batches;
use super::key::Digest;
use super::store::{Record, Store, Unavailable};

/// Greatest number of keys in one query.
const BATCH: usize = 512;

/// Keys that may wait at once: more than the default number of connections of a service, each of
/// which asks for one.
const MAX_WAITING: usize = 16_384;

type LookupResult = Result<Option<Record>, Unavailable>;

/// The sending side of the look-ups, which a background task makes.
#[derive(Debug)]
pub(crate) struct Lookups {
    requests: mpsc::Sender<LookupRequest>,
}

type LookupRequest = (Digest, oneshot::Sender<LookupResult>);

impl Lookups {
    /// Starts the task, which ends with the last sender.
    pub(crate) fn start(store: Arc<dyn Store>) -> Self {
        let (requests, received) = mpsc::channel(MAX_WAITING);
        let look_up = move |mut batch: Vec<LookupRequest>| {
            // Nobody waits for the answer on a closed channel.
            batch.retain(|(_, answer)| !answer.is_closed());
            let store = Arc::clone(&store);
            Some(async move { answer(batch, store.as_ref()).await })
        };
        tokio::spawn(batches::hand_over(received, BATCH, look_up));
        Self { requests }
    }

    /// Looks up the key of a digest.
    pub(crate) async fn find(&self, digest: Digest) -> LookupResult {
        let (answer, answered) = oneshot::channel();
        // A full channel refuses at once: a call that waited behind a flood would only time out
        // later.
        let full = |_| Unavailable("too many look-ups wait".to_owned());
        self.requests.try_send((digest, answer)).map_err(full)?;
        answered
            .await
            .unwrap_or_else(|_| Err(Unavailable("look-ups have ended".to_owned())))
    }
}

async fn answer(batch: Vec<LookupRequest>, store: &dyn Store) {
    if batch.is_empty() {
        return;
    }
    let records = store
        .find_keys(batch.iter().map(|(digest, _)| *digest).collect())
        .await;

    let records = records.map(|records| {
        records
            .into_iter()
            .map(|record| (record.digest, record))
            .collect()
    });
    let records: Result<HashMap<Digest, Record>, Unavailable> = records;

    for (digest, answer) in batch {
        let found = match &records {
            // By the digest of the record itself, compared in constant time.
            Ok(records) => Ok(records.get(&digest).cloned()),
            Err(unavailable) => Err(unavailable.clone()),
        };
        // The requester may have gone.
        drop(answer.send(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;
    use crate::store::Sharing;
    use crate::store::testing::{Memory, record};

    #[tokio::test]
    async fn a_crowd_is_looked_up_by_a_few_questions() {
        let store = Memory::new(Sharing::Alone);
        let known = record();
        store.add_key(known.clone()).await.unwrap();
        let lookups = Arc::new(Lookups::start(Arc::clone(&store) as _));
        let asked = store.questions();
        let crowd: Vec<_> = (0..5_000)
            .map(|_| {
                let (lookups, digest) =
                    (Arc::clone(&lookups), Key::generate("bma").unwrap().digest());
                tokio::spawn(async move { lookups.find(digest).await })
            })
            .collect();
        assert_eq!(lookups.find(known.digest).await.unwrap(), Some(known));
        for one in crowd {
            assert_eq!(one.await.unwrap().unwrap(), None);
        }
        assert!(
            store.questions() - asked < 50,
            "{}",
            store.questions() - asked
        );
    }
}
