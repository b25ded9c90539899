//! The exceptions of the package, whose classes are written in Python.

use bareme_engine::{CalculationError, Diagnostic, Lang, Refusal, say};
use bareme_tools::ArchiveError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::compiled::{Failure, VERSION};

pyo3::import_exception!(bareme.errors, InternalError);
pyo3::import_exception!(bareme.errors, PlanError);
pyo3::import_exception!(bareme.errors, RefusedError);
pyo3::import_exception!(bareme.errors, RulesError);

/// The exception of rules that cannot be used.
pub(crate) fn of_rules(py: Python, failure: Failure, lang: Lang) -> PyErr {
    let (message, code, mistakes) = match failure {
        Failure::Report { text, mistakes } => (text, "regles", mistakes),
        Failure::Bundle(reason) => (
            say!(
                lang,
                "ces octets ne sont pas des barèmes : {reason}",
                "these bytes are no bundle of rules: {reason}"
            ),
            "paquet",
            Vec::new(),
        ),
        Failure::Hash { stated, found } => (
            say!(
                lang,
                "ce sont d’autres barèmes : l’empreinte des octets est {found}, et non {stated}",
                "these are other rules: the hash of the bytes is {found}, not {stated}"
            ),
            "empreinte",
            Vec::new(),
        ),
        Failure::Version { stated } => (
            say!(
                lang,
                "écrit par bareme {stated}, lu par bareme {VERSION} : installer la même version",
                "bareme {stated} pickled this, and here is bareme {VERSION}: install the same \
                 version"
            ),
            "version",
            Vec::new(),
        ),
        Failure::Hypothesis(error) => (error.message, error.code, error.mistakes),
        Failure::Archive(error) => {
            let code = match error {
                ArchiveError::Unreadable(..)
                | ArchiveError::Empty(..)
                | ArchiveError::Damaged(..) => "archive",
                ArchiveError::Unknown { .. } | ArchiveError::NotKept { .. } => "version_inconnue",
            };
            (error.text(lang), code, Vec::new())
        }
    };

    let mistakes = mistakes.iter().map(|error| mistake(py, error, lang));
    match mistakes
        .collect::<PyResult<Vec<_>>>()
        .and_then(|mistakes| PyList::new(py, mistakes))
    {
        Ok(mistakes) => RulesError::new_err((message, code, mistakes.unbind())),
        // An exception of Python itself, as when its memory is exhausted, is the one to raise.
        Err(error) => error,
    }
}

/// A mistake of a rule file for programs.
fn mistake<'py>(py: Python<'py>, error: &Diagnostic, lang: Lang) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("code", error.code())?;
    dict.set_item("fichier", error.file())?;
    dict.set_item("ligne", error.line())?;
    dict.set_item("colonne", error.column())?;
    dict.set_item("message", error.message(lang))?;
    dict.set_item("remede", error.cure(lang))?;
    Ok(dict)
}

/// The exception of a plan that cannot be made, or of a table that cannot be computed.
pub(crate) fn of_plan(error: &bareme_arrow::Error, lang: Lang) -> PyErr {
    PlanError::new_err((error.message(lang), error.code()))
}

/// The exception of a reform that cannot be costed.
pub(crate) fn of_impact(reason: String) -> PyErr {
    PlanError::new_err((reason, "effet"))
}

/// The exception of a calculation.
pub(crate) fn of_calculation(py: Python, error: &CalculationError, lang: Lang) -> PyErr {
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
        dict.set_item("message", bad.reason.in_lang(lang))?;
        dict.set_item("recu", bad.received.as_deref())?;
        dict.set_item("accepte", bad.expected.in_lang(lang))?;
        Ok(dict)
    });

    // An exception has one code: that of the first parameter; the others have theirs in the list.
    let first = refusal
        .parameters
        .first()
        .map_or("inconnu", |bad| bad.code.as_str());
    let message = match lang {
        Lang::Fr => refusal.to_string(),
        Lang::En => in_english(refusal),
    };

    match parameters
        .collect::<PyResult<Vec<_>>>()
        .and_then(|parameters| PyList::new(py, parameters))
    {
        Ok(list) => RefusedError::new_err((message, first, list.unbind())),
        Err(error) => error,
    }
}

fn in_english(refusal: &Refusal) -> String {
    let parameters = refusal.parameters.iter().map(|bad| {
        let received = bad.received.as_deref();
        let received = received.map(|text| format!(" (received: {text})"));
        format!(
            "{}: {}{}",
            bad.name,
            bad.reason.en,
            received.unwrap_or_default()
        )
    });
    parameters.collect::<Vec<_>>().join("; ")
}
