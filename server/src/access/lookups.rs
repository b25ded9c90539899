//! Looks keys up in the store, many at a time.
//!
//! A caller that sends unknown keys makes the store look for each of them. So the store gets one query at
//! a time, for many keys together. Known keys come first; the others are served round-robin by address, and
//! at most [`RATE`] of them are looked up in a second. A flood from one address only delays itself, and no
//! valid key is refused because of another caller.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::key::Digest;
use super::store::{Record, Store, Unavailable};

/// Most keys in one question.
const BATCH: usize = 512;

/// Keys never seen here that are looked up in a second, at most.
const RATE: u32 = 10_000;

/// Of these, what an idle time saves up at most.
const BURST: u32 = 1_000;

/// How long to wait for more of them.
const BUDGET_WAIT: Duration = Duration::from_millis(5);

/// Maximum waiting keys of one address. Only many callers behind one proxy come near it.
const MAX_PER_ADDRESS: usize = 1_024;

/// Keys that may wait at once, of all.
const MAX_WAITING: usize = 16_384;

/// On whose account a key is looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin {
    /// A key that is known here and is looked up again.
    Known,
    /// A key never seen here, from an address.
    Unseen(IpAddr),
}

/// Why a key was not looked up.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LookupFailure {
    /// The store cannot answer.
    #[error(transparent)]
    Store(#[from] Unavailable),
    /// Too many unknown keys of the same address wait already.
    #[error("too many unknown keys from one address")]
    Flood,
}

type Found = Result<Option<Record>, LookupFailure>;

/// Takes look-ups, which a task of its own makes.
#[derive(Debug)]
pub(crate) struct Lookups {
    requests: mpsc::Sender<LookupRequest>,
}

#[derive(Debug)]
struct LookupRequest {
    digest: Digest,
    origin: Origin,
    answer: oneshot::Sender<Found>,
}

impl Lookups {
    /// Starts the task, which ends with the last user.
    pub(crate) fn start(store: Arc<dyn Store>) -> Self {
        let (requests, received) = mpsc::channel(MAX_WAITING);
        tokio::spawn(look_up(store, received));
        Self { requests }
    }

    /// The key of a digest, if there is one.
    pub(crate) async fn find(&self, digest: Digest, origin: Origin) -> Found {
        let (answer, answered) = oneshot::channel();
        let full = |_| Unavailable("too many look-ups wait".to_owned());
        self.requests.try_send(LookupRequest { digest, origin, answer }).map_err(full)?;
        answered.await.unwrap_or_else(|_| Err(Unavailable("look-ups have ended".to_owned()).into()))
    }
}

async fn look_up(store: Arc<dyn Store>, mut received: mpsc::Receiver<LookupRequest>) {
    let mut queue = Queue::default();
    let mut budget = Budget::new();
    loop {
        if queue.is_empty() {
            let Some(request) = received.recv().await else { return };
            queue.push(request);
        }
        while let Ok(request) = received.try_recv() {
            queue.push(request);
        }
        let batch = queue.take(&mut budget);
        if batch.is_empty() && !queue.is_empty() {
            tokio::select! {
                () = sleep(BUDGET_WAIT) => {}
                Some(request) = received.recv() => queue.push(request),
            }
            continue;
        }
        answer(batch, store.as_ref()).await;
    }
}

async fn answer(batch: Vec<LookupRequest>, store: &dyn Store) {
    if batch.is_empty() {
        return;
    }
    let records = store.find_keys(batch.iter().map(|request| request.digest).collect()).await;
    let records = records.map(|records| records.into_iter().map(|record| (record.digest, record)).collect());
    let records: Result<HashMap<Digest, Record>, Unavailable> = records;
    for LookupRequest { digest, answer, .. } in batch {
        let found = match &records {
            Ok(records) => Ok(records.get(&digest).cloned()),
            Err(unavailable) => Err(unavailable.clone().into()),
        };
        // Whoever asked may have left.
        drop(answer.send(found));
    }
}

/// What waits, in the order in which it is looked up.
#[derive(Debug, Default)]
struct Queue {
    known: VecDeque<LookupRequest>,
    unseen: HashMap<IpAddr, VecDeque<LookupRequest>>,
    /// The addresses of `unseen`, by turns.
    turns: VecDeque<IpAddr>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.known.is_empty() && self.turns.is_empty()
    }

    fn push(&mut self, request: LookupRequest) {
        let Origin::Unseen(address) = request.origin else { return self.known.push_back(request) };
        let waiting = self.unseen.entry(address).or_default();
        if waiting.len() >= MAX_PER_ADDRESS {
            return drop(request.answer.send(Err(LookupFailure::Flood)));
        }
        if waiting.is_empty() {
            self.turns.push_back(address);
        }
        waiting.push_back(request);
    }

    /// The next batch: what is known, then one key of each address after the other, within the budget.
    fn take(&mut self, budget: &mut Budget) -> Vec<LookupRequest> {
        let mut batch: Vec<LookupRequest> = self.known.drain(..self.known.len().min(BATCH)).collect();
        while batch.len() < BATCH
            && let Some(address) = self.turns.pop_front()
        {
            let Some(request) = self.next_of(address) else { continue };
            // Nobody waits for it any more.
            if request.answer.is_closed() {
                continue;
            }
            if !budget.spend() {
                self.put_back(address, request);
                break;
            }
            batch.push(request);
        }
        batch
    }

    /// The next key of an address, whose turn comes again if there are more.
    fn next_of(&mut self, address: IpAddr) -> Option<LookupRequest> {
        let waiting = self.unseen.get_mut(&address)?;
        let request = waiting.pop_front();
        if waiting.is_empty() {
            self.unseen.remove(&address);
        } else {
            self.turns.push_back(address);
        }
        request
    }

    fn put_back(&mut self, address: IpAddr, request: LookupRequest) {
        let waiting = self.unseen.entry(address).or_default();
        if waiting.is_empty() {
            self.turns.push_front(address);
        }
        waiting.push_front(request);
    }
}

/// How many keys may be looked up now.
#[derive(Debug)]
struct Budget {
    left: u32,
    filled: Instant,
}

impl Budget {
    fn new() -> Self {
        Self { left: BURST, filled: Instant::now() }
    }

    fn spend(&mut self) -> bool {
        if self.left == 0 {
            self.fill();
        }
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    fn fill(&mut self) {
        let millis = u32::try_from(self.filled.elapsed().as_millis()).unwrap_or(u32::MAX);
        let earned = millis.saturating_mul(RATE / 1_000);
        if earned > 0 {
            self.left = earned.min(BURST);
            self.filled = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::key::Key;

    fn address(n: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, n])
    }

    fn request(origin: Origin) -> (LookupRequest, oneshot::Receiver<Found>) {
        let (answer, answered) = oneshot::channel();
        (LookupRequest { digest: Key::generate("bma").unwrap().digest(), origin, answer }, answered)
    }

    fn addresses(batch: &[LookupRequest]) -> Vec<IpAddr> {
        let of = |request: &LookupRequest| match request.origin {
            Origin::Known => address(0),
            Origin::Unseen(address) => address,
        };
        batch.iter().map(of).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_from_one_address_takes_turns_with_the_others() {
        let (mut queue, mut budget) = (Queue::default(), Budget::new());
        let mut waiting = Vec::new();
        let origins = [1; 800].into_iter().chain([2, 3]).map(|n| Origin::Unseen(address(n))).chain([Origin::Known]);
        for origin in origins {
            let (request, answered) = request(origin);
            queue.push(request);
            waiting.push(answered);
        }
        let batch = queue.take(&mut budget);
        assert_eq!(batch.len(), BATCH);
        assert_eq!(addresses(&batch)[..5], [0, 1, 2, 3, 1].map(address));
        drop(batch);
        assert_eq!(queue.take(&mut budget).len(), 800 + 3 - BATCH);
        assert!(queue.is_empty() && queue.unseen.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_unknown_keys_are_looked_up_than_the_rate_allows() {
        let (mut queue, mut budget) = (Queue::default(), Budget::new());
        let mut waiting = Vec::new();
        for n in 0..3 * BURST {
            let (request, answered) = request(Origin::Unseen(IpAddr::from(std::net::Ipv4Addr::from_bits(n))));
            queue.push(request);
            waiting.push(answered);
        }
        let mut taken = |queue: &mut Queue| {
            let batches = std::iter::from_fn(|| Some(queue.take(&mut budget).len()).filter(|taken| *taken > 0));
            batches.sum::<usize>()
        };
        assert_eq!(taken(&mut queue), BURST as usize);
        tokio::time::advance(Duration::from_millis(50)).await;
        assert_eq!(taken(&mut queue), 500);
        let (known, _answered) = request(Origin::Known);
        queue.push(known);
        assert_eq!(taken(&mut queue), 1, "a known key has no part in it");
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(taken(&mut queue), BURST as usize);
    }

    #[tokio::test]
    async fn only_a_crowd_behind_one_address_is_refused_and_nobody_is_looked_up_in_vain() {
        let (mut queue, mut budget) = (Queue::default(), Budget::new());
        let mut waiting = Vec::new();
        for _ in 0..=MAX_PER_ADDRESS {
            let (request, answered) = request(Origin::Unseen(address(1)));
            queue.push(request);
            waiting.push(answered);
        }
        let mut last = waiting.pop().unwrap();
        assert!(matches!(last.try_recv(), Ok(Err(LookupFailure::Flood))));
        drop(waiting);
        assert!(queue.take(&mut budget).is_empty(), "they have all gone");
        assert!(queue.is_empty());
    }
}
