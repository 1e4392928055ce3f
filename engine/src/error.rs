//! The one public error.
//!
//! In: the small errors of the floors. Out: [`Error`], which answers `code`, `origin` and `help`.
//! Never: holds the text of a prompt or a value of the context.

use std::fmt;

use crate::diagnostic::{Diagnostic, OneLine, Origin};
use crate::model::ContextError;

/// Why there is no engine, no variant or no prompt.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
struct Kind {
    code: &'static str,
    message: String,
    origin: Origin,
    help: Option<String>,
    source: Option<ContextError>,
}

impl Error {
    pub(crate) fn new(code: &'static str, message: String, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self(Box::new(Kind { code, message, origin: Origin::Engine, help, source: None }))
    }

    /// A stable name for tools, e.g. `no-variant`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// Where, as far as it is known.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        OneLine(&self.0.message).fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}

impl From<Diagnostic> for Error {
    /// In strict mode the first warning is the error.
    fn from(told: Diagnostic) -> Self {
        let Diagnostic { code, message, origin, help, .. } = told;
        Self(Box::new(Kind { code: code.as_str(), message, origin, help, source: None }))
    }
}

impl From<ContextError> for Error {
    fn from(error: ContextError) -> Self {
        let (message, help) =
            (error.to_string(), Some("give one JSON object; `{}` will do".into()));
        let code = crate::diagnostic::Code::ContextInvalid.as_str();
        Self(Box::new(Kind { code, message, origin: Origin::Engine, help, source: Some(error) }))
    }
}
