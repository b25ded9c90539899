//! Payslips of an answer as tables, with the employee's and the employer's part on one row.

use bareme_engine::Calculation;
use bareme_engine::law::{Field, FieldValue, Line, Method, PayslipRow};
use bareme_engine::run::YearCalculation;
use rust_decimal::Decimal;

use crate::currency::Amounts;
use crate::locale::Locale;
use crate::say;
use crate::table::Table;

/// The payslips of an answer, each with its field.
pub fn payslips<'f>(calculation: &Calculation<'f>, locale: Locale) -> Vec<(&'f Field, Table)> {
    of_fields(calculation.fields(), calculation.edition().method(), locale)
}

/// The payslips of a whole year, each with its field.
pub fn payslips_of_year<'f>(year: &YearCalculation<'f>, locale: Locale) -> Vec<(&'f Field, Table)> {
    // A year is laid out by the method of its last month, as its totals are.
    let Some(last) = year.months().last() else {
        return Vec::new();
    };

    let totals = year
        .totals()
        .iter()
        .map(|total| (total.field, &total.value));

    of_fields(totals, last.calculation.edition().method(), locale)
}

fn of_fields<'f: 'v, 'v>(
    fields: impl Iterator<Item = (&'f Field, &'v FieldValue<'f>)>,
    method: &Method,
    locale: Locale,
) -> Vec<(&'f Field, Table)> {
    let amounts = Amounts::from(method);
    // All amounts of a payslip have the same decimals, so that they line up.
    let payslips = fields.filter_map(|(field, found)| match found {
        FieldValue::Payslip(rows) => {
            let paid = rows
                .iter()
                .flat_map(|row| [&row.employee, &row.employer])
                .flatten()
                .map(|line| line.amount);

            let decimals = paid
                .map(|amount| amounts.decimals_of(amount))
                .max()
                .unwrap_or_default();

            Some((
                field,
                Payslip {
                    field,
                    decimals,
                    locale,
                }
                .table(rows),
            ))
        }
        _ => None,
    });
    payslips.collect()
}

struct Payslip<'f> {
    field: &'f Field,
    decimals: u32,
    locale: Locale,
}

impl Payslip<'_> {
    fn table(&self, rows: &[PayslipRow]) -> Table {
        let lang = self.locale.lang;
        let mut table = Table::default()
            .text(say!(lang, "Ligne", "Row"))
            .aside(say!(lang, "Assiette", "Base"))
            .aside(say!(lang, "Taux salarié", "Employee's rate"))
            .number(say!(lang, "Part du salarié", "Employee's part"))
            .aside(say!(lang, "Taux employeur", "Employer's rate"))
            .number(say!(lang, "Part de l’employeur", "Employer's part"));

        // Rows for information are not part of the total, and come below it.
        let (below, counted): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_information);

        self.rows(&counted, &mut table);

        let total = |part: fn(&PayslipRow) -> Option<Decimal>| {
            self.amount(
                counted
                    .iter()
                    .filter_map(|row| part(row))
                    .fold(Decimal::ZERO, Decimal::saturating_add),
            )
        };

        let employee = total(|row| Some(row.employee.as_ref()?.amount));
        let employer = total(|row| Some(row.employer.as_ref()?.amount));
        let empty = String::new;

        table.total([
            say!(lang, "Total", "Total"),
            empty(),
            empty(),
            employee,
            empty(),
            employer,
        ]);

        self.rows(&below, &mut table);
        table
    }

    /// Adds rows, each group after the heading of its section.
    fn rows(&self, rows: &[&PayslipRow], table: &mut Table) {
        let mut section = None;
        for row in rows {
            // A heading opens each group of rows of one section.
            if let Some(name) = row.section.filter(|name| section != Some(*name)) {
                table.section(name);
            }

            section = row.section;
            table.row(self.cells(row).map(Into::into));
        }
    }

    fn cells(&self, row: &PayslipRow) -> [String; 6] {
        // One base for both parts; none where they have different ones.
        let base = row.base().map(|base| self.amount(base)).unwrap_or_default();

        let [employee, employer] = [&row.employee, &row.employer].map(Option::as_ref);
        let rate = |line: Option<&Line>| {
            line.and_then(|line| Some(self.rate(row.rate(line)?)))
                .unwrap_or_default()
        };

        let due = |line: Option<&Line>| {
            line.map(|line| self.amount(line.amount))
                .unwrap_or_default()
        };

        [
            row.label.to_owned(),
            base,
            rate(employee),
            due(employee),
            rate(employer),
            due(employer),
        ]
    }

    fn amount(&self, amount: Decimal) -> String {
        self.locale.aligned(amount, self.decimals)
    }

    fn rate(&self, rate: Decimal) -> String {
        self.locale.percent(self.field.fraction(rate))
    }
}
