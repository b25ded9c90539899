//! The keys of the block map around a line, found from the text: a file being edited is seldom valid
//! YAML.

use super::key_of;

/// The keys of the block map that contains the key of a line.
pub(super) fn block_siblings(text: &str, offset: usize) -> Vec<String> {
    let start = text
        .get(..offset)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let margin = offset - start;

    let mut siblings = Vec::new();

    // Upwards: deeper lines are inside other entries, and a line less indented is the parent.
    let before = text.get(..start).unwrap_or_default();
    for line in before.lines().rev().filter_map(BlockLine::read) {
        if line.key_column < margin {
            break;
        }
        siblings.extend(line.key_at(margin));
        if line.indentation < margin {
            break;
        }
    }

    // Downwards, until the map ends.
    let after = text.get(offset..).unwrap_or_default();
    for line in after.split('\n').skip(1).filter_map(BlockLine::read) {
        if line.indentation < margin {
            break;
        }
        siblings.extend(line.key_at(margin));
    }

    siblings
}

/// A line of a block map.
struct BlockLine<'t> {
    indentation: usize,
    /// The column of what is written, which may follow the dash of an element.
    key_column: usize,
    /// The key; none on a line that continues a value.
    key: Option<&'t str>,
}

impl<'t> BlockLine<'t> {
    /// A line; `None` for a blank one, or a remark.
    fn read(line: &'t str) -> Option<Self> {
        let body = line.trim_start_matches([' ', '-']);
        if body.trim().is_empty() || body.starts_with('#') {
            return None;
        }
        Some(Self {
            indentation: line.len() - line.trim_start_matches(' ').len(),
            key_column: line.len() - body.len(),
            key: key_of(body).map(|(key, _)| key),
        })
    }

    /// Its key, where that is written at a column.
    fn key_at(&self, column: usize) -> Option<String> {
        let is_there = self.key_column == column;
        self.key.filter(|_| is_there).map(str::to_owned)
    }
}
