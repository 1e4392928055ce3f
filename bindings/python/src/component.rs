//! Components of the host: functions of Python.
//!
//! In: a function, what it declares. Out: a component. Never: lets an exception out of a build but that of a signal.

use std::cell::Cell;

use promptweave_bindings::{Answer, Call, Component as Inner, HostComponent, Json};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::error::done;
use crate::told::told;
use crate::value::options;

/// A function that gives the text of a section, or None; variants name it by its id.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Component {
    pub(crate) inner: Inner,
    function: Py<PyAny>,
}

#[pymethods]
impl Component {
    #[new]
    #[pyo3(signature = (function, /, **declared))]
    fn new(function: Bound<'_, PyAny>, declared: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = function.py();
        if !function.is_callable() {
            return Err(pyo3::exceptions::PyTypeError::new_err("a component is a function"));
        }
        let declared = match options(declared)? {
            Json::Null => Json::Object(serde_json::Map::new()),
            declared => declared,
        };
        let host = Host { function: function.clone().unbind() };
        let inner = done(py, Inner::new(declared, host))?;
        Ok(Self { inner, function: function.unbind() })
    }

    /// Calls the function as if it were no component.
    #[pyo3(signature = (*arguments, **named))]
    fn __call__(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.function.call(py, arguments, named)
    }
}

/// What the engine calls, on threads of its own.
struct Host {
    function: Py<PyAny>,
}

impl HostComponent for Host {
    fn call(&self, call: Call) -> Answer {
        let answer = Python::try_attach(|py| {
            let inputs = told(py, &call.inputs);
            match inputs.and_then(|inputs| self.function.bind(py).call1((inputs,))) {
                Ok(answer) if answer.is_none() => Answer::Nothing,
                Ok(answer) => match answer.cast::<PyString>() {
                    Ok(text) => text.to_cow().map_or(Answer::WrongType, |text| Answer::Text(text.into())),
                    Err(_) => Answer::WrongType,
                },
                Err(error) => Answer::Failed(sentence(py, &error)),
            }
        });
        answer.unwrap_or(Answer::Failed("the interpreter ends".into()))
    }

    fn is_given_up(&self) -> bool {
        let signalled = Python::try_attach(|py| py.check_signals().err()).flatten();
        signalled.is_some_and(|error| {
            SIGNALLED.set(Some(error));
            true
        })
    }
}

/// What an exception says, or what it is.
fn sentence(py: Python<'_>, error: &PyErr) -> String {
    let said = error.value(py).str().map(|said| said.to_string_lossy().into_owned());
    match said {
        Ok(said) if !said.is_empty() => said,
        _ => error.get_type(py).name().map_or("it raised".into(), |name| name.to_string()),
    }
}

thread_local! {
    /// The exception of a signal that came while a build waited for a component.
    static SIGNALLED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Builds without the interpreter being held; what a signal raises meanwhile is raised here.
pub(crate) fn building<T: Send>(py: Python<'_>, build: impl FnOnce() -> T + Send) -> PyResult<T> {
    SIGNALLED.set(None);
    let built = py.detach(build);
    SIGNALLED.take().map_or(Ok(built), Err)
}
