//! Runs of bytes with one origin, and the places where a value decided.
//!
//! In: what tracing recorded. Out: [`Span`] and [`Hinge`], as they are shown. Never: looks at the text.

use std::ops::Range;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value as Json;

use crate::diagnostic::{Origin, tree};
use crate::trace::CacheClass;

/// A run of bytes with one origin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Span {
    /// Where it stands.
    pub range: Range<usize>,
    /// What wrote it.
    pub kind: SpanKind,
    /// The section or placeholder, by name.
    pub id: Option<Arc<str>>,
    /// How stable it is.
    pub class: CacheClass,
    /// Where it comes from.
    pub origin: Origin,
}

impl Span {
    /// `{start, end, kind, id, class, origin}`; `start` and `end` are bytes.
    pub fn to_json(&self) -> Json {
        tree(self)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { range, kind, id, class, origin } = self;
        let mut span = to.serialize_struct("Span", 6)?;
        span.serialize_field("class", class.as_str())?;
        span.serialize_field("end", &range.end)?;
        span.serialize_field("id", &id.as_deref())?;
        span.serialize_field("kind", kind.as_str())?;
        span.serialize_field("origin", origin)?;
        span.serialize_field("start", &range.start)?;
        span.end()
    }
}

/// What wrote a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// The base template's own text.
    Template,
    /// A component.
    Section,
    /// A placeholder of the base template that is no section.
    Placeholder,
    /// Tidying, or a separator.
    Tidy,
}

impl SpanKind {
    /// `template`, `section`, `placeholder` or `tidy`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Section => "section",
            Self::Placeholder => "placeholder",
            Self::Tidy => "tidy",
        }
    }
}

/// A place where a value that is not static decided what stands there, even when it printed nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hinge {
    /// Where in the text.
    pub at: usize,
    /// The class of what decided.
    pub class: CacheClass,
    /// What decided, e.g. `user.language`.
    pub cause: Arc<str>,
    /// The tag that asked.
    pub origin: Origin,
}

impl Hinge {
    /// `{at, class, cause, origin}`; `at` is a byte.
    pub fn to_json(&self) -> Json {
        tree(self)
    }
}

impl Serialize for Hinge {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { at, class, cause, origin } = self;
        let mut hinge = to.serialize_struct("Hinge", 4)?;
        hinge.serialize_field("at", at)?;
        hinge.serialize_field("cause", &**cause)?;
        hinge.serialize_field("class", class.as_str())?;
        hinge.serialize_field("origin", origin)?;
        hinge.end()
    }
}
