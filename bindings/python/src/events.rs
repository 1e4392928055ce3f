//! The events of one push.
//!
//! In: a parser. Out: events as dicts, made when they are first read. Never: other events, once the parser goes on.

use std::sync::OnceLock;

use promptweave_bindings::Json;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyList};

use crate::parser::Shared;
use crate::told::list;

/// The events of one push, in order.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Events {
    parser: Shared,
    /// Once the parser goes on, or somebody reads them.
    kept: OnceLock<Vec<Json>>,
    read: PyOnceLock<Py<PyList>>,
}

impl Events {
    pub(crate) fn of(parser: &Shared) -> Self {
        Self { parser: parser.clone(), kept: OnceLock::new(), read: PyOnceLock::new() }
    }

    /// Whether the parser alone holds them, and nobody has read them.
    pub(crate) fn is_free(&self, own: &Bound<'_, Self>) -> bool {
        // SAFETY: the object is alive, and the interpreter is held.
        let holders = unsafe { pyo3::ffi::Py_REFCNT(own.as_ptr()) };
        holders == 1 && self.kept.get().is_none()
    }

    /// Keeps them, before the parser goes on.
    pub(crate) fn keep(&self, told: impl FnOnce() -> Vec<Json>) -> &[Json] {
        self.kept.get_or_init(told)
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyList>> {
        let make = || list(py, self.keep(|| self.parser.told(py))).map(Bound::unbind);
        Ok(self.read.get_or_try_init(py, make)?.bind(py))
    }
}

#[pymethods]
impl Events {
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py)?.try_iter()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.list(py).map(|list| list.len())
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.list(py)?.as_any().get_item(at)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.list(py)?.repr()?.to_string())
    }
}
