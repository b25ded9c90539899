//! Batches: many calculations of one endpoint in one request, `POST {prefix}/lot/{endpoint}`, or
//! `…/{endpoint}/{word}` for rows that all use one folder of a family.
//!
//! A row is a call: it has the answer of a GET with its parameters, or its error, which does not
//! affect the other rows.
//!
//! | topic | module |
//! |---|---|
//! | query of the address | [`address`] |
//! | formats of rows and answers | [`form`] |
//! | parsing of rows | [`rows`] |
//! | formatting of answers | [`answers`] |
//! | the signed receipt | [`receipt`] |

pub mod address;
pub mod answers;
pub mod form;
pub mod receipt;
pub mod rows;

use std::collections::BTreeMap;

use bareme_accounts::store::corrections::Law;
use bareme_engine::law::YearBlock;
use bareme_engine::law::parameter::{RECEIPT, ROW_KEY, YEAR};
use bareme_engine::run::plan::{FieldKind, PlanError};
use bareme_engine::service::{Endpoint, Plan, Rules};
use bareme_engine::text::{BadParameter, ParameterCode, nearest};
use bareme_engine::{Folder, Lang, say};
use jiff::civil::Date;

use crate::calls::called_calculation::CalledCalculation;
use crate::wire::problem::{Problem, kinds};
use address::Address;
use form::Form;
use receipt::BatchReceipt;
use rows::Rows;

/// Greatest length of a body, in bytes.
pub const MAX_LENGTH: usize = 2 * 1024 * 1024;

/// Greatest number of rows of a batch in any plan.
pub(crate) const MAX_ROWS: u32 = 10_000;

/// A batch, ready to be computed.
#[derive(Debug)]
pub struct Batch {
    /// The rows, parsed as they are computed.
    pub rows: Rows,
    endpoint: Endpoint,
    /// The word with which the path selects a folder of the family.
    word: Option<String>,
    /// Whether each row is a year of pays.
    year: bool,
    /// The parameters and options of all rows, from the address of the request.
    pub address: Address,
    /// The columns of a CSV.
    columns: Vec<String>,
    /// The format of the answers.
    pub form: Form,
    /// The receipt, where one is asked for.
    receipt: Option<BatchReceipt>,
    /// The laws of the rows that were answered, until they are taken.
    laws: BTreeMap<Law, i64>,
    today: Date,
    lang: Lang,
    documentation: String,
}

/// Greatest number of rows of a batch in a plan.
pub fn most_rows(plan: &Plan) -> u32 {
    plan.batch_rows.map_or(MAX_ROWS, |rows| rows.min(MAX_ROWS))
}

impl Batch {
    /// A batch of rows; its answers are in a form, on a day for rows without a date, and their
    /// errors in a language.
    ///
    /// # Errors
    /// Columns that do not exist, or that every row needs; nothing was computed.
    pub fn new(
        rules: &Rules,
        called: CalledCalculation,
        (rows, address): (Rows, Address),
        form: Form,
        today: Date,
        lang: Lang,
    ) -> Result<Self, Problem> {
        // A key that the address names, and the first line does not, would be lost in every answer.
        if let Some((name, count)) = rows.bad_key_column() {
            return Err(bad_key(name, count));
        }

        // Unknown columns refuse the batch: it would be computed as if they had not been sent.
        let CalledCalculation {
            endpoint,
            word,
            year,
        } = called;
        let shown = match year {
            true => columns_of_year(rules, called, &rows)?,
            false => columns(rules, called, (&rows, &address), today)?,
        };

        // The fields that the address asks for are the columns.
        let columns = address.fields.clone().unwrap_or(shown);
        Ok(Self {
            rows,
            endpoint: endpoint.clone(),
            word: word.map(str::to_owned),
            year,
            address,
            columns,
            form,
            receipt: None,
            laws: BTreeMap::new(),
            today,
            lang,
            documentation: rules.service().documentation.clone(),
        })
    }

    /// The same batch with a receipt.
    ///
    /// # Errors
    /// Its answer is CSV, whose cells have no room for one.
    pub fn signed(self, receipt: Option<BatchReceipt>) -> Result<Self, Problem> {
        if receipt.is_some() && matches!(self.form, Form::Csv(_)) {
            let reason = (
                "Une réponse en CSV ne porte pas de reçu.",
                "An answer in CSV has no receipt.",
            );
            let expected = (
                "une réponse en JSON : `Accept: application/json` ou `application/x-ndjson`",
                "an answer in JSON: `Accept: application/json` or `application/x-ndjson`",
            );
            let code = ParameterCode::Incompatible;
            let bad = BadParameter::new(RECEIPT, code, reason, Some("true"), expected);
            return Err(Problem::parameters(vec![bad]));
        }
        Ok(Self { receipt, ..self })
    }

    /// The calculation of the rows.
    fn called(&self) -> CalledCalculation<'_> {
        CalledCalculation {
            endpoint: &self.endpoint,
            word: self.word.as_deref(),
            year: self.year,
        }
    }

    /// The fields to compute: those asked for, and in a CSV those with a column.
    fn fields(&self) -> Option<impl Iterator<Item = &str>> {
        let is_table = matches!(self.form, Form::Csv(_));
        (self.address.fields.is_some() || is_table).then(|| self.columns.iter().map(String::as_str))
    }
}

/// Members of every answer that are columns after the fields.
const LAST_COLUMNS: [&str; 3] = ["bareme_en_vigueur", "version", "reserves"];

/// The columns of answers to single pays.
///
/// # Errors
/// Unknown columns of the rows.
fn columns(
    rules: &Rules,
    called: CalledCalculation,
    (rows, address): (&Rows, &Address),
    today: Date,
) -> Result<Vec<String>, Problem> {
    let CalledCalculation { endpoint, word, .. } = called;
    let folder = word.map(|word| format!("{}/{word}", endpoint.folder));
    let plan = rules.plan(folder.as_deref().unwrap_or(&endpoint.name), today, None);
    let plan = plan.map_err(|_| Problem::plain(&kinds::INTERNAL))?;

    // Only CSV has columns; a mistake in a member of JSON is that of its row.
    if let Some(columns) = rows.columns() {
        let mut columns: Vec<&str> = columns.collect();
        // Shared parameters are added to every row, and may be a column as well.
        let taken = plan.columns();
        let shared = address.shared.iter().map(|(name, _)| name.as_str());
        let shared: Vec<&str> = shared
            .filter(|name| taken.contains(name) && !columns.contains(name))
            .collect();
        columns.extend(shared);
        plan.check_columns(&columns)
            .map_err(|error| refused_column(&error))?;
    }

    // A list has no cell: it has its own answer in JSON.
    let values = plan
        .fields()
        .iter()
        .filter(|field| field.kind != FieldKind::List);
    let values = values.map(|field| field.name.clone());
    Ok(values.chain(LAST_COLUMNS.map(str::to_owned)).collect())
}

/// The columns of the answers of years: what is added up over the months.
///
/// # Errors
/// Columns of the rows that do not exist.
fn columns_of_year(
    rules: &Rules,
    called: CalledCalculation,
    rows: &Rows,
) -> Result<Vec<String>, Problem> {
    let folder = called.folder(rules);
    // A column that the year does not read refuses the batch, as for single pays.
    if let (Some(mut columns), Some(folder)) = (rows.columns(), folder) {
        let ignored = called.endpoint.ignored.iter().map(String::as_str);
        let taken: Vec<&str> = folder
            .year_parameters()
            .into_iter()
            .chain(ignored)
            .collect();

        if let Some(name) = columns.find(|name| !taken.contains(name)) {
            let near = nearest(name, taken.iter().copied()).map(str::to_owned);
            let taken = taken.into_iter().map(str::to_owned).collect();
            return Err(refused_column(&PlanError::UnknownColumn {
                name: name.to_owned(),
                near,
                known: taken,
            }));
        }
    }

    // Amounts of single months have no column: a row has one line.
    let block = folder.and_then(Folder::year_block);
    let totals = block
        .into_iter()
        .flat_map(YearBlock::total_amounts)
        .map(str::to_owned);
    let last = ["version", "reserves"].map(str::to_owned);
    Ok([YEAR.to_owned()]
        .into_iter()
        .chain(totals)
        .chain(last)
        .collect())
}

/// The problem of a key whose column is not there once.
fn bad_key(name: &str, count: usize) -> Problem {
    let bad = if count == 0 {
        let reason = say!(
            "Aucune colonne n’est `{name}`, que l’adresse donne comme clé des lignes.",
            "No column is `{name}`, which the address gives as the key of the rows."
        );
        BadParameter::new(
            ROW_KEY,
            ParameterCode::Missing,
            reason,
            Some(name),
            ("une colonne", "a column"),
        )
    } else {
        BadParameter::repeated(name, None, ("une seule colonne", "a single column"))
    };
    Problem::parameters(vec![bad])
}

/// The problem of a column that no row may have, or that every row needs.
fn refused_column(error: &PlanError) -> Problem {
    let (name, code, expected) = match error {
        PlanError::UnknownColumn { name, known, .. } => {
            (name, ParameterCode::Unknown, known.join(", "))
        }
        PlanError::RepeatedColumn { name } => (name, ParameterCode::Repeated, name.clone()),
        PlanError::MissingColumn { name } => (name, ParameterCode::Missing, name.clone()),
        _ => return Problem::plain(&kinds::INTERNAL),
    };

    Problem::parameters(vec![BadParameter::new(
        name,
        code,
        error.sentence(),
        None,
        (expected.clone(), expected),
    )])
}
