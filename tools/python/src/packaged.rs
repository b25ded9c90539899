//! The rules that the package holds: those of the folder `rules` when it was built.

use bareme_engine::FileSet;

// `FILES`, pairs of path and text, which `build.rs` writes.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of the rules.
pub(crate) fn files() -> FileSet {
    FileSet::from_texts(FILES.iter().copied())
}
