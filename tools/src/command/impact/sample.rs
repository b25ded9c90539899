//! The sample of a population: rows of a file, read one batch at a time, as often as needed; or
//! rows in memory.

use std::path::{Path, PathBuf};

use bareme_arrow::arrow::array::{ArrayRef, RecordBatch};
use bareme_arrow::arrow::datatypes::{DataType, Schema, SchemaRef};
use bareme_arrow::{Exact, Floats, Format, Source};
use bareme_engine::text::nearest;
use bareme_show::say;

use crate::command::batch::TextTable;
use crate::format::did_you_mean;
use crate::session::{Failure, Session};

/// Rows of a batch.
const BATCH: usize = 65_536;

/// Extensions of CSV files.
const CSV: [&str; 2] = ["csv", "txt"];

/// Decimals of numbers in a column of texts.
const TEXT_DECIMALS: u32 = 6;

/// The rows of a population.
#[derive(Debug)]
pub(super) struct Sample<'s> {
    place: Place,
    pub schema: SchemaRef,
    /// Decimals to which the parameters in binary floats are rounded.
    pub float_decimals: Option<u32>,
    /// The columns of binary floats that are read as they are shown, each with its decimals.
    as_shown: Vec<(usize, u32)>,
    session: &'s Session,
}

/// Where rows are.
#[derive(Debug)]
enum Place {
    /// In a file; without a format, CSV.
    File {
        path: PathBuf,
        format: Option<Format>,
    },
    Memory(Vec<RecordBatch>),
}

impl<'s> Sample<'s> {
    /// Rows in memory.
    pub(super) fn of_batches(
        schema: SchemaRef,
        batches: &[RecordBatch],
        float_decimals: Option<u32>,
        session: &'s Session,
    ) -> Self {
        // Batches are the unit of work of a processor: slices share the memory of theirs.
        let cut = |batch: &RecordBatch| {
            let (rows, batch) = (batch.num_rows(), batch.clone());
            let starts = (0..rows).step_by(BATCH);
            starts.map(move |start| batch.slice(start, BATCH.min(rows.saturating_sub(start))))
        };

        Self {
            place: Place::Memory(batches.iter().flat_map(cut).collect()),
            schema,
            float_decimals,
            as_shown: Vec::new(),
            session,
        }
    }

    pub(super) fn open(
        path: &Path,
        float_decimals: Option<u32>,
        session: &'s Session,
    ) -> Result<Self, Failure> {
        let format = Format::from_path(path);

        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .map(str::to_lowercase)
            .unwrap_or_default();
        if format.is_none() && !CSV.contains(&ending.as_str()) {
            let shown = path.display();
            let endings = Format::ALL
                .iter()
                .flat_map(|(_, endings)| endings.iter())
                .chain(&CSV);
            let endings = endings
                .map(|ending| format!(".{ending}"))
                .collect::<Vec<_>>()
                .join(", ");

            return Err(Failure::unusable(say!(
                session.lang,
                "`{shown}` : format non reconnu à la fin du nom. Formats : {endings}.",
                "`{shown}`: no known format by the end of its name. Formats: {endings}."
            )));
        }
        // The columns are those of the file itself, which is opened again for each pass.
        // The schema is read by the sample itself, which needs its other fields first.
        let schema = SchemaRef::new(Schema::empty());
        let as_shown = Vec::new();
        let mut sample = Self {
            place: Place::File {
                path: path.to_owned(),
                format,
            },
            schema,
            float_decimals,
            as_shown,
            session,
        };

        sample.schema = match format {
            Some(format) => SchemaRef::clone(sample.source(path, format)?.schema()),
            None => TextTable::open(path, session)?.schema,
        };
        Ok(sample)
    }

    fn source(&self, path: &Path, format: Format) -> Result<Source, Failure> {
        Source::open(path, format, BATCH).map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &bareme_arrow::Error) -> Failure {
        Failure::unusable(match &self.place {
            Place::File { path, .. } => format!("{} : {error}", path.display()),
            Place::Memory(_) => error.to_string(),
        })
    }

    /// The number of rows, where the file states it.
    pub(super) fn rows(&self) -> Option<u64> {
        match &self.place {
            // CSV has no number of rows before it is read to its end.
            Place::File { path, format } => self.source(path, (*format)?).ok()?.rows(),
            Place::Memory(batches) => {
                let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                u64::try_from(rows).ok()
            }
        }
    }

    /// The batches, from the first.
    pub(super) fn batches(
        &self,
    ) -> Result<Box<dyn Iterator<Item = Result<RecordBatch, Failure>> + '_>, Failure> {
        // A pass reads the file again: a population need not fit in memory.
        Ok(match &self.place {
            Place::File {
                path,
                format: Some(format),
            } => Box::new(
                self.source(path, *format)?
                    .map(|batch| batch.map_err(|error| self.failure(&error))),
            ),
            Place::File { path, format: None } => Box::new(TextTable::open(path, self.session)?),
            Place::Memory(batches) => Box::new(batches.iter().cloned().map(Ok)),
        })
    }

    /// The index of a column by name.
    pub(super) fn column(&self, name: &str) -> Result<usize, Failure> {
        let names = || {
            self.schema
                .fields()
                .iter()
                .map(|field| field.name().as_str())
        };
        names().position(|column| column == name).ok_or_else(|| {
            let lang = self.session.lang;
            let near = did_you_mean(nearest(name, names()), lang).unwrap_or_default();
            let columns = names().collect::<Vec<_>>().join(", ");
            Failure::unusable(say!(
                lang,
                "Pas de colonne `{name}` dans le fichier{near} Colonnes : {columns}.",
                "No column `{name}` in the file{near} Columns: {columns}."
            ))
        })
    }

    /// Reads columns of binary floats as they are shown, with the decimals of the number that has
    /// the most: weights and groups are no parameters, and no rounding is meant for them.
    pub(super) fn read_as_shown(&mut self, columns: &[usize]) -> Result<(), Failure> {
        let is_float = |column: &&usize| {
            self.schema
                .fields()
                .get(**column)
                .is_some_and(|field| field.data_type().is_floating())
        };

        let mut found: Vec<(usize, u32)> = columns
            .iter()
            .filter(is_float)
            .map(|column| (*column, 0))
            .collect();

        if found.is_empty() {
            return Ok(());
        }
        // Decimals differ from row to row: a first pass finds the most.
        for batch in self.batches()? {
            let batch = batch?;
            for (column, decimals) in &mut found {
                let Some(array) = batch.columns().get(*column) else {
                    continue;
                };
                let exact = Exact::of_readable(self.name(*column), array, Floats::AsShown);
                *decimals = exact
                    .map_err(|error| self.failure(&error))?
                    .decimals
                    .max(*decimals);
            }
        }

        self.as_shown = found;
        Ok(())
    }

    fn name(&self, column: usize) -> &str {
        self.schema
            .fields()
            .get(column)
            .map(|field| field.name().as_str())
            .unwrap_or_default()
    }

    /// Decimals of the numbers of a column.
    pub(super) fn decimals(&self, column: usize) -> u32 {
        if let Some((_, decimals)) = self.as_shown.iter().find(|(shown, _)| *shown == column) {
            return *decimals;
        }

        // Decimals of the type of the column, so that all batches have the same.
        // Otherwise the decimals are those of the type, the same for every batch of the file.
        let ty = self
            .schema
            .fields()
            .get(column)
            .map(|field| field.data_type());

        match ty {
            Some(
                DataType::Decimal32(_, scale)
                | DataType::Decimal64(_, scale)
                | DataType::Decimal128(_, scale)
                | DataType::Decimal256(_, scale),
            ) => u32::try_from(*scale).unwrap_or_default(),
            Some(ty) if ty.is_integer() => 0,
            Some(ty) if ty.is_floating() => self.float_decimals.unwrap_or_default(),
            _ => TEXT_DECIMALS,
        }
    }

    /// The numbers of a column of a batch, with the decimals of the column.
    pub(super) fn numbers(
        &self,
        batch: &RecordBatch,
        column: usize,
    ) -> Result<Vec<Option<i128>>, Failure> {
        self.read(batch, column, Exact::of_column)
    }

    /// The numbers of a column in which a text that is not a number counts as empty, because its
    /// row is refused with the reason.
    pub(super) fn readable_numbers(
        &self,
        batch: &RecordBatch,
        column: usize,
    ) -> Result<Vec<Option<i128>>, Failure> {
        self.read(batch, column, Exact::of_readable)
    }

    fn read(
        &self,
        batch: &RecordBatch,
        column: usize,
        numbers: fn(&str, &ArrayRef, Floats) -> Result<Exact, bareme_arrow::Error>,
    ) -> Result<Vec<Option<i128>>, Failure> {
        let name = self.name(column);
        let is_as_shown = self.as_shown.iter().any(|(shown, _)| *shown == column);

        // Floats are refused unless a rounding is named, since they hold no exact amounts.
        let rounded = self
            .float_decimals
            .map_or(Floats::Refused, Floats::RoundedTo);
        let floats = if is_as_shown {
            Floats::AsShown
        } else {
            rounded
        };

        let array: Option<&ArrayRef> = batch.columns().get(column);
        let Some(array) = array else {
            return Ok(vec![None; batch.num_rows()]);
        };

        let exact = numbers(name, array, floats).map_err(|error| self.failure(&error))?;
        // A number with more decimals than the column would be rounded without notice: it is an
        // error.
        let decimals = self.decimals(column);
        exact
            .with_decimals(decimals)
            .map(|exact| exact.values)
            .ok_or_else(|| {
                Failure::unusable(say!(
                    self.session.lang,
                    "La colonne `{name}` a des nombres de plus de {decimals} décimales.",
                    "The column `{name}` has numbers of more than {decimals} decimals."
                ))
            })
    }
}
