//! The payslip of an answer as a table: the employee's part and the employer's on one row.

use bareme_engine::{Calculation, Field, FieldValue, Lang, Line, PayslipRow};
use rust_decimal::Decimal;

use crate::page::{Cell, Page, Table, Tone};
use crate::session::say;
use crate::words::{aligned, percent};

/// Adds the payslips of a calculation to a page.
pub(crate) fn show(calculation: &Calculation, page: &mut Page, lang: Lang) {
    let decimals = calculation.edition().method().decimals;
    for (field, found) in calculation.fields() {
        if let FieldValue::Payslip(rows) = found {
            page.heading(field.label.as_deref().unwrap_or(&field.name));
            page.table(Payslip { field, rows, decimals, lang }.table());
        }
    }
}

struct Payslip<'p, 'f> {
    field: &'p Field,
    rows: &'p [PayslipRow<'f>],
    decimals: u32,
    lang: Lang,
}

impl Payslip<'_, '_> {
    fn table(&self) -> Table {
        let lang = self.lang;
        let mut table = Table::default()
            .text(say!(lang, "Ligne", "Row"))
            .number(say!(lang, "Assiette", "Base"))
            .number(say!(lang, "Taux salarié", "Employee's rate"))
            .number(say!(lang, "Part du salarié", "Employee's part"))
            .number(say!(lang, "Taux employeur", "Employer's rate"))
            .number(say!(lang, "Part de l'employeur", "Employer's part"));
        let mut section = None;
        for row in self.rows {
            if let Some(name) = row.section.filter(|name| section != Some(*name)) {
                let [_, others @ ..] = [""; 6].map(Cell::from);
                table.row([Cell::toned(name, Tone::Strong)].into_iter().chain(others));
            }
            section = row.section;
            table.row(self.cells(row).map(Cell::from));
        }
        let total = |part: fn(&PayslipRow) -> Option<Decimal>| {
            let sum = self.rows.iter().filter_map(part).fold(Decimal::ZERO, Decimal::saturating_add);
            Cell::toned(self.amount(sum), Tone::Strong)
        };
        table.row([
            Cell::toned(say!(lang, "Total", "Total"), Tone::Strong),
            Cell::from(""),
            Cell::from(""),
            total(|row| Some(row.employee.as_ref()?.amount)),
            Cell::from(""),
            total(|row| Some(row.employer.as_ref()?.amount)),
        ]);
        table
    }

    fn cells(&self, row: &PayslipRow) -> [String; 6] {
        let base = row.base().map(|base| self.amount(base)).unwrap_or_default();
        let [employee, employer] = [&row.employee, &row.employer].map(Option::as_ref);
        let rate = |line: Option<&Line>| line.and_then(|line| Some(self.rate(row.rate(line)?))).unwrap_or_default();
        let due = |line: Option<&Line>| line.map(|line| self.amount(line.amount)).unwrap_or_default();
        [row.label.to_owned(), base, rate(employee), due(employee), rate(employer), due(employer)]
    }

    fn amount(&self, amount: Decimal) -> String {
        aligned(amount, self.decimals, self.lang)
    }

    fn rate(&self, rate: Decimal) -> String {
        percent(self.field.fraction(rate), self.lang)
    }
}
