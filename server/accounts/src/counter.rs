//! Counts of a day, in memory of bounded size.
//!
//! Every account has its own count, since we issue its keys. Addresses can be made up: about a
//! million of them have their own counts, later ones share one overflow count. A flood of new
//! addresses then neither exhausts the memory nor affects other counts, and gains no free call.
//!
//! For a shard, a day ends at its first call of another day. Counts of accounts are kept until they
//! are [swept](Counters::sweep): calls of the last second before midnight are written after it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::Mutex;

use super::day::Day;
use super::subject::Subject;

/// Each shard has its own lock.
// Many more than threads, so that two calls rarely wait for the same lock.
const SHARDS: usize = 80;

/// Addresses with their own count in each shard: 1 120 000 in all. A keyed hash spreads them, so
/// that nobody can fill one shard on purpose. The map of a full shard uses nearly all of its 16 384
/// slots.
const SHARD_CAPACITY: usize = 14_000;

/// The counts of one day.
#[derive(Debug)]
pub(crate) struct Counters<C> {
    shards: Box<[Mutex<Shard<C>>]>,
    capacity: usize,
    /// Common count of all addresses beyond the capacity.
    overflow: Mutex<Shard<C>>,
}

#[derive(Debug)]
struct Shard<C> {
    day: Day,
    counts: Counts<C>,
    addresses: usize,
    /// Counts of accounts on days that have ended, to be swept.
    ended: HashMap<Day, Counts<C>>,
}

type Counts<C> = HashMap<Subject, C, BuildHasherDefault<TailHasher>>;

/// A hasher that takes the last bytes of a subject, which are random already.
#[derive(Debug, Default)]
struct TailHasher(u64);

/// Counters with room for about a million addresses.
impl<C: Default> Default for Counters<C> {
    fn default() -> Self {
        Self::with_capacity(SHARD_CAPACITY)
    }
}

impl<C: Default> Counters<C> {
    fn with_capacity(capacity: usize) -> Self {
        let shards = std::iter::repeat_with(Mutex::default)
            .take(SHARDS)
            .collect();
        Self {
            shards,
            capacity,
            overflow: Mutex::default(),
        }
    }

    /// Updates the count of a subject, which is zero on a new day. `work` gets the day and the
    /// subject that are really counted: a request read just before midnight may count for the next
    /// day, and an address beyond the capacity for the overflow.
    pub(crate) fn charge<R>(
        &self,
        day: Day,
        subject: Subject,
        work: impl FnOnce(Day, Subject, &mut C) -> R,
    ) -> R {
        let mut shard = self.shard(subject).lock();
        shard.start_day(day);
        if shard.has_room(subject, self.capacity) {
            return shard.charge(subject, work);
        }
        // Released before the overflow is locked: two locks held together could wait for each
        // other.
        drop(shard);
        let mut overflow = self.overflow.lock();
        overflow.start_day(day);
        overflow.charge(Subject::OVERFLOW, work)
    }

    /// Whether a subject would share the overflow count.
    pub(crate) fn is_beyond_capacity(&self, day: Day, subject: Subject) -> bool {
        let shard = self.shard(subject).lock();
        // A new day has room again, even if its first call has not come yet.
        shard.day >= day && !shard.counts.contains_key(&subject) && shard.addresses >= self.capacity
    }

    /// Updates a count of that day, if it exists.
    pub(crate) fn update<R>(
        &self,
        day: Day,
        subject: Subject,
        work: impl FnOnce(&mut C) -> R,
    ) -> Option<R> {
        let mut shard = self.shard(subject).lock();
        let counts = if shard.day == day {
            Some(&mut shard.counts)
        } else {
            shard.ended.get_mut(&day)
        };
        counts?.get_mut(&subject).map(work)
    }

    /// Updates a count of that day, even after it was swept: that of an account is created again,
    /// to be swept again.
    pub(crate) fn settle(&self, day: Day, subject: Subject, work: impl FnOnce(&mut C)) {
        let mut shard = self.shard(subject).lock();
        if shard.day == day {
            shard.counts.get_mut(&subject).map(work);
        } else if !subject.is_address() {
            work(
                shard
                    .ended
                    .entry(day)
                    .or_default()
                    .entry(subject)
                    .or_default(),
            );
        }
    }

    /// Updates every count, shard by shard, and returns the results of each shard. Counts of ended
    /// days, for which the last argument of `work` is true, are then dropped.
    pub(crate) fn sweep<'t, R>(
        &'t self,
        mut work: impl FnMut(Day, Subject, &mut C, bool) -> Option<R> + 't,
    ) -> impl Iterator<Item = Vec<R>> + 't {
        self.shards
            .iter()
            .chain([&self.overflow])
            .map(move |shard| {
                let mut shard = shard.lock();
                let mut yielded = Vec::new();

                // Ended days first: their calls of the last second are written, and the memory is
                // free.
                for (day, mut counts) in std::mem::take(&mut shard.ended) {
                    yielded.extend(
                        counts
                            .iter_mut()
                            .filter_map(|(subject, count)| work(day, *subject, count, true)),
                    );
                }

                let day = shard.day;
                yielded.extend(
                    shard
                        .counts
                        .iter_mut()
                        .filter_map(|(subject, count)| work(day, *subject, count, false)),
                );
                yielded
            })
    }

    /// Drops counts of future days, after a clock that was ahead was set back.
    pub(crate) fn turn_back(&self, day: Day) {
        for shard in self.shards.iter().chain([&self.overflow]) {
            let mut shard = shard.lock();
            if shard.day > day {
                shard.end_day(day);
            }
        }
    }

    fn shard(&self, subject: Subject) -> &Mutex<Shard<C>> {
        if subject == Subject::OVERFLOW {
            return &self.overflow;
        }
        let mut tail = TailHasher::default();
        std::hash::Hash::hash(&subject, &mut tail);
        // The map inside a shard uses the other end of the same hash.
        let index = usize::try_from(tail.0 >> 32).unwrap_or_default() % SHARDS;
        self.shards.get(index).unwrap_or(&self.overflow)
    }
}

impl<C: Default> Shard<C> {
    /// Starts a later day.
    fn start_day(&mut self, day: Day) {
        if day > self.day {
            self.end_day(day);
        }
    }

    /// Ends the day, drops the counts of addresses, and resumes those of the other day if there are
    /// any.
    fn end_day(&mut self, next: Day) {
        let mut counts = std::mem::replace(
            &mut self.counts,
            self.ended.remove(&next).unwrap_or_default(),
        );
        // Addresses have no count that outlives the day, and their pseudonyms mean nothing once its
        // salt is destroyed.
        counts.retain(|subject, _| !subject.is_address());
        if !counts.is_empty() {
            self.ended.insert(self.day, counts);
        }
        (self.day, self.addresses) = (next, 0);
    }

    fn charge<R>(&mut self, subject: Subject, work: impl FnOnce(Day, Subject, &mut C) -> R) -> R {
        work(self.day, subject, self.counts.entry(subject).or_default())
    }

    fn has_room(&mut self, subject: Subject, capacity: usize) -> bool {
        if !subject.is_address() || self.counts.contains_key(&subject) {
            return true;
        }
        let has_room = self.addresses < capacity;
        if has_room {
            self.addresses += 1;
        }
        has_room
    }
}

impl<C> Default for Shard<C> {
    fn default() -> Self {
        Self {
            day: Day::default(),
            counts: HashMap::default(),
            addresses: 0,
            ended: HashMap::new(),
        }
    }
}

impl Hasher for TailHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, tail: u64) {
        self.0 = tail;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::subject::{Pseudonyms, Salt};

    const TODAY: Day = Day(20_000);

    fn addresses(count: u32) -> impl Iterator<Item = Subject> {
        let names = Pseudonyms::new(&Salt([1; 64]));
        (0..count).map(move |n| names.caller("a", std::net::Ipv4Addr::from_bits(n).into()))
    }

    fn add(table: &Counters<u32>, day: Day, subject: Subject) -> (Subject, u32) {
        table.charge(day, subject, |_, subject, count| {
            *count += 1;
            (subject, *count)
        })
    }

    #[test]
    fn each_is_counted_separately_and_from_zero_each_day() {
        let table = Counters::default();
        let [first, second] = [
            Subject::account(Uuid::now_v7()),
            Subject::account(Uuid::now_v7()),
        ];
        assert_eq!(
            (add(&table, TODAY, first).1, add(&table, TODAY, first).1),
            (1, 2)
        );
        assert_eq!(add(&table, TODAY, second).1, 1);
        assert_eq!(add(&table, Day(20_001), first).1, 1);
        // A moment late, it counts for the new day.
        assert_eq!(add(&table, TODAY, first).1, 2);
        assert_eq!(table.update(Day(20_001), first, |count| *count), Some(2));
        // Its count of the day before is kept, to be written.
        assert_eq!(table.update(TODAY, first, |count| *count), Some(2));
    }

    #[test]
    fn who_comes_when_it_is_full_is_counted_with_the_crowd() {
        let table = Counters::with_capacity(10);
        let own = addresses(4_000)
            .filter(|subject| add(&table, TODAY, *subject).0 == *subject)
            .count();
        assert_eq!(own, 10 * SHARDS);
        assert_eq!(
            table.update(TODAY, Subject::OVERFLOW, |count| *count),
            Some(4_000 - 800)
        );
        let is_beyond = |subject| table.is_beyond_capacity(TODAY, subject);
        assert!(
            addresses(4_001).last().is_some_and(is_beyond)
                && !is_beyond(addresses(1).next().unwrap())
        );
        // Known addresses keep their counts, and an account always has its own.
        let there = addresses(1).next().unwrap();
        assert_eq!(add(&table, TODAY, there), (there, 2));
        let account = Subject::account(Uuid::now_v7());
        assert_eq!(add(&table, TODAY, account), (account, 1));
    }

    #[test]
    fn a_million_addresses_have_their_places() {
        let table: Counters<u32> = Counters::default();
        let overflow = addresses(1_000_000)
            .filter(|subject| add(&table, TODAY, *subject).0 == Subject::OVERFLOW)
            .count();
        assert_eq!(overflow, 0);
    }

    #[test]
    fn a_sweep_sees_every_count_of_the_day() {
        let table = Counters::default();
        for subject in addresses(500) {
            add(&table, TODAY, subject);
        }
        let sum: u32 = table
            .sweep(|day, _, count, _| Some(*count).filter(|_| day == TODAY))
            .flatten()
            .sum();
        assert_eq!(sum, 500);
    }

    #[test]
    fn accounts_of_a_day_that_has_ended_are_swept_once_and_addresses_are_not() {
        let table = Counters::default();
        let (account, address) = (
            Subject::account(Uuid::now_v7()),
            addresses(1).next().unwrap(),
        );
        for day in [TODAY, Day(20_001)] {
            for subject in [account, address] {
                add(&table, day, subject);
            }
        }
        let swept = || {
            let of = |day, subject, count: &mut u32, ended| {
                Some((day, subject, *count)).filter(|_| ended == (day == TODAY))
            };
            let mut swept: Vec<_> = table.sweep(of).flatten().collect();
            swept.sort();
            swept
        };
        let today = vec![(Day(20_001), account, 1), (Day(20_001), address, 1)];
        assert_eq!(swept(), [vec![(TODAY, account, 1)], today.clone()].concat());
        assert_eq!(swept(), today);
        for subject in [account, address] {
            table.settle(TODAY, subject, |count| *count += 7);
        }
        assert_eq!(
            swept(),
            [vec![(TODAY, account, 7)], today].concat(),
            "what could not be written waits"
        );
    }

    #[test]
    fn a_day_that_was_left_by_mistake_is_taken_up_where_it_was() {
        let table = Counters::default();
        let account = Subject::account(Uuid::now_v7());
        add(&table, TODAY, account);
        add(&table, Day(20_400), account);
        table.turn_back(TODAY);
        assert_eq!(add(&table, TODAY, account).1, 2);
        assert_eq!(table.update(Day(20_400), account, |count| *count), Some(1));
        table.turn_back(TODAY);
        assert_eq!(add(&table, TODAY, account).1, 3);
    }
}
