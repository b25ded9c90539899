//! Whether callers can reach every folder.

use crate::diagnostic::{Place, Report};
use crate::files::FileSet;
use crate::problem::Problem;
use crate::service::Service;
use crate::words::normalize;

/// Reports the folders of a family that no word selects, and those that no endpoint answers from.
pub(super) fn check_served(service: &Service, files: &FileSet, report: &mut Report) {
    for (path, files) in &files.folders {
        let Some(place) = files.first().map(Place::of_file) else { continue };
        let mut is_served = false;
        for endpoint in &service.endpoints {
            let word = path.strip_prefix(&endpoint.folder).filter(|_| endpoint.by.is_some());
            is_served |= *path == endpoint.folder || word.is_some_and(|word| word.starts_with('/'));
            let Some(word) = word.and_then(|word| word.strip_prefix('/')) else { continue };
            let near = normalize(word);
            if near != word {
                report.error(&place, Problem::FolderNotCallable { word: word.to_owned(), near });
            }
        }
        // A folder with a mistake may be on its way.
        if !is_served && report.is_ok() {
            report.warn(&place, Problem::FolderNotServed { folder: path.clone() });
        }
    }
}
