//! Mailboxes of the store in memory.

use super::*;

impl Mailboxes for Memory {
    fn add_request(&self, token: Digest, request: KeyRequest) -> Pending<'_, ()> {
        self.answer(|| self.requests.lock().unwrap().push((token, request)))
    }

    fn request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.answer(|| {
            let requests = self.requests.lock().unwrap();
            let found = requests.iter().find(|(known, _)| *known == token);
            found.map(|(_, request)| request.clone())
        })
    }

    fn take_request(&self, token: Digest) -> Pending<'_, Option<KeyRequest>> {
        self.answer(|| {
            let mut requests = self.requests.lock().unwrap();
            let index = requests.iter().position(|(known, _)| *known == token)?;
            Some(requests.remove(index).1)
        })
    }

    fn keys_of_mailbox(&self, variant: String, mailbox: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let holders = self.mailboxes.lock().unwrap();
            let holds = |record: &&Record| {
                holders.get(&record.id) == Some(&(variant.clone(), mailbox.clone()))
            };
            let account = keys.iter().find(holds).map(|record| record.account);
            keys.iter()
                .rev()
                .filter(|record| Some(record.account) == account)
                .cloned()
                .collect()
        })
    }

    fn keys_of_email(&self, email: String) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let of_email = |record: &&Record| record.email.eq_ignore_ascii_case(&email);
            keys.iter().filter(of_email).cloned().collect()
        })
    }

    fn keys_of_account(&self, account: Uuid) -> Pending<'_, Vec<Record>> {
        self.answer(|| {
            let keys = self.keys.lock().unwrap();
            let of_account = |record: &&Record| record.account == account;
            keys.iter().filter(of_account).cloned().collect()
        })
    }

    fn hold_mailbox(
        &self,
        id: Uuid,
        variant: String,
        mailbox: String,
        now: Timestamp,
    ) -> Pending<'_, bool> {
        self.try_answer(|| {
            let keys = self.keys.lock().unwrap();
            let mut holders = self.mailboxes.lock().unwrap();
            let account = |id: &Uuid| {
                keys.iter()
                    .find(|record| record.id == *id)
                    .map(|record| record.account)
            };
            let is_live = |id: &Uuid| {
                keys.iter()
                    .any(|record| Some(record.account) == account(id) && record.is_valid(now))
            };
            holders.retain(|id, held| *held != (variant.clone(), mailbox.clone()) || is_live(id));
            if holders
                .iter()
                .any(|(other, held)| *other != id && *held == (variant.clone(), mailbox.clone()))
            {
                return Err(Unavailable("the mailbox is held".to_owned()));
            }
            let is_known = account(&id).is_some();
            if is_known {
                holders.insert(id, (variant, mailbox));
            }
            Ok(is_known)
        })
    }

    fn replace_key(&self, old: Record, new: Record) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let Some(record) = keys
                .iter_mut()
                .find(|record| (record.id, record.digest) == (old.id, old.digest))
            else {
                return false;
            };
            (record.digest, record.last_four, record.expires) =
                (new.digest, new.last_four, new.expires);
            true
        })
    }
}
