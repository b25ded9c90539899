//! Where the parts of a picture are: lines of text in boxes that neither overlap nor leave the
//! margins, whatever the texts.

use std::slice;

use super::canvas::{Canvas, Colour, Frame, HEIGHT, WIDTH};
use super::letters::{Style, Weight};
use super::{CasePicture, ServicePicture, Share};

/// The margins: every part begins and ends within them.
const LEFT: i32 = 64;
const RIGHT: i32 = WIDTH as i32 - LEFT;
const BOTTOM: i32 = HEIGHT as i32 - 56;
const ROOM: i32 = RIGHT - LEFT;

/// The stripe at the top.
const STRIPE: i32 = 12;

/// Sides of the icon, which was drawn in 32 parts: two pixels or four to each, so that the edges of
/// its stroke are between pixels.
const SMALL_ICON: i32 = 64;
const LARGE_ICON: i32 = 128;
const ICON_PARTS: i32 = 32;

/// From one part to the next.
const GAP: i32 = 24;

/// The top of the head, and of what follows it.
const HEAD: i32 = 44;
const BODY: i32 = HEAD + SMALL_ICON + GAP;

/// The bar, and the rows of its legend.
const BAR: i32 = 40;
const ROW: i32 = 42;
const MARK: i32 = 26;
const ROUND: i32 = 8;

/// Parts of the bar that the legend names: two rows of two.
const NAMED: usize = 4;

const NAME: Style = style(42, Weight::Bold, Colour::Ink);
const SCALE: Style = style(28, Weight::Regular, Colour::Soft);
const TITLE: Style = style(34, Weight::Regular, Colour::Soft);
const ENTERED: Style = style(36, Weight::Regular, Colour::Ink);
const LABEL: Style = style(42, Weight::Bold, Colour::Ink);
const PERIOD: Style = style(48, Weight::Regular, Colour::Ink);
const LEGEND: Style = style(30, Weight::Regular, Colour::Ink);
const PERCENT: Style = style(30, Weight::Bold, Colour::Ink);

/// Sizes of the value, the largest that fits first.
const VALUES: [i32; 6] = [112, 100, 88, 76, 60, 48];

/// Lines that the title, what was entered and the label of the result may take: the first that the
/// picture has room for.
const LINES: [[usize; 3]; 6] = [
    [2, 3, 2],
    [2, 2, 2],
    [1, 2, 2],
    [1, 2, 1],
    [1, 1, 2],
    [1, 1, 1],
];

const fn style(size: i32, weight: Weight, colour: Colour) -> Style {
    Style {
        size,
        weight,
        colour,
    }
}

/// A line of text at its place, the top left.
#[derive(Debug)]
pub(super) struct Line {
    pub text: String,
    pub style: Style,
    pub at: [i32; 2],
}

/// A rectangle of one colour, its corners rounded.
#[derive(Debug)]
struct Patch {
    frame: Frame,
    radius: i32,
    colour: Colour,
}

/// The parts of a picture at their places.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub lines: Vec<Line>,
    icon: Option<Frame>,
    patches: Vec<Patch>,
    /// The bar, with the column where each part ends.
    bar: Vec<(i32, Colour)>,
    bar_top: i32,
}

impl Layout {
    /// The picture of a case: a head, what was asked, the result in the middle of what is left, and
    /// the bar at the foot.
    pub(super) fn of_case(case: &CasePicture) -> Self {
        let mut layout = Self::default();
        layout.head(&case.service, &case.scale);
        let foot = layout.bar(&case.shares);

        // The value takes one line at any size, so that the others can be counted.
        let value = value_style(&case.value, &case.period);
        let lines = |[title, entered, label]: [usize; 3]| {
            [
                (TITLE, TITLE.lines(&case.title, ROOM, title)),
                (ENTERED, ENTERED.lines(&case.entered, ROOM, entered)),
                (LABEL, LABEL.lines(&case.label, ROOM, label)),
            ]
        };
        let height = |lines: &[(Style, Vec<String>)]| {
            let texts = lines.iter();
            let texts = texts.map(|(style, lines)| style.line() * lines.len() as i32);
            texts.sum::<i32>() + value.line()
        };
        let fits = |lines: &[(Style, Vec<String>); 3]| BODY + height(lines) + GAP <= foot;
        let least = || lines([1, 1, 1]);
        let chosen = LINES.into_iter().map(lines).find(fits);
        let [title, entered, label] = chosen.unwrap_or_else(least);

        let used = height(slice::from_ref(&label));
        let below = layout.text(&[title, entered], BODY);
        let top = below + (foot - below - used) / 2;
        let top = layout.text(slice::from_ref(&label), top);
        layout.value(case, value, top);
        layout
    }

    /// The picture of the service: its icon and name, what it is for, where it is.
    pub(super) fn of_service(service: &ServicePicture) -> Self {
        const NAME: Style = style(128, Weight::Bold, Colour::Ink);
        const PURPOSE: Style = style(46, Weight::Regular, Colour::Soft);
        const HOST: Style = style(40, Weight::Bold, Colour::Accent);
        const TOP: i32 = 88;

        let mut layout = Self {
            icon: Some(Frame::new(LEFT..LEFT + LARGE_ICON, TOP..TOP + LARGE_ICON)),
            ..Self::default()
        };
        let x = LEFT + LARGE_ICON + 2 * GAP;
        let name = NAME.lines(&service.name, RIGHT - x, 1);
        layout.column((NAME, name), [x, TOP + (LARGE_ICON - NAME.line()) / 2]);

        let purpose = PURPOSE.lines(&service.purpose, ROOM, 4);
        layout.column((PURPOSE, purpose), [LEFT, TOP + LARGE_ICON + 2 * GAP]);
        let host = HOST.lines(&service.host, ROOM, 1);
        layout.column((HOST, host), [LEFT, BOTTOM - HOST.line()]);
        layout
    }

    /// Adds the icon and the name of the service, and at the right the scale.
    fn head(&mut self, service: &str, scale: &str) {
        self.icon = Some(Frame::new(LEFT..LEFT + SMALL_ICON, HEAD..HEAD + SMALL_ICON));
        let x = LEFT + SMALL_ICON + GAP * 3 / 4;
        let middle = |style: Style| HEAD + (SMALL_ICON - style.line()) / 2;

        // A long name leaves half of the line to the scale.
        let name = NAME.lines(service, ROOM / 2 - (x - LEFT), 1);
        self.column((NAME, name), [x, middle(NAME)]);
        for text in SCALE.lines(scale, ROOM / 2 - GAP, 1) {
            let x = RIGHT - SCALE.width(&text);
            self.column((SCALE, vec![text]), [x, middle(SCALE)]);
        }
    }

    /// Adds texts one below the other; returns where they end.
    fn text(&mut self, texts: &[(Style, Vec<String>)], top: i32) -> i32 {
        let texts = texts.iter().cloned();
        texts.fold(top, |top, text| self.column(text, [LEFT, top]))
    }

    /// Adds the lines of a text; returns where they end.
    fn column(&mut self, (style, lines): (Style, Vec<String>), [x, top]: [i32; 2]) -> i32 {
        let mut y = top;
        for text in lines {
            self.lines.push(Line {
                text,
                style,
                at: [x, y],
            });
            y += style.line();
        }
        y
    }

    /// Adds the value, and its period on the same baseline.
    fn value(&mut self, case: &CasePicture, style: Style, top: i32) {
        let period = PERIOD.lines(&case.period, ROOM / 2, 1);
        let beside = period.first().map_or(0, |text| GAP + PERIOD.width(text));
        let value = style.lines(&case.value, ROOM - beside, 1);
        let x = LEFT + value.first().map_or(0, |text| style.width(text)) + GAP;

        self.column((style, value), [LEFT, top]);
        self.column(
            (PERIOD, period),
            [x, top + style.baseline() - PERIOD.baseline()],
        );
    }

    /// Adds the bar with its legend at the foot; returns where it begins.
    fn bar(&mut self, shares: &[Share]) -> i32 {
        if shares.is_empty() {
            return BOTTOM;
        }
        let named = shares.get(..NAMED).unwrap_or(shares);
        let rows = legend(named);
        let height = ROW * rows.len() as i32;
        self.bar_top = BOTTOM - height - GAP / 2 - BAR;

        // Each part begins where those before it end.
        let mut before = 0;
        for share in shares {
            before += share.thousandths;
            let end = LEFT + before.min(1000) as i32 * ROOM / 1000;
            self.bar.push((end, share.colour));
        }

        for (row, entries) in rows.into_iter().enumerate() {
            let top = BOTTOM - height + row as i32 * ROW;
            for entry in entries {
                self.entry(entry, top);
            }
        }
        self.bar_top
    }

    /// Adds a part of the bar to the legend: its colour, its label, its percentage.
    fn entry(&mut self, Entry { x, label, share }: Entry, top: i32) {
        let y = top + (ROW - MARK) / 2;
        self.patches.push(Patch {
            frame: Frame::new(x..x + MARK, y..y + MARK),
            radius: ROUND / 2,
            colour: share.colour,
        });

        let y = top + (ROW - LEGEND.line()) / 2;
        let x = x + MARK + GAP / 2;
        let after = x + LEGEND.width(&label) + GAP / 2;
        self.column((LEGEND, vec![label]), [x, y]);
        self.column((PERCENT, vec![share.percent]), [after, y]);
    }

    /// The picture.
    pub(super) fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new();
        let stripe = Frame::new(0..WIDTH.into(), 0..STRIPE);
        canvas.fill(&stripe, 0, Colour::Accent);
        if let Some(frame) = &self.icon {
            icon(&mut canvas, frame);
        }

        let bar = Frame::new(LEFT..RIGHT, self.bar_top..self.bar_top + BAR);
        // A hair of paper between two parts, for who does not see one colour beside the other.
        let colour = |x: i32| {
            let (end, colour) = self.bar.iter().find(|(end, _)| x < *end)?;
            (x < end - 2 || *end == RIGHT).then_some(*colour)
        };
        canvas.fill_by(&bar, ROUND, colour);
        for patch in &self.patches {
            canvas.fill(&patch.frame, patch.radius, patch.colour);
        }

        for line in &self.lines {
            line.style.draw(&mut canvas, &line.text, line.at);
        }
        canvas
    }
}

/// An entry of the legend: where it begins, with its label as there is room for it.
struct Entry {
    x: i32,
    label: String,
    share: Share,
}

/// The rows of a legend: all entries on one, or else two on each.
fn legend(shares: &[Share]) -> Vec<Vec<Entry>> {
    let around = |share: &Share| MARK + GAP + PERCENT.width(&share.percent);
    let entry = |share: &Share, x: i32, room: i32| {
        let lines = LEGEND.lines(&share.label, room - around(share), 1);
        Entry {
            x,
            label: lines.into_iter().next().unwrap_or_default(),
            share: share.clone(),
        }
    };
    let width = |share: &Share| around(share) + LEGEND.width(&share.label);

    // Each takes what it needs; the second of two, what the first leaves.
    let all: i32 = shares.iter().map(|share| width(share) + 2 * GAP).sum();
    let is_short = shares.first().is_some_and(|share| width(share) <= ROOM / 2);
    if all - 2 * GAP <= ROOM || (shares.len() == 2 && is_short) {
        let mut x = LEFT;
        let row = shares.iter().map(|share| {
            let entry = entry(share, x, RIGHT - x);
            x += width(share) + 2 * GAP;
            entry
        });
        return vec![row.collect()];
    }

    let column = (ROOM - GAP) / 2;
    let row = |shares: &[Share]| {
        let places = [LEFT, LEFT + column + GAP];
        let entries = shares.iter().zip(places);
        entries.map(|(share, x)| entry(share, x, column)).collect()
    };
    shares.chunks(2).map(row).collect()
}

/// The style of a value: the largest in which it fits beside its period.
fn value_style(value: &str, period: &str) -> Style {
    let of = |size: i32| style(size, Weight::Bold, Colour::Accent);
    let beside = PERIOD.width(period) + GAP;
    let fits = |size: &i32| of(*size).width(value).saturating_add(beside) <= ROOM;
    let least = VALUES.last().copied().unwrap_or(PERIOD.size);
    of(VALUES.into_iter().find(fits).unwrap_or(least))
}

/// Draws the icon of the service, `icon.svg`: a white stair on a square.
fn icon(canvas: &mut Canvas, frame: &Frame) {
    /// The corners of the path in `icon.svg`, and its stroke.
    const PATH: [[i32; 2]; 8] = [
        [6, 25],
        [11, 25],
        [11, 20],
        [16, 20],
        [16, 15],
        [21, 15],
        [21, 10],
        [26, 10],
    ];
    const STROKE: i32 = 3;
    const ROUND: i32 = 6;

    let part = (frame.x.end - frame.x.start) / ICON_PARTS;
    canvas.fill(frame, ROUND * part, Colour::Accent);

    // Half of the stroke is on each side of the path, and beyond its corners, but for its ends.
    let first = frame.x.start + 6 * part;
    let last = frame.x.start + 26 * part;
    let side = |start: i32, [from, to]: [i32; 2]| {
        let [from, to] = [from.min(to), from.max(to)];
        start + (2 * from - STROKE) * part / 2..start + (2 * to + STROKE) * part / 2
    };
    for ([x, y], [to_x, to_y]) in PATH.into_iter().zip(PATH.into_iter().skip(1)) {
        let columns = side(frame.x.start, [x, to_x]);
        let columns = columns.start.max(first)..columns.end.min(last);
        canvas.clear(&Frame::new(columns, side(frame.y.start, [y, to_y])));
    }
}
