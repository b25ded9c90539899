//! Merkle trees of RFC 9162 (2.1), which are those of RFC 6962: a leaf and a node have prefixes of
//! their own, so that neither can be taken for the other.

use ring::digest::{Context, SHA256};

use crate::Hash;

/// Byte before the text of a leaf.
const LEAF: [u8; 1] = [0];

/// Byte before both halves of a node.
const NODE: [u8; 1] = [1];

/// The hash of a leaf.
pub fn leaf(text: &str) -> Hash {
    hash(&[&LEAF, text.as_bytes()])
}

fn node(left: &Hash, right: &Hash) -> Hash {
    hash(&[&NODE, left, right])
}

fn hash(parts: &[&[u8]]) -> Hash {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    let mut hash = Hash::default();
    hash.copy_from_slice(context.finish().as_ref());
    hash
}

/// A tree of leaves.
///
/// ```
/// use bareme_receipts::merkle::{Tree, leaf, root_by};
///
/// let leaves = ["a", "b", "c"].map(leaf);
/// let tree = Tree::new(leaves.to_vec());
/// let path = tree.path(2);
/// assert_eq!(root_by(leaves[2], (2, 3), &path), Some(tree.root()));
/// ```
#[derive(Debug)]
pub struct Tree {
    /// The leaves, then what each level makes of the one below. An odd last one goes up as it is.
    levels: Vec<Vec<Hash>>,
}

impl Tree {
    /// The tree of these leaves.
    pub fn new(leaves: Vec<Hash>) -> Self {
        let mut levels = vec![leaves];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let above = last.chunks(2).map(|pair| match pair {
                [left, right] => node(left, right),
                // There is no empty part.
                [single, ..] => *single,
                [] => Hash::default(),
            });
            let above = above.collect();
            levels.push(above);
        }
        Self { levels }
    }

    /// The number of leaves.
    pub fn count(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// The root; that of no leaf is the hash of nothing.
    pub fn root(&self) -> Hash {
        let root = self.levels.last().and_then(|level| level.first());
        root.copied().unwrap_or_else(|| hash(&[]))
    }

    /// The path of a leaf: what its hash is joined with, up to the root.
    pub fn path(&self, mut index: usize) -> Vec<Hash> {
        let mut path = Vec::new();
        for level in &self.levels {
            // The other half of a pair differs in the last bit. An odd last one has none, and goes
            // up as it is.
            path.extend(level.get(index ^ 1));
            index /= 2;
        }
        path
    }
}

/// The root that a leaf and its path lead to, where the leaf has this index among so many; `None`
/// where the path is no path of that leaf.
pub fn root_by(leaf: Hash, (index, count): (u64, u64), path: &[Hash]) -> Option<Hash> {
    if index >= count {
        return None;
    }

    // RFC 9162, 2.1.3.2.
    let (mut place, mut last, mut hash) = (index, count - 1, leaf);
    for step in path {
        if last == 0 {
            return None;
        }
        if place % 2 == 1 || place == last {
            hash = node(step, &hash);
            while place % 2 == 0 && place != 0 {
                (place, last) = (place / 2, last / 2);
            }
        } else {
            hash = node(&hash, step);
        }
        (place, last) = (place / 2, last / 2);
    }
    (last == 0).then_some(hash)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn hex(hash: &Hash) -> String {
        hash.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    /// The tree by its definition (RFC 9162, 2.1.1).
    fn defined(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => hash(&[]),
            [single] => *single,
            _ => {
                let half = leaves.len().next_power_of_two() / 2;
                node(&defined(&leaves[..half]), &defined(&leaves[half..]))
            }
        }
    }

    #[test]
    fn the_roots_are_those_that_others_publish() {
        // The test vectors of Certificate Transparency: leaves of these bytes.
        let leaves: [&[u8]; 4] = [&[], &[0], &[0x10], &[0x20, 0x21]];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ];
        for (count, root) in (1..).zip(roots) {
            let leaves = leaves.iter().take(count).map(|leaf| hash(&[&LEAF, leaf]));
            assert_eq!(hex(&Tree::new(leaves.collect()).root()), root);
        }
        assert_eq!(
            hex(&Tree::new(Vec::new()).root()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn each_leaf_has_one_path_at_one_place() {
        for count in 1..=17_usize {
            let leaves: Vec<Hash> = (0..count).map(|index| leaf(&index.to_string())).collect();
            let tree = Tree::new(leaves.clone());
            let root = tree.root();
            assert_eq!(root, defined(&leaves));
            for (index, leaf) in leaves.iter().enumerate() {
                let path = tree.path(index);
                for claimed in 0..=count {
                    for size in 0..=count + 1 {
                        let place = (claimed as u64, size as u64);
                        let is_it = root_by(*leaf, place, &path) == Some(root);
                        let is_right = claimed == index && size == count;
                        // Other counts may have the same path at the same place: the count is
                        // signed with the root.
                        assert!(is_it == is_right || (is_it && size != count), "{place:?}");
                    }
                }
                let own = (index as u64, count as u64);
                for (step, _) in path.iter().enumerate() {
                    let mut other = path.clone();
                    other[step][0] ^= 1;
                    assert_ne!(root_by(*leaf, own, &other), Some(root));
                    other.remove(step);
                    assert_ne!(root_by(*leaf, own, &other), Some(root));
                }
                let longer = [path, vec![root]].concat();
                assert_eq!(root_by(*leaf, own, &longer), None);
            }
        }
    }
}
