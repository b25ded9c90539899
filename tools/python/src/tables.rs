//! Tables that come from other libraries, and go back to them.

use bareme_arrow::arrow::array::{RecordBatch, RecordBatchReader};
use bareme_arrow::arrow::compute::concat_batches;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::arrow::error::ArrowError;
use bareme_arrow::arrow::util::display::array_value_to_string;
use bareme_arrow::{Chain, Error};
use bareme_engine::{Lang, say};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PySchema, PyTable};
use rayon::prelude::*;

use crate::errors::of_plan;
use crate::{html, schema, threads, values};

/// Rows that are computed by one processor at a time.
const PIECE: usize = 32_768;

/// A table of answers, for any library that reads the Arrow PyCapsule interface.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Table {
    table: Py<PyTable>,
    schema: SchemaRef,
}

#[pymethods]
impl Table {
    /// The table as a stream of batches.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.table
            .bind(py)
            .call_method1("__arrow_c_stream__", (requested_schema,))
    }

    /// The columns of the table.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table.bind(py).call_method0("__arrow_c_schema__")
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.table
            .get()
            .batches()
            .iter()
            .map(RecordBatch::num_rows)
            .sum()
    }

    fn __repr__(&self) -> String {
        format!("<bareme.Table of {} rows>", self.__len__())
    }

    /// The first rows, as a notebook shows them.
    fn _repr_html_(&self) -> PyResult<String> {
        let table = self.table.get();
        let heads = self.schema.fields().iter();
        let heads: Vec<&String> = heads.map(|field| field.name()).collect();

        let mut rows = Vec::new();
        for batch in table.batches() {
            let left = SHOWN.saturating_sub(rows.len()).min(batch.num_rows());
            rows.extend(texts(&batch.slice(0, left)).map_err(|error| of_arrow(&error))?);
        }
        Ok(html::table(&self.__repr__(), &heads, rows))
    }
}

/// The columns of a table, for any library that reads the Arrow PyCapsule interface.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Schema {
    schema: SchemaRef,
}

#[pymethods]
impl Schema {
    /// The columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(pyo3_arrow::ffi::to_schema_pycapsule(
            py,
            self.schema.as_ref(),
        )?)
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect()
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get().schema == self.schema)
    }

    fn __hash__(&self) -> u64 {
        values::hash_of(self.names())
    }

    fn __repr__(&self) -> String {
        format!("<bareme.Schema of {}>", self.names().join(", "))
    }

    /// The columns with their types, as a notebook shows them.
    fn _repr_html_(&self) -> String {
        let rows = self.schema.fields().iter().map(|field| {
            let null = if field.is_nullable() { "" } else { "not null" };
            [
                field.name().clone(),
                field.data_type().to_string(),
                null.to_owned(),
            ]
        });
        html::table("bareme.Schema", &["name", "type", ""], rows)
    }
}

/// A schema for Python: that of PyArrow where it is installed.
pub(crate) fn schema_for(py: Python, schema: SchemaRef) -> PyResult<Bound<PyAny>> {
    if py.import("pyarrow").is_ok() {
        return PySchema::new(schema).into_pyarrow(py);
    }
    Ok(Bound::new(py, Schema { schema })?.into_any())
}

/// The library that a table is of, to which the answers go back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    PyArrowTable,
    PyArrowBatch,
    Polars,
    Pandas,
    Other,
}

impl Origin {
    fn detect(table: &Bound<PyAny>) -> PyResult<Self> {
        let found = table.get_type();
        // By name, since importing the libraries to compare types would load those that are not
        // used.
        let (module, name) = (found.module()?.to_string(), found.name()?.to_string());
        Ok(match module.split('.').next() {
            Some("pyarrow") if name == "RecordBatch" => Self::PyArrowBatch,
            Some("pyarrow") => Self::PyArrowTable,
            Some("polars") => Self::Polars,
            // A frame of pandas goes through PyArrow, as its own Arrow interface does.
            Some("pandas") if table.py().import("pyarrow").is_ok() => Self::Pandas,
            _ => Self::Other,
        })
    }

    /// A table of the library.
    pub(crate) fn table<'py>(
        self,
        py: Python<'py>,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::PyArrowBatch => {
                let batch = concat_batches(&schema, &batches).map_err(|error| of_arrow(&error))?;
                PyRecordBatch::new(batch).into_pyarrow(py)
            }
            Self::PyArrowTable => PyTable::try_new(batches, schema)?.into_pyarrow(py),
            Self::Polars => {
                let table = PyTable::try_new(batches, schema)?;
                py.import("polars")?.getattr("DataFrame")?.call1((table,))
            }
            Self::Pandas => {
                let table = PyTable::try_new(batches, schema)?.into_pyarrow(py)?;
                // The types of Arrow, since those of NumPy have no decimals.
                let options = PyDict::new(py);
                options.set_item("types_mapper", py.import("pandas")?.getattr("ArrowDtype")?)?;
                table.call_method("to_pandas", (), Some(&options))
            }
            Self::Other => {
                let table = PyTable::try_new(batches, SchemaRef::clone(&schema))?;
                let table = Py::new(py, table)?;
                Ok(Bound::new(py, Table { table, schema })?.into_any())
            }
        }
    }
}

/// The rows of a table, with its library.
pub(crate) struct Given {
    pub(crate) origin: Origin,
    pub(crate) reader: Box<dyn RecordBatchReader + Send>,
}

impl Given {
    /// Reads a table of Python.
    pub(crate) fn read(table: &Bound<PyAny>, lang: Lang) -> PyResult<Self> {
        if !is_table(table)? {
            let found = table.get_type();
            let found = found.name()?;
            return Err(PyTypeError::new_err(say!(
                lang,
                "{found} n’est pas une table Arrow : en donner une de PyArrow, Polars (`collect`), \
                 DuckDB, DataFusion ou pandas, ou tout objet qui a `__arrow_c_stream__` ou \
                 `__arrow_c_array__`",
                "{found} is no Arrow table: give one of PyArrow, Polars (collected), DuckDB, \
                 DataFusion or pandas, or any object with `__arrow_c_stream__` or \
                 `__arrow_c_array__`"
            )));
        }

        let origin = Origin::detect(table)?;
        let rows = match origin {
            // The index of a frame is no column: it is put back on the answers.
            Origin::Pandas => {
                let options = PyDict::new(table.py());
                options.set_item("preserve_index", false)?;
                let kind = table.py().import("pyarrow")?.getattr("Table")?;
                kind.call_method("from_pandas", (table,), Some(&options))?
            }
            _ => table.clone(),
        };
        Ok(Self {
            origin,
            reader: rows.extract::<AnyRecordBatch>()?.into_reader()?,
        })
    }
}

/// Rows that a notebook shows of a table.
const SHOWN: usize = 10;

/// The values of a batch as texts, row by row.
fn texts(batch: &RecordBatch) -> Result<Vec<Vec<String>>, ArrowError> {
    let row = |row| {
        let columns = batch.columns().iter();
        columns
            .map(|column| array_value_to_string(column, row))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

fn of_arrow(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Whether an object is a table that can be read.
pub(crate) fn is_table(object: &Bound<PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")?)
}

/// Mode in which a table is computed.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// On every processor.
    Parallel,
    /// On the thread that asks, for engines that have a task for each processor; dictionaries
    /// become what they hold.
    Plain,
}

/// Computes a table; the answers are of the library that it came from.
pub(crate) fn compute<'py>(
    chain: &Chain,
    table: &Bound<'py, PyAny>,
    how: How,
    lang: Lang,
) -> PyResult<Bound<'py, PyAny>> {
    let py = table.py();
    let Given { origin, reader } = Given::read(table, lang)?;

    // The interpreter's lock is released: other threads of Python run meanwhile.
    let computed = py.detach(|| match how {
        How::Parallel => threads::run(|| parallel(chain, reader)),
        How::Plain => plain(chain, reader),
    });
    let (schema, batches) = computed.map_err(|error| of_plan(&error, lang))?;

    let answers = origin.table(py, schema, batches)?;
    if origin == Origin::Pandas {
        answers.setattr("index", table.getattr("index")?)?;
    }
    Ok(answers)
}

/// Computes the batches of an engine that has a task for each processor, by a method `map_batches`
/// of `own`: those of Spark, an iterator, one at a time; that of Ray, a table, as it is.
pub(crate) fn map_batches<'py>(
    own: &Bound<'py, PyAny>,
    chain: &Chain,
    batches: &Bound<'py, PyAny>,
    lang: Lang,
) -> PyResult<Bound<'py, PyAny>> {
    if is_table(batches)? {
        return compute(chain, batches, How::Plain, lang);
    }
    if chain.has_years() {
        return Err(of_plan(&Error::Batches, lang));
    }

    // A lazy `map` of Python, so that one batch at a time is in memory.
    own.py()
        .import("builtins")?
        .getattr("map")?
        .call1((own.getattr("map_batches")?, batches))
}

type Computed = Result<(SchemaRef, Vec<RecordBatch>), Error>;

/// All batches as one.
fn in_one(reader: Box<dyn RecordBatchReader + Send>) -> Result<RecordBatch, Error> {
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(&schema, &batches)?)
}

fn parallel(chain: &Chain, reader: Box<dyn RecordBatchReader + Send>) -> Computed {
    // Bound once: the columns of a stream are the same in all batches.
    let bound = chain.bind(&reader.schema())?;

    // The months of a year may be in any batch; years are spread over the processors in the engine.
    if chain.has_years() {
        let answers = bound.evaluate(&in_one(reader)?)?;
        return Ok((bound.output_schema(), vec![answers]));
    }

    let mut pieces = Vec::new();
    // Slices share the memory of their batch.
    for batch in reader {
        let batch = batch?;
        let starts = (0..batch.num_rows()).step_by(PIECE);
        pieces.extend(starts.map(|start| batch.slice(start, PIECE.min(batch.num_rows() - start))));
    }

    // The order of the pieces is kept: rows of the answer are in the order of those of the table.
    let computed = pieces
        .into_par_iter()
        .map(|piece| bound.evaluate(&piece))
        .collect::<Result<_, _>>()?;

    Ok((bound.output_schema(), computed))
}

fn plain(chain: &Chain, reader: Box<dyn RecordBatchReader + Send>) -> Computed {
    let bound = chain.bind(&reader.schema())?;

    let schema = schema::without_dictionaries(&bound.output_schema());
    if chain.has_years() {
        let answers = schema::plain(&bound.evaluate(&in_one(reader)?)?, &schema)?;
        return Ok((schema, vec![answers]));
    }

    // One batch at a time and no other thread: the engine has a task for each processor already.
    let computed = reader
        .map(|batch| schema::plain(&bound.evaluate(&batch?)?, &schema))
        .collect::<Result<_, _>>()?;

    Ok((schema, computed))
}
