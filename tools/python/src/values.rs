//! Values of Python as parameters, and values of answers as those of Python.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use bareme_engine::jiff::civil::Date;
use bareme_engine::jiff::{Timestamp, tz::TimeZone};
use bareme_engine::law::VALUE_SEPARATOR;
use bareme_engine::{Datum, Lang, say};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Parameters of a calculation, as a query sends them; `takes_items` says which take the values of
/// the items of a group, as a list or a tuple.
pub(crate) fn parameters(
    given: Option<&Bound<PyDict>>,
    lang: Lang,
    takes_items: impl Fn(&str) -> bool,
) -> PyResult<Vec<(String, String)>> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    given
        .iter()
        .map(|(name, value)| {
            let name: String = name.extract()?;
            let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
            let text = if is_list && takes_items(&name) {
                items(&name, &value, lang)?
            } else {
                text(&name, &value, lang)?
            };
            Ok((name, text))
        })
        .collect()
}

/// The values of the items of a group, as a query writes them; `None` is an item without one.
fn items(name: &str, values: &Bound<PyAny>, lang: Lang) -> PyResult<String> {
    let mut texts = Vec::new();
    for value in values.try_iter()? {
        let value = value?;
        let text = if value.is_none() {
            String::new()
        } else {
            text(name, &value, lang)?
        };

        // It would be read as two values.
        if text.contains(VALUE_SEPARATOR) {
            return Err(PyValueError::new_err(say!(
                lang,
                "{name} a {text:?} dans sa liste : une valeur par élément, sans point-virgule",
                "{name} has {text:?} in its list: one value for each element, without a semicolon"
            )));
        }
        texts.push(text);
    }
    Ok(texts.join(&VALUE_SEPARATOR.to_string()))
}

/// A value as a query writes it; nothing of it is lost.
fn text(name: &str, value: &Bound<PyAny>, lang: Lang) -> PyResult<String> {
    let py = value.py();

    // The order of these tests matters: in Python, `True` is an int, and a `datetime` is a date.
    if let Ok(text) = value.cast::<PyString>() {
        return text.extract();
    }

    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }

    if value.is_instance_of::<PyFloat>() {
        return Err(PyTypeError::new_err(say!(
            lang,
            "{name}={value} est un float, qui n’a pas de centimes exacts : donner un int, un \
             decimal.Decimal ou un str",
            "{name}={value} is a float: binary floats hold no exact amounts. Give an int, a \
             decimal.Decimal or a str"
        )));
    }

    // `__index__` is what NumPy's integers have: they are exact, but no int.
    if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        return value.call_method0("__index__")?.str()?.extract();
    }

    if value.is_instance(DECIMAL.import(py, "decimal", "Decimal")?)? {
        // `Decimal("NaN")` is a Decimal.
        if !value.call_method0("is_finite")?.extract::<bool>()? {
            return Err(PyValueError::new_err(say!(
                lang,
                "{name}={value} n’est pas un nombre",
                "{name}={value} is no number"
            )));
        }
        // Without exponent, which `str` would write for `Decimal("1E+3")`.
        return value.call_method1("__format__", ("f",))?.extract();
    }

    if let Some(day) = day_text(value)? {
        return Ok(day);
    }

    let found = value.get_type();
    let found = found.name()?;
    Err(PyTypeError::new_err(say!(
        lang,
        "{name} est de type {found} : attendu int, decimal.Decimal, str, bool ou datetime.date (un \
         moment : à minuit) ; un paramètre qui n’est pas donné s’omet",
        "{name} is of type {found}: expected int, decimal.Decimal, str, bool or datetime.date (a \
         moment: at midnight); a parameter that is not given is left out"
    )))
}

/// The text of a day; none of another type, nor of a moment that is not at midnight.
fn day_text(value: &Bound<PyAny>) -> PyResult<Option<String>> {
    let py = value.py();

    // A moment of NumPy gives what it is: a date or a datetime of Python, or a number.
    if value.get_type().name()? == "datetime64" {
        let item = value.call_method0("item")?;
        let is_moment = item.is_instance(DATE.import(py, "datetime", "date")?)?;
        return if is_moment { day_text(&item) } else { Ok(None) };
    }
    if !value.is_instance(DATE.import(py, "datetime", "date")?)? {
        return Ok(None);
    }

    // A datetime is a date in Python. Its hour would be lost, and with a time zone it is another day
    // elsewhere.
    if value.is_instance(DATETIME.import(py, "datetime", "datetime")?)? {
        let text: String = value.call_method0("isoformat")?.extract()?;
        let day = text.strip_suffix("T00:00:00");
        return Ok(day.map(str::to_owned));
    }
    value.call_method0("isoformat")?.extract().map(Some)
}

/// A day that is given as such or as a text; today (UTC) where none is.
pub(crate) fn day(given: Option<&Bound<PyAny>>, name: &str, lang: Lang) -> PyResult<Date> {
    let Some(given) = given else {
        return Ok(today());
    };

    let text = match day_text(given)? {
        Some(text) => text,
        None => given.extract().map_err(|_| {
            PyTypeError::new_err(say!(
                lang,
                "{name} est un datetime.date, ou un str comme \"2026-03-31\" ; None pour ce jour",
                "{name} is a datetime.date, or a str such as \"2026-03-31\"; None for today"
            ))
        })?,
    };

    text.parse().map_err(|_| {
        PyValueError::new_err(say!(
            lang,
            "{name}={text:?} n’est pas un jour : attendu comme \"2026-03-31\"",
            "{name}={text:?} is no day: expected such as \"2026-03-31\""
        ))
    })
}

/// The hash of a text, as Python asks for it.
pub(crate) fn hash_of(text: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The day, as the service counts it.
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// A value of an answer: numbers are decimals, lists are lists, and objects are dictionaries in
/// their order.
pub(crate) fn python<'py>(py: Python<'py>, value: Datum) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Datum::Null => py.None().into_bound(py),
        Datum::Boolean(flag) => PyBool::new(py, flag).to_owned().into_any(),
        // By its text, since a float between would lose digits.
        Datum::Number(_) => DECIMAL
            .import(py, "decimal", "Decimal")?
            .call1((value.to_string(),))?,
        Datum::Text(text) => PyString::new(py, text).into_any(),
        Datum::Shown(shown) => PyString::new(py, &shown.to_string()).into_any(),
        Datum::List(_) => {
            let items = value
                .items()
                .map(|item| python(py, item))
                .collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Datum::Object(_) => {
            let dict = PyDict::new(py);
            for (name, member) in value.members() {
                dict.set_item(name, python(py, member)?)?;
            }
            dict.into_any()
        }
    })
}
