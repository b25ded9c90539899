//! Plans: fields of an endpoint or of a folder, computed for whole tables.

use std::sync::Arc;

use bareme_arrow::Options;
use bareme_engine::Lang;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::parameter::DATE;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use pyo3_arrow::PySchema;

use crate::chain::{Chain, Computation, gives, restored_chain};
use crate::compiled::{Compiled, VERSION};
use crate::errors::{of_plan, of_rules};
use crate::load::{code_of, language};
use crate::tables::{How, compute, map_batches, schema_for};
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
    /// Whether the answers have the remarks on the figures used.
    pub(crate) remarks: bool,
}

/// The plan of a pickle.
#[pyfunction]
#[pyo3(signature = (
    version, bytes, hash, name, fields, date, keep, map, float_decimals, lang="fr", remarks=true
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
    remarks: bool,
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
            remarks,
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
        if !asked.remarks {
            options = options.without_remarks();
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

    /// The plan alone, as a chain of nothing else.
    fn chain(&self) -> bareme_arrow::Chain {
        self.plan.clone().into()
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
        compute(&self.chain(), table, How::Parallel, self.lang)
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
        let own = slf.get();
        map_batches(slf.as_any(), &own.chain(), batches, own.lang)
    }

    /// A chain: this plan, with some of its parameters computed before by another plan or chain,
    /// over one table.
    ///
    /// Parameters
    /// ----------
    /// source : Plan or Chain
    ///     What is computed before. Its answers are a column of those of the chain.
    /// give : dict of str to str or list of str
    ///     Its fields, each with the parameter of this plan that it gives. With `each`, a list has the
    ///     parameter of each element, and a single parameter that has a value for each item of a group
    ///     takes those of all elements.
    /// each : str, optional
    ///     The column of lists of structs whose elements are its rows: the persons of a household.
    ///     Otherwise its rows are those of the table.
    /// months : int, optional
    ///     Months for which an amount of a month is paid, where its parameter is an amount per year.
    ///
    /// Returns
    /// -------
    /// Chain
    ///
    /// Raises
    /// ------
    /// PlanError
    ///     Everything that does not fit: names, types, currencies, words, periods.
    #[pyo3(signature = (source, /, *, give, each=None, months=None))]
    fn after(
        slf: Bound<Self>,
        source: Computation,
        give: &Bound<PyDict>,
        each: Option<String>,
        months: Option<u32>,
    ) -> PyResult<Chain> {
        restored_chain(Computation::Plan(slf), source, each, gives(give)?, months)
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
            asked.remarks,
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
