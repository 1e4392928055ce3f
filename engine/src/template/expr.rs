//! What stands in a tag: paths, literals and calls, tests of blocks, heads of partials.
//!
//! In: nothing. Out: the words that the reader makes and the evaluator walks.
//! Never: holds a type of the parser.

use std::sync::Arc;

use serde_json::Value as Json;

use super::helpers::Builtin;
use super::token::Span;

/// Something with a value.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Path(Path),
    Local(Local),
    Literal(Json),
    Call(Box<Call>),
}

/// Steps to a value: from a block parameter, the frame that stands `up` frames further out, or the root.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub up: usize,
    /// Whether it begins with `@root`.
    pub root: bool,
    /// Whether it is one plain word, which may name a helper.
    pub bare: bool,
    /// Whether the template itself says that it begins at the root: in no frame, at no parameter.
    pub global: bool,
    /// Empty for `this`.
    pub segments: Box<[Box<str>]>,
    /// The segments with dots between, or as written; one allocation per name and template.
    pub name: Arc<str>,
}

impl Path {
    /// Whether it is the root name `name`, or `sections.name`.
    pub(super) fn prints(&self, name: &str) -> bool {
        self.global
            && match &*self.segments {
                [only] => &**only == name,
                [first, second] => &**first == SECTIONS && &**second == name,
                _ => false,
            }
    }
}

/// The root name under which sections are found.
pub(super) const SECTIONS: &str = "sections";

/// `@index` and its like, of the frame that stands `up` frames further out.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub up: usize,
    pub name: LocalName,
    /// As written.
    pub written: Arc<str>,
}

/// Which local; others have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalName {
    Index,
    Key,
    First,
    Last,
    Unknown,
}

/// A helper and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub function: Function,
    pub name: Arc<str>,
    pub args: Vec<Expr>,
    /// Sorted by key.
    pub hash: Vec<(Box<str>, Expr)>,
    pub tag: Span,
}

/// Which helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Builtin(Builtin),
    /// Of an extension, found by the call's name.
    Host,
}

/// What decides whether the body of a block is printed, and how often.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// A raw block.
    Always,
    /// A truth; lists, objects and texts are true when not empty.
    If {
        value: Expr,
        /// Whether the body is printed when the value is false.
        negate: bool,
        include_zero: Option<Expr>,
    },
    /// Once for each element or entry.
    Each(Expr),
    /// Once, at the value.
    With(Expr),
}

impl Test {
    /// Whether the body has a frame of its own.
    pub(super) fn opens_frame(&self) -> bool {
        match self {
            Self::Always | Self::If { .. } => false,
            Self::Each(_) | Self::With(_) => true,
        }
    }
}

/// The opening tag of a block.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub test: Test,
    /// Names of block parameters: the item, then its key or index.
    pub params: Vec<Box<str>>,
}

/// What a partial tag says.
#[derive(Clone, Debug)]
pub(super) struct PartialHead {
    pub name: PartialName,
    pub context: Option<Expr>,
    /// Sorted by key.
    pub hash: Vec<(Box<str>, Expr)>,
}

/// Which partial.
#[derive(Clone, Debug)]
pub(super) enum PartialName {
    Fixed(Arc<str>),
    Computed(Expr),
}

/// A path as it was read: `up`, `root` and the segments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub up: usize,
    pub root: bool,
    pub segments: Vec<Box<str>>,
}

/// Cuts a path that the grammar accepts; `this` counts for nothing.
pub(super) fn steps(written: &str) -> Steps {
    let separated = |text| strip(text, ".").or_else(|| strip(text, "/"));
    let mut rest = written;
    rest = strip(rest, "./").or_else(|| separated(strip(rest, "this")?)).unwrap_or(rest);
    let behind_root = strip(rest, "@root").and_then(separated);
    rest = behind_root.unwrap_or(rest);
    rest = strip(rest, "@").unwrap_or(rest);
    let mut up = 0;
    while let Some(behind) = strip(rest, "..").and_then(separated) {
        (rest, up) = (behind, up + 1);
    }
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let (segment, behind) = match strip(rest, "[") {
            Some(inner) => inner.split_once(']').unwrap_or((inner, "")),
            None => rest.split_at(rest.find(['.', '/']).unwrap_or(rest.len())),
        };
        if segment != "this" {
            segments.push(segment.into());
        }
        rest = separated(behind).unwrap_or_default();
    }
    Steps { up, root: behind_root.is_some(), segments }
}

fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    text.strip_prefix(prefix)
}
