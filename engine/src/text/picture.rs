//! The picture of a folder: a small drawing that pages show beside its name, read from SVG.
//!
//! It becomes a part of pages, so that it is read more strictly than XML asks: elements that draw,
//! attributes that say where and in which colour, and comments. What loads, runs, links or speaks
//! is not among them, and neither are entities, which could hide it.

use std::sync::Arc;

use crate::say;
use crate::text::limits::PICTURE;
use crate::text::{Place, Problem, Report, RuleFile, Text};

/// The elements that draw.
const ELEMENTS: [&str; 8] = [
    "circle", "ellipse", "g", "line", "path", "polygon", "polyline", "rect",
];

/// The attributes that they may have.
const ATTRIBUTES: [&str; 23] = [
    "cx",
    "cy",
    "d",
    "fill",
    "fill-opacity",
    "fill-rule",
    "height",
    "opacity",
    "points",
    "r",
    "rx",
    "ry",
    "stroke",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-width",
    "transform",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
];

/// The attributes of the element around them.
const FRAME: [&str; 2] = ["viewBox", "xmlns"];

/// Without it, a browser shows nothing.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// A small drawing, of which nothing is left but what draws.
///
/// ```
/// use bareme_engine::text::{Picture, Report, RuleFile};
///
/// let file = RuleFile::new(
///     "zz/picture.svg",
///     r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"><!-- law --><path d="M0 0h3v2z"/></svg>"##,
/// );
/// let picture = Picture::read(&file, &mut Report::default()).ok_or("not a picture")?;
/// assert_eq!(picture.view_box(), "0 0 3 2");
/// assert_eq!(picture.drawing(), r#"<path d="M0 0h3v2z"/>"#);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    view_box: String,
    drawing: String,
}

impl Picture {
    /// Reads a picture; reports its first mistake.
    pub fn read(file: &Arc<RuleFile>, report: &mut Report) -> Option<Self> {
        if !PICTURE.accepts(file.text().len(), &Place::of_file(file), report) {
            return None;
        }
        match Reader::new(file).read() {
            Ok(picture) => Some(picture),
            Err(mistake) => {
                report.error(&mistake.place, *mistake.problem);
                None
            }
        }
    }

    /// The rectangle that it fills: left, top, width and height, as SVG writes them.
    pub fn view_box(&self) -> &str {
        &self.view_box
    }

    /// Its elements as XML, without the `svg` around them.
    pub fn drawing(&self) -> &str {
        &self.drawing
    }
}

/// What is wrong in a picture.
struct Mistake {
    place: Place,
    problem: Box<Problem>,
}

/// An attribute as it is written.
struct Attribute<'f> {
    name: &'f str,
    value: &'f str,
}

/// A picture being read.
struct Reader<'f> {
    file: &'f Arc<RuleFile>,
    /// The names of the elements that are not closed yet.
    open: Vec<&'f str>,
    view_box: Option<&'f str>,
    drawing: String,
}

impl<'f> Reader<'f> {
    fn new(file: &'f Arc<RuleFile>) -> Self {
        Self {
            file,
            open: Vec::new(),
            view_box: None,
            drawing: String::new(),
        }
    }

    fn read(mut self) -> Result<Picture, Mistake> {
        let mut rest = self.file.text();
        while let Some((before, after)) = rest.split_once('<') {
            self.check_blank(before)?;

            // A comment may hold what looks like a tag: it is passed over first.
            rest = if let Some(comment) = after.strip_prefix("!--") {
                let end = comment.split_once("-->");
                end.ok_or_else(|| self.not_closed(after, "!--"))?.1
            } else {
                let end = after.split_once('>');
                let (tag, next) = end.ok_or_else(|| self.not_closed(after, first_word(after)))?;
                self.tag(tag)?;
                next
            };
        }
        self.check_blank(rest)?;

        if let Some(name) = self.open.last() {
            return Err(self.not_closed(rest, name));
        }
        let view_box = self.view_box.map(str::to_owned);
        let view_box = view_box.ok_or_else(|| self.wrong("", Problem::PictureWithoutFrame {}))?;
        Ok(Picture {
            view_box,
            drawing: self.drawing,
        })
    }

    /// Reads what is between `<` and `>`.
    fn tag(&mut self, tag: &'f str) -> Result<(), Mistake> {
        if let Some(name) = tag.strip_prefix('/') {
            let name = name.trim_end();
            if self.open.pop() != Some(name) {
                let reason = say!("`</{name}>` ne ferme rien", "`</{name}>` closes nothing");
                return Err(self.not_well_formed(tag, reason));
            }
            if !self.open.is_empty() {
                self.drawing.push_str(&format!("</{name}>"));
            }
            return Ok(());
        }

        let (inside, is_closed) = match tag.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (tag, false),
        };
        let name = first_word(inside);
        let attributes = self.attributes(inside.get(name.len()..).unwrap_or_default())?;

        if self.view_box.is_none() {
            self.frame(name, &attributes)?;
        } else if self.open.is_empty() {
            let reason = say!(
                "`{name}` est après la fin du dessin",
                "`{name}` is after the end of the drawing"
            );
            return Err(self.not_well_formed(name, reason));
        } else {
            self.check_element(name, &attributes)?;
            self.drawing.push_str(&format!("<{tag}>"));
        }

        if !is_closed {
            self.open.push(name);
        }
        Ok(())
    }

    /// Reads the element around all others.
    fn frame(&mut self, name: &'f str, attributes: &[Attribute<'f>]) -> Result<(), Mistake> {
        let value = |name: &str| {
            let mut found = attributes.iter().filter(|found| found.name == name);
            found.next().map(|found| found.value)
        };
        let is_namespaced = value("xmlns") == Some(NAMESPACE);
        let view_box = value("viewBox").filter(|text| is_view_box(text));
        match view_box.filter(|_| name == "svg" && is_namespaced) {
            Some(view_box) => self.view_box = Some(view_box),
            None => return Err(self.wrong(name, Problem::PictureWithoutFrame {})),
        }

        let other = attributes.iter().find(|found| !FRAME.contains(&found.name));
        other.map_or(Ok(()), |other| {
            let problem = Problem::unknown_picture_attribute(other.name, FRAME);
            Err(self.wrong(other.name, problem))
        })
    }

    fn check_element(&self, name: &str, attributes: &[Attribute]) -> Result<(), Mistake> {
        if !ELEMENTS.contains(&name) {
            let problem = Problem::unknown_picture_element(name, ELEMENTS);
            return Err(self.wrong(name, problem));
        }

        for Attribute { name, value } in attributes {
            if !ATTRIBUTES.contains(name) {
                let problem = Problem::unknown_picture_attribute(name, ATTRIBUTES);
                return Err(self.wrong(name, problem));
            }
            if !is_plain(value) {
                let problem = Problem::PictureValue {
                    name: (*name).to_owned(),
                    value: (*value).to_owned(),
                };
                return Err(self.wrong(value, problem));
            }
        }
        Ok(())
    }

    /// The attributes of a tag: each a name, `=` and a value between quotes.
    fn attributes(&self, mut rest: &'f str) -> Result<Vec<Attribute<'f>>, Mistake> {
        let mut attributes: Vec<Attribute> = Vec::new();
        while !rest.trim().is_empty() {
            // Without a space between them, browsers refuse the whole picture.
            let written = rest.trim_start();
            let read = quoted(written).filter(|_| written.len() < rest.len());
            let Some((attribute, next)) = read else {
                let reason = Text::from((
                    "un attribut s’écrit `nom=\"valeur\"`, après une espace",
                    "an attribute is written `name=\"value\"`, after a space",
                ));
                return Err(self.not_well_formed(written, reason));
            };

            let name = attribute.name;
            if attributes.iter().any(|known| known.name == name) {
                let reason = say!("`{name}` est écrit deux fois", "`{name}` is written twice");
                return Err(self.not_well_formed(name, reason));
            }
            attributes.push(attribute);
            rest = next;
        }
        Ok(attributes)
    }

    /// Refuses text between elements.
    fn check_blank(&self, between: &'f str) -> Result<(), Mistake> {
        let text = between.trim();
        if text.is_empty() {
            return Ok(());
        }
        let reason = Text::from(("un texte y est écrit", "a text is written in it"));
        Err(self.not_well_formed(text, reason))
    }

    fn not_closed(&self, part: &str, name: &str) -> Mistake {
        let reason = say!("`<{name}` n’est pas fermé", "`<{name}` is not closed");
        self.not_well_formed(part, reason)
    }

    fn not_well_formed(&self, part: &str, reason: Text<String>) -> Mistake {
        self.wrong(part, Problem::PictureNotWellFormed { reason })
    }

    /// A mistake at a part of the text of the file.
    fn wrong(&self, part: &str, problem: Problem) -> Mistake {
        let text = self.file.text();
        // A part is a slice of the text: its address says where.
        let start = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        let end = start.saturating_add(part.len());
        let place = match text.get(start..end) {
            Some(_) => Place::new(self.file, start..end),
            None => Place::of_file(self.file),
        };
        Mistake {
            place,
            problem: Box::new(problem),
        }
    }
}

/// The name that a tag begins with.
fn first_word(tag: &str) -> &str {
    tag.split(|letter: char| letter.is_whitespace() || "/>".contains(letter))
        .next()
        .unwrap_or_default()
}

/// The attribute that a text begins with, and what follows it.
fn quoted(text: &str) -> Option<(Attribute<'_>, &str)> {
    let (name, rest) = text.split_once('=')?;
    let quote = rest
        .chars()
        .next()
        .filter(|sign| ['"', '\''].contains(sign))?;
    let (value, next) = rest.get(1..)?.split_once(quote)?;

    let is_name = |name: &str| {
        let mut letters = name.chars();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || ":-_".contains(letter);
        !name.is_empty() && letters.all(is_letter)
    };
    is_name(name).then_some((Attribute { name, value }, next))
}

/// Whether a value has only what numbers, colours, paths and transformations are written with: an
/// address would need a colon or a slash, an entity its `&`.
fn is_plain(value: &str) -> bool {
    let is_plain = |letter: char| {
        letter.is_ascii_alphanumeric() || letter.is_whitespace() || "#.,+-()%".contains(letter)
    };
    value.chars().all(is_plain) && !value.to_lowercase().contains("url")
}

/// Whether a value is that of a `viewBox` that can be filled: four numbers, the last two positive.
fn is_view_box(value: &str) -> bool {
    let numbers: Vec<Option<f32>> = value.split(' ').map(|part| part.parse().ok()).collect();
    let is_positive = |number: f32| number > 0.0 && number.is_finite();
    match numbers[..] {
        [Some(left), Some(top), Some(width), Some(height)] => {
            left.is_finite() && top.is_finite() && is_positive(width) && is_positive(height)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of the mistake in a picture, with what it is marked at; or its drawing.
    fn read(text: &str) -> Result<String, (&'static str, String)> {
        let file = RuleFile::new("zz/picture.svg", text);
        let mut report = Report::default();
        let picture = Picture::read(&file, &mut report);
        picture.map(|picture| picture.drawing).ok_or_else(|| {
            let found = report.all().next().unwrap();
            (found.code(), text[found.place().span()].to_owned())
        })
    }

    /// The same within the element around all others.
    fn drawn(inside: &str) -> Result<String, (&'static str, String)> {
        read(&format!(
            "<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 3 2\">{inside}</svg>\n"
        ))
    }

    fn wrong(code: &'static str, at: &str) -> Result<String, (&'static str, String)> {
        Err((code, at.to_owned()))
    }

    #[test]
    fn what_draws_is_kept_and_comments_are_not() {
        let inside = "<!-- <b> -->\n<g fill='none'><path d=\"M0 0h3v2z\"/><rect width=\"1\" \
                      height=\"1\" ></rect></g>";
        let kept = "<g fill='none'><path d=\"M0 0h3v2z\"/><rect width=\"1\" height=\"1\" \
                    ></rect></g>";
        assert_eq!(drawn(inside), Ok(kept.to_owned()));
        assert_eq!(drawn(""), Ok(String::new()));
    }

    #[test]
    fn what_loads_runs_links_or_speaks_is_refused() {
        for name in [
            "script",
            "style",
            "image",
            "use",
            "a",
            "foreignObject",
            "animate",
            "text",
            "title",
            "svg",
            "?xml",
            "!DOCTYPE",
            "![CDATA[",
        ] {
            assert_eq!(drawn(&format!("<{name} ></{name}>")), wrong("M22", name));
        }
        for name in [
            "href",
            "xlink:href",
            "style",
            "onload",
            "class",
            "id",
            "filter",
        ] {
            assert_eq!(drawn(&format!("<path {name}=\"\"/>")), wrong("M23", name));
        }
        for value in [
            "url(#a)",
            "URL (a)",
            "https://a.example",
            "&lt;",
            "a;b",
            "/*",
            "\\75",
        ] {
            assert_eq!(
                drawn(&format!("<path fill=\"{value}\"/>")),
                wrong("M24", value)
            );
        }
    }

    #[test]
    fn what_no_browser_would_read_is_refused() {
        for (inside, at) in [
            ("<g>", "/svg"),
            ("</g>", "/g"),
            ("<path d=1/>", "d=1"),
            ("<path d=\"\"fill=\"\"/>", "fill=\"\""),
            ("<path d/>", "d"),
            ("<path d=\"\" d=\"\"/>", "d"),
            ("word", "word"),
            ("<!-- ", "!-- </svg>\n"),
            ("</svg><path/><g>", "path"),
            ("</svg><path", "/svg"),
        ] {
            assert_eq!(drawn(inside), wrong("M20", at), "{inside}");
        }
        assert_eq!(read("<svg"), wrong("M20", "svg"));
    }

    #[test]
    fn the_element_around_says_its_namespace_and_its_rectangle() {
        for text in [
            "",
            "<g/>",
            "<svg viewBox=\"0 0 3 2\"/>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3\"/>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 0 2\"/>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3 inf\"/>",
            "<svg xmlns=\"http://www.w3.org/1999/xhtml\" viewBox=\"0 0 3 2\"/>",
        ] {
            assert_eq!(read(text).unwrap_err().0, "M21", "{text}");
        }
        let sized = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3 2\" width=\"3\"/>";
        assert_eq!(read(sized), wrong("M23", "width"));
    }

    #[test]
    fn a_picture_is_small() {
        let drawn = |length: usize| drawn(&" ".repeat(length - drawn_around().len()));
        assert_eq!(drawn(PICTURE.most), Ok(String::new()));
        assert_eq!(drawn(PICTURE.most + 1), wrong("L23", ""));
    }

    fn drawn_around() -> String {
        format!("<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 3 2\"></svg>\n")
    }
}
