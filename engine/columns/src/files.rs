//! Files of tables: Parquet and Arrow, read and written a batch at a time.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::error::Error;
use crate::lengths::{check_arrow, check_parquet};
use crate::stream::Stream;

/// Rows of a row group of Parquet, which stays in memory until it is written.
const ROW_GROUP: usize = 131_072;

/// The format of a file of tables.
///
/// ```
/// use bareme_arrow::Format;
///
/// assert_eq!(Format::from_path("paie.parquet".as_ref()), Some(Format::Parquet));
/// assert_eq!(Format::from_path("paie.csv".as_ref()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Parquet.
    Parquet,
    /// The file format of Arrow IPC, also called Feather.
    Arrow,
    /// The stream format of Arrow IPC.
    ArrowStream,
}

impl Format {
    /// Every format, with the extensions of its files; the first is its name.
    pub const ALL: [(Self, &'static [&'static str]); 3] = [
        (Self::Parquet, &["parquet", "pq"]),
        (Self::Arrow, &["arrow", "feather", "ipc"]),
        (Self::ArrowStream, &["arrows"]),
    ];

    /// The format of a file, by the extension of its name.
    pub fn from_path(path: &Path) -> Option<Self> {
        // File systems that ignore case also have `PAIE.PARQUET`.
        Self::named(&path.extension()?.to_str()?.to_ascii_lowercase())
    }

    /// The format of an extension or a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, endings)| endings.contains(&name))
            .map(|(format, _)| *format)
    }
}

/// A file of tables to read, one batch at a time.
///
/// ```
/// use std::sync::Arc;
///
/// use bareme_arrow::arrow::array::{Int64Array, RecordBatch};
/// use bareme_arrow::{Format, Sink, Source};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("foyers.parquet");
/// let incomes = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("revenu", incomes as _)])?;
/// let mut sink = Sink::new(std::fs::File::create(&path)?, batch.schema(), Format::Parquet)?;
/// sink.write(&batch)?;
/// sink.finish()?;
/// let source = Source::open(&path, Format::Parquet, 2)?;
/// assert_eq!(source.rows(), Some(3));
/// let lengths = source.map(|batch| batch.map(|batch| batch.num_rows()));
/// let lengths: Vec<usize> = lengths.collect::<Result<_, _>>()?;
/// assert_eq!(lengths, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Source {
    schema: SchemaRef,
    rows: Option<u64>,
    /// `None` after an error.
    batches: Option<Box<dyn Iterator<Item = Result<RecordBatch, Error>> + Send>>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter
            .debug_struct("Source")
            .field("schema", &self.schema)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file, to be read in batches of `batch` rows where its format allows a choice.
    ///
    /// # Errors
    /// A file that cannot be read, or is truncated.
    pub fn open(path: &Path, format: Format, batch: usize) -> Result<Self, Error> {
        Self::open_columns(path, format, batch, |_| true)
    }

    /// Opens a file as [`open`](Self::open) does, for some of its columns by their names: of a
    /// Parquet file, the others are not decoded. The formats of Arrow keep all of theirs.
    ///
    /// # Errors
    /// A file that cannot be read, or is truncated.
    pub fn open_columns(
        path: &Path,
        format: Format,
        batch: usize,
        is_read: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let file = File::open(path)?;
        match format {
            Format::Parquet => guarded(|| {
                // The size comes from the file itself, since the lengths that it states are checked
                // against it.
                // The libraries allocate what a file states: its lengths are checked first.
                let size = file.metadata()?.len();
                let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
                check_parquet(builder.metadata(), size)?;

                let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
                let fields = builder.schema().fields().iter().enumerate();
                let read = fields.filter(|(_, field)| is_read(field.name()));
                let read = read.map(|(index, _)| index);
                let mask = ProjectionMask::roots(builder.parquet_schema(), read);
                let reader = builder
                    .with_batch_size(batch)
                    .with_projection(mask)
                    .build()?;
                let schema = arrow::array::RecordBatchReader::schema(&reader);

                Ok(Self {
                    schema,
                    rows,
                    batches: Some(Box::new(reader.map(|batch| Ok(batch?)))),
                })
            }),
            Format::Arrow => guarded(|| {
                check_arrow(&file)?;
                let reader = FileReader::try_new_buffered(file, None)?;

                let schema = reader.schema();
                Ok(Self {
                    schema,
                    rows: None,
                    batches: Some(Box::new(reader.map(|batch| Ok(batch?)))),
                })
            }),
            // A stream has no footer to check: it is decoded as it comes.
            Format::ArrowStream => Self::stream(BufReader::new(file)),
        }
    }

    /// Reads a stream of Arrow IPC, such as the standard input.
    ///
    /// # Errors
    /// A stream that cannot be read, or is truncated.
    pub fn stream(stream: impl Read + Send + 'static) -> Result<Self, Error> {
        let mut stream = guarded(|| Stream::open(Box::new(stream)))?;
        let schema = SchemaRef::clone(&stream.schema);
        let batches = std::iter::from_fn(move || stream.next_batch().transpose());

        Ok(Self {
            schema,
            rows: None,
            batches: Some(Box::new(batches)),
        })
    }

    /// The columns of the file.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows, where the format tells it in advance.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }
}

impl Iterator for Source {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = self.batches.as_mut()?;
        let next = guarded(|| batches.next().transpose());
        // After an error the reader is in no state to go on from.
        if next.is_err() {
            self.batches = None;
        }

        next.transpose()
    }
}

/// Reads with the Arrow or the Parquet library, which panic on some malformed files: such a file is
/// refused like the others.
fn guarded<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // The reader is dropped after a panic, and nothing else is shared with it.
    panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panicked| {
        let text = panicked.downcast_ref::<String>().map(String::as_str);
        // `panic!` with a format has a `String`, without one a `&str`.
        let text = text
            .or_else(|| panicked.downcast_ref::<&str>().copied())
            .unwrap_or_default();

        Err(Error::Malformed(text.to_owned()))
    })
}

/// A file of tables to write, one batch at a time.
///
/// [`Source`] has an example.
pub struct Sink<W: Write + Send> {
    schema: SchemaRef,
    writer: Writer<W>,
}

enum Writer<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(FileWriter<W>),
    ArrowStream(StreamWriter<W>),
}

impl<W: Write + Send> std::fmt::Debug for Sink<W> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter
            .debug_struct("Sink")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl<W: Write + Send> Sink<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// A schema that the format cannot represent, or a writer that fails.
    pub fn new(file: W, schema: SchemaRef, format: Format) -> Result<Self, Error> {
        let writer = match format {
            Format::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    // A row group is held in memory until it is full.
                    .set_max_row_group_row_count(Some(ROW_GROUP))
                    .build();

                let writer =
                    ArrowWriter::try_new(file, SchemaRef::clone(&schema), Some(properties))?;
                Writer::Parquet(Box::new(writer))
            }
            Format::Arrow => Writer::Arrow(FileWriter::try_new(file, &schema)?),
            Format::ArrowStream => Writer::ArrowStream(StreamWriter::try_new(file, &schema)?),
        };

        Ok(Self { schema, writer })
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// A batch with another schema, or a writer that fails.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match &mut self.writer {
            Writer::Parquet(writer) => writer.write(batch)?,
            Writer::Arrow(writer) => writer.write(batch)?,
            Writer::ArrowStream(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    /// Writes the end of the file, without which it cannot be read.
    ///
    /// # Errors
    /// A writer that fails.
    pub fn finish(self) -> Result<(), Error> {
        match self.writer {
            // The footer comes last: without it a reader finds no column.
            Writer::Parquet(writer) => drop(writer.close()?),
            Writer::Arrow(mut writer) => writer.finish()?,
            Writer::ArrowStream(mut writer) => writer.finish()?,
        }
        Ok(())
    }
}
