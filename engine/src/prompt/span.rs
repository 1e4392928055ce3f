//! Runs of bytes with one origin, and the places where a value decided.
//!
//! In: what tracing recorded. Out: [`Span`] and [`Hinge`], as they are shown. Never: looks at the text.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::diagnostic::Origin;
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
        let mut json = json!({
            "start": self.range.start, "end": self.range.end, "kind": self.kind.as_str(),
            "id": self.id.as_deref(), "class": self.class.as_str(),
        });
        // Not within `json!`, which would copy it.
        json["origin"] = self.origin.to_json();
        json
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
        json!({
            "at": self.at, "class": self.class.as_str(), "cause": &*self.cause,
            "origin": self.origin.to_json(),
        })
    }
}
