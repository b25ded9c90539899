//! Answers of a batch, row by row, in the requested format.

use std::collections::BTreeMap;

use bareme_accounts::store::corrections::Law;
use bareme_engine::Datum;
use bareme_engine::law::parameter::FIELDS;
use bareme_engine::run::FieldSelection;
use bareme_engine::service::Rules;
use bareme_receipts::claim::{self, Question, Row};
use bareme_show::spreadsheet::Dialect;
use serde_json::Value;

use super::Batch;
use super::form::Form;
use super::rows::KeyValue;
use crate::calls::calculate::{Answer, answer};
use crate::calls::receipt;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Columns of a CSV after those of the fields: warnings, and the error of a row.
const WARNINGS: &str = "avertissements";
pub(super) const ERROR: &str = "erreur";

/// Greatest length of a part of an answer, in bytes.
const PART: usize = 64 * 1024;

impl Batch {
    /// Writes what precedes the first row.
    pub fn head(&self, out: &mut Vec<u8>) {
        // JSON lines have no head: each row is a text of its own.
        match self.form {
            Form::Array => out.extend_from_slice(b"["),
            Form::Lines => {}
            Form::Csv(dialect) => {
                out.extend_from_slice(dialect.mark());
                let keys = self.rows.keys().iter().map(String::as_str);
                let names = self
                    .columns
                    .iter()
                    .map(String::as_str)
                    .filter(|name| *name != WARNINGS);
                write_cells(keys.chain(names).chain([WARNINGS, ERROR]), dialect, out);
            }
        }
    }

    /// Writes a part of what follows the last row: the receipt, then the end. Returns whether it is
    /// the last part.
    pub fn tail(&mut self, out: &mut Vec<u8>) -> bool {
        if let Some(receipt) = &mut self.receipt {
            let is_first = !receipt.is_started();
            if is_first && self.form == Form::Array {
                out.extend_from_slice(b",\n");
            }
            if !receipt.write(PART, out) {
                return false;
            }
            if self.form == Form::Lines {
                out.push(b'\n');
            }
        }

        if self.form == Form::Array {
            out.extend_from_slice(b"\n]\n");
        }
        true
    }

    /// Writes the answers of at most `most` rows from an index on, until a part is full; returns
    /// the next index.
    pub fn answer(&mut self, rules: &Rules, from: usize, most: usize, out: &mut Vec<u8>) -> usize {
        let mut next = from;
        while next < self.rows.count().min(from.saturating_add(most)) && out.len() < PART {
            let Some(row) = self.rows.row(next) else {
                break;
            };

            let fields: Option<Vec<&str>> = self.fields().map(Iterator::collect);
            let selection = match self.address.fields {
                Some(_) => FieldSelection::Asked,
                None => FieldSelection::Available,
            };
            let selected = fields.as_deref().map(selection);

            // The row has what the address gives to all rows as well.
            let query = row.query.map(|query| self.address.share(query));
            let pairs = match &query {
                Ok(query) if self.receipt.is_some() => self.question(query),
                _ => Vec::new(),
            };
            let answered =
                query.and_then(|query| answer(rules, self.called(), query, selected, self.today));
            if let Ok(answer) = &answered {
                self.count_laws(&answer.laws());
            }

            let claim = match self.form {
                Form::Csv(dialect) => {
                    self.write_csv(&row.keys, answered, dialect, out);
                    None
                }
                form => self.write_json((next, &row.keys), &pairs, form, answered, out),
            };

            if let (Some(receipt), Some(claim)) = (&mut self.receipt, claim) {
                receipt.add(&claim);
            }
            next = next.saturating_add(1);
        }
        next
    }

    fn count_laws(&mut self, laws: &[Law]) {
        for law in laws {
            match self.laws.get_mut(law) {
                Some(rows) => *rows += 1,
                None => {
                    self.laws.insert(law.clone(), 1);
                }
            }
        }
    }

    /// The laws of the rows answered since the last time, each with their number.
    pub fn take_laws(&mut self) -> BTreeMap<Law, i64> {
        std::mem::take(&mut self.laws)
    }

    /// The parameters of a row with those of the path and the fields of the address, as a GET sends
    /// them.
    fn question(&self, query: &Query) -> Vec<(String, String)> {
        let sent = Query {
            pairs: query.pairs.clone(),
            bad: Vec::new(),
        };
        let mut pairs = self.called().query(sent).pairs;
        let fields = self.address.fields.as_ref();
        pairs.extend(fields.map(|fields| (FIELDS.to_owned(), fields.join(","))));
        pairs
    }

    /// Writes the answer of a row, and returns what its receipt attests.
    fn write_json(
        &self,
        (index, keys): (usize, &[Option<KeyValue>]),
        pairs: &[(String, String)],
        form: Form,
        answered: Result<Answer, Problem>,
        out: &mut Vec<u8>,
    ) -> Option<String> {
        if form == Form::Array {
            out.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
        }
        let mut facts = None;
        let text = match answered {
            Ok(answer) => {
                facts = self.receipt.is_some().then(|| answer.facts());
                answer.to_json()
            }
            Err(problem) => serde_json::json!({ERROR: self.error(problem)}).to_string(),
        };

        // The key is the first member, so that a reader of lines need not parse what follows.
        let members = text.strip_prefix('{').unwrap_or(&text);
        let of_row = self
            .rows
            .keys()
            .iter()
            .zip(keys)
            .filter_map(|(name, value)| {
                let absent = self.rows.is_key_asked().then(|| "null".to_owned());
                let value = value.as_ref().map(KeyValue::json).or(absent)?;
                Some((name.as_str(), value))
            });
        let key: Vec<(&str, String)> = of_row.collect();
        let of_row: Vec<String> = key
            .iter()
            .map(|(name, value)| format!("{}:{value}", Datum::Text(name)))
            .collect();

        // With a key and no member after it, as with the answer of no field, there is no comma.
        let end = if of_row.is_empty() || members == "}" {
            ""
        } else {
            ","
        };
        let mut object = format!("{{{}{end}{members}", of_row.join(","));

        let claim = self.receipt.as_ref().and_then(|receipt| {
            let row = Row {
                index,
                key: &key,
                answer: &object,
                salt: &receipt.salt(index),
            };
            let question = Question {
                calculation: receipt.calculation(),
                pairs,
                today: self.today,
            };
            // Our answers have a canonical form; a row without a claim has a receipt that is
            // refused.
            claim::of_row(question, facts.as_ref(), row)
                .map_err(receipt::unsigned)
                .ok()
        });
        if let Some(claim) = &claim {
            receipt::append(&mut object, &format!("{{\"ligne\":{claim}}}"));
        }
        out.extend_from_slice(object.as_bytes());

        if form == Form::Lines {
            out.push(b'\n');
        }
        claim
    }

    /// A problem as the error of a row, without the members that only a whole answer has.
    fn error(&self, problem: Problem) -> Value {
        let mut body = problem
            .in_language(self.lang)
            .into_body(Some(&self.documentation), uuid::Uuid::nil());
        if let Value::Object(members) = &mut body {
            // The request as a whole has the id.
            members.shift_remove("instance");
        }
        body
    }

    fn write_csv(
        &self,
        keys: &[Option<KeyValue>],
        answered: Result<Answer, Problem>,
        dialect: Dialect,
        out: &mut Vec<u8>,
    ) {
        let keys = keys
            .iter()
            .map(|key| key.as_ref().map(KeyValue::cell).unwrap_or_default());
        let columns = self.columns.iter().filter(|name| *name != WARNINGS);

        // Each line has a cell for each column, whether its row has an answer or an error.
        let (values, error): (Vec<String>, String) = match answered {
            Ok(answer) => {
                let names = columns.map(String::as_str).chain([WARNINGS]);
                (
                    names.map(|name| answer.cell(name, dialect)).collect(),
                    String::new(),
                )
            }
            Err(problem) => {
                let nothing = columns.map(|_| String::new()).chain([String::new()]);
                (nothing.collect(), problem.in_language(self.lang).one_line())
            }
        };

        write_cells(keys.chain(values).chain([error]), dialect, out);
    }
}

impl KeyValue {
    /// The value as JSON.
    fn json(&self) -> String {
        match self {
            Self::Text(text) => Datum::Text(text).to_string(),
            Self::Json(json) => json.clone(),
        }
    }

    /// The value as a cell of CSV.
    fn cell(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Json(json) if json == "null" => String::new(),
            Self::Json(json) => serde_json::from_str(json).unwrap_or_else(|_| json.clone()),
        }
    }
}

impl Answer<'_> {
    /// The cell of a field. In a year it is the total, or the value of each month, separated by `;`
    /// like lists, where there is no total.
    fn cell(&self, name: &str, dialect: Dialect) -> String {
        let cell = |value| cell(value, dialect);

        // A single pay has one value a field.
        let year = match self {
            Self::One(calculation) => {
                return calculation.datum().get(name).map(cell).unwrap_or_default();
            }
            Self::Year(year) => year,
        };

        // The total comes first: it is what a line of a year is read for.
        if let Some(found) = year
            .datum()
            .get(name)
            .or_else(|| year.datum().get("total")?.get(name))
        {
            return cell(found);
        }

        let of_months = year
            .months()
            .iter()
            .map(|month| month.calculation.datum().get(name).map(cell));
        let cells: Vec<String> = of_months.map(Option::unwrap_or_default).collect();

        if cells.iter().all(String::is_empty) {
            String::new()
        } else {
            cells.join(";")
        }
    }
}

/// A value as a cell of CSV; a list is written as JSON.
fn cell(value: Datum, dialect: Dialect) -> String {
    match value {
        Datum::Null => String::new(),
        Datum::Text(text) => text.to_owned(),
        Datum::Number(_) => dialect.number(value.to_string()),
        // What is no text and no number, written as JSON; the quotes of a date are not part of it.
        other => other.to_string().trim_matches('"').to_owned(),
    }
}

fn write_cells(cells: impl Iterator<Item = impl AsRef<str>>, dialect: Dialect, out: &mut Vec<u8>) {
    let mut line = Vec::new();
    dialect.put(cells, &mut line);
    out.extend_from_slice(&dialect.encoded(line));
}
