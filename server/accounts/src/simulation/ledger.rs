//! Ledger of a simulation: calls granted, calls reported to the store, and broken promises.
//!
//! A life is one process, from its start to its stop or crash. For each life and subject two sums
//! must agree once all is quiet: the calls that it granted, and those that it believes to have
//! taken from the common count; the same for the calls that it reported as answered. What the store
//! really did is more wherever an answer was lost, and never less.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::time::Instant;

use crate::day::{Day, Moment};
use crate::quota::MIDNIGHT_MARGIN;
use crate::store::{Change, Counted, Sharing};
use crate::subject::Subject;

/// The part of a quota that a process grants in a day without the store, as the manual publishes
/// it.
const SHARE: i64 = 10;

#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Books>);

/// The books of one run.
#[derive(Debug, Default)]
pub(super) struct Books {
    pub lives: Vec<Life>,
    pub subjects: BTreeMap<Subject, Account>,
    /// Whether one node counts alone, whose clock was set.
    pub is_alone_and_set: bool,
    /// The first day whose counts without a key the store keeps: those of the days before are
    /// deleted.
    pub first_kept: Day,
    /// Promises that were broken.
    pub broken: Vec<String>,
    /// What happened, in order.
    pub trace: Vec<String>,
    /// How often each kind of thing happened.
    pub met: BTreeMap<&'static str, u64>,
}

/// A process.
#[derive(Debug, Default)]
pub(super) struct Life {
    pub tallies: BTreeMap<Subject, Tally>,
    /// Whether it ended, and left what it had not reported.
    pub has_crashed: bool,
    /// The latest day that a call was charged on, as far as its table can be.
    latest: Day,
    /// The same since the last second began.
    highest: Day,
    /// The day that the last second went back to, if it ended the days after it.
    ticked: Option<Day>,
    /// Calls of accounts that it granted; when the last second began; those known to be reported.
    granted: i64,
    mark: i64,
    reported: i64,
    is_troubled: bool,
    last_trouble: Option<Instant>,
    /// The usage that was last read.
    reads: BTreeMap<(Day, Subject), u64>,
}

/// The calls of one subject in one life.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Granted calls.
    pub granted: i64,
    /// Of these, the ones without the store.
    pub provisional: i64,
    /// Calls taken from the common count, as the process believes.
    pub believed: i64,
    /// Calls reported as answered, as it believes, and as the store did it.
    pub reported: i64,
    pub done: i64,
    provisional_on: BTreeMap<Day, i64>,
}

/// The calls of one subject in all.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Its largest quota; none if it has none.
    pub quota: Option<i64>,
    /// Calls that are being charged.
    open: i64,
    /// Granted calls that count on the day they were asked for.
    on: BTreeMap<Day, i64>,
    days: BTreeSet<Day>,
    /// Granted calls by the common count.
    counted: i64,
    /// Calls that a crash of the only node made forget.
    pub lost: i64,
}

/// How calls were granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Granted {
    /// By the common count.
    Counted,
    /// Without the store.
    Provisional,
}

/// Calls that are being charged. Dropped, they were not granted.
#[derive(Debug)]
pub(super) struct Asked {
    ledger: Arc<Ledger>,
    life: usize,
    subject: Subject,
    day: Day,
    calls: i64,
}

impl Ledger {
    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap()
    }

    /// A new process.
    pub(super) fn begin_life(&self) -> usize {
        let mut books = self.books();
        books.lives.push(Life::default());
        books.lives.len() - 1
    }

    pub(super) fn met(&self, kind: &'static str, times: u64) {
        *self.books().met.entry(kind).or_default() += times;
    }

    pub(super) fn broken(&self, promise: String) {
        self.books().broken.push(promise);
    }

    /// The store deletes counts without a key of the days before this one.
    pub(super) fn forgets(&self, before: Day) {
        let mut books = self.books();
        books.first_kept = books.first_kept.max(before);
    }

    /// Calls are about to be charged.
    pub(super) fn ask(
        self: &Arc<Self>,
        life: usize,
        subject: Subject,
        day: Day,
        quota: Option<u64>,
        calls: u32,
    ) -> Asked {
        let calls = i64::from(calls);
        let mut books = self.books();
        let process = &mut books.lives[life];
        (process.latest, process.highest) = (process.latest.max(day), process.highest.max(day));
        let latest = process.latest;
        let account = books.subjects.entry(subject).or_default();
        account.quota = account.quota.max(quota.map(|quota| quota as i64));
        account.open += calls;
        // It may be counted on any day that has started.
        account.days.extend([day, latest]);
        Asked {
            ledger: Arc::clone(self),
            life,
            subject,
            day,
            calls,
        }
    }

    /// A second of a process begins.
    pub(super) fn tick(&self, life: usize, moment: Moment, is_working: bool) {
        let life = &mut self.books().lives[life];
        // The last second has ended what began too early.
        if let Some(day) = life.ticked.take().filter(|day| life.highest <= *day) {
            life.latest = life.latest.min(day);
        }
        life.highest = Day::default();
        life.ticked = (moment.seconds_left() > MIDNIGHT_MARGIN).then_some(moment.day);
        if !life.is_troubled {
            life.reported = life.mark;
        }
        (life.mark, life.is_troubled) = (life.granted, !is_working);
    }

    /// A process met trouble with the store.
    pub(super) fn trouble(&self, life: usize) {
        let life = &mut self.books().lives[life];
        (life.is_troubled, life.last_trouble) = (true, Some(Instant::now()));
    }

    pub(super) fn had_trouble_since(&self, life: usize, since: Instant) -> bool {
        self.books().lives[life]
            .last_trouble
            .is_some_and(|last| last >= since)
    }

    /// Changes are about to be sent: calls that are returned are no longer held, whatever the
    /// answer.
    pub(super) fn sent(&self, life: usize, changes: &[Change]) {
        let tallies = &mut self.books().lives[life].tallies;
        for change in changes.iter().filter(|change| change.by < 0) {
            tallies.entry(change.subject).or_default().believed += change.by;
        }
    }

    /// The store has done changes.
    pub(super) fn done(&self, life: usize, changes: &[Change]) {
        let tallies = &mut self.books().lives[life].tallies;
        for change in changes {
            tallies.entry(change.subject).or_default().done += change.used;
        }
    }

    /// A process learned that its changes are done.
    pub(super) fn answered(&self, life: usize, changes: &[Change], counted: &[Counted]) {
        let tallies = &mut self.books().lives[life].tallies;
        for (change, counted) in changes.iter().zip(counted) {
            let tally = tallies.entry(change.subject).or_default();
            tally.reported += change.used;
            tally.believed += counted.by.max(0);
        }
    }

    /// The last usage that a process gave for an account on a day.
    pub(super) fn last_read(&self, life: usize, day: Day, subject: Subject) -> u64 {
        self.books().lives[life]
            .reads
            .get(&(day, subject))
            .copied()
            .unwrap_or_default()
    }

    /// A process says that an account made so many calls on a day; it stated `before` earlier.
    pub(super) fn read(&self, life: usize, day: Day, subject: Subject, used: u64, before: u64) {
        let mut books = self.books();
        let most = books.granted(subject) + books.reported_twice(subject) + books.open(subject);
        if used as i64 > most {
            books.broken.push(format!(
                "usage of {used} where at most {most} calls were made"
            ));
        }
        if used < before {
            books.broken.push(format!("usage of {used} after {before}"));
        }
        let last = books.lives[life].reads.entry((day, subject)).or_default();
        *last = used.max(*last);
        *books.met.entry("usage read").or_default() += 1;
    }

    /// A process was killed, and forgets what it had not reported.
    pub(super) fn crash(&self, life: usize, sharing: Sharing) {
        let mut books = self.books();
        let Books {
            lives,
            subjects,
            broken,
            ..
        } = &mut *books;
        let life = &mut lives[life];
        life.has_crashed = true;
        let mut unreported = 0;
        for (subject, tally) in &life.tallies {
            if !subject.is_address() {
                unreported += tally.granted - tally.reported;
            }
            let missing = tally.granted - tally.provisional - tally.believed;
            match sharing {
                Sharing::Alone => subjects.entry(*subject).or_default().lost += missing.max(0),
                Sharing::Several if missing > 0 && subjects[subject].quota.is_some() => {
                    broken.push(format!(
                        "{missing} calls were granted that were never taken from the common count"
                    ));
                }
                Sharing::Several => {}
            }
        }
        if unreported > life.granted - life.reported {
            broken.push(format!(
                "a crash lost {unreported} calls, and {} were to be reported",
                life.granted - life.reported
            ));
        }
    }
}

impl Books {
    fn open(&self, subject: Subject) -> i64 {
        self.subjects
            .get(&subject)
            .map_or(0, |account| account.open)
    }

    /// Calls of a subject that were granted in all lives.
    pub(super) fn granted(&self, subject: Subject) -> i64 {
        self.lives
            .iter()
            .filter_map(|life| life.tallies.get(&subject))
            .map(|tally| tally.granted)
            .sum()
    }

    /// Calls that were reported again because the answer to the first report was lost, or are being
    /// reported.
    pub(super) fn reported_twice(&self, subject: Subject) -> i64 {
        let tallies = self
            .lives
            .iter()
            .filter_map(|life| life.tallies.get(&subject));
        tallies.map(|tally| tally.done - tally.reported).sum()
    }

    fn grant(&mut self, asked: &Asked, granted: Granted) {
        let Asked {
            life,
            subject,
            day,
            calls,
            ..
        } = *asked;
        let life = &mut self.lives[life];
        // A call of a day that has ended meanwhile may be counted on the next one.
        let (is_of_day, latest) = (life.latest == day, life.latest);
        life.granted += if subject.is_address() { 0 } else { calls };
        let tally = life.tallies.entry(subject).or_default();
        tally.granted += calls;
        let account = self.subjects.entry(subject).or_default();
        // Over midnight and back, a single node forgets calls without a key that it had not
        // written; a node whose clock was set back by days counts on one that the store has
        // deleted, until it reads the clock of the store.
        let is_bounded =
            !(subject.is_address() && (self.is_alone_and_set || day < self.first_kept));
        let quota = account
            .quota
            .filter(|_| is_bounded)
            .unwrap_or(i64::MAX / 1_000);
        if granted == Granted::Provisional {
            tally.provisional += calls;
            let on_day = tally.provisional_on.entry(day).or_default();
            *on_day += if is_of_day { calls } else { 0 };
            if *on_day > quota / SHARE {
                self.broken.push(format!(
                    "{on_day} calls of {quota} were granted without the store by one process"
                ));
            }
            *self.met.entry("granted without the store").or_default() += calls as u64;
            return;
        }
        account.counted += calls;
        account.days.insert(latest);
        let on_day = account.on.entry(day).or_default();
        *on_day += if is_of_day { calls } else { 0 };
        if *on_day > quota + account.lost {
            self.broken.push(format!(
                "{on_day} calls were granted on {day:?} where {quota} may be"
            ));
        }
        let days = account.days.len() as i64;
        if account.counted > quota.saturating_mul(days) + account.lost {
            self.broken.push(format!(
                "{} calls were granted on {days} days of {quota} each",
                account.counted
            ));
        }
        *self.met.entry("granted").or_default() += calls as u64;
    }
}

impl Asked {
    /// The calls were granted.
    pub(super) fn granted(self, granted: Granted) {
        self.ledger.books().grant(&self, granted);
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut books = self.ledger.books();
        books.subjects.entry(self.subject).or_default().open -= self.calls;
    }
}
