//! Chains: plans whose parameters are fields of other plans, over one table.

use bareme_arrow::{Error, Feed};
use bareme_engine::Lang;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3_arrow::PySchema;

use crate::errors::of_plan;
use crate::plan::Plan;
use crate::tables::{How, compute, map_batches, schema_for};
use crate::{schema, values};

/// A plan, with the plans that compute some of its parameters first: what `Plan.after` returns.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Chain {
    chain: bareme_arrow::Chain,
    lang: Lang,
    /// Its parts, which a pickle holds.
    made: Made,
}

/// The arguments of `after`.
struct Made {
    /// The plan, or the chain, whose parameters are computed.
    before: Py<PyAny>,
    source: Py<PyAny>,
    each: Option<String>,
    give: Gives,
    months: Option<u32>,
}

/// Fields, each with the parameters that it gives.
type Gives = Vec<(String, Vec<String>)>;

/// A plan or a chain.
#[derive(FromPyObject)]
pub(crate) enum Computation<'py> {
    Plan(Bound<'py, Plan>),
    Chain(Bound<'py, Chain>),
}

/// One name, or several.
#[derive(FromPyObject)]
pub(crate) enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    pub(crate) fn list(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names,
        }
    }
}

impl Computation<'_> {
    fn chain(&self) -> bareme_arrow::Chain {
        match self {
            Self::Plan(plan) => plan.get().plan.clone().into(),
            Self::Chain(chain) => chain.get().chain.clone(),
        }
    }

    fn lang(&self) -> Lang {
        match self {
            Self::Plan(plan) => plan.get().lang,
            Self::Chain(chain) => chain.get().lang,
        }
    }

    fn object(&self) -> Py<PyAny> {
        match self {
            Self::Plan(plan) => plan.clone().into_any().unbind(),
            Self::Chain(chain) => chain.clone().into_any().unbind(),
        }
    }
}

/// The fields that a dictionary gives, in its order.
pub(crate) fn gives(give: &Bound<PyDict>) -> PyResult<Gives> {
    let one = |(field, names): (Bound<PyAny>, Bound<PyAny>)| {
        Ok((field.extract()?, names.extract::<Names>()?.list()))
    };
    give.iter().map(one).collect()
}

/// The chain of a plan, or of a chain, after another.
#[pyfunction]
#[pyo3(signature = (before, source, each, give, months))]
pub(crate) fn restored_chain(
    before: Computation,
    source: Computation,
    each: Option<String>,
    give: Gives,
    months: Option<u32>,
) -> PyResult<Chain> {
    let mut feed = Feed::of(source.chain());
    if let Some(each) = &each {
        feed = feed.each(each);
    }
    if let Some(months) = months {
        feed = feed.months(months);
    }
    for (field, parameters) in &give {
        feed = feed.gives(field, parameters);
    }

    let lang = before.lang();
    let chain = before.chain().after(feed);
    Ok(Chain {
        chain: chain.map_err(|error| of_plan(&error, lang))?,
        lang,
        made: Made {
            before: before.object(),
            source: source.object(),
            each,
            give,
            months,
        },
    })
}

#[pymethods]
impl Chain {
    /// Computes a table on every processor: a row for each of its rows, in order, with a column for
    /// the answers of each plan that is computed before.
    ///
    /// Parameters
    /// ----------
    /// table : pyarrow.Table, polars.DataFrame, pandas.DataFrame or any Arrow table
    ///     The parameters of all plans; those of each element are members of the structs of its column.
    ///
    /// Returns
    /// -------
    /// pyarrow.Table, polars.DataFrame, pandas.DataFrame or Table
    ///     As a plan returns it.
    ///
    /// Raises
    /// ------
    /// PlanError
    ///     Columns that do not fit.
    #[pyo3(signature = (table, /))]
    fn __call__<'py>(&self, table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        compute(&self.chain, table, How::Parallel, self.lang)
    }

    /// Computes the batches of an engine that has a task for each processor, as `Plan.map_batches`
    /// does.
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
        map_batches(slf.as_any(), &own.chain, batches, own.lang)
    }

    /// The same, with other parameters computed before, as `Plan.after` says.
    ///
    /// Parameters
    /// ----------
    /// source : Plan or Chain
    ///     What is computed before.
    /// each : str, optional
    ///     The column of lists of structs whose elements are its rows.
    /// give : dict of str to str or list of str
    ///     Its fields, each with the parameters that it gives.
    /// months : int, optional
    ///     Months for which an amount of a month is paid, where its parameter is per year.
    #[pyo3(signature = (source, /, *, give, each=None, months=None))]
    fn after(
        slf: Bound<Self>,
        source: Computation,
        give: &Bound<PyDict>,
        each: Option<String>,
        months: Option<u32>,
    ) -> PyResult<Self> {
        restored_chain(Computation::Chain(slf), source, each, gives(give)?, months)
    }

    /// Checks the columns of tables before any is computed, as `Plan.check` does.
    ///
    /// Parameters
    /// ----------
    /// schema : pyarrow.Schema, or any other schema of Arrow
    ///     The columns.
    #[pyo3(signature = (schema, /))]
    fn check(&self, schema: PySchema) -> PyResult<()> {
        let bound = self.chain.bind(&schema.into_inner());
        bound
            .map(drop)
            .map_err(|error: Error| of_plan(&error, self.lang))
    }

    /// The columns of the answers, after those that are kept.
    #[getter]
    fn output_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        schema_for(py, self.chain.output_schema())
    }

    /// The columns of the answers as Spark declares them, after those that are kept.
    #[getter]
    fn spark_schema(&self) -> String {
        schema::spark(&self.chain.output_schema())
    }

    fn __reduce__<'py>(
        slf: &'py Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        // The plans are pickled with their rules; a pickle holds rules that plans share once.
        let (py, made) = (slf.py(), &slf.get().made);
        let restored = py.import("bareme._bareme")?.getattr("restored_chain")?;
        let pickled = (
            &made.before,
            &made.source,
            made.each.as_deref(),
            made.give.clone(),
            made.months,
        );
        Ok((restored, pickled.into_pyobject(py)?))
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(false);
        };
        let (py, own, other) = (other.py(), &self.made, &other.get().made);
        Ok(own.each == other.each
            && own.give == other.give
            && own.months == other.months
            && own.before.bind(py).eq(&other.before)?
            && own.source.bind(py).eq(&other.source)?)
    }

    fn __hash__(&self) -> u64 {
        values::hash_of((self.chain.plan().name(), &self.made.give))
    }

    fn __repr__(&self) -> String {
        format!("<bareme.Chain of {}>", self.chain.plan().name())
    }
}
