//! The files of a rule folder at one moment: which ones, what they say, and what cannot be read.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::law::source::parse_date;
use crate::run::rules::version_of;
use crate::text::diagnostic::{Diagnostic, Place, ROOT, Report, RuleFile, folder_of};
use crate::text::lang::{Lang, Text};
use crate::text::limits::{FILE_MEGABYTES, FILES, FOLDERS, Limit, SET_MEGABYTES};
use crate::text::problem::Problem;

/// The greatest depth of nested folders: `salaire-net/ci` is two.
pub(super) const DEPTH: usize = 4;

pub(super) const MEGABYTE: u64 = 1 << 20;

/// The YAML files of a rule set at one moment: read below a folder, or given as texts.
///
/// ```
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let files = bareme_engine::FileSet::read(root);
/// assert!(files.paths().any(|path| path == "tva/method.yaml"));
/// // Changes with any byte of any file.
/// assert_eq!(files.fingerprint(), bareme_engine::FileSet::read(root).fingerprint());
/// ```
#[derive(Debug, Clone, Default)]
pub struct FileSet {
    pub(crate) root: Vec<Arc<RuleFile>>,
    pub(crate) folders: BTreeMap<String, Vec<Arc<RuleFile>>>,
    /// Folders of which not every file was read.
    pub(super) incomplete: BTreeSet<String>,
    /// Whether there are no rules to read, or more than are read: nothing else is then worth saying.
    pub(crate) is_refused: bool,
    /// The files that cannot be read, and why.
    pub(crate) report: Report,
}

impl FileSet {
    /// Reads the files below a folder. Only regular files of a bounded size are opened, and no folder is entered
    /// twice, whatever links lead to it.
    pub fn read(root: &Path) -> Self {
        let mut walk = Walk::default();
        walk.folder(root, "");
        // Links come last, so that of a folder and a link to it the link is reported as the duplicate.
        while let Some((folder, path)) = walk.links.pop_front() {
            walk.folder(&folder, &path);
        }
        walk.found.checked(walk.exceeded)
    }

    /// Refuses a set that exceeded a limit at some path, or that holds no rules.
    pub(super) fn checked(mut self, exceeded: Option<(String, &'static Limit)>) -> Self {
        if let Some((path, limit)) = exceeded {
            self.refuse(&path, limit.problem());
        } else if self.folders.is_empty() {
            // Where the reading failed, what it met says more.
            self.is_refused = true;
            if self.report.is_ok() {
                self.refuse(ROOT, Problem::NoRules {});
            }
        }
        self
    }

    /// Leaves one thing to say of the set.
    fn refuse(&mut self, path: &str, problem: Problem) {
        self.is_refused = true;
        self.report = Report::default();
        self.report.error(&whole(path), problem);
    }

    /// Paths of the files, from the rule folder.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.all().map(|file| file.path())
    }

    /// The files, each with its path and its text: [`from_texts`](Self::from_texts) makes the same set of them, where every
    /// file could be read.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().map(|file| (file.path(), file.text()))
    }

    /// Paths of the folders with files that were read, from the rule folder.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().filter(|(_, files)| !files.is_empty()).map(|(path, _)| path.as_str())
    }

    /// The files of one folder alone, with what was found wrong in reading them, for a folder that is checked by itself.
    ///
    /// ```
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let files = bareme_engine::FileSet::read(root);
    /// assert_eq!(files.of_folder("tva").folders().collect::<Vec<_>>(), ["tva"]);
    /// assert_eq!(files.of_folder("absent").folders().count(), 0);
    /// ```
    #[must_use]
    pub fn of_folder(&self, path: &str) -> Self {
        let is_inside = |found: &Diagnostic| found.file() == path || folder_of(found.file()) == path;
        Self {
            root: Vec::new(),
            folders: self.folders.get_key_value(path).map(|(path, files)| (path.clone(), files.clone())).into_iter().collect(),
            incomplete: self.incomplete.iter().filter(|folder| *folder == path).cloned().collect(),
            is_refused: self.is_refused,
            report: self.report.only(is_inside),
        }
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        let files = match folder_of(path) {
            "" => &self.root,
            folder => self.folders.get(folder)?,
        };
        files.iter().find(|file| file.path() == path).map(|file| file.text())
    }

    /// Digest of all that was found, files that cannot be read included: it changes when anything changes.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        self.all().for_each(|file| add(file, &mut digest));
        for reported in self.report.all() {
            for part in [reported.file(), reported.code(), &reported.message(Lang::En)] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
        }
        digest.finalize().into()
    }

    /// Whether every file of a folder was read: what could not be read is reported, not missing.
    pub(crate) fn is_complete(&self, folder: &str) -> bool {
        !self.incomplete.contains(folder)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<RuleFile>> {
        self.root.iter().chain(self.folders.values().flatten())
    }
}

/// First 64 bits of the SHA-256 of names and contents.
pub(crate) fn hash<'f>(files: impl IntoIterator<Item = &'f Arc<RuleFile>>) -> String {
    let mut digest = Sha256::new();
    files.into_iter().for_each(|file| add(file, &mut digest));
    version_of(digest)
}

fn add(file: &RuleFile, digest: &mut Sha256) {
    for part in [file.path(), file.text()] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
}

/// The place of a file or folder that was not read.
pub(super) fn whole(path: &str) -> Place {
    Place::of_file(&RuleFile::new(path, ""))
}

/// A name that ends like a YAML file, in any case, or is that of one to which an editor added `.txt` or gave no ending:
/// one that is misspelt must be reported, not passed over.
pub(super) fn is_yaml(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.strip_suffix(".txt").unwrap_or(&name);
    name.ends_with(".yaml") || name.ends_with(".yml") || parse_date(name).is_some()
}

/// A folder on its way into a [`FileSet`].
#[derive(Default)]
struct Walk {
    found: FileSet,
    /// The folders entered, by their real paths, each with the path it was first found under.
    entered: HashMap<PathBuf, String>,
    /// Folders that are links, not entered yet, with their paths.
    links: VecDeque<(PathBuf, String)>,
    bytes: u64,
    /// The path at which the set exceeded a limit of the whole, and the limit: the walk stops there.
    exceeded: Option<(String, &'static Limit)>,
}

impl Walk {
    fn error(&mut self, path: &str, problem: Problem) {
        let path = if path.is_empty() { ROOT } else { path };
        self.found.report.error(&whole(path), problem);
    }

    fn stop(&mut self, path: &str, limit: &'static Limit) {
        self.exceeded.get_or_insert_with(|| (path.to_owned(), limit));
    }

    fn folder(&mut self, folder: &Path, path: &str) {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if let Some(other) = self.entered.get(&real) {
            let other = if other.is_empty() { ROOT.to_owned() } else { other.clone() };
            return self.error(path, Problem::FolderTwice { other });
        }
        if self.entered.len() > FOLDERS.most {
            self.stop(path, &FOLDERS);
        }
        if self.exceeded.is_some() {
            return;
        }
        self.entered.insert(real, path.to_owned());
        let entries = self.entries(folder, path);
        if entries.is_empty() && !path.is_empty() && self.found.is_complete(path) {
            self.found.report.warn(&whole(path), Problem::EmptyFolder {});
        }
        let mut files = Vec::new();
        for (name, entry) in entries {
            let inside = if path.is_empty() { name } else { format!("{path}/{name}") };
            if entry.is_dir() && entry.is_symlink() {
                self.links.push_back((entry, inside));
            } else if entry.is_dir() {
                self.folder(&entry, &inside);
            } else if path.split('/').count() > DEPTH {
                self.error(&inside, Problem::FileTooDeep { most: DEPTH });
            } else {
                match self.file(&entry, inside) {
                    Some(file) => files.push(file),
                    None => self.skip_file_of(path),
                }
            }
        }
        if path.is_empty() {
            self.found.root = files;
        } else if !files.is_empty() || !self.found.is_complete(path) {
            self.found.folders.insert(path.to_owned(), files);
        }
    }

    fn skip_file_of(&mut self, folder: &str) {
        self.found.incomplete.insert(folder.to_owned());
    }

    /// The folders and YAML files of a folder, by name; none if there are too many.
    fn entries(&mut self, folder: &Path, path: &str) -> Vec<(String, PathBuf)> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.error(path, unreadable(&error));
                self.skip_file_of(path);
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        let mut files = 0;
        for entry in entries.flatten() {
            let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            // What starts with a point belongs to editors and to mounts that swap links.
            if name.starts_with('.') || !(is_yaml(&name) || path.is_dir()) {
                continue;
            }
            files += usize::from(is_yaml(&name));
            if files > FILES.most || found.len() > FILES.most + FOLDERS.most {
                break;
            }
            found.push((name, path));
        }
        if files > FILES.most {
            self.error(path, FILES.problem());
            self.skip_file_of(path);
            return Vec::new();
        }
        found.sort();
        found
    }

    fn file(&mut self, path: &Path, inside: String) -> Option<Arc<RuleFile>> {
        if self.exceeded.is_some() {
            return None;
        }
        match text(path) {
            Ok(text) => {
                self.bytes += text.len() as u64;
                if self.bytes > SET_MEGABYTES.most as u64 * MEGABYTE {
                    self.stop(&inside, &SET_MEGABYTES);
                    return None;
                }
                Some(RuleFile::new(inside, text))
            }
            Err(problem) => {
                self.error(&inside, problem);
                None
            }
        }
    }
}

/// Why the system does not give a file.
fn unreadable(error: &std::io::Error) -> Problem {
    let fr = match error.kind() {
        ErrorKind::NotFound => "il n’existe pas".to_owned(),
        ErrorKind::PermissionDenied => "le droit de le lire manque".to_owned(),
        _ => error.raw_os_error().map_or_else(
            || "le système ne le donne pas".to_owned(),
            |code| format!("le système ne le donne pas (erreur {code})"),
        ),
    };
    Problem::Unreadable { reason: Text { fr, en: error.to_string() } }
}

/// The text of a regular file of a bounded size. A pipe or a device would be read for ever.
fn text(path: &Path) -> Result<String, Problem> {
    let about = fs::metadata(path).map_err(|error| unreadable(&error))?;
    let most = FILE_MEGABYTES.most as u64 * MEGABYTE;
    if !about.is_file() {
        return Err(Problem::NoRegularFile {});
    }
    let mut bytes = Vec::new();
    if about.len() <= most {
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        // What grows while it is read is bounded too.
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    }
    if about.len() > most {
        return Err(FILE_MEGABYTES.problem());
    }
    decoded(bytes)
}

/// The text of the bytes of a file.
pub(super) fn decoded(bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.len() as u64 > FILE_MEGABYTES.most as u64 * MEGABYTE {
        return Err(FILE_MEGABYTES.problem());
    }
    String::from_utf8(bytes).map_err(|error| {
        let is_utf16 = error.as_bytes().starts_with(&[0xff, 0xfe]) || error.as_bytes().starts_with(&[0xfe, 0xff]);
        Problem::NotUtf8 { encoding: if is_utf16 { "UTF-16" } else { "Windows-1252" } }
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// A folder `zz` with one file, and what the reading says after a change to it.
    fn reported(change: impl FnOnce(&Path)) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("zz")).unwrap();
        fs::write(root.path().join("zz/method.yaml"), "a: 1").unwrap();
        change(root.path());
        FileSet::read(root.path()).report.errors().map(|one| format!("{} {}", one.code(), one.file())).collect()
    }

    #[test]
    fn what_is_no_regular_file_is_told_and_not_opened() {
        let pipe =
            |root: &Path| assert!(Command::new("mkfifo").arg(root.join("zz/a.yaml")).status().unwrap().success());
        assert_eq!(reported(pipe), ["M10 zz/a.yaml"]);
        assert_eq!(reported(|root| symlink("/dev/zero", root.join("zz/a.yaml")).unwrap()), ["M10 zz/a.yaml"]);
        assert_eq!(reported(|root| symlink("a.yaml", root.join("zz/a.yaml")).unwrap()), ["M01 zz/a.yaml"]);
    }

    #[test]
    fn a_file_larger_than_the_limit_is_told_and_not_read() {
        let grown = |megabytes: u64| {
            move |root: &Path| File::create(root.join("zz/a.yaml")).unwrap().set_len(megabytes << 20).unwrap()
        };
        assert_eq!(reported(grown(2048)), ["L01 zz/a.yaml"]);
        assert_eq!(reported(grown(4)), Vec::<String>::new());
    }

    #[test]
    fn no_folder_is_entered_twice() {
        assert_eq!(reported(|root| symlink(root, root.join("zz/again")).unwrap()), ["M11 zz/again"]);
        assert_eq!(reported(|root| symlink("zz", root.join("zy")).unwrap()), ["M11 zy"]);
        assert_eq!(reported(|root| symlink("zz", root.join("zzz")).unwrap()), ["M11 zzz"]);
        assert_eq!(reported(|root| symlink("../zz", root.join("zz/again")).unwrap()), ["M11 zz/again"]);
        let circle = |root: &Path| {
            symlink("b", root.join("a")).unwrap();
            symlink("a", root.join("b")).unwrap();
        };
        assert_eq!(reported(circle), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_passed_over_in_silence() {
        let deep = |root: &Path| {
            fs::create_dir_all(root.join("zz/a/b/c/d")).unwrap();
            fs::write(root.join("zz/a/b/c/d/method.yaml"), "a: 1").unwrap();
        };
        assert_eq!(reported(deep), ["M12 zz/a/b/c/d/method.yaml"]);
        let many = |root: &Path| {
            (0..=FILES.most).for_each(|index| fs::write(root.join(format!("zz/method-{index}.yaml")), "a: 1").unwrap());
        };
        assert_eq!(reported(many), ["L04 zz"]);
    }

    #[test]
    fn the_whole_set_is_bounded() {
        let large = |root: &Path| {
            let file = |index: u64| File::create(root.join(format!("zz/method-{index:02}.yaml"))).unwrap();
            (0..17).for_each(|index| file(index).set_len(4 << 20).unwrap());
        };
        assert_eq!(reported(large), ["L02 zz/method-16.yaml"]);
        let folders =
            |root: &Path| (0..1000).for_each(|index| fs::create_dir(root.join(format!("a{index:03}"))).unwrap());
        assert_eq!(reported(folders), ["L03 zz"]);
    }

    #[test]
    fn the_fingerprint_follows_names_and_bytes_of_rule_files_only() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        let now = || FileSet::read(root.path()).fingerprint();
        fs::create_dir(root.path().join("ir")).unwrap();
        write("ir/method.yaml", "a: 1");
        let first = now();
        for (name, text) in [("ir/method.yaml", "a: 1"), ("ir/.method.yaml.swp", "x"), ("ir/notes.md", "x")] {
            write(name, text);
        }
        assert_eq!(now(), first);
        write("ir/method.yaml", "a: 2");
        let second = now();
        assert_ne!(second, first);
        fs::rename(root.path().join("ir/method.yaml"), root.path().join("ir/other.YAML")).unwrap();
        assert_ne!(now(), second);
        fs::remove_dir_all(root.path().join("ir")).unwrap();
        assert_ne!(now(), FileSet::read(&root.path().join("missing")).fingerprint());
    }
}
