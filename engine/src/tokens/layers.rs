//! The layers of a prompt as JSON, each with its tokens.
//!
//! In: a finished prompt. Out: each layer with its content and its tokens. Never: leaves out what stands between sections.

use serde_json::{Value as Json, json};

use super::TokenCounter;
use crate::prompt::{Prompt, TextLayer, TextLayerKind, milliseconds};

impl TokenCounter {
    /// The prompt in layers: `{prompt, layers: [{name, content, origin, cache, bytes, tokens, token_method, ms, start}],
    /// between: […], skipped}`.
    ///
    /// `layers` are the sections and the texts of the request in their order, `between`, with the same keys, what stands
    /// between them: each is `content` at the byte `start` of `prompt`, and together they are all of it. Tokens are those of
    /// each content by itself: their sum may differ from the count of the whole.
    pub fn layers(&self, prompt: &Prompt) -> Json {
        let (between, layers): (Vec<_>, Vec<_>) =
            prompt.layers().into_iter().partition(|layer| layer.kind == TextLayerKind::Between);
        let all = |list: Vec<TextLayer>| -> Json {
            list.iter().map(|layer| self.layer(prompt, layer)).collect()
        };
        json!({
            "prompt": prompt.text(), "layers": all(layers), "between": all(between),
            "skipped": prompt.skipped(),
        })
    }

    fn layer(&self, prompt: &Prompt, layer: &TextLayer) -> Json {
        let content = prompt.text().get(layer.range.clone()).unwrap_or_default();
        let (tokens, method) = self.count(content);
        json!({
            "name": &*layer.name, "content": content, "origin": layer.origin.to_json(),
            "cache": layer.class.as_str(), "bytes": content.len(), "tokens": tokens,
            "token_method": method.to_string(), "ms": milliseconds(layer.took),
            "start": layer.range.start,
        })
    }
}
