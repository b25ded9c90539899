//! Impacts for programs: the same numbers as those of the command, over tables in memory.

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_show::say;
use clap::ValueEnum;
use jiff::civil::Date;

use crate::days::edition_on;
use crate::rule_files::folder;
use crate::session::{Failure, Session};

use super::measures::{Gain, Measures, Precision};
use super::money::TotalsIn;
use super::sample::Sample;
use super::{Reform, impact};

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
    /// The column of the income that gains are a share of; that of the folder if absent.
    pub income: Option<String>,
    /// The beginning of the names of the columns of replicate weights.
    pub replicates: Option<String>,
    /// By what the sum of the squares of replicates is multiplied; one over their number if absent.
    pub replicate_scale: Option<String>,
    /// The number of draws of a bootstrap, and its seed.
    pub bootstrap: Option<u32>,
    /// The seed of the bootstrap; 1 if absent.
    pub seed: Option<u64>,
    /// The unit of sums in the report: `ones`, `millions` or `billions`.
    pub totals_in: Option<String>,
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

    let unit = options.totals_in.as_deref();
    let unit = unit.map(|word| TotalsIn::from_str(word, false)).transpose();
    let lang = options.lang;
    if options.replicates.is_some() && options.bootstrap.is_some() {
        return Err(Failure::unusable(say!(
            lang,
            "replicates et bootstrap : l’un ou l’autre",
            "replicates and bootstrap: one or the other"
        )));
    }
    // An option without effect would go unnoticed.
    let without = [
        (
            options.replicate_scale.is_some(),
            options.replicates.is_some(),
            "replicate_scale",
            "replicates",
        ),
        (
            options.seed.is_some(),
            options.bootstrap.is_some(),
            "seed",
            "bootstrap",
        ),
    ];
    for (is_given, has_effect, option, of) in without {
        if is_given && !has_effect {
            return Err(Failure::unusable(say!(
                lang,
                "{option} n’a d’effet qu’avec {of}",
                "{option} has an effect with {of} only"
            )));
        }
    }

    Ok(Measures {
        income: options.income.clone(),
        precision: Precision {
            replicates: options.replicates.clone(),
            replicate_scale: options.replicate_scale.clone(),
            bootstrap: options.bootstrap,
            seed: options.seed,
        },
        totals_in: unit
            .map_err(|_| Failure::unusable("totals_in: ones, millions, billions"))?
            .unwrap_or_default(),
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
