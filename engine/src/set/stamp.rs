//! Detection of changed files by their metadata, without reading them.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// A file that changed less than this ago may change again within one tick of its file system's
/// clock.
const MIN_AGE: Duration = Duration::from_secs(2);

/// Identity, size and times of a file. No program changes its bytes without changing one of these,
/// since the system sets the time of the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file; `None` where the system does not provide it, or the last change is too
    /// recent to detect a second one.
    #[cfg(unix)]
    pub(super) fn from_metadata(about: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let since = |seconds: i64| {
            let changed = SystemTime::UNIX_EPOCH
                .checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))?;
            SystemTime::now().duration_since(changed).ok()
        };
        let stamp = Self {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        };

        // The time of the last change, not that of the last modification: the latter is set by
        // programs, such as those that unpack an archive.
        (since(about.ctime())? > MIN_AGE).then_some(stamp)
    }

    /// `None`: this system does not provide the time of the last change.
    #[cfg(not(unix))]
    pub(super) fn from_metadata(_: &Metadata) -> Option<Self> {
        None
    }
}
