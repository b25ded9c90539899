//! Input tables: Parquet files, Arrow files and Arrow streams, read one batch at a time.

mod years;

use std::borrow::Cow;
use std::sync::Arc;

use bareme_arrow::arrow::array::{Array as _, ArrayRef, RecordBatch, StringArray};
use bareme_arrow::arrow::compute::cast;
use bareme_arrow::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use bareme_arrow::arrow::util::display::{ArrayFormatter, FormatOptions};
use bareme_arrow::{Bound, Error, Format, Options, Plan, Source};
use bareme_engine::law::members::REMARKS;
use bareme_engine::run::plan::PlanError;
use bareme_engine::text::normalize;
use bareme_show::say;

use super::cells::Cells;
use super::inputs::{Input, check_same, unreadable};
use super::partitions::{self, Partition};
use super::{Args, header};
use crate::session::{Failure, Session};
use crate::target::Target;

/// Rows of a batch, where the format allows a choice.
const BATCH: usize = 8_192;

/// The tables to read.
pub(super) struct Tables {
    pub inputs: Vec<Input>,
    format: Format,
    /// The standard input, which can only be opened once.
    stream: Option<Source>,
    /// The columns of all files.
    pub schema: Schema,
    /// The number of rows, where the files state it.
    pub rows: Option<u64>,
}

/// Rows of a table, passed between threads as a unit.
#[derive(Debug)]
pub(super) struct Batch {
    pub rows: RecordBatch,
    /// Where its rows are from, in order; at least one.
    parts: Vec<Part>,
}

/// Rows of a batch that follow each other in one file.
#[derive(Debug)]
struct Part {
    /// The index of the first of them in the batch.
    start: usize,
    place: Place,
}

/// Where a row is from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The index of its file.
    pub file: usize,
    /// Its number there, from 1.
    pub line: u64,
}

impl Batch {
    /// Where a row is from.
    pub(super) fn place(&self, row: usize) -> Place {
        let after = self.parts.partition_point(|part| part.start <= row);
        let part = after.checked_sub(1).and_then(|index| self.parts.get(index));
        let Some(Part { start, place }) = part else {
            return Place::default();
        };

        let within = u64::try_from(row.saturating_sub(*start)).unwrap_or_default();
        Place {
            line: place.line.saturating_add(within),
            ..*place
        }
    }
}

impl Tables {
    /// Reads the columns of all files.
    ///
    /// # Errors
    /// A file that cannot be read; files whose columns differ.
    pub(super) fn open(
        inputs: Vec<Input>,
        format: Format,
        session: &Session,
    ) -> Result<Self, Failure> {
        let mut tables = Self {
            inputs,
            format,
            stream: None,
            schema: Schema::empty(),
            rows: Some(0),
        };

        // All files are opened before the first row is computed, so that a mismatch in the last one
        // is found now.
        let mut first: Option<Vec<(String, DataType)>> = None;
        for input in &tables.inputs {
            let source = open(input, format, session)?;

            let own = source
                .schema()
                .fields()
                .iter()
                .map(|field| field.name().as_str());
            partitions::check_columns(&input.partitions, own, &input.place, session)?;

            let columns = source
                .schema()
                .fields()
                .iter()
                .map(|field| (field.name().clone(), field.data_type().clone()));
            // The columns of the path come last, as texts.
            let of_folders = input
                .partitions
                .iter()
                .map(|partition| (partition.name.clone(), DataType::Utf8));
            let columns: Vec<_> = columns.chain(of_folders).collect();

            match &first {
                None => {
                    // A column without nulls in one file may have some in another.
                    let fields = columns
                        .iter()
                        .map(|(name, ty)| Field::new(name, ty.clone(), true));
                    tables.schema = Schema::new(fields.collect::<Vec<_>>());
                    first = Some(columns);
                }
                Some(first) => {
                    let place = tables.inputs.first().map_or("", |input| &input.place);
                    check_same((place, first), (&input.place, &columns), session)?;
                }
            }

            // The number of all rows is known only if every file states its own: a stream does not.
            tables.rows = tables
                .rows
                .zip(source.rows())
                .and_then(|(all, own)| all.checked_add(own));

            // The standard input can be opened once: its stream is kept for `read`.
            if input.path.is_none() {
                tables.stream = Some(source);
            }
        }
        Ok(tables)
    }

    /// Reads every batch, in order, until `take` declines.
    ///
    /// # Errors
    /// A file that cannot be read to its end.
    pub(super) fn read(
        mut self,
        session: &Session,
        mut take: impl FnMut(Batch) -> bool,
    ) -> Result<(), Failure> {
        for (file, input) in self.inputs.iter().enumerate() {
            // The standard input was opened for its columns, and cannot be opened again.
            let source = match self.stream.take() {
                Some(stream) => stream,
                None => open(input, self.format, session)?,
            };

            let mut first = 1;
            for rows in source {
                let rows = rows.map_err(|error| {
                    unreadable(&input.place, &message(&error, session), session)
                })?;
                let rows = with_partitions(rows, &input.partitions)?;

                let next = first + u64::try_from(rows.num_rows()).unwrap_or_default();
                // The receiver is gone, as where writing has failed: the rest need not be read.
                let place = Place { file, line: first };
                let parts = vec![Part { start: 0, place }];
                if !take(Batch { rows, parts }) {
                    return Ok(());
                }
                first = next;
            }
        }
        Ok(())
    }
}

/// A table with the columns that the folders of its path are, at its end.
fn with_partitions(table: RecordBatch, partitions: &[Partition]) -> Result<RecordBatch, Failure> {
    if partitions.is_empty() {
        return Ok(table);
    }
    let count = table.num_rows();

    let (schema, mut columns, _) = table.into_parts();
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    for Partition { name, value, .. } in partitions {
        // A null, as a column would have.
        let value = Some(value.as_str()).filter(|value| !value.is_empty());
        fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
        columns.push(Arc::new(
            std::iter::repeat_n(value, count).collect::<StringArray>(),
        ));
    }

    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

fn open(input: &Input, format: Format, session: &Session) -> Result<Source, Failure> {
    let opened = match &input.path {
        Some(path) => Source::open(path, format, BATCH),
        None => Source::stream(std::io::stdin()),
    };
    opened.map_err(|error| unreadable(&input.place, &message(&error, session), session))
}

/// The options of a plan over tables, with `--map` and the columns whose names differ only in case
/// and accents.
pub(super) fn options(
    args: &Args,
    fields: &[String],
    schema: &Schema,
    target: &Target,
    session: &Session,
) -> Options {
    let parameters = target.parameters();
    let mut mapped = args.map.clone();

    for name in schema.fields().iter().map(|field| field.name()) {
        let is_decided =
            args.keep.contains(name) || mapped.iter().any(|(column, _)| column == name);

        let word = normalize(name);
        // A column that is named by the user, or that is a parameter as it is, is not guessed.
        if is_decided || parameters.contains(&name.as_str()) || !parameters.contains(&word.as_str())
        {
            continue;
        }

        eprintln!(
            "{}",
            say!(
                session.lang,
                "Colonne `{name}` lue comme `{word}`.",
                "Column `{name}` read as `{word}`."
            )
        );
        mapped.push((name.clone(), word));
    }

    let options = super::fields::options(args, fields)
        .keep(&args.keep)
        .map(mapped);
    match args.round_floats {
        Some(decimals) => options.rounding_floats_to(decimals),
        None => options,
    }
}

/// The error of a table that cannot be computed, with the cure.
pub(super) fn refused(error: Error, session: &Session) -> Failure {
    match error {
        Error::Plan(PlanError::UnknownColumn { name, near, .. }) => {
            header::unknown(&name, near.as_deref(), session)
        }
        Error::Mapped { column }
        | Error::Kept {
            column,
            is_taken: false,
        } => header::not_there(&column, session),
        error => Failure::unusable(message(&error, session)),
    }
}

/// A column that there has to be.
pub(super) fn missing(column: &str, session: &Session) -> Failure {
    refused(
        PlanError::MissingColumn {
            name: column.to_owned(),
        }
        .into(),
        session,
    )
}

/// The message of a table error, in the language of the messages.
fn message(error: &Error, session: &Session) -> String {
    let lang = session.lang;
    match error {
        Error::Float { column } => say!(
            lang,
            "La colonne `{column}` est en virgule flottante, qui n’a pas de centimes \
             exacts.\nPour l’arrondir au centime : `--round-floats 2` ; mieux, l’écrire en \
             décimal.",
            "The column `{column}` holds binary floats, which have no exact cents.\nTo round it \
             to the cent: `--round-floats 2`; better, write it as a decimal."
        ),
        Error::Type { column, found } => say!(
            lang,
            "La colonne `{column}` est de type {found} : attendu un entier, un décimal, un texte, \
             un booléen ou une date.",
            "The column `{column}` is of type {found}: a whole number, a decimal, a text, a \
             boolean or a date is expected."
        ),
        Error::Kept { column, .. } => say!(
            lang,
            "La colonne à copier `{column}` porte le nom d’une colonne de la réponse : la \
             renommer, ou choisir par `--fields` des champs dont elle n’est pas.",
            "The column to copy `{column}` has the name of a column of the answer: rename it, or \
             choose with `--fields` fields that it is not among."
        ),
        Error::Plan(error) => {
            let sentence = error.sentence();

            let sentence = sentence.in_lang(lang);
            match error {
                PlanError::MissingColumn { name } => say!(
                    lang,
                    "{sentence}\nSi une colonne d’un autre nom le donne : `--map COLONNE={name}`.",
                    "{sentence}\nIf a column of another name holds it: `--map COLUMN={name}`."
                ),
                _ => sentence.to_owned(),
            }
        }
        // Errors of the libraries are in English, and are passed on as they are.
        Error::Arrow(error) => error.to_string(),
        Error::Parquet(error) => error.to_string(),
        Error::File(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// A column whose cells can be shown as texts.
pub(super) struct Shown<'a> {
    formatter: ArrayFormatter<'a>,
    array: &'a ArrayRef,
}

impl<'a> Shown<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Result<Self, Failure> {
        const OPTIONS: &FormatOptions<'static> = &FormatOptions::new();
        let formatter = ArrayFormatter::try_new(array, OPTIONS);
        Ok(Self {
            formatter: formatter?,
            array,
        })
    }

    pub(super) fn columns(batch: &'a RecordBatch, indices: &[usize]) -> Result<Vec<Self>, Failure> {
        // The indices come from the plan, which has checked them.
        indices
            .iter()
            .filter_map(|index| batch.columns().get(*index))
            .map(Self::new)
            .collect()
    }

    /// The text of a cell; empty for an absent one.
    pub(super) fn text(&self, row: usize) -> Cow<'static, str> {
        // The formatter would write an empty text for a null too, after more work.
        if self.array.is_null(row) {
            Cow::Borrowed("")
        } else {
            Cow::Owned(self.formatter.value(row).to_string())
        }
    }

    /// Whether its cells are numbers.
    pub(super) fn is_number(&self) -> bool {
        self.array.data_type().is_numeric()
    }
}

/// Decodes the dictionaries of the copied columns and of the remarks: an Arrow file holds a
/// dictionary once, while each batch may have its own. That of the versions is the same in all.
pub(super) fn without_dictionaries(
    table: RecordBatch,
    kept: usize,
) -> Result<RecordBatch, Failure> {
    let schema = table.schema();
    let decoded = |(index, field): (usize, &Arc<Field>)| match field.data_type() {
        DataType::Dictionary(_, value) if index < kept || field.name() == REMARKS.name => {
            Arc::new(Field::new(field.name(), value.as_ref().clone(), true))
        }
        _ => Arc::clone(field),
    };

    let fields: Vec<Arc<Field>> = schema.fields().iter().enumerate().map(decoded).collect();
    // Columns that are no dictionaries are cast to their own type, which costs nothing.
    let columns = table
        .columns()
        .iter()
        .zip(&fields)
        .map(|(column, field)| cast(column, field.data_type()));
    let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;

    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

/// A table of answers after the copied columns of texts.
pub(super) fn with_kept(
    names: &[String],
    cells: &Cells,
    table: RecordBatch,
) -> Result<RecordBatch, Failure> {
    let mut fields: Vec<Arc<Field>> = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    // Copied columns come first, as in CSV.
    for (index, name) in names.iter().enumerate() {
        let cell = |row| Some(cells.kept(index, row)).filter(|cell| !cell.is_empty());
        columns.push(Arc::new(
            (0..table.num_rows()).map(cell).collect::<StringArray>(),
        ));
        fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
    }

    // The columns of the answers follow.
    fields.extend(table.schema_ref().fields().iter().cloned());
    columns.extend(table.columns().iter().cloned());
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

/// The columns of answers to tables, copied ones first.
pub(super) fn schema_of_tables(bound: &Bound) -> Result<SchemaRef, Failure> {
    // The columns are those of an empty table, so that they are made in one place.
    let empty = RecordBatch::new_empty(bound.output_schema());
    Ok(without_dictionaries(empty, bound.copied_columns().len())?.schema())
}

/// The columns of answers to text rows, copied ones first.
///
/// # Errors
/// A copied column has the name of one of the answers.
pub(super) fn schema_of_text(
    names: &[String],
    plan: &Plan,
    session: &Session,
) -> Result<SchemaRef, Failure> {
    let answers = without_dictionaries(RecordBatch::new_empty(plan.output_schema()), 0)?.schema();

    if let Some(taken) = names
        .iter()
        .find(|name| answers.field_with_name(name).is_ok())
    {
        return Err(refused(
            Error::Kept {
                column: taken.clone(),
                is_taken: true,
            },
            session,
        ));
    }

    let own = names
        .iter()
        .map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    let fields: Vec<Arc<Field>> = own.chain(answers.fields().iter().cloned()).collect();
    Ok(Arc::new(Schema::new(fields)))
}
