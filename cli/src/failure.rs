//! Why a verb ends without its result, and the exit status that says so.

use promptweave::{Code, Diagnostic, Error, Origin};

use crate::console::Console;
use crate::draw::Told;

/// Why a verb ends without its result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was checked is not right, which has been told.
    Check,
    /// The arguments ask for what cannot be.
    Usage(String),
    /// The engine has no prompt to give.
    Engine(Error),
    /// The engine has no prompt to give for one of many contexts, which is named.
    Context(String, Error),
    /// Something that was named cannot be read or written.
    Input(Box<Diagnostic>),
    /// A server does not begin.
    Unserved {
        /// A stable name for tools.
        code: &'static str,
        /// What is in the way.
        message: String,
        /// What to do about it.
        help: &'static str,
    },
    /// Nobody reads standard output any more.
    Closed,
}

impl Failure {
    /// A file that cannot be read or written.
    pub(crate) fn input(message: impl Into<String>, help: &str) -> Self {
        Self::Input(Box::new(
            Diagnostic::new(Code::FileUnreadable, message, Origin::Engine).help(help),
        ))
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Check => 1,
            Self::Usage(_) => 2,
            Self::Engine(error) | Self::Context(_, error) => match error.code() {
                "no-variant" | "unknown-variant" | "unknown-version" => 3,
                "context-invalid" | "session-invalid" => 4,
                _ => 1,
            },
            Self::Input(_) | Self::Unserved { .. } => 4,
        }
    }

    /// Says on standard error what is not said yet.
    pub(crate) fn tell(&self, console: &Console) {
        match self {
            Self::Closed | Self::Check => {}
            Self::Usage(message) => console.tell_all(&[Told::usage(message)]),
            Self::Engine(error) => console.tell_all(&[Told::from(error)]),
            Self::Context(name, error) => console.tell_all(&[Told::from(error).of(name)]),
            Self::Input(diagnostic) => console.tell_all(&[Told::from(&**diagnostic)]),
            Self::Unserved { code, message, help } => {
                console.tell_all(&[Told::error(code, message, help)]);
            }
        }
    }
}

impl Failure {
    /// What there is to tell of it.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let told =
            |message: String| vec![Diagnostic::new(Code::FileUnreadable, message, Origin::Engine)];
        match self {
            Self::Closed | Self::Check => Vec::new(),
            Self::Input(diagnostic) => vec![Diagnostic::clone(diagnostic)],
            Self::Usage(message) | Self::Unserved { message, .. } => told(message.clone()),
            Self::Engine(error) | Self::Context(_, error) => {
                let code = Code::ALL.iter().find(|code| code.as_str() == error.code());
                let code = code.copied().unwrap_or(Code::FileUnreadable);
                let told = Diagnostic::new(code, error.to_string(), error.origin().clone());
                vec![error.help().into_iter().fold(told, Diagnostic::help)]
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}
