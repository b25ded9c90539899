//! Rule sets, and calculations of one case.

use std::collections::BTreeMap;
use std::sync::Arc;

use bareme_engine::jiff::civil::Date;
use bareme_engine::law::Drafts;
use bareme_engine::law::parameter::{DATE, VERSION as LAW};
use bareme_engine::run::plan;
use bareme_engine::service::Endpoint;
use bareme_engine::{Calculation, Datum, Lang, Query};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::compiled::{Compiled, Figures, VERSION};
use crate::errors::{of_calculation, of_plan, of_rules};
use crate::inputs::{default_of, described, is_required};
use crate::load::code_of;
use crate::plan::{Asked, Plan};
use crate::{html, values};

/// A set of rules: what `load` returns. Rules of the same files are equal.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Rules {
    pub(crate) set: Arc<Compiled>,
    /// The language of errors.
    pub(crate) lang: Lang,
}

#[pymethods]
impl Rules {
    /// The version of the rules, as the service says it.
    #[getter]
    fn version(&self) -> &str {
        self.set.rules.version()
    }

    /// The hash of every file of the rules, which their bytes are checked against.
    #[getter]
    fn hash(&self) -> &str {
        &self.set.bundle.hash
    }

    /// The figures that `with_figures` set, each with its value.
    #[getter]
    fn figures(&self) -> BTreeMap<String, String> {
        self.set.variant.figures.clone()
    }

    /// Whether drafts are scales like the others.
    #[getter]
    fn drafts(&self) -> bool {
        self.set.variant.drafts == Drafts::Included
    }

    /// The version of the law by which they calculate, another being refused; `None` where `load`
    /// was given none.
    #[getter]
    fn law(&self) -> Option<&str> {
        self.set.variant.law.as_deref()
    }

    /// The language of errors: `fr` or `en`.
    #[getter]
    fn lang(&self) -> &'static str {
        code_of(self.lang)
    }

    /// The same rules with other values of some figures: a reform.
    ///
    /// They are checked like rule files. Their worked cases are left out, since these hold for the
    /// figures of the law.
    ///
    /// Parameters
    /// ----------
    /// figures : mapping of str to str, int or decimal.Decimal
    ///     Each figure by its folder and its name, as `bareme diff` and `bareme confirm` write it,
    ///     with the value as a rule file writes it: `{"ir.bareme[2].rate": "12%"}`. Rows are counted
    ///     from 1.
    /// since : datetime.date or str, optional
    ///     The scale in force on this day is changed, whole, and every later one. Today by default.
    /// until : datetime.date or str, optional
    ///     The last day of which the scale is changed.
    ///
    /// Raises
    /// ------
    /// RulesError
    ///     A figure that does not exist, or a value that rules cannot have, with its place, the cause
    ///     and the cure.
    #[pyo3(signature = (figures, /, *, since=None, until=None))]
    fn with_figures(
        &self,
        py: Python,
        figures: &Bound<PyDict>,
        since: Option<&Bound<PyAny>>,
        until: Option<&Bound<PyAny>>,
    ) -> PyResult<Self> {
        let figures = Figures {
            values: values::parameters(Some(figures), self.lang, |_| false)?,
            since: values::day(since, "since", self.lang)?,
            until: until
                .map(|day| values::day(Some(day), "until", self.lang))
                .transpose()?,
        };

        let loaded = py.detach(|| self.set.with_figures(figures, self.lang));
        Ok(Self {
            set: loaded.map_err(|failure| of_rules(py, failure, self.lang))?,
            lang: self.lang,
        })
    }

    /// The rules as bytes, for `load` in another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.set.bundle.bytes)
    }

    /// The names that `calculate` and `plan` take: those of the endpoints, then those of the
    /// folders.
    #[pyo3(name = "list")]
    fn names(&self) -> Vec<&str> {
        let rules = &self.set.rules;

        let mut names: Vec<&str> = rules
            .service()
            .endpoints
            .iter()
            .map(|endpoint| endpoint.name.as_str())
            .collect();

        for folder in rules.folders().map(|folder| folder.path()) {
            // A folder that is an endpoint of the same name is listed once.
            if !names.contains(&folder) {
                names.push(folder);
            }
        }

        names
    }

    /// The parameters of an endpoint or of a folder, beside `date` and `annee`.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     A name of `list`.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///     `nom`, `libelle`, `accepte`, `obligatoire` and `defaut` of each.
    #[pyo3(signature = (name, /))]
    fn inputs<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        // The inputs are those of a plan, which merges the folders of a family.
        let plan = self
            .set
            .rules
            .plan(name, values::today(), None)
            .map_err(|error| of_plan(&error.into(), self.lang))?;

        let mut found = Vec::new();
        // The selector of a family is no input of a method, but a required parameter of the
        // endpoint.
        if let Some((endpoint, by)) = self
            .endpoint(name)
            .and_then(|found| Some((found, found.by.as_ref()?)))
        {
            let words: Vec<&str> = self
                .set
                .rules
                .family(&endpoint.folder)
                .map(|(word, _)| word)
                .collect();
            found.push(described(py, by, None, &words.join(", "), true, None)?);
        }

        for input in plan.inputs() {
            let default = default_of(&plan, input);
            let label = Some(input.label.as_str());
            found.push(described(
                py,
                &input.name,
                label,
                &input.expected(),
                is_required(&plan, input),
                default,
            )?);
        }

        PyList::new(py, found)
    }

    /// Calculates one case: the fields of the answer, in its order.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     A name of `list`.
    /// **parameters : str, int, bool, decimal.Decimal or datetime.date
    ///     Those of `inputs`, and `date` or `annee`. A moment at midnight is a day.
    ///
    /// Returns
    /// -------
    /// dict
    ///     Its numbers are `decimal.Decimal`.
    ///
    /// Raises
    /// ------
    /// RefusedError
    ///     Every parameter that cannot be used.
    /// TypeError
    ///     A float, which holds no exact amount.
    #[pyo3(signature = (name, /, **parameters))]
    fn calculate<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parameters = self.parameters(name, parameters)?;
        values::python(py, self.calculation(py, name, &parameters)?.datum())
    }

    /// The steps of the calculation of one case, as `detail=true` of the service shows them.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     A name of `list`.
    /// **parameters : str, int, bool, decimal.Decimal or datetime.date
    ///     Those of `calculate`.
    #[pyo3(signature = (name, /, **parameters))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let parameters = self.parameters(name, parameters)?;
        let calculation = self.calculation(py, name, &parameters)?;

        let steps = calculation
            .steps()
            .map_err(|error| of_calculation(py, &error, self.lang))?;
        let steps = steps
            .iter()
            .map(|step| values::python(py, Datum::Object(step)))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, steps)
    }

    /// A plan: some fields of an endpoint or of a folder, to be computed for whole tables.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     A name of `list`.
    /// fields : sequence of str, optional
    ///     The fields of the answers. All fields of one value by default.
    /// date : datetime.date or str, optional
    ///     The day of rows without a column `date` or `annee`. Today by default.
    /// keep : sequence of str, optional
    ///     Columns that are copied to the answers, before the fields.
    /// map : mapping of str to str, optional
    ///     Columns that are parameters of another name: `{"rni": "revenu"}`.
    /// float_decimals : int, optional
    ///     Accepts columns of floats, each rounded half up to so many decimals.
    /// remarks : bool, default True
    ///     Whether the answers have the column `reserves`. Without it, scales that calculate others, as
    ///     that of a household, are computed column by column.
    ///
    /// Raises
    /// ------
    /// PlanError
    ///     An unknown name.
    #[pyo3(signature = (
        name, /, *, fields=None, date=None, keep=None, map=None, float_decimals=None, remarks=true
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the keywords of a function of Python"
    )]
    fn plan(
        &self,
        name: String,
        fields: Option<Vec<String>>,
        date: Option<&Bound<PyAny>>,
        keep: Option<Vec<String>>,
        map: Option<&Bound<PyDict>>,
        float_decimals: Option<u32>,
        remarks: bool,
    ) -> PyResult<Plan> {
        // Python gives a dictionary, whose order is that of its pairs.
        let map = map
            .map(|map| map.items().extract())
            .transpose()?
            .unwrap_or_default();

        let day = values::day(date, DATE, self.lang)?;
        let keep = keep.unwrap_or_default();

        let asked = Asked {
            name,
            fields,
            day,
            keep,
            map,
            float_decimals,
            remarks,
        };
        Plan::new(Arc::clone(&self.set), asked, self.lang)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restored = py.import("bareme._bareme")?.getattr("restored_rules")?;

        Ok((
            restored,
            (VERSION, self.to_bytes(py), self.hash(), self.lang()).into_pyobject(py)?,
        ))
    }

    fn __eq__(&self, other: &Bound<PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get().hash() == self.hash())
    }

    fn __hash__(&self) -> u64 {
        values::hash_of(self.hash())
    }

    fn __repr__(&self) -> String {
        let figures = self.set.variant.figures.iter();
        let figures: String = figures
            .map(|(name, value)| format!(", {name} = {value}"))
            .collect();
        format!("<bareme.Rules {}{figures}>", self.version())
    }

    /// The calculations that there are, as a notebook shows them.
    fn _repr_html_(&self) -> String {
        let heads = match self.lang {
            Lang::Fr => ["Nom", "Titre", "Dernière édition"],
            Lang::En => ["Name", "Title", "Last edition"],
        };

        let rows = self.names().into_iter().map(|name| {
            let folder = self
                .endpoint(name)
                .map_or(name, |endpoint| endpoint.folder.as_str());
            let folder = self.set.rules.folder(folder);
            let title = folder.map(|folder| folder.title().to_owned());
            let last = folder
                .and_then(|folder| folder.latest()?.scale())
                .map(|scale| scale.date.to_string());
            [
                name.to_owned(),
                title.unwrap_or_default(),
                last.unwrap_or_default(),
            ]
        });
        html::table(&self.__repr__(), &heads, rows)
    }
}

impl Rules {
    /// An endpoint by its name, or by the folder of its family.
    fn endpoint(&self, name: &str) -> Option<&Endpoint> {
        let endpoints = &self.set.rules.service().endpoints;

        let named = endpoints.iter().find(|endpoint| endpoint.name == name);
        // The name of a family, as `salaire-net`, is that of its folders, and calculates by its
        // selector.
        named.or_else(|| {
            endpoints
                .iter()
                .find(|endpoint| endpoint.by.is_some() && endpoint.folder == name)
        })
    }

    /// The parameters of a calculation, as a query sends them.
    fn parameters(
        &self,
        name: &str,
        given: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<(String, String)>> {
        let takes_items = |parameter: &str| {
            let plan = self.set.rules.plan(name, values::today(), None);
            let inputs = plan.as_ref().map(plan::Plan::inputs).unwrap_or_default();
            inputs
                .iter()
                .any(|input| input.name == parameter && input.most_items().is_some())
        };
        let mut parameters = values::parameters(given, self.lang, takes_items)?;
        if let Some(law) = &self.set.variant.law {
            // A caller may repeat the law of the rules, and name no other.
            parameters.retain(|(name, value)| name != LAW || value != law);
            parameters.push((LAW.to_owned(), law.clone()));
        }
        Ok(parameters)
    }

    /// Calculates a case of an endpoint or of a folder.
    fn calculation(
        &self,
        py: Python,
        name: &str,
        parameters: &[(String, String)],
    ) -> PyResult<Calculation<'_>> {
        let (rules, today) = (&self.set.rules, values::today());
        if let Some(endpoint) = self.endpoint(name) {
            return rules
                .calculate(endpoint, parameters, today)
                .map_err(|error| of_calculation(py, &error, self.lang));
        }

        let Some(folder) = rules.folder(name) else {
            return Err(self.unknown(name, today));
        };
        // A folder called by its path accepts what its endpoint ignores, as it does in the service.
        let is_of = |endpoint: &&Endpoint| {
            let inside = name.strip_prefix(&endpoint.folder);
            inside.is_some_and(|inside| {
                inside.is_empty() || (endpoint.by.is_some() && inside.starts_with('/'))
            })
        };

        let endpoint = rules.service().endpoints.iter().find(is_of);
        let ignored = endpoint
            .map(|endpoint| endpoint.ignored.as_slice())
            .unwrap_or_default();

        let query = Query::from(parameters).ignoring(ignored);
        folder
            .calculate(&query, today)
            .map_err(|error| of_calculation(py, &error, self.lang))
    }

    fn unknown(&self, name: &str, today: Date) -> PyErr {
        // A plan of an unknown name fails with the nearest one: the message is made in one place.
        let unknown = plan::PlanError::UnknownFolder {
            name: name.to_owned(),
            near: None,
        };

        of_plan(
            &self
                .set
                .rules
                .plan(name, today, None)
                .err()
                .unwrap_or(unknown)
                .into(),
            self.lang,
        )
    }
}
