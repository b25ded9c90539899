//! The reader of a rule folder on disk: finds the files and reads them.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::set::files::{
    FileSet, FilesOfFolder, MAX_DEPTH, MEGABYTE, decoded, is_rule_file, whole,
};
use crate::set::stamp::Stamp;
use crate::text::diagnostic::ROOT_PATH;
use crate::text::limits::{FILE_MEGABYTES, FILES, FOLDERS, Limit, SET_MEGABYTES};
use crate::text::{Problem, RuleFile, Text};

/// A walk through a folder that collects a [`FileSet`].
#[derive(Default)]
pub(super) struct Walk<'f> {
    found: FileSet,
    /// The files of the earlier read.
    before: Option<&'f FileSet>,
    /// The folders entered, by canonical path, each with the path under which it was first found.
    entered: HashMap<PathBuf, String>,
    /// Links to folders that are still to be entered, with their paths.
    links: VecDeque<(PathBuf, String)>,
    bytes: u64,
    /// The path at which the set exceeded a limit of the whole set, with the limit: the walk stops
    /// there.
    exceeded: Option<(String, &'static Limit)>,
}

impl<'f> Walk<'f> {
    /// A walk that takes unchanged files from an earlier set.
    pub(super) fn after(before: &'f FileSet) -> Self {
        Self {
            before: Some(before),
            ..Self::default()
        }
    }

    /// Reads the files below a folder.
    pub(super) fn set(mut self, root: &Path) -> FileSet {
        self.folder(root, "");
        // Links come last, so that a folder and a link to it are reported as a duplicate at the
        // link.
        while let Some((folder, path)) = self.links.pop_front() {
            self.folder(&folder, &path);
        }
        self.found.checked(self.exceeded)
    }

    /// Reports a file or folder that is not read.
    fn error(&mut self, path: &str, problem: Problem) {
        let path = if path.is_empty() { ROOT_PATH } else { path };
        self.found.report.error(&whole(path), problem);
    }

    /// Ends the walk: the set exceeds a limit.
    fn stop(&mut self, path: &str, limit: &'static Limit) {
        self.exceeded
            .get_or_insert_with(|| (path.to_owned(), limit));
    }

    /// Reads a folder and those below it; `path` is its path from the root of the rules.
    fn folder(&mut self, folder: &Path, path: &str) {
        // 1. Each folder once, by its real path: links could make a circle.
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if let Some(other) = self.entered.get(&real) {
            let other = if other.is_empty() {
                ROOT_PATH.to_owned()
            } else {
                other.clone()
            };
            return self.error(path, Problem::FolderTwice { other });
        }

        if self.entered.len() > FOLDERS.most {
            self.stop(path, &FOLDERS);
        }
        if self.exceeded.is_some() {
            return;
        }
        self.entered.insert(real, path.to_owned());

        // 2. Its entries.
        let entries = self.entries(folder, path);
        if entries.is_empty() && !path.is_empty() && self.found.is_complete(path) {
            self.found
                .report
                .warn(&whole(path), Problem::EmptyFolder {});
        }

        // 3. Its files now, the folders in it as they come, links to folders at the end of the
        // walk.
        let mut files = Vec::new();
        for (name, entry) in entries {
            let inside = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            if entry.is_dir() && entry.is_symlink() {
                self.links.push_back((entry, inside));
            } else if entry.is_dir() {
                self.folder(&entry, &inside);
            } else if path.split('/').count() > MAX_DEPTH {
                self.error(&inside, Problem::FileTooDeep { most: MAX_DEPTH });
            } else {
                match self.file(&entry, inside) {
                    Some(file) => files.push(file),
                    None => self.skip_file_of(path),
                }
            }
        }

        // 4. A folder with nothing but subfolders is not one of the set.
        let files = FilesOfFolder::new(files);
        if path.is_empty() {
            self.found.root = files.same_as(self.before.map(|before| &before.root));
        } else if !files.is_empty() || !self.found.is_complete(path) {
            let files = files.same_as(self.before.and_then(|before| before.folders.get(path)));
            self.found.folders.insert(path.to_owned(), files);
        }
    }

    /// Notes that a file of a folder was not read.
    fn skip_file_of(&mut self, folder: &str) {
        self.found.incomplete.insert(folder.to_owned());
    }

    /// The subfolders and rule files of a folder, by name; none if there are too many.
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
            let (name, path) = (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            );

            // Names with a leading point belong to editors, and to volumes that are updated by
            // swapping links.
            if name.starts_with('.') || !(is_rule_file(&name) || path.is_dir()) {
                continue;
            }

            // The system may list millions of entries: the loop ends where a limit is passed.
            files += usize::from(is_rule_file(&name));
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

        // Systems list entries in any order; reports and digests need one.
        found.sort();
        found
    }

    /// Reads a file, or takes it from the earlier set; `inside` is its path from the root of the
    /// rules.
    fn file(&mut self, path: &Path, inside: String) -> Option<Arc<RuleFile>> {
        if self.exceeded.is_some() {
            return None;
        }

        let about = fs::metadata(path).map_err(|error| unreadable(&error));

        // Taken before the file is read: a change meanwhile makes the stamp differ.
        let stamp = about.as_ref().ok().and_then(Stamp::from_metadata);
        let known = stamp.and_then(|stamp| self.known(&inside, stamp));
        let read = || Ok(RuleFile::new(inside.clone(), text(path, &about?)?));

        match known.map_or_else(read, Ok) {
            Ok(file) => {
                // Many small files are bounded too, those taken from the earlier set included.
                self.bytes += file.text().len() as u64;
                if self.bytes > SET_MEGABYTES.most as u64 * MEGABYTE {
                    self.stop(&inside, &SET_MEGABYTES);
                    return None;
                }
                self.found.stamps.extend(stamp.map(|stamp| (inside, stamp)));
                Some(file)
            }
            Err(problem) => {
                self.error(&inside, problem);
                None
            }
        }
    }

    /// The file read at this path before, if its stamp is unchanged.
    fn known(&self, path: &str, stamp: Stamp) -> Option<Arc<RuleFile>> {
        let before = self.before?;
        before
            .file(path)
            .filter(|_| before.stamps.get(path) == Some(&stamp))
            .cloned()
    }
}

/// The problem of a file that the system cannot read.
fn unreadable(error: &std::io::Error) -> Problem {
    let fr = match error.kind() {
        ErrorKind::NotFound => "il n’existe pas".to_owned(),
        ErrorKind::PermissionDenied => "le droit de le lire manque".to_owned(),
        _ => error.raw_os_error().map_or_else(
            || "le système ne le donne pas".to_owned(),
            |code| format!("le système ne le donne pas (erreur {code})"),
        ),
    };
    Problem::Unreadable {
        reason: Text {
            fr,
            en: error.to_string(),
        },
    }
}

/// The text of a regular file of bounded size. Reading a pipe or a device might never end.
fn text(path: &Path, about: &fs::Metadata) -> Result<String, Problem> {
    let most = FILE_MEGABYTES.most as u64 * MEGABYTE;
    if !about.is_file() {
        return Err(Problem::NoRegularFile {});
    }

    let mut bytes = Vec::new();
    if about.len() <= most {
        // Reserve the exact size: the text stays in memory, and a growing buffer leaves spare
        // capacity behind.
        bytes.reserve_exact(usize::try_from(about.len()).unwrap_or_default());

        let file = File::open(path).map_err(|error| unreadable(&error))?;
        // The size is bounded again, in case the file grows while it is read.
        file.take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
    }
    if about.len() > most {
        return Err(FILE_MEGABYTES.problem());
    }

    decoded(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// A folder `zz` with one file, and the report after a change to it.
    fn reported(change: impl FnOnce(&Path)) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("zz")).unwrap();
        fs::write(root.path().join("zz/method.yaml"), "a: 1").unwrap();
        change(root.path());
        FileSet::read(root.path())
            .report
            .errors()
            .map(|one| format!("{} {}", one.code(), one.file()))
            .collect()
    }

    #[test]
    fn what_is_no_regular_file_is_reported_and_not_opened() {
        let pipe = |root: &Path| {
            assert!(
                Command::new("mkfifo")
                    .arg(root.join("zz/a.yaml"))
                    .status()
                    .unwrap()
                    .success()
            )
        };
        assert_eq!(reported(pipe), ["M10 zz/a.yaml"]);
        assert_eq!(
            reported(|root| symlink("/dev/zero", root.join("zz/a.yaml")).unwrap()),
            ["M10 zz/a.yaml"]
        );
        assert_eq!(
            reported(|root| symlink("a.yaml", root.join("zz/a.yaml")).unwrap()),
            ["M01 zz/a.yaml"]
        );
    }

    #[test]
    fn a_text_takes_no_more_memory_than_its_length() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("method.yaml");
        fs::write(&path, "a: 1\n".repeat(5_000)).unwrap();
        let read = text(&path, &fs::metadata(&path).unwrap()).unwrap();
        assert_eq!((read.len(), read.capacity()), (25_000, 25_000));
    }

    #[test]
    fn a_file_larger_than_the_limit_is_reported_and_not_read() {
        let grown = |megabytes: u64| {
            move |root: &Path| {
                File::create(root.join("zz/a.yaml"))
                    .unwrap()
                    .set_len(megabytes << 20)
                    .unwrap()
            }
        };
        assert_eq!(reported(grown(2048)), ["L01 zz/a.yaml"]);
        assert_eq!(reported(grown(4)), Vec::<String>::new());
    }

    #[test]
    fn no_folder_is_entered_twice() {
        assert_eq!(
            reported(|root| symlink(root, root.join("zz/again")).unwrap()),
            ["M11 zz/again"]
        );
        assert_eq!(
            reported(|root| symlink("zz", root.join("zy")).unwrap()),
            ["M11 zy"]
        );
        assert_eq!(
            reported(|root| symlink("zz", root.join("zzz")).unwrap()),
            ["M11 zzz"]
        );
        assert_eq!(
            reported(|root| symlink("../zz", root.join("zz/again")).unwrap()),
            ["M11 zz/again"]
        );
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
            (0..=FILES.most).for_each(|index| {
                fs::write(root.join(format!("zz/method-{index}.yaml")), "a: 1").unwrap()
            });
        };
        assert_eq!(reported(many), ["L04 zz"]);
    }

    #[test]
    fn the_whole_set_is_bounded() {
        let large = |root: &Path| {
            let file =
                |index: u64| File::create(root.join(format!("zz/method-{index:02}.yaml"))).unwrap();
            (0..17).for_each(|index| file(index).set_len(4 << 20).unwrap());
        };
        assert_eq!(reported(large), ["L02 zz/method-16.yaml"]);
        let folders = |root: &Path| {
            (0..1000).for_each(|index| fs::create_dir(root.join(format!("a{index:03}"))).unwrap())
        };
        assert_eq!(reported(folders), ["L03 zz"]);
    }
}
