//! What is known about models besides their prompts: what they cache, what it costs, how tokens are counted.
//!
//! In: tables of providers and families. Out: [`Facts`] of one model, and how well it is known.
//! Never: decides what stands in a prompt, or fails because of a model that is new.

mod name;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin};

/// How long an entry of a cache lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ttl {
    /// Five minutes from the last use.
    #[default]
    FiveMinutes,
    /// Thirty minutes at least.
    ThirtyMinutes,
    /// One hour from the last use.
    OneHour,
}

impl Ttl {
    /// All of them, as the data file writes them.
    pub(crate) const WORDS: &[(&str, Self)] =
        &[("5m", Self::FiveMinutes), ("30m", Self::ThirtyMinutes), ("1h", Self::OneHour)];

    /// `5m`, `30m` or `1h`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5m",
            Self::ThirtyMinutes => "30m",
            Self::OneHour => "1h",
        }
    }
}

/// How the end of a prefix that should be cached is told to the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// Marks in the request.
    Explicit,
    /// Marks in the request, but none on tools.
    OutsideTools,
    /// Not at all: equal prefixes are found by themselves.
    Automatic,
    /// Not at all, and nothing is cached.
    #[default]
    None,
}

/// The role of the prompt where it is a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptRole {
    /// `system`.
    #[default]
    System,
    /// `developer`, which newer models of OpenAI want.
    Developer,
}

/// An encoding whose tokens can be counted exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// `o200k_base`.
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

/// The side on which an estimate is mostly wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Errs {
    /// It says more tokens than there are.
    #[default]
    High,
    /// It says fewer.
    Low,
}

/// Prices of input, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Price {
    /// Not cached.
    pub uncached: f64,
    /// Read from the cache.
    pub read: f64,
    /// Written to the cache, for the shortest life.
    pub write: f64,
    /// Written for an hour; none where that cannot be had.
    pub write_1h: Option<f64>,
}

/// How well a model is known, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// The data lists it.
    Model,
    /// The data lists others that are like it; their facts are used.
    Family,
    /// Only its provider is known.
    Provider,
}

/// What is known about one model at one provider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// The model, as it was asked for.
    pub model: Arc<str>,
    /// The provider's name in the data.
    pub provider: Arc<str>,
    /// The family whose facts these are; none when they are the provider's.
    pub family: Option<Arc<str>>,
    /// How well the model is known.
    pub known: Known,
    /// How prefix ends are told.
    pub marks: Marks,
    /// Tokens of the shortest prefix that is cached.
    pub minimum: usize,
    /// The lives that can be asked for; the first is the default.
    pub ttls: Vec<Ttl>,
    /// Whether entries may be shared beyond an organisation.
    pub global_cache: bool,
    /// Tokens that the model can hold.
    pub context_window: Option<usize>,
    /// The role of the prompt where it is a message.
    pub role: PromptRole,
    /// The encoding, where it is public.
    pub encoding: Option<Encoding>,
    /// Bytes of UTF-8 for each token, where they are estimated.
    pub bytes_per_token: f64,
    /// The side on which that estimate is mostly wrong.
    pub errs: Errs,
    /// Prices; none when they are not known.
    pub price: Option<Price>,
    /// The header that must go with a scope on the wire.
    pub scope_beta: Option<Arc<str>>,
    /// The header that must go with an hour.
    pub one_hour_beta: Option<Arc<str>>,
}

/// What is assumed where the data says nothing.
const BYTES_PER_TOKEN: f64 = 3.5;

impl Facts {
    /// A note when the model is not in the data.
    pub(crate) fn unknown(&self) -> Option<Diagnostic> {
        let of = match (self.known, &self.family) {
            (Known::Model, _) => return None,
            (_, Some(family)) => format!("family `{family}`"),
            (_, None) => format!("provider `{}`", self.provider),
        };
        let message =
            format!("model `{}` is not in the model data; that of {of} is used", self.model);
        let told = Diagnostic::new(Code::ModelUnknown, message, Origin::Context("model.id".into()));
        Some(told.help("give the engine a newer file of model data"))
    }

    /// Tokens of so many bytes, estimated.
    pub(crate) fn estimate(&self, bytes: usize) -> usize {
        (bytes as f64 / self.bytes_per_token).ceil() as usize
    }

    /// What the provider's data and a family's come to.
    fn new(model: &str, provider: &str, parts: Parts<'_>, stated: Stated) -> Self {
        let Stated { betas, price, .. } = stated;
        let betas = betas.unwrap_or_default();
        Self {
            model: model.into(),
            provider: provider.into(),
            family: parts.family.map(|family| Arc::clone(&family.id)),
            known: parts.known,
            marks: stated.marks.unwrap_or_default(),
            minimum: stated.minimum.unwrap_or_default(),
            ttls: stated.ttls.unwrap_or_default(),
            global_cache: stated.global_cache.unwrap_or_default(),
            context_window: stated.context_window,
            role: stated.role.unwrap_or_default(),
            encoding: stated.encoding.flatten(),
            bytes_per_token: stated.bytes_per_token.unwrap_or(BYTES_PER_TOKEN),
            errs: stated.errs.unwrap_or_default(),
            price,
            scope_beta: betas.scope,
            one_hour_beta: betas.one_hour,
        }
    }
}

/// What one table of the data says; what it does not say is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stated {
    pub marks: Option<Marks>,
    pub minimum: Option<usize>,
    pub ttls: Option<Vec<Ttl>>,
    pub global_cache: Option<bool>,
    pub context_window: Option<usize>,
    pub role: Option<PromptRole>,
    /// Said to be none: the tokens are estimated.
    pub encoding: Option<Option<Encoding>>,
    pub bytes_per_token: Option<f64>,
    pub errs: Option<Errs>,
    pub price: Option<Price>,
    pub betas: Option<Betas>,
}

/// Headers that go with what a body holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Betas {
    pub scope: Option<Arc<str>>,
    pub one_hour: Option<Arc<str>>,
}

impl Stated {
    /// These facts, and where they say nothing, those of `below`.
    fn over(self, below: &Stated) -> Self {
        Self {
            marks: self.marks.or(below.marks),
            minimum: self.minimum.or(below.minimum),
            ttls: self.ttls.or_else(|| below.ttls.clone()),
            global_cache: self.global_cache.or(below.global_cache),
            context_window: self.context_window.or(below.context_window),
            role: self.role.or(below.role),
            encoding: self.encoding.or(below.encoding),
            bytes_per_token: self.bytes_per_token.or(below.bytes_per_token),
            errs: self.errs.or(below.errs),
            price: self.price.or(below.price),
            betas: self.betas.or_else(|| below.betas.clone()),
        }
    }
}

/// A family of models of one provider.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub id: Arc<str>,
    pub models: Vec<Arc<str>>,
    pub like: Vec<Arc<str>>,
    pub stated: Stated,
}

/// A provider with its families.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provider {
    /// The provider that says what this one does not.
    pub base: Option<Arc<str>>,
    pub stated: Stated,
    pub families: Vec<Family>,
}

/// Facts of all providers, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelData {
    pub providers: BTreeMap<Arc<str>, Provider>,
}

/// The family that was found for a model.
struct Parts<'d> {
    family: Option<&'d Family>,
    known: Known,
}

/// The provider of models that nobody else claims.
const ANY_PROVIDER: &str = "compatible";

impl ModelData {
    /// Lays other data over this, key by key.
    pub(crate) fn overlaid(mut self, above: Self) -> Self {
        for (name, provider) in above.providers {
            let below = self.providers.entry(name).or_default();
            below.base = provider.base.or_else(|| below.base.take());
            below.stated = provider.stated.over(&below.stated);
            for family in provider.families {
                match below.families.iter_mut().find(|known| known.id == family.id) {
                    Some(known) => {
                        known.stated = family.stated.over(&known.stated);
                        for (named, mine) in
                            [(family.models, &mut known.models), (family.like, &mut known.like)]
                        {
                            if !named.is_empty() {
                                *mine = named;
                            }
                        }
                    }
                    None => below.families.push(family),
                }
            }
        }
        self
    }

    /// The facts of a model at a provider of the data.
    pub(crate) fn facts(&self, provider: &str, model: &str) -> Facts {
        let chain = self.chain(provider);
        let parts = find(&chain, model);
        let mut stated = Stated::default();
        // A provider's own word beats a family that it takes from its base.
        for provider in &chain {
            let own = parts.family.filter(|found| provider.has(found));
            let family = own.map(|family| family.stated.clone()).unwrap_or_default();
            stated = stated.over(&family.over(&provider.stated));
        }
        Facts::new(model, provider, parts, stated)
    }

    /// The facts of a model, wherever it is served: at the named provider when the data has it, else at the first that
    /// lists the model.
    pub(crate) fn facts_anywhere(&self, provider: Option<&str>, model: &str) -> Facts {
        let named = provider.map(str::to_lowercase);
        if let Some(name) = named.filter(|name| self.providers.contains_key(name.as_str())) {
            return self.facts(&name, model);
        }
        let all = self.providers.iter().map(|(name, one)| (self.facts(name, model), &one.base));
        // Who makes a model knows more of it than who serves it too.
        let known = all.min_by_key(|(facts, base)| (facts.known, base.is_some()));
        let known = known.map(|(facts, _)| facts);
        let known = known.filter(|facts| facts.known != Known::Provider && !model.is_empty());
        known.unwrap_or_else(|| self.facts(ANY_PROVIDER, model))
    }

    /// A provider and its bases.
    fn chain(&self, provider: &str) -> Vec<&Provider> {
        let mut chain: Vec<&Provider> = Vec::new();
        let mut next = self.providers.get(provider);
        while let Some(provider) =
            next.filter(|next| !chain.iter().any(|c| std::ptr::eq(*c, *next)))
        {
            chain.push(provider);
            next = provider.base.as_ref().and_then(|base| self.providers.get(base));
        }
        chain
    }
}

impl Provider {
    fn has(&self, family: &Family) -> bool {
        self.families.iter().any(|own| std::ptr::eq(own, family))
    }
}

/// The family that lists a model, or one that is like it.
fn find<'d>(chain: &[&'d Provider], model: &str) -> Parts<'d> {
    let model = model.to_lowercase();
    let families = || chain.iter().flat_map(|provider| &provider.families);
    let best = |fits: &dyn Fn(&Family) -> Option<usize>| {
        // Of equals the first: a provider's own before those of its base.
        families()
            .rev()
            .filter_map(|family| Some((fits(family)?, family)))
            .max_by_key(|(len, _)| *len)
    };
    let longest = |names: &[Arc<str>], fits: fn(&str, &str) -> bool| {
        names.iter().filter(|name| fits(&model, name)).map(|name| name.len()).max()
    };
    if let Some((_, family)) = best(&|family| longest(&family.models, name::is_model)) {
        return Parts { family: Some(family), known: Known::Model };
    }
    if let Some((_, family)) = best(&|family| longest(&family.like, name::is_like)) {
        return Parts { family: Some(family), known: Known::Family };
    }
    let known = if model.is_empty() { Known::Model } else { Known::Provider };
    Parts { family: None, known }
}
