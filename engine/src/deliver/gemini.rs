//! Gemini's `generateContent`.
//!
//! Shapes from its API reference: `systemInstruction` and `contents` hold parts; the model stands in the path; equal prefixes
//! are cached by themselves. Gemma has no system instruction: the prompt begins the user's first message there.

use serde_json::{Map, Value as Json, json};

use super::plan::Plan;
use super::{Payload, add, object};

/// The models without a system instruction.
const WITHOUT_SYSTEM: &str = "gemma";

pub(super) fn generate(plan: Plan<'_>) -> Payload {
    let Plan { model, tools, system, user, .. } = plan;
    let text = |text: String| object([("text", text.into())]);
    let system = system.into_iter().map(|part| text(part.apart()));
    let user = user.into_iter().map(|(said, _)| text(said.to_owned()));
    let mut body = Map::new();
    let first: Vec<Json> = if model.to_lowercase().contains(WITHOUT_SYSTEM) {
        system.chain(user).collect()
    } else {
        let parts: Vec<Json> = system.collect();
        if !parts.is_empty() {
            body.insert("systemInstruction".into(), object([("parts", parts.into())]));
        }
        user.collect()
    };
    let contents = (!first.is_empty()).then(|| json!({ "role": "user", "parts": first }));
    body.insert("contents".into(), contents.into_iter().collect());
    if !tools.is_empty() {
        add(&mut body, "tools", vec![object([("functionDeclarations", tools.into())])]);
    }
    Payload { headers: Default::default(), body: body.into() }
}
