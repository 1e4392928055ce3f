//! Parsers of replies.
//!
//! In: chunks as they arrive. Out: events, blocks. Never: makes objects of events that nobody reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use promptweave_bindings::{Error, Json, Parser as Inner};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::error::done;
use crate::events::Events;
use crate::text::utf8;
use crate::told::list;
use crate::value::options;

/// Cuts one reply into text, reasoning and tool calls. Make a new one for each reply.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Parser(Shared);

/// A parser and its last events, which read from it.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<State>>);

struct State {
    inner: Inner,
    /// Handed out again while nobody else holds them. None when the parser has ended.
    last: Option<Py<Events>>,
}

impl Shared {
    /// No code of Python runs while it is held, so that nobody waits for it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events of the last push.
    pub(crate) fn told(&self) -> Vec<Json> {
        self.lock().inner.told().collect()
    }

    /// Goes on, and gives the events of that. Those that somebody still holds are kept before.
    fn go_on(
        &self,
        py: Python<'_>,
        go_on: impl FnOnce(&mut Inner) -> Result<(), Error>,
    ) -> PyResult<Py<Events>> {
        let mut state = self.lock();
        if let Some(last) = &state.last
            && last.get().is_free(last.bind(py))
        {
            let last = last.clone_ref(py);
            return done(py, go_on(&mut state.inner)).map(|()| last);
        }
        drop(state);
        let made = Py::new(py, Events::of(self))?;
        let mut state = self.lock();
        if let Some(last) = &state.last {
            last.get().keep(|| state.inner.told().collect());
        }
        let gone = go_on(&mut state.inner);
        let before = state.last.replace(made.clone_ref(py));
        drop((state, before));
        done(py, gone).map(|()| made)
    }
}

impl Parser {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Shared(Arc::new(Mutex::new(State { inner, last: None }))))
    }
}

impl Drop for Parser {
    /// Events hold their parser, and must not be held by it for good.
    fn drop(&mut self) {
        let last = self.0.lock().last.take();
        drop(last);
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (**options))]
    fn of_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = self::options(options)?;
        done(py, py.detach(|| Inner::new(options))).map(Self::new)
    }

    /// Takes a chunk: a string, or bytes that may end inside a character. Gives the events of this chunk.
    fn push(&self, chunk: &Bound<'_, PyAny>) -> PyResult<Py<Events>> {
        let bytes = match chunk.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes(),
            Err(_) => text(chunk)?.as_bytes(),
        };
        self.0.go_on(chunk.py(), |inner| inner.push_events(bytes).map(|_| ()))
    }

    /// Ends the reply and gives the last events; `reason` is why the model stopped, as its provider says.
    #[pyo3(signature = (reason=None))]
    fn finish(&self, py: Python<'_>, reason: Option<&Bound<'_, PyString>>) -> PyResult<Py<Events>> {
        let reason = reason.map(utf8).transpose()?;
        self.0.go_on(py, |inner| inner.finish_events(reason).map(|_| ()))
    }

    /// The blocks so far.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let blocks: Vec<Json> = self.0.lock().inner.told_blocks().collect();
        list(py, &blocks)
    }

    /// The events of a whole stream, ended: of strings or bytes, from a sync or an async iterable.
    #[pyo3(signature = (chunks, reason=None))]
    fn stream<'py>(
        slf: Bound<'py, Self>,
        chunks: Bound<'py, PyAny>,
        reason: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stream = slf.py().import("promptweave._stream")?.getattr("stream")?;
        stream.call1((slf, chunks, reason))
    }
}

fn text<'t>(chunk: &'t Bound<'_, PyAny>) -> PyResult<&'t str> {
    let text = chunk.cast::<PyString>();
    utf8(text.map_err(|_| PyTypeError::new_err("a chunk is a `str` or `bytes`"))?)
}
