//! Positions of the protocol: lines from 0, and UTF-16 units within a line.

use std::ops::Range;

use gen_lsp_types as lsp;

/// The lines of a text, to convert between byte offsets and positions.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    /// The line of an offset, from 0.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// The range of a line, without its line ending.
    pub(super) fn span(&self, line: usize) -> Range<usize> {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        // Lines may end in `\r\n`: the `\r` is part of the ending.
        let written = self.text.get(start..end).unwrap_or_default();
        start..start + written.trim_end_matches('\r').len()
    }

    pub(super) fn position(&self, offset: usize) -> lsp::Position {
        // An offset inside a character has no position.
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line(offset);
        let start = self.starts.get(line).copied().unwrap_or_default();

        let units = self
            .text
            .get(start..offset)
            .map_or(0, |before| before.encode_utf16().count());

        lsp::Position {
            line: number(line),
            character: number(units),
        }
    }

    pub(super) fn range(&self, span: &Range<usize>) -> lsp::Range {
        lsp::Range {
            start: self.position(span.start),
            end: self.position(span.end.max(span.start)),
        }
    }

    /// The offset of a position: beyond the end of a line, its end; inside a character of two
    /// units, its start.
    pub(super) fn offset(&self, position: lsp::Position) -> usize {
        let span = self.span(position.line as usize);

        let mut left = position.character as usize;
        for (at, letter) in self
            .text
            .get(span.clone())
            .unwrap_or_default()
            .char_indices()
        {
            if left < letter.len_utf16() {
                return span.start + at;
            }
            left -= letter.len_utf16();
        }
        span.end
    }

    pub(super) fn offsets(&self, range: lsp::Range) -> Range<usize> {
        let start = self.offset(range.start);
        // A range of the protocol may be reversed.
        start..self.offset(range.end).max(start)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_of_utf_16() {
        let text = "é: 1\r\n😀x: «\u{a0}y »\n";
        let lines = Lines::new(text);
        for (requested, line, character) in [
            ("é", 0, 0),
            (":", 0, 1),
            ("😀", 1, 0),
            ("x", 1, 2),
            ("y", 1, 7),
        ] {
            let offset = text.find(requested).unwrap();
            let position = lsp::Position { line, character };
            assert_eq!(
                (lines.position(offset), lines.offset(position)),
                (position, offset),
                "{requested}"
            );
        }
        let inside = lsp::Position {
            line: 1,
            character: 1,
        };
        assert_eq!(
            lines.offset(inside),
            text.find('😀').unwrap(),
            "never within a letter"
        );
        assert_eq!(
            lines.offset(lsp::Position {
                line: 0,
                character: 99
            }),
            5,
            "before the end of the line"
        );
        assert_eq!(
            lines.offset(lsp::Position {
                line: 99,
                character: 0
            }),
            text.len()
        );
    }
}
