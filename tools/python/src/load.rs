//! Rules as they are loaded, in the language of their errors.

use std::path::PathBuf;

use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::compiled::Compiled;
use crate::errors::of_rules;
use crate::rules::Rules;

/// Where rules are read from.
#[derive(FromPyObject)]
pub(crate) enum Place {
    Bytes(Vec<u8>),
    Folder(PathBuf),
}

/// Reads rules, checks them and runs their worked cases.
///
/// Parameters
/// ----------
/// place : str, os.PathLike or bytes, optional
///     A folder of rules, or the bytes that `Rules.to_bytes` gave. Without it, the rules that the
///     package holds, whose cases ran when it was tested.
/// drafts : bool, default False
///     Whether drafts are scales like the others, to cost a bill before it is voted. Bytes say so
///     themselves.
/// lang : {"fr", "en"}, default "fr"
///     The language of errors and reports.
///
/// Raises
/// ------
/// RulesError
///     Its text is the report of all mistakes.
#[pyfunction]
#[pyo3(signature = (place=None, /, *, drafts=false, lang="fr"))]
pub(crate) fn load(py: Python, place: Option<Place>, drafts: bool, lang: &str) -> PyResult<Rules> {
    let lang = language(lang)?;
    let drafts = if drafts {
        Drafts::Included
    } else {
        Drafts::Aside
    };

    // The interpreter's lock is released: reading and checking rules takes seconds.
    let loaded = py.detach(|| match &place {
        None => Compiled::of_package(drafts, lang),
        Some(Place::Bytes(bytes)) => Compiled::of_bytes(bytes, lang),
        Some(Place::Folder(root)) => Compiled::of_folder(root, drafts, lang),
    });

    let set = loaded.map_err(|failure| of_rules(py, failure, lang))?;
    Ok(Rules { set, lang })
}

/// A language by its code.
pub(crate) fn language(code: &str) -> PyResult<Lang> {
    match code {
        "fr" => Ok(Lang::Fr),
        "en" => Ok(Lang::En),
        other => Err(PyValueError::new_err(format!(
            "lang={other:?}: \"fr\", \"en\""
        ))),
    }
}

/// The code of a language.
pub(crate) fn code_of(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "fr",
        Lang::En => "en",
    }
}

/// The rules of a pickle.
#[pyfunction]
#[pyo3(signature = (version, bytes, hash, lang="fr"))]
pub(crate) fn restored_rules(
    py: Python,
    version: &str,
    bytes: &[u8],
    hash: &str,
    lang: &str,
) -> PyResult<Rules> {
    let lang = language(lang)?;
    let loaded = py.detach(|| Compiled::of_pickle(version, bytes, hash, lang));
    let set = loaded.map_err(|failure| of_rules(py, failure, lang))?;
    Ok(Rules { set, lang })
}
