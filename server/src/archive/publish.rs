//! Keeping each rule set that comes into force.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Arc;

use bareme_accounts::store::Unavailable;
use bareme_accounts::store::rule_sets::{PublishedSet, StoredFile};
use bareme_api::wire::clock::Clock;
use bareme_engine::FileSet;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{interval, sleep};

use super::changes::{Changes, Hex, State};
use super::correction::corrections;
use super::index::KeptSet;
use super::{Archive, REFRESH};
use crate::reload::in_force::Published;

/// The program that reads the sets, as receipts name it.
pub(crate) const PROGRAM: &str = concat!("bareme-server ", env!("CARGO_PKG_VERSION"));

/// Keeps each set that comes into force, and learns of those of other nodes, for ever; removes those
/// that were replaced more than some days ago.
pub(crate) async fn keep(
    archive: Arc<Archive>,
    mut published: UnboundedReceiver<Published>,
    clock: Clock,
    kept_days: u32,
) {
    let mut refresh = interval(REFRESH);
    let mut before: Option<Published> = None;

    loop {
        tokio::select! {
            Some(set) = published.recv() => {
                archive.keep_one(&set, before.as_ref(), clock).await;
                before = Some(set);
            }
            _ = refresh.tick() => {
                let today = clock.read().today;
                let first = today.saturating_sub(Span::new().days(kept_days));
                if let Err(error) = archive.forget(first).await {
                    tracing::debug!(%error, "the kept rule sets cannot be read");
                }
            }
        }
    }
}

impl Archive {
    /// Learns of the sets of other nodes, and removes those that were replaced before a day.
    pub(super) async fn forget(&self, day: Date) -> Result<(), Unavailable> {
        self.refresh().await?;

        // The set that was in force on the day is the first that stays.
        let index = self.index();
        let Some(first) = index.known_on(day) else {
            return Ok(());
        };
        let is_gone = |set: &&KeptSet| set.number < first.number;
        if !index.sets().iter().any(|set| is_gone(&set)) {
            return Ok(());
        }

        // It is whole from now on, and the files that only earlier sets have are not needed.
        let whole = index.state_of(first.number).unwrap_or_default();
        // Its corrections stay: they are what was announced with it, and no part of its state.
        let changes = Changes {
            corrections: first.changes.corrections.clone(),
            ..whole.since(&State::default())
        };
        let later = index.sets().iter().filter(|set| set.number > first.number);
        let needed: BTreeSet<&Hex> = whole
            .files
            .values()
            .chain(later.flat_map(|set| set.changes.files.values().flatten()))
            .collect();
        let earlier = index.sets().iter().filter(is_gone);
        let unused: BTreeSet<&Hex> = earlier
            .flat_map(|set| set.changes.files.values().flatten())
            .filter(|digest| !needed.contains(digest))
            .collect();

        let rewritten = PublishedSet {
            number: first.number,
            published: first.published,
            version: first.version.clone(),
            program: first.program.clone(),
            changes: serde_json::to_string(&changes).unwrap_or_default(),
        };
        let digests = unused.into_iter().filter_map(Hex::digest).collect();
        self.store.forget_rule_sets(rewritten, digests).await?;
        self.read_again().await
    }

    /// Keeps a set; while the store cannot be used, it is tried again.
    pub(super) async fn keep_one(&self, set: &Published, before: Option<&Published>, clock: Clock) {
        loop {
            match self.try_to_keep(set, before, clock).await {
                Ok(Some(number)) => {
                    let version = set.snapshot.rules.version();
                    tracing::info!(number, version, "rule set kept");
                    return;
                }
                // It is the last one already, as after a restart.
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "the rule set in force cannot be kept yet");
                    sleep(REFRESH / 6).await;
                }
            }
        }
    }

    /// The number under which a set is kept now; none where nothing has changed.
    async fn try_to_keep(
        &self,
        set: &Published,
        before: Option<&Published>,
        clock: Clock,
    ) -> Result<Option<i64>, Unavailable> {
        self.refresh().await?;
        let state = State::of(&set.snapshot.rules, &set.files);
        loop {
            let index = self.index();
            let mut changes = state.since(index.state());
            if changes == Changes::default() {
                return Ok(None);
            }

            let files = changed_files(&changes, &set.files);
            changes.corrections = self.corrected(set, before, &changes, &state, clock).await?;

            let now = clock.read();
            let published = PublishedSet {
                number: index.last_number() + 1,
                published: Timestamp::try_from(now.second).unwrap_or_default(),
                version: set.snapshot.rules.version().to_owned(),
                program: PROGRAM.to_owned(),
                changes: serde_json::to_string(&changes).unwrap_or_default(),
            };
            let number = published.number;
            let is_added = self.store.add_rule_set(published, files).await?;

            // Another node was first: what differs from its set is kept after it.
            self.refresh().await?;
            if is_added {
                return Ok(Some(number));
            }
        }
    }

    /// The corrections of a set, compared with the set before: that in memory, or after a restart the
    /// last one in the store.
    async fn corrected(
        &self,
        set: &Published,
        before: Option<&Published>,
        changes: &Changes,
        state: &State,
        clock: Clock,
    ) -> Result<Vec<super::correction::Correction>, Unavailable> {
        let index = self.index();
        // The first set has none before it that it could correct.
        let Some(last) = index.sets().last() else {
            return Ok(Vec::new());
        };

        let rules = &set.snapshot.rules;
        let is_last = |before: &&Published| before.snapshot.rules.version() == last.version;
        let today = clock.read().today;
        let states = [index.state(), state];
        match before.filter(is_last) {
            Some(before) => {
                let old = &before.snapshot.rules;
                Ok(corrections(changes, states, [old, rules], today))
            }
            None => {
                let files = self.files(index.state()).await?;
                let loader = bareme_engine::Loader::new().unchecked().without_cases();
                let old = loader.load_files(&files).rules;
                let old = old.map(|old| rules.with_folders(old));
                Ok(old.map_or_else(Vec::new, |old| {
                    corrections(changes, states, [&old, rules], today)
                }))
            }
        }
    }
}

/// The files that a set adds, compressed.
fn changed_files(changes: &Changes, files: &FileSet) -> Vec<StoredFile> {
    let paths = changes.files.iter().filter(|(_, digest)| digest.is_some());
    let stored = |path: &str| {
        let text = files.text(path)?;
        // A file is written once and kept for years: the time of the best compression is well
        // spent.
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(text.as_bytes()).ok()?;
        Some(StoredFile {
            digest: Sha256::digest(text).into(),
            content: packed.finish().ok()?,
        })
    };
    paths.filter_map(|(path, _)| stored(path)).collect()
}
