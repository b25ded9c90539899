//! `bareme batch`: computes rows of parameters, on all processors and in constant memory.
//!
//! One thread reads, one for each processor computes, and this one writes in the order of the
//! input: chunks go to the workers in turn, and their results are collected in the same turn. Every
//! queue is short, so that faster threads wait.

mod cells;
mod compute;
mod dialect_options;
mod fields;
mod format;
mod guard;
mod header;
mod inputs;
mod law;
mod layout;
mod letters;
mod partitions;
mod row_format;
mod row_source;
mod rows;
mod sheets;
mod summary;
mod tables;
mod text_table;
mod texts;
mod workers;
mod years;

use std::path::PathBuf;

use bareme_show::say;
use bareme_show::spreadsheet::{Dialect, DialectOptions, NumberFormat, currency};
use encoding_rs::Encoding;

use crate::rule_files::folder_name;
use crate::session::{Exit, Failure, Format, Session};
use crate::target::{Target, of_year};
use crate::user_input::column_mapping;

use compute::{Form, Work};
use dialect_options::{encoding_parser, locale_parser};
use format::{Columns, Field, Refusals};
use inputs::Input;
use law::Law;
use layout::{Layout, Reading};
use row_format::RowFormat;
pub(crate) use row_format::row_endings;
use tables::Tables;
pub(crate) use text_table::TextTable;
use texts::Texts;
use workers::{Outputs, Source};
use years::MonthsOfTable;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: String,
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", value_parser = RowFormat::parser())]
    input_format: Option<RowFormat>,
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    fields: Vec<String>,
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    keep: Vec<String>,
    #[arg(
        long,
        value_name = "COLUMN=PARAMETER",
        value_delimiter = ',',
        value_parser = column_mapping
    )]
    map: Vec<(String, String)>,
    #[arg(long, value_name = "COUNT")]
    round_floats: Option<u32>,
    #[arg(long, value_name = "LOCALE", value_parser = locale_parser())]
    locale: Option<NumberFormat>,
    #[arg(long, value_name = "ENCODING", value_parser = encoding_parser())]
    encoding: Option<&'static Encoding>,
    #[arg(long)]
    raw: bool,
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,
    #[command(flatten)]
    law: Law,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    // 1. The rules, and the kind of calculation.
    check_format(session)?;

    let (name, is_year) = of_year(&args.name);
    let rules = args.law.rules(&args.name, session)?;
    let target = Target::find(&rules, name, session)?.by_law(args.law.version());

    // 2. The inputs and their columns. Options are checked before any file is opened.
    let output = args
        .output
        .as_deref()
        .map(|path| RowFormat::from_path(path, session))
        .transpose()?;

    let (inputs, kind) = inputs::find(&args.files, args.input_format, session)?;

    // A year of pays is computed from several rows, one for each of its months. Those of text are
    // computed one by one, for their lines; those of tables by a plan, like single pays.
    if is_year && !matches!(kind, Some(RowFormat::Table(_))) {
        return years::run(args, &target, inputs, kind, output, session);
    }
    let parameters = parameters(&target, is_year, session)?;
    check_options(args, kind, output, &parameters, session)?;
    let inputs = inputs::with_columns_of_folders(inputs, args, &parameters, session)?;

    let places: Vec<String> = inputs.iter().map(|input| input.place.clone()).collect();
    let OpenedInputs {
        source,
        layouts,
        dialect,
    } = open(args, inputs, kind, &parameters, session)?;

    let months = match &source {
        Source::Tables(tables) if is_year => Some(MonthsOfTable::new(args, &tables.schema)),
        _ => None,
    };
    let args = months.as_ref().map_or(args, |months| &months.args);

    // 3. The format of the answers, that of `--output` before that of the input.
    let is_json = session.format == Format::Json || layouts.first().is_some_and(Layout::is_json);
    let format = output.unwrap_or(if is_json {
        RowFormat::JsonLines
    } else {
        RowFormat::Csv
    });

    // 4. The plan of the fields. It is compiled once, and computes all rows of a chunk together.
    let has_lists = format == RowFormat::JsonLines && !is_year;
    let fields = fields::chosen(args, has_lists, &target, session)?;
    fields::check_kept(args, &fields, session)?;
    let computed = fields::of_plan(&fields);

    let options = match &source {
        Source::Texts(_) => fields::options(args, &computed),
        Source::Tables(tables) => {
            tables::options(args, &computed, &tables.schema, &target, session)
        }
    };
    let plan = target
        .table_plan(is_year, session.today, &options)
        .map_err(|error| tables::refused(error, session))?;

    // The columns of tables are bound once to the plan, since all batches have the same.
    let bound = match &source {
        Source::Texts(_) => None,
        Source::Tables(tables) => Some(
            plan.bind(&tables.schema)
                .map_err(|error| tables::refused(error, session))?,
        ),
    };

    let form = match format {
        RowFormat::Table(_) => Form::Table,
        text => Form::Text {
            columns: Columns {
                dialect: (text == RowFormat::Csv).then_some(dialect),
                kept: &args.keep,
                fields: fields
                    .iter()
                    .map(|name| Field::new(name, plan.kernel().fields()))
                    .collect(),
                places: &places,
                is_raw: args.raw,
            },
            is_single: !is_year && fields.iter().any(|field| fields::is_single(&target, field)),
        },
    };

    // 5. The workers, which read, compute and write.
    let folders = target.folders();
    let reading = Reading {
        keep: &args.keep,
        map: &args.map,
        parameters: &parameters,
        currency: currency(&folders),
        lang: session.lang,
    };

    let refusals = args.errors.as_ref().map(|_| Refusals {
        csv: csv_of_refusals(&source, &layouts, dialect),
        places: &places,
        is_raw: args.raw,
    });
    let asked = fields::asked(args);

    let work = Work {
        target,
        plan,
        session,
        years: months.as_ref().map(|months| months.year.as_slice()),
        asked,
        layouts,
        reading,
        bound,
        form,
        refusals,
    };

    // Outputs are opened last: a mistake above leaves no file behind.
    let outputs = Outputs::open(&work, args, format, &places)?;
    let exit = workers::run(&work, source, outputs, args)?;

    // 6. What a reader of the output would miss.
    let columns = match &work.form {
        Form::Text { columns, .. } => Some(columns),
        Form::Table => None,
    };

    fields::mention_what_is_not_written(
        &work.target,
        columns,
        &work.layouts,
        args,
        (format, session),
    );
    Ok(exit)
}

/// The names of the columns that are parameters.
///
/// # Errors
/// Years of pays of what computes none.
fn parameters<'r>(
    target: &Target<'r>,
    is_year: bool,
    session: &Session,
) -> Result<Vec<&'r str>, Failure> {
    if is_year {
        Ok(years::parameters(target.folder_of_year(session)?, target))
    } else {
        Ok(target.parameters())
    }
}

/// Refuses a format of messages that no row can be written in.
fn check_format(session: &Session) -> Result<(), Failure> {
    if matches!(session.format, Format::Text | Format::Json) {
        return Ok(());
    }
    Err(Failure::unusable(say!(
        session.lang,
        "`batch` écrit du CSV ou, avec `--format json`, des lignes JSON.",
        "`batch` writes CSV or, with `--format json`, JSON lines."
    )))
}

/// Opened inputs, with the layouts of files of text, and the dialect in which CSV is written.
struct OpenedInputs {
    source: Source,
    layouts: Vec<Layout>,
    dialect: Dialect,
}

fn open(
    args: &Args,
    inputs: Vec<Input>,
    kind: Option<RowFormat>,
    parameters: &[&str],
    session: &Session,
) -> Result<OpenedInputs, Failure> {
    let options = DialectOptions {
        locale: args.locale,
        encoding: args.encoding,
        is_json: None,
    };

    match kind {
        Some(RowFormat::Table(format)) => {
            let tables = Tables::open(inputs, format, session)?;
            Ok(OpenedInputs {
                source: Source::Tables(tables),
                layouts: Vec::new(),
                dialect: Dialect::usual(options),
            })
        }
        text => {
            let is_json = text.map(|format| format == RowFormat::JsonLines);
            let (texts, layouts) = Texts::open(
                inputs,
                DialectOptions { is_json, ..options },
                args,
                parameters,
                session,
            )?;

            // The output has the dialect of the input, so that it opens in the same
            // spreadsheet.
            let first = layouts.first().and_then(Layout::dialect);
            let dialect = first.unwrap_or_else(|| Dialect::usual(options));

            Ok(OpenedInputs {
                source: Source::Texts(Box::new(texts)),
                layouts,
                dialect,
            })
        }
    }
}

/// Layout of the file of refused rows: that of the first input, CSV for tables.
fn csv_of_refusals(
    source: &Source,
    layouts: &[Layout],
    dialect: Dialect,
) -> Option<(Dialect, Vec<String>)> {
    match (source, layouts.first()) {
        (Source::Tables(tables), _) => {
            let names = tables
                .schema
                .fields()
                .iter()
                .map(|field| field.name().clone());
            Some((dialect, names.collect()))
        }
        (_, first) => first.and_then(|layout| layout.dialect().zip(layout.names())),
    }
}

/// Refuses options that have no effect or contradict each other.
fn check_options(
    args: &Args,
    kind: Option<RowFormat>,
    output: Option<RowFormat>,
    parameters: &[&str],
    session: &Session,
) -> Result<(), Failure> {
    let lang = session.lang;
    let unknown = args
        .map
        .iter()
        .find(|(_, parameter)| !parameters.contains(&parameter.as_str()));

    let is_table = matches!(kind, Some(RowFormat::Table(_)));
    let is_json = session.format == Format::Json;
    let is_csv = output.map_or(!is_json, |output| output == RowFormat::Csv);
    let errors_go_to_table = args
        .errors
        .as_deref()
        .and_then(bareme_arrow::Format::from_path)
        .is_some();
    let has_signs = args.locale.is_some() || args.encoding.is_some();

    // The first mistake is reported: the others may be about the same option.
    let message = if let Some((column, parameter)) = unknown {
        say!(
            lang,
            "`--map {column}={parameter}` : `{parameter}` n’est pas un paramètre.",
            "`--map {column}={parameter}`: `{parameter}` is not a parameter."
        )
    } else if is_json && output.is_some_and(|output| output != RowFormat::JsonLines) {
        say!(
            lang,
            "`--format json` et la fin du nom de `--output` disent deux formats : laisser \
             `--format`.",
            "`--format json` and the ending of the name of `--output` say two formats: leave out \
             `--format`."
        )
    } else if args.round_floats.is_some() && !is_table {
        say!(
            lang,
            "`--round-floats` ne vaut que pour les tables : un texte a les décimales qu’il montre.",
            "`--round-floats` is for tables only: a text has the decimals that it shows."
        )
    } else if has_signs && is_table && !is_csv {
        say!(
            lang,
            "`--locale` et `--encoding` ne valent que pour du CSV.",
            "`--locale` and `--encoding` are for CSV only."
        )
    } else if errors_go_to_table {
        say!(
            lang,
            "`--errors` écrit du CSV ou des lignes JSON ; dans une table, les lignes refusées \
             restent à leur place avec leur motif.",
            "`--errors` writes CSV or JSON lines; in a table, the refused rows stay in their \
             place with their reason."
        )
    } else {
        return Ok(());
    };

    Err(Failure::unusable(message))
}
