//! What a command shows: a page of headings, paragraphs and tables, written once and rendered as a
//! terminal reads it, as Markdown or as HTML.

mod html;
mod markdown;
mod text;

pub(crate) use text::Style;

/// What a command shows.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// What it is about; empty: no title.
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Debug)]
pub(crate) enum Block {
    Heading(String),
    /// A paragraph.
    Text(String, Tone),
    /// Short paragraphs, one a line.
    List(Vec<String>),
    /// Titles and the files that they lead to.
    Links(Vec<(String, String)>),
    Table(Table),
    /// Lines to be shown as they are; the tone is that of the first.
    Verbatim(String, Tone),
    /// A drawing, and what it shows in words.
    Drawing {
        svg: String,
        caption: String,
    },
}

/// How something is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    /// What the page is about, above all the rest.
    Main,
    Dim,
    Good,
    Warning,
    Bad,
}

/// A table: columns of texts to the left, of numbers to the right.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// A cell of a table.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl Table {
    /// A column of texts.
    pub(crate) fn text(mut self, title: impl Into<String>) -> Self {
        self.columns.push((title.into(), Align::Left));
        self
    }

    /// A column of numbers.
    pub(crate) fn number(mut self, title: impl Into<String>) -> Self {
        self.columns.push((title.into(), Align::Right));
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Page {
    pub(crate) fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new() }
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
        self.blocks.push(Block::Drawing { svg, caption: caption.into() });
    }
}
