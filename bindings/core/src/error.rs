//! Why a call gave nothing.
//!
//! In: errors of the engine, of options, of calls that cannot be. Out: [`Error`], with code, message, place and help.
//! Never: holds the text of a prompt or a value of the context.

use std::fmt;
use std::ops::Range;

use promptweave::{Diagnostic, Origin};
use serde_json::{Value as Json, json};

/// What a caller did that cannot be; the engine has codes of its own beside these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misuse {
    /// Options are no JSON, have an unknown key or a value of a wrong type.
    OptionsInvalid,
    /// There is no API of that name to deliver to.
    TargetUnknown,
    /// No provider stops for the reason of that name.
    StopReasonUnknown,
    /// There is no dialect of that name, or its table is none.
    DialectUnknown,
    /// The tools of a parser cannot be read, or have a name that is no tag.
    ToolsInvalid,
    /// A component of the host called the engine that was calling it.
    EngineReentered,
    /// An input is larger than [`MAX_INPUT_BYTES`](crate::MAX_INPUT_BYTES).
    InputTooLarge,
    /// A text is not UTF-8.
    NotUtf8,
    /// A pointer is NULL that must not be.
    PointerNull,
    /// A handle was freed, or never was one of that kind.
    HandleInvalid,
    /// A parser is in use on another thread.
    ThreadWrong,
    /// The binding itself failed; a report of it is welcome.
    Panicked,
}

impl Misuse {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::OptionsInvalid,
        Self::TargetUnknown,
        Self::StopReasonUnknown,
        Self::DialectUnknown,
        Self::ToolsInvalid,
        Self::EngineReentered,
        Self::InputTooLarge,
        Self::NotUtf8,
        Self::PointerNull,
        Self::HandleInvalid,
        Self::ThreadWrong,
        Self::Panicked,
    ];

    /// The name that tools see, in kebab case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OptionsInvalid => "options-invalid",
            Self::TargetUnknown => "target-unknown",
            Self::StopReasonUnknown => "stop-reason-unknown",
            Self::DialectUnknown => "dialect-unknown",
            Self::ToolsInvalid => "tools-invalid",
            Self::EngineReentered => "engine-reentered",
            Self::InputTooLarge => "input-too-large",
            Self::NotUtf8 => "not-utf8",
            Self::PointerNull => "pointer-null",
            Self::HandleInvalid => "handle-invalid",
            Self::ThreadWrong => "thread-wrong",
            Self::Panicked => "panicked",
        }
    }
}

/// Why a call gave nothing.
#[derive(Clone, Debug)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    code: &'static str,
    message: String,
    origin: Origin,
    help: Option<String>,
}

impl Error {
    /// An error of the caller, with what to do about it.
    pub fn new(misuse: Misuse, message: impl Into<String>, help: &str) -> Self {
        let (message, help) = (message.into(), Some(help.to_owned()));
        Self(Box::new(Parts { code: misuse.as_str(), message, origin: Origin::Engine, help }))
    }

    /// A stable name for tools, e.g. `no-variant`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What happened: lower case, no full stop, names in backticks.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Where, as far as it is known.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// The bytes of the file that it is about, from first to behind the last.
    pub fn span(&self) -> Option<Range<usize>> {
        match &self.0.origin {
            Origin::File { span, .. } => Some(span.clone()),
            Origin::Engine | Origin::Line { .. } | Origin::Item { .. } | Origin::Context(_) => None,
        }
    }

    /// `{code, message, origin, help}`, as in diagnostics.
    pub fn to_json(&self) -> Json {
        let Parts { code, message, origin, help } = &*self.0;
        json!({ "code": code, "message": message, "origin": origin.to_json(), "help": help })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl From<promptweave::Error> for Error {
    fn from(error: promptweave::Error) -> Self {
        Self(Box::new(Parts {
            code: error.code(),
            message: error.to_string(),
            origin: error.origin().clone(),
            help: error.help().map(str::to_owned),
        }))
    }
}

/// Diagnostics as a JSON array.
pub(crate) fn told(diagnostics: &[Diagnostic]) -> Json {
    diagnostics.iter().map(Diagnostic::to_json).collect()
}
