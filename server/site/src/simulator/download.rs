//! The lines of a calculation as a file that spreadsheets of its language open directly: in French CSV
//! with `;` and decimal commas, in English with `,` and points; and a byte order mark.

use bareme_api::wire::problem::Problem;
use bareme_engine::law::{FieldValue, Type};
use bareme_engine::{Calculation, Lang};
use bareme_show::{Line, Locale, Pay};
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::question::Question;
use super::values::decimal;
use super::{headline, trace};
use crate::PageRequest;
use crate::catalogue::ListedFolder;
use crate::text::say;

/// Media type of the file.
pub(crate) const CSV: &str = "text/csv; charset=utf-8";

/// Byte order mark of UTF-8.
const MARK: &str = "\u{feff}";

/// The lines of the calculation for a query.
///
/// # Errors
/// A refused query, or an internal error of the engine.
pub(crate) fn file(request: &PageRequest, listed: &ListedFolder) -> Result<Vec<u8>, Problem> {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;

    let question = Question::read_with_period(rules, listed, query, today);
    // A refused query is an error with its status, not a file.
    let calculation = question.calculate(today)?.map_err(Problem::parameters)?;

    let edition = calculation.edition();
    let address = format!("{}{}", rules.service().documentation, question.link());

    // The calculation and its parameters come first, so that a printed sheet can be reopened as a
    // page.
    let mut rows = Rows::new(edition.method().decimals, listed.lang());
    rows.case(
        [listed.folder.title(), edition.citation()],
        question.pairs_in_words(),
        &address,
        today,
    );

    match trace::pay(&calculation) {
        Some(pay) => {
            rows.pay(&pay);
            rows.main_results(&question, &calculation, &pay, today);
        }
        None => rows.fields(&calculation),
    }

    rows.schedules(&calculation);
    Ok(rows.into_bytes())
}

/// The rows of a file, being written.
pub(super) struct Rows {
    text: String,
    decimals: u32,
    lang: Lang,
}

impl Rows {
    /// A file without rows, for amounts with some decimals.
    pub(super) fn new(decimals: u32, lang: Lang) -> Self {
        Self {
            text: MARK.to_owned(),
            decimals,
            lang,
        }
    }

    /// The file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// Adds what the file is about: its title, its citation, its day, what was sent and the address
    /// that reopens it.
    pub(super) fn case(
        &mut self,
        [title, cited]: [&str; 2],
        sent: Vec<(String, String)>,
        address: &str,
        today: Date,
    ) {
        // Title and citation first, then how the case was asked and where it is.
        self.head(&[title]);
        self.head(&[cited]);
        let calculated = say(self.lang, "Calcul du", "Calculated on");
        self.head(&[calculated, &today.strftime("%d/%m/%Y").to_string()]);
        for (label, value) in sent {
            self.add(&[label, value]);
        }
        self.head(&[say(self.lang, "Adresse", "Address"), address]);
        self.add(&[]);
    }

    /// Adds a row of amounts.
    pub(super) fn amounts(&mut self, name: &str, amounts: &[Decimal]) {
        let amounts = amounts.iter().map(|amount| self.amount(*amount));
        let cells: Vec<String> = std::iter::once(name.to_owned()).chain(amounts).collect();
        self.add(&cells);
    }

    /// Adds a row of cells.
    pub(super) fn add(&mut self, cells: &[String]) {
        let separator = separator(self.lang);
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell, separator)).collect();
        self.text.push_str(&cells.join(separator));
        self.text.push_str("\r\n");
    }

    fn head(&mut self, titles: &[&str]) {
        self.add(
            &titles
                .iter()
                .map(|title| (*title).to_owned())
                .collect::<Vec<_>>(),
        );
    }

    fn amount(&self, amount: Decimal) -> String {
        // Without spaces between thousands: a spreadsheet would read a text.
        let written = Locale::from(self.lang).aligned(amount, self.decimals);
        written.replace(say(self.lang, " ", ","), "")
    }

    /// Adds the lines of a pay, with a column for the employee's part and one for the employer's.
    fn pay(&mut self, pay: &Pay) {
        // The same columns as on the page: what is withheld is negative in the employee's.
        self.head(&match self.lang {
            Lang::Fr => ["Ligne", "Assiette", "Taux", "Salarié", "Employeur"],
            Lang::En => ["Line", "Base", "Rate", "Employee", "Employer"],
        });
        self.total(pay.gross_label, Some(pay.gross), None);
        for line in &pay.withheld {
            let amount = self.amount(Decimal::ZERO.saturating_sub(line.amount));
            self.line(line, [amount, String::new()]);
        }
        self.total(pay.net_label, Some(pay.net), None);
        for line in &pay.added {
            let amount = self.amount(line.amount);
            self.line(line, [String::new(), amount]);
        }

        if let Some(cost) = pay.cost {
            let label = say(self.lang, "Coût employeur", "Employer cost");
            self.total(label, None, Some(cost));
        }
    }

    /// Adds the main results of the page that are not in the lines, such as the net after tax.
    fn main_results(
        &mut self,
        question: &Question,
        calculation: &Calculation,
        pay: &Pay,
        today: Date,
    ) {
        let method = calculation.edition().method();
        let number = |_: &Calculation, found: &FieldValue| found.number();
        for headline in method
            .headlines()
            .iter()
            .filter(|headline| !headline.is_percent)
        {
            let found = headline::with(question, calculation, headline, today, number);
            let field = method.fields().get(headline.field);
            let Some(((amount, is_assumed), field)) = found.zip(field) else {
                continue;
            };

            let is_amount = matches!(field.value_type(), Type::Money(_));
            let own = headline.label.as_deref();
            let own = own.filter(|_| is_assumed || headline.assumed.is_empty());
            let label = own.or(field.label.as_deref()).unwrap_or_default();
            let is_new = ![pay.net, pay.gross].contains(&amount) && Some(amount) != pay.cost;
            if is_amount && is_new {
                self.total(label, Some(amount), None);
            }
        }
    }

    fn line(&mut self, line: &Line, [employee, employer]: [String; 2]) {
        // A contribution has a base and a rate; other lines leave these cells empty.
        let operand = |name: &str| {
            let found = line
                .trace
                .operands
                .iter()
                .find(|operand| operand.name == name)?;
            found.value.datum().number()
        };

        let base = operand("assiette")
            .map(|base| self.amount(base))
            .unwrap_or_default();
        let rate = operand("taux")
            .map(|rate| Locale::from(self.lang).percent(rate))
            .unwrap_or_default();

        // One of the last two cells is empty.
        self.add(&[
            line.trace.step.title().to_owned(),
            base,
            rate,
            employee,
            employer,
        ]);
    }

    fn total(&mut self, label: &str, employee: Option<Decimal>, employer: Option<Decimal>) {
        let [employee, employer] = [employee, employer]
            .map(|found| found.map(|found| self.amount(found)).unwrap_or_default());
        self.add(&[
            label.to_owned(),
            String::new(),
            String::new(),
            employee,
            employer,
        ]);
    }

    /// Adds the single-valued fields of an answer.
    fn fields(&mut self, calculation: &Calculation) {
        self.head(&[
            say(self.lang, "Champ", "Field"),
            say(self.lang, "Valeur", "Value"),
        ]);
        for (field, found) in calculation.fields() {
            // A cell has one value: lists have tables of their own.
            let FieldValue::Scalar(scalar) = found else {
                continue;
            };

            // A choice has its label, and a rate its sign: 0.2 is 20 %.
            let locale = Locale::from(self.lang);
            let value = match (found.number(), field.value_type()) {
                (Some(rate), Type::Rate) => Some(locale.percent(rate)),
                (Some(number), _) => Some(decimal(&number.normalize().to_string(), self.lang)),
                _ => bareme_show::field(field, found, calculation.edition().method(), locale),
            };
            let value = value
                .unwrap_or_else(|| locale.value(scalar.datum(), field.value_type(), self.decimals));

            self.add(&[
                field.label.clone().unwrap_or_else(|| field.name.clone()),
                value,
            ]);
        }
    }

    /// Adds the payments of the loans of an answer.
    fn schedules(&mut self, calculation: &Calculation) {
        for (_, found) in calculation.fields() {
            // Each loan is a table of its own, after an empty row.
            let FieldValue::Payments(payments) = found else {
                continue;
            };
            self.add(&[]);
            self.head(&match self.lang {
                Lang::Fr => [
                    "Échéance",
                    "Mensualité",
                    "Intérêts",
                    "Capital",
                    "Assurance",
                    "Reste dû",
                ],
                Lang::En => [
                    "Month",
                    "Payment",
                    "Interest",
                    "Principal",
                    "Insurance",
                    "Balance",
                ],
            });
            for payment in payments {
                // In the order of the titles above.
                let amounts = [
                    payment.payment,
                    payment.interest,
                    payment.principal,
                    payment.insurance,
                    payment.balance,
                ];

                let amounts = amounts.map(|amount| self.amount(amount));
                let cells: Vec<String> = [payment.month.to_string()]
                    .into_iter()
                    .chain(amounts)
                    .collect();
                self.add(&cells);
            }
        }
    }
}

/// The separator of the cells of a row, as spreadsheets of the language read it.
fn separator(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => ";",
        Lang::En => ",",
    }
}

/// A cell, quoted where needed, and escaped if a spreadsheet would run it as a formula; negative
/// numbers are not escaped.
fn quoted(cell: &str, separator: &str) -> String {
    // A text that begins like a formula would be run by the spreadsheet of whoever opens the file.
    let is_number = cell.chars().all(|character| {
        character.is_ascii_digit() || matches!(character, ',' | '.' | '-' | ' ' | '%')
    });
    let cell = if cell.starts_with(['=', '+', '-', '@', '\t']) && !is_number {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };

    if cell.contains(separator) || cell.contains(['"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_or_two_cells() {
        let [french, english] = [Lang::Fr, Lang::En].map(separator);
        assert_eq!(quoted("=1+1", french), "'=1+1");
        assert_eq!(quoted("-12,50", french), "-12,50");
        assert_eq!(quoted("-12.50", english), "-12.50");
        assert_eq!(quoted("one, two", english), "\"one, two\"");
        assert_eq!(quoted("un ; \"deux\"", french), "\"un ; \"\"deux\"\"\"");
    }
}
