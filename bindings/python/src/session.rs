//! Sessions.
//!
//! In: contexts. Out: prompts, the session as a text. Never: holds the interpreter while it builds.

use std::mem;

use promptweave_bindings::{Context, Session as Inner};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};

use crate::component;
use crate::engine::Engine;
use crate::error::done;
use crate::held::Held;
use crate::memo::{Memo, Seen};
use crate::prompt::Prompt;
use crate::value::{context_from, options};

/// Builds the prompts of one conversation, so that what providers have cached stays valid.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Session {
    /// Its components are alive as long as this.
    engine: Py<Engine>,
    inner: Inner,
    /// The context of the last prompt: a dict that is given again is mostly the same.
    last: Held<Option<Memo>>,
}

impl Session {
    pub(crate) fn new(engine: Py<Engine>, inner: Inner) -> Self {
        Self { engine, inner, last: Held::new(None) }
    }

    /// The context; what was read before is not read again.
    fn context(&self, py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
        let Some(given) = given else { return context_from(py, None) };
        let still = self.last.with(py, |last| last.as_ref()?.still(given));
        if let Some(context) = still {
            return Ok(context);
        }
        // Before it is read: where there is one, reading runs no code that could change the value.
        let seen = Seen::of(given);
        let context = context_from(py, Some(given))?;
        let memo = seen.map(|seen| Memo { seen, context: context.clone() });
        let forgotten = self.last.with(py, |last| mem::replace(last, memo));
        drop(forgotten);
        Ok(context)
    }
}

#[pymethods]
impl Session {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.engine)
    }

    /// Builds the prompt of the variant that matches the context, or hands out the last one when nothing that it was made
    /// of has changed.
    #[pyo3(signature = (context=None, **ask), text_signature = "($self, /, context=None, *, variant=None, label=None, tag=None, budget=None)")]
    fn prompt(
        &self,
        py: Python<'_>,
        context: Option<&Bound<'_, PyAny>>,
        ask: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Prompt> {
        let (context, ask) = (self.context(py, context)?, options(ask)?);
        let built = component::building(py, || self.inner.prompt(&context, ask))?;
        done(py, built).map(Prompt::new)
    }

    /// Forgets everything but the clock, which shows `date` and `time` where they are given.
    #[pyo3(signature = (**options), text_signature = "($self, /, *, date=None, time=None)")]
    fn reset(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = self::options(options)?;
        let reset =
            || if options.is_null() { self.inner.reset() } else { self.inner.reset_at(options) };
        done(py, py.detach(reset))
    }

    /// The session as a text for `Engine.restore`.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        done(py, py.detach(|| self.inner.save()))
    }
}
