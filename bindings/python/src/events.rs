//! The events of one push.
//!
//! In: a parser. Out: events as dicts, made when they are first read. Never: other events, once the parser goes on.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyList};

use crate::parser::Shared;
use crate::told::told;

/// The events of one push, in order.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Events {
    parser: Shared,
    read: PyOnceLock<Py<PyList>>,
}

impl Events {
    pub(crate) fn of(parser: &Shared) -> Self {
        Self { parser: parser.clone(), read: PyOnceLock::new() }
    }

    /// Whether they have been made.
    pub(crate) fn is_read(&self, py: Python<'_>) -> bool {
        self.read.get(py).is_some()
    }

    /// The events, made at the first call.
    pub(crate) fn list<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyList>> {
        let list = self.read.get_or_try_init(py, || {
            let list = PyList::empty(py);
            for event in self.parser.lock().told() {
                list.append(told(py, &event)?)?;
            }
            Ok::<_, PyErr>(list.unbind())
        })?;
        Ok(list.bind(py))
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
