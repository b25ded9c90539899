//! How many connections there may be at once.
//!
//! A connection has one request at a time, and a request takes microseconds: so many connections are
//! also the most that anybody waits for. Who comes when all places are taken is told so at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Files that are open beside the connections: rules, store, log, the administrator's door.
const OTHER_FILES: u32 = 128;

/// Most connections being told that there are too many; beyond it they are closed without a word,
/// so that turning a crowd away takes nothing from anybody else.
pub const MOST_TURNED_AWAY: u32 = 256;

/// Fewest places, whatever the system allows.
const FEWEST: u32 = 4;

/// The places of a service.
#[derive(Debug, Clone)]
pub struct Places {
    total: u32,
    free: Arc<Semaphore>,
}

/// A place that is taken until this is dropped.
pub type Place = OwnedSemaphorePermit;

impl Places {
    /// So many.
    pub fn new(total: u32) -> Self {
        Self { total, free: Arc::new(Semaphore::new(total as usize)) }
    }

    /// So many, or as many as the system lets this process have open files: to accept more would only
    /// fail later.
    pub fn within_limits(asked: u32) -> Self {
        let others = OTHER_FILES + MOST_TURNED_AWAY;
        let wanted = asked.saturating_add(others);
        let allowed = match rlimit::increase_nofile_limit(wanted.into()) {
            Ok(allowed) => u32::try_from(allowed).unwrap_or(u32::MAX),
            Err(error) => {
                tracing::warn!(%error, "the limit of open files is not known");
                wanted
            }
        };
        let total = allowed.saturating_sub(others).clamp(FEWEST, asked);
        if total < asked {
            tracing::warn!(asked, total, "the limit of open files leaves fewer connections");
        }
        Self::new(total)
    }

    /// How many there are.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        (self.total as usize).saturating_sub(self.free.available_permits())
    }

    /// Takes one, if one is free.
    pub fn take(&self) -> Option<Place> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// Whether fewer than a quarter are free: then no connection is kept for a next request.
    pub fn are_scarce(&self) -> bool {
        self.free.available_permits() < (self.total / 4) as usize
    }

    /// Returns when none is taken any more.
    pub async fn all_free(&self) {
        // The semaphore is never closed.
        drop(self.free.acquire_many(self.total).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_once() {
        let places = Places::new(8);
        let held: Vec<Place> = std::iter::from_fn(|| places.take()).collect();
        assert_eq!((held.len(), places.taken()), (8, 8));
        drop(held);
        assert_eq!(places.taken(), 0);
    }

    #[test]
    fn places_are_scarce_when_a_quarter_is_left() {
        let places = Places::new(8);
        let held: Vec<Option<Place>> = (0..6).map(|_| places.take()).collect();
        assert!(!places.are_scarce());
        let one_more = places.take();
        assert!(places.are_scarce());
        drop((held, one_more));
    }
}
