//! Edits of a file for a confirmed cell: value, mark, sources, reason.

use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::law::Shape;

use super::reading::Reading;
use crate::edit::{Edit, quoted, with_entry, with_first_entry, without_entry};
use crate::series::{DatedFile, ids};

const MARK: &str = "unconfirmed";
const WORDS: &str = "confirmed";
/// Separator of the reasons for several cells of a part.
const AND: &str = " ; ";

/// Identification of a cell: figure, row from 1, column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellId {
    pub figure: String,
    pub row: Option<usize>,
    pub column: Option<String>,
}

impl CellId {
    pub(super) fn new(cell: &WrittenCell) -> Self {
        Self {
            figure: cell.figure.to_owned(),
            row: cell.row,
            column: cell.column.map(str::to_owned),
        }
    }

    pub(super) fn is(&self, cell: &WrittenCell) -> bool {
        self.figure == cell.figure && self.row == cell.row && self.column.as_deref() == cell.column
    }

    fn is_beside(&self, cell: &WrittenCell) -> bool {
        self.figure == cell.figure && self.row == cell.row
    }
}

/// The writer of cells.
pub(super) struct Writer<'s> {
    pub shapes: &'s [Shape],
    /// Whether marks are removed; they stay where a change is carried into another draft.
    pub confirms: bool,
}

impl Writer<'_> {
    /// Writes a reading of a cell; `earlier` are its sources in the earlier file.
    pub(super) fn write(
        &self,
        file: &mut DatedFile,
        id: &CellId,
        reading: &Reading,
        earlier: &[String],
    ) {
        // Sources and reasons belong to a part, a record or a row: those of the other cells matter.
        let others: Vec<bool> = file
            .cells(self.shapes)
            .iter()
            .filter(|cell| id.is_beside(cell) && !id.is(cell))
            .map(|cell| !cell.is_unconfirmed)
            .collect();

        let has_confirmed = others.iter().any(|is_confirmed| *is_confirmed);

        // 1. The value.
        if let Some(value) = &reading.value {
            write_value(file, id, value);
        }

        // 2. The sources.
        match &reading.source {
            Some(source) => {
                // The sources of a part are those of its confirmed cells; for a cell that is not
                // confirmed here, its own.
                let joins = has_confirmed || (!self.confirms && !others.is_empty());
                write_source(file, id, &ids(source), joins);
            }
            None if has_confirmed => write_source(file, id, earlier, true),
            None => {}
        }

        // 3. The mark and the reason.
        if self.confirms {
            self.take_mark(file, id);
            self.write_words(file, id, reading.words.as_deref());
            self.lift(file, &id.figure, "source");
            self.lift(file, &id.figure, WORDS);
        }
    }

    /// Removes the mark of one cell: a mark on a table or on a row is moved to the other cells.
    fn take_mark(&self, file: &mut DatedFile, id: &CellId) {
        let cells = file.cells(self.shapes);
        let of_figure: Vec<&WrittenCell> = cells
            .iter()
            .filter(|cell| cell.figure == id.figure)
            .collect();

        let mut edits = Vec::new();
        // A mark on a table becomes marks on its rows.
        let whole = if id.row.is_some() {
            file.figure(&id.figure)
        } else {
            None
        };

        edits.extend(
            whole
                .and_then(|figure| entry(figure, MARK))
                .map(|mark| without_entry(&file.text, mark)),
        );

        let mut rows: Vec<Option<usize>> = of_figure.iter().map(|cell| cell.row).collect();
        rows.dedup();
        for row in rows {
            // The cells that stay marked; all of them are one mark.
            let of_row: Vec<&&WrittenCell> =
                of_figure.iter().filter(|cell| cell.row == row).collect();
            let left: Vec<&str> = of_row
                .iter()
                .filter(|cell| cell.is_unconfirmed && !id.is(cell))
                .map(|cell| cell.column.unwrap_or("true"))
                .collect();

            let Some(part) = file.part(&id.figure, row) else {
                continue;
            };
            let is_whole = left.len() == of_row.len();
            let mark = if is_whole {
                "true".to_owned()
            } else {
                left.join("; ")
            };

            match (entry(part, MARK), left.is_empty()) {
                (None, true) => {}
                (None, false) => edits.push(with_first_entry(&file.text, part, MARK, &mark)),
                (Some(known), true) => edits.push(without_entry(&file.text, known)),
                (Some(_), false) => edits.push(with_entry(&file.text, part, MARK, &mark)),
            }
        }

        file.edit(edits);
    }

    /// Writes the reason of a cell, with its name where the part has other cells.
    fn write_words(&self, file: &mut DatedFile, id: &CellId, words: Option<&str>) {
        let cells = file.cells(self.shapes);
        let columns: Vec<String> = cells
            .iter()
            .filter(|cell| id.is_beside(cell))
            .map(|cell| cell.column.unwrap_or_default().to_owned())
            .collect();
        let Some(part) = file.part(&id.figure, id.row) else {
            return;
        };

        // Once all rows had the same, it was moved to the table.
        let figure = file.figure(&id.figure);
        let stated_of = |part: &Node| Some(part.get(WORDS)?.text()?.value.clone());
        let of_table = figure.filter(|_| id.row.is_some()).and_then(stated_of);
        let known = stated_of(part)
            .or_else(|| of_table.clone())
            .unwrap_or_default();

        // The reason so far is split by cell, changed for this one, and joined again in the order
        // of the columns.
        let own = id.column.clone().unwrap_or_default();
        let mut stated = statements_of(&known, &columns);
        stated.retain(|(column, _)| *column != own);
        stated.extend(words.map(|words| (own, words.to_owned())));
        stated.sort_by_key(|(column, _)| columns.iter().position(|known| known == column));

        // One reason for all cells is written once.
        let is_of_all = stated.len() == columns.len();
        let text = match stated.as_slice() {
            [] => String::new(),
            [(_, first), rest @ ..]
                if is_of_all && rest.iter().all(|(_, words)| words == first) =>
            {
                first.clone()
            }
            _ => stated
                .iter()
                .map(|(column, words)| format!("{column} : {words}"))
                .collect::<Vec<_>>()
                .join(AND),
        };

        // What is that of the table is not repeated.
        let is_there = text.is_empty() || of_table.is_some_and(|of_table| of_table == text);
        let edit = match (entry(part, WORDS), is_there) {
            (None, true) => return,
            (Some(known), true) => without_entry(&file.text, known),
            (_, false) => with_entry(&file.text, part, WORDS, &quoted(&text)),
        };
        file.edit(vec![edit]);
    }

    /// Once a table is confirmed, moves a key that all its rows share to the table.
    fn lift(&self, file: &mut DatedFile, figure: &str, key: &str) {
        // Before that, rows may still get sources of their own.
        if file
            .unconfirmed(self.shapes)
            .iter()
            .any(|cell| cell.figure == figure)
        {
            return;
        }

        let Some(node) = file.figure(figure) else {
            return;
        };

        let rows = node.get("rows").map(Node::items).unwrap_or_default();
        let own: Vec<_> = rows.iter().filter_map(|row| entry(row, key)).collect();
        let texts: Vec<_> = own
            .iter()
            .filter_map(|(_, stated)| Some(stated.text()?.value.clone()))
            .collect();

        let Some(first) = texts
            .first()
            .filter(|first| texts.len() == rows.len() && texts.iter().all(|text| text == *first))
        else {
            return;
        };

        let mut edits: Vec<Edit> = own
            .iter()
            .map(|known| without_entry(&file.text, known))
            .collect();

        let stated = if key == WORDS {
            quoted(first)
        } else {
            first.clone()
        };

        edits.push(match node.get(key) {
            Some(_) => with_entry(&file.text, node, key, &stated),
            // The key comes before the rows.
            None => with_first_entry(&file.text, node, key, &stated),
        });
        file.edit(edits);
    }
}

/// The reason of each cell of a part; a reason without a name holds for all.
fn statements_of(known: &str, columns: &[String]) -> Vec<(String, String)> {
    let parts = known.split(AND).filter(|part| !part.is_empty());
    // A text with a separator inside is one reason for all, unless every part names a column.
    let named: Option<Vec<(String, String)>> = parts
        .map(|part| {
            let (column, words) = part.split_once(" : ")?;
            columns
                .iter()
                .any(|known| known == column)
                .then(|| (column.to_owned(), words.to_owned()))
        })
        .collect();

    named.unwrap_or_else(|| {
        columns
            .iter()
            .map(|column| (column.clone(), known.to_owned()))
            .collect()
    })
}

fn entry<'n>(part: &'n Node, key: &str) -> Option<&'n (bareme_engine::text::PlacedText, Node)> {
    part.entries().iter().find(|(known, _)| known.value == key)
}

fn write_value(file: &mut DatedFile, id: &CellId, value: &str) {
    let cell = id
        .column
        .as_deref()
        .and_then(|column| file.part(&id.figure, id.row)?.get(column)?.text());
    // What is there already stays as it is written, quotes and all.
    let Some(cell) = cell.filter(|cell| cell.value != value) else {
        return;
    };

    let is_text = bareme_engine::authoring::written_number(&cell.value).is_none();
    let written = if is_text {
        quoted(value)
    } else {
        value.to_owned()
    };

    let edit = Edit::replace(cell.place.span(), written);
    file.edit(vec![edit]);
}

/// Writes the sources of a part, added to those that it has or replacing them.
fn write_source(file: &mut DatedFile, id: &CellId, sources: &[String], joins: bool) {
    let known = file.sources_of(&id.figure, id.row);
    let mut all = if joins { known.clone() } else { Vec::new() };

    all.extend(
        sources
            .iter()
            .filter(|id| !all.contains(id))
            .cloned()
            .collect::<Vec<_>>(),
    );

    if all == known || all.is_empty() {
        return;
    }

    let Some(part) = file.part(&id.figure, id.row) else {
        return;
    };
    let edit = with_entry(&file.text, part, "source", &all.join("; "));
    file.edit(vec![edit]);
}

/// Inserts an entry before the first source of a file.
pub(in crate::command) fn add_source(file: &mut DatedFile, id: &str, stated: &str) {
    let Some(sources) = file.node.get("sources") else {
        return;
    };
    let edit = with_first_entry(&file.text, sources, id, stated);
    file.edit(vec![edit]);
}
