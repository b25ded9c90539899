//! Pages, the results of commands: headings, paragraphs and tables, to be rendered for a terminal,
//! as Markdown or as HTML.

mod html;
mod markdown;
mod text;

use bareme_show::{Table, Tone};

pub(crate) use text::Style;

/// The result of a command, to be shown.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Its title; empty for none.
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Debug)]
pub(crate) enum Block {
    Heading(String),
    /// A paragraph.
    Text(String, Tone),
    /// Short paragraphs, one on each line.
    List(Vec<String>),
    /// Links to files, with titles.
    Links(Vec<(String, String)>),
    Table(Table),
    /// Preformatted lines; the tone is for the first.
    Verbatim(String, Tone),
    /// A drawing, with its caption.
    Drawing {
        svg: String,
        caption: String,
    },
}

impl Page {
    pub(crate) fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            blocks: Vec::new(),
        }
    }

    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.toned(text, Tone::Plain);
    }

    pub(crate) fn toned(&mut self, text: impl Into<String>, tone: Tone) {
        self.blocks.push(Block::Text(text.into(), tone));
    }

    pub(crate) fn list(&mut self, items: Vec<String>) {
        self.blocks.push(Block::List(items));
    }

    pub(crate) fn links(&mut self, links: Vec<(String, String)>) {
        self.blocks.push(Block::Links(links));
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    pub(crate) fn verbatim(&mut self, text: impl Into<String>, tone: Tone) {
        self.blocks.push(Block::Verbatim(text.into(), tone));
    }

    pub(crate) fn drawing(&mut self, svg: String, caption: impl Into<String>) {
        self.blocks.push(Block::Drawing {
            svg,
            caption: caption.into(),
        });
    }
}
