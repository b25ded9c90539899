//! The connection limit, and which connections are displaced when it is reached.
//!
//! When all slots are taken, a new connection gets the slot of an inactive one: first a connection that
//! has not sent a complete request, of the address that has most of these, so that a few addresses with
//! silent sockets only displace themselves; then one whose answer is not being read; last one that is idle
//! between two requests. A request that is being answered is never interrupted: a new connection is
//! refused only when all others have a request in progress.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::access::address::client_network;
use crate::http::problem::kinds::{self, Kind};
use crate::net::activity::{Activity, Stage};

/// Files that are open besides connections: rules, store, log, the admin listener.
const OTHER_FILES: u32 = 128;

/// Maximum connections that are being sent a refusal; beyond it they are closed without an answer, so
/// that refusing a flood takes no resources from other callers.
pub(crate) const MAX_REJECTIONS: u32 = 256;

/// Minimum connections, whatever the system allows.
const MIN_CONNECTIONS: u32 = 4;

/// Bits of an IPv6 address that identify one client network.
const CLIENT_PREFIX: u8 = 64;

/// When slots are scarce, how long a connection may take for its first request.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// How long an answer may go unread before its connection can be displaced.
const WRITE_GRACE: Duration = Duration::from_secs(2);

/// How long a connection may be idle before it can be displaced.
const IDLE_GRACE: Duration = Duration::from_secs(1);

/// Maximum connections displaced at once, when they have sent no request: choosing examines all of them,
/// which a flood must not cause for each new connection. While more are closing, none is accepted.
const MAX_DISPLACED: u32 = 64;

/// One connection in this many is displaced at once.
const DISPLACED_DIVISOR: usize = 64;

/// The open connections of a listener, and their limit.
#[derive(Debug)]
pub(crate) struct ConnectionLimit {
    total: u32,
    open: Mutex<Open>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Open {
    last_id: u64,
    connections: HashMap<u64, Entry>,
    /// Connections by address. It has no more entries than there are connections.
    by_address: HashMap<IpAddr, usize>,
    /// Displaced connections that have not closed yet.
    closing: usize,
}

#[derive(Debug)]
struct Entry {
    address: IpAddr,
    activity: Arc<Activity>,
}

/// The slot of a connection, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    limit: Arc<ConnectionLimit>,
    id: u64,
    activity: Arc<Activity>,
}

impl ConnectionLimit {
    /// A limit of `total` connections.
    pub(crate) fn new(total: u32) -> Self {
        Self { total, open: Mutex::default(), changed: Notify::new() }
    }

    /// A limit of `asked` connections, or fewer if the limit of open files does not allow as many: accepting
    /// more would only fail later.
    pub(crate) fn within_system_limits(asked: u32) -> Self {
        let others = OTHER_FILES + MAX_REJECTIONS + MAX_DISPLACED;
        let wanted = asked.saturating_add(others);
        let allowed = match rlimit::increase_nofile_limit(wanted.into()) {
            Ok(allowed) => u32::try_from(allowed).unwrap_or(u32::MAX),
            Err(error) => {
                tracing::warn!(%error, "cannot read the limit of open files");
                wanted
            }
        };
        let total = allowed.saturating_sub(others).clamp(MIN_CONNECTIONS, asked);
        if total < asked {
            tracing::warn!(asked, total, "the limit of open files allows fewer connections");
        }
        Self::new(total)
    }

    /// The limit.
    pub(crate) fn total(&self) -> u32 {
        self.total
    }

    /// Open connections.
    pub(crate) fn count(&self) -> usize {
        self.open().connections.len()
    }

    /// A slot for a connection of `address`, which may have `max_of_address`. If all are taken, another
    /// connection may be displaced for it.
    ///
    /// # Errors
    ///
    /// The kind of refusal: of the address, or of everybody.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, max_of_address: usize) -> Result<Slot, &'static Kind> {
        let address = client_network(address, CLIENT_PREFIX);
        let mut open = self.open();
        if open.by_address.get(&address).is_some_and(|count| *count >= max_of_address) {
            return Err(&kinds::TOO_MANY_CONNECTIONS);
        }
        if open.connections.len() >= self.total as usize && !open.make_room(Instant::now()) {
            return Err(&kinds::OVERLOADED);
        }
        open.last_id += 1;
        let (id, activity) = (open.last_id, Arc::<Activity>::default());
        open.connections.insert(id, Entry { address, activity: Arc::clone(&activity) });
        *open.by_address.entry(address).or_default() += 1;
        Ok(Slot { limit: Arc::clone(self), id, activity })
    }

    /// Whether fewer than a quarter of the slots are free.
    pub(crate) fn is_scarce(&self) -> bool {
        self.open().connections.len() > (self.total - self.total / 4) as usize
    }

    /// When slots are scarce, closes connections whose first request is overdue.
    pub(crate) fn close_late(&self) {
        if self.is_scarce() {
            let now = Instant::now();
            let mut open = self.open();
            let late = |entry: &Entry| {
                let (stage, age) = entry.activity.stage(now);
                stage == Stage::New && age >= FIRST_REQUEST_TIMEOUT
            };
            let late: Vec<u64> = open.connections.iter().filter(|(_, entry)| late(entry)).map(|(id, _)| *id).collect();
            late.into_iter().for_each(|id| open.displace(id));
        }
    }

    /// Returns when every connection is closed.
    pub(crate) async fn all_closed(&self) {
        self.reached(Open::is_empty).await;
    }

    /// Returns when all but a few displaced connections have closed: accepting faster than they close would
    /// exhaust the open files.
    pub(crate) async fn can_accept(&self) {
        self.reached(|open| open.closing <= MAX_DISPLACED as usize).await;
    }

    async fn reached(&self, holds: impl Fn(&Open) -> bool) {
        loop {
            let changed = self.changed.notified();
            if holds(&self.open()) {
                return;
            }
            changed.await;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn is_empty(&self) -> bool {
        self.connections.is_empty() && self.closing == 0
    }

    /// Displaces the connections with the lowest claim to their slots; false if there is none.
    fn make_room(&mut self, now: Instant) -> bool {
        let mut silent: HashMap<IpAddr, usize> = HashMap::new();
        let mut candidates = Vec::new();
        for (id, entry) in &self.connections {
            let (stage, age) = entry.activity.stage(now);
            let priority = match stage {
                Stage::New => 0_u8,
                Stage::Writing if age >= WRITE_GRACE => 1,
                Stage::Idle if age >= IDLE_GRACE => 2,
                Stage::Answering | Stage::Writing | Stage::Idle => continue,
            };
            if priority == 0 {
                *silent.entry(entry.address).or_default() += 1;
            }
            candidates.push((priority, entry.address, Reverse(age), *id));
        }
        let key = |(priority, address, age, _): &(u8, IpAddr, Reverse<Duration>, u64)| {
            let counts = if *priority == 0 { &silent } else { &self.by_address };
            (*priority, Reverse(counts.get(address).copied()), *age)
        };
        // Connections that have sent a request are displaced one by one.
        let part = (self.connections.len() / DISPLACED_DIVISOR).clamp(1, MAX_DISPLACED as usize);
        let count = if silent.is_empty() { 1 } else { part };
        if count < candidates.len() {
            candidates.select_nth_unstable_by_key(count - 1, key);
        }
        let displaced = candidates.iter().take(count).filter(|(priority, ..)| *priority == 0 || silent.is_empty());
        let displaced: Vec<u64> = displaced.map(|(.., id)| *id).collect();
        for id in &displaced {
            self.displace(*id);
        }
        !displaced.is_empty()
    }

    /// Frees the slot of a connection and makes it close.
    fn displace(&mut self, id: u64) {
        if let Some(entry) = self.remove(id) {
            entry.activity.displace();
            self.closing += 1;
        }
    }

    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.connections.remove(&id)?;
        match self.by_address.get_mut(&entry.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.by_address.remove(&entry.address)),
        }
        Some(entry)
    }
}

impl Slot {
    /// The activity of the connection, which it must keep up to date.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.limit.open();
        if open.remove(self.id).is_none() {
            // It was displaced, and has closed now.
            open.closing -= 1;
        }
        let awaited = open.closing == MAX_DISPLACED as usize || open.is_empty();
        drop(open);
        if awaited {
            self.limit.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: &str = "192.0.2.9";

    fn limit(total: u32) -> Arc<ConnectionLimit> {
        Arc::new(ConnectionLimit::new(total))
    }

    fn take(limit: &Arc<ConnectionLimit>, address: &str) -> Result<Slot, &'static Kind> {
        limit.take(address.parse().unwrap(), 2)
    }

    fn is_displaced(limit: &ConnectionLimit, slot: &Slot) -> bool {
        !limit.open().connections.contains_key(&slot.id)
    }

    /// Later than all that a connection may take.
    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn a_slot_given_back_can_be_taken_again() {
        let limit = limit(8);
        let first = take(&limit, "192.0.2.1").unwrap();
        let second = take(&limit, "192.0.2.1").unwrap();
        assert_eq!(take(&limit, "192.0.2.1").unwrap_err(), &kinds::TOO_MANY_CONNECTIONS);
        assert!(take(&limit, "192.0.2.2").is_ok());
        drop(first);
        assert!(take(&limit, "192.0.2.1").is_ok());
        drop(second);
        assert_eq!(limit.count(), 0);
        assert!(limit.open().by_address.is_empty());
    }

    #[test]
    fn a_site_is_one_whatever_its_address() {
        let limit = limit(8);
        let held = [take(&limit, "2001:db8:0:1::1"), take(&limit, "2001:db8:0:1:ffff::2")];
        assert!(take(&limit, "2001:db8:0:1::3").is_err());
        assert!(take(&limit, "2001:db8:0:2::1").is_ok());
        let mapped = [take(&limit, "::ffff:192.0.2.1"), take(&limit, "192.0.2.1")];
        assert!(take(&limit, "192.0.2.1").is_err());
        drop((held, mapped));
    }

    #[test]
    fn silent_connections_of_the_address_that_has_most_give_way_first() {
        let limit = limit(4);
        let good = take(&limit, "192.0.2.1").unwrap();
        good.activity().answering();
        good.activity().answered();
        let one = take(&limit, "192.0.2.2").unwrap();
        let two = [take(&limit, "192.0.2.3").unwrap(), take(&limit, "192.0.2.3").unwrap()];
        let newcomer = take(&limit, OTHERS).unwrap();
        assert!(!is_displaced(&limit, &good) && !is_displaced(&limit, &one));
        assert_eq!(two.iter().filter(|slot| is_displaced(&limit, slot)).count(), 1);
        assert_eq!(limit.count(), 4);
        drop((good, one, two, newcomer));
        assert!(limit.open().is_empty(), "displaced ones are counted until they are closed");
    }

    #[test]
    fn then_those_whose_answer_is_not_taken_then_the_idle_ones() {
        let limit = limit(3);
        let slots: Vec<Slot> = (1..=3).map(|last| take(&limit, &format!("192.0.2.{last}")).unwrap()).collect();
        let [idle, slow, busy] = slots.as_slice() else { panic!() };
        for slot in [idle, slow] {
            slot.activity().answering();
            slot.activity().answered();
        }
        slow.activity().writing();
        busy.activity().answering();
        // At first none has lasted.
        assert_eq!(take(&limit, OTHERS).unwrap_err(), &kinds::OVERLOADED);
        assert!(limit.open().make_room(later()) && is_displaced(&limit, slow) && !is_displaced(&limit, idle));
        assert!(limit.open().make_room(later()) && is_displaced(&limit, idle));
        assert!(!limit.open().make_room(later()), "a request that is being answered is not interrupted");
    }

    #[test]
    fn where_connections_are_scarce_the_first_request_must_come_soon() {
        let limit = limit(8);
        let held: Vec<Slot> = (1..=6).map(|last| take(&limit, &format!("192.0.2.{last}")).unwrap()).collect();
        assert!(!limit.is_scarce());
        let last = take(&limit, OTHERS).unwrap();
        assert!(limit.is_scarce());
        last.activity().answering();
        limit.close_late();
        assert_eq!(limit.count(), 7, "they have time");
        std::thread::sleep(FIRST_REQUEST_TIMEOUT);
        limit.close_late();
        assert_eq!(limit.count(), 1);
        assert!(!is_displaced(&limit, &last));
        drop(held);
    }
}
