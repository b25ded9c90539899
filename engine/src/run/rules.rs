//! Rule sets without errors.

use std::collections::BTreeMap;
use std::ops::Bound::{Included, Unbounded};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::law::draft::Draft;
use crate::run::folder::Folder;

/// The word that selects a folder within a family: its path after that of the family.
pub(crate) fn word_in<'p>(family: &str, path: &'p str) -> Option<&'p str> {
    // `salaire-net` is no family of `salaire-nette/ci`.
    path.strip_prefix(family)?.strip_prefix('/')
}

/// The folders of a family, each with the word that selects it.
pub(crate) fn family<'f>(
    folders: &'f BTreeMap<String, Arc<Folder>>,
    family: &str,
) -> impl Iterator<Item = (&'f str, &'f Folder)> {
    // In the order of paths, the folders of a family are contiguous.
    let of_family = folders
        .range::<str, _>((Included(family), Unbounded))
        .take_while(move |(path, _)| path.starts_with(family));

    // The path of a folder beside the family may begin with the same letters: `word_in` asks for a
    // slash.
    of_family.filter_map(move |(path, folder)| Some((word_in(family, path)?, folder.as_ref())))
}

/// SHA-256 of the names and contents of files.
pub(crate) type Digest = [u8; 32];

/// A version: the first 64 bits of a digest, in hexadecimal.
pub(crate) fn version_of(digest: Digest) -> String {
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// An immutable rule set.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// let folder = rules.folder("tva").ok_or("no such folder")?;
/// assert_eq!(folder.title(), "TVA en France");
/// let countries: Vec<&str> = rules.family("salaire-net").map(|(word, _)| word).collect();
/// assert!(countries.contains(&"ci"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rules {
    version: String,
    /// Digest of the files outside of the folders.
    pub(crate) root: Digest,
    pub(crate) folders: BTreeMap<String, Arc<Folder>>,
}

impl Rules {
    /// A rule set from folders without errors; `root` is the digest of the files outside of them.
    pub(crate) fn new(root: Digest, folders: BTreeMap<String, Arc<Folder>>) -> Self {
        let mut digest = Sha256::new();
        // Fields of fixed length, but for paths, which have no line feed: different sets never hash
        // the same bytes.
        digest.update(version_of(root));

        folders
            .iter()
            .for_each(|(path, folder)| digest.update(format!("{path}\n{}", folder.version)));

        Self {
            version: version_of(digest.finalize().into()),
            root,
            folders,
        }
    }

    /// Hash of the whole set, without drafts: these do not change any answer.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The folders, by path.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.folders.values().map(Arc::as_ref)
    }

    /// A folder by its path, `salaire-net/ci`.
    pub fn folder(&self, path: &str) -> Option<&Folder> {
        self.folders.get(path).map(Arc::as_ref)
    }

    /// The drafts, each with the path of its folder.
    pub fn drafts(&self) -> impl Iterator<Item = (&str, &Draft)> {
        self.folders()
            .flat_map(|folder| folder.drafts().iter().map(|draft| (folder.path(), draft)))
    }

    /// The folders of a family, each with the word that selects it.
    pub fn family<'r>(&'r self, family: &str) -> impl Iterator<Item = (&'r str, &'r Folder)> {
        self::family(&self.folders, family)
    }
}
