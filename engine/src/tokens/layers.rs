//! The layers of a prompt as JSON, each with its tokens.

use serde_json::{Value as Json, json};

use super::TokenCounter;
use crate::prompt::Prompt;

impl TokenCounter {
    /// The prompt in layers: `{prompt, layers: [{name, content, origin, cache, bytes, tokens, token_method, ms}], skipped}`.
    ///
    /// The contents joined, in their order, are the prompt. Tokens are those of each content by itself: their sum may differ
    /// from the count of the whole.
    pub fn layers(&self, prompt: &Prompt) -> Json {
        let layers = prompt.layers().into_iter().map(|layer| {
            let content = prompt.text().get(layer.range.clone()).unwrap_or_default();
            let (tokens, method) = self.count(content);
            json!({
                "name": &*layer.name, "content": content, "origin": layer.origin.to_json(),
                "cache": layer.class.as_str(), "bytes": content.len(), "tokens": tokens,
                "token_method": method.to_string(), "ms": crate::prompt::milliseconds(layer.took),
            })
        });
        let layers: Json = layers.collect();
        let skipped: Json = prompt.skipped().iter().map(|one| one.to_json()).collect();
        json!({ "prompt": prompt.text(), "layers": layers, "skipped": skipped })
    }
}
