//! Payloads for the APIs of providers.
//!
//! In: a built prompt, an API. Out: `{headers, body}` as JSON. Never: sends anything.

use promptweave::{Diagnostic, Error, Target, Ttl, WireScope};
use serde_json::{Value as Json, json};

use crate::built::Built;

/// What a payload should be like.
#[derive(Clone, Debug, Default)]
pub struct PayloadOptions {
    /// How long entries may live, where that is said.
    pub ttl: Option<Ttl>,
    /// Whether the undocumented scope of global blocks is in the request.
    pub wire_scope: WireScope,
    /// What routes requests with the same prefix to the same cache.
    pub cache_key: Option<String>,
}

/// The payload of a built prompt, with its tools, and what there is to tell.
///
/// # Errors
/// Those of [`Engine::declare_tools`](promptweave::Engine::declare_tools).
pub fn payload(
    built: &Built,
    target: Target,
    options: &PayloadOptions,
) -> Result<(Json, Vec<Diagnostic>), Error> {
    let Built { engine, context, prompt, .. } = built;
    let declared = engine.declare_tools(context, prompt.ask(), target.dialect())?;
    let mut delivery = engine.delivery(target, context.text("model.id").unwrap_or_default());
    if let Some(ttl) = options.ttl {
        delivery.ttl = ttl;
    }
    delivery.wire_scope = options.wire_scope;
    delivery.cache_key = options.cache_key.as_deref().map(Into::into);
    let (payload, told) = promptweave::deliver(prompt, declared.tools, &delivery);
    let told = declared.diagnostics.into_iter().chain(told).collect();
    Ok((json!({ "headers": payload.headers, "body": payload.body }), told))
}
