//! What went wrong or deserves a word, with its place.
//!
//! In: nothing. Out: [`Diagnostic`], made of a stable [`Code`], a message, an [`Origin`] and a help line.
//! Never: prints, logs, or holds the text of a prompt or a value of the context.

mod codes;
mod origin;
mod suggest;

use std::fmt;

pub use codes::Code;
pub use origin::{Origin, SourceFile, SourceText};
pub(crate) use suggest::{did_you_mean, listed};

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; never fails anything.
    Note,
    /// The prompt was built, but likely not as meant; an error in strict mode.
    Warning,
    /// Something was left out: a file, a table, a variant.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing to tell the reader of a pack, a build or a check.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which rule spoke; stable, for tools.
    pub code: Code,
    /// How much it matters; the code's own unless raised.
    pub severity: Severity,
    /// What happened: lower case, no full stop, names in backticks.
    pub message: String,
    /// Where.
    pub origin: Origin,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic with the code's own severity and no help line.
    pub fn new(code: Code, message: impl Into<String>, origin: Origin) -> Self {
        Self { code, severity: code.severity(), message: message.into(), origin, help: None }
    }

    /// The same with a help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same in JSON: `{code, severity, message, origin, help}`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code.as_str(), "severity": self.severity.as_str(), "message": self.message,
            "origin": self.origin.to_json(), "help": self.help,
        })
    }
}

/// `severity[code] origin: message`, on one line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, code) = (self.severity.as_str(), self.code.as_str());
        write!(f, "{severity}[{code}] {}: {}", self.origin, self.message)
    }
}

/// SHA-256 in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
