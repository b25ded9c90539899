//! `bareme population`: a fictitious sample of households or of employees, for mass calculations.
//!
//! Rows are drawn and written in chunks; the same seed gives the same bytes.

mod columns;
mod foyer;
mod ir;
mod random;
mod salaire;
mod tables;

use std::path::{Path, PathBuf};

use bareme_arrow::Format as TableFormat;
use bareme_arrow::arrow::array::RecordBatch;
use bareme_show::{Locale, Text, say};

use crate::endings;
use crate::output::{Output, Written};
use crate::session::{Exit, Failure, Session};

pub(crate) use random::Random;

/// The ending of the one format of text.
const TEXT: &str = "csv";

/// The endings of the names of files of a sample, as the help and a message list them.
pub(crate) fn sample_endings() -> String {
    endings::with_tables([TEXT])
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    rows: u64,
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Whom a sample is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Foyer,
    Ir,
    Salaire,
}

/// Rows drawn at once.
const CHUNK: u64 = 65_536;
/// Scale of the weights: millionths.
const MILLION: u64 = 1_000_000;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let mut random = Random::new(args.seed);
    let size = match args.kind {
        Kind::Foyer | Kind::Ir => ir::HOUSEHOLDS,
        Kind::Salaire => salaire::EMPLOYEES,
    };

    // Every row weighs the same: the sample represents the whole population, to a millionth.
    let weight = i64::try_from(size * MILLION / args.rows).unwrap_or_default();

    // All kinds draw from one generator, so that the seed decides everything.
    let mut draw = |first: u64, rows: u64| {
        let rows = usize::try_from(rows).unwrap_or_default();
        columns::table(match args.kind {
            Kind::Foyer => foyer::households(&mut random, first, rows, weight),
            Kind::Ir => ir::households(&mut random, first, rows, weight),
            Kind::Salaire => salaire::employees(&mut random, first, rows, weight),
        })
    };

    // An empty chunk gives the columns.
    let mut output = open(args.output.as_deref(), &draw(1, 0)?, session)?;

    let is_text = output.is_text();
    let mut first = 1;

    while first <= args.rows {
        let rows = CHUNK.min(args.rows - first + 1);
        let table = draw(first, rows)?;

        // CSV or tables, by the ending of the file.
        let written = if is_text {
            Written::Text(columns::lines(&table)?)
        } else {
            Written::Table(Box::new(table))
        };

        output.write(&written)?;
        first += rows;
    }
    output.finish()?;

    let lang = session.lang;
    let locale = Locale::from(lang);
    let rows = usize::try_from(args.rows).unwrap_or_default();
    let rows = locale.count(
        rows,
        Text::new("ligne inventée", "made-up row"),
        Text::new("lignes inventées", "made-up rows"),
    );
    let size = locale.number(size.into());

    eprintln!(
        "{}",
        say!(
            lang,
            "{rows}, poids total {size}",
            "{rows}, total weight {size}"
        )
    );
    Ok(Exit::Fine)
}

/// Opens a file, or the standard output for CSV; `table` has the columns of all chunks.
fn open<'o>(
    path: Option<&'o Path>,
    table: &RecordBatch,
    session: &'o Session,
) -> Result<Output<'o>, Failure> {
    // CSV is the usual form; a table has to be named, since it cannot be written to a pipe.
    let is_csv = |path: &Path| {
        path.extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case(TEXT))
    };

    let Some(place) = path.filter(|path| !is_csv(path)) else {
        return Output::of_text(path, &columns::header(table), session);
    };
    let Some(format) = TableFormat::from_path(place) else {
        return Err(endings::unknown(place, &sample_endings(), session));
    };
    Output::of_tables(place, table.schema(), format, session)
}
