//! The payslip as the method lays it out, with the employee's and the employer's part on one row.

use bareme_engine::Calculation;
use bareme_engine::law::{FieldValue, PayslipRow};
use bareme_show::{Locale, Row, RowKind, Table, payslips};
use maud::{Markup, html};

use super::lines;
use crate::table::table;
use crate::text::{prose, say};

/// The payslips of an answer, with rows at zero folded; `None` if it has none.
pub(super) fn sheets(calculation: &Calculation) -> Option<Markup> {
    let lang = calculation.edition().method().lang;
    let payslips = payslips(calculation, Locale::page(lang));
    if payslips.is_empty() {
        return None;
    }
    Some(html! {
        @for (field, payslip) in payslips {
            // Rows at zero are listed below the payslip, not on it.
            @let zero = zero_rows(calculation, &field.name);
            div id=(field.name) {
                h2 { (say(lang, "Bulletin", "Payslip")) }
                p.soft { (prose(field.label.as_deref().unwrap_or(&field.name))) "." }
                (table(
                    &without(payslip, &zero),
                    "payslip",
                    say(
                        lang,
                        "Bulletin, part du salarié et part de l’employeur",
                        "Payslip, employee’s part and employer’s part"
                    )
                ))
                (lines::zeros(zero.into_iter(), (None, lang), "lignes-a-zero"))
            }
        }
    })
}

/// A payslip without some of its lines, and without sections left empty.
fn without(mut payslip: Table, labels: &[&str]) -> Table {
    let is_kept = |row: &Row| {
        let label = row.cells.first().map(|cell| cell.text.as_str());
        row.kind != RowKind::Line || label.is_none_or(|label| !labels.contains(&label))
    };

    // A section whose lines are all gone would be a heading of nothing.
    let rows: Vec<Row> = payslip.rows.into_iter().filter(is_kept).collect();

    let next = rows.iter().skip(1).map(|row| Some(row.kind)).chain([None]);
    let is_empty: Vec<bool> = rows
        .iter()
        .zip(next)
        .map(|(row, next)| row.kind == RowKind::Section && next != Some(RowKind::Line))
        .collect();

    payslip.rows = rows
        .into_iter()
        .zip(is_empty)
        .filter(|(_, is_empty)| !is_empty)
        .map(|(row, _)| row)
        .collect();
    payslip
}

/// The labels of the rows of a payslip whose parts are zero.
fn zero_rows<'c>(calculation: &'c Calculation, name: &str) -> Vec<&'c str> {
    let Some(FieldValue::Payslip(rows)) = calculation.field(name) else {
        return Vec::new();
    };
    let is_zero = |row: &&PayslipRow| {
        let mut parts = row.employee.iter().chain(&row.employer);
        parts.all(|part| part.amount.is_zero())
    };

    // A label may be on several rows: it is at zero if all of them are.
    let has_amount = |label: &str| rows.iter().any(|row| row.label == label && !is_zero(&row));

    rows.iter()
        .filter(is_zero)
        .map(|row| row.label)
        .filter(|label| !has_amount(label))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn both_parts_stand_on_a_row_with_their_totals() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        let loader = bareme_engine::Loader::new()
            .without_cases()
            .only(&["salaire"]);
        let rules = loader.load_service(&root).rules.unwrap();
        let folder = rules.folder("salaire").unwrap();
        let page = |asked: &[(&str, &str)]| {
            let sent: Vec<(String, String)> = asked
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let calculation = folder
                .calculate(&(&sent).into(), jiff::civil::date(2026, 6, 30))
                .unwrap();
            let number = |name: &str| calculation.field(name).and_then(FieldValue::number);
            let totals = ["cotisations_salariales", "charges_patronales"].map(number);
            (
                sheets(&calculation)
                    .map(Markup::into_string)
                    .unwrap_or_default(),
                totals.map(|total| total.map(|total| Locale::PAGE.aligned(total, 2))),
            )
        };
        let (page_without, _) = page(&[("brut", "6000")]);
        assert_eq!(page_without, "");
        let (page, [employee, employer]) = page(&[("brut", "6000"), ("employeur", "true")]);
        for cell in [
            "<th scope=\"row\">Famille</th>",
            "6,9\u{202f}%",
            "8,55\u{202f}%",
        ] {
            assert!(page.contains(cell), "{cell}: {page}");
        }
        // A section with only zero lines is not shown.
        assert_eq!(page.matches("<th class=\"section\"").count(), 4, "{page}");
        let (_, foot) = page.split_once("<tfoot>").unwrap();
        for total in [employee, employer] {
            assert!(
                foot.contains(&format!("<td class=\"n\">{}</td>", total.unwrap())),
                "{foot}"
            );
        }
    }
}
