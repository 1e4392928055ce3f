//! The native half of the Python package `promptweave`.
//!
//! In: Python's values. Out: the bindings' engine, sessions, prompts and parsers as Python's. Never: decides anything itself.

#[cfg(feature = "bench")]
mod bench;
mod component;
mod engine;
mod error;
mod events;
mod held;
mod memo;
mod parser;
mod prompt;
mod session;
mod text;
mod told;
mod value;

/// What `promptweave/__init__.py` hands on.
#[pyo3::pymodule(gil_used = true)]
mod _promptweave {
    #[cfg(feature = "bench")]
    #[pymodule_export]
    use super::bench::_bench;
    #[pymodule_export]
    use super::component::Component;
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::events::Events;
    #[pymodule_export]
    use super::parser::Parser;
    #[pymodule_export]
    use super::prompt::{Payload, Prompt};
    #[pymodule_export]
    use super::session::Session;

    use std::sync::atomic::{AtomicI64, Ordering};

    use pyo3::exceptions::PyImportError;
    use pyo3::ffi;
    use pyo3::prelude::*;

    /// No interpreter has this number.
    const NONE: i64 = -1;
    /// The interpreter that loaded it: what is kept for good belongs to that one.
    static LOADED_BY: AtomicI64 = AtomicI64::new(NONE);

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        // SAFETY: an interpreter is held.
        let own = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
        let first = LOADED_BY.compare_exchange(NONE, own, Ordering::SeqCst, Ordering::SeqCst);
        match first {
            Err(other) if other != own => Err(PyImportError::new_err(
                "promptweave works in one interpreter of a process alone",
            )),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The version of the engine.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
