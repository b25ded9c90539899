//! Tables that come from other libraries, and go back to them.

use bareme_arrow::arrow::array::{RecordBatch, RecordBatchReader};
use bareme_arrow::arrow::compute::concat_batches;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_arrow::{Error, Plan};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PySchema, PyTable};
use rayon::prelude::*;

use crate::errors::of_plan;
use crate::{schema, threads};

/// Rows that are computed by one processor at a time.
const PIECE: usize = 32_768;

/// A table of answers, for any library that reads the Arrow PyCapsule interface.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Table {
    table: Py<PyTable>,
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

    fn __repr__(&self) -> String {
        format!("<bareme.Schema of {}>", self.names().join(", "))
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
enum Origin {
    PyArrowTable,
    PyArrowBatch,
    Polars,
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
            _ => Self::Other,
        })
    }
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
    plan: &Plan,
    table: &Bound<'py, PyAny>,
    how: How,
) -> PyResult<Bound<'py, PyAny>> {
    let py = table.py();

    // 1. The library of the table, whose type the answers have.
    if !is_table(table)? {
        let found = table.get_type();
        return Err(PyTypeError::new_err(format!(
            "{} is no Arrow table: give one of PyArrow, Polars (collected), DuckDB, DataFusion or \
             pandas, or any object with `__arrow_c_stream__` or `__arrow_c_array__`",
            found.name()?
        )));
    }

    let origin = Origin::detect(table)?;
    let reader = table.extract::<AnyRecordBatch>()?.into_reader()?;

    // 2. The calculation, without the interpreter's lock: other threads of Python run meanwhile.
    let computed = py.detach(|| match how {
        How::Parallel => threads::run(|| parallel(plan, reader)),
        How::Plain => plain(plan, reader),
    });

    let (schema, batches) = computed.map_err(|error| of_plan(&error))?;

    // 3. The answers, in the library of the table.
    match origin {
        Origin::PyArrowBatch => {
            let batch =
                concat_batches(&schema, &batches).map_err(|error| of_plan(&error.into()))?;
            PyRecordBatch::new(batch).into_pyarrow(py)
        }
        Origin::PyArrowTable => PyTable::try_new(batches, schema)?.into_pyarrow(py),
        Origin::Polars => {
            let table = PyTable::try_new(batches, schema)?;
            py.import("polars")?.getattr("DataFrame")?.call1((table,))
        }
        Origin::Other => {
            let table = Py::new(py, PyTable::try_new(batches, schema)?)?;
            Ok(Bound::new(py, Table { table })?.into_any())
        }
    }
}

type Computed = Result<(SchemaRef, Vec<RecordBatch>), Error>;

fn parallel(plan: &Plan, reader: Box<dyn RecordBatchReader + Send>) -> Computed {
    // Bound once: the columns of a stream are the same in all batches.
    let bound = plan.bind(&reader.schema())?;

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

fn plain(plan: &Plan, reader: Box<dyn RecordBatchReader + Send>) -> Computed {
    let bound = plan.bind(&reader.schema())?;

    let schema = schema::without_dictionaries(&bound.output_schema());
    // One batch at a time and no other thread: the engine has a task for each processor already.
    let computed = reader
        .map(|batch| schema::plain(&bound.evaluate(&batch?)?, &schema))
        .collect::<Result<_, _>>()?;

    Ok((schema, computed))
}
