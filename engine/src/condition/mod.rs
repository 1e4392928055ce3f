//! Conditions: the `when` of variants, components, tools and parameters, written in CEL.
//!
//! In: a text with its origin, and [`Names`], which yields the values of the names that the text mentions.
//! Out: a [`Decision`], or the diagnostics of a text that is not a condition.
//! Never: knows which names exist, reads a value that the text does not mention, or reports a value.

mod functions;
mod json;
mod parse;
mod prepare;
mod run;
mod scan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::diagnostic::{Code, Diagnostic, Origin, SourceText};
use prepare::Program;

/// A condition: text that is compiled when it is first asked, then kept.
#[derive(Clone)]
pub struct Condition(Arc<Inner>);

struct Inner {
    source: Arc<SourceText>,
    program: OnceLock<Result<Program, Flaw>>,
}

/// What a condition said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It was evaluated.
    Holds(bool),
    /// It reads a key that is absent, named by its path; counts as false, without a warning.
    Missing(String),
    /// It could not be evaluated, and why; counts as false.
    Failed(String),
}

/// Yields the values of bare names, e.g. `model` or `ctx`.
pub(crate) trait Names {
    /// The value of a name; none when nothing has that name.
    fn value(&self, name: &str) -> Option<Cow<'_, serde_json::Value>>;
}

impl Condition {
    /// Keeps the source; nothing is compiled yet.
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self(Arc::new(Inner { source, program: OnceLock::new() }))
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.0.source.text
    }

    /// Where it was written.
    pub fn origin(&self) -> &Origin {
        &self.0.source.origin
    }

    /// What is wrong with the text, whatever the names are: its first mistake.
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let flaw = self.program().as_ref().err();
        flaw.map(|flaw| flaw.diagnostic(&self.0.source)).into_iter().collect()
    }

    /// The dotted paths that it reads, as far as they are static, sorted: `ctx.house.style`, `tools`.
    ///
    /// Names that a comprehension binds are not among them. Empty when the text is no condition.
    pub(crate) fn paths(&self) -> &[Box<str>] {
        self.program().as_ref().map_or(&[], Program::paths)
    }

    /// Evaluates it; asks `names` once for each root of [`Self::paths`].
    pub(crate) fn decide(&self, names: &dyn Names) -> Decision {
        match self.program() {
            Ok(program) => run::decide(program, names),
            Err(flaw) => Decision::Failed(flaw.message.clone()),
        }
    }

    fn program(&self) -> &Result<Program, Flaw> {
        self.0.program.get_or_init(|| Program::compile(self.text()))
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.text()).finish()
    }
}

impl Decision {
    /// Whether the condition holds; what is missing or failed does not.
    pub(crate) fn holds(&self) -> bool {
        matches!(self, Self::Holds(true))
    }
}

/// A mistake in the text of a condition.
#[derive(Debug)]
struct Flaw {
    code: Code,
    message: String,
    help: Cow<'static, str>,
    /// Byte range in the text.
    at: Range<usize>,
}

impl Flaw {
    fn new(
        code: Code,
        at: Range<usize>,
        message: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { code, message: message.into(), help: help.into(), at }
    }

    fn diagnostic(&self, source: &SourceText) -> Diagnostic {
        let origin = source.origin_of(self.at.clone());
        Diagnostic::new(self.code, &self.message, origin).help(&*self.help)
    }
}
