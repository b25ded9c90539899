//! A watch for possible changes under the rule folder.
//!
//! Only folders are watched, never files: a rename over a file gives its name a new inode, which a
//! watch on the old one does not see. Each folder is watched by its real path, and so is the folder
//! of every symbolic link on the way to it: swapping one link of a chain (`current` ->
//! `releases/42`, or the `..data` of a Kubernetes mount) changes no watched file.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use bareme_engine::set::most_folders;
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Files count as settled when nothing was written for this long.
const QUIET_TIME: Duration = Duration::from_millis(100);

/// Files that keep changing are read after this long.
const MAX_WAIT: Duration = Duration::from_millis(600);

/// Greatest number of symbolic links followed in one path, as in the system.
const MAX_LINKS: usize = 40;

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Only files.
    Files,
    /// Folders or links too, so that the watched paths must be updated.
    Folders,
}

/// A watch on everything that can change the rules.
pub(super) struct Watch {
    changed: Sender<Change>,
    changes: Receiver<Change>,
    /// Dropping it ends the watch; without one (no inotify left) only polling finds changes.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Watches the folder `root`, an absolute path. The sender of the channel can also end a wait.
    pub(super) fn new(root: &Path, (changed, changes): (Sender<Change>, Receiver<Change>)) -> Self {
        Self {
            _watcher: watcher(root, changed.clone()),
            changed,
            changes,
        }
    }

    /// Updates the watched paths: a folder replaced by another of the same name is no longer
    /// watched.
    pub(super) fn renew(&mut self, root: &Path) {
        self._watcher = watcher(root, self.changed.clone());
    }

    /// Waits for a change, then until the files have settled; `None` after `limit` without a
    /// change.
    pub(super) fn wait(&self, limit: Duration) -> Option<Change> {
        // The channel never closes, since `self` holds a sender.
        let mut change = self.changes.recv_timeout(limit).ok()?;
        let noticed = Instant::now();
        while noticed.elapsed() < MAX_WAIT {
            let Ok(more) = self.changes.recv_timeout(QUIET_TIME) else {
                break;
            };
            change = change.max(more);
        }
        Some(change)
    }
}

/// The watcher of the system; `None` where its limit is exhausted.
fn watcher(root: &Path, changed: Sender<Change>) -> Option<RecommendedWatcher> {
    let paths = WatchedPaths::new(root);
    // The events are judged by the paths as they were when the watch began.
    let watched = paths.clone();
    let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if let Some(change) = event.map_or(Some(Change::Folders), |event| watched.concern(&event)) {
            // The receiver is gone when the service ends.
            changed.send(change).unwrap_or_default();
        }
    });
    let watcher = watcher.map(|mut watcher| {
        for folder in paths.to_watch() {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::debug!(folder = %folder.display(), %error, "folder not watched");
            }
        }
        watcher
    });
    if let Err(error) = &watcher {
        tracing::warn!(%error, "rules cannot be watched, only polled every few seconds");
    }
    watcher.ok()
}

#[derive(Debug, Clone, Default)]
struct WatchedPaths {
    /// Real paths of the rule folders.
    folders: BTreeSet<PathBuf>,
    /// The symbolic links on the way to them, and the root, which may be replaced as a whole.
    links: BTreeSet<PathBuf>,
}

impl WatchedPaths {
    fn new(root: &Path) -> Self {
        let mut paths = Self::default();
        paths.add_links(root);

        // The root itself may be a link, or be replaced by one.
        if let Ok(real) = root.canonicalize() {
            paths.links.insert(real.clone());
            paths.add_folders(real);
        } else {
            paths.links.insert(root.to_owned());
        }

        paths
    }

    /// Adds a folder and those below it, as the reader of the rules enters them: links last, and no
    /// more than it reads. A link may lead out of the rules to a whole file system, which would
    /// take minutes to walk.
    fn add_folders(&mut self, root: PathBuf) {
        // Links come last, so that what they lead to cannot push out the rules themselves.
        let (mut ahead, mut linked) = (VecDeque::from([root]), VecDeque::new());

        while let Some(folder) = ahead.pop_front().or_else(|| linked.pop_front()) {
            if self.folders.len() > most_folders() {
                return;
            }
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            if !self.folders.insert(folder) {
                continue;
            }

            for entry in entries.flatten() {
                let path = entry.path();
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if is_link {
                    self.add_links(&path);
                }

                let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                if !is_hidden
                    && path.is_dir()
                    && let Ok(real) = path.canonicalize()
                {
                    if is_link {
                        linked.push_back(real)
                    } else {
                        ahead.push_back(real)
                    }
                }
            }
        }
    }

    /// Adds every symbolic link in `path`, as the system resolves it from the root of the file
    /// system.
    fn add_links(&mut self, path: &Path) {
        // As the system resolves a path: from the root, name by name, each link replaced by its
        // target.
        let mut here = PathBuf::new();
        let mut ahead: VecDeque<OsString> = names(path);
        let mut followed = 0;

        while let Some(name) = ahead.pop_front() {
            if name == ".." {
                here.pop();
                continue;
            }
            // An absolute target replaces the path so far.
            let next = here.join(&name);
            match fs::read_link(&next) {
                Ok(target) if followed < MAX_LINKS => {
                    followed += 1;
                    self.links.insert(next);
                    for name in names(&target).into_iter().rev() {
                        ahead.push_front(name);
                    }
                }
                _ => here = next,
            }
        }
    }

    fn to_watch(&self) -> BTreeSet<&Path> {
        // A link is watched by its folder: a watch on the link would follow it.
        let of_links = self.links.iter().filter_map(|link| link.parent());
        self.folders
            .iter()
            .map(PathBuf::as_path)
            .chain(of_links)
            .collect()
    }

    /// Kind of the change that an event may mean for the rules. The folder of a link may hold other
    /// things, such as a log that is written at each request; and our own reads must not wake us.
    fn concern(&self, event: &Event) -> Option<Change> {
        // The system has lost events: anything may have changed.
        if event.need_rescan() {
            return Some(Change::Folders);
        }
        let written = AccessKind::Close(AccessMode::Write);
        if matches!(event.kind, EventKind::Access(kind) if kind != written) {
            return None;
        }

        let change = |path: &PathBuf| {
            if self.links.contains(path) || self.folders.contains(path) {
                return Some(Change::Folders);
            }
            let is_inside = path
                .parent()
                .is_some_and(|parent| self.folders.contains(parent));

            is_inside.then(|| {
                if path.is_dir() || path.is_symlink() {
                    Change::Folders
                } else {
                    Change::Files
                }
            })
        };

        event.paths.iter().filter_map(change).max()
    }
}

fn names(path: &Path) -> VecDeque<OsString> {
    let kept = path
        .components()
        .filter(|part| !matches!(part, Component::CurDir));
    kept.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn watching(root: &Path) -> Watch {
        Watch::new(root, std::sync::mpsc::channel())
    }

    const SOON: Duration = Duration::from_secs(3);

    /// A temporary folder with rules, and its real path.
    fn rule_folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        fs::create_dir_all(real.join("rules/ir")).unwrap();
        fs::write(real.join("rules/ir/method.yaml"), "a: 1").unwrap();
        (folder, real)
    }

    #[test]
    fn a_write_and_a_rename_over_a_file_are_noticed() {
        let (_folder, real) = rule_folder();
        let watch = watching(&real.join("rules"));
        fs::write(real.join("rules/ir/method.yaml"), "a: 2").unwrap();
        assert_eq!(watch.wait(SOON), Some(Change::Files));
        fs::write(real.join("new"), "a: 3").unwrap();
        fs::rename(real.join("new"), real.join("rules/ir/method.yaml")).unwrap();
        assert!(watch.wait(SOON).is_some());
        fs::remove_file(real.join("rules/ir/method.yaml")).unwrap();
        assert!(watch.wait(SOON).is_some());
    }

    #[test]
    fn reading_and_neighbours_are_not_changes() {
        let (_folder, real) = rule_folder();
        let watch = watching(&real.join("rules"));
        fs::read(real.join("rules/ir/method.yaml")).unwrap();
        fs::read_dir(real.join("rules")).unwrap().count();
        fs::write(real.join("server.log"), "a line").unwrap();
        assert_eq!(watch.wait(Duration::from_millis(400)), None);
    }

    #[test]
    fn a_swapped_link_is_noticed_wherever_it_is() {
        let (_folder, real) = rule_folder();
        fs::rename(real.join("rules"), real.join("v1")).unwrap();
        symlink("v1", real.join("current")).unwrap();
        symlink("current", real.join("rules")).unwrap();
        let watch = watching(&real.join("rules"));

        fs::create_dir_all(real.join("v2")).unwrap();
        symlink("v2", real.join("next")).unwrap();
        fs::rename(real.join("next"), real.join("current")).unwrap();
        assert!(watch.wait(SOON).is_some());
    }

    #[test]
    fn the_links_inside_the_folder_are_followed_as_in_a_kubernetes_mount() {
        let (_folder, real) = rule_folder();
        let mount = real.join("mount");
        fs::create_dir_all(mount.join("..1/ir")).unwrap();
        symlink("..1", mount.join("..data")).unwrap();
        symlink("..data/ir", mount.join("ir")).unwrap();

        let paths = WatchedPaths::new(&mount);
        assert!(paths.folders.contains(&mount.join("..1/ir")), "{paths:?}");
        assert!(paths.links.contains(&mount.join("..data")), "{paths:?}");

        let watch = watching(&mount);
        fs::create_dir_all(mount.join("..2/ir")).unwrap();
        symlink("..2", mount.join("..data_tmp")).unwrap();
        fs::rename(mount.join("..data_tmp"), mount.join("..data")).unwrap();
        assert_eq!(watch.wait(SOON), Some(Change::Folders));
    }

    #[test]
    fn the_whole_folder_may_be_replaced() {
        let (_folder, real) = rule_folder();
        let watch = watching(&real.join("rules"));
        fs::rename(real.join("rules"), real.join("old")).unwrap();
        assert!(watch.wait(SOON).is_some());
        let watch = watching(&real.join("rules"));
        fs::rename(real.join("old"), real.join("rules")).unwrap();
        assert!(watch.wait(SOON).is_some());
    }

    #[test]
    fn a_circle_of_links_ends() {
        let (_folder, real) = rule_folder();
        symlink("b", real.join("a")).unwrap();
        symlink("a", real.join("b")).unwrap();
        WatchedPaths::new(&real.join("a"));
        symlink(real.join("rules"), real.join("rules/again")).unwrap();
        WatchedPaths::new(&real.join("rules"));
    }

    #[test]
    fn a_link_out_of_the_rules_is_not_walked_without_end() {
        let (_folder, real) = rule_folder();
        let outside = real.join("outside");
        for index in 0..most_folders() * 3 {
            fs::create_dir_all(outside.join(index.to_string())).unwrap();
        }
        symlink(&outside, real.join("rules/a")).unwrap();

        let paths = WatchedPaths::new(&real.join("rules"));
        assert!(
            paths.folders.contains(&real.join("rules/ir")),
            "rules come before what is linked"
        );
        assert_eq!(paths.folders.len(), most_folders() + 1);
    }
}
