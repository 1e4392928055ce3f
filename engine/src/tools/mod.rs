//! Which tools the model has, and how they are told to it.
//!
//! In: a variant, the registry and the context; conditions and templates through [`Evaluate`]. Out: the effective tools,
//! first their ids alone, then their wording; their text form; their declarations for a provider's API.
//! Never: evaluates a condition or a template itself, or drops anything without a diagnostic.

mod described;
mod effective;
mod name;
mod native;
#[cfg(test)]
mod tests;
mod text;
mod worded;

pub(crate) use described::Described;
pub(crate) use effective::{Classed, EffectiveIds, Evaluate, Offer};
pub(crate) use native::declare;
pub use native::{Declared, DeclaredName, Dialect};
pub(crate) use text::{Docs, tool_doc, tool_docs};
pub(crate) use worded::EffectiveTool;
pub use worded::ToolSource;
