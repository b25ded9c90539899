//! What pictures show, read back from their files, and where their lines are for texts of any kind.

use std::io::Cursor;

use super::canvas::{Canvas, Frame};
use super::layout::Line;
use super::letters::{Style, Weight};
use super::*;

/// A picture as another library reads it: the colour of each pixel, row by row.
struct Read {
    width: usize,
    height: usize,
    colours: Vec<[u8; 3]>,
}

impl Read {
    fn new(bytes: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut buffer).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgb);
        let colours = buffer.chunks_exact(3);
        Self {
            width: info.width as usize,
            height: info.height as usize,
            colours: colours.map(|colour| colour.try_into().unwrap()).collect(),
        }
    }

    fn at(&self, x: usize, y: usize) -> String {
        let [red, green, blue] = self.colours[y * self.width + x];
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The smallest frame around all that is not paper.
    fn drawn(&self) -> Option<Frame> {
        let is_drawn = |(_, colour): &(usize, &[u8; 3])| **colour != [0xff; 3];
        let places = self.colours.iter().enumerate().filter(is_drawn);
        let places =
            places.map(|(index, _)| ((index % self.width) as i32, (index / self.width) as i32));
        places.fold(None, |known: Option<Frame>, (x, y)| {
            let Frame {
                x: columns,
                y: rows,
            } = known.unwrap_or(Frame::new(x..x, y..y));
            Some(Frame::new(
                columns.start.min(x)..columns.end.max(x + 1),
                rows.start.min(y)..rows.end.max(y + 1),
            ))
        })
    }
}

fn share(label: &str, colour: Colour, thousandths: u32) -> Share {
    Share {
        label: label.to_owned(),
        colour,
        thousandths,
        percent: format!("{},{}\u{202f}%", thousandths / 10, thousandths % 10),
    }
}

/// The pay of 3 500 euros.
fn case() -> CasePicture {
    CasePicture {
        service: "Barème".to_owned(),
        scale: "Barème du 1er juillet 2026".to_owned(),
        title: "Salaire brut en net, salarié du secteur privé en France".to_owned(),
        entered: "Salaire brut de la période\u{a0}: 3\u{202f}500\u{a0}€".to_owned(),
        label: "Net après impôt, au taux neutre".to_owned(),
        value: "2\u{202f}555,32\u{a0}€".to_owned(),
        period: "par mois".to_owned(),
        shares: vec![
            share("Net", Colour::Net, 792),
            share("Cotisations du salarié", Colour::Levies, 208),
        ],
    }
}

/// The box of a line.
fn frame(
    Line {
        text,
        style,
        at: [x, y],
    }: &Line,
) -> Frame {
    Frame::new(*x..x + style.width(text), *y..y + style.line())
}

/// The texts of the lines of a picture, which are all within the margins, below the stripe, and do
/// not overlap; nor does anything that is drawn leave them.
pub(crate) fn lines(case: &CasePicture) -> Vec<String> {
    separate(&Layout::of_case(case))
}

fn separate(layout: &Layout) -> Vec<String> {
    for (index, line) in layout.lines.iter().enumerate() {
        let Frame { x, y } = frame(line);
        assert!(
            x.start >= 64 && x.end <= 1200 - 64,
            "{line:?} is from {x:?}"
        );
        assert!(y.start >= 40 && y.end <= 630 - 52, "{line:?} is from {y:?}");
        for other in &layout.lines[index + 1..] {
            let beside = frame(other);
            let is_beside = x.end <= beside.x.start || beside.x.end <= x.start;
            let is_above = y.end <= beside.y.start || beside.y.end <= y.start;
            assert!(is_beside || is_above, "{line:?} overlaps {other:?}");
        }
    }
    layout.lines.iter().map(|line| line.text.clone()).collect()
}

#[test]
fn a_picture_is_what_networks_show_large_and_has_the_colours_of_the_pages() {
    let bytes = case().png();
    // A preview is loaded on telephones too.
    assert!(bytes.len() < 25_000, "{} bytes", bytes.len());
    let read = Read::new(&bytes);
    assert_eq!((read.width, read.height), (1200, 630));

    let style = include_str!("../assets/frame.css");
    let colour = |name: &str| {
        let rest = style
            .split_once(&format!("--{name}: light-dark("))
            .unwrap()
            .1;
        let short = rest.split(',').next().unwrap();
        match short.len() {
            4 => format!(
                "#{0}{0}{1}{1}{2}{2}",
                &short[1..2],
                &short[2..3],
                &short[3..4]
            ),
            _ => short.to_owned(),
        }
    };

    // The stripe, the paper, the icon, and the bar: 79.2 % of 1072 pixels are the net.
    let places = [
        ("accent", [600, 6]),
        ("paper", [600, 20]),
        ("paper", [5, 625]),
        ("accent", [96, 50]),
        ("paper", [96, 72]),
        ("net", [70, 500]),
        ("net", [64 + 846, 500]),
        ("levies", [64 + 850, 500]),
        ("levies", [1130, 500]),
        ("paper", [1140, 500]),
    ];
    for (name, [x, y]) in places {
        assert_eq!(read.at(x, y), colour(name), "{name} at {x}, {y}");
    }

    // Text, in its colour where it is thickest.
    let has = |name: &str, rows: std::ops::Range<usize>| {
        rows.flat_map(|y| (0..1200).map(move |x| (x, y)))
            .any(|(x, y)| read.at(x, y) == colour(name))
    };
    assert!(has("soft", 44..108) && has("soft", 132..174) && has("ink", 176..220));
    assert!(has("accent", 330..440) && has("ink", 530..574));

    let bar = CasePicture {
        shares: vec![
            share("Ce qui reste", Colour::Net, 500),
            share("Impôt", Colour::Tax, 300),
            share("Employeur", Colour::Employer, 200),
        ],
        ..case()
    };
    let read = Read::new(&bar.png());
    for (name, x) in [("net", 590), ("tax", 610), ("tax", 910), ("employer", 930)] {
        assert_eq!(read.at(x, 500), colour(name), "{name} at {x}");
    }
}

#[test]
fn the_icon_is_that_of_the_pages() {
    let svg = include_str!("../assets/icon.svg");
    for part in [
        "viewBox=\"0 0 32 32\"",
        "rx=\"6\" fill=\"#1c4f8f\"",
        "d=\"M6 25h5v-5h5v-5h5v-5h5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\"",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }

    // The corners of the path, two pixels to each part, are white, and what is beside it is not.
    let read = Read::new(&case().png());
    let at = |x: usize, y: usize| read.at(64 + 2 * x, 44 + 2 * y);
    for (x, y) in [(7, 25), (11, 25), (11, 20), (16, 15), (21, 10), (25, 10)] {
        assert_eq!(at(x, y), "#ffffff", "{x}, {y}");
    }
    for (x, y) in [(5, 25), (27, 10), (8, 21), (14, 25), (24, 20), (1, 16)] {
        assert_eq!(at(x, y), "#1c4f8f", "{x}, {y}");
    }
}

#[test]
fn a_picture_shows_what_it_is_given_line_by_line() {
    assert_eq!(
        lines(&case()),
        [
            "Barème",
            "Barème du 1er juillet 2026",
            "Net",
            "79,2\u{202f}%",
            "Cotisations du salarié",
            "20,8\u{202f}%",
            "Salaire brut en net, salarié du secteur privé en France",
            "Salaire brut de la période\u{a0}: 3\u{202f}500\u{a0}€",
            "Net après impôt, au taux neutre",
            "2\u{202f}555,32\u{a0}€",
            "par mois",
        ]
    );

    assert_eq!(case().png(), case().png());
    let other = CasePicture {
        value: "2\u{202f}555,33\u{a0}€".to_owned(),
        ..case()
    };
    assert_ne!(case().png(), other.png());
}

#[test]
fn a_long_text_is_broken_between_words_and_ends_with_an_ellipsis() {
    let long = CasePicture {
        title: "Micro-entreprise, entreprise individuelle, EURL ou SASU : ce qui reste d’un même \
                chiffre d’affaires (France)"
            .to_owned(),
        value: "123\u{202f}456\u{202f}789\u{202f}012\u{202f}345,00\u{a0}F\u{a0}CFA".to_owned(),
        shares: Vec::new(),
        ..case()
    };
    let shown = lines(&long);
    assert_eq!(
        shown[2..4],
        [
            "Micro-entreprise, entreprise individuelle, EURL ou SASU : ce qui",
            "reste d’un même chiffre d’affaires (France)",
        ]
    );
    // It is smaller in place of being cut.
    assert!(shown.contains(&long.value), "{shown:?}");

    let english = CasePicture {
        scale: "Figures of 1 September 2026".to_owned(),
        title: "Gross to net pay, public-sector employee in the Democratic Republic of the Congo, \
                with the transport allowance"
            .to_owned(),
        entered: "Gross pay: CDF 1,250,000 per year · Number of dependent children: 4 · Add the \
                  employer’s part: yes · Family allowance paid by the employer: CDF 45,000 · \
                  Seniority of the employee, in whole years: 12"
            .to_owned(),
        label: "Net pay for the month, after the tax on professional income".to_owned(),
        value: "CDF 1,013,475".to_owned(),
        ..case()
    };
    assert_eq!(
        lines(&english)[6..],
        [
            "Gross to net pay, public-sector employee in the Democratic…",
            "Gross pay: CDF 1,250,000 per year · Number of dependent",
            "children: 4 · Add the employer’s part: yes · Family allowance…",
            "Net pay for the month, after the tax on…",
            "CDF 1,013,475",
            "par mois",
        ]
    );

    let cut = |text: &str, width: i32, most: usize| {
        let style = Style {
            size: 30,
            weight: Weight::Regular,
            colour: Colour::Ink,
        };
        style.lines(text, width, most)
    };
    assert_eq!(cut("un deux, trois quatre", 150, 1), ["un deux…"]);
    assert_eq!(cut("un deux, trois quatre", 150, 2), ["un deux,", "trois…"]);
    assert_eq!(
        cut("un deux, trois quatre", 150, 3),
        ["un deux,", "trois", "quatre"]
    );
    // A number is whole or not there.
    assert_eq!(
        cut("montant\u{a0}: 36\u{202f}000\u{a0}€ ou plus", 190, 1),
        ["montant…"]
    );
    assert_eq!(cut("anticonstitutionnellement long", 150, 2), ["anticons…"]);
    assert_eq!(cut("", 150, 2), Vec::<String>::new());
    assert_eq!(cut(" \n\t ", 150, 2), Vec::<String>::new());
    assert_eq!(cut("a\u{feff}\u{200b}\u{7}b\nc", 150, 1), ["ab c"]);
}

#[test]
fn any_text_stays_within_its_box() {
    // Pieces of every kind that a rule file or an address may have: long words, other scripts, marks
    // that are above or below a letter, directions, what no font has.
    const PIECES: [&str; 14] = [
        "",
        "3 784,00 €",
        "anticonstitutionnellement",
        "é́́́ç̧̧Ņ̂Ǻ",
        "المغرب",
        "中华人民共和国",
        "👩‍👩‍👧 🏳️‍🌈",
        "\u{202e}envers\u{202c}",
        "\u{0}\u{7f}\u{fffd}\u{10ffff}\u{ad}",
        "« ‑ – − œ ₵ ½ » №",
        "ﷺ﷽",
        "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
        "a\u{a0}b\u{202f}c\u{2003}d\u{3000}e",
        "jpqgyÅÉÂŤ|()[]{}§",
    ];
    // The same draws at each run: a linear congruential generator.
    let mut state = 20_261_130_u64;
    let mut drawn = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };

    for round in 0..400 {
        let mut text = || {
            let count = [0, 1, 2, 5, 60, 4000][drawn(6)];
            let pieces: Vec<&str> = (0..count).map(|_| PIECES[drawn(PIECES.len())]).collect();
            pieces.join([" ", "", "\u{a0}"][drawn(3)])
        };
        let [service, scale, title, entered, label, value, period] = [(); 7].map(|()| text());
        let labels = [(); 6].map(|()| text());
        let colours = [Colour::Net, Colour::Tax, Colour::Levies, Colour::Employer];
        let shares = labels.iter().zip(colours.iter().cycle()).take(round % 7);
        let odd = CasePicture {
            service: service.clone(),
            scale: scale.clone(),
            title,
            entered,
            label,
            value,
            period,
            shares: shares
                .map(|(label, colour)| share(label, *colour, 1000))
                .collect(),
        };
        separate(&Layout::of_case(&odd));
        separate(&Layout::of_service(&ServicePicture {
            name: service,
            purpose: odd.title.clone(),
            host: scale,
        }));
        if round % 40 == 0 {
            let read = Read::new(&odd.png());
            assert_eq!((read.width, read.height), (1200, 630));
        }
    }
}

#[test]
fn letters_are_within_the_box_of_their_line() {
    let style = |size: i32, weight: Weight| Style {
        size,
        weight,
        colour: Colour::Ink,
    };
    for style in [
        style(28, Weight::Regular),
        style(42, Weight::Bold),
        style(112, Weight::Bold),
    ] {
        for text in ["ÉÂjgq|", "2\u{202f}555,32\u{a0}€", "« ‑ œ ₵ »", "中"] {
            let line = Line {
                text: text.to_owned(),
                style,
                at: [200, 300],
            };
            let mut canvas = Canvas::new();
            line.style.draw(&mut canvas, &line.text, line.at);
            let drawn = Read::new(&canvas.png()).drawn().unwrap();
            let frame = frame(&line);
            let is_within = drawn.x.start >= frame.x.start - 1
                && drawn.x.end <= frame.x.end + 1
                && drawn.y.start >= frame.y.start
                && drawn.y.end <= frame.y.end;
            assert!(is_within, "{text}: {drawn:?} in {frame:?}");
            // It fills most of its width.
            assert!(
                drawn.x.len() * 10 >= frame.x.len() * 6,
                "{text}: {drawn:?} in {frame:?}"
            );
        }
    }
}

#[test]
fn each_letter_of_our_texts_has_its_own_shape() {
    let style = Style {
        size: 60,
        weight: Weight::Bold,
        colour: Colour::Ink,
    };
    let drawn = |letter: char| {
        let mut canvas = Canvas::new();
        style.draw(&mut canvas, &letter.to_string(), [100, 100]);
        canvas.png()
    };
    let paper = Canvas::new().png();
    let replaced = drawn('中');
    assert_ne!(replaced, paper, "a letter that the font lacks is a box");
    assert_eq!(drawn('د'), replaced);

    let letters = "éèêëàâîïôöùûüçœæÉÈÊÀÇŒ’«»€£$₵–−·…%,.:()°²½0123456789";
    for letter in letters.chars() {
        let shape = drawn(letter);
        assert!(shape != paper && shape != replaced, "{letter}");
    }
    assert_eq!(drawn('\u{2011}'), drawn('-'));
    for space in [' ', '\u{a0}', '\u{202f}', '\u{2009}'] {
        assert_eq!(drawn(space), paper);
        assert!(style.width(&space.to_string()) > 10, "{space:?}");
    }
    assert!(style.width("\u{202f}") < style.width("\u{a0}"));
}
