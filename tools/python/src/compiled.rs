//! Compiled rule sets, of which a process keeps the last ones.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bareme_engine::service::{Loaded, Rules};
use bareme_engine::text::Rendering;
use bareme_engine::{FileSet, Lang, Loader};

use crate::bundle::{self, Bundle};
use crate::threads;

/// The version of the package.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The most sets that a process keeps beside those in use: workers live longer than jobs.
const KEPT: usize = 8;

/// The sets that were compiled last, the latest at the end.
static SETS: Mutex<Vec<Arc<Compiled>>> = Mutex::new(Vec::new());

/// Held while a bundle is compiled: another thread that wants the same one waits for it.
static COMPILING: Mutex<()> = Mutex::new(());

/// A rule set that is right, with the bundle that makes the same one elsewhere.
pub(crate) struct Compiled {
    pub(crate) bundle: Bundle,
    pub(crate) rules: Rules,
}

/// Why there is no rule set.
pub(crate) enum Failure {
    /// The report of its mistakes.
    Report(String),
    /// Bytes that are no bundle.
    Bundle(String),
    /// The hash of the bytes, which is not the one that is stated.
    Hash { stated: String, found: String },
    /// The version of the package that pickled them, which is not this one.
    Version { stated: String },
}

impl Compiled {
    /// The rules of a folder, with their cases run.
    pub(crate) fn of_folder(root: &Path) -> Result<Arc<Self>, Failure> {
        // The files are read once: the bundle has the very texts that were checked.
        let files = FileSet::read(root);
        let loaded = threads::run(|| Loader::new().load_service_files(&files));

        Self::new(loaded, &files, root).map(keep)
    }

    /// The rules of a bundle, with their cases run.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Arc<Self>, Failure> {
        // Bytes from elsewhere may have been changed: their cases run again.
        let text = bundle::text(bytes).map_err(Failure::Bundle)?;
        Self::of_text(&text, Loader::new())
    }

    /// The rules of a bundle that this version of the package pickled with its hash; their cases
    /// were run there.
    pub(crate) fn of_pickle(version: &str, bytes: &[u8], hash: &str) -> Result<Arc<Self>, Failure> {
        // Another version may calculate otherwise: workers of a cluster would disagree without
        // notice.
        if version != VERSION {
            return Err(Failure::Version {
                stated: version.to_owned(),
            });
        }

        let text = bundle::text(bytes).map_err(Failure::Bundle)?;
        let found = bundle::hash(&text);
        // The cases are not run again, so the bytes must be those that were checked.
        if found != hash {
            return Err(Failure::Hash {
                stated: hash.to_owned(),
                found,
            });
        }

        Self::of_text(&text, Loader::new().without_cases())
    }

    /// The set that was compiled of the text of a bundle, or is now.
    fn of_text(text: &[u8], loader: Loader) -> Result<Arc<Self>, Failure> {
        let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked up under the lock: the thread that waited for it finds the set that the other
        // compiled.
        if let Some(compiled) = kept(&bundle::hash(text)) {
            return Ok(compiled);
        }

        let files = bundle::files(text).map_err(Failure::Bundle)?;
        let loaded = threads::run(|| loader.load_service_files(&files));
        Self::new(loaded, &files, Path::new("")).map(keep)
    }

    fn new(loaded: Loaded, files: &FileSet, root: &Path) -> Result<Self, Failure> {
        let Some(rules) = loaded.rules else {
            let rendering = Rendering::new(Lang::Fr).under(root);
            let errors: Vec<String> = loaded
                .report
                .errors()
                .map(|error| error.render(rendering))
                .collect();
            return Err(Failure::Report(errors.join("\n")));
        };

        Ok(Self {
            bundle: Bundle::new(files).map_err(Failure::Bundle)?,
            rules,
        })
    }
}

fn kept(hash: &str) -> Option<Arc<Compiled>> {
    let sets = SETS.lock().unwrap_or_else(PoisonError::into_inner);
    sets.iter()
        .find(|set| set.bundle.hash == hash)
        .map(Arc::clone)
}

/// Keeps a set; where another thread compiled the same one, that.
fn keep(set: Compiled) -> Arc<Compiled> {
    let mut sets = SETS.lock().unwrap_or_else(PoisonError::into_inner);
    // Equal rules are one set in memory, whatever they were loaded from.
    if let Some(existing) = sets
        .iter()
        .find(|existing| existing.bundle.hash == set.bundle.hash)
    {
        return Arc::clone(existing);
    }

    let set = Arc::new(set);
    sets.push(Arc::clone(&set));
    // The oldest goes, unless a Python object still holds it.
    if sets.len() > KEPT {
        sets.remove(0);
    }
    set
}
