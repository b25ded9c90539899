//! Rules as they are loaded, in the language of their errors.

use std::path::PathBuf;

use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use bareme_tools::NamedLaw;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::compiled::Compiled;
use crate::errors::of_rules;
use crate::rules::Rules;
use crate::values;

/// Where rules are read from.
#[derive(FromPyObject)]
pub(crate) enum Place {
    Bytes(Vec<u8>),
    Folder(PathBuf),
}

/// Where rules come from, and by which law they calculate.
enum Origin {
    Package,
    Bytes(Vec<u8>),
    Folder(PathBuf),
    Archive(PathBuf, NamedLaw),
}

/// Reads rules, checks them and runs their worked cases; those of an archive, which were checked
/// when they came into force, are read as they were.
///
/// Parameters
/// ----------
/// place : str, os.PathLike or bytes, optional
///     A folder of rules, or the bytes that `Rules.to_bytes` gave. Without it, the rules that the
///     package holds, whose cases ran when it was tested.
/// archive : str or os.PathLike, optional
///     In place of `place`: a folder of rule sets, which `bareme-server rules export` writes.
/// version : str, optional
///     The law of an earlier answer: the last set of the archive that has it. Calculations by another
///     law are refused.
/// known_on : datetime.date or str, optional
///     The set of the archive that was in service at the end of this day (UTC). With `version` too,
///     the law is one of that set.
/// drafts : bool, default False
///     Whether drafts are scales like the others, to cost a bill before it is voted. Bytes say so
///     themselves.
/// lang : {"fr", "en"}, default "fr"
///     The language of errors and reports.
///
/// Raises
/// ------
/// RulesError
///     Its text is the report of all mistakes, or says why the archive does not have the law.
#[pyfunction]
#[pyo3(signature = (
    place=None, /, *, archive=None, version=None, known_on=None, drafts=false, lang="fr"
))]
pub(crate) fn load(
    py: Python,
    place: Option<Place>,
    archive: Option<PathBuf>,
    version: Option<String>,
    known_on: Option<&Bound<PyAny>>,
    drafts: bool,
    lang: &str,
) -> PyResult<Rules> {
    let lang = language(lang)?;
    let known_on = known_on.map(|day| values::day(Some(day), "known_on", lang));
    let law = NamedLaw {
        version,
        known_on: known_on.transpose()?,
    };
    let origin = origin(place, archive, law)?;
    let drafts = if drafts {
        Drafts::Included
    } else {
        Drafts::Aside
    };

    // The interpreter's lock is released: reading and checking rules takes seconds.
    let loaded = py.detach(|| match origin {
        Origin::Package => Compiled::of_package(drafts, lang),
        Origin::Bytes(bytes) => Compiled::of_bytes(&bytes, lang),
        Origin::Folder(root) => Compiled::of_folder(&root, drafts, lang),
        Origin::Archive(folder, law) => Compiled::of_archive(&folder, law, drafts),
    });

    let set = loaded.map_err(|failure| of_rules(py, failure, lang))?;
    Ok(Rules { set, lang })
}

/// Where the arguments say that rules come from.
fn origin(place: Option<Place>, archive: Option<PathBuf>, law: NamedLaw) -> PyResult<Origin> {
    let is_named = law != NamedLaw::default();
    let reason = match (place, archive) {
        (None, Some(archive)) if is_named => return Ok(Origin::Archive(archive, law)),
        (None, Some(_)) => "archive=: version= or known_on= says which of its rule sets",
        (Some(_), Some(_)) => "a place or archive=, not both",
        (_, None) if is_named => "version=, known_on=: archive= says where the rule sets are",
        (None, None) => return Ok(Origin::Package),
        (Some(Place::Bytes(bytes)), None) => return Ok(Origin::Bytes(bytes)),
        (Some(Place::Folder(root)), None) => return Ok(Origin::Folder(root)),
    };
    Err(PyValueError::new_err(reason))
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
