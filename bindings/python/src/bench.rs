//! What the bench compares with, in the same process: calls that do nothing, and the same work without Python.
//!
//! In: how often. Out: seconds. Never: in a wheel that is shipped.

/// What `benches/languages.py` asks.
#[pyo3::pymodule]
pub(crate) mod _bench {
    use std::hint::black_box;
    use std::time::Instant;

    use promptweave_bindings::{Engine, Json, context};
    use pyo3::prelude::*;

    use crate::error::done;

    /// Has a method that does nothing.
    #[pyclass(frozen)]
    struct Empty;

    #[pymethods]
    impl Empty {
        #[new]
        fn new() -> Self {
            Self
        }

        fn call(&self, argument: &Bound<'_, PyAny>) {
            black_box(argument);
        }
    }

    /// Builds prompts, and parses the context for each.
    #[pyclass(frozen)]
    struct Rust(Engine);

    #[pymethods]
    impl Rust {
        #[new]
        fn new(py: Python<'_>) -> PyResult<Self> {
            done(py, Engine::new(Json::Null, Vec::new())).map(Self)
        }

        /// The seconds of so many builds.
        fn builds(&self, py: Python<'_>, text: &str, repeats: usize) -> PyResult<f64> {
            let begun = Instant::now();
            for _ in 0..repeats {
                let built = context(text).and_then(|context| self.0.prompt(&context, Json::Null));
                black_box(done(py, built)?.text());
            }
            Ok(begun.elapsed().as_secs_f64())
        }
    }
}
