//! Impacts for programs: the same numbers as those of the command, over tables in memory.

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use clap::ValueEnum;
use jiff::civil::Date;

use crate::days::edition_on;
use crate::rule_files::folder;
use crate::session::{Failure, Session};

use super::sample::Sample;
use super::{Gain, Measures, Reform, impact};

pub use super::to_arrow::ImpactTable;

/// A side of a reform: rules, and the day of their scale.
#[derive(Debug, Clone, Copy)]
pub struct ImpactSide<'r> {
    /// The rules.
    pub rules: &'r Rules,
    /// The day.
    pub day: Date,
    /// Columns that are parameters of another name, as (column, parameter).
    pub map: &'r [(String, String)],
}

/// Rows of a population in memory.
#[derive(Debug, Clone, Copy)]
pub struct Population<'p> {
    /// Their columns.
    pub schema: &'p SchemaRef,
    /// The rows.
    pub batches: &'p [RecordBatch],
    /// Decimals to which parameters in binary floats are rounded; `None` to refuse them.
    pub float_decimals: Option<u32>,
}

/// What is measured, as the options of `bareme impact` say it.
#[derive(Debug, Clone, Default)]
pub struct ImpactOptions {
    /// The field whose change is the effect; that of the folder if absent.
    pub field: Option<String>,
    /// `more` or `less`: what to gain is; as the role of the field says if absent.
    pub gain: Option<String>,
    /// The column of the weights.
    pub weight: Option<String>,
    /// The columns by which rows are grouped, or `decile:column`.
    pub by: Vec<String>,
    /// The poverty line, an amount or a share of the median such as `60%`.
    pub poverty: Option<String>,
    /// The column of consumption units.
    pub unit: Option<String>,
    /// Whether the table `rows` is made, with the effect on each row.
    pub rows: bool,
    /// The name of the reform in the tables.
    pub name: String,
    /// The language of texts and errors.
    pub lang: Lang,
}

/// The effect of a reform.
#[derive(Debug, Clone)]
pub struct ImpactAnswer {
    /// The tables, of the same numbers as the JSON.
    pub tables: Vec<ImpactTable>,
    /// The JSON of `bareme impact --format json`.
    pub json: String,
    /// The report as text.
    pub text: String,
    /// The report as a part of a page, without scripts.
    pub html: String,
}

/// Computes the effect of a reform of a folder.
///
/// # Errors
/// The reason, in the language of the options.
pub fn answer(
    path: &str,
    before: &ImpactSide,
    after: &ImpactSide,
    population: &Population,
    options: &ImpactOptions,
) -> Result<ImpactAnswer, String> {
    computed(path, before, after, population, options).map_err(|failure| failure.message)
}

fn computed(
    path: &str,
    before: &ImpactSide,
    after: &ImpactSide,
    population: &Population,
    options: &ImpactOptions,
) -> Result<ImpactAnswer, Failure> {
    let session = Session::of_library(options.lang, after.day, Drafts::Aside);
    let path = folder(before.rules, path, &session)?.path().to_owned();
    for side in [before, after] {
        let folder = folder(side.rules, &path, &session)?;
        edition_on(folder, side.day, &side.day.to_string(), &session)?;
    }

    let measures = measures(before, after, options)?;
    let mut sample = Sample::of_batches(
        population.schema.clone(),
        population.batches,
        population.float_decimals,
        &session,
    );
    let reform = Reform {
        path: &path,
        before: (before.rules, before.day),
        after: (after.rules, after.day),
    };

    reform.asked(&mut sample, &measures, &session, |question, axis, _| {
        let impact = impact(&measures, question, axis, &session)?;
        let page = impact.page();
        Ok(ImpactAnswer {
            tables: impact.tables(&options.name)?,
            json: impact.to_json().to_string(),
            text: page.to_text(session.style),
            html: page.to_html_part(),
        })
    })
}

fn measures(
    before: &ImpactSide,
    after: &ImpactSide,
    options: &ImpactOptions,
) -> Result<Measures, Failure> {
    let gain = options.gain.as_deref();
    let gain = gain.map(|word| Gain::from_str(word, false)).transpose();

    Ok(Measures {
        field: options.field.clone(),
        gain: gain.map_err(|_| Failure::unusable("gain: more, less"))?,
        weight: options.weight.clone(),
        by: options.by.clone(),
        poverty: options.poverty.clone(),
        unit: options.unit.clone(),
        map: before.map.to_vec(),
        map_after: after.map.to_vec(),
        keeps_rows: options.rows,
    })
}
