//! Compact form of parsed files, from which their nodes are read again without parsing YAML.
//!
//! A text that its file has as it is, with quotes or without, is kept as its place only.
//! Nodes follow each other in the order of the file, lists and maps with their number of entries.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::diagnostic::{Place, RuleFile};
use crate::text::limits::{KEYS, NESTING, VALUES};

use super::{Content, Node, PlacedText, Writing, unquoted};

/// A node without its children, or the key of a map entry.
#[derive(Serialize, Deserialize)]
enum Item<'t> {
    Empty(Span),
    /// A scalar whose place is that of its node.
    Text(Span, #[serde(borrow)] Value<'t>),
    /// A scalar with another place than its node: there are no-break spaces around it.
    Shifted(Span, Span, #[serde(borrow)] Value<'t>),
    /// A map of so many entries: a key and a value each.
    Map(Span, usize),
    /// A list of so many elements.
    List(Span, usize),
}

/// Range of bytes in the file: distance of its start from that of the range before, and length.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Span(i64, u64);

/// The characters of a scalar.
#[derive(Serialize, Deserialize)]
enum Value<'t> {
    /// The bytes of its place.
    Plain,
    /// The bytes of its place without the first and the last one.
    Quoted,
    /// Other characters: the file has escapes, several lines, or a mistake that was reported.
    Other(&'t str),
}

/// Writer of the nodes of files, one file after the other.
#[derive(Default)]
pub(crate) struct TreeWriter {
    bytes: Vec<u8>,
    /// Start of the place written last: distances from it are short, and so are their bytes.
    last: usize,
}

impl TreeWriter {
    /// Adds the nodes of a file. `None` if they cannot be written.
    pub(crate) fn add(&mut self, node: &Node) -> Option<()> {
        self.last = 0;
        self.node(node)
    }

    /// The compact form, which [`TreeReader`] reads.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a node, then those in it.
    fn node(&mut self, node: &Node) -> Option<()> {
        let span = self.span(&node.place)?;

        match &node.content {
            Content::Empty => self.item(&Item::Empty(span)),
            // Nearly every scalar: one place instead of two.
            Content::Text(text) if text.place.span() == node.place.span() => {
                self.item(&Item::Text(span, value(text)))
            }
            Content::Text(text) => {
                let inner = self.span(&text.place)?;
                self.item(&Item::Shifted(span, inner, value(text)))
            }
            Content::List(items) => {
                self.item(&Item::List(span, items.len()))?;
                items.iter().try_for_each(|item| self.node(item))
            }
            Content::Map(entries) => {
                self.item(&Item::Map(span, entries.len()))?;
                entries.iter().try_for_each(|(key, node)| {
                    let span = self.span(&key.place)?;
                    self.item(&Item::Text(span, value(key)))?;
                    self.node(node)
                })
            }
        }
    }

    fn span(&mut self, place: &Place) -> Option<Span> {
        let Range { start, end } = place.span();
        let before = std::mem::replace(&mut self.last, start);
        let step = i64::try_from(start)
            .ok()?
            .checked_sub(i64::try_from(before).ok()?)?;
        Some(Span(step, u64::try_from(end.checked_sub(start)?).ok()?))
    }

    fn item(&mut self, item: &Item) -> Option<()> {
        self.bytes = postcard::to_extend(item, std::mem::take(&mut self.bytes)).ok()?;
        Some(())
    }
}

fn value(text: &PlacedText) -> Value<'_> {
    match text.writing() {
        Writing::Plain => Value::Plain,
        Writing::Quoted => Value::Quoted,
        Writing::Other => Value::Other(&text.value),
    }
}

/// Reader of the nodes of files, in the order in which they were written.
pub(crate) struct TreeReader<'t> {
    rest: &'t [u8],
    last: usize,
}

impl<'t> TreeReader<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self {
            rest: bytes,
            last: 0,
        }
    }

    /// The nodes of the next file; `None` if the bytes are not of such a file.
    pub(crate) fn next(&mut self, file: &Arc<RuleFile>) -> Option<Node> {
        self.last = 0;
        self.node(file, 0)
    }

    fn node(&mut self, file: &Arc<RuleFile>, depth: usize) -> Option<Node> {
        // The bytes come from a file, which may be damaged: depth and counts are bounded before
        // they make anything grow, and every place is taken from the text by a checked range.
        if depth > NESTING.most {
            return None;
        }

        let (place, content) = match self.item()? {
            Item::Empty(span) => (self.place(file, span)?, Content::Empty),
            Item::Text(span, value) => {
                let place = self.place(file, span)?;
                (place.clone(), Content::Text(text(place, &value)?))
            }
            Item::Shifted(span, inner, value) => {
                let (place, inner) = (self.place(file, span)?, self.place(file, inner)?);
                (place, Content::Text(text(inner, &value)?))
            }
            Item::List(span, count) => {
                let place = self.place(file, span)?;
                // A damaged count must not reserve what no file can fill.
                let mut items = Vec::with_capacity(count.min(VALUES.most));
                for _ in 0..count {
                    items.push(self.node(file, depth + 1)?);
                }
                (place, Content::List(items))
            }
            Item::Map(span, count) => {
                let place = self.place(file, span)?;
                let mut entries = Vec::with_capacity(count.min(KEYS.most));
                for _ in 0..count {
                    let Item::Text(span, value) = self.item()? else {
                        return None;
                    };
                    let key = text(self.place(file, span)?, &value)?;
                    entries.push((key, self.node(file, depth + 1)?));
                }
                (place, Content::Map(entries))
            }
        };

        Some(Node { place, content })
    }

    /// The next item.
    fn item(&mut self) -> Option<Item<'t>> {
        let (item, rest) = postcard::take_from_bytes(self.rest).ok()?;
        self.rest = rest;
        Some(item)
    }

    /// The place of a range whose start is counted from that of the range before.
    fn place(&mut self, file: &Arc<RuleFile>, Span(step, length): Span) -> Option<Place> {
        let start = self.last.checked_add_signed(isize::try_from(step).ok()?)?;
        self.last = start;
        Some(Place::new(
            file,
            start..start.checked_add(usize::try_from(length).ok()?)?,
        ))
    }
}

/// The text of a place.
fn text(place: Place, value: &Value) -> Option<PlacedText> {
    let written = || place.file().text().get(place.span());
    let value = match value {
        Value::Plain => written()?,
        Value::Quoted => unquoted(written()?)?,
        Value::Other(text) => text,
    };
    Some(PlacedText {
        value: value.to_owned(),
        place,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::set::FileSet;
    use crate::text::Report;

    use super::*;

    fn file(text: &str) -> Arc<RuleFile> {
        RuleFile::new("zz/method.yaml", text)
    }

    fn read(file: &Arc<RuleFile>) -> Node {
        Node::read(file, &mut Report::default()).unwrap()
    }

    fn written(nodes: &[&Node]) -> Vec<u8> {
        let mut writer = TreeWriter::default();
        nodes.iter().try_for_each(|node| writer.add(node)).unwrap();
        writer.into_bytes()
    }

    /// A node with all of its places, as text.
    fn shown(node: &Node) -> String {
        let text = |text: &PlacedText| format!("{:?}@{:?}", text.value, text.place.span());
        let content = match &node.content {
            Content::Empty => "-".to_owned(),
            Content::Text(scalar) => text(scalar),
            Content::List(items) => format!(
                "[{}]",
                items.iter().map(shown).collect::<Vec<_>>().join(" ")
            ),
            Content::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, node)| format!("{} {}", text(key), shown(node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
            }
        };
        format!("{content}@{:?}", node.place.span())
    }

    #[test]
    fn files_are_read_again_as_they_were_parsed() {
        let texts = [
            "a: 21.50\nb: [1 200, \"é; x\", 'l''un', \"a\\tb\"]\nc: {e: ~}\nf: >\n  deux\n  \
             lignes\ng: \u{a0}x\n",
            "a: &x [1, 2]\nb: *x\nc: un\n  deux\n",
            "- {a: 1}\n- []\n- {}\n- \"\"\n",
        ];
        let files: Vec<_> = texts.into_iter().map(file).collect();
        let nodes: Vec<_> = files.iter().map(read).collect();
        let bytes = written(&nodes.iter().collect::<Vec<_>>());
        let mut reader = TreeReader::new(&bytes);
        for (file, node) in files.iter().zip(&nodes) {
            assert_eq!(shown(&reader.next(file).unwrap()), shown(node));
        }
        assert!(reader.next(&files[0]).is_none(), "there is no more");
    }

    #[test]
    fn all_rules_of_the_repository_are_read_again_from_a_third_of_their_bytes() {
        let files = FileSet::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"));
        let (mut length, mut compact) = (0, 0);
        for (path, text) in files.texts() {
            let file = RuleFile::new(path, text);
            let node = read(&file);
            let bytes = written(&[&node]);
            assert_eq!(
                shown(&TreeReader::new(&bytes).next(&file).unwrap()),
                shown(&node),
                "{path}"
            );
            (length, compact) = (length + text.len(), compact + bytes.len());
        }
        assert!(compact * 3 < length, "{compact} of {length}");
    }

    #[test]
    fn bytes_of_another_file_or_damaged_ones_are_refused_or_make_other_nodes_but_never_fail() {
        let file = file("a: [1, {b: \"é\", c: \"x\\ty\"}]\nd: e\n");
        let bytes = written(&[&read(&file)]);
        for end in 0..bytes.len() {
            assert!(
                TreeReader::new(&bytes[..end]).next(&file).is_none(),
                "cut off after {end} bytes"
            );
        }
        for index in 0..bytes.len() {
            for value in 0..=u8::MAX {
                let mut damaged = bytes.clone();
                damaged[index] = value;
                drop(TreeReader::new(&damaged).next(&file));
            }
        }
        assert!(
            TreeReader::new(&bytes)
                .next(&RuleFile::new("zz/method.yaml", "a"))
                .is_none()
        );
        let nested = [4, 0, 0, 1].repeat(100_000);
        assert!(TreeReader::new(&nested).next(&file).is_none());
    }
}
