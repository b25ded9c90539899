//! A picture of few colours on white paper, as it is drawn and as PNG.

use std::ops::Range;

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

/// Width and height, in pixels: what networks show large.
pub(crate) const WIDTH: u16 = 1200;
pub(crate) const HEIGHT: u16 = 630;

/// Steps from the paper to a colour, for the edges of letters.
pub(super) const STEPS: u8 = 3;

/// A colour of a picture: those of the pages on white (`frame.css`), which a test holds equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Paper,
    Ink,
    Soft,
    Accent,
    Net,
    Levies,
    Tax,
    Employer,
}

impl Colour {
    /// Every colour, in the order of the palette.
    const ALL: [Self; 8] = [
        Self::Paper,
        Self::Ink,
        Self::Soft,
        Self::Accent,
        Self::Net,
        Self::Levies,
        Self::Tax,
        Self::Employer,
    ];

    /// Red, green and blue.
    const fn rgb(self) -> [u8; 3] {
        match self {
            Self::Paper => [0xff, 0xff, 0xff],
            Self::Ink => [0x1b, 0x23, 0x30],
            Self::Soft => [0x50, 0x5c, 0x6c],
            Self::Accent | Self::Levies => [0x1c, 0x4f, 0x8f],
            Self::Net => [0x2b, 0x7a, 0x4b],
            Self::Tax => [0xa8, 0x48, 0x0c],
            Self::Employer => [0x6b, 0x4a, 0x9c],
        }
    }

    /// The entry of the palette a number of steps from the paper.
    const fn entry(self, step: u8) -> u8 {
        self as u8 * (STEPS + 1) + step
    }
}

/// A rectangle, in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub x: Range<i32>,
    pub y: Range<i32>,
}

impl Frame {
    pub(crate) const fn new(x: Range<i32>, y: Range<i32>) -> Self {
        Self { x, y }
    }

    /// How much of a pixel is within the frame, in steps, where its corners are rounded.
    fn cover(&self, [x, y]: [i32; 2], radius: i32) -> u8 {
        // Halves of an eighth: the middles of the 8 × 8 parts of a pixel, as whole numbers.
        const PARTS: i32 = 8;
        let unit = 2 * PARTS;
        let radius = radius * unit;

        // How far a part is beyond the middles of the corners, in one direction.
        let beyond = |at: i32, side: &Range<i32>| {
            let (first, last) = (side.start * unit + radius, side.end * unit - radius);
            (first - at).max(at - last).max(0)
        };
        let is_within = |part: &(i32, i32)| {
            let dx = beyond(x * unit + 2 * part.0 + 1, &self.x);
            let dy = beyond(y * unit + 2 * part.1 + 1, &self.y);
            dx * dx + dy * dy <= radius * radius
        };

        let parts = (0..PARTS).flat_map(|row| (0..PARTS).map(move |column| (column, row)));
        let within = parts.filter(is_within).count() * usize::from(STEPS);
        // At most `STEPS`.
        u8::try_from(within / (PARTS * PARTS) as usize).unwrap_or(STEPS)
    }
}

/// A picture, being drawn.
#[derive(Debug)]
pub(super) struct Canvas {
    /// The entry of the palette of each pixel, row by row.
    pixels: Vec<u8>,
}

impl Canvas {
    /// White paper.
    pub(super) fn new() -> Self {
        Self {
            pixels: vec![Colour::Paper.entry(0); usize::from(WIDTH) * usize::from(HEIGHT)],
        }
    }

    /// Colours a pixel by some steps from the paper; outside the picture, nothing.
    pub(super) fn mark(&mut self, [x, y]: [i32; 2], colour: Colour, step: u8) {
        let column = usize::try_from(x).ok().filter(|x| *x < usize::from(WIDTH));
        let row = usize::try_from(y).ok().filter(|y| *y < usize::from(HEIGHT));
        let pixel = row
            .zip(column)
            .and_then(|(row, column)| self.pixels.get_mut(row * usize::from(WIDTH) + column));

        // Where two letters touch, the darker edge stays.
        if let Some(pixel) = pixel
            && *pixel % (STEPS + 1) < step
        {
            *pixel = colour.entry(step);
        }
    }

    /// Fills a rectangle with rounded corners.
    pub(super) fn fill(&mut self, frame: &Frame, radius: i32, colour: Colour) {
        self.fill_by(frame, radius, |_| Some(colour));
    }

    /// Fills a rectangle with rounded corners, by the colour of each column.
    pub(super) fn fill_by(
        &mut self,
        frame: &Frame,
        radius: i32,
        colour: impl Fn(i32) -> Option<Colour>,
    ) {
        for x in frame.x.clone() {
            let Some(colour) = colour(x) else {
                continue;
            };
            for y in frame.y.clone() {
                // Within a radius of a corner alone, the edge crosses pixels.
                let is_inner = |at: i32, side: &Range<i32>| {
                    (side.start + radius..side.end - radius).contains(&at)
                };
                let step = match is_inner(x, &frame.x) || is_inner(y, &frame.y) {
                    true => STEPS,
                    false => frame.cover([x, y], radius),
                };
                self.mark([x, y], colour, step);
            }
        }
    }

    /// Gives a rectangle the colour of the paper back.
    pub(super) fn clear(&mut self, frame: &Frame) {
        let width = usize::from(WIDTH);
        let columns = |side: &Range<i32>| -> Option<Range<usize>> {
            Some(side.start.try_into().ok()?..side.end.try_into().ok()?)
        };
        let (Some(columns), Some(rows)) = (columns(&frame.x), columns(&frame.y)) else {
            return;
        };
        let rows = self
            .pixels
            .chunks_exact_mut(width)
            .take(rows.end)
            .skip(rows.start);
        for pixel in rows
            .filter_map(|row| row.get_mut(columns.clone()))
            .flatten()
        {
            *pixel = Colour::Paper.entry(0);
        }
    }

    /// The picture as PNG.
    pub(super) fn png(&self) -> Vec<u8> {
        // Memory takes any bytes, and there are as many as the head of the file says: no error is
        // left.
        self.encoded().unwrap_or_default()
    }

    fn encoded(&self) -> Result<Vec<u8>, EncodingError> {
        /// The level of the compression: the next ones take longer for a few hundred bytes.
        const LEVEL: u8 = 4;

        let palette: Vec<u8> = Colour::ALL.into_iter().flat_map(shades).flatten().collect();
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, WIDTH.into(), HEIGHT.into());
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(palette);
        // Entries of a palette say nothing of those beside them.
        encoder.set_filter(Filter::NoFilter);
        encoder.set_deflate_compression(DeflateCompression::Level(LEVEL));

        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(png)
    }
}

/// The shades from the paper to a colour.
fn shades(colour: Colour) -> impl Iterator<Item = [u8; 3]> {
    let (paper, full) = (Colour::Paper.rgb(), colour.rgb());
    (0..=STEPS).map(move |step| {
        let mut mixed = paper;
        for (own, full) in mixed.iter_mut().zip(full) {
            let (all, step) = (u16::from(STEPS), u16::from(step));
            let sum = u16::from(*own) * (all - step) + u16::from(full) * step;
            // A mean of bytes is one.
            *own = u8::try_from(sum / all).unwrap_or(u8::MAX);
        }
        mixed
    })
}
