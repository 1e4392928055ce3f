//! The native half of the Python package `promptweave`.
//!
//! In: Python's values. Out: the bindings' engine, sessions, prompts and parsers as Python's. Never: decides anything itself.

#[cfg(feature = "bench")]
mod bench;
mod component;
mod engine;
mod error;
mod events;
mod parser;
mod prompt;
mod session;
mod told;
mod value;

/// What `promptweave/__init__.py` hands on.
#[pyo3::pymodule(gil_used = true)]
mod _promptweave {
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
    #[cfg(feature = "bench")]
    #[pymodule_export]
    use super::bench::_bench;

    /// The version of the engine.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
