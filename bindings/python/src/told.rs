//! JSON as Python's own values.
//!
//! In: JSON. Out: dicts, lists, strings, numbers, booleans, None. Never: loses a digit.

use promptweave_bindings::Json;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The value as Python's.
pub(crate) fn told<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    match json {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(is) => is.into_bound_py_any(py),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Json::String(text) => text.into_bound_py_any(py),
        Json::Array(items) => list(py, items).map(Bound::into_any),
        Json::Object(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map {
                dict.set_item(key, told(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A list of the values.
pub(crate) fn list<'py>(py: Python<'py>, items: &[Json]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    items.iter().try_for_each(|item| list.append(told(py, item)?))?;
    Ok(list)
}
