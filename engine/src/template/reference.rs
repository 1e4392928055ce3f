//! The names that a template uses.
//!
//! In: nothing. Out: what checks at load ask for.
//! Never: says whether a name exists.

use std::ops::Range;
use std::sync::Arc;

/// A name that a template uses, for checks at load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub kind: ReferenceKind,
    /// Of a path: its segments with dots between.
    pub name: Arc<str>,
    /// Where the name stands in the source; the whole tag where it cannot be told.
    pub range: Range<usize>,
}

/// What a [`Reference`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReferenceKind {
    /// A value that is looked up at the root; printed without arguments it may also be a helper.
    Path,
    /// A helper, built in or not.
    Helper,
    Partial,
    /// The role in `{{tool "role"}}`.
    Role,
    /// The id in `has_tool "id"` and `tool_doc "id"`.
    Tool,
    /// The id in `section "id"`; the path `sections.id` is listed too.
    Section,
}
