//! What a provider's cache has of a request from the one before it, and what that costs.
//!
//! In: contexts in the order of their requests. Out: a [`CacheStep`] for each: the common prefix, what broke it and why,
//! tokens and prices by the model data; [`CacheTotals`] of all of them. Never: asks a provider, reads a clock, or keeps
//! more than the request before.

mod cause;
mod follow;
mod json;
mod step;
mod tools;
mod totals;
mod turn;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use step::{CacheBreak, CachePlace, CachePrice, CacheStep, CacheUsage, CommonPrefix};
pub use totals::{CacheTotals, CauseTotals};

use crate::deliver::{Delivery, Target, TtlLatch};
use crate::engine::Engine;
use crate::error::Error;
use crate::facts::{Facts, Marks, Ttl};
use crate::model::Context;
use crate::prompt::Prompt;
use crate::select::Ask;
use crate::tokens::TokenCounter;
use tools::Tools;
use turn::Turn;

/// Measures how much of each request a provider's cache has from the request before.
///
/// A request is what [`deliver`](crate::deliver) makes of a prompt: tools, the request's prefix, the text, the user context,
/// with the marks that its provider takes. Two things are assumed: that each request comes within the life of what the one
/// before it left in the cache, and that nothing older is there. The attribution block and the messages of the host are not
/// counted.
///
/// `Send` and `Sync`.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use promptweave::{Ask, CacheMeter, CacheTotals, Context, Engine, Error, MemorySource};
///
/// let pack = MemorySource::new("acme", [
///     ("pack.toml", "format = 1\nname = 'acme'\nversion = '1'"),
///     ("generic.toml", "order = ['role', 'clock']"),
///     ("components/role.md", "You are a coding agent."),
///     ("components/clock.md", "It is {{time}}."),
/// ]);
/// let engine = Engine::builder().pack(pack).build()?;
/// let contexts = ["09:00", "09:00", "09:01"].map(|time| {
///     Context::from_json(&format!(r#"{{ "model": {{ "id": "claude-opus-5" }}, "time": "{time}" }}"#))
/// });
///
/// let (mut totals, mut broken) = (CacheTotals::default(), Vec::new());
/// let contexts = contexts.into_iter().map(|context| Ok::<_, Error>(context?));
/// CacheMeter::new(&engine, Ask::default()).follow(NonZeroUsize::MIN, contexts, Ok, |step| {
///     totals.add(&step);
///     broken.extend(step.broken.map(|broken| broken.cause()));
///     Ok(())
/// })?;
/// assert_eq!((totals.requests, broken), (3, vec!["time".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CacheMeter {
    engine: Engine,
    ask: Ask,
    one_hour: Vec<String>,
    models: Mutex<Models>,
}

/// How requests for one model are marked, counted and priced.
#[derive(Debug)]
pub(crate) struct Billing {
    /// With the life that the model has by itself.
    usual: Delivery,
    /// With an hour, where the model has it.
    hour: Delivery,
    counter: TokenCounter,
}

/// By provider and model.
type Models = BTreeMap<(Arc<str>, Arc<str>), Arc<Billing>>;

/// For how many models the facts are remembered; then all are forgotten.
const MAX_MODELS: usize = 1024;

impl CacheMeter {
    /// Measures prompts of an engine.
    pub fn new(engine: &Engine, ask: Ask) -> Self {
        Self { engine: engine.clone(), ask, one_hour: Vec::new(), models: Mutex::default() }
    }

    /// Lets entries live for an hour for these query sources, as [`TtlLatch::ttl`] reads them.
    #[must_use]
    pub fn one_hour(self, sources: Vec<String>) -> Self {
        Self { one_hour: sources, ..self }
    }

    /// Builds the request of a context; `before` are the tools of the request before.
    fn turn(&self, context: Context, before: Option<&Tools>) -> Result<Turn, Error> {
        let prompt = self.engine.prompt_for(&context, &self.ask)?;
        let billing = self.billing(&prompt);
        let delivery = match self.ttl(&prompt) {
            Ttl::OneHour => &billing.hour,
            Ttl::FiveMinutes | Ttl::ThirtyMinutes => &billing.usual,
        };
        let dialect = delivery.target.dialect();
        let tools = match before.filter(|before| before.hold_in(&context, dialect)) {
            Some(same) => same.clone(),
            None => Tools::new((&self.engine, &self.ask), &context, dialect)?,
        };
        Ok(Turn::new((context, prompt), tools, delivery, &billing))
    }

    fn ttl(&self, prompt: &Prompt) -> Ttl {
        if self.one_hour.is_empty() {
            return Ttl::default();
        }
        // The list never changes, so that there is nothing to be kept.
        TtlLatch::default().ttl(prompt.query_source().unwrap_or_default(), &self.one_hour)
    }

    fn billing(&self, prompt: &Prompt) -> Arc<Billing> {
        let caching = prompt.caching();
        let key = (caching.provider.clone().unwrap_or_default(), Arc::clone(&caching.model));
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = models.get(&key) {
            return Arc::clone(known);
        }
        if models.len() >= MAX_MODELS {
            models.clear();
        }
        let facts = self.engine.facts(caching.provider.as_deref(), &caching.model);
        let billing = Arc::new(Billing::new(facts));
        models.insert(key, Arc::clone(&billing));
        billing
    }
}

impl Billing {
    fn new(facts: Facts) -> Self {
        let counter = TokenCounter::new(&facts);
        let usual = Delivery::new(target(&facts), facts);
        let hour = Delivery { ttl: Ttl::OneHour, ..usual.clone() };
        Self { usual, hour, counter }
    }

    fn facts(&self) -> &Facts {
        &self.usual.facts
    }
}

/// The API of a model's provider; a provider that only a host's data knows takes marks as Claude's other services do.
fn target(facts: &Facts) -> Target {
    let known = Target::ALL.iter().copied().find(|target| target.provider() == &*facts.provider);
    known.unwrap_or(match facts.marks {
        Marks::Explicit | Marks::OutsideTools => Target::Vertex,
        Marks::Automatic | Marks::None => Target::OpenAiCompatible,
    })
}
