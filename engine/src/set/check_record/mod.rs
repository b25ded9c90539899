//! Record of checked files, so that the next start need not check them again.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use crate::run::folder::{Checks, Folder};
use crate::run::rules::{Digest, Rules};

/// Version of the engine and a digest of its sources: another build may read the same files
/// differently.
pub(crate) const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("BAREME_SOURCES"));

/// First line of the record.
const FORMAT: &str = "bareme-checked/3";

/// Length of the digest at the end of the record.
const END: usize = 32;

/// Folders that were fully checked, cases included, by this build of the engine on one day, with
/// their parsed files; and whether the file of the service was checked.
///
/// A folder is identified by the SHA-256 of its files, the service by that of the files at the
/// root. The bytes of the record end with their own digest: a truncated or damaged record counts as
/// empty.
///
/// ```
/// use bareme_engine::Loader;
/// use bareme_engine::set::CheckRecord;
/// use jiff::civil::date;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let day = date(2026, 3, 31);
/// let rules = Loader::new().load(root).rules.ok_or("the rules have errors")?;
/// let bytes = CheckRecord::from_rules(&rules, day).to_bytes();
///
/// let record = CheckRecord::read(&bytes, day);
/// let again = Loader::new().trusting(&record).load(root).rules.ok_or("errors")?;
/// assert!(again.folders().all(|folder| folder.is_trusted()));
/// let tomorrow = CheckRecord::read(&bytes, date(2026, 4, 1));
/// let again = Loader::new().trusting(&tomorrow).load(root).rules.ok_or("errors")?;
/// assert!(!again.folders().any(|folder| folder.is_trusted()));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckRecord {
    day: Date,
    /// Digest of the files at the root, if the file of the service among them was checked.
    service: Option<Digest>,
    folders: BTreeMap<String, CheckedFolder>,
}

/// A folder in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckedFolder {
    /// Digest of its files.
    content: Digest,
    /// Its parsed files but the cases, in their compact form; empty if they are to be parsed each
    /// time.
    pub trees: Arc<[u8]>,
    /// Number of errors of each draft.
    pub draft_errors: Vec<usize>,
}

/// Content of a record, as postcard writes it: the digest of the files at the root, and the
/// folders.
type Rows<'r> = (Option<Digest>, Vec<Row<'r>>);

/// A folder in the bytes of a record: path, digest of its files, parsed files, errors of its
/// drafts.
type Row<'r> = (&'r str, Digest, &'r [u8], Cow<'r, [usize]>);

impl CheckRecord {
    /// Record of the fully checked folders of a rule set, on a day.
    /// [`service::Rules`](crate::service::Rules::check_record) adds the file of the service.
    pub fn from_rules(rules: &Rules, day: Date) -> Self {
        // A folder without its cases, or beside those that were asked for, was checked in part
        // only.
        let is_checked =
            |folder: &&Arc<Folder>| matches!(folder.checks, Checks::Whole | Checks::Trusted);
        let row = |folder: &Arc<Folder>| (folder.path.clone(), CheckedFolder::from_folder(folder));
        Self {
            day,
            service: None,
            folders: rules.folders.values().filter(is_checked).map(row).collect(),
        }
    }

    /// The same record, which also says that the file of the service was checked, among files at
    /// the root with this digest.
    pub(crate) fn with_service(self, root: Digest) -> Self {
        Self {
            service: Some(root),
            ..self
        }
    }

    /// Parses a record; empty unless this build wrote it, whole and on this day.
    pub fn read(bytes: &[u8], day: Date) -> Self {
        Self::read_whole(bytes, day).unwrap_or_else(|| Self {
            day,
            ..Self::default()
        })
    }

    /// Parses a record; `None` for one of another build or day, or a damaged one.
    fn read_whole(bytes: &[u8], day: Date) -> Option<Self> {
        // The lines at the start before the digest: a record of another build is usual, a damaged
        // one is not. Only then are the rows read, whose form is that of this build.
        let (record, end) = bytes.split_last_chunk::<END>()?;
        let rows = record
            .strip_prefix(head(day).as_bytes())
            .filter(|_| Sha256::digest(record)[..] == end[..])?;
        let ((service, rows), rest): (Rows, _) = postcard::take_from_bytes(rows).ok()?;
        if !rest.is_empty() {
            return None;
        }

        let row = |(path, content, trees, draft_errors): Row| {
            (
                path.to_owned(),
                CheckedFolder {
                    content,
                    trees: trees.into(),
                    draft_errors: draft_errors.into_owned(),
                },
            )
        };

        Some(Self {
            day,
            service,
            folders: rows.into_iter().map(row).collect(),
        })
    }

    /// The bytes of the record, which [`read`](Self::read) parses: three lines of text, then the
    /// folders, then a digest.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows: Rows = (
            self.service,
            self.folders
                .iter()
                .map(|(path, folder)| folder.row(path))
                .collect(),
        );

        // Neither texts nor bytes can fail to be written to memory.
        let mut bytes = postcard::to_extend(&rows, head(self.day).into_bytes()).unwrap_or_default();

        bytes.extend(Sha256::digest(&bytes));
        bytes
    }

    /// The number of folders.
    pub fn count(&self) -> usize {
        self.folders.len()
    }

    /// Whether the file of the service was checked, among files at the root with this digest.
    pub(crate) fn holds_service(&self, root: Digest) -> bool {
        self.service == Some(root)
    }

    /// A folder, if it was checked with these files.
    pub(crate) fn folder(&self, path: &str, content: Digest) -> Option<&CheckedFolder> {
        self.folders
            .get(path)
            .filter(|checked| checked.content == content)
    }
}

impl CheckedFolder {
    fn from_folder(folder: &Folder) -> Self {
        let draft_errors = folder.drafts.iter().map(|draft| draft.errors).collect();
        Self {
            content: folder.content,
            trees: Arc::clone(&folder.trees),
            draft_errors,
        }
    }

    fn row<'r>(&'r self, path: &'r str) -> Row<'r> {
        (
            path,
            self.content,
            &self.trees,
            Cow::Borrowed(&self.draft_errors),
        )
    }
}

/// The lines at the start of a record: format, build, day.
fn head(day: Date) -> String {
    format!("{FORMAT}\n{PROGRAM}\n{day}\n")
}
