//! What an answer must know of its request.
//!
//! In: the request's conversion. Out: names and ids. Never: a clock or a random number.

use std::collections::BTreeMap;

use promptweave_reply::Specs;

/// What an answer must know of its request. [`Outgoing`](crate::Outgoing) makes one.
#[derive(Clone, Debug, Default)]
pub struct Answering {
    /// What ids begin with where the provider gives none; unlike that of any other answer of the conversation, such as a
    /// number of the request. Without it the provider's id of the answer is taken.
    pub seed: Option<String>,
    /// The model as the host calls it; none for what the provider says.
    pub model: Option<String>,
    /// Tools' names by those that they were declared with, where they differ.
    pub names: BTreeMap<String, String>,
    /// The tools to look for in text, for models that write their calls; none where calls are native.
    pub text_calls: Option<Specs>,
}

/// What ids begin with where nobody says.
const NO_SEED: &str = "answer";

impl Answering {
    pub(crate) fn seed<'a>(&'a self, id: Option<&'a str>) -> &'a str {
        self.seed.as_deref().or(id).unwrap_or(NO_SEED)
    }

    /// The host's name of a tool.
    pub(crate) fn name<'a>(&'a self, declared: &'a str) -> &'a str {
        self.names.get(declared).map_or(declared, String::as_str)
    }
}
