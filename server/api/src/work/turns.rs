//! Turns to be computed. What takes longer than a few ordinary calls leaves the threads that serve
//! connections, and is computed by few threads; callers take these in turn, whatever each of them
//! has waiting.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::Payer;

/// Greatest number of works of a caller that wait for their turn.
const MAX_WAITING: usize = 64;

/// Turns of customers before one of others, while both wait.
const CUSTOMERS_FIRST: u8 = 3;

/// Greatest time that a turn is held: its caller has been answered long before. A work that does not
/// end would otherwise stop those of everybody.
const LONGEST: Duration = Duration::from_secs(60);

/// The turns.
#[derive(Debug)]
pub struct Turns(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Threads that compute nothing.
    free: usize,
    /// The turns that are held, by number, each with its start.
    held: HashMap<u64, Instant>,
    /// Number of the next turn.
    next: u64,
    /// Greatest time that a turn is held.
    longest: Duration,
    customers: Line,
    others: Line,
    /// Turns of customers since the last one of others.
    since_others: u8,
}

/// Callers that wait, each with its works; the first is the next one.
#[derive(Debug, Default)]
struct Line {
    callers: VecDeque<Payer>,
    waiting: HashMap<Payer, VecDeque<oneshot::Sender<Turn>>>,
}

/// A turn, which the next caller has once it is dropped, or after a minute.
#[derive(Debug)]
pub struct Turn {
    /// `None` where it never began.
    turns: Option<Arc<Turns>>,
    number: u64,
}

/// A caller has too many works waiting.
#[derive(Debug, Clone, Copy)]
pub struct Crowded;

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // The other half serves connections.
        Self::of((processors / 2).max(1), LONGEST)
    }
}

impl Turns {
    fn of(free: usize, longest: Duration) -> Self {
        Self(Mutex::new(State {
            free,
            held: HashMap::new(),
            next: 0,
            longest,
            customers: Line::default(),
            others: Line::default(),
            since_others: 0,
        }))
    }

    /// Waits for a turn. A caller that waits no longer loses its place.
    ///
    /// # Errors
    /// Too many works of the caller wait.
    pub async fn take(self: &Arc<Self>, payer: Payer) -> Result<Turn, Crowded> {
        self.take_beside(payer, MAX_WAITING).await
    }

    /// Waits for a turn of a batch, of which a caller has few.
    ///
    /// # Errors
    /// The turns have ended.
    pub async fn take_for_batch(self: &Arc<Self>, payer: Payer) -> Result<Turn, Crowded> {
        self.take_beside(payer, usize::MAX).await
    }

    /// Waits for a turn, unless as many works of the caller wait.
    async fn take_beside(self: &Arc<Self>, payer: Payer, most: usize) -> Result<Turn, Crowded> {
        // Under one lock, so that a turn that ends in between is neither lost nor given twice.
        let receiver = {
            let mut state = self.0.lock();
            for _ in 0..state.end_overdue() {
                self.pass_on(&mut state);
            }
            if let Some(left) = state.free.checked_sub(1) {
                state.free = left;
                return Ok(self.start(&mut state));
            }

            let line = if payer.is_customer() {
                &mut state.customers
            } else {
                &mut state.others
            };
            line.join(payer, most)?
        };
        // The sender is dropped with the turns only.
        receiver.await.map_err(|_| Crowded)
    }

    /// A turn that begins.
    fn start(self: &Arc<Self>, state: &mut State) -> Turn {
        let number = state.next;
        state.next = number.wrapping_add(1);
        state.held.insert(number, Instant::now());

        Turn {
            turns: Some(Arc::clone(self)),
            number,
        }
    }

    /// Gives a turn that has ended to the next caller.
    fn pass_on(self: &Arc<Self>, state: &mut State) {
        // A turn goes to the first that still waits; with nobody waiting, its thread is free.
        while let Some(waiting) = state.next() {
            match waiting.send(self.start(state)) {
                Ok(()) => return,
                // It waits no longer: the turn is the next one's, and must not end here, where the
                // lock is held.
                Err(mut turn) => {
                    turn.turns = None;
                    state.held.remove(&turn.number);
                }
            }
        }

        state.free = state.free.saturating_add(1);
    }
}

impl State {
    /// Ends the turns that are held for too long, whose threads may never be free again; returns how
    /// many.
    fn end_overdue(&mut self) -> usize {
        let before = self.held.len();
        let longest = self.longest;
        self.held.retain(|_, start| start.elapsed() <= longest);

        let ended = before.saturating_sub(self.held.len());
        if ended > 0 {
            tracing::error!(
                ended,
                "a calculation does not end: its turn goes to the next"
            );
        }
        ended
    }

    /// The next work: customers first, but for each fourth turn.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        // Three turns of customers, then one of others, so that neither waits for ever.
        let is_turn_of_others = self.since_others >= CUSTOMERS_FIRST;

        if !(is_turn_of_others && self.others.has_any())
            && let Some(next) = self.customers.leave()
        {
            self.since_others = self.since_others.saturating_add(1);
            return Some(next);
        }

        self.since_others = 0;
        self.others.leave()
    }
}

impl Line {
    fn has_any(&self) -> bool {
        !self.callers.is_empty()
    }

    fn join(&mut self, payer: Payer, most: usize) -> Result<oneshot::Receiver<Turn>, Crowded> {
        let own = self.waiting.entry(payer).or_default();
        // Those whose caller has given up hold no place.
        own.retain(|waiting| !waiting.is_closed());
        if own.len() >= most {
            return Err(Crowded);
        }

        let (sender, receiver) = oneshot::channel();
        own.push_back(sender);
        if !self.callers.contains(&payer) {
            self.callers.push_back(payer);
        }
        Ok(receiver)
    }

    /// The first work of the next caller, who goes to the end of the line with what it still has.
    fn leave(&mut self) -> Option<oneshot::Sender<Turn>> {
        // One work for each caller in turn, so that many works of one delay nobody else by more
        // than one.
        let payer = self.callers.pop_front()?;

        let own = self.waiting.get_mut(&payer)?;
        let first = own.pop_front();

        if own.is_empty() {
            self.waiting.remove(&payer);
        } else {
            self.callers.push_back(payer);
        }
        first
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(turns) = self.turns.take() else {
            return;
        };

        // A turn that was held for too long has been passed on.
        let mut state = turns.0.lock();
        if state.held.remove(&self.number).is_some() {
            turns.pass_on(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use tokio::task::JoinHandle;
    use uuid::Uuid;

    use super::*;

    type Log = Arc<Mutex<Vec<Payer>>>;

    fn address(last: u8) -> Payer {
        Payer::Address(IpAddr::from([192, 0, 2, last]))
    }

    fn account(id: u128) -> Payer {
        Payer::Account(Uuid::from_u128(id))
    }

    /// Waits for a turn, and notes whose it was.
    async fn wait(turns: &Arc<Turns>, log: &Log, payer: Payer) -> JoinHandle<()> {
        let (turns, log) = (Arc::clone(turns), Arc::clone(log));
        let waiting = tokio::spawn(async move {
            let turn = turns.take(payer).await.unwrap();
            log.lock().push(payer);
            drop(turn);
        });
        tokio::task::yield_now().await;
        waiting
    }

    #[tokio::test]
    async fn callers_have_their_turns_one_after_the_other() {
        let (turns, log) = (Arc::new(Turns::of(1, LONGEST)), Log::default());
        let held = turns.take(address(9)).await.unwrap();
        let mut all = Vec::new();
        for payer in [
            address(1),
            address(1),
            address(1),
            address(2),
            account(1),
            account(1),
        ] {
            all.push(wait(&turns, &log, payer).await);
        }
        drop(held);
        for waiting in all {
            waiting.await.unwrap();
        }
        let expected = [
            account(1),
            account(1),
            address(1),
            address(2),
            address(1),
            address(1),
        ];
        assert_eq!(*log.lock(), expected);
    }

    #[tokio::test]
    async fn others_are_not_forgotten_while_customers_wait() {
        let (turns, log) = (Arc::new(Turns::of(1, LONGEST)), Log::default());
        let held = turns.take(address(9)).await.unwrap();
        let mut all = vec![wait(&turns, &log, address(1)).await];
        for id in 1..=5 {
            all.push(wait(&turns, &log, account(id)).await);
        }
        drop(held);
        for waiting in all {
            waiting.await.unwrap();
        }
        assert_eq!(log.lock()[3], address(1));
    }

    #[tokio::test]
    async fn who_waits_no_longer_loses_its_place_and_no_turn_is_lost() {
        let (turns, log) = (Arc::new(Turns::of(1, LONGEST)), Log::default());
        let held = turns.take(address(9)).await.unwrap();
        let gone = wait(&turns, &log, address(1)).await;
        gone.abort();
        assert!(gone.await.is_err());
        let there = wait(&turns, &log, address(2)).await;
        drop(held);
        there.await.unwrap();
        assert_eq!(*log.lock(), [address(2)]);
        assert!(turns.take(address(3)).await.is_ok());
        let state = turns.0.lock();
        assert_eq!((state.free, state.others.waiting.len()), (1, 0));
    }

    #[tokio::test]
    async fn a_turn_that_does_not_end_is_that_of_the_next() {
        let (turns, log) = (Arc::new(Turns::of(1, Duration::ZERO)), Log::default());
        let endless = turns.take(address(1)).await.unwrap();
        std::thread::sleep(Duration::from_millis(2));
        let next = turns.take(address(2)).await.unwrap();

        // Its thread comes back after all: there is still one turn at a time.
        turns.0.lock().longest = LONGEST;
        drop(endless);
        let waiting = wait(&turns, &log, address(3)).await;
        assert!(log.lock().is_empty());
        drop(next);
        waiting.await.unwrap();
        let state = turns.0.lock();
        assert_eq!((state.free, state.held.len()), (1, 0));
    }

    #[tokio::test]
    async fn a_turn_that_does_not_end_is_first_that_of_those_who_wait() {
        let (turns, log) = (Arc::new(Turns::of(1, LONGEST)), Log::default());
        let _endless = turns.take(address(1)).await.unwrap();
        let first = wait(&turns, &log, address(2)).await;
        assert!(log.lock().is_empty());

        turns.0.lock().longest = Duration::ZERO;
        std::thread::sleep(Duration::from_millis(2));
        let last = turns.take(address(3)).await.unwrap();
        assert_eq!(*log.lock(), [address(2)]);
        drop(last);
        first.await.unwrap();
    }

    #[tokio::test]
    async fn a_caller_has_so_many_works_waiting_and_no_more() {
        let (turns, log) = (Arc::new(Turns::of(1, LONGEST)), Log::default());
        let _held = turns.take(address(1)).await.unwrap();
        for _ in 0..MAX_WAITING {
            drop(wait(&turns, &log, address(1)).await);
        }
        assert!(turns.take(address(1)).await.is_err());
        let other = wait(&turns, &log, address(2)).await;
        assert!(!other.is_finished());
    }
}
