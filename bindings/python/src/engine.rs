//! Engines.
//!
//! In: options as keyword arguments, components. Out: prompts, sessions, parsers, diagnostics. Never: holds the
//! interpreter while it builds.

use promptweave_bindings::{Engine as Inner, Json};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTraverseError, PyVisit};

use crate::component::{self, Component};
use crate::error::done;
use crate::parser::Parser;
use crate::prompt::Prompt;
use crate::session::Session;
use crate::text::utf8_limited;
use crate::told::told;
use crate::value::{context_from, options};

/// Builds prompts from packs, plugins and components. It never changes; to reload, make a new one.
#[pyclass(frozen, module = "promptweave")]
pub(crate) struct Engine {
    inner: Inner,
    /// Alive as long as this; see [`Component`].
    components: Vec<Py<Component>>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, components=None, **options), text_signature = "(*, components=None, standard=None, packs=None, project=None, trust=None, trust_file=None, models=None, plugins=None, strict=None)")]
    fn new(
        py: Python<'_>,
        components: Option<Vec<Py<Component>>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut options = self::options(options)?;
        plugin_host(py, &mut options)?;
        let components = components.unwrap_or_default();
        let asked = components.iter().map(|component| component.get().inner.clone()).collect();
        let inner = done(py, component::building(py, || Inner::new(options, asked))?)?;
        Ok(Self { inner, components })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.components.iter().try_for_each(|component| visit.call(component))
    }

    /// Builds the prompt of the variant that matches the context, or that is asked for.
    #[pyo3(signature = (context=None, **ask), text_signature = "($self, /, context=None, *, variant=None, label=None, tag=None, budget=None)")]
    fn prompt(
        &self,
        py: Python<'_>,
        context: Option<&Bound<'_, PyAny>>,
        ask: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Prompt> {
        let (context, ask) = (context_from(py, context)?, options(ask)?);
        let built = component::building(py, || self.inner.prompt(&context, ask))?;
        done(py, built).map(Prompt::new)
    }

    /// Begins a session.
    #[pyo3(signature = (**options), text_signature = "($self, /, *, date=None, time=None, probes=None)")]
    fn session(slf: Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Session> {
        let session = slf.get().inner.session(self::options(options)?);
        done(slf.py(), session).map(|session| Session::new(slf.unbind(), session))
    }

    /// Goes on with a session that `Session.save` wrote.
    #[pyo3(signature = (saved, **options), text_signature = "($self, /, saved, *, probes=None)")]
    fn restore(
        slf: Bound<'_, Self>,
        saved: &Bound<'_, PyString>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Session> {
        let (saved, options) = (utf8_limited(saved)?, self::options(options)?);
        let (py, inner) = (slf.py(), &slf.get().inner);
        let session = py.detach(|| inner.restore(saved, options));
        done(py, session).map(|session| Session::new(slf.unbind(), session))
    }

    /// Lets the probes of plugins fill what the context does not say: the context, and diagnostics.
    #[pyo3(signature = (context=None))]
    fn probe<'py>(
        &self,
        py: Python<'py>,
        context: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let context = context_from(py, context)?;
        let probed = component::building(py, || self.inner.probe(&context))?;
        let (context, diagnostics) = done(py, probed)?;
        Ok((told(py, context.as_json())?, told(py, &diagnostics)?))
    }

    /// A parser for one reply, by default with the tools of this engine's packs.
    #[pyo3(signature = (**options), text_signature = "($self, /, *, mode=None, dialect=None, specs=None, tools=None, params=None, raw=None, variant=None, typed=None, fenced_calls=None, starts_in_reasoning=None, call_ends_reasoning=None, tag_suffix=None)")]
    fn parser(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Parser> {
        done(py, self.inner.parser(self::options(options)?)).map(Parser::new)
    }

    /// Every mistake of loading, and what a closer look shows.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        told(py, &done(py, py.detach(|| self.inner.check()))?)
    }

    /// Every mistake of loading.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        told(py, &self.inner.diagnostics())
    }
}

/// Names the program that the wheel brings along, where nobody else does.
fn plugin_host(py: Python<'_>, options: &mut Json) -> PyResult<()> {
    let Some(Json::Object(plugins)) = options.get_mut("plugins") else { return Ok(()) };
    if plugins.get("host").is_some_and(|host| !host.is_null()) {
        return Ok(());
    }
    let host = py.import("promptweave")?.getattr("plugin_host")?.call0()?;
    if let Some(host) = host.extract::<Option<String>>()? {
        plugins.insert("host".into(), host.into());
    }
    Ok(())
}
