//! A page for a terminal, or as plain text.

use std::fmt::Write as _;

use bareme_engine::authoring::wrapped;
use bareme_show::{Cell, Column, Table, Tone};
use console::measure_text_width;

use super::{Block, Page};

/// Greatest width of a text, for legibility.
const WIDEST: usize = 100;
/// Width without a terminal.
const USUAL: usize = 80;
/// Spaces between two columns.
const GAP: &str = "  ";

/// The style of a text output, by its capabilities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub coloured: bool,
    pub width: usize,
}

impl Style {
    /// No colours, and the usual width.
    pub(crate) const PLAIN: Self = Self {
        coloured: false,
        width: USUAL,
    };

    /// The style of the standard output.
    pub(crate) fn of_output(coloured: bool) -> Self {
        // Without a terminal, as in a pipe, the width does not depend on where the command runs:
        // tests and scripts see the same text.
        let width = console::Term::stdout()
            .size_checked()
            .map_or(USUAL, |(_, columns)| usize::from(columns));

        Self {
            coloured,
            // Half of the usual width is the least that keeps a table readable.
            width: width.clamp(USUAL / 2, WIDEST),
        }
    }

    /// A text in the colour of a tone.
    pub(crate) fn paint(self, text: &str, tone: Tone) -> String {
        // `console` would decide by the terminal itself; here `--color` has decided.
        let ansi = console::Style::new().force_styling(self.coloured);

        let ansi = match tone {
            Tone::Plain => return text.to_owned(),
            Tone::Strong | Tone::Main => ansi.bold(),
            Tone::Dim => ansi.dim(),
            Tone::Good => ansi.green(),
            Tone::Warning => ansi.yellow(),
            Tone::Bad => ansi.red(),
        };
        ansi.apply_to(text).to_string()
    }
}

impl Page {
    /// The page as plain or coloured text.
    pub(crate) fn to_text(&self, style: Style) -> String {
        let mut out = String::new();
        // The page is written to a string, which cannot fail.
        if !self.title.is_empty() {
            let _ = writeln!(
                out,
                "{}",
                style.paint(
                    &wrapped(&self.title, style.width, "").join("\n"),
                    Tone::Strong
                )
            );
        }

        let mut before = None;
        for block in &self.blocks {
            if !out.is_empty() && !is_joined(before, block) {
                out.push('\n');
            }
            write_block(block, style, &mut out);
            before = Some(block);
        }

        out
    }
}

/// Whether no empty line separates a block from the one before.
fn is_joined(before: Option<&Block>, block: &Block) -> bool {
    // Paragraphs in succession are one text, and a heading belongs to what follows it.
    matches!(
        (before, block),
        (None | Some(Block::Text(..)), Block::Text(..))
    ) || matches!(
        (before, block),
        (
            Some(Block::Heading(_)),
            Block::Text(..) | Block::Table(_) | Block::List(_)
        )
    )
}

fn write_block(block: &Block, style: Style, out: &mut String) {
    let paragraph =
        |text: &str, tone| style.paint(&wrapped(text, style.width, "").join("\n"), tone);

    let _ = match block {
        Block::Heading(text) => writeln!(out, "{}", paragraph(text, Tone::Strong)),
        Block::Text(text, tone) => writeln!(out, "{}", paragraph(text, *tone)),
        Block::List(items) => items.iter().try_for_each(|item| {
            writeln!(out, "- {}", wrapped(item, style.width - 2, "").join("\n  "))
        }),
        Block::Links(links) => links
            .iter()
            .try_for_each(|(title, file)| writeln!(out, "- {title} : {file}")),
        Block::Table(table) => write_table(table, style, out),
        Block::Verbatim(text, tone) => {
            // The first line has the message, in its colour; the rest, as a line of source, is
            // plain.
            let (first, rest) = text.trim_end().split_once('\n').unwrap_or((text, ""));
            let rest = if rest.is_empty() {
                String::new()
            } else {
                format!("\n{rest}")
            };
            writeln!(out, "{}{rest}", style.paint(first.trim_end(), *tone))
        }
        // Drawings are not shown on a terminal: the caption replaces them.
        Block::Drawing { caption, .. } => writeln!(out, "{}", paragraph(caption, Tone::Dim)),
    };
}

/// A table without borders: a line under the headings, numbers aligned to the right.
///
/// Laid out here rather than by `comfy-table` 8, which breaks a word wider than its column, drops
/// the indentation of lines within a cell, and styles a cell only as a whole.
fn write_table(table: &Table, style: Style, out: &mut String) -> std::fmt::Result {
    let widths = widths(table, style.width);
    if widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1) > style.width {
        return write_records(table, style, out);
    }

    let titles = table
        .columns
        .iter()
        .map(|column| Cell::toned(&column.title, Tone::Dim))
        .collect::<Vec<_>>();
    write_row(&titles, table, &widths, style, out)?;

    writeln!(
        out,
        "{}",
        style.paint(
            &"─".repeat(widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1)),
            Tone::Dim
        )
    )?;

    table
        .rows
        .iter()
        .try_for_each(|row| write_row(&row.cells, table, &widths, style, out))
}

/// A table too wide for any terminal: one row after the other, one cell on each line.
// Columns that do not fit even when broken would be cut by the terminal in the middle of words.
fn write_records(table: &Table, style: Style, out: &mut String) -> std::fmt::Result {
    for (index, row) in table.rows.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        for (cell, column) in row
            .cells
            .iter()
            .zip(&table.columns)
            .filter(|(cell, _)| !cell.text.is_empty())
        {
            // The line breaks of a cell separate its parts; here the cell is on one line.
            let line = format!("{} : {}", column.title, cell.text.replace('\n', ", "));
            writeln!(
                out,
                "{}",
                style.paint(&wrapped(&line, style.width, "  ").join("\n"), cell.tone)
            )?;
        }
    }
    Ok(())
}

/// Widths of the columns: numbers get what they need, texts share the rest, short ones first.
fn widths(table: &Table, width: usize) -> Vec<usize> {
    let columns: Vec<Width> = (0..table.columns.len())
        .map(|index| Width::new(table, index))
        .collect();

    let gaps = GAP.len() * columns.len().saturating_sub(1);
    // One limit holds for all columns: the greatest with which the table fits. A column narrower
    // than it keeps its own width, so that the space goes to the longest texts.
    let limited = |most: usize| {
        columns
            .iter()
            .map(move |column| column.natural.min(most.max(column.least)))
    };

    let fits = |most: &usize| limited(*most).sum::<usize>() + gaps <= width;
    limited((0..=width).rev().find(fits).unwrap_or(0)).collect()
}

/// The widths of a column.
struct Width {
    /// The least width that breaks no word, and in numbers no cell.
    least: usize,
    /// The width that breaks no line.
    natural: usize,
}

impl Width {
    fn new(table: &Table, index: usize) -> Self {
        let longest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(measure_text_width).max().unwrap_or(0)
        };
        let cells = || {
            table
                .rows
                .iter()
                .filter_map(|row| row.cells.get(index))
                .flat_map(|cell| cell.text.lines())
        };
        let Some(Column {
            title, is_number, ..
        }) = table.columns.get(index)
        else {
            return Self {
                least: 0,
                natural: 0,
            };
        };

        let title_word = longest(&mut title.split(' '));
        match is_number {
            // A long heading is wrapped, rather than spreading its numbers.
            true => {
                let needed = longest(&mut cells()).max(title_word);
                Self {
                    least: needed,
                    natural: needed,
                }
            }
            false => {
                let least = longest(&mut cells().flat_map(|line| line.split(' '))).max(title_word);
                Self {
                    least,
                    natural: longest(&mut cells()).max(measure_text_width(title)),
                }
            }
        }
    }
}

fn write_row(
    cells: &[Cell],
    table: &Table,
    widths: &[usize],
    style: Style,
    out: &mut String,
) -> std::fmt::Result {
    // A row is as high as its highest cell.
    let set: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| lines(&cell.text, *width))
        .collect();

    let height = set.iter().map(Vec::len).max().unwrap_or(0);

    for index in 0..height {
        let mut line = String::new();

        let columns = cells.iter().zip(&set).zip(widths).zip(&table.columns);
        for (((cell, lines), width), column) in columns {
            let text = lines.get(index).map(String::as_str).unwrap_or_default();
            let space = " ".repeat(width.saturating_sub(measure_text_width(text)));
            // Indented lines in a cell explain the line above.
            let tone = if text.starts_with(' ') && cell.tone == Tone::Plain {
                Tone::Dim
            } else {
                cell.tone
            };
            // An empty text is not painted: its escape sequences would be trailing garbage on the
            // line.
            let painted = if text.is_empty() {
                String::new()
            } else {
                style.paint(text, tone)
            };

            let cell = if column.is_number {
                [space, painted]
            } else {
                [painted, space]
            };
            line.extend(cell.iter().map(String::as_str).chain([GAP]));
        }
        // Trailing blanks of the last column would wrap on a narrow terminal.
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The wrapped lines of a cell; an indented line keeps its indentation.
fn lines(text: &str, width: usize) -> Vec<String> {
    let broken = |line: &str| {
        // Bytes are columns here, since only spaces are counted.
        let words = line.trim_start_matches(' ');
        let indent = " ".repeat(line.len() - words.len());
        let margin = if indent.is_empty() { "" } else { "  " };

        let parts = wrapped(words, width.saturating_sub(indent.len()), margin);
        parts
            .into_iter()
            .map(move |part| format!("{indent}{part}"))
            .collect::<Vec<_>>()
    };
    text.lines().flat_map(broken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style {
        coloured: false,
        width: 40,
    };

    #[test]
    fn a_table_fits_the_width_and_numbers_align_to_the_right() {
        let mut page = Page::titled("Essai");
        let mut table = Table::default().text("Libellé").number("Montant");
        table.row([
            "Une ligne bien trop longue pour la largeur\n  et son détail".into(),
            "1 296 000,50".into(),
        ]);
        table.row(["Courte".into(), Cell::toned("7", Tone::Bad)]);
        page.table(table);
        let expected = "Essai\n\nLibellé                          \
            Montant\n────────────────────────────────────────\nUne ligne bien trop longue  1 296 \
            000,50\npour la largeur\n  et son détail\nCourte                                 7\n";
        assert_eq!(page.to_text(PLAIN), expected);
    }

    #[test]
    fn a_sign_of_two_columns_moves_nothing() {
        let mut page = Page::default();
        let mut table = Table::default().text("Nom").number("Montant");
        table.row(["税金".into(), "1".into()]);
        table.row(["ab".into(), "2".into()]);
        page.table(table);
        let expected = "Nom   Montant\n─────────────\n税金        1\nab          2\n";
        assert_eq!(page.to_text(PLAIN), expected);
    }

    #[test]
    fn a_table_that_is_too_wide_is_written_row_after_row() {
        let mut page = Page::default();
        let mut table = Table::default()
            .text("premiere")
            .text("deuxieme")
            .number("troisieme");
        table.row([
            "un_mot_bien_trop_long".into(),
            "un_autre_mot_bien_trop_long".into(),
            "1".into(),
        ]);
        table.row(["b".into(), "".into(), "2".into()]);
        page.table(table);
        let expected = "premiere : un_mot_bien_trop_long\ndeuxieme : \
            un_autre_mot_bien_trop_long\ntroisieme : 1\n\npremiere : b\ntroisieme : 2\n";
        assert_eq!(page.to_text(PLAIN), expected);
    }

    #[test]
    fn colours_come_only_where_they_are_asked_for() {
        let mut page = Page::default();
        page.toned("faux", Tone::Bad);
        assert_eq!(page.to_text(PLAIN), "faux\n");
        assert_eq!(
            page.to_text(Style {
                coloured: true,
                ..PLAIN
            }),
            "\u{1b}[31mfaux\u{1b}[0m\n"
        );
    }
}
