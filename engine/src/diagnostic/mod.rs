//! What went wrong or deserves a word, with its place.
//!
//! In: nothing. Out: [`Diagnostic`], made of a stable [`Code`], a message, an [`Origin`] and a help line.
//! Never: prints, logs, or holds the text of a prompt or a value of the context.

mod codes;
mod origin;
mod suggest;

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

pub use codes::Code;
pub use origin::{Origin, SourceFile, SourceText};
pub(crate) use suggest::{did_you_mean, listed, within};

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
        let message = shortened(message.into());
        Self { code, severity: code.severity(), message, origin, help: None }
    }

    /// The same with a help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, said of `item` where it has no place of its own.
    pub(crate) fn of(mut self, item: &Origin) -> Self {
        if matches!(self.origin, Origin::Engine) {
            self.origin = item.clone();
        }
        self
    }

    /// The same in JSON: `{code, severity, message, origin, help}`.
    pub fn to_json(&self) -> serde_json::Value {
        tree(self)
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { code, severity, message, origin, help } = self;
        let mut told = to.serialize_struct("Diagnostic", 5)?;
        told.serialize_field("code", code.as_str())?;
        told.serialize_field("help", help)?;
        told.serialize_field("message", message)?;
        told.serialize_field("origin", origin)?;
        told.serialize_field("severity", severity.as_str())?;
        told.end()
    }
}

/// `severity[code] origin: message`, on one line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, code) = (self.severity.as_str(), self.code.as_str());
        write!(f, "{severity}[{code}] {}: {}", self.origin, OneLine(&self.message))
    }
}

/// The most bytes of a message: names are as long as their authors like.
const MAX_MESSAGE_BYTES: usize = 1000;

fn shortened(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_BYTES {
        let ends = (0..MAX_MESSAGE_BYTES).rev().find(|&at| message.is_char_boundary(at));
        message.truncate(ends.unwrap_or_default());
        message.push('…');
    }
    message
}

/// A text on one line: whatever acts on a terminal or a log is written out, as `\n` or `\u{1b}`.
///
/// Names of files and keys are as free as their authors.
pub(crate) struct OneLine<'t>(pub &'t str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(acts) {
            let (before, behind) = rest.split_at(at);
            f.write_str(before)?;
            let mut behind = behind.chars();
            behind.next().map_or(Ok(()), |acting| write!(f, "{}", acting.escape_default()))?;
            rest = behind.as_str();
        }
        f.write_str(rest)
    }
}

/// Control characters, line ends, and what turns the direction of reading.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// What a serializer would write, as a tree of values.
pub(crate) fn tree(shown: &impl Serialize) -> serde_json::Value {
    // What is shown has texts for keys, and fails nowhere else.
    serde_json::to_value(shown).unwrap_or_default()
}

/// A list that is made while it is written.
pub(crate) struct List<F>(pub F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// SHA-256 in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let halves = |byte: &u8| [byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)]);
    sha2::Sha256::digest(bytes).iter().flat_map(halves).collect()
}
