//! Tests of the tools floor.

mod conformance;
mod effective;
mod native;
mod random;
mod support;

use crate::trace::CacheClass;

/// The text form, for tools that follow the context's list, and servers as they are.
fn docs(tools: &[super::EffectiveTool]) -> super::Docs {
    super::tool_docs(tools, CacheClass::Session, CacheClass::Volatile)
}
