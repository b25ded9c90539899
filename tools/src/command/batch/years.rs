//! Years of pays: a row is a month of somebody's year. The rows of a year may be anywhere: all
//! are read before the first is computed. A month that is refused refuses its year.

mod months;
mod records;

use bareme_arrow::arrow::datatypes::Schema;
use bareme_engine::law::parameter::{FINAL_MONTH, FIRST_MONTH, YEAR};
use bareme_engine::run::FieldSelection;
use bareme_engine::text::normalize;
use bareme_engine::{CalculationError, Datum, Folder};
use bareme_show::say;
use bareme_show::spreadsheet::currency;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::compute::{Computed, Counts, owned_remarks};
use super::format::{Columns, Field, Refusals, SingleAnswer};
use super::inputs::{self, Input};
use super::layout::{Layout, Reading, TextForm};
use super::row_format::RowFormat;
use super::summary::Summary;
use super::tables;
use super::workers::{Outputs, Source, no_row};
use super::{Args, OpenedInputs, check_options, csv_of_refusals, fields, open};
use crate::output::{Output, Written};
use crate::session::{Exit, Failure, Format, Session};
use crate::target::{Target, reason};

use months::Months;
use records::{KEY, MONTH, Record, years_of};

/// Rows that are written together.
const CHUNK: usize = 2048;

/// Settings of the computation.
struct Work<'w> {
    target: &'w Target<'w>,
    folder: &'w Folder,
    columns: Columns<'w>,
    refusals: Option<Refusals<'w>>,
    session: &'w Session,
}

/// Result of a row: its line with its warnings, or why it is refused.
type Done = Result<(Vec<u8>, Vec<String>), String>;

/// Computes the rows as years.
///
/// # Errors
/// What a batch cannot be made of; no row at all.
pub(super) fn run(
    args: &Args,
    target: &Target,
    inputs: Vec<Input>,
    kind: Option<RowFormat>,
    output: Option<RowFormat>,
    session: &Session,
) -> Result<Exit, Failure> {
    // 1. The folder and the formats.
    let folder = target.folder_of_year(session)?;
    // Lines are written as their year is computed: the columns of a table have types.
    if let Some(RowFormat::Table(_)) = output {
        return Err(Failure::unusable(say!(
            session.lang,
            "Des années de paies lues en CSV ou en lignes JSON s’écrivent de même ; pour une table, \
             les lire d’une table.",
            "Years of pays that are read as CSV or JSON lines are written likewise; for a table, \
             read them from a table."
        )));
    }

    let parameters = parameters(folder, target);

    // 2. The columns, as for rows that are computed alone.
    check_options(args, kind, output, &parameters, session)?;
    let inputs = inputs::with_columns_of_folders(inputs, args, &parameters, session)?;
    let places: Vec<String> = inputs.iter().map(|input| input.place.clone()).collect();
    let opened = open(args, inputs, kind, &parameters, session)?;

    let refusals = args.errors.as_ref().map(|_| Refusals {
        csv: csv_of_refusals(&opened.source, &opened.layouts, opened.dialect),
        places: &places,
        is_raw: args.raw,
    });

    let OpenedInputs {
        source: Source::Texts(texts),
        layouts,
        dialect,
    } = opened
    else {
        // Tables were refused above.
        return Ok(Exit::Wrong);
    };

    check_columns(&layouts, session)?;

    let is_json = session.format == Format::Json || layouts.first().is_some_and(Layout::is_json);
    let format = output.unwrap_or(if is_json {
        RowFormat::JsonLines
    } else {
        RowFormat::Csv
    });

    let fields = fields::chosen(args, format == RowFormat::JsonLines, target, session)?;
    fields::check_kept(args, &fields, session)?;

    let kept = kept(args);
    let columns = Columns {
        dialect: (format == RowFormat::Csv).then_some(dialect),
        kept: &kept,
        fields: fields.iter().map(|name| Field::new(name, &[])).collect(),
        places: &places,
        is_raw: args.raw,
    };
    // The month of a row is copied in its own place, after the key.
    let copied: Vec<String> = kept.iter().filter(|name| *name != MONTH).cloned().collect();
    let currency = currency(&[folder]);
    let reading = Reading {
        keep: &copied,
        map: &args.map,
        parameters: &parameters,
        currency,
        lang: session.lang,
    };

    // 3. All rows, since those of a year may be far from each other in the input.
    let records = records::read(*texts, &layouts, reading, args.errors.is_some(), session)?;
    if records.is_empty() {
        return Err(no_row(&places, session));
    }

    // 4. The years, each computed from its rows.
    let work = Work {
        target,
        folder,
        columns,
        refusals,
        session,
    };
    let refused = work.write(&records, &fields, args, &places)?;

    fields::mention_what_is_not_written(
        target,
        Some(&work.columns),
        &layouts,
        args,
        (format, session),
    );

    Ok(if refused { Exit::Wrong } else { Exit::Fine })
}

/// The columns of a table that are some parameters, by `--map` or by their names; one that is not
/// there is named by the plan.
fn columns_of(parameters: &[&str], args: &Args, schema: &Schema) -> Vec<String> {
    let names = || schema.fields().iter().map(|field| field.name());
    let column_of = |parameter: &&str| {
        let mapped = args.map.iter().find(|(_, other)| other == parameter);
        let own = || names().find(|name| name == parameter);
        let meant = || names().find(|name| normalize(name) == *parameter);
        mapped.map(|(column, _)| column).or_else(own).or_else(meant)
    };
    parameters.iter().filter_map(column_of).cloned().collect()
}

/// The options and the columns of a table whose rows are months.
pub(super) struct MonthsOfTable {
    /// The options, by which the columns that say of whose pay and of which month a row is are
    /// copied before the others.
    pub args: Args,
    /// The columns that name the year of a row.
    pub year: Vec<String>,
}

impl MonthsOfTable {
    pub(super) fn new(args: &Args, schema: &Schema) -> Self {
        let mut keep = columns_of(&[KEY, MONTH], args, schema);
        let others = args.keep.iter().filter(|name| !keep.contains(name));
        let others: Vec<String> = others.cloned().collect();
        keep.extend(others);

        Self {
            args: Args {
                keep,
                ..args.clone()
            },
            year: columns_of(&[KEY, YEAR], args, schema),
        }
    }
}

/// Names of the columns that are parameters: the months are those of the rows.
pub(super) fn parameters<'f>(folder: &'f Folder, target: &Target<'f>) -> Vec<&'f str> {
    let own = folder
        .year_parameters()
        .into_iter()
        .filter(|name| ![FIRST_MONTH, FINAL_MONTH].contains(name));

    [KEY, MONTH]
        .into_iter()
        .chain(own)
        .chain(target.ignored().iter().map(String::as_str))
        .collect()
}

/// The columns that are copied: key and month, then those that are asked for.
fn kept(args: &Args) -> Vec<String> {
    let asked = args
        .keep
        .iter()
        .filter(|name| ![KEY, MONTH].contains(&name.as_str()));
    [KEY, MONTH]
        .map(str::to_owned)
        .into_iter()
        .chain(asked.cloned())
        .collect()
}

/// Checks that a header names the columns by which rows make years.
fn check_columns(layouts: &[Layout], session: &Session) -> Result<(), Failure> {
    let Some(Layout {
        form: TextForm::Csv { parameters, .. },
        partitions,
    }) = layouts.first()
    else {
        return Ok(());
    };

    let of_folders = partitions.iter().map(|partition| &partition.parameter);
    let given = parameters.iter().chain(of_folders);
    let missing = [KEY, MONTH, YEAR]
        .into_iter()
        .find(|column| !given.clone().any(|name| name == column));

    missing.map_or(Ok(()), |column| Err(tables::missing(column, session)))
}

impl Work<'_> {
    /// Computes the years and writes their rows, in the order in which they came; whether some were
    /// refused.
    fn write(
        &self,
        records: &[Record],
        fields: &[String],
        args: &Args,
        places: &[String],
    ) -> Result<bool, Failure> {
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        let selection = if args.fields.is_empty() {
            FieldSelection::Available
        } else {
            FieldSelection::Asked
        };
        let fields = selection(&names);

        let years = years_of(records);
        // Years are computed independently, on all processors or on as many as `--jobs` names.
        let compute = || {
            years
                .par_iter()
                .map(|year| self.year(year, fields))
                .collect::<Vec<_>>()
        };
        let computed = match args.jobs {
            None => compute(),
            Some(jobs) => {
                let threads = rayon::ThreadPoolBuilder::new()
                    .num_threads(jobs.max(1))
                    .build();
                threads
                    .map_err(|error| Failure::unusable(error.to_string()))?
                    .install(compute)
            }
        };
        // The answers are in the order of the input, whatever the order of the years.
        let mut done: Vec<(usize, Done)> = computed.into_iter().flatten().collect();
        done.sort_by_key(|(index, _)| *index);

        let answers =
            Output::of_text(args.output.as_deref(), &self.columns.header(), self.session)?;
        let mut outputs =
            Outputs::new(answers, self.refusals.as_ref(), args, places, self.session)?;
        let mut summary = Summary::new(u64::try_from(records.len()).ok(), self.session);

        for done in done.chunks(CHUNK) {
            outputs.write(&self.chunk(records, done), &mut summary)?;
        }
        outputs.finish()?;
        summary.report(
            args.errors
                .as_ref()
                .map(|path| path.display().to_string())
                .as_deref(),
            &[],
        );
        Ok(summary.refused > 0)
    }

    /// The results of the rows of a year, each with the index of its row.
    fn year(&self, records: &[(usize, &Record)], fields: FieldSelection) -> Vec<(usize, Done)> {
        let lang = self.session.lang;
        let months = match Months::new(records, self.folder, lang) {
            Ok(months) => months,
            Err(faults) => return refused(records, faults, lang),
        };
        match self.target.year(self.folder, &months.query, Some(fields)) {
            Ok(year) => months
                .rows
                .iter()
                .zip(year.months())
                .map(|((index, record), month)| {
                    let mut line = Vec::new();
                    let warnings = year.warnings_of(month.month);
                    let (answer, version) = (Datum::Object(month), Some(year.version()));

                    let remarks = owned_remarks(&month.calculation);
                    let single = SingleAnswer {
                        answer,
                        version,
                        warnings: &warnings,
                        remarks,
                    };
                    self.columns.alone((*record, 0), &single, &mut line);

                    let sentences = warnings
                        .into_iter()
                        .map(|warning| warning.text.in_lang(lang).to_owned());
                    (*index, Ok((line, sentences.collect())))
                })
                .collect(),
            Err(CalculationError::Refused(refusal)) => {
                let mut faults = Vec::new();
                // A fault is reported in the row of its month, so that its author finds it.
                for (place, (index, record)) in months.rows.iter().enumerate() {
                    let month = record.month_row().number();
                    if let Some(own) = refusal.of_month(month, place == 0) {
                        faults.push((*index, reason(&own.into(), lang)));
                    }
                }
                refused(records, faults, lang)
            }
            // An internal fault has no month: it is reported once, with the first row.
            Err(fault) => {
                let first = records
                    .first()
                    .map(|(index, _)| (*index, reason(&fault, lang)));
                refused(records, first.into_iter().collect(), lang)
            }
        }
    }

    /// Rows that are written together.
    fn chunk(&self, records: &[Record], done: &[(usize, Done)]) -> Computed {
        let (mut lines, mut computed) = (Vec::new(), Computed::new(done.len(), Counts::new()));
        for (index, done) in done {
            let Some(record) = records.get(*index) else {
                continue;
            };
            match done {
                Ok((line, warnings)) => {
                    lines.extend_from_slice(line);
                    warnings.iter().for_each(|warning| {
                        *computed.warnings.entry(warning.clone()).or_default() += 1
                    });
                }
                Err(reason) => computed.refuse(self.refusals.as_ref(), record, 0, reason),
            }
        }

        Computed {
            answers: Written::Text(self.columns.encoded(lines)),
            ..computed
        }
    }
}

/// The rows of a year of which some are at fault: the others are refused with them.
fn refused(
    records: &[(usize, &Record)],
    faults: Vec<(usize, String)>,
    lang: bareme_engine::Lang,
) -> Vec<(usize, Done)> {
    let of = |index: usize| {
        faults
            .iter()
            .find(|(known, _)| *known == index)
            .map(|(_, reason)| reason.clone())
    };
    // The other rows name the first line at fault.
    let line = faults
        .first()
        .and_then(|(index, _)| records.iter().find(|(row, _)| row == index));
    let line = line.map(|(_, record)| record.line).unwrap_or_default();

    let year = || {
        say!(
            lang,
            "son année est refusée, à cause de la ligne {line}",
            "its year is refused, because of line {line}"
        )
    };

    records
        .iter()
        .map(|(index, _)| (*index, Err(of(*index).unwrap_or_else(year))))
        .collect()
}
