//! `bareme population`: a made-up sample of households or of employees, to try calculations in number.
//!
//! Rows are drawn and written a chunk at a time; the same seed gives the same bytes.

mod columns;
mod ir;
mod random;
mod salaire;
mod tables;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use bareme_arrow::{Format as TableFormat, Sink};
use bareme_show::{Locale, Text, say};

use crate::save::Beside;
use crate::session::{Exit, Failure, Session};
use columns::Columns;
use random::Random;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rows: u64,
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Whom a sample is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Ir,
    Salaire,
}

/// Rows that are drawn at once.
const CHUNK: u64 = 65_536;
/// Parts of a unit in which weights are written.
const MILLION: u64 = 1_000_000;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let mut random = Random::new(args.seed);
    let size = match args.kind {
        Kind::Ir => ir::HOUSEHOLDS,
        Kind::Salaire => salaire::EMPLOYEES,
    };
    let weight = i64::try_from(size * MILLION / args.rows).unwrap_or_default();
    let mut draw = |first: u64, rows: u64| {
        let rows = usize::try_from(rows).unwrap_or_default();
        match args.kind {
            Kind::Ir => ir::households(&mut random, first, rows, weight),
            Kind::Salaire => salaire::employees(&mut random, first, rows, weight),
        }
    };
    let mut output = Output::open(args.output.as_deref(), &draw(1, 0), session)?;
    let mut first = 1;
    while first <= args.rows {
        let rows = CHUNK.min(args.rows - first + 1);
        output.write(&draw(first, rows), usize::try_from(rows).unwrap_or_default())?;
        first += rows;
    }
    output.finish()?;
    let lang = session.lang;
    let locale = Locale::from(lang);
    let rows = usize::try_from(args.rows).unwrap_or_default();
    let rows =
        locale.count(rows, Text::new("ligne inventée", "made-up row"), Text::new("lignes inventées", "made-up rows"));
    let size = locale.number(size.into());
    eprintln!("{}", say!(lang, "{rows}, poids total {size}", "{rows}, total weight {size}"));
    Ok(Exit::Fine)
}

/// Output of a sample.
struct Output<'o> {
    writer: Writer,
    file: Option<Beside>,
    place: &'o Path,
    session: &'o Session,
}

enum Writer {
    Csv(BufWriter<Box<dyn Write>>),
    Table(Box<Sink<BufWriter<File>>>),
}

impl<'o> Output<'o> {
    /// Opens a file, or the standard output for CSV; `columns` are those of all chunks.
    fn open(path: Option<&'o Path>, columns: &Columns, session: &'o Session) -> Result<Self, Failure> {
        let Some(place) = path else {
            let mut writer: BufWriter<Box<dyn Write>> = BufWriter::new(Box::new(std::io::stdout()));
            writer.write_all(&columns::header(columns))?;
            return Ok(Self { writer: Writer::Csv(writer), file: None, place: Path::new("-"), session });
        };
        let failed = |error: &dyn std::fmt::Display| unwritable(place, error, session);
        let is_csv = place.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let format = TableFormat::of(place);
        if !is_csv && format.is_none() {
            let place = place.display();
            return Err(Failure::unusable(say!(
                session.lang,
                "`{place}` : la fin du nom dit le format, `.csv`, `.parquet`, `.arrow` ou `.arrows`.",
                "`{place}`: the ending of the name says the format, `.csv`, `.parquet`, `.arrow` or `.arrows`."
            )));
        }
        let file = Beside::create(place).map_err(|error| failed(&error))?;
        let own = BufWriter::new(file.writer().map_err(|error| failed(&error))?);
        let writer = match format {
            Some(format) => {
                let table = columns::table(columns).map_err(|error| failed(&error))?;
                Writer::Table(Box::new(Sink::new(own, table.schema(), format).map_err(|error| failed(&error))?))
            }
            None => {
                let mut writer: BufWriter<Box<dyn Write>> = BufWriter::new(Box::new(own));
                writer.write_all(&columns::header(columns)).map_err(|error| failed(&error))?;
                Writer::Csv(writer)
            }
        };
        Ok(Self { writer, file: Some(file), place, session })
    }

    fn write(&mut self, columns: &Columns, rows: usize) -> Result<(), Failure> {
        let (place, session) = (self.place, self.session);
        let failed = |error: &dyn std::fmt::Display| unwritable(place, error, session);
        match &mut self.writer {
            Writer::Csv(writer) if self.file.is_none() => Ok(writer.write_all(&columns::lines(columns, rows))?),
            Writer::Csv(writer) => writer.write_all(&columns::lines(columns, rows)).map_err(|error| failed(&error)),
            Writer::Table(sink) => {
                let table = columns::table(columns).map_err(|error| failed(&error))?;
                sink.write(&table).map_err(|error| failed(&error))
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| unwritable(self.place, error, self.session);
        match self.writer {
            Writer::Csv(mut writer) if self.file.is_none() => writer.flush()?,
            Writer::Csv(mut writer) => writer.flush().map_err(|error| failed(&error))?,
            Writer::Table(sink) => sink.finish().map_err(|error| failed(&error))?,
        }
        self.file.map_or(Ok(()), Beside::keep).map_err(|error| failed(&error))
    }
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display, session: &Session) -> Failure {
    let place = path.display();
    Failure::unusable(say!(session.lang, "`{place}` ne s'écrit pas : {error}", "`{place}` cannot be written: {error}"))
}
