//! Changes to the text of a file that leave everything else of it as it was written.

use std::ops::Range;

/// A part of a text and what takes its place.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub place: Range<usize>,
    pub text: String,
}

impl Edit {
    /// Something written in between.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { place: at..at, text: text.into() }
    }

    /// Something written instead.
    pub(crate) fn replace(place: Range<usize>, text: impl Into<String>) -> Self {
        Self { place, text: text.into() }
    }
}

/// The text with every change made. They must not overlap.
pub(crate) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    let mut text = text.to_owned();
    // From the end, so that the places of those before stay right.
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.place.start, edit.place.end)));
    for edit in edits {
        text.replace_range(edit.place, &edit.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_do_not_move_each_other() {
        let edits = vec![Edit::replace(0..3, "deux"), Edit::insert(4, "et "), Edit::replace(4..9, "trois")];
        assert_eq!(edited("one, three", edits[..1].to_vec()), "deux, three");
        assert_eq!(edited("one three", edits), "deux et trois");
    }
}
