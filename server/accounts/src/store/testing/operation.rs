//! The audit log and the minutes of the store in memory.

use super::*;

impl AuditLog for Memory {
    fn add_audit_entry(&self, entry: AuditEntry) -> Pending<'_, ()> {
        self.answer(|| self.audit.lock().unwrap().push(entry))
    }

    fn audit_entries(
        &self,
        account: Option<Uuid>,
        since: Timestamp,
        most: u32,
    ) -> Pending<'_, Vec<AuditEntry>> {
        self.answer(|| {
            let audit = self.audit.lock().unwrap();
            let is_asked = |entry: &&AuditEntry| {
                entry.at >= since && account.is_none_or(|account| entry.account == account)
            };
            let mut found: Vec<AuditEntry> = audit.iter().rev().filter(is_asked).cloned().collect();
            found.sort_by_key(|entry| std::cmp::Reverse(entry.at));
            found.truncate(most as usize);
            found
        })
    }
}

impl Availability for Memory {
    fn add_minute(&self, minute: ServedMinute) -> Pending<'_, ()> {
        self.answer(|| {
            let mut served = self.served.lock().unwrap();
            let (calls, failed) = served.entry((minute.day, minute.minute)).or_default();
            *calls += minute.calls;
            *failed += minute.failed;
        })
    }

    fn served_days(&self, since: Day) -> Pending<'_, Vec<ServedDay>> {
        self.answer(|| {
            let mut days = BTreeMap::<Day, ServedDay>::new();
            for ((day, minute), (calls, failed)) in self.served.lock().unwrap().iter() {
                let (day, minute, calls, failed) = (*day, *minute, *calls, *failed);
                let served = days.entry(day).or_insert(ServedDay {
                    day,
                    first: minute,
                    minutes: 0,
                    calls: 0,
                    failed: 0,
                });
                let of_minute = ServedMinute {
                    day,
                    minute,
                    calls,
                    failed,
                };
                served.minutes += u16::from(of_minute.is_available());
                (served.calls, served.failed) = (served.calls + calls, served.failed + failed);
            }
            days.into_values()
                .filter(|served| served.day >= since)
                .collect()
        })
    }
}
