//! The rule sets of the store in memory.

use crate::store::rule_sets::{FileDigest, PublishedSet, RuleSets, StoredFile};

use super::*;

impl RuleSets for Memory {
    fn add_rule_set(&self, set: PublishedSet, files: Vec<StoredFile>) -> Pending<'_, bool> {
        self.answer(|| {
            let mut sets = self.rule_sets.lock().unwrap();
            if sets.iter().any(|known| known.number == set.number) {
                return false;
            }
            sets.push(set);
            let files = files.into_iter().map(|file| (file.digest, file.content));
            self.rule_files.lock().unwrap().extend(files);
            true
        })
    }

    fn rule_sets(&self, after: i64) -> Pending<'_, Vec<PublishedSet>> {
        self.answer(|| {
            let sets = self.rule_sets.lock().unwrap();
            sets.iter()
                .filter(|set| set.number > after)
                .cloned()
                .collect()
        })
    }

    fn rule_files(&self, digests: Vec<FileDigest>) -> Pending<'_, Vec<StoredFile>> {
        self.answer(|| {
            let files = self.rule_files.lock().unwrap();
            let stored = |digest: FileDigest| {
                let content = files.get(&digest)?.clone();
                Some(StoredFile { digest, content })
            };
            digests.into_iter().filter_map(stored).collect()
        })
    }

    fn forget_rule_sets(&self, first: PublishedSet, files: Vec<FileDigest>) -> Pending<'_, ()> {
        self.answer(|| {
            let mut sets = self.rule_sets.lock().unwrap();
            sets.retain(|set| set.number >= first.number);
            for set in sets.iter_mut().filter(|set| set.number == first.number) {
                set.changes.clone_from(&first.changes);
            }
            let mut known = self.rule_files.lock().unwrap();
            files.iter().for_each(|digest| drop(known.remove(digest)));
        })
    }
}
