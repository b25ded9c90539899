//! The items of a group in the answer: a table, with a row for each.

use bareme_engine::Calculation;
use bareme_show::{ItemTable, Locale};
use maud::{Markup, html};

use crate::text::{printed, prose};

/// The tables of the fields that list the items of a group.
pub(super) fn tables(calculation: &Calculation) -> Markup {
    let method = calculation.edition().method();
    let tables = calculation.fields().filter_map(|(field, found)| {
        let table = ItemTable::of(found, method, Locale::page(method.lang))?;
        Some((field.label.as_deref().unwrap_or_default(), table))
    });

    html! {
        @for (label, table) in tables {
            div.wide tabindex="0" role="region" aria-label=(printed(label)) {
                table {
                    caption { (prose(label)) }
                    thead {
                        tr {
                            @for heading in &table.headings {
                                th.n[heading.is_number] scope="col" { (prose(&heading.title)) }
                            }
                        }
                    }
                    tbody {
                        @for row in &table.rows {
                            tr {
                                @for (heading, value) in table.headings.iter().zip(row) {
                                    td.n[heading.is_number] { (value) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
