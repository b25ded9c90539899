//! The place of the cursor in a rule file, found from the text before it, since a file being edited
//! is seldom valid YAML.

mod block_map;

use std::ops::Range;

use crate::layout::quoted_length;
use block_map::block_siblings;

/// The place of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The keys around it, from the top of the file, without elements of lists; for a value, its
    /// key is the last.
    pub path: Vec<String>,
    pub slot: Slot,
    /// The range of the word at the cursor.
    pub word: Range<usize>,
}

/// Key or value at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    /// A key, with the other keys of the map.
    Key { siblings: Vec<String> },
    /// A value that starts at this offset.
    Value { start: usize },
}

/// A map or list in braces around the cursor.
#[derive(Debug)]
struct Frame {
    is_map: bool,
    /// The key whose value is being written.
    key: Option<String>,
    /// The keys before that.
    keys: Vec<String>,
    /// Start of the key or the value.
    start: usize,
}

impl Cursor {
    /// The place at an offset of a text.
    pub(super) fn at(text: &str, offset: usize) -> Self {
        let mut scan = Scan {
            text,
            blocks: Vec::new(),
            frames: Vec::new(),
            opened_at: 0,
            folded: None,
        };

        let mut start = 0;
        let mut slot = None;
        // Only the lines up to the cursor are scanned: what follows is often unfinished.
        for line in text.split('\n') {
            let end = start + line.len();
            let is_last = offset <= end;
            let read = text.get(start..offset.min(end)).unwrap_or(line);
            // An empty line between two others ends nothing; at the cursor its margin says what is
            // being written.
            if is_last || !line.trim().is_empty() {
                slot = scan.line(read, start);
            }

            if is_last {
                break;
            }
            start = end + 1;
        }

        let word = word(text, offset);
        let mut path: Vec<String> = scan.blocks.iter().map(|(_, key)| key.clone()).collect();
        path.extend(scan.frames.iter().filter_map(|frame| frame.key.clone()));

        // Braces around the cursor decide first: inside them, indentation means nothing.
        let slot = match (scan.frames.last(), slot) {
            (Some(frame), _) if frame.is_map && frame.key.is_none() => {
                let after = keys_after(text, word.end);
                Slot::Key {
                    siblings: frame.keys.iter().cloned().chain(after).collect(),
                }
            }
            (Some(frame), _) => Slot::Value { start: frame.start },
            (None, Some(start)) => Slot::Value { start },
            (None, None) => Slot::Key {
                siblings: block_siblings(text, word.start),
            },
        };

        Self { path, slot, word }
    }

    /// The keys around the cursor, as texts.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

/// A scan of the lines up to the cursor.
struct Scan<'t> {
    text: &'t str,
    /// The keys of block maps around the line, each with its indentation.
    blocks: Vec<(usize, String)>,
    /// The open braces.
    frames: Vec<Frame>,
    /// Indentation of the line with the first open brace.
    opened_at: usize,
    /// Indentation of the key whose text continues in the next lines, after `|` or `>`.
    folded: Option<usize>,
}

impl Scan<'_> {
    /// Scans a line, or the part before the cursor; returns where the value at its end starts, if
    /// it ends in one.
    fn line(&mut self, line: &str, start: usize) -> Option<usize> {
        let margin = line.len() - line.trim_start_matches(' ').len();
        let body = line
            .get(margin..)
            .unwrap_or_default()
            .trim_end_matches('\r');

        // The lines of a text after `|` hold no keys: the cursor is in a value.
        if self
            .folded
            .is_some_and(|folded| body.is_empty() || margin > folded)
        {
            return Some(start);
        }

        self.folded = None;
        if !self.frames.is_empty() {
            // A key at the indentation of the line that opened the braces: they were not closed.
            if body.is_empty() || margin > self.opened_at || key_of(body).is_none() {
                self.flow(line, start);
                return None;
            }
            self.frames.clear();
        }

        if body.starts_with('#') {
            return None;
        }

        self.block(body, margin, start + margin)
    }

    fn block(&mut self, body: &str, margin: usize, mut at: usize) -> Option<usize> {
        let (mut body, mut margin) = (body, margin);
        // Dashes may follow each other: each opens a level of indentation.
        while body == "-" || body.starts_with("- ") {
            self.blocks.retain(|(indent, _)| *indent <= margin);
            let rest = body.get(1..).unwrap_or_default();
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            let step = 1 + blanks.max(1);
            (margin, at, body) = (margin + step, at + 1 + blanks, rest.trim_start_matches(' '));
        }

        // Keys at this indentation or deeper are closed by this line.
        self.blocks.retain(|(indent, _)| *indent < margin);
        // An element or a value in braces.
        if body.starts_with(['{', '[']) {
            self.opened_at = margin;
            self.flow(body, at);
            return None;
        }

        let (key, value) = key_of(body)?;

        self.blocks.push((margin, key.to_owned()));
        let at = at + (body.len() - value.len());
        // The form of the value: braces, a text over several lines, or a plain value.
        if value.starts_with(['{', '[']) {
            self.opened_at = margin;
            self.flow(value, at);
        } else if value.starts_with(['|', '>']) {
            self.folded = Some(margin);
        }

        Some(at)
    }

    /// Scans the text in braces.
    fn flow(&mut self, text: &str, start: usize) {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(sign) = rest.chars().next() else {
                break;
            };
            // A quote or brace is structure only at the start of a value: later it is a letter.
            let begins = self.frames.last().is_none_or(|frame| {
                let written = self.text.get(frame.start..start + at).unwrap_or_default();
                written.trim().is_empty()
            });

            let length = match sign {
                '"' | '\'' if begins => quoted_length(rest).unwrap_or(rest.len()),
                _ => sign.len_utf8(),
            };

            at += length;
            let here = start + at;
            match sign {
                '{' | '[' if begins => {
                    self.frames.push(Frame {
                        is_map: sign == '{',
                        key: None,
                        keys: Vec::new(),
                        start: here,
                    });
                }
                // The outer brace is closed: nothing after it is in a value.
                '}' | ']' => {
                    self.frames.pop();
                    if self.frames.is_empty() {
                        return;
                    }
                }
                ',' => {
                    // A key without colon, as in `[a, b]` or `{a, b: 1}`, is no key: only a key
                    // with a value is recorded.
                    if let Some(frame) = self.frames.last_mut() {
                        frame.keys.extend(frame.key.take());
                        frame.start = here;
                    }
                }
                ':' if text
                    .get(at..)
                    .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', ',', '}'])) =>
                {
                    if let Some(frame) = self
                        .frames
                        .last_mut()
                        .filter(|frame| frame.is_map && frame.key.is_none())
                    {
                        let key = self
                            .text
                            .get(frame.start..here.saturating_sub(1))
                            .unwrap_or_default();
                        frame.key = Some(key.trim().to_owned());
                        frame.start = here;
                    }
                }
                // A comment may contain braces, which mean nothing.
                '#' if text
                    .get(..at - 1)
                    .is_some_and(|before| before.ends_with(' ')) =>
                {
                    return;
                }
                _ => {}
            }
        }
    }
}

/// The key of a line, and the text after its colon and spaces.
fn key_of(body: &str) -> Option<(&str, &str)> {
    let end = body.find(|sign: char| !(sign.is_alphanumeric() || "_-.".contains(sign)))?;
    let (key, rest) = body.split_at_checked(end)?;
    let rest = rest.trim_start_matches(' ').strip_prefix(':')?;
    let is_end = rest.is_empty() || rest.starts_with([' ', '\r']);
    (!key.is_empty() && is_end).then(|| (key, rest.trim_start_matches(' ')))
}

/// The word around an offset.
fn word(text: &str, offset: usize) -> Range<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    // The editor may be a version ahead: an offset past the end, or inside a letter, is moved back.
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));

    // The start is after the letter before the word, which may have several bytes.
    let start = before.rfind(|letter| !is_part(letter)).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });

    let end = offset + after.find(|letter| !is_part(letter)).unwrap_or(after.len());
    // A dash that begins an element of a list is not part of the word.
    let dashes = text
        .get(start..end)
        .map_or(0, |word| word.len() - word.trim_start_matches('-').len());
    (start + dashes).min(end)..end
}

/// The keys that follow in the same braces, on the same line.
fn keys_after(text: &str, offset: usize) -> Vec<String> {
    let rest = text.get(offset..).unwrap_or_default();

    let line = rest.split('\n').next().unwrap_or_default();
    // The rest of the map is scanned like a map of its own: its first part is what remains of the
    // key at the cursor.
    let mut scan = Scan {
        text: line,
        blocks: Vec::new(),
        frames: Vec::new(),
        opened_at: 0,
        folded: None,
    };
    scan.frames.push(Frame {
        is_map: true,
        key: None,
        keys: Vec::new(),
        start: 0,
    });

    let mut end = line.len();
    // Up to the closing brace of the map itself.
    let mut open = 0_usize;
    for (at, sign) in line.char_indices() {
        match sign {
            '{' | '[' => open += 1,
            '}' | ']' if open == 0 => {
                end = at;
                break;
            }
            '}' | ']' => open -= 1,
            _ => {}
        }
    }

    scan.flow(line.get(..end).unwrap_or_default(), 0);
    let frame = scan.frames.into_iter().next();
    frame
        .map(|frame| {
            frame
                .keys
                .into_iter()
                .chain(frame.key)
                .filter(|key| !key.is_empty())
                .collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, slot and word at the character `|` of a text.
    fn at(text: &str) -> (String, String, String) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let Cursor { path, slot, word } = Cursor::at(&text, offset);
        let slot = match slot {
            Slot::Key { siblings } => format!("key {}", siblings.join(" ")),
            Slot::Value { start } => {
                format!("value {}", text.get(start..offset).unwrap().trim_start())
            }
        };
        (
            path.join("/"),
            slot.trim_end().to_owned(),
            text[word].to_owned(),
        )
    }

    #[test]
    fn a_cursor_knows_its_keys_in_any_text() {
        for (text, path, slot, word) in [
            (
                "steps:\n  a: {formula: bru|t - x}\n",
                "steps/a/formula",
                "value bru",
                "brut",
            ),
            (
                "steps:\n  a: {formula: b, wi|",
                "steps/a",
                "key formula",
                "wi",
            ),
            (
                "steps:\n  a: {formula: b, |, round: 1}\n  b: c\n",
                "steps/a",
                "key formula round",
                "",
            ),
            (
                "steps:\n  a: b\n  |\n  c: d\nanswer:\n",
                "steps",
                "key a c",
                "",
            ),
            (
                "figures:\n  |\n  f:\n    rows:\n      - {a: 1}\n  g: {}\nx: y\n",
                "figures",
                "key f g",
                "",
            ),
            (
                "figures:\n  f:\n    rows:\n      - {up_to: 1, ra|te: 2%}\n",
                "figures/f/rows",
                "key up_to",
                "rate",
            ),
            (
                "figures:\n  f:\n    rows:\n      - {up_to: 1, rate: 2|%}\n    sou|",
                "figures/f/rows/rate",
                "value 2",
                "2",
            ),
            (
                "cases:\n  - name: \"a: b\"\n    given: {brut: 1}\n    exp|ect: {}\n",
                "cases",
                "key given name",
                "expect",
            ),
            (
                "cases:\n  - {name: \"a, {b\", da|",
                "cases",
                "key name",
                "da",
            ),
            (
                "cases:\n  - given: {a: 1,\n      b: 2, c|\n",
                "cases/given",
                "key a b",
                "c",
            ),
            ("a:\n  b: {c: 1\n  d: {e: |\n", "a/d/e", "value", ""),
            (
                "cases:\n  - name: \"a\"\n\n  - {given: {}, |",
                "cases",
                "key given",
                "",
            ),
            ("a:\n\n  b: {c: 1,\n\n    |", "a/b", "key c", ""),
            ("note: |>\n  x: y\nb: c|", "note", "value", ""),
            ("title|: x\n", "", "key", "title"),
            (
                "sources: {loi: {kind: law, url: https://x.fr/a|, title: b}}",
                "sources/loi/url",
                "value https://x.fr/a",
                "a",
            ),
        ] {
            // Only the first `|` is the cursor.
            assert_eq!(
                at(text),
                (path.to_owned(), slot.to_owned(), word.to_owned()),
                "{text}"
            );
        }
    }
}
