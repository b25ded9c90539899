//! Tables laid out for a page.

use bareme_show::{Cell, Column, Row, RowKind, Table};
use maud::{Markup, html};

use super::text::{printed, prose};

/// A table of some class, which a narrow screen moves by itself; `label` says what it shows.
pub(super) fn table(table: &Table, class: &str, label: &str) -> Markup {
    let (totals, lines): (Vec<&Row>, Vec<&Row>) = table.rows.iter().partition(|row| row.kind == RowKind::Total);
    let row = |row: &Row| {
        html! {
            tr {
                @for (index, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
                    @if index == 0 { th scope="row" { (prose(&cell.text)) } }
                    @else { (number(cell, column)) }
                }
            }
        }
    };
    html! {
        div.wide tabindex="0" role="region" aria-label=(printed(label)) {
            table class=(class) {
                thead {
                    tr {
                        @for column in &table.columns {
                            th class=[class_of(column)] scope="col" { (printed(&column.title)) }
                        }
                    }
                }
                tbody {
                    @for line in lines {
                        @if line.kind == RowKind::Section {
                            tr { th.section scope="colgroup" colspan=(table.columns.len()) { (prose(&first(line))) } }
                        } @else { (row(line)) }
                    }
                }
                @if !totals.is_empty() { tfoot { @for total in totals { (row(total)) } } }
            }
        }
    }
}

fn first(row: &Row) -> String {
    row.cells.first().map(|cell| cell.text.clone()).unwrap_or_default()
}

fn number(cell: &Cell, column: &Column) -> Markup {
    html! { td class=[class_of(column)] { (cell.text) } }
}

fn class_of(column: &Column) -> Option<&'static str> {
    match (column.is_number, column.is_aside) {
        (true, true) => Some("n aside"),
        (true, false) => Some("n"),
        (false, true) => Some("aside"),
        (false, false) => None,
    }
}
