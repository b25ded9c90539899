//! The payslip as its method lays it out: the employee's part and the employer's on one row.

use bareme_engine::Calculation;
use bareme_show::{Locale, payslips};
use maud::{Markup, html};

use crate::pages::table::table;
use crate::pages::text::prose;

/// The payslips that an answer holds.
pub(super) fn sheets(calculation: &Calculation) -> Markup {
    html! {
        @for (field, payslip) in payslips(calculation, Locale::PAGE) {
            details.block id=(field.name) {
                summary { (prose(field.label.as_deref().unwrap_or(&field.name))) }
                (table(&payslip, "payslip", "Bulletin, part du salarié et part de l'employeur"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bareme_engine::law::FieldValue;

    use super::*;

    #[test]
    fn both_parts_stand_on_a_row_with_their_totals() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
        let loader = bareme_engine::Loader::new().without_cases().about(&["salaire"]);
        let rules = loader.load_service(&root).rules.unwrap();
        let folder = rules.folder("salaire").unwrap();
        let page = |asked: &[(&str, &str)]| {
            let sent: Vec<(String, String)> =
                asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let calculation = folder.calculate(&(&sent).into(), jiff::civil::date(2026, 6, 30)).unwrap();
            let number = |name: &str| calculation.field(name).and_then(FieldValue::number);
            let totals = ["cotisations_salariales", "charges_patronales"].map(number);
            (sheets(&calculation).into_string(), totals.map(|total| total.map(|total| Locale::PAGE.aligned(total, 2))))
        };
        let (page_without, _) = page(&[("brut", "6000")]);
        assert_eq!(page_without, "");
        let (page, [employee, employer]) = page(&[("brut", "6000"), ("employeur", "true")]);
        for cell in ["<th scope=\"row\">Famille</th>", "6,9\u{202f}%", "8,55\u{202f}%"] {
            assert!(page.contains(cell), "{cell}: {page}");
        }
        assert_eq!(page.matches("<th class=\"section\"").count(), 5, "{page}");
        let (_, foot) = page.split_once("<tfoot>").unwrap();
        for total in [employee, employer] {
            assert!(foot.contains(&format!("<td class=\"n\">{}</td>", total.unwrap())), "{foot}");
        }
    }
}
