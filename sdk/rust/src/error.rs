//! Why a call failed.
//!
//! In: any error that can be displayed, or what the host answered. Out: a status and a text for the host.
//! Never: a status that is no failure.

use std::fmt::{self, Display};

use promptweave_abi::Status;

/// A failed call: the host drops what was written, and warns with this text.
///
/// `?` turns every error that can be displayed into one, with [`Status::E_PLUGIN`]; so it displays
/// nothing itself, and [`message`](Self::message) has its text. What a method of [`Cx`](crate::Cx)
/// returns keeps the host's own status: pass it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: String,
}

impl Error {
    /// A failure with a status of its own; one that is no failure becomes [`Status::E_PLUGIN`].
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        let status = if status.is_failure() { status } else { Status::E_PLUGIN };
        Self { status, message: message.into() }
    }

    /// The context lacks what is needed, or holds something else there: [`Status::E_CONTEXT`].
    pub fn context(message: impl Into<String>) -> Self {
        Self::new(Status::E_CONTEXT, message)
    }

    /// What the host is told.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What the user is told.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The host refused something.
    pub(crate) fn refused(status: Status, what: What<'_>) -> Self {
        let why = match status {
            Status::E_ARG => "the host cannot read it",
            Status::E_UNDECLARED => "the item does not declare it",
            Status::E_LIMIT => "the output is at its limit",
            Status::E_CANCELLED => "the deadline has passed",
            Status::E_UNSUPPORTED => "the host cannot do this",
            Status(other) => return Self::new(status, format!("{what}: the host says {other}")),
        };
        Self::new(status, format!("{what}: {why}"))
    }
}

/// What a message is about: a noun, and a name where it has one.
#[derive(Clone, Copy)]
pub(crate) struct What<'n>(pub(crate) &'static str, pub(crate) Option<&'n str>);

impl Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(name) => write!(f, "the {} `{name}`", self.0),
            None => write!(f, "the {}", self.0),
        }
    }
}

impl<E: Display> From<E> for Error {
    fn from(error: E) -> Self {
        Self::new(Status::E_PLUGIN, error.to_string())
    }
}
