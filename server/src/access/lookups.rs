//! Looks keys up in the store, many at a time.
//!
//! Whoever sends keys that do not exist makes the store look for each of them. So the store has one
//! question at a time, about many keys together. Keys that are known already come first; the others
//! take turns by address, and no more than [`RATE`] of them are looked up in a second. A flood from one
//! address then waits for itself, and no good key is refused for what somebody else sends.

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
const PAUSE: Duration = Duration::from_millis(5);

/// Keys of one address that may wait at once. Only a crowd behind one proxy comes near it.
const OF_ONE_ADDRESS: usize = 1_024;

/// Keys that may wait at once, of all.
const WAITING: usize = 16_384;

/// On whose account a key is looked up.
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    /// A key that is known here and is looked up again.
    Known,
    /// A key never seen here, from an address.
    Unseen(IpAddr),
}

/// Why a key was not looked up.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LookupFailure {
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
pub struct Lookups {
    asks: mpsc::Sender<Ask>,
}

#[derive(Debug)]
struct Ask {
    digest: Digest,
    origin: Origin,
    answer: oneshot::Sender<Found>,
}

impl Lookups {
    /// Starts the task, which ends with the last user.
    pub fn start(store: Arc<dyn Store>) -> Self {
        let (asks, asked) = mpsc::channel(WAITING);
        tokio::spawn(look_up(store, asked));
        Self { asks }
    }

    /// The key of a digest, if there is one.
    pub async fn find(&self, digest: Digest, origin: Origin) -> Found {
        let (answer, answered) = oneshot::channel();
        let full = |_| Unavailable("too many look-ups wait".to_owned());
        self.asks.try_send(Ask { digest, origin, answer }).map_err(full)?;
        answered.await.unwrap_or_else(|_| Err(Unavailable("look-ups have ended".to_owned()).into()))
    }
}

async fn look_up(store: Arc<dyn Store>, mut asked: mpsc::Receiver<Ask>) {
    let mut queue = Queue::default();
    let mut budget = Budget::new();
    loop {
        if queue.is_empty() {
            let Some(ask) = asked.recv().await else { return };
            queue.push(ask);
        }
        while let Ok(ask) = asked.try_recv() {
            queue.push(ask);
        }
        let batch = queue.take(&mut budget);
        if batch.is_empty() && !queue.is_empty() {
            tokio::select! {
                () = sleep(PAUSE) => {}
                Some(ask) = asked.recv() => queue.push(ask),
            }
            continue;
        }
        answer(batch, store.as_ref()).await;
    }
}

async fn answer(batch: Vec<Ask>, store: &dyn Store) {
    if batch.is_empty() {
        return;
    }
    let records = store.find_keys(batch.iter().map(|ask| ask.digest).collect()).await;
    let records = records.map(|records| records.into_iter().map(|record| (record.digest, record)).collect());
    let records: Result<HashMap<Digest, Record>, Unavailable> = records;
    for Ask { digest, answer, .. } in batch {
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
    known: VecDeque<Ask>,
    unseen: HashMap<IpAddr, VecDeque<Ask>>,
    /// The addresses of `unseen`, by turns.
    turns: VecDeque<IpAddr>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.known.is_empty() && self.turns.is_empty()
    }

    fn push(&mut self, ask: Ask) {
        let Origin::Unseen(address) = ask.origin else { return self.known.push_back(ask) };
        let waiting = self.unseen.entry(address).or_default();
        if waiting.len() >= OF_ONE_ADDRESS {
            return drop(ask.answer.send(Err(LookupFailure::Flood)));
        }
        if waiting.is_empty() {
            self.turns.push_back(address);
        }
        waiting.push_back(ask);
    }

    /// The next batch: what is known, then one key of each address after the other, within the budget.
    fn take(&mut self, budget: &mut Budget) -> Vec<Ask> {
        let mut batch: Vec<Ask> = self.known.drain(..self.known.len().min(BATCH)).collect();
        while batch.len() < BATCH
            && let Some(address) = self.turns.pop_front()
        {
            let Some(ask) = self.next_of(address) else { continue };
            // Nobody waits for it any more.
            if ask.answer.is_closed() {
                continue;
            }
            if !budget.spend() {
                self.put_back(address, ask);
                break;
            }
            batch.push(ask);
        }
        batch
    }

    /// The next key of an address, whose turn comes again if there are more.
    fn next_of(&mut self, address: IpAddr) -> Option<Ask> {
        let waiting = self.unseen.get_mut(&address)?;
        let ask = waiting.pop_front();
        if waiting.is_empty() {
            self.unseen.remove(&address);
        } else {
            self.turns.push_back(address);
        }
        ask
    }

    fn put_back(&mut self, address: IpAddr, ask: Ask) {
        let waiting = self.unseen.entry(address).or_default();
        if waiting.is_empty() {
            self.turns.push_front(address);
        }
        waiting.push_front(ask);
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

    fn ask(origin: Origin) -> (Ask, oneshot::Receiver<Found>) {
        let (answer, answered) = oneshot::channel();
        (Ask { digest: Key::generate("bma").unwrap().digest(), origin, answer }, answered)
    }

    fn addresses(batch: &[Ask]) -> Vec<IpAddr> {
        let of = |ask: &Ask| match ask.origin {
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
            let (ask, answered) = ask(origin);
            queue.push(ask);
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
            let (ask, answered) = ask(Origin::Unseen(IpAddr::from(std::net::Ipv4Addr::from_bits(n))));
            queue.push(ask);
            waiting.push(answered);
        }
        let mut taken = |queue: &mut Queue| {
            let batches = std::iter::from_fn(|| Some(queue.take(&mut budget).len()).filter(|taken| *taken > 0));
            batches.sum::<usize>()
        };
        assert_eq!(taken(&mut queue), BURST as usize);
        tokio::time::advance(Duration::from_millis(50)).await;
        assert_eq!(taken(&mut queue), 500);
        let (known, _answered) = ask(Origin::Known);
        queue.push(known);
        assert_eq!(taken(&mut queue), 1, "a known key has no part in it");
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(taken(&mut queue), BURST as usize);
    }

    #[tokio::test]
    async fn only_a_crowd_behind_one_address_is_refused_and_nobody_is_looked_up_in_vain() {
        let (mut queue, mut budget) = (Queue::default(), Budget::new());
        let mut waiting = Vec::new();
        for _ in 0..=OF_ONE_ADDRESS {
            let (ask, answered) = ask(Origin::Unseen(address(1)));
            queue.push(ask);
            waiting.push(answered);
        }
        let mut last = waiting.pop().unwrap();
        assert!(matches!(last.try_recv(), Ok(Err(LookupFailure::Flood))));
        drop(waiting);
        assert!(queue.take(&mut budget).is_empty(), "they have all gone");
        assert!(queue.is_empty());
    }
}
