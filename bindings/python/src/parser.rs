//! Parsers of replies.
//!
//! In: chunks as they arrive. Out: events, blocks. Never: makes objects of events that nobody reads.

use std::sync::Arc;

use promptweave_bindings::{Error, Json, Parser as Inner};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::error::done;
use crate::events::Events;
use crate::held::Held;
use crate::text::utf8;
use crate::told::list;
use crate::value::{kind, options};

/// Cuts one reply into text, reasoning and tool calls. Make a new one for each reply.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Parser(Shared);

/// A parser and its last events, which read from it.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Held<State>>);

struct State {
    inner: Inner,
    /// Handed out again while nobody else holds them. None before the first push, and when the parser is gone.
    last: Option<Py<Events>>,
}

impl State {
    /// The last events, when nobody holds them or has read them.
    fn free(&self, py: Python<'_>) -> Option<Py<Events>> {
        let last = self.last.as_ref().filter(|last| last.get().is_free(last.bind(py)));
        last.map(|last| last.clone_ref(py))
    }

    /// Has `events` for those of what comes next; gives back those that were the last, with what they say.
    fn replace(&mut self, events: Py<Events>) -> Option<Py<Events>> {
        let before = self.last.replace(events)?;
        before.get().keep(|| self.inner.told().collect());
        Some(before)
    }
}

impl Shared {
    /// The events of the last push.
    pub(crate) fn told(&self, py: Python<'_>) -> Vec<Json> {
        self.0.with(py, |state| state.inner.told().collect())
    }

    /// Goes on, and gives the events of that.
    fn go_on(
        &self,
        py: Python<'_>,
        go_on: impl Fn(&mut Inner) -> Result<(), Error>,
    ) -> PyResult<Py<Events>> {
        let again = self.0.with(py, |state| Some((state.free(py)?, go_on(&mut state.inner))));
        let (events, gone) = match again {
            Some(again) => again,
            None => self.go_on_anew(py, &go_on)?,
        };
        done(py, gone).map(|()| events)
    }

    /// The same with new events, for somebody holds the last ones.
    #[inline(never)]
    fn go_on_anew(
        &self,
        py: Python<'_>,
        go_on: &dyn Fn(&mut Inner) -> Result<(), Error>,
    ) -> PyResult<(Py<Events>, Result<(), Error>)> {
        let events = Py::new(py, Events::of(self))?;
        let last = events.clone_ref(py);
        let (before, gone) =
            self.0.with(py, |state| (state.replace(last), go_on(&mut state.inner)));
        drop(before);
        Ok((events, gone))
    }
}

impl Parser {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Shared(Arc::new(Held::new(State { inner, last: None }))))
    }
}

impl Drop for Parser {
    /// Events hold their parser, and must not be held by it for good.
    fn drop(&mut self) {
        let last = Python::try_attach(|py| self.0.0.with(py, |state| state.last.take()));
        drop(last);
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (**options), text_signature = "(*, mode=None, dialect=None, specs=None, tools=None, params=None, raw=None, variant=None, typed=None, fenced_calls=None, starts_in_reasoning=None, call_ends_reasoning=None, tag_suffix=None)")]
    fn of_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = self::options(options)?;
        done(py, py.detach(|| Inner::new(options))).map(Self::new)
    }

    /// Takes a chunk: a string, or bytes that may end inside a character. Gives the events of this chunk.
    fn push(&self, chunk: &Bound<'_, PyAny>) -> PyResult<Py<Events>> {
        // To ask costs less than a cast that fails.
        let bytes = if chunk.is_instance_of::<PyBytes>() {
            chunk.cast::<PyBytes>()?.as_bytes()
        } else {
            utf8(chunk.cast().map_err(|_| no_chunk(chunk))?)?.as_bytes()
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
        let blocks: Vec<Json> = self.0.0.with(py, |state| state.inner.told_blocks().collect());
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

fn no_chunk(given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("a chunk is a `str` or `bytes`, not {}", kind(given)))
}
