//! The parameters of an endpoint, as `Rules.inputs` lists them.

use bareme_engine::law::{Input, Presence};
use bareme_engine::run::plan;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Whether every folder of a plan requires an input.
pub(crate) fn is_required(plan: &plan::Plan, input: &Input) -> bool {
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
pub(crate) fn default_of(plan: &plan::Plan, input: &Input) -> Option<String> {
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

pub(crate) fn described<'py>(
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
