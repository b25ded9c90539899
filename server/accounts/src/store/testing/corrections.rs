//! The uses of laws of the store in memory.

use crate::store::corrections::{Corrections, Law, LawUse, ReaderUse, USE_DAYS};

use super::*;

/// The uses of laws, who reads about corrections since when, and the claimed e-mails with their
/// times.
#[derive(Debug, Default)]
pub(super) struct KnownUses {
    uses: BTreeMap<(Law, Uuid), (i64, Day)>,
    readers: BTreeMap<Uuid, Timestamp>,
    letters: BTreeMap<(i64, Uuid), Timestamp>,
}

impl Corrections for Memory {
    fn add_law_uses(&self, uses: Vec<LawUse>) -> Pending<'_, ()> {
        self.answer(|| {
            let mut known = self.law_uses.lock().unwrap();
            for used in uses {
                let row = known.uses.entry((used.law, used.account));
                let (calls, day) = row.or_insert((0, used.day));
                (*calls, *day) = (*calls + used.calls, used.day.max(*day));
            }
        })
    }

    fn law_uses(&self, laws: Vec<Law>, since: Day) -> Pending<'_, Vec<ReaderUse>> {
        self.answer(|| {
            let known = self.law_uses.lock().unwrap();
            let uses = known
                .uses
                .iter()
                .filter(|((law, _), (_, day))| laws.contains(law) && *day >= since);
            let read = uses.filter_map(|((law, account), (calls, day))| {
                let used = LawUse {
                    law: law.clone(),
                    account: *account,
                    calls: *calls,
                    day: *day,
                };
                let since = *known.readers.get(account)?;
                Some(ReaderUse { used, since })
            });
            read.collect()
        })
    }

    fn set_correction_reader(&self, account: Uuid, since: Option<Timestamp>) -> Pending<'_, ()> {
        self.answer(|| {
            let mut known = self.law_uses.lock().unwrap();
            match since {
                Some(since) => {
                    known.readers.entry(account).or_insert(since);
                }
                None => {
                    known.readers.remove(&account);
                }
            }
        })
    }

    fn correction_reader(&self, account: Uuid) -> Pending<'_, Option<Timestamp>> {
        self.answer(|| {
            let known = self.law_uses.lock().unwrap();
            known.readers.get(&account).copied()
        })
    }

    fn claim_letter(&self, set: i64, account: Uuid, now: Timestamp) -> Pending<'_, bool> {
        self.answer(|| {
            let mut known = self.law_uses.lock().unwrap();
            let is_new = !known.letters.contains_key(&(set, account));
            known.letters.entry((set, account)).or_insert(now);
            is_new
        })
    }

    fn release_letter(&self, set: i64, account: Uuid) -> Pending<'_, ()> {
        self.answer(|| {
            let mut known = self.law_uses.lock().unwrap();
            known.letters.remove(&(set, account));
        })
    }

    fn forget_law_uses(&self, today: Day) -> Pending<'_, ()> {
        self.answer(|| {
            let first = today.minus(USE_DAYS);
            let mut known = self.law_uses.lock().unwrap();
            known.uses.retain(|_, (_, day)| *day >= first);
            let moment = i64::from(first.0) * 86_400;
            known.letters.retain(|_, sent| sent.as_second() >= moment);
        })
    }
}
