//! Finished prompts.
//!
//! In: a prompt of the bindings. Out: its parts, each made when it is asked for, and once. Never: builds anything anew.

use promptweave_bindings::{Json, Prompt as Inner};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use crate::error::done;
use crate::told::told;
use crate::value::options;

/// A finished prompt.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Prompt {
    inner: Inner,
    text: PyOnceLock<Py<PyString>>,
    sections: Part,
    blocks: Part,
    layers: Part,
    diagnostics: Part,
    result: Part,
}

/// What is made when it is first asked for.
type Part = PyOnceLock<Py<PyAny>>;

/// The part; made without the interpreter being held.
fn part<'py>(
    py: Python<'py>,
    part: &Part,
    make: impl FnOnce() -> PyResult<Json> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let made =
        part.get_or_try_init(py, || Ok::<_, PyErr>(told(py, &py.detach(make)?)?.unbind()))?;
    Ok(made.bind(py).clone())
}

impl Prompt {
    pub(crate) fn new(inner: Inner) -> Self {
        let (text, sections, blocks) = (PyOnceLock::new(), Part::new(), Part::new());
        let (layers, diagnostics, result) = (Part::new(), Part::new(), Part::new());
        Self { inner, text, sections, blocks, layers, diagnostics, result }
    }
}

#[pymethods]
impl Prompt {
    /// The text.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text.get_or_init(py, || PyString::new(py, self.inner.text()).unbind()).bind(py).clone()
    }

    fn __str__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }

    fn __repr__(&self) -> String {
        format!("<Prompt of `{}`, {} bytes>", self.inner.variant(), self.inner.text().len())
    }

    /// The id of the variant that it was made of.
    #[getter]
    fn variant(&self) -> &str {
        self.inner.variant()
    }

    /// The texts of the sections that are there by their ids, in order.
    #[getter]
    fn sections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.sections.get_or_try_init(py, || {
            let sections = PyDict::new(py);
            for (id, text) in self.inner.sections() {
                sections.set_item(id, text)?;
            }
            Ok::<_, PyErr>(sections.into_any().unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The text of a section; None when it is not there.
    fn section(&self, id: &str) -> Option<&str> {
        self.inner.section(id)
    }

    /// Its text in runs of one cache scope.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.blocks, || Ok(self.inner.blocks()))
    }

    /// Its layers with their texts and weights.
    #[getter]
    fn layers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.layers, || Ok(self.inner.layers()))
    }

    /// What was met while building.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        part(py, &self.diagnostics, || Ok(self.inner.diagnostics()))
    }

    /// Everything about it, as `promptweave build --format json` prints it; offsets are bytes of UTF-8.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made =
            self.result.get_or_try_init(py, || self.to_result(py, None).map(Bound::unbind))?;
        Ok(made.bind(py).clone())
    }

    /// The same with other offsets.
    #[pyo3(signature = (**options), text_signature = "($self, /, *, offsets=None)")]
    fn to_result<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = self::options(options)?;
        told(py, &done(py, py.detach(|| self.inner.result(options)))?)
    }

    /// The payload for the API of that name, e.g. `anthropic`, with the tools of the context.
    #[pyo3(signature = (target, **options), text_signature = "($self, /, target, *, one_hour=None, wire_scope=None, cache_key=None)")]
    fn deliver(
        &self,
        py: Python<'_>,
        target: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Payload> {
        let options = self::options(options)?;
        let payload = done(py, py.detach(|| self.inner.deliver(target, options)))?;
        let part = |key| told(py, payload.json.get(key).unwrap_or(&Json::Null));
        Ok(Payload {
            headers: part("headers")?.unbind(),
            body: part("body")?.unbind(),
            diagnostics: told(py, &payload.diagnostics)?.unbind(),
        })
    }
}

/// What goes to a provider.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Payload {
    /// The headers, by name.
    #[pyo3(get)]
    headers: Py<PyAny>,
    /// The body.
    #[pyo3(get)]
    body: Py<PyAny>,
    /// What could not be kept on the way.
    #[pyo3(get)]
    diagnostics: Py<PyAny>,
}
