//! The picture of a folder: a small drawing that pages show beside its name, read from SVG.
//!
//! It becomes a part of pages, so that it is read more strictly than XML asks: elements that draw,
//! attributes that say where and in which colour, and comments. What loads, runs, links or speaks
//! is not among them.

use std::sync::Arc;

use roxmltree::{Attribute, Document, Node, NodeType, TextPos};

use crate::text::limits::PICTURE;
use crate::text::{Place, Problem, Report, RuleFile};

/// The elements that draw.
const ELEMENTS: [&str; 8] = [
    "circle", "ellipse", "g", "line", "path", "polygon", "polyline", "rect",
];

/// The attributes that they may have.
const ATTRIBUTES: [&str; 24] = [
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
    "y2",
];

/// The attribute of the element around them.
const VIEW_BOX: &str = "viewBox";

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
/// assert_eq!(picture.drawing(), r#"<path d="M0 0h3v2z"></path>"#);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    view_box: String,
    drawing: String,
}

impl Picture {
    /// Reads a picture; reports all of its mistakes.
    pub fn read(file: &Arc<RuleFile>, report: &mut Report) -> Option<Self> {
        if !PICTURE.accepts(file.text().len(), &Place::of_file(file), report) {
            return None;
        }
        let document = match Document::parse(file.text()) {
            Ok(document) => document,
            Err(error) => {
                let at = offset(file.text(), error.pos());
                let place = Place::new(file, at..at);
                report.error(&place, Problem::PictureNotWellFormed {});
                return None;
            }
        };

        let mut own = Report::default();
        let mut reader = Reader {
            file,
            report: &mut own,
            drawing: String::new(),
        };
        let root = document.root_element();
        let view_box = reader.frame(root);
        reader.children(root);
        let drawing = reader.drawing;

        let is_right = own.is_ok();
        report.extend(own);
        view_box
            .filter(|_| is_right)
            .map(|view_box| Self { view_box, drawing })
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

/// A picture being read.
struct Reader<'r> {
    file: &'r Arc<RuleFile>,
    report: &'r mut Report,
    /// The elements that draw, written from what was read: no other byte of the file reaches a page.
    drawing: String,
}

impl Reader<'_> {
    /// The rectangle of the element around all others.
    fn frame(&mut self, root: Node) -> Option<String> {
        for attribute in root.attributes() {
            if attribute.name() != VIEW_BOX {
                let problem = Problem::unknown_picture_attribute(attribute.name(), [VIEW_BOX]);
                self.wrong_name(&attribute, problem);
            }
        }

        let view_box = root.attribute(VIEW_BOX).filter(|text| is_view_box(text));
        let view_box = view_box.filter(|_| root.has_tag_name((NAMESPACE, "svg")));
        if view_box.is_none() {
            let place = self.place_of(root);
            self.report.error(&place, Problem::PictureWithoutFrame {});
        }
        view_box.map(str::to_owned)
    }

    /// Writes the elements within another one.
    fn children(&mut self, parent: Node) {
        for child in parent.children() {
            match child.node_type() {
                NodeType::Comment => {}
                NodeType::Element => self.element(child),
                NodeType::Text if child.text().unwrap_or_default().trim().is_empty() => {}
                // A text or an instruction is named by its first words.
                _ => {
                    let written = self.file.text().get(child.range()).unwrap_or_default();
                    let name = written.split_whitespace().next().unwrap_or_default();
                    let problem = Problem::unknown_picture_element(name, ELEMENTS);
                    let place = Place::new(self.file, child.range());
                    self.report.error(&place, problem);
                }
            }
        }
    }

    fn element(&mut self, element: Node) {
        let tag = element.tag_name();
        let name = tag.name();
        if !ELEMENTS.contains(&name) || tag.namespace() != Some(NAMESPACE) {
            let problem = Problem::unknown_picture_element(name, ELEMENTS);
            let place = self.place_of(element);
            self.report.error(&place, problem);
            return;
        }

        self.drawing.push_str(&format!("<{name}"));
        for attribute in element.attributes() {
            self.attribute(&attribute);
        }
        self.drawing.push('>');
        self.children(element);
        self.drawing.push_str(&format!("</{name}>"));
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let (name, value) = (attribute.name(), attribute.value());
        if !ATTRIBUTES.contains(&name) || attribute.namespace().is_some() {
            let problem = Problem::unknown_picture_attribute(name, ATTRIBUTES);
            return self.wrong_name(attribute, problem);
        }
        if !is_plain(value) {
            let problem = Problem::PictureValue {
                name: name.to_owned(),
                value: value.to_owned(),
            };
            let place = Place::new(self.file, attribute.range_value());
            return self.report.error(&place, problem);
        }

        // A plain value has no sign that XML would write otherwise.
        self.drawing.push_str(&format!(" {name}=\"{value}\""));
    }

    fn wrong_name(&mut self, attribute: &Attribute, problem: Problem) {
        let place = Place::new(self.file, attribute.range_qname());
        self.report.error(&place, problem);
    }

    /// The name of an element, where it opens.
    fn place_of(&self, element: Node) -> Place {
        let written = self.file.text().get(element.range()).unwrap_or_default();
        let is_after = |letter: char| letter.is_whitespace() || "/>".contains(letter);
        let length = written.find(is_after).unwrap_or(written.len());
        let start = element.range().start;
        Place::new(
            self.file,
            start.saturating_add(1)..start.saturating_add(length),
        )
    }
}

/// The place in a text of a line and a column, which count letters from 1.
fn offset(text: &str, at: TextPos) -> usize {
    let before = (at.row as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();

    let line = text.get(start..).unwrap_or_default();
    let column = (at.col as usize).saturating_sub(1);
    let mut letters = line.char_indices();
    let within = letters.nth(column).map_or(line.len(), |(within, _)| within);
    start.saturating_add(within)
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
        let kept = "<g fill=\"none\"><path d=\"M0 0h3v2z\"></path><rect width=\"1\" \
                    height=\"1\"></rect></g>";
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
        ] {
            assert_eq!(drawn(&format!("<{name} ></{name}>")), wrong("M22", name));
        }
        for words in ["word", "<![CDATA[<path/>]]>", "<?php ?>"] {
            assert_eq!(drawn(words), wrong("M22", words));
        }
        for name in ["href", "style", "onload", "class", "id", "filter"] {
            assert_eq!(drawn(&format!("<path {name}=\"\"/>")), wrong("M23", name));
        }
        // A name of another language is another name.
        let other = "xmlns:o=\"http://www.w3.org/1999/xlink\"";
        assert_eq!(drawn(&format!("<o:path {other}/>")), wrong("M22", "o:path"));
        let link = format!("<path {other} o:d=\"\"/>");
        assert_eq!(drawn(&link), wrong("M23", "o:d"));

        for value in [
            "url(#a)",
            "URL (a)",
            "&#117;rl(#a)",
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
    fn every_mistake_is_reported_at_once() {
        let text = format!(
            "<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 3 2\"><a/><g><path id=\"b\" d=\":\"/></g></svg>"
        );
        let file = RuleFile::new("zz/picture.svg", &text);
        let mut report = Report::default();
        assert_eq!(Picture::read(&file, &mut report), None);
        let codes: Vec<_> = report.all().map(|found| found.code()).collect();
        assert_eq!(codes, ["M22", "M23", "M24"]);
    }

    #[test]
    fn what_no_browser_would_read_is_refused_at_its_line() {
        for inside in [
            "<g>",
            "</g>",
            "<path d=1/>",
            "<path d=\"\"fill=\"\"/>",
            "<path d/>",
            "<path d=\"\" d=\"\"/>",
            "<o:path/>",
            "<!-- ",
            "<!DOCTYPE a>",
            "<path d=\"&a;\"/>",
        ] {
            let text = format!("<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 3 2\">\n{inside}</svg>");
            let file = RuleFile::new("zz/picture.svg", &text);
            let mut report = Report::default();
            assert_eq!(Picture::read(&file, &mut report), None, "{inside}");
            let found = report.all().next().unwrap();
            assert_eq!(found.code(), "M20", "{inside}");
            let before = &text[..found.place().span().start];
            assert!(before.ends_with('\n') || before.contains(">\n"), "{inside}");
        }
        for text in ["", "<svg", "<!DOCTYPE svg><svg/>"] {
            assert_eq!(read(text).unwrap_err().0, "M20", "{text}");
        }
    }

    #[test]
    fn the_element_around_says_its_namespace_and_its_rectangle() {
        for text in [
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
