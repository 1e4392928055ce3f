//! What the engine knows: ids, components, variants, tools, packs and the context.
//!
//! In: values that the loader or an extension checked. Out: plain data that is always valid.
//! Never: reads files, evaluates anything.

mod component;
mod context;
mod distinct;
mod ids;
mod keys;
mod pack;
mod skipped;
mod tool;
mod variant;

pub(crate) use crate::pattern::{PatternKind, Patterns, Subject};
pub use crate::tidy::TidyMode;
pub(crate) use component::DEFAULT_PRIORITY;
pub use component::{Body, Case, CaseBody, Cases, Component, Select};
pub(crate) use context::dotted;
pub use context::{Context, ContextError};
pub use distinct::DistinctJson;
pub use ids::{ComponentId, InvalidId, PackName, ToolId, VariantId};
pub use keys::{CAPABILITIES, KNOWN_KEYS, KeyType, KnownKey};
pub(crate) use keys::{class_of, default_of, is_key_path, known_key, known_roots};
pub use pack::{DeclaredKey, Pack};
pub use skipped::{SkipReason, Skipped};
pub use tool::{Parameter, Tool, Wording};
pub(crate) use variant::CACHE_BOUNDARY;
pub use variant::{Matcher, NamedMatcher, Override, Placeholder, Step, ToolCalls, Variant};

/// One step of a path: a key of an object, or an index of a list.
pub(crate) fn step_into<'a>(
    value: &'a serde_json::Value,
    step: &str,
) -> Option<&'a serde_json::Value> {
    match value {
        serde_json::Value::Object(map) => map.get(step),
        serde_json::Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}
