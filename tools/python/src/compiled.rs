//! Compiled rule sets, of which a process keeps the last ones.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bareme_engine::jiff::civil::Date;
use bareme_engine::law::Drafts;
use bareme_engine::service::{Loaded, Rules};
use bareme_engine::text::Rendering;
use bareme_engine::{Diagnostic, FileSet, Lang, Loader};
use bareme_tools::{Archive, ArchiveError, Hypothesis, HypothesisError, NamedLaw};

use crate::bundle::{self, Bundle, Unpacked, Variant};
use crate::{packaged, threads};

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
    pub(crate) variant: Variant,
    pub(crate) rules: Rules,
}

/// Figures to set, from a day until another.
pub(crate) struct Figures {
    pub(crate) values: Vec<(String, String)>,
    pub(crate) since: Date,
    pub(crate) until: Option<Date>,
}

/// Why there is no rule set.
pub(crate) enum Failure {
    /// The mistakes of rule files.
    Report {
        text: String,
        mistakes: Vec<Diagnostic>,
    },
    /// Bytes that are no bundle.
    Bundle(String),
    /// The hash of the bytes, which is not the one that is stated.
    Hash { stated: String, found: String },
    /// The version of the package that pickled them, which is not this one.
    Version { stated: String },
    /// Figures that cannot be set.
    Hypothesis(HypothesisError),
    /// An archive without the law that was named.
    Archive(ArchiveError),
}

impl Compiled {
    /// The rules that the package holds, whose cases ran when it was tested.
    pub(crate) fn of_package(drafts: Drafts, lang: Lang) -> Result<Arc<Self>, Failure> {
        let files = packaged::files();
        let loader = Loader::new().without_cases().without_english();
        Self::of_files(&files, loader, drafts, Path::new(""), lang)
    }

    /// The rules of a folder, with their cases run.
    pub(crate) fn of_folder(root: &Path, drafts: Drafts, lang: Lang) -> Result<Arc<Self>, Failure> {
        // The files are read once: the bundle has the very texts that were checked.
        let loader = Loader::new().without_english();
        Self::of_files(&FileSet::read(root), loader, drafts, root, lang)
    }

    /// The rules of an archive that hold a law, of which calculations by another are refused.
    pub(crate) fn of_archive(
        folder: &Path,
        law: NamedLaw,
        drafts: Drafts,
    ) -> Result<Arc<Self>, Failure> {
        let read = |root: &Path| {
            let files = FileSet::read(root);
            let loader = kept_loader().drafts(drafts);
            let rules = threads::run(|| loader.load_service_files(&files)).rules?;
            Some((files, rules))
        };
        let holds = |(_, rules): &(FileSet, Rules), version: &str| holds(rules, version);

        let archive = Archive::open(folder).map_err(Failure::Archive)?;
        let found = archive.find(&law, read, holds);
        let (files, rules) = found.map_err(Failure::Archive)?;

        let variant = Variant {
            drafts,
            is_kept: true,
            law: law.version,
            ..Variant::default()
        };
        Ok(keep(Self {
            bundle: Bundle::new(&files, &variant).map_err(Failure::Bundle)?,
            variant,
            rules,
        }))
    }

    fn of_files(
        files: &FileSet,
        loader: Loader,
        drafts: Drafts,
        root: &Path,
        lang: Lang,
    ) -> Result<Arc<Self>, Failure> {
        let variant = Variant {
            drafts,
            ..Variant::default()
        };
        let loaded = threads::run(|| loader.drafts(drafts).load_service_files(files));
        Self::new(loaded, files, variant, root, lang).map(keep)
    }

    /// The rules of a bundle, with their cases run unless a hypothesis set figures of them.
    pub(crate) fn of_bytes(bytes: &[u8], lang: Lang) -> Result<Arc<Self>, Failure> {
        // Bytes from elsewhere may have been changed: their cases run again.
        let text = bundle::text(bytes).map_err(Failure::Bundle)?;
        Self::of_text(&text, Loader::new().without_english(), lang)
    }

    /// The same rules with other values of some figures.
    pub(crate) fn with_figures(&self, figures: Figures, lang: Lang) -> Result<Arc<Self>, Failure> {
        let text = bundle::text(&self.bundle.bytes).map_err(Failure::Bundle)?;
        let Unpacked { files, mut variant } = bundle::unpacked(&text).map_err(Failure::Bundle)?;

        let hypothesis = Hypothesis {
            figures: &figures.values,
            folder: None,
            since: figures.since,
            until: figures.until,
            drafts: variant.drafts,
            lang,
        };
        let loaded = threads::run(|| hypothesis.load(&files, &self.rules, &[]));
        let set = loaded.map_err(Failure::Hypothesis)?;

        variant.figures.extend(figures.values);
        // A reform is another law.
        variant.law = None;
        Ok(keep(Self {
            bundle: Bundle::new(&set.files, &variant).map_err(Failure::Bundle)?,
            variant,
            rules: set.rules,
        }))
    }

    /// The rules of a bundle that this version of the package pickled with its hash; their cases
    /// were run there.
    pub(crate) fn of_pickle(
        version: &str,
        bytes: &[u8],
        hash: &str,
        lang: Lang,
    ) -> Result<Arc<Self>, Failure> {
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

        Self::of_text(&text, Loader::new().without_cases().without_english(), lang)
    }

    /// The set that was compiled of the text of a bundle, or is now.
    fn of_text(text: &[u8], loader: Loader, lang: Lang) -> Result<Arc<Self>, Failure> {
        let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked up under the lock: the thread that waited for it finds the set that the other
        // compiled.
        if let Some(compiled) = kept(&bundle::hash(text)) {
            return Ok(compiled);
        }

        let Unpacked { files, variant } = bundle::unpacked(text).map_err(Failure::Bundle)?;
        let loader = if variant.is_kept {
            kept_loader()
        } else {
            loader
        };
        let loader = loader.drafts(variant.drafts);
        // The cases are about the figures of the law.
        let loader = match variant.figures.is_empty() {
            true => loader,
            false => loader.without_cases(),
        };
        let loaded = threads::run(|| loader.load_service_files(&files));
        Self::new(loaded, &files, variant, Path::new(""), lang).map(keep)
    }

    fn new(
        loaded: Loaded,
        files: &FileSet,
        variant: Variant,
        root: &Path,
        lang: Lang,
    ) -> Result<Self, Failure> {
        let Some(rules) = loaded.rules else {
            let rendering = Rendering::new(lang).under(root);
            let errors: Vec<String> = loaded
                .report
                .errors()
                .map(|error| error.render(rendering))
                .collect();
            let text = errors.join("\n");
            return Err(Failure::Report {
                text,
                mistakes: loaded.report.errors().cloned().collect(),
            });
        };

        Ok(Self {
            bundle: Bundle::new(files, &variant).map_err(Failure::Bundle)?,
            variant,
            rules,
        })
    }
}

/// What reads a set that a service has kept: whoever published it has checked it.
fn kept_loader() -> Loader<'static> {
    Loader::new().unchecked().without_cases()
}

/// Whether a folder has a law of this version.
fn holds(rules: &Rules, version: &str) -> bool {
    let mut folders = rules.folders();
    folders.any(|folder| folder.versions().any(|known| known == version))
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
