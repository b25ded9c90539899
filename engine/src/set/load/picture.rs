//! The picture of a folder.

use std::sync::Arc;

use crate::text::{Picture, Report, RuleFile};

/// The name of the file.
pub(crate) const PICTURE: &str = "picture.svg";

/// Reads it. Its mistakes hold no law back.
pub(super) fn read_picture(file: &Arc<RuleFile>, report: &mut Report) -> Option<Arc<Picture>> {
    let mut own = Report::default();
    let picture = Picture::read(file, &mut own);
    report.extend(own.demoted());
    picture.map(Arc::new)
}
