//! Tables laid out for a page.

use bareme_show::{Column, Row, RowKind, Table};
use maud::{Markup, html};

use super::text::{printed, prose};

/// A table with a class, which scrolls on a narrow screen; `label` is its caption for screen
/// readers.
pub(super) fn table(table: &Table, class: &str, label: &str) -> Markup {
    // Rows after the total are not part of it.
    let end = table
        .rows
        .iter()
        .position(|row| row.kind == RowKind::Total)
        .unwrap_or(table.rows.len());
    let (lines, foot) = table.rows.split_at(end);

    let row = |row: &Row| {
        if row.kind == RowKind::Section {
            let title = row
                .cells
                .first()
                .map(|cell| cell.text.as_str())
                .unwrap_or_default();
            return html! {
                tr { th.section scope="colgroup" colspan=(table.columns.len()) { (prose(title)) } }
            };
        }

        html! {
            tr.total[row.kind == RowKind::Total] {
                @for (index, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
                    @if index == 0 { th scope="row" { (prose(&cell.text)) } }
                    @else { td class=[class_of(column)] { (cell.text) } }
                }
            }
        }
    };

    wide(
        label,
        html! {
            table class=(class) {
                thead {
                    tr {
                        @for column in &table.columns {
                            th class=[class_of(column)] scope="col" { (printed(&column.title)) }
                        }
                    }
                }
                tbody {
                    @for line in lines { (row(line)) }
                }
                @if !foot.is_empty() { tfoot { @for line in foot { (row(line)) } } }
            }
        },
    )
}

/// A table in a region of its own, which scrolls where the screen is narrower or the text larger;
/// `label` is what screen readers call it.
pub(super) fn wide(label: &str, table: Markup) -> Markup {
    html! {
        // A table that scrolls takes the focus: otherwise the keyboard would not reach its last
        // columns.
        div.wide tabindex="0" role="region" aria-label=(printed(label)) { (table) }
    }
}

fn class_of(column: &Column) -> Option<&'static str> {
    match (column.is_number, column.is_aside) {
        (true, true) => Some("n aside"),
        (true, false) => Some("n"),
        (false, true) => Some("aside"),
        (false, false) => None,
    }
}
