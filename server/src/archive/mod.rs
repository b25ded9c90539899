//! The rule sets that came into force, kept in the store: an answer can be computed again by the
//! law that it names, or as the rules were known on a day, and corrections are found.
//!
//! One task writes each set that comes into force. The index of all of them is in memory; the files
//! of a past set are read when a call asks for its law, for the folder that it calculates alone.

pub(crate) mod changes;
pub(crate) mod correction;
pub(crate) mod described;
pub(crate) mod export;
pub(crate) mod index;
mod publish;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use bareme_accounts::store::rule_sets::StoredFile;
use bareme_accounts::store::{Store, Unavailable};
use bareme_engine::service::Rules;
use bareme_engine::{FileSet, Loader};
use flate2::read::GzDecoder;
use quick_cache::sync::Cache;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use crate::reload::in_force::Snapshot;
use changes::State;
use index::Index;

pub(crate) use publish::keep;

/// Past folders that are kept compiled: each takes a few hundred kilobytes.
const MOST_COMPILED: usize = 32;

/// Greatest length of a rule file, unpacked: that of the loader.
const MOST_BYTES: u64 = 4 << 20;

/// How often a store shared by several nodes is asked for the sets of the others.
const REFRESH: Duration = Duration::from_secs(60);

/// The kept rule sets.
#[derive(Debug)]
pub(crate) struct Archive {
    store: Arc<dyn Store>,
    index: ArcSwap<Index>,
    /// Notified when the index has further sets.
    published: Notify,
    /// Past folders, by the number of their set and their paths.
    compiled: Cache<(i64, Vec<String>), Arc<Snapshot>>,
}

impl Archive {
    /// The archive of a store, which is not read yet.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            index: ArcSwap::default(),
            published: Notify::new(),
            compiled: Cache::new(MOST_COMPILED),
        }
    }

    /// The index of the sets, as last read.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.index.load_full()
    }

    /// Waits until there are further sets than at the last time.
    #[cfg(feature = "site")]
    pub(crate) async fn published(&self) {
        self.published.notified().await;
    }

    /// Reads the sets that the store has beside those that are known.
    async fn refresh(&self) -> Result<(), Unavailable> {
        let known = self.index.load_full();
        let newer = self.store.rule_sets(known.last_number()).await?;
        if newer.is_empty() {
            return Ok(());
        }

        // Calls that are being answered keep the index that they have; further ones get the new
        // one.
        let mut index = Index::clone(&known);
        newer.into_iter().for_each(|set| index.add(set));
        self.index.store(Arc::new(index));
        self.published.notify_one();
        Ok(())
    }

    /// Reads all sets of the store again.
    async fn read_again(&self) -> Result<(), Unavailable> {
        let mut index = Index::default();
        let all = self.store.rule_sets(0).await?;
        all.into_iter().for_each(|set| index.add(set));
        self.index.store(Arc::new(index));
        Ok(())
    }

    /// Whether the rules of a set for some folders are compiled already.
    pub(crate) fn is_compiled(&self, number: i64, folders: &[String]) -> bool {
        self.compiled.peek(&(number, folders.to_vec())).is_some()
    }

    /// The rules of a set for some folders, with the service in force now; none where the set lacks
    /// all of these, or its files cannot be read.
    ///
    /// # Errors
    /// The store cannot be used.
    pub(crate) async fn rules(
        &self,
        number: i64,
        folders: &[String],
        current: &Arc<Snapshot>,
    ) -> Result<Option<Arc<Snapshot>>, Unavailable> {
        let key = (number, folders.to_vec());
        if let Some(known) = self.compiled.get(&key) {
            return Ok(Some(known));
        }

        let Some(state) = self.index().state_of(number) else {
            return Ok(None);
        };
        let files = self.files(&state).await?;
        let (current, asked) = (Arc::clone(current), folders.to_vec());
        // Not on a thread of calls: to read and compile a folder takes milliseconds.
        let compiled = spawn_blocking(move || compile(&files, &asked, &current.rules));
        let past = compiled.await.ok().flatten().map(Arc::new);
        if let Some(past) = &past {
            self.compiled.insert(key, Arc::clone(past));
        }
        Ok(past)
    }

    /// The files of a set but its worked cases, which no answer depends on.
    async fn files(&self, state: &State) -> Result<FileSet, Unavailable> {
        let is_law = |path: &str| !path.ends_with("/cases.yaml");
        Ok(FileSet::from_texts(self.texts(state, is_law).await?))
    }

    /// The texts of the files of a set, by path, but those that are not asked for.
    async fn texts(
        &self,
        state: &State,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, String)>, Unavailable> {
        let asked = || {
            let files = state.files.iter();
            files.filter(|(path, _)| is_asked(path))
        };
        let digests: HashSet<_> = asked().filter_map(|(_, digest)| digest.digest()).collect();
        let stored = self.store.rule_files(digests.into_iter().collect()).await?;

        let text = |file: &StoredFile| {
            let mut text = String::new();
            // Bounded: a damaged store, or one that somebody else writes to, could unpack into all
            // of the memory.
            let mut unpacked = GzDecoder::new(file.content.as_slice()).take(MOST_BYTES);
            unpacked.read_to_string(&mut text).ok()?;
            Some((changes::Hex::of(file.digest), text))
        };
        let texts: BTreeMap<_, _> = stored.iter().filter_map(text).collect();

        let found = asked();
        Ok(found
            .filter_map(|(path, digest)| Some((path.clone(), texts.get(digest)?.clone())))
            .collect())
    }
}

/// The rules of some folders, and of those that they calculate, from the files of a past set.
fn compile(files: &FileSet, folders: &[String], current: &Rules) -> Option<Snapshot> {
    let paths: Vec<&str> = folders.iter().map(String::as_str).collect();
    let files = files.with_all_called(&paths);
    // It was checked when it came into force. What the program of today would report is the law of
    // those days all the same.
    let loader = Loader::new().unchecked().without_cases();
    let rules = loader.load_files(&files).rules?;

    let is_there = |path: &&str| rules.folder(path).is_some();
    paths
        .iter()
        .any(is_there)
        .then(|| Snapshot::new(current.with_folders(rules)))
}
