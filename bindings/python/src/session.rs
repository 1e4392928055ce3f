//! Sessions.
//!
//! In: contexts. Out: prompts, the session as a text. Never: holds the interpreter while it builds.

use promptweave_bindings::Session as Inner;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::component;
use crate::error::done;
use crate::prompt::Prompt;
use crate::value::{context_from, options};

/// Builds the prompts of one conversation, so that what providers have cached stays valid.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Session(Inner);

impl Session {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(inner)
    }
}

#[pymethods]
impl Session {
    /// Builds the prompt of the variant that matches the context, or hands out the last one when nothing that it was made
    /// of has changed.
    #[pyo3(signature = (context=None, **ask))]
    fn prompt(
        &self,
        py: Python<'_>,
        context: Option<&Bound<'_, PyAny>>,
        ask: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Prompt> {
        let (context, ask) = (context_from(context)?, options(ask)?);
        let built = component::building(py, || self.0.prompt(&context, ask))?;
        done(py, built).map(Prompt::new)
    }

    /// Forgets everything but the clock, which shows `date` and `time` where they are given.
    #[pyo3(signature = (**options))]
    fn reset(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = self::options(options)?;
        let reset = || if options.is_null() { self.0.reset() } else { self.0.reset_at(options) };
        done(py, py.detach(reset))
    }

    /// The session as a text for `Engine.restore`.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        done(py, py.detach(|| self.0.save()))
    }
}
