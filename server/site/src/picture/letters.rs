//! Letters: how wide a text is, where its lines break, and their drawing.
//!
//! Widths are whole numbers, in parts of a pixel, so that every machine breaks a line at the same
//! place. Only the outlines of the letters are drawn with binary fractions.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, Glyph, GlyphId, PxScale, point};

use super::canvas::{Canvas, Colour, STEPS};

/// Parts of a pixel in which widths are counted.
const PARTS: i32 = 64;

/// The ellipsis at the end of a text that is too long for its lines.
const ELLIPSIS: char = '…';

/// Letters of a text beyond which nothing is measured: more than any line has room for, and a bound
/// of the work.
const MAX_LETTERS: usize = 600;

/// How heavy letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// The size of letters in pixels, and their weight and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub size: i32,
    pub weight: Weight,
    pub colour: Colour,
}

/// A font with what is read of it for each text.
struct Face {
    font: FontRef<'static>,
    units: i32,
}

impl Face {
    fn new(bytes: &'static [u8]) -> Option<Self> {
        let font = FontRef::try_from_slice(bytes).ok()?;
        // Whole numbers of at most 16 384 in every font.
        let units = font.units_per_em()? as i32;
        Some(Self { font, units })
    }

    /// The letter of a character: that of the hyphen for one that does not break, and the box of
    /// the font for one that it does not have.
    fn letter(&self, character: char) -> GlyphId {
        let character = match character {
            '\u{2010}' | '\u{2011}' => '-',
            space if space.is_whitespace() => ' ',
            other => other,
        };
        self.font.glyph_id(character)
    }

    /// How far the next letter is from this one, in parts of a pixel.
    fn advance(&self, character: char, size: i32) -> i32 {
        let units = self.font.h_advance_unscaled(self.letter(character)) as i32;
        let whole = units * size * PARTS / self.units;
        // Between thousands the space is narrow, as it is printed.
        if NARROW.contains(&character) {
            whole * 3 / 4
        } else {
            whole
        }
    }
}

/// Spaces that are narrower than that between words.
const NARROW: [char; 2] = ['\u{202f}', '\u{2009}'];

static REGULAR: LazyLock<Option<Face>> = LazyLock::new(|| Face::new(notosans::REGULAR_TTF));
static BOLD: LazyLock<Option<Face>> = LazyLock::new(|| Face::new(notosans::BOLD_TTF));

impl Style {
    /// The font; `None` only if the bytes in the program were none.
    fn face(self) -> Option<&'static Face> {
        match self.weight {
            Weight::Regular => REGULAR.as_ref(),
            Weight::Bold => BOLD.as_ref(),
        }
    }

    /// The height of a line, which accents and descenders are within.
    pub(super) const fn line(self) -> i32 {
        self.size * 5 / 4
    }

    /// The baseline of a line, from its top.
    pub(super) const fn baseline(self) -> i32 {
        self.size * 19 / 20
    }

    /// Width of a text, in parts of a pixel.
    fn parts(self, text: &str) -> i32 {
        let Some(face) = self.face() else {
            return 0;
        };
        let advances = text.chars().map(|letter| face.advance(letter, self.size));
        advances.fold(0, i32::saturating_add)
    }

    /// Width of a text in pixels.
    pub(super) fn width(self, text: &str) -> i32 {
        self.parts(text).saturating_add(PARTS - 1) / PARTS
    }

    /// A text in lines of a width, broken between words; beyond the last line it ends with an
    /// ellipsis.
    pub(super) fn lines(self, text: &str, width: i32, most: usize) -> Vec<String> {
        let text = cleaned(text);
        // No-break spaces are no ends of words.
        let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
        let mut lines = Vec::new();

        while words.peek().is_some() && lines.len() < most {
            let mut line = String::new();
            let mut is_full = false;
            while let Some(word) = words.peek() {
                let longer = match line.is_empty() {
                    true => (*word).to_owned(),
                    false => format!("{line} {word}"),
                };
                // What is left on the last line, or a word wider than a line, is cut.
                if self.width(&longer) > width {
                    is_full = line.is_empty() || lines.len() + 1 == most;
                    if is_full {
                        line = self.cut(&longer, width);
                    }
                    break;
                }
                line = longer;
                words.next();
            }
            lines.push(line);
            if is_full {
                break;
            }
        }
        lines
    }

    /// The beginning of a text that fits a width with an ellipsis.
    fn cut(self, text: &str, width: i32) -> String {
        let room = width * PARTS - self.parts(&ELLIPSIS.to_string());
        let mut used = 0;
        let fits = |letter: &char| {
            used += self
                .face()
                .map_or(0, |face| face.advance(*letter, self.size));
            used <= room
        };
        let mut beginning: String = text.chars().take_while(fits).collect();
        // Words and numbers are whole, but for one that is wider than the line.
        let rest = text.get(beginning.len()..).unwrap_or_default();
        if let Some(end) = beginning.rfind(' ')
            && !rest.starts_with(' ')
        {
            beginning.truncate(end);
        }
        // No mark and no space before the ellipsis.
        let is_mark = |last: char| !last.is_alphanumeric() && last != ')';
        format!("{}{ELLIPSIS}", beginning.trim_end_matches(is_mark))
    }

    /// Draws a line of text from a place, its top left.
    pub(super) fn draw(self, canvas: &mut Canvas, text: &str, [x, y]: [i32; 2]) {
        let Some(face) = self.face() else {
            return;
        };

        let baseline = y + self.baseline();
        let mut pen = x * PARTS;
        for character in text.chars() {
            if !character.is_whitespace() {
                self.draw_letter(canvas, face, character, [pen, baseline]);
            }
            pen += face.advance(character, self.size);
        }
    }

    /// Draws a letter; the pen is in parts of a pixel, the baseline in pixels.
    #[allow(
        clippy::float_arithmetic,
        reason = "places and edges of letters on a picture, not amounts"
    )]
    fn draw_letter(
        self,
        canvas: &mut Canvas,
        face: &Face,
        character: char,
        [pen, baseline]: [i32; 2],
    ) {
        // The scale of the library is that of the height of the font, not of its size.
        let scale = self.size as f32 * face.font.height_unscaled() / face.units as f32;
        let glyph = Glyph {
            id: face.letter(character),
            scale: PxScale::from(scale),
            position: point(pen as f32 / PARTS as f32, baseline as f32),
        };
        let Some(outlined) = face.font.outline_glyph(glyph) else {
            return;
        };

        let bounds = outlined.px_bounds();
        let [left, top] = [bounds.min.x, bounds.min.y].map(|edge| edge as i32);
        outlined.draw(|x, y, cover| {
            let step = (cover * f32::from(STEPS)).round() as u8;
            // A letter has fewer pixels than the picture.
            let place = [left + x as i32, top + y as i32];
            canvas.mark(place, self.colour, step.min(STEPS));
        });
    }
}

/// A text without what has no letter, and of a bounded length.
fn cleaned(text: &str) -> String {
    let shown = text
        .chars()
        .take(MAX_LETTERS)
        .filter_map(|letter| match letter {
            '\t' | '\n' | '\r' => Some(' '),
            // Marks of byte order and of joining, and controls.
            '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => None,
            letter => Some(letter).filter(|letter| !letter.is_control()),
        });
    shown.collect()
}
