//! `bareme-server rules export`: the kept rule sets as folders, by which anybody computes a receipt
//! again without the store.

use std::io;
use std::path::{Path, PathBuf};

use bareme_accounts::store::{self, Location, Purpose, Unavailable};
use clap::Subcommand;

use super::Archive;
use super::index::KeptSet;

/// Commands on the kept rule sets.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Write each kept rule set into a folder of its own, named by its number and by when it came
    /// into force: `bareme verify --archive` reads them. Folders that exist are left as they are.
    Export {
        /// The folder of these folders, which is made if need be.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
}

/// Why the sets cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store cannot be used.
    #[error("--store: {0}")]
    Store(#[from] Unavailable),
    /// A folder cannot be written.
    #[error("--to: `{0}`: {1}")]
    Folder(String, io::Error),
    /// A file of a set is missing in the store, or damaged.
    #[error("set {0}: {1} of its files cannot be read from the store")]
    Files(i64, usize),
}

/// Runs a command.
pub(crate) async fn run(command: &RulesCommand, location: &Location) -> Result<(), ExportError> {
    let RulesCommand::Export { to } = command;
    let store = store::open(location, Purpose::Administration).await?;
    let archive = Archive::new(store);
    archive.read_again().await?;

    let mut written = 0;
    let index = archive.index();
    for set in index.sets() {
        let folder = to.join(name(set));
        // A kept set never changes, and a folder is renamed into place when it is complete: one
        // that exists needs no look.
        if !folder.exists() {
            archive.export(set, &folder).await?;
            written += 1;
        }
    }

    let kept = index.sets().len();
    eprintln!("{written} rule sets written, of {kept} that are kept");
    Ok(())
}

/// The name of the folder of a set: the names are in the order of the sets.
fn name(set: &KeptSet) -> String {
    let published = set.published.strftime("%Y%m%dT%H%M%SZ");
    format!("{:06}-{published}", set.number)
}

impl Archive {
    /// Writes a set into a folder, which is there whole or not at all.
    async fn export(&self, set: &KeptSet, folder: &Path) -> Result<(), ExportError> {
        let state = self.index().state_of(set.number).unwrap_or_default();
        let texts = self.texts(&state, |_| true).await?;
        let missing = state.files.len() - texts.len();

        // Without one of its files a set may still compile, into another law.
        if missing > 0 {
            return Err(ExportError::Files(set.number, missing));
        }

        // Written beside first: a program that reads meanwhile, or a disk that is full, meets no
        // half of a set.
        let failed = |error| ExportError::Folder(folder.display().to_string(), error);
        let partial = folder.with_extension("partial");
        if partial.exists() {
            std::fs::remove_dir_all(&partial).map_err(failed)?;
        }
        for (path, text) in &texts {
            let file = partial.join(path);
            let parent = file.parent().unwrap_or(&partial);
            std::fs::create_dir_all(parent).map_err(failed)?;
            std::fs::write(&file, text).map_err(failed)?;
        }
        std::fs::rename(&partial, folder).map_err(failed)
    }
}
