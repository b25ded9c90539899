//! Values of Python as parameters, and values of answers as those of Python.

use bareme_engine::Datum;
use bareme_engine::jiff::civil::Date;
use bareme_engine::jiff::{Timestamp, tz::TimeZone};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyType};

static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Parameters of a calculation, as a query sends them.
pub(crate) fn parameters(given: Option<&Bound<PyDict>>) -> PyResult<Vec<(String, String)>> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    given
        .iter()
        .map(|(name, value)| {
            let name: String = name.extract()?;
            let text = text(&name, &value)?;
            Ok((name, text))
        })
        .collect()
}

/// A value as a query writes it; nothing of it is lost.
fn text(name: &str, value: &Bound<PyAny>) -> PyResult<String> {
    let py = value.py();

    // The order of these tests matters: in Python, `True` is an int, and a `datetime` is a date.
    if let Ok(text) = value.cast::<PyString>() {
        return text.extract();
    }

    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }

    if value.is_instance_of::<PyFloat>() {
        return Err(PyTypeError::new_err(format!(
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
            return Err(PyValueError::new_err(format!(
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
    Err(PyTypeError::new_err(format!(
        "{name} is of type {}: expected int, decimal.Decimal, str, bool or datetime.date; a \
         parameter that is not given is left out",
        found.name()?
    )))
}

/// The text of a day; none of another type, nor of a moment.
fn day_text(value: &Bound<PyAny>) -> PyResult<Option<String>> {
    let py = value.py();
    // A datetime is a date in Python, but its hour would be lost.
    let is_day = value.is_instance(DATE.import(py, "datetime", "date")?)?
        && !value.is_instance(DATETIME.import(py, "datetime", "datetime")?)?;

    if is_day {
        value.call_method0("isoformat")?.extract().map(Some)
    } else {
        Ok(None)
    }
}

/// A day that is given as such or as a text; today (UTC) where none is.
pub(crate) fn day(given: Option<&Bound<PyAny>>) -> PyResult<Date> {
    let Some(given) = given else {
        return Ok(today());
    };

    let text = match day_text(given)? {
        Some(text) => text,
        None => given.extract().map_err(|_| {
            PyTypeError::new_err(
                "date is a datetime.date, or a str such as \"2026-03-31\"; None for today",
            )
        })?,
    };

    text.parse().map_err(|_| {
        PyValueError::new_err(format!(
            "date={text:?} is no day: expected such as \"2026-03-31\""
        ))
    })
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
