//! Errors as exceptions of Python.
//!
//! In: errors of the bindings. Out: exceptions, of the classes in `promptweave/_errors.py`. Never: the text of a prompt or
//! a value of the context.

use promptweave_bindings::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::told::told;

/// What comes of a call to the bindings.
pub(crate) fn done<T>(py: Python<'_>, outcome: Result<T, Error>) -> PyResult<T> {
    outcome.map_err(|error| raised(py, &error))
}

/// The exception that says the same.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let made = made(py, (error.code(), error.message(), error.help())).and_then(|made| {
        made.setattr("origin", told(py, &error.origin().to_json())?)?;
        made.setattr("file", error.origin().file_name())?;
        made.setattr("span", error.span().map(|span| (span.start, span.end)))?;
        Ok(made)
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An exception for what Python gave and the bindings cannot be given.
pub(crate) fn refused(py: Python<'_>, code: &str, message: &str) -> PyErr {
    let help = "give strings, numbers, booleans, None, lists and dicts";
    made(py, (code, message, Some(help))).map_or_else(|error| error, PyErr::from_value)
}

/// An exception of the class that belongs to the code.
fn made<'py>(py: Python<'py>, parts: (&str, &str, Option<&str>)) -> PyResult<Bound<'py, PyAny>> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    static BASE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let classes = CLASSES.import(py, "promptweave._errors", "BY_CODE")?;
    let base = BASE.import(py, "promptweave._errors", "PromptweaveError")?;
    classes.get_item(parts.0)?.unwrap_or(base.clone()).call1(parts)
}
