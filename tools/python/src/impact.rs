//! The effect of reforms on a population.

use bareme_arrow::arrow::array::RecordBatch;
use bareme_arrow::arrow::compute::concat_batches;
use bareme_arrow::arrow::datatypes::SchemaRef;
use bareme_engine::{Lang, say};
use bareme_tools::impact::{
    ImpactAnswer, ImpactOptions, ImpactSide, ImpactTable, Population, answer,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chain::Names;
use crate::errors::{of_impact, of_plan};
use crate::plan::Plan;
use crate::tables::{Given, Origin};
use crate::threads;

/// The effect of one or several reforms: what `impact` returns.
///
/// Its tables have a first column `reform`, and the numbers of `bareme impact --format json`, to the
/// last digit. They are of the library of the population.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Impact {
    origin: Origin,
    answers: Vec<ImpactAnswer>,
}

/// One reform, or several with their names.
#[derive(FromPyObject)]
pub(crate) enum Reforms<'py> {
    One(Bound<'py, Plan>),
    Several(Bound<'py, PyDict>),
}

/// Computes the effect of a reform on a population, as `bareme impact` does.
///
/// Parameters
/// ----------
/// table : pyarrow.Table, polars.DataFrame, pandas.DataFrame or any Arrow table
///     A row for each household or employee. Columns that are no parameters are not read.
/// before : Plan
///     What computes before the reform: its rules, its endpoint of one folder, its day, its `map` and
///     its `float_decimals`. Where it has one field, that is what is measured.
/// after : Plan, or dict of str to Plan
///     What computes after it; of several reforms, each with its name.
/// weight : str, optional
///     The column of the weights.
/// by : str or sequence of str, optional
///     Columns whose values are groups, or `decile:column` (also quartile, quintile, centile).
/// unit : str, optional
///     The column of consumption units, which divide what is left of an income for the Gini
///     coefficient and poverty.
/// field : str, optional
///     The field whose change is measured. That of the plan, or of the folder, by default.
/// gain : {"more", "less"}, optional
///     What to gain is. By default more of a net or of a benefit, less of a levy.
/// poverty : str, optional
///     The poverty line: an amount, or a share of the median such as `60%`.
/// rows : bool, default False
///     Whether the table `rows` is made, with the effect on each row.
/// income : str, optional
///     The column of the income that gains are a share of. That of the calculation by default.
/// replicates : str, optional
///     The beginning of the names of the columns of replicate weights, which a number ends: gives
///     standard errors.
/// replicate_scale : Decimal or int, optional
///     By what the sum of the squared differences of the replicates is multiplied. One over their
///     number by default.
/// bootstrap : int, optional
///     The number of draws of the rows with replacement, for standard errors without replicate
///     weights.
/// seed : int, optional
///     The seed of the draws, 1 by default. The same seed gives the same errors.
/// totals_in : {"ones", "millions", "billions"}, optional
///     The unit of the totals in the report. Those of the tables are always in ones.
///
/// Returns
/// -------
/// Impact
///
/// Raises
/// ------
/// PlanError
///     Why it cannot be computed; its code is `effet`.
#[pyfunction]
#[pyo3(signature = (
    table, /, before, after, *, weight=None, by=None, unit=None, field=None, gain=None,
    poverty=None, rows=false, income=None, replicates=None, replicate_scale=None, bootstrap=None,
    seed=None, totals_in=None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the keywords of a function of Python"
)]
pub(crate) fn impact<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    before: &Bound<'py, Plan>,
    after: Reforms<'py>,
    weight: Option<String>,
    by: Option<Names>,
    unit: Option<String>,
    field: Option<String>,
    gain: Option<String>,
    poverty: Option<String>,
    rows: bool,
    income: Option<String>,
    replicates: Option<String>,
    replicate_scale: Option<Bound<'py, PyAny>>,
    bootstrap: Option<u32>,
    seed: Option<u64>,
    totals_in: Option<String>,
) -> PyResult<Impact> {
    let before = before.get();
    let lang = before.lang;

    // 1. The reforms, and the population in memory: each reform reads it again.
    let reforms = named(after, lang)?;
    let Given { origin, reader } = Given::read(table, lang)?;
    let schema = reader.schema();
    let batches = py.detach(|| reader.collect::<Result<Vec<RecordBatch>, _>>());
    let batches = batches.map_err(|error| of_plan(&error.into(), lang))?;

    // 2. What is measured.
    let own = match before.asked.fields.as_deref() {
        Some([only]) => Some(only.clone()),
        _ => None,
    };
    let by = by.map(Names::list).unwrap_or_default();
    let scale = replicate_scale.map(|scale| PyResult::Ok(scale.str()?.to_string()));
    let options = ImpactOptions {
        income,
        replicates,
        replicate_scale: scale.transpose()?,
        bootstrap,
        seed,
        totals_in,
        field: field.or(own),
        gain,
        weight,
        by,
        poverty,
        unit,
        rows,
        name: String::new(),
        lang,
    };

    // 3. The effect of each, without the interpreter's lock: other threads of Python run meanwhile.
    let mut answers = Vec::new();
    for (name, after) in &reforms {
        let options = ImpactOptions {
            name: name.clone(),
            ..options.clone()
        };
        let (after, rows) = (after.get(), (&schema, batches.as_slice()));
        let found = py.detach(|| threads::run(|| effect(before, after, rows, &options)));
        answers.push(found.map_err(of_impact)?);
    }
    Ok(Impact { origin, answers })
}

/// A side of a reform: the rules, the day and the columns of a plan.
fn side(plan: &Plan) -> ImpactSide<'_> {
    ImpactSide {
        rules: &plan.set.rules,
        day: plan.asked.day,
        map: &plan.asked.map,
    }
}

/// The reforms with their names.
fn named<'py>(reforms: Reforms<'py>, lang: Lang) -> PyResult<Vec<(String, Bound<'py, Plan>)>> {
    match reforms {
        Reforms::One(plan) => Ok(vec![(say!(lang, "réforme", "reform"), plan)]),
        Reforms::Several(plans) => {
            let mut found = Vec::new();
            for (name, plan) in plans.iter() {
                found.push((name.extract()?, plan.cast_into::<Plan>()?));
            }
            Ok(found)
        }
    }
}

fn effect(
    before: &Plan,
    after: &Plan,
    (schema, batches): (&SchemaRef, &[RecordBatch]),
    options: &ImpactOptions,
) -> Result<ImpactAnswer, String> {
    let population = Population {
        schema,
        batches,
        float_decimals: before.asked.float_decimals.or(after.asked.float_decimals),
    };

    if let Some(reason) = [before, after]
        .into_iter()
        .find_map(|plan| of_another_law(plan, options.lang))
    {
        return Err(reason);
    }

    // An endpoint of several folders has several laws.
    let mut folders = before.plan.folders();
    let (name, lang) = (&before.asked.name, options.lang);
    match (folders.next(), folders.next()) {
        (Some(folder), None) => answer(
            folder.path(),
            &side(before),
            &side(after),
            &population,
            options,
        ),
        _ => Err(say!(
            lang,
            "`{name}` a plusieurs dossiers : faire le plan d’un seul, comme `salaire-net/ci`",
            "`{name}` has several folders: make the plan of one, like `salaire-net/ci`"
        )),
    }
}

/// Why a plan cannot be a side of a reform: its rules calculate by one law, and its day has another.
fn of_another_law(plan: &Plan, lang: Lang) -> Option<String> {
    let (law, day) = (plan.set.variant.law.as_deref()?, plan.asked.day);
    let mut laws = plan
        .plan
        .folders()
        .filter_map(|folder| Some(folder.edition(day)?.version()));
    let other = laws.find(|own| *own != law)?;
    Some(say!(
        lang,
        "le droit du {day} est `{other}`, et les barèmes calculent par `{law}` : donner un jour où \
         il s’applique",
        "the law of {day} is `{other}`, and the rules calculate by `{law}`: give a day on which it \
         applies"
    ))
}

#[pymethods]
impl Impact {
    /// The totals, means, rates and inequality: a row for each reform.
    #[getter]
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, "totals")
    }

    /// The winners, the losers and the others: number, weight, share, total, mean and median.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, "parts")
    }

    /// The groups of `by`, deciles among them.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, "groups")
    }

    /// The number of rows by the size of the gain.
    #[getter]
    fn distribution<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, "distribution")
    }

    /// The figures that change, each with the text that sets it, or as one of the hypothesis.
    #[getter]
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, "figures")
    }

    /// The effect on each row, with its marginal rates and the gain as a share of its income; None
    /// without `rows=True`.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let tables = self.answers.iter().flat_map(|answer| &answer.tables);
        if tables.into_iter().all(|table| table.name != "rows") {
            return Ok(None);
        }
        self.table(py, "rows").map(Some)
    }

    /// The JSON of `bareme impact` for each reform, in order.
    #[getter]
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.answers.iter().map(|answer| &answer.json))
    }

    fn __str__(&self) -> String {
        let texts: Vec<&str> = self
            .answers
            .iter()
            .map(|answer| answer.text.as_str())
            .collect();
        texts.join("\n")
    }

    fn __repr__(&self) -> String {
        format!("<bareme.Impact of {} reforms>", self.answers.len())
    }

    /// The report, as a notebook shows it.
    fn _repr_html_(&self) -> String {
        self.answers
            .iter()
            .map(|answer| answer.html.as_str())
            .collect()
    }
}

impl Impact {
    /// A table of all reforms.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let tables = self.answers.iter().flat_map(|answer| &answer.tables);
        let of_name = tables.filter(|table: &&ImpactTable| table.name == name);
        let batches: Vec<RecordBatch> = of_name.map(|table| table.rows.clone()).collect();

        let Some(schema) = batches.first().map(RecordBatch::schema) else {
            return Ok(py.None().into_bound(py));
        };
        // Reforms of one population have the same columns, but for decimals that a scale adds.
        let whole = concat_batches(&schema, &batches);
        let whole = whole.map_err(|error| of_impact(error.to_string()))?;
        let origin = match self.origin {
            Origin::PyArrowBatch => Origin::PyArrowTable,
            other => other,
        };
        origin.table(py, schema, vec![whole])
    }
}
