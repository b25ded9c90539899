//! Laws by which a receipt is computed again: the rules at hand, then the rule sets that the service
//! has kept.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use bareme_engine::Loader;
use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_receipts::again::{Again, compute};
use bareme_receipts::check::Attested;

use crate::archive::Archive;
use crate::rule_files::RuleFiles;
use crate::session::{Failure, Session};

/// The rule sets at hand, those that were read first.
#[derive(Debug)]
pub(crate) struct LawsAtHand {
    read: Vec<Rules>,
    /// Sets of an archive that are not read yet, the newest first.
    unread: VecDeque<PathBuf>,
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
        let archive = archive
            .map(Archive::open)
            .transpose()
            .map_err(|error| Failure::unusable(error.text(session.lang)))?;
        let unread = archive.iter().flat_map(Archive::roots).map(Path::to_owned);

        Ok(Self {
            read,
            unread: unread.collect(),
        })
    }

    /// Computes a calculation again by the first set that has its law. Sets are read as they are
    /// needed: most receipts are of the last ones.
    pub(crate) fn compute(&mut self, attested: &Attested) -> Again {
        let mut known = self.read.iter().map(|rules| compute(rules, attested));
        if let Some(found) = known.find(|again| *again != Again::LawNotAtHand) {
            return found;
        }

        while let Some(folder) = self.unread.pop_front() {
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
