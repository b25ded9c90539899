//! The exceptions of the package, whose classes are written in Python.

use bareme_engine::CalculationError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::compiled::{Failure, VERSION};

pyo3::import_exception!(bareme.errors, InternalError);
pyo3::import_exception!(bareme.errors, PlanError);
pyo3::import_exception!(bareme.errors, RefusedError);
pyo3::import_exception!(bareme.errors, RulesError);

/// The exception of rules that cannot be used.
pub(crate) fn of_rules(failure: Failure) -> PyErr {
    let (message, code) = match failure {
        Failure::Report(report) => (report, "regles"),
        Failure::Bundle(reason) => (
            format!("these bytes are no bundle of rules: {reason}"),
            "paquet",
        ),
        Failure::Hash { stated, found } => (
            format!("these are other rules: the hash of the bytes is {found}, not {stated}"),
            "empreinte",
        ),
        Failure::Version { stated } => (
            format!(
                "bareme {stated} pickled this, and here is bareme {VERSION}: install the same \
                 version"
            ),
            "version",
        ),
    };
    RulesError::new_err((message, code))
}

/// The exception of a plan that cannot be made, or of a table that cannot be computed.
pub(crate) fn of_plan(error: &bareme_arrow::Error) -> PyErr {
    PlanError::new_err((error.to_string(), error.code()))
}

/// The exception of a calculation.
pub(crate) fn of_calculation(py: Python, error: &CalculationError) -> PyErr {
    // The codes are those of the service, so that programs handle both in the same way.
    let refusal = match error {
        CalculationError::Internal(fault) => {
            return InternalError::new_err((fault.to_string(), "erreur_interne"));
        }
        CalculationError::Refused(refusal) => refusal,
    };

    let parameters = refusal.parameters.iter().map(|bad| {
        let dict = PyDict::new(py);
        dict.set_item("nom", &bad.name)?;
        dict.set_item("code", bad.code.as_str())?;
        dict.set_item("message", &bad.reason.fr)?;
        dict.set_item("recu", bad.received.as_deref())?;
        dict.set_item("accepte", &bad.expected.fr)?;
        Ok(dict)
    });

    // An exception has one code: that of the first parameter; the others have theirs in the list.
    let first = refusal
        .parameters
        .first()
        .map_or("inconnu", |bad| bad.code.as_str());

    match parameters
        .collect::<PyResult<Vec<_>>>()
        .and_then(|parameters| PyList::new(py, parameters))
    {
        // An exception of Python itself, as when its memory is exhausted, is the one to raise.
        Ok(list) => RefusedError::new_err((refusal.to_string(), first, list.unbind())),
        Err(error) => error,
    }
}
