//! Batches: many calculations of one endpoint in one request, `POST {prefix}/lot/{endpoint}`, or
//! `…/{endpoint}/{word}` where all rows are of one folder of a family.
//!
//! A row is a call: it has the answer that a GET with its parameters has, or its error in place, and the others are
//! computed all the same.
//!
//! | to read | module |
//! |---|---|
//! | the forms that rows and answers have | [`form`] |
//! | the rows as they are sent | [`rows`] |
//! | the answers as they are written | [`answers`] |

pub(crate) mod answers;
pub(crate) mod form;
pub(crate) mod rows;

use bareme_engine::law::YearBlock;
use bareme_engine::run::plan::{FieldKind, PlanError};
use bareme_engine::service::{Endpoint, Plan, Rules};
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_engine::{Folder, Lang};
use jiff::civil::Date;

use crate::api::called::Called;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use form::Form;
use rows::{Row, Rows};

/// Longest body, in bytes.
pub(crate) const MAX_LENGTH: usize = 2 * 1024 * 1024;

/// Most rows of a batch, whatever the plan.
pub(crate) const MAX_ROWS: u32 = 10_000;

/// The parameter of the address that names the fields of the answers.
pub(crate) const FIELDS: &str = "champs";

/// A batch, ready to be computed.
#[derive(Debug)]
pub(crate) struct Batch {
    rows: Vec<Row>,
    endpoint: Endpoint,
    /// The word by which the path selects a folder of the family.
    word: Option<String>,
    /// Whether each row is a year of pays.
    year: bool,
    /// The fields that are asked for.
    asked: Option<Vec<String>>,
    /// The columns of a CSV.
    columns: Vec<String>,
    form: Form,
    today: Date,
    lang: Lang,
    documentation: String,
}

/// How the answers are given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answering {
    /// The form of the answers.
    pub form: Form,
    /// The day of rows that say none.
    pub today: Date,
    /// The language of errors.
    pub lang: Lang,
}

/// Rows that a plan allows in a batch.
pub(crate) fn most_rows(plan: &Plan) -> u32 {
    plan.batch_rows.map_or(MAX_ROWS, |rows| rows.min(MAX_ROWS))
}

impl Batch {
    /// Joins the rows with the query of the address.
    ///
    /// # Errors
    /// Parameters of the address, fields or columns that do not exist; nothing was computed.
    pub(crate) fn new(
        rules: &Rules,
        called: Called,
        rows: Rows,
        query: Query,
        Answering { form, today, lang }: Answering,
    ) -> Result<Self, Problem> {
        let asked = asked(rules, called, query)?;
        let Called { endpoint, word, year } = called;
        let shown = if year { columns_of_year(rules, called) } else { columns(rules, called, &rows, today)? };
        let columns = asked.clone().unwrap_or(shown);
        Ok(Self {
            rows: rows.rows,
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

    /// The calculation of each row.
    fn called(&self) -> Called<'_> {
        Called { endpoint: &self.endpoint, word: self.word.as_deref(), year: self.year }
    }

    /// The media type of the answer.
    pub(crate) fn media(&self) -> &'static str {
        self.form.media()
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The fields to compute: those asked for, and in a CSV those that have a column.
    fn fields(&self) -> Option<impl Iterator<Item = &str>> {
        let is_table = matches!(self.form, Form::Csv(_));
        (self.asked.is_some() || is_table).then(|| self.columns.iter().map(String::as_str))
    }
}

/// The columns of the answers of single pays.
///
/// # Errors
/// Columns of the rows that do not exist.
fn columns(rules: &Rules, called: Called, rows: &Rows, today: Date) -> Result<Vec<String>, Problem> {
    let Called { endpoint, word, .. } = called;
    let folder = word.map(|word| format!("{}/{word}", endpoint.folder));
    let plan = rules
        .plan(folder.as_deref().unwrap_or(&endpoint.name), today, None)
        .map_err(|_| Problem::plain(&kinds::INTERNAL))?;
    if let Some(columns) = &rows.columns {
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        plan.check_columns(&columns).map_err(|error| refused_column(&error))?;
    }
    let values = plan.fields().iter().filter(|field| field.kind != FieldKind::List);
    Ok(values.map(|field| field.name.clone()).chain(["bareme_en_vigueur".to_owned()]).collect())
}

/// The columns of the answers of years: what is added up over the months.
fn columns_of_year(rules: &Rules, called: Called) -> Vec<String> {
    let block = called.folder(rules).and_then(Folder::year_block);
    let totals = block.into_iter().flat_map(YearBlock::totals).map(str::to_owned);
    ["annee".to_owned()].into_iter().chain(totals).collect()
}

/// The fields that the address asks for.
fn asked(rules: &Rules, called: Called, query: Query) -> Result<Option<Vec<String>>, Problem> {
    let Query { pairs, mut bad } = query;
    let mut asked: Option<Vec<String>> = None;
    for (name, value) in pairs {
        if name != FIELDS || asked.is_some() {
            let (code, reason) = if name == FIELDS {
                (ParameterCode::Repeated, ("Paramètre donné plusieurs fois.", "The parameter is given several times."))
            } else {
                (
                    ParameterCode::Unknown,
                    (
                        "L’adresse d’un lot n’a que `champs` : les paramètres du calcul sont dans les lignes.",
                        "The address of a batch has only `champs`: the parameters of the calculation are in the rows.",
                    ),
                )
            };
            bad.push(BadParameter::new(&name, code, reason, Some(&value), (FIELDS, FIELDS)));
            continue;
        }
        if !value.is_empty() {
            asked = Some(value.split(',').map(|field| field.trim().to_owned()).collect());
        }
    }
    if let Some(asked) = &asked {
        bad.extend(rules.unknown_fields(
            called.endpoint,
            called.word,
            &asked.iter().map(String::as_str).collect::<Vec<_>>(),
        ));
    }
    if bad.is_empty() { Ok(asked) } else { Err(Problem::parameters(bad)) }
}

/// A column that no row can have, or that all of them need.
fn refused_column(error: &PlanError) -> Problem {
    let (name, code, expected) = match error {
        PlanError::UnknownColumn { name, known, .. } => (name, ParameterCode::Unknown, known.join(", ")),
        PlanError::RepeatedColumn { name } => (name, ParameterCode::Repeated, name.clone()),
        PlanError::MissingColumn { name } => (name, ParameterCode::Missing, name.clone()),
        _ => return Problem::plain(&kinds::INTERNAL),
    };
    let reason = match error {
        PlanError::UnknownColumn { near: Some(near), .. } => (
            format!("La colonne `{name}` n’est pas un paramètre ; vouliez-vous dire `{near}` ?"),
            format!("The column `{name}` is no parameter; did you mean `{near}`?"),
        ),
        PlanError::UnknownColumn { .. } => {
            (format!("La colonne `{name}` n’est pas un paramètre."), format!("The column `{name}` is no parameter."))
        }
        PlanError::RepeatedColumn { .. } => {
            (format!("Deux colonnes ont le nom `{name}`."), format!("Two columns have the name `{name}`."))
        }
        _ => (
            format!("La colonne `{name}` manque : ce paramètre est obligatoire."),
            format!("The column `{name}` is missing: this parameter is required."),
        ),
    };
    Problem::parameters(vec![BadParameter::new(name, code, reason, None, (expected.clone(), expected))])
}
