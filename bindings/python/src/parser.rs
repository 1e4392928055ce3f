//! Parsers of replies.
//!
//! In: chunks as they arrive. Out: events, blocks. Never: makes objects of events that nobody reads.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use promptweave_bindings::Parser as Inner;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::error::{done, raised};
use crate::events::Events;
use crate::told::told;
use crate::value::options;

/// Cuts one reply into text, reasoning and tool calls. Make a new one for each reply.
#[pyclass(module = "promptweave")]
pub(crate) struct Parser {
    shared: Shared,
    /// The events of the last push, handed out again while nobody else holds them.
    last: Py<Events>,
}

/// A parser that its last events read from. The interpreter's lock lets one thread at a time in.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Inner>>);

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parser {
    pub(crate) fn of(py: Python<'_>, inner: Inner) -> PyResult<Self> {
        let shared = Shared(Arc::new(Mutex::new(inner)));
        let last = Py::new(py, Events::of(&shared))?;
        Ok(Self { shared, last })
    }

    /// Where the next events are read: events that somebody still holds are made first.
    fn renew(&mut self, py: Python<'_>) -> PyResult<()> {
        let last = self.last.bind(py);
        // SAFETY: the object is alive, and the interpreter is held.
        let is_shared = unsafe { pyo3::ffi::Py_REFCNT(last.as_ptr()) } > 1;
        if is_shared || last.get().is_read(py) {
            last.get().list(py)?;
            self.last = Py::new(py, Events::of(&self.shared))?;
        }
        Ok(())
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = self::options(options)?;
        Self::of(py, done(py, py.detach(|| Inner::new(options)))?)
    }

    /// Takes a chunk: a string, or bytes that may end inside a character. Gives the events of this chunk.
    fn push(&mut self, chunk: &Bound<'_, PyAny>) -> PyResult<Py<Events>> {
        let py = chunk.py();
        self.renew(py)?;
        let pushed = match chunk.cast::<PyBytes>() {
            Ok(bytes) => self.shared.lock().push_events(bytes.as_bytes()).map(|_| ()),
            Err(_) => {
                let text = self::text(chunk)?;
                self.shared.lock().push_events(text.as_bytes()).map(|_| ())
            }
        };
        pushed.map_err(|error| raised(py, &error))?;
        Ok(self.last.clone_ref(py))
    }

    /// Ends the reply and gives the last events; `reason` is why the model stopped, as its provider says.
    #[pyo3(signature = (reason=None))]
    fn finish(&mut self, py: Python<'_>, reason: Option<&str>) -> PyResult<Py<Events>> {
        self.renew(py)?;
        done(py, self.shared.lock().finish_events(reason).map(|_| ()))?;
        Ok(self.last.clone_ref(py))
    }

    /// The blocks so far.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for block in self.shared.lock().told_blocks() {
            list.append(told(py, &block)?)?;
        }
        Ok(list)
    }

    /// The events of a whole stream, ended: of strings or bytes, from a sync or an async iterable.
    #[pyo3(signature = (chunks, reason=None))]
    fn stream<'py>(
        slf: Bound<'py, Self>,
        chunks: Bound<'py, PyAny>,
        reason: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import("promptweave._stream")?.getattr("stream")?.call1((slf, chunks, reason))
    }
}

fn text<'t>(chunk: &'t Bound<'_, PyAny>) -> PyResult<Cow<'t, str>> {
    match chunk.cast::<PyString>() {
        Ok(text) => text.to_cow(),
        Err(_) => Err(PyTypeError::new_err("a chunk is a `str` or `bytes`")),
    }
}
