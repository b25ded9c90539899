//! Batches: many calculations of one endpoint in one request, `POST {prefix}/lot/{endpoint}`, or
//! `…/{endpoint}/{word}` for rows that all use one folder of a family.
//!
//! A row is a call: it has the answer of a GET with its parameters, or its error, which does not affect the other
//! rows.
//!
//! | topic | module |
//! |---|---|
//! | formats of rows and answers | [`form`] |
//! | parsing of rows | [`rows`] |
//! | formatting of answers | [`answers`] |

pub(crate) mod answers;
pub(crate) mod form;
pub(crate) mod rows;

use bareme_engine::law::YearBlock;
use bareme_engine::run::plan::{FieldKind, PlanError};
use bareme_engine::service::{Endpoint, Plan, Rules};
use bareme_engine::text::{BadParameter, ParameterCode, nearest};
use bareme_engine::{Folder, Lang};
use jiff::civil::Date;

use crate::api::called_calculation::CalledCalculation;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use form::Form;
use rows::Rows;

/// Greatest length of a body, in bytes.
pub(crate) const MAX_LENGTH: usize = 2 * 1024 * 1024;

/// Greatest number of rows of a batch in any plan.
pub(crate) const MAX_ROWS: u32 = 10_000;

/// Query parameter of the address that selects fields.
pub(crate) const FIELDS: &str = "champs";

/// A batch, ready to be computed.
#[derive(Debug)]
pub(crate) struct Batch {
    pub rows: Rows,
    endpoint: Endpoint,
    /// The word with which the path selects a folder of the family.
    word: Option<String>,
    /// Whether each row is a year of pays.
    year: bool,
    /// The fields asked for; `None`: all.
    asked: Option<Vec<String>>,
    /// The columns of a CSV.
    columns: Vec<String>,
    pub form: Form,
    today: Date,
    lang: Lang,
    documentation: String,
}

/// Greatest number of rows of a batch in a plan.
pub(crate) fn most_rows(plan: &Plan) -> u32 {
    plan.batch_rows.map_or(MAX_ROWS, |rows| rows.min(MAX_ROWS))
}

impl Batch {
    /// A batch from its rows and the query of the address; its answers are in a form, on a day for rows without a date,
    /// and their errors in a language.
    ///
    /// # Errors
    /// Unknown parameters of the address, fields or columns; nothing was computed.
    pub(crate) fn new(
        rules: &Rules,
        called: CalledCalculation,
        rows: Rows,
        query: Query,
        form: Form,
        today: Date,
        lang: Lang,
    ) -> Result<Self, Problem> {
        let asked = asked(rules, called, query)?;
        let CalledCalculation { endpoint, word, year } = called;
        let shown = if year { columns_of_year(rules, called, &rows)? } else { columns(rules, called, &rows, today)? };
        let columns = asked.clone().unwrap_or(shown);
        Ok(Self {
            rows,
            endpoint: endpoint.clone(),
            word: word.map(str::to_owned),
            year,
            asked,
            columns,
            form,
            today,
            lang,
            documentation: rules.service().documentation.clone(),
        })
    }

    /// The calculation of the rows.
    fn called(&self) -> CalledCalculation<'_> {
        CalledCalculation { endpoint: &self.endpoint, word: self.word.as_deref(), year: self.year }
    }

    /// The calculations that a row takes: a year is its months.
    pub(crate) fn calculations_a_row(&self) -> usize {
        if self.year { 12 } else { 1 }
    }

    /// The fields to compute: those asked for, and in a CSV those with a column.
    fn fields(&self) -> Option<impl Iterator<Item = &str>> {
        let is_table = matches!(self.form, Form::Csv(_));
        (self.asked.is_some() || is_table).then(|| self.columns.iter().map(String::as_str))
    }
}

/// The columns of answers to single pays.
///
/// # Errors
/// Unknown columns of the rows.
fn columns(rules: &Rules, called: CalledCalculation, rows: &Rows, today: Date) -> Result<Vec<String>, Problem> {
    let CalledCalculation { endpoint, word, .. } = called;
    let folder = word.map(|word| format!("{}/{word}", endpoint.folder));
    let plan = rules.plan(folder.as_deref().unwrap_or(&endpoint.name), today, None);
    let plan = plan.map_err(|_| Problem::plain(&kinds::INTERNAL))?;
    if let Some(columns) = &rows.columns {
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        plan.check_columns(&columns).map_err(|error| refused_column(&error))?;
    }
    let values = plan.fields().iter().filter(|field| field.kind != FieldKind::List);
    Ok(values.map(|field| field.name.clone()).chain(["bareme_en_vigueur".to_owned()]).collect())
}

/// The columns of the answers of years: what is added up over the months.
///
/// # Errors
/// Columns of the rows that do not exist.
fn columns_of_year(rules: &Rules, called: CalledCalculation, rows: &Rows) -> Result<Vec<String>, Problem> {
    let folder = called.folder(rules);
    if let (Some(columns), Some(folder)) = (&rows.columns, folder) {
        let ignored = called.endpoint.ignored.iter().map(String::as_str);
        let known: Vec<&str> = folder.year_parameters().into_iter().chain(ignored).collect();
        if let Some(name) = columns.iter().find(|name| !known.contains(&name.as_str())) {
            let near = nearest(name, known.iter().copied()).map(str::to_owned);
            let known = known.into_iter().map(str::to_owned).collect();
            return Err(refused_column(&PlanError::UnknownColumn { name: name.clone(), near, known }));
        }
    }
    let block = folder.and_then(Folder::year_block);
    let totals = block.into_iter().flat_map(YearBlock::total_amounts).map(str::to_owned);
    Ok(["annee".to_owned()].into_iter().chain(totals).collect())
}

/// The fields selected by the address.
fn asked(rules: &Rules, called: CalledCalculation, query: Query) -> Result<Option<Vec<String>>, Problem> {
    let Query { pairs, mut bad } = query;
    let mut asked: Option<Vec<String>> = None;
    for (name, value) in pairs {
        if name != FIELDS {
            let reason = (
                "L’adresse d’un lot n’a que `champs` : les paramètres du calcul sont dans les lignes.",
                "The address of a batch has only `champs`: the parameters of the calculation are in the rows.",
            );
            bad.push(BadParameter::new(&name, ParameterCode::Unknown, reason, Some(&value), (FIELDS, FIELDS)));
        } else if asked.is_some() {
            bad.push(BadParameter::repeated(&name, Some(&value), (FIELDS, FIELDS)));
        } else if !value.is_empty() {
            asked = Some(value.split(',').map(|field| field.trim().to_owned()).collect());
        }
    }
    if let Some(asked) = &asked {
        let names: Vec<&str> = asked.iter().map(String::as_str).collect();
        bad.extend(rules.unknown_fields(called.endpoint, called.word, &names));
    }
    if bad.is_empty() { Ok(asked) } else { Err(Problem::parameters(bad)) }
}

/// The problem of a column that no row may have, or that every row needs.
fn refused_column(error: &PlanError) -> Problem {
    let (name, code, expected) = match error {
        PlanError::UnknownColumn { name, known, .. } => (name, ParameterCode::Unknown, known.join(", ")),
        PlanError::RepeatedColumn { name } => (name, ParameterCode::Repeated, name.clone()),
        PlanError::MissingColumn { name } => (name, ParameterCode::Missing, name.clone()),
        _ => return Problem::plain(&kinds::INTERNAL),
    };
    Problem::parameters(vec![BadParameter::new(name, code, error.sentence(), None, (expected.clone(), expected))])
}
