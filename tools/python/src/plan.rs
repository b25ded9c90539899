//! Plans: fields of an endpoint or of a folder, computed for whole tables.

use std::sync::Arc;

use bareme_arrow::{Error, Options};
use bareme_engine::Lang;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::parameter::DATE;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pyo3_arrow::PySchema;

use crate::compiled::{Compiled, VERSION};
use crate::errors::{of_plan, of_rules};
use crate::load::{code_of, language};
use crate::tables::{How, compute, is_table, schema_for};
use crate::{schema, values};

/// Fields of an endpoint or of a folder, to be computed for whole tables: what `Rules.plan`
/// returns.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Plan {
    pub(crate) set: Arc<Compiled>,
    pub(crate) asked: Asked,
    pub(crate) plan: bareme_arrow::Plan,
    /// The language of errors.
    pub(crate) lang: Lang,
}

/// Arguments of a plan, beside the rules.
#[derive(PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) fields: Option<Vec<String>>,
    pub(crate) day: Date,
    pub(crate) keep: Vec<String>,
    /// Columns that are parameters of another name.
    pub(crate) map: Vec<(String, String)>,
    pub(crate) float_decimals: Option<u32>,
}

/// The plan of a pickle.
#[pyfunction]
#[pyo3(signature = (
    version, bytes, hash, name, fields, date, keep, map, float_decimals, lang="fr"
))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are all that a plan is made of"
)]
pub(crate) fn restored_plan(
    py: Python,
    version: &str,
    bytes: &[u8],
    hash: &str,
    name: String,
    fields: Option<Vec<String>>,
    date: &Bound<PyAny>,
    keep: Vec<String>,
    map: Vec<(String, String)>,
    float_decimals: Option<u32>,
    lang: &str,
) -> PyResult<Plan> {
    let lang = language(lang)?;
    // Compiling takes time: other threads of Python run meanwhile.
    let set = py
        .detach(|| Compiled::of_pickle(version, bytes, hash, lang))
        .map_err(|failure| of_rules(py, failure, lang))?;

    Plan::new(
        set,
        Asked {
            name,
            fields,
            day: values::day(Some(date), DATE, lang)?,
            keep,
            map,
            float_decimals,
        },
        lang,
    )
}

impl Plan {
    pub(crate) fn new(set: Arc<Compiled>, asked: Asked, lang: Lang) -> PyResult<Self> {
        let mut options = asked
            .fields
            .clone()
            .map_or_else(Options::default, Options::fields);

        options = options.keep(asked.keep.clone()).map(asked.map.clone());
        if let Some(decimals) = asked.float_decimals {
            options = options.rounding_floats_to(decimals);
        }
        if let Some(law) = &set.variant.law {
            options = options.by_law(law.as_str());
        }

        let plan = bareme_arrow::Plan::new(&set.rules, &asked.name, asked.day, &options);
        let plan = plan.map_err(|error| of_plan(&error, lang))?;
        Ok(Self {
            set,
            asked,
            plan,
            lang,
        })
    }
}

#[pymethods]
impl Plan {
    /// Computes a table on every processor: a row for each of its rows, in order. A row that a
    /// calculation would refuse has no values and says why.
    ///
    /// Parameters
    /// ----------
    /// table : pyarrow.Table, polars.DataFrame, pandas.DataFrame or any Arrow table
    ///     Its columns are parameters by their names. A column of moments at midnight is one of days.
    ///
    /// Returns
    /// -------
    /// pyarrow.Table, polars.DataFrame, pandas.DataFrame or Table
    ///     Of the library that the table is of, with the index that a frame of pandas has; of another
    ///     library a `Table`.
    ///
    /// Raises
    /// ------
    /// PlanError
    ///     Columns that do not fit the plan.
    #[pyo3(signature = (table, /))]
    fn __call__<'py>(&self, table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        compute(&self.plan, table, How::Parallel, self.lang)
    }

    /// Computes the batches of an engine that has a task for each processor: each on the thread
    /// that asks for it, with texts where `plan(table)` gives dictionaries. Takes an iterator of
    /// batches, as `mapInArrow` of Spark gives, or one table, as `map_batches` of Ray does.
    ///
    /// Parameters
    /// ----------
    /// batches : iterator of batches, or a table
    ///     What the engine gives.
    #[pyo3(signature = (batches, /))]
    fn map_batches<'py>(
        slf: &Bound<'py, Self>,
        batches: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Ray gives one table, Spark an iterator of batches.
        if is_table(batches)? {
            return compute(&slf.get().plan, batches, How::Plain, slf.get().lang);
        }

        let own = slf.get();
        if own.plan.kernel().has_years() {
            return Err(of_plan(&Error::Batches, own.lang));
        }

        // A lazy `map` of Python, so that one batch at a time is in memory.
        slf.py()
            .import("builtins")?
            .getattr("map")?
            .call1((slf.getattr("map_batches")?, batches))
    }

    /// Checks the columns of tables before any is computed, as on the driver of a cluster.
    ///
    /// Parameters
    /// ----------
    /// schema : pyarrow.Schema, or any other schema of Arrow
    ///     The columns.
    ///
    /// Raises
    /// ------
    /// PlanError
    ///     Columns that do not fit the plan.
    #[pyo3(signature = (schema, /))]
    fn check(&self, schema: PySchema) -> PyResult<()> {
        let bound = self.plan.bind(&schema.into_inner());
        bound.map(drop).map_err(|error| of_plan(&error, self.lang))
    }

    /// The columns that a table may have, each with the type that is read quickest; those that are
    /// not nullable are required.
    #[getter]
    fn input_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        schema_for(py, Arc::new(self.plan.input_schema()))
    }

    /// The columns of the answers, after those that are kept.
    #[getter]
    fn output_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        schema_for(py, self.plan.output_schema())
    }

    /// The columns of the answers as Spark declares them, after those that are kept.
    #[getter]
    fn spark_schema(&self) -> String {
        schema::spark(&self.plan.output_schema())
    }

    /// The name of the endpoint or of the folder.
    #[getter]
    fn name(&self) -> &str {
        &self.asked.name
    }

    /// The day of rows that say none, `2026-03-31`.
    #[getter]
    fn date(&self) -> String {
        self.asked.day.to_string()
    }

    /// The hash of the rules.
    #[getter]
    fn hash(&self) -> &str {
        &self.set.bundle.hash
    }

    fn __reduce__<'py>(
        slf: &'py Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        // A plan is sent to workers as the rules with their hash and the arguments: it is compiled
        // again there, once a process, rather than written out.
        let (py, Self { set, asked, .. }) = (slf.py(), slf.get());

        let restored = py.import("bareme._bareme")?.getattr("restored_plan")?;
        // The order is that of the parameters of `restored_plan`.
        let pickled = (
            VERSION,
            PyBytes::new(py, &set.bundle.bytes),
            set.bundle.hash.as_str(),
            asked.name.as_str(),
            asked.fields.as_deref(),
            asked.day.to_string(),
            asked.keep.as_slice(),
            asked.map.as_slice(),
            asked.float_decimals,
            code_of(slf.get().lang),
        );

        Ok((restored, pickled.into_pyobject(py)?))
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            other.hash() == self.hash() && other.asked == self.asked
        })
    }

    fn __hash__(&self) -> u64 {
        values::hash_of((self.hash(), self.name(), self.asked.day.to_string()))
    }

    fn __repr__(&self) -> String {
        format!(
            "<bareme.Plan of {} on {}, rules {}>",
            self.asked.name,
            self.asked.day,
            self.set.rules.version()
        )
    }
}
