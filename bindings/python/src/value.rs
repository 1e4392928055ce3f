//! Python's values as JSON.
//!
//! In: dicts, lists, tuples, strings, numbers, booleans, None, paths, dataclasses, what has `model_dump()`, mappings. Out: JSON,
//! contexts, options. Never: guesses what another value means, or says a value in an error.

use promptweave_bindings::{Context, Json, context, context_of};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType, PyTypeMethods,
};
use serde_json::{Map, Number};

use crate::error::{done, refused};
use crate::text::utf8;

/// Deeper values are refused, so that one that holds itself ends.
pub(crate) const MAX_DEPTH: usize = 128;
/// The most steps of a path that an error names.
const MAX_SHOWN: usize = 8;

/// A context: a text of JSON, or a value; None says nothing.
pub(crate) fn context_from(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
    let Some(given) = given else { return done(py, context_of(Json::Object(Map::new()))) };
    if let Ok(text) = given.cast::<PyString>() {
        return done(py, context(utf8(text)?));
    }
    let read = json(given, 0).map_err(|unfit| unfit.raised(py, "context-invalid"))?;
    done(py, context_of(read))
}

/// Keyword arguments as options; None counts as absent.
pub(crate) fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Json> {
    let Some(given) = given else { return Ok(Json::Null) };
    let read = json(given, 0).map_err(|unfit| unfit.raised(given.py(), "options-invalid"))?;
    Ok(match read {
        Json::Object(map) => map.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    })
}

/// Why a value has no JSON: an exception of its own code, or its place from the inside out and what it is.
struct Unfit {
    path: Vec<String>,
    why: Why,
}

enum Why {
    Raised(PyErr),
    Is(String),
}

impl From<PyErr> for Unfit {
    fn from(error: PyErr) -> Self {
        Self { path: Vec::new(), why: Why::Raised(error) }
    }
}

impl Unfit {
    fn is(what: impl Into<String>) -> Self {
        Self { path: Vec::new(), why: Why::Is(what.into()) }
    }

    fn below(mut self, key: impl ToString) -> Self {
        self.path.push(key.to_string());
        self
    }

    fn raised(self, py: Python<'_>, code: &str) -> PyErr {
        let Self { path, why } = self;
        let steps: Vec<&str> = path.iter().rev().take(MAX_SHOWN).map(String::as_str).collect();
        let more = if path.len() > steps.len() { "…" } else { "" };
        match why {
            Why::Raised(error) => error,
            Why::Is(what) if steps.is_empty() => refused(py, code, &format!("it is {what}")),
            Why::Is(what) => refused(py, code, &format!("`{}{more}` is {what}", steps.join("."))),
        }
    }
}

fn json(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, Unfit> {
    if depth > MAX_DEPTH {
        return Err(Unfit::is(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Json::String(utf8(text)?.to_owned()));
    }
    if value.is_none() {
        return Ok(Json::Null);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return entries(dict, depth);
    }
    if let Ok(is) = value.cast::<PyBool>() {
        return Ok(Json::Bool(is.is_true()));
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return integer(number);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return float(number.value());
    }
    if let Ok(list) = value.cast::<PyList>() {
        return items(list.iter(), depth);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return items(tuple.iter(), depth);
    }
    object(value, depth)
}

/// Of a list of its entries: code of a value may change the dict.
fn entries(dict: &Bound<'_, PyDict>, depth: usize) -> Result<Json, Unfit> {
    let mut map = Map::new();
    for pair in dict.items() {
        let pair = pair.cast_into::<PyTuple>().map_err(PyErr::from)?;
        let (key, value) = (pair.get_borrowed_item(0)?, pair.get_borrowed_item(1)?);
        let (key, value) = entry(&key, &value, depth)?;
        map.insert(key, value);
    }
    Ok(Json::Object(map))
}

fn entry(
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    depth: usize,
) -> Result<(String, Json), Unfit> {
    let Ok(key) = key.cast::<PyString>() else {
        return Err(Unfit::is(format!("a dict with {} among its keys", kind(key))));
    };
    let key = utf8(key)?.to_owned();
    match json(value, depth + 1) {
        Ok(value) => Ok((key, value)),
        Err(unfit) => Err(unfit.below(key)),
    }
}

fn items<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>, depth: usize) -> Result<Json, Unfit> {
    let items = items.enumerate();
    let read = items.map(|(at, item)| json(&item, depth + 1).map_err(|unfit| unfit.below(at)));
    read.collect::<Result<Vec<_>, _>>().map(Json::Array)
}

/// As a reader of JSON takes it: what no 64 bits hold is a fraction.
fn integer(number: &Bound<'_, PyInt>) -> Result<Json, Unfit> {
    if let Ok(number) = number.extract::<i64>() {
        return Ok(number.into());
    }
    match number.extract::<u64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => float(number.extract().map_err(|_| Unfit::is("too large a number"))?),
    }
}

fn float(number: f64) -> Result<Json, Unfit> {
    let number = Number::from_f64(number).map(Json::Number);
    number.ok_or_else(|| Unfit::is("a number that JSON does not have"))
}

/// What stands for a value: the fields of a dataclass or a model, the text of a path, the entries of a mapping.
fn object(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, Unfit> {
    let py = value.py();
    if !value.is_instance_of::<PyType>() {
        if value.hasattr(intern!(py, "__dataclass_fields__"))? {
            return dataclass(value, depth);
        }
        for method in [intern!(py, "model_dump"), intern!(py, "__fspath__")] {
            if let Some(stands_for) = value.getattr_opt(method)? {
                return json(&stands_for.call0()?, depth + 1);
            }
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let copy = PyDict::new(py);
            copy.update(mapping)?;
            return entries(&copy, depth);
        }
    }
    Err(Unfit::is(format!("{}, which JSON has no form for", kind(value))))
}

fn dataclass(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, Unfit> {
    static FIELDS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let mut map = Map::new();
    for field in FIELDS.import(py, "dataclasses", "fields")?.call1((value,))?.try_iter()? {
        let name = field?.getattr(intern!(py, "name"))?;
        let is = value.getattr(name.cast::<PyString>().map_err(PyErr::from)?)?;
        let (key, value) = entry(&name, &is, depth)?;
        map.insert(key, value);
    }
    Ok(Json::Object(map))
}

/// What a value is, without what it says.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or("a value".into(), |name| format!("a `{name}`"))
}
