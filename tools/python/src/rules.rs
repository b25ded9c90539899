//! Rule sets, and calculations of one case.

use std::path::PathBuf;
use std::sync::Arc;

use bareme_engine::jiff::civil::Date;
use bareme_engine::law::{Input, Presence};
use bareme_engine::run::plan;
use bareme_engine::service::Endpoint;
use bareme_engine::{Calculation, Datum, Query};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::compiled::{Compiled, VERSION};
use crate::errors::{of_calculation, of_plan, of_rules};
use crate::plan::{Asked, Plan};
use crate::values;

/// A set of rules: what `load` returns.
#[pyclass(frozen, module = "bareme")]
pub(crate) struct Rules {
    set: Arc<Compiled>,
}

/// Where rules are read from.
#[derive(FromPyObject)]
pub(crate) enum Place {
    Bytes(Vec<u8>),
    Folder(PathBuf),
}

/// Reads the rules of a folder, or of the bytes that `Rules.to_bytes` gave, checks them and runs
/// their worked cases.
#[pyfunction]
#[pyo3(signature = (place, /))]
pub(crate) fn load(py: Python, place: Place) -> PyResult<Rules> {
    // The interpreter's lock is released: reading and checking rules takes seconds.
    let loaded = py.detach(|| match &place {
        Place::Bytes(bytes) => Compiled::of_bytes(bytes),
        Place::Folder(root) => Compiled::of_folder(root),
    });

    Ok(Rules {
        set: loaded.map_err(of_rules)?,
    })
}

/// The rules of a pickle.
#[pyfunction]
pub(crate) fn restored_rules(
    py: Python,
    version: &str,
    bytes: &[u8],
    hash: &str,
) -> PyResult<Rules> {
    let loaded = py.detach(|| Compiled::of_pickle(version, bytes, hash));
    Ok(Rules {
        set: loaded.map_err(of_rules)?,
    })
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

    /// The rules as bytes, for `load` in another process.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.set.bundle.bytes)
    }

    /// The names that `calculate` and `plan` take: those of the endpoints, then those of the
    /// folders.
    fn list(&self) -> Vec<&str> {
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
    #[pyo3(signature = (name, /))]
    fn inputs<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        // The inputs are those of a plan, which merges the folders of a family.
        let plan = self
            .set
            .rules
            .plan(name, values::today(), None)
            .map_err(|error| of_plan(&error.into()))?;

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
    #[pyo3(signature = (name, /, **parameters))]
    fn calculate<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parameters = values::parameters(parameters)?;
        values::python(py, self.calculation(py, name, &parameters)?.datum())
    }

    /// The steps of the calculation of one case, as `detail=true` of the service shows them.
    #[pyo3(signature = (name, /, **parameters))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let parameters = values::parameters(parameters)?;
        let calculation = self.calculation(py, name, &parameters)?;

        let steps = calculation
            .steps()
            .map_err(|error| of_calculation(py, &error))?;
        let steps = steps
            .iter()
            .map(|step| values::python(py, Datum::Object(step)))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, steps)
    }

    /// A plan: some fields of an endpoint or of a folder, to be computed for whole tables.
    #[pyo3(signature = (
        name, /, *, fields=None, date=None, keep=None, map=None, float_decimals=None
    ))]
    fn plan(
        &self,
        name: String,
        fields: Option<Vec<String>>,
        date: Option<&Bound<PyAny>>,
        keep: Option<Vec<String>>,
        map: Option<&Bound<PyDict>>,
        float_decimals: Option<u32>,
    ) -> PyResult<Plan> {
        // Python gives a dictionary, whose order is that of its pairs.
        let map = map
            .map(|map| map.items().extract())
            .transpose()?
            .unwrap_or_default();

        let (day, keep) = (values::day(date)?, keep.unwrap_or_default());

        let asked = Asked {
            name,
            fields,
            day,
            keep,
            map,
            float_decimals,
        };
        Plan::new(Arc::clone(&self.set), asked)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restored = py.import("bareme._bareme")?.getattr("restored_rules")?;

        Ok((
            restored,
            (VERSION, self.to_bytes(py), self.hash()).into_pyobject(py)?,
        ))
    }

    fn __repr__(&self) -> String {
        format!("<bareme.Rules {}>", self.version())
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
                .map_err(|error| of_calculation(py, &error));
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
            .map_err(|error| of_calculation(py, &error))
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
        )
    }
}

/// Whether every folder of a plan requires an input.
fn is_required(plan: &plan::Plan, input: &Input) -> bool {
    // A parameter that one folder of a family does not need may be absent of a row for that folder.
    plan.folders().all(|folder| {
        let own = folder
            .inputs()
            .into_iter()
            .find(|own| own.name == input.name);
        own.is_some_and(|own| matches!(own.presence, Presence::Required))
    })
}

/// The default of an input, where all folders of a plan that have it have the same.
fn default_of(plan: &plan::Plan, input: &Input) -> Option<String> {
    // An input that only some folders have is skipped in the others.
    let mut defaults = plan.folders().filter_map(|folder| {
        let own = folder
            .inputs()
            .into_iter()
            .find(|own| own.name == input.name)?;
        Some(folder.default_of(own).map(|default| default.text))
    });

    let first = defaults.next()??;
    defaults
        .all(|other| other.as_ref() == Some(&first))
        .then_some(first)
}

fn described<'py>(
    py: Python<'py>,
    name: &str,
    label: Option<&str>,
    accepted: &str,
    is_required: bool,
    default: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("nom", name)?;
    dict.set_item("libelle", label)?;
    dict.set_item("accepte", accepted)?;
    dict.set_item("obligatoire", is_required)?;
    dict.set_item("defaut", default)?;
    Ok(dict)
}
