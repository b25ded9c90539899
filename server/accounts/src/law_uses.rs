//! The laws that the answers to keys applied, counted in memory and written each second: no call
//! waits for the store.

use std::collections::HashMap;

use parking_lot::Mutex;
use uuid::Uuid;

use crate::day::Day;
use crate::store::corrections::{Law, LawUse};
use crate::{Access, Caller};

/// Most uses that wait to be written, an account and a law each. While the store fails, those that
/// are new beyond it are not counted.
const MOST_WAITING: usize = 100_000;

/// Uses in one batch: one transaction of the store, which other writes wait for.
const BATCH: usize = 4_096;

/// The uses that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct LawUses(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    accounts: HashMap<Uuid, Vec<(Law, i64)>>,
    /// Laws of all accounts.
    count: usize,
}

impl Waiting {
    fn add(&mut self, account: Uuid, law: &Law, calls: i64) {
        // An account uses few laws within a second: they are looked through.
        let laws = self.accounts.entry(account).or_default();
        match laws.iter_mut().find(|(known, _)| known == law) {
            Some((_, known)) => *known = known.saturating_add(calls),
            None if self.count >= MOST_WAITING => {}
            None => {
                laws.push((law.clone(), calls));
                self.count += 1;
            }
        }
    }
}

impl Caller<'_> {
    /// The account of its key.
    pub fn account(&self) -> Option<Uuid> {
        self.account
    }
}

impl Access {
    /// The same, which counts the laws that the answers to keys apply.
    #[must_use]
    pub fn counting_laws(mut self) -> Self {
        self.laws = Some(LawUses::default());
        self
    }

    /// Counts answers to a key of an account, each with the law that it applied.
    pub fn count_laws<'l>(
        &self,
        account: Option<Uuid>,
        answers: impl IntoIterator<Item = (&'l Law, i64)>,
    ) {
        let (Some(LawUses(waiting)), Some(account)) = (&self.laws, account) else {
            return;
        };
        let mut waiting = waiting.lock();
        for (law, calls) in answers {
            waiting.add(account, law, calls);
        }
    }

    /// Writes the counted uses, as of a day.
    pub(crate) async fn write_law_uses(&self, day: Day) {
        let Some(LawUses(waiting)) = &self.laws else {
            return;
        };
        let taken = std::mem::take(&mut *waiting.lock()).accounts;
        let uses = taken.into_iter().flat_map(|(account, laws)| {
            laws.into_iter().map(move |(law, calls)| LawUse {
                law,
                account,
                calls,
                day,
            })
        });

        let mut uses: Vec<LawUse> = uses.collect();
        while !uses.is_empty() {
            let batch = uses.split_off(uses.len().saturating_sub(BATCH));
            if let Err(unavailable) = self.store.add_law_uses(batch.clone()).await {
                tracing::debug!(%unavailable, "the laws that keys used are not written yet");
                let mut waiting = waiting.lock();
                for used in batch.iter().chain(&uses) {
                    waiting.add(used.account, &used.law, used.calls);
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::store::Sharing;
    use crate::store::corrections::Corrections as _;
    use crate::store::testing::Memory;

    fn law(folder: &str) -> Law {
        Law {
            folder: folder.to_owned(),
            version: "0123456789abcdef".to_owned(),
        }
    }

    #[tokio::test]
    async fn uses_are_counted_without_the_store_and_written_together() {
        let store = Memory::new(Sharing::Alone);
        let access = Access::new(store.clone()).counting_laws();
        let (account, day) = (Uuid::from_u128(7), Day(20_000));
        let since = Some(Timestamp::UNIX_EPOCH);
        store.set_correction_reader(account, since).await.unwrap();
        let (ir, tva) = (law("ir"), law("tva"));
        let before = store.questions();
        for calls in [1, 2] {
            access.count_laws(Some(account), [(&ir, calls), (&tva, 1)]);
        }
        access.count_laws(None, [(&ir, 1)]);
        assert_eq!(store.questions(), before);

        // What a failing store refuses is written later, with what came meanwhile.
        store.set_unavailable(true);
        access.write_law_uses(day).await;
        access.count_laws(Some(account), [(&ir, 10)]);
        store.set_unavailable(false);
        access.write_law_uses(Day(20_001)).await;
        let expected = [("ir", 13, 20_001), ("tva", 2, 20_001)];
        let expected = expected.map(|(folder, calls, day)| (folder.to_owned(), calls, day));
        let laws = vec![ir.clone(), tva.clone()];
        let written = store.law_uses(laws, day).await.unwrap();
        let written: Vec<_> = written
            .into_iter()
            .map(|found| (found.used.law.folder, found.used.calls, found.used.day.0))
            .collect();
        assert_eq!(written, expected);

        let before = store.questions();
        access.write_law_uses(day).await;
        assert_eq!(store.questions(), before, "nothing is left to write");
    }

    #[tokio::test]
    async fn an_access_that_counts_no_laws_keeps_none() {
        let store = Memory::new(Sharing::Alone);
        let access = Access::new(store.clone());
        access.count_laws(Some(Uuid::from_u128(7)), [(&law("ir"), 1)]);
        let before = store.questions();
        access.write_law_uses(Day(20_000)).await;
        assert_eq!(store.questions(), before);
    }

    #[test]
    fn what_waits_is_bounded_and_known_laws_go_on() {
        let mut waiting = Waiting::default();
        for number in 0..=MOST_WAITING {
            waiting.add(Uuid::from_u128(number as u128), &law("ir"), 1);
        }
        assert_eq!(waiting.count, MOST_WAITING);
        let calls = |waiting: &Waiting, number| {
            let laws = waiting.accounts.get(&Uuid::from_u128(number));
            laws.and_then(|laws| laws.first()).map(|(_, calls)| *calls)
        };
        assert_eq!(calls(&waiting, MOST_WAITING as u128), None);
        waiting.add(Uuid::from_u128(3), &law("ir"), 4);
        assert_eq!(calls(&waiting, 3), Some(5));
    }
}
