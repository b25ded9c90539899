//! YAML as the analyst wrote it: a tree in which every scalar is the text of the file, with its
//! place.
//!
//! YAML would read `1 200` as a text, `1200` as an integer and `6.30` as a binary float. Here no
//! scalar is converted.

mod braces;
pub(crate) mod cut_values;
mod parse;
mod read;
mod tree;

use std::ops::Range;

use crate::text::diagnostic::Place;
use crate::text::problem::is_written;

pub(crate) use braces::Piece;
pub(crate) use tree::{TreeReader, TreeWriter};

/// A node of a YAML file, with its place.
///
/// ```
/// use bareme_engine::Report;
/// use bareme_engine::authoring::Node;
/// use bareme_engine::text::RuleFile;
///
/// let file = RuleFile::new("zz/2026-01-01.yaml", "figures:\n  its: {rate: 3.60%}\n");
/// let node = Node::read(&file, &mut Report::default()).ok_or("this is no YAML")?;
/// let rate = node.get("figures").and_then(|figures| figures.get("its")?.get("rate")?.text());
/// // The text as it was written: nothing was made a number on the way.
/// assert_eq!(rate.map(|text| text.value.as_str()), Some("3.60%"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Node {
    /// Its bytes in the file.
    pub place: Place,
    /// Its scalar, its entries or its elements.
    pub content: Content,
}

/// The content of a node.
///
/// [`Node`] has the methods that read it.
#[derive(Debug, Clone)]
pub enum Content {
    /// Nothing was written.
    Empty,
    /// A scalar.
    Text(PlacedText),
    /// A map, in the order of the file.
    Map(Vec<(PlacedText, Node)>),
    /// A list.
    List(Vec<Node>),
}

/// A scalar: the text that was written, and where.
///
/// [`Node`] has an example.
#[derive(Debug, Clone)]
pub struct PlacedText {
    /// The characters, without quotes.
    pub value: String,
    /// Its bytes in the file.
    pub place: Place,
}

/// How a file has a text.
enum Writing {
    /// As it is.
    Plain,
    /// As it is, between quotes.
    Quoted,
    /// In another way: with escapes, or on several lines.
    Other,
}

/// Characters without the first and the last byte, the quotes of a text.
fn unquoted(raw: &str) -> Option<&str> {
    raw.get(1..raw.len().saturating_sub(1))
}

impl PlacedText {
    /// The place of a part of the text, for messages inside a formula. The place of the whole text
    /// where the file writes it in another way (escapes, several lines).
    pub(crate) fn part(&self, part: Range<usize>) -> Place {
        // Offsets in the value are offsets in the file only where both have the same characters.
        let start = match self.writing() {
            Writing::Plain => self.place.span().start,
            Writing::Quoted => self.place.span().start + 1,
            Writing::Other => return self.place.clone(),
        };
        Place::new(self.place.file(), start + part.start..start + part.end)
    }

    /// How the file has the text.
    fn writing(&self) -> Writing {
        match self.place.file().text().get(self.place.span()) {
            Some(raw) if raw == self.value => Writing::Plain,
            Some(raw) if unquoted(raw) == Some(&self.value) => Writing::Quoted,
            _ => Writing::Other,
        }
    }

    /// The elements of a list written in one text, `pays; categorie`, with their places.
    pub(crate) fn list(&self) -> Vec<PlacedText> {
        let mut start = 0;
        let mut items = Vec::new();

        for piece in self.value.split(';') {
            let from = start + (piece.len() - piece.trim_start().len());
            let to = from + piece.trim().len();
            items.push(PlacedText {
                value: piece.trim().to_owned(),
                place: self.part(from..to),
            });
            start += piece.len() + 1;
        }

        items
    }
}

impl Node {
    /// Number of its nodes, keys and itself included.
    pub(crate) fn count(&self) -> usize {
        match &self.content {
            Content::Empty | Content::Text(_) => 1,
            Content::List(items) => 1 + items.iter().map(Self::count).sum::<usize>(),
            Content::Map(entries) => {
                1 + entries
                    .iter()
                    .map(|(_, node)| 1 + node.count())
                    .sum::<usize>()
            }
        }
    }

    /// The entries of a map; empty for any other node.
    pub fn entries(&self) -> &[(PlacedText, Node)] {
        if let Content::Map(entries) = &self.content {
            entries
        } else {
            &[]
        }
    }

    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(_, node)| node)
    }

    /// The elements of a list; empty for any other node.
    pub fn items(&self) -> &[Node] {
        if let Content::List(items) = &self.content {
            items
        } else {
            &[]
        }
    }

    /// The scalar, if the node is one.
    pub fn text(&self) -> Option<&PlacedText> {
        if let Content::Text(text) = &self.content {
            Some(text)
        } else {
            None
        }
    }

    /// The place of a key of a map.
    pub(crate) fn key_place(&self, key: &str) -> Option<&Place> {
        self.entries()
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(name, _)| &name.place)
    }

    /// Whether a missing key was written with a typo; `known` are the keys that the place allows.
    pub(crate) fn misspells(&self, missing: &str, known: &[&str]) -> bool {
        is_written(
            missing,
            self.entries().iter().map(|(key, _)| key.value.as_str()),
            known,
        )
    }

    /// The entries of the map of a key; none without it.
    pub(crate) fn entries_of(&self, key: &str) -> &[(PlacedText, Node)] {
        self.get(key).map(Node::entries).unwrap_or_default()
    }

    /// The elements of the list of a key; none without it.
    pub(crate) fn items_of(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::items).unwrap_or_default()
    }

    /// The elements of the list in the text of a key; none without it.
    pub(crate) fn list_of(&self, key: &str) -> Vec<PlacedText> {
        self.text_of(key).map(PlacedText::list).unwrap_or_default()
    }

    /// The scalar of a key of a map.
    pub(crate) fn text_of(&self, key: &str) -> Option<&PlacedText> {
        self.get(key).and_then(Node::text)
    }

    /// The value of a scalar of a key of a map.
    pub(crate) fn string_of(&self, key: &str) -> Option<String> {
        self.text_of(key).map(|text| text.value.clone())
    }
}
