//! The payslip as its method lays it out: the employee's part and the employer's on one row.

use bareme_engine::{Calculation, Field, FieldValue, PayslipRow};
use maud::{Markup, html};
use rust_decimal::Decimal;

use crate::site::text::{amount, percent, prose};

/// The payslips that an answer holds.
pub(super) fn sheets(calculation: &Calculation) -> Markup {
    let sheets = calculation.fields().filter_map(|(field, found)| match found {
        FieldValue::Payslip(rows) => Some((field, rows.as_slice())),
        _ => None,
    });
    let decimals = calculation.edition().method().decimals;
    html! { @for (field, rows) in sheets { (Sheet { field, rows, decimals }.shown()) } }
}

struct Sheet<'s, 'f> {
    field: &'s Field,
    rows: &'s [PayslipRow<'f>],
    decimals: u32,
}

impl Sheet<'_, '_> {
    fn shown(&self) -> Markup {
        let label = self.field.label.as_deref().unwrap_or(&self.field.name);
        let section = |index: usize| self.rows.get(index).and_then(|row| row.section);
        html! {
            details.block id=(self.field.name) {
                summary { (prose(label)) }
                div.wide tabindex="0" role="region" aria-label="Bulletin, part du salarié et part de l’employeur" {
                    table.payslip {
                        thead {
                            tr {
                                th scope="col" { "Ligne" } th.n.aside scope="col" { "Assiette" }
                                th.n.aside scope="col" { "Taux salarié" } th.n scope="col" { "Part du salarié" }
                                th.n.aside scope="col" { "Taux employeur" } th.n scope="col" { "Part de l’employeur" }
                            }
                        }
                        tbody {
                            @for (index, row) in self.rows.iter().enumerate() {
                                @if let Some(name) = row.section.filter(|_| index.checked_sub(1).and_then(section) != row.section) {
                                    tr { th.section scope="colgroup" colspan="6" { (prose(name)) } }
                                }
                                (self.row(row))
                            }
                        }
                        tfoot {
                            tr {
                                th scope="row" { "Total" } td.aside {} td.aside {} td.n { (self.total(|row| Some(row.employee.as_ref()?.amount))) }
                                td.aside {} td.n { (self.total(|row| Some(row.employer.as_ref()?.amount))) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn row(&self, row: &PayslipRow) -> Markup {
        html! {
            tr {
                th scope="row" { (prose(row.label)) }
                td.n.aside { (row.base().map(|base| amount(base, self.decimals)).unwrap_or_default()) }
                @for part in [&row.employee, &row.employer] {
                    td.n.aside { (part.as_ref().and_then(|line| Some(self.rate(row.rate(line)?))).unwrap_or_default()) }
                    td.n { (part.as_ref().map(|line| amount(line.amount, self.decimals)).unwrap_or_default()) }
                }
            }
        }
    }

    fn rate(&self, rate: Decimal) -> String {
        percent(self.field.fraction(rate))
    }

    fn total(&self, part: fn(&PayslipRow) -> Option<Decimal>) -> String {
        amount(self.rows.iter().filter_map(part).fold(Decimal::ZERO, Decimal::saturating_add), self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn both_parts_stand_on_a_row_with_their_totals() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
        let loader = bareme_engine::Loader::new().without_cases().about(&["salaire"]);
        let rules = loader.load(&root).rules.unwrap();
        let folder = rules.folder("salaire").unwrap();
        let page = |asked: &[(&str, &str)]| {
            let sent: Vec<(String, String)> =
                asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let calculation = folder.calculate(&(&sent).into(), jiff::civil::date(2026, 6, 30)).unwrap();
            let number = |name: &str| calculation.field(name).and_then(FieldValue::number);
            let totals = ["cotisations_salariales", "charges_patronales"].map(number);
            (sheets(&calculation).into_string(), totals.map(|total| total.map(|total| amount(total, 2))))
        };
        let (page_without, _) = page(&[("brut", "6000")]);
        assert_eq!(page_without, "");
        let (page, [employee, employer]) = page(&[("brut", "6000"), ("employeur", "true")]);
        for cell in ["<th scope=\"row\">Famille</th>", "6,9\u{202f}%", "8,55\u{202f}%"] {
            assert!(page.contains(cell), "{cell}: {page}");
        }
        assert_eq!(page.matches("<th class=\"section\"").count(), 3, "{page}");
        let (_, foot) = page.split_once("<tfoot>").unwrap();
        for total in [employee, employer] {
            assert!(foot.contains(&format!("<td class=\"n\">{}</td>", total.unwrap())), "{foot}");
        }
    }
}
