//! Aliases: other words that select a folder within its family.

use crate::text::{Node, Place, normalize};

/// Another word that selects a folder within its family.
///
/// [`Folder::aliases`](crate::Folder::aliases) lists those of a folder.
#[derive(Debug, Clone)]
pub struct Alias {
    /// Its spelling in the file, `Côte d’Ivoire`.
    pub name: String,
    /// Its normalized form, used for comparison: `cote_d_ivoire`.
    pub(crate) word: String,
    pub(crate) place: Place,
}

impl Alias {
    pub(super) fn read_all(node: &Node, key: &str) -> Vec<Self> {
        let listed = node.list_of(key);
        listed
            .into_iter()
            .map(|text| Self {
                word: normalize(&text.value),
                name: text.value,
                place: text.place,
            })
            .collect()
    }
}
