//! Check that callers can reach every folder.

use std::collections::BTreeSet;

use crate::run::rules::word_in;
use crate::set::files::FileSet;
use crate::text::{Place, Problem, Report, normalize};

use super::Service;

/// Reports folders of a family that no word selects, and folders without an endpoint that no other
/// folder calculates.
pub(super) fn check_reachable(
    service: &Service,
    files: &FileSet,
    called: &BTreeSet<&str>,
    report: &mut Report,
) {
    for (path, files) in &files.folders {
        // A folder is reported at its first file, having no place of its own.
        let Some(place) = files.first().map(Place::of_file) else {
            continue;
        };

        // Parities are read by the pages, and some folders by others: without an endpoint of their own.
        let mut is_served =
            service.parities.as_ref() == Some(path) || called.contains(path.as_str());
        for endpoint in &service.endpoints {
            let word = endpoint
                .by
                .as_ref()
                .and_then(|_| word_in(&endpoint.folder, path));

            is_served |= *path == endpoint.folder || word.is_some();

            let Some(word) = word else { continue };

            // Words of queries are normalized before they are looked up: a folder named otherwise
            // is never found.
            let near = normalize(word);
            if near != word {
                report.error(
                    &place,
                    Problem::FolderNotCallable {
                        word: word.to_owned(),
                        near,
                    },
                );
            }
        }

        // A folder with errors may still be in the making.
        if !is_served && report.is_ok() {
            report.warn(
                &place,
                Problem::FolderNotServed {
                    folder: path.clone(),
                },
            );
        }
    }
}
