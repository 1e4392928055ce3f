//! What an engine knows about models: deliveries, counters of tokens.
//!
//! In: a model's id, perhaps its provider. Out: [`Facts`], [`Delivery`], [`TokenCounter`]. Never: asks a provider.

use std::collections::BTreeSet;

use super::{Engine, Inner};
use crate::budget::{self, Counter, Counting};
use crate::deliver::{Delivery, Target};
use crate::diagnostic::Diagnostic;
use crate::facts::{Facts, Known, ModelData};
use crate::load;
use crate::model::Context;
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

    /// The ids of the models that the model data lists, each once, by name.
    pub fn model_ids(&self) -> BTreeSet<&str> {
        let families = self.known_models().providers.values().flat_map(|one| &one.families);
        families.flat_map(|family| &family.models).map(AsRef::as_ref).collect()
    }

    /// The providers of the model data, by name.
    pub fn provider_ids(&self) -> impl Iterator<Item = &str> {
        self.known_models().providers.keys().map(AsRef::as_ref)
    }

    /// The model data in force.
    pub(super) fn known_models(&self) -> &ModelData {
        self.0.model_data()
    }
}

impl Inner {
    fn model_data(&self) -> &ModelData {
        self.model_data.as_ref().unwrap_or_else(|| load::shipped_facts())
    }
}

/// The host's counter, that of a model which is known, or an estimate.
impl Counting for Inner {
    fn counter(&self, context: &Context) -> Box<Counter<'_>> {
        if let Some(own) = self.counter {
            return Box::new(move |traced| (own(&traced.text), "the host's count".into()));
        }
        let Some(model) = context.text("model.id") else { return Box::new(budget::estimate) };
        let facts = self.model_data().facts_anywhere(context.text("provider.id"), model);
        if facts.known == Known::Provider {
            return Box::new(budget::estimate);
        }
        let counter = TokenCounter::new(&facts);
        Box::new(move |traced| {
            let edges = traced.places().into_values().flat_map(|place| [place.start, place.end]);
            let (tokens, method) = counter.count_at(&traced.text, edges);
            (tokens, method.to_string())
        })
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
