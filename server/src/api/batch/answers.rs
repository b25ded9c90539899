//! Answers of a batch, row by row, in the requested format.

use bareme_engine::Datum;
use bareme_engine::law::members::WARNINGS;
use bareme_engine::run::FieldSelection;
use serde_json::Value;

use super::Batch;
use super::form::Form;
use crate::api::calculate::{Answer, answer};
use crate::wire::problem::Problem;
use bareme_engine::service::Rules;

/// The last column of a CSV, after the warnings: the error of a row.
const ERROR: &str = "erreur";

/// Greatest length of a part of an answer, in bytes.
const PART: usize = 64 * 1024;

impl Batch {
    /// Writes what precedes the first row.
    pub(crate) fn head(&self, out: &mut Vec<u8>) {
        match self.form {
            Form::Array => out.extend_from_slice(b"["),
            Form::Lines => {}
            Form::Csv(separator) => {
                write_cells(self.fields_of_a_row().chain([WARNINGS.name, ERROR]), separator, out);
            }
        }
    }

    /// Writes what follows the last row.
    pub(crate) fn tail(&self, out: &mut Vec<u8>) {
        if self.form == Form::Array {
            out.extend_from_slice(b"\n]\n");
        }
    }

    /// Writes the answers of at most `most` rows from an index on, until a part is full; returns the next index.
    pub(crate) fn answer(&self, rules: &Rules, from: usize, most: usize, out: &mut Vec<u8>) -> usize {
        let mut next = from;
        while next < self.rows.len().min(from.saturating_add(most)) && out.len() < PART {
            let Some(row) = self.rows.row(next) else { break };
            let fields: Option<Vec<&str>> = self.fields().map(Iterator::collect);
            let called = self.called();
            let selection = if self.asked.is_some() { FieldSelection::Asked } else { FieldSelection::Available };
            let selected = fields.as_deref().map(selection);
            let of_row = |query| answer(rules, called, query, selected, self.today);
            let answered = row.and_then(of_row);
            match self.form {
                Form::Csv(separator) => self.write_csv(answered, separator, out),
                form => self.write_json(next, form, answered, out),
            }
            next = next.saturating_add(1);
        }
        next
    }

    fn write_json(&self, index: usize, form: Form, answered: Result<Answer, Problem>, out: &mut Vec<u8>) {
        if form == Form::Array {
            out.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
        }
        let text = match answered {
            Ok(answer) => answer.to_json(),
            Err(problem) => serde_json::json!({ERROR: self.error(problem)}).to_string(),
        };
        out.extend_from_slice(text.as_bytes());
        if form == Form::Lines {
            out.push(b'\n');
        }
    }

    /// A problem as the error of a row, without the members that only a whole answer has.
    fn error(&self, problem: Problem) -> Value {
        let mut body = problem.in_language(self.lang).into_body(Some(&self.documentation), uuid::Uuid::nil());
        if let Value::Object(members) = &mut body {
            members.shift_remove("instance");
        }
        body
    }

    /// The columns of a CSV that are fields of the answers.
    fn fields_of_a_row(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str).filter(|name| *name != WARNINGS.name)
    }

    fn write_csv(&self, answered: Result<Answer, Problem>, separator: u8, out: &mut Vec<u8>) {
        let columns = self.fields_of_a_row();
        match answered {
            Ok(answer) => {
                let cells = columns.chain([WARNINGS.name]).map(|name| answer.cell(name));
                write_cells(cells.chain([String::new()]), separator, out);
            }
            Err(problem) => {
                let said = problem.in_language(self.lang).one_line();
                write_cells(columns.map(|_| String::new()).chain([String::new(), said]), separator, out);
            }
        }
    }
}

impl Answer<'_> {
    /// The cell of a field. In a year it is the total, or the value of each month, separated by `;` like lists, where
    /// there is no total.
    fn cell(&self, name: &str) -> String {
        let year = match self {
            Self::One(calculation) => return calculation.datum().get(name).map(cell).unwrap_or_default(),
            Self::Year(year) => year,
        };
        if let Some(found) = year.datum().get(name).or_else(|| year.datum().get("total")?.get(name)) {
            return cell(found);
        }
        let of_months = year.months().iter().map(|month| month.calculation.datum().get(name).map(cell));
        let cells: Vec<String> = of_months.map(Option::unwrap_or_default).collect();
        if cells.iter().all(String::is_empty) { String::new() } else { cells.join(";") }
    }
}

/// A value as a cell of CSV; a list is written as JSON.
fn cell(value: Datum) -> String {
    match value {
        Datum::Null => String::new(),
        Datum::Text(text) => text.to_owned(),
        other => other.to_string().trim_matches('"').to_owned(),
    }
}

fn write_cells(cells: impl Iterator<Item = impl AsRef<[u8]>>, separator: u8, out: &mut Vec<u8>) {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
    // Writing to memory cannot fail.
    drop(writer.write_record(cells));
}
