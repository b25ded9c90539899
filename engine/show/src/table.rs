//! Tables: columns of texts and numbers, rows of cells; callers lay them out.

/// A table; columns of texts are aligned to the left, of numbers to the right.
///
/// ```
/// use bareme_show::Table;
///
/// let mut table = Table::default().text("Année").number("Taux");
/// table.row(["2026".into(), "20 %".into()]);
/// assert_eq!((table.columns.len(), table.rows[0].cells[1].text.as_str()), (2, "20 %"));
/// ```
#[derive(Debug, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with one cell for each column.
    pub rows: Vec<Row>,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Heading.
    pub title: String,
    /// Whether it holds numbers.
    pub is_number: bool,
    /// Whether it may be hidden on a narrow screen.
    pub is_aside: bool,
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// Kind of the row.
    pub kind: RowKind,
    /// Its cells, in the order of the columns.
    pub cells: Vec<Cell>,
}

/// Kind of a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// An ordinary row.
    Line,
    /// A heading for the rows below it, in its first cell.
    Section,
    /// The total of the rows above it.
    Total,
}

/// A cell of a table.
#[derive(Debug)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Emphasis.
    pub tone: Tone,
}

/// The emphasis of a text, such as a remark, a warning, an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Plain text.
    #[default]
    Plain,
    /// Emphasised text.
    Strong,
    /// Title of the page.
    Main,
    /// Secondary text.
    Dim,
    /// A favourable value, such as a gain or a passed check.
    Good,
    /// A value that needs attention.
    Warning,
    /// An unfavourable value, such as a loss or an error.
    Bad,
}

impl Cell {
    /// A text with its tone.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl Table {
    /// Adds a column of texts.
    pub fn text(self, title: impl Into<String>) -> Self {
        self.column(title, false, false)
    }

    /// Adds a column of numbers.
    pub fn number(self, title: impl Into<String>) -> Self {
        self.column(title, true, false)
    }

    /// Adds a column of numbers that may be hidden on a narrow screen.
    pub fn aside(self, title: impl Into<String>) -> Self {
        self.column(title, true, true)
    }

    fn column(mut self, title: impl Into<String>, is_number: bool, is_aside: bool) -> Self {
        self.columns.push(Column {
            title: title.into(),
            is_number,
            is_aside,
        });
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(Row {
            kind: RowKind::Line,
            cells: cells.into_iter().collect(),
        });
    }

    /// Adds a heading for the rows below it.
    pub fn section(&mut self, name: &str) {
        let name = [Cell::toned(name, Tone::Strong)].into_iter();
        let cells = name
            .chain(self.columns.iter().skip(1).map(|_| "".into()))
            .collect();
        self.rows.push(Row {
            kind: RowKind::Section,
            cells,
        });
    }

    /// Adds the total of the rows above.
    pub fn total(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| {
            let tone = if cell.is_empty() {
                Tone::Plain
            } else {
                Tone::Strong
            };
            Cell::toned(cell, tone)
        });
        self.rows.push(Row {
            kind: RowKind::Total,
            cells: cells.collect(),
        });
    }

    /// The table in Markdown, one line a row.
    pub fn markdown(&self) -> String {
        // In Markdown a bar ends a cell, and a line feed the table.
        let escaped = |text: &str| text.replace('|', "\\|").replace('\n', "<br>");
        let cell = |cell: &Cell| match cell.tone {
            Tone::Main => format!("**{}**", escaped(&cell.text)),
            _ => escaped(&cell.text),
        };

        // A colon at its right aligns a column of numbers to the right.
        let rule = |column: &Column| if column.is_number { "---:" } else { "---" }.to_owned();
        let titles: Vec<String> = self
            .columns
            .iter()
            .map(|column| escaped(&column.title))
            .collect();

        let rows = self
            .rows
            .iter()
            .map(|row| row.cells.iter().map(cell).collect());

        let all = [titles, self.columns.iter().map(rule).collect()]
            .into_iter()
            .chain(rows);
        all.map(|cells: Vec<String>| format!("| {} |\n", cells.join(" | ")))
            .collect()
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
