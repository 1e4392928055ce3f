//! Components of the host: functions of Python.
//!
//! In: a function, what it declares. Out: a component. Never: lets an exception out of a build but that of a signal.

use std::cell::Cell;
use std::{mem, thread};

use promptweave_bindings::{Answer, Call, Component as Inner, HostComponent, Json};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyWeakrefMethods, PyWeakrefReference};
use pyo3::{PyTraverseError, PyVisit};

use crate::error::done;
use crate::told::told;
use crate::value::options;

/// A function that gives the text of a section, or None; variants name it by its id.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Component {
    pub(crate) inner: Inner,
    function: Py<PyAny>,
    /// What the engine asks; alive as long as this.
    asked: Py<PyAny>,
}

#[pymethods]
impl Component {
    #[new]
    #[pyo3(signature = (function, /, **declared), text_signature = "(function, /, *, id, reads=None, cache=None, reason=None, description=None, deadline_ms=None)")]
    fn new(function: Bound<'_, PyAny>, declared: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = function.py();
        if !function.is_callable() {
            return Err(PyTypeError::new_err("a component is a function"));
        }
        let declared = match options(declared)? {
            Json::Null => Json::Object(serde_json::Map::new()),
            declared => declared,
        };
        let asked = py.import("promptweave._component")?.getattr("Asked")?.call1((&function,))?;
        let host = Host { asked: PyWeakrefReference::new(&asked)?.unbind() };
        let inner = done(py, Inner::new(declared, host))?;
        Ok(Self { inner, function: function.unbind(), asked: asked.unbind() })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.asked)
    }

    /// The function, whose name, signature and documentation tools show.
    #[getter]
    fn __wrapped__(&self) -> &Py<PyAny> {
        &self.function
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Component of {}>", self.function.bind(py).repr()?))
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
    /// Asks the function, and takes what it raises. It belongs to the component of Python, and that to engines of Python:
    /// a function may hold its engine, and the collector of garbage sees no reference that Rust holds.
    asked: Py<PyWeakrefReference>,
}

impl HostComponent for Host {
    fn call(&self, call: Call) -> Answer {
        let answer = Python::try_attach(|py| match self.ask(py, &call) {
            Ok((Some(text), _)) => Answer::Text(text),
            Ok((None, Some(why))) => Answer::Failed(why),
            Ok((None, None)) => Answer::Nothing,
            // It is a text, but one with lone surrogates.
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
                Answer::Failed(error.to_string())
            }
            Err(_) => Answer::WrongType,
        });
        answer.unwrap_or_else(|| Answer::Failed("the interpreter ends".into()))
    }

    fn is_given_up(&self) -> bool {
        let signalled = Python::try_attach(|py| py.check_signals().err()).flatten();
        signalled.is_some_and(|error| {
            SIGNALLED.set(Some(error));
            true
        })
    }
}

impl Host {
    /// The text of the function, or the sentence that its exception says.
    fn ask(&self, py: Python<'_>, call: &Call) -> PyResult<(Option<String>, Option<String>)> {
        let Some(asked) = self.asked.bind(py).upgrade() else {
            return Ok((None, Some("its engine is gone".into())));
        };
        let arguments = (told(py, &call.inputs)?,).into_pyobject(py)?;
        called(&asked, &arguments)?.extract()
    }
}

unsafe extern "C-unwind" {
    /// As `pyo3` has it, but that threads may end within.
    fn PyObject_CallObject(function: *mut PyObject, arguments: *mut PyObject) -> *mut PyObject;
}

/// Before 3.14 an interpreter that ends ends each thread that wants to go on, wherever it is. That must not unwind the
/// threads of the library: they wait for the end of the process.
struct NeverReturns;

impl Drop for NeverReturns {
    fn drop(&mut self) {
        loop {
            thread::park();
        }
    }
}

/// Calls a function of Python that may take its time.
fn called<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let ends = NeverReturns;
    // SAFETY: both are alive, one is a tuple, and the interpreter is held.
    let given = unsafe { PyObject_CallObject(function.as_ptr(), arguments.as_ptr()) };
    mem::forget(ends);
    // SAFETY: it is a new reference, or none and an exception is set.
    unsafe { Bound::from_owned_ptr_or_err(function.py(), given) }
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
