//! Laws by which a receipt is computed again: the rules at hand, then the rule sets that the service
//! has kept.

use std::path::{Path, PathBuf};

use bareme_engine::Loader;
use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_receipts::again::{Again, compute};
use bareme_receipts::check::Attested;
use bareme_show::say;

use crate::rule_files::RuleFiles;
use crate::session::{Failure, Session};

/// The file at the root of every rule set.
const SERVICE: &str = "service.yaml";

/// The rule sets at hand, those that were read first.
#[derive(Debug)]
pub(crate) struct LawsAtHand {
    read: Vec<Rules>,
    /// Sets of an archive that are not read yet, the newest last.
    unread: Vec<PathBuf>,
}

impl LawsAtHand {
    /// The rules of the session, and the sets of an archive.
    ///
    /// # Errors
    /// Rules that were named cannot be read, or the archive has no set.
    pub(crate) fn find(archive: Option<&Path>, session: &Session) -> Result<Self, Failure> {
        let read = match RuleFiles::find(session, &[]) {
            Ok(files) => vec![files.read_good(Drafts::Aside, false, session)?],
            Err(failure) if session.rules.is_some() => return Err(failure),
            Err(_) => Vec::new(),
        };
        let unread = archive.map_or(Ok(Vec::new()), |archive| sets(archive, session))?;

        Ok(Self { read, unread })
    }

    /// Computes a calculation again by the first set that has its law. Sets are read as they are
    /// needed: most receipts are of the last ones.
    pub(crate) fn compute(&mut self, attested: &Attested) -> Again {
        let mut known = self.read.iter().map(|rules| compute(rules, attested));
        if let Some(found) = known.find(|again| *again != Again::LawNotAtHand) {
            return found;
        }

        while let Some(folder) = self.unread.pop() {
            // Whoever published the set has checked it: a folder with errors was left out then too.
            let loaded = Loader::new().unchecked().without_cases();
            let Some(rules) = loaded.load_service(&folder).rules else {
                continue;
            };
            let again = compute(&rules, attested);
            self.read.push(rules);
            if again != Again::LawNotAtHand {
                return again;
            }
        }
        Again::LawNotAtHand
    }
}

/// The folders of the sets of an archive, in the order of their names, which is that of the sets.
fn sets(archive: &Path, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let shown = archive.display();
    let entries = std::fs::read_dir(archive)
        .map_err(|error| Failure::unusable(format!("`{shown}`: {error}")))?;

    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut sets: Vec<PathBuf> = folders
        .filter(|folder| folder.join(SERVICE).is_file())
        .collect();
    sets.sort();
    if sets.is_empty() {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{shown}` n’a aucun jeu de barèmes : l’écrire par `bareme-server rules export --to \
             {shown}`.",
            "`{shown}` has no rule set: write it by `bareme-server rules export --to {shown}`."
        )));
    }
    Ok(sets)
}
