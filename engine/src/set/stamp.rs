//! Whether a file on the disk is what it was, without reading it.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// A file that changed more recently than this may change again within one tick of the clock of its file system.
const SETTLED: Duration = Duration::from_secs(2);

/// The place, the size and the times of a file: no program changes its bytes and leaves all of them, since the system
/// itself sets the time of the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file; none where the system keeps none, or the last change is too recent to tell it from a next one.
    #[cfg(unix)]
    pub(super) fn of(about: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let since = |seconds: i64| {
            let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))?;
            SystemTime::now().duration_since(changed).ok()
        };
        let stamp = Self {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        };
        (since(about.ctime())? > SETTLED).then_some(stamp)
    }

    /// None: the time of the last change is not to be had.
    #[cfg(not(unix))]
    pub(super) fn of(_: &Metadata) -> Option<Self> {
        None
    }
}
