//! What an engine knows about models: deliveries, counters of tokens.

use super::Engine;
use crate::deliver::{Delivery, Target};
use crate::diagnostic::Diagnostic;
use crate::facts::{Facts, ModelData};
use crate::load;
use crate::prompt::Prompt;
use crate::tokens::TokenCounter;

impl Engine {
    /// What is known about a model at a provider; `provider` is a name of the model data, e.g. `anthropic`. Without one, or
    /// with one that the data does not have, the first provider that lists the model.
    pub fn facts(&self, provider: Option<&str>, model: &str) -> Facts {
        self.known_models().facts_anywhere(provider, model)
    }

    /// A delivery to an API; `model` is its id there. One serves all prompts for the model.
    pub fn delivery(&self, target: Target, model: &str) -> Delivery {
        Delivery::new(target, self.known_models().facts(target.provider(), model))
    }

    /// A counter of the tokens that a prompt's model takes its text for.
    pub fn token_counter(&self, prompt: &Prompt) -> TokenCounter {
        let caching = prompt.caching();
        TokenCounter::new(&self.facts(caching.provider.as_deref(), &caching.model))
    }

    /// The model data in force.
    pub(super) fn known_models(&self) -> &ModelData {
        self.0.model_data.as_ref().unwrap_or_else(|| load::shipped_facts())
    }
}

/// The shipped data with files laid over it, in order; none without any.
pub(super) fn overlaid(files: &[(String, String)]) -> (Option<ModelData>, Vec<Diagnostic>) {
    let (mut data, mut told) = (None, Vec::new());
    for (name, text) in files {
        let (above, of_file) = load::read_facts(name, text);
        let below = data.unwrap_or_else(|| load::shipped_facts().clone());
        data = Some(below.overlaid(above));
        told.extend(of_file);
    }
    (data, told)
}
