//! A prompt as it is shown.
//!
//! In: a finished prompt. Out: the results of `build`, `explain` and `layers`. Never: builds it.

use std::sync::Arc;

use promptweave::{
    Context, Diagnostic, Engine, JsonOptions, Offsets, Prompt, PromptJson, Severity, TokenCounter,
    TokenReport,
};
use serde_json::{Value as Json, json};

/// A prompt, and what it was built with.
#[derive(Clone, Debug)]
pub struct Built {
    /// The engine.
    pub engine: Engine,
    /// The context, with what was filled in.
    pub context: Context,
    /// The prompt.
    pub prompt: Prompt,
    /// Counts tokens as the prompt's model does; one that is shared remembers what it counted.
    pub counter: Arc<TokenCounter>,
    /// What was told of the context before the build.
    pub probed: Vec<Diagnostic>,
}

impl Built {
    /// A prompt with a counter of its own.
    pub fn new(engine: Engine, context: Context, prompt: Prompt) -> Self {
        let counter = Arc::new(engine.token_counter(&prompt));
        Self { engine, context, prompt, counter, probed: Vec::new() }
    }

    /// With what was told of the context before the build.
    #[must_use]
    pub fn told_before(self, probed: Vec<Diagnostic>) -> Self {
        Self { probed, ..self }
    }

    /// The tokens of the prompt.
    pub fn tokens(&self) -> TokenReport {
        self.counter.report(&self.prompt)
    }

    /// Everything about it, as `schema result` describes.
    pub fn result(&self, offsets: Offsets) -> PromptJson<'_> {
        let options = JsonOptions { offsets, ..JsonOptions::default() };
        self.prompt.json(&options).tokens(self.tokens()).telling(&self.probed)
    }

    /// The same without texts and tokens.
    pub fn explained(&self) -> PromptJson<'_> {
        self.prompt.json(&JsonOptions { without_texts: true, ..JsonOptions::default() })
    }

    /// Its layers, as [`TokenCounter::layers`] describes.
    pub fn layers(&self) -> Json {
        self.counter.layers(&self.prompt)
    }

    /// Its text in runs of one cache scope: `[{text, scope}]`.
    pub fn blocks(&self) -> Json {
        let blocks = self.prompt.blocks();
        blocks.map(|block| json!({ "text": block.text, "scope": block.scope.as_str() })).collect()
    }

    /// Warnings and errors, of loading and of building.
    pub fn grave(&self) -> usize {
        grave(self.engine.diagnostics()) + grave(self.prompt.diagnostics())
    }
}

/// How many are more than notes.
pub(crate) fn grave<'d>(told: impl IntoIterator<Item = &'d Diagnostic>) -> usize {
    told.into_iter().filter(|one| one.severity > Severity::Note).count()
}
