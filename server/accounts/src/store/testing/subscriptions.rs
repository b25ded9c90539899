//! Subscriptions, deliveries and cases of the store in memory.

use super::*;

impl SubscriptionStore for Memory {
    fn subscription(&self, id: String) -> Pending<'_, Option<Subscription>> {
        self.answer(|| self.subscriptions.lock().unwrap().get(&id).cloned())
    }

    fn save_subscription(
        &self,
        subscription: Subscription,
        keys: KeyChange,
        entry: Option<AuditEntry>,
    ) -> Pending<'_, bool> {
        self.try_answer(|| {
            let mut subscriptions = self.subscriptions.lock().unwrap();
            let version = subscriptions
                .get(&subscription.id)
                .map_or(0, |known| known.version);
            if version != subscription.version {
                return Ok(false);
            }

            self.audit.lock().unwrap().extend(entry);
            let mut known = self.keys.lock().unwrap();
            match keys {
                KeyChange::None => {}
                KeyChange::Add(record) => add(&mut known, *record)?,
                KeyChange::Terms {
                    account,
                    terms,
                    deliver,
                } => {
                    change_terms(&mut known, account, &terms);
                    let is_held = |record: &&mut Record| {
                        record.account == account && record.delivery == Delivery::Held
                    };
                    for record in known.iter_mut().filter(is_held).filter(|_| deliver) {
                        (record.delivery, record.attempt_at) =
                            (Delivery::Due, Some(Timestamp::UNIX_EPOCH));
                    }
                }
            }

            subscriptions.insert(
                subscription.id.clone(),
                Subscription {
                    version: version + 1,
                    ..subscription
                },
            );
            Ok(true)
        })
    }

    fn forget_subscription(&self, id: String) -> Pending<'_, ()> {
        self.answer(|| drop(self.subscriptions.lock().unwrap().remove(&id)))
    }

    fn subscriptions(&self) -> Pending<'_, Vec<Subscription>> {
        self.answer(|| {
            self.subscriptions
                .lock()
                .unwrap()
                .values()
                .cloned()
                .collect()
        })
    }

    fn waiting_subscriptions(&self, before: Timestamp) -> Pending<'_, Vec<Subscription>> {
        self.answer(|| {
            let subscriptions = self.subscriptions.lock().unwrap();
            let waits =
                |known: &&Subscription| known.waits_since.is_some_and(|since| since <= before);
            let mut waiting: Vec<Subscription> =
                subscriptions.values().filter(waits).cloned().collect();
            waiting.sort_by_key(|known| (known.waits_since, known.id.clone()));
            waiting
        })
    }

    fn claim_delivery(&self, now: Timestamp, until: Timestamp) -> Pending<'_, Option<Claimed>> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let is_due = |record: &&mut Record| {
                matches!(record.delivery, Delivery::Due | Delivery::Sending)
                    && record.attempt_at.is_some_and(|at| at <= now)
            };
            let found = keys
                .iter_mut()
                .filter(is_due)
                .min_by_key(|record| (record.attempt_at, record.id))?;

            let was_interrupted = found.delivery == Delivery::Sending;
            (found.delivery, found.attempt_at) = (Delivery::Sending, Some(until));
            found.attempts += 1;
            Some(Claimed {
                record: found.clone(),
                was_interrupted,
            })
        })
    }

    fn change_digest(&self, id: Uuid, digest: Digest, last_four: String) -> Pending<'_, ()> {
        self.answer(|| {
            for record in self
                .keys
                .lock()
                .unwrap()
                .iter_mut()
                .filter(|record| record.id == id)
            {
                *record = Record {
                    digest,
                    last_four: last_four.clone(),
                    ..record.clone()
                };
            }
        })
    }

    fn add_beside(&self, unsure: Uuid, record: Record) -> Pending<'_, ()> {
        self.try_answer(|| {
            let mut keys = self.keys.lock().unwrap();
            for old in keys.iter_mut().filter(|old| old.id == unsure) {
                (old.delivery, old.attempt_at) = (Delivery::Unsure, None);
            }
            add(&mut keys, record)
        })
    }

    fn set_delivery(
        &self,
        id: Uuid,
        delivery: Delivery,
        again: Option<Timestamp>,
    ) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let found = keys.iter_mut().find(|record| record.id == id);
            found
                .map(|record| (record.delivery, record.attempt_at) = (delivery, again))
                .is_some()
        })
    }

    fn undelivered_keys(&self) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let is_under_way =
                |record: &&Record| matches!(record.delivery, Delivery::Due | Delivery::Sending);
            self.keys
                .lock()
                .unwrap()
                .iter()
                .filter(is_under_way)
                .cloned()
                .collect()
        })
    }

    fn restore_key(&self, id: Uuid) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            keys.iter_mut()
                .find(|record| record.id == id)
                .map(|record| record.revoked = None)
                .is_some()
        })
    }

    fn open_case(&self, case: Case) -> Pending<'_, bool> {
        self.answer(|| {
            let mut cases = self.cases.lock().unwrap();
            let is_new = cases.iter().all(|(known, _)| known.id != case.id);
            if is_new {
                cases.push((case, false));
            }
            is_new
        })
    }

    fn cases(&self) -> Pending<'_, Vec<Case>> {
        self.answer(|| {
            let cases = self.cases.lock().unwrap();
            let mut open: Vec<Case> = cases
                .iter()
                .filter(|(_, settled)| !settled)
                .map(|(case, _)| case.clone())
                .collect();
            open.sort_by_key(|case| (case.opened, case.id.clone()));
            open
        })
    }

    fn settle_cases(&self, ids: Vec<String>, may_recur: bool) -> Pending<'_, u64> {
        self.answer(|| {
            let mut cases = self.cases.lock().unwrap();
            let is_meant = |(case, settled): &(Case, bool)| !settled && ids.contains(&case.id);
            let count = cases.iter().filter(|known| is_meant(known)).count();
            if may_recur {
                cases.retain(|known| !is_meant(known));
            }
            cases
                .iter_mut()
                .filter(|known| is_meant(known))
                .for_each(|(_, settled)| *settled = true);
            count as u64
        })
    }
}
