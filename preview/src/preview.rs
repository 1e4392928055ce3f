//! What is asked: the engine in force, sessions, events.
//!
//! In: an engine, and another one after each reload. Out: [`Preview`], of which each request takes a snapshot. Never: changes an
//! engine that a request uses.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use axum::Router;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use promptweave::{Context, Diagnostic, Engine, Prompt, TokenCounter};
use promptweave_loader::Listed;
use promptweave_loopback::{Gate, Shutdown};
use serde_json::Value as Json;

use crate::events::{Events, Happened};
use crate::routes;
use crate::sessions::{SessionLimits, Sessions};
use crate::work::{Threads, Work};

/// The media types that bodies may have.
pub const KINDS: &[&str] = &["application/json", LINES];
/// The type of replies that arrive.
pub(crate) const LINES: &str = "application/x-ndjson";

/// What a preview begins with.
#[derive(Debug)]
pub struct Setup {
    /// The engine.
    pub engine: Engine,
    /// The plugins that were found.
    pub plugins: Vec<Listed>,
    /// What the machine knows: the context of who gives none.
    pub machine: fn() -> Json,
    /// How many sessions there may be.
    pub sessions: SessionLimits,
    /// Threads for work that waits.
    pub threads: usize,
}

/// The packs, asked over HTTP. Cheap to clone.
#[derive(Clone)]
pub struct Preview(Arc<Inner>);

struct Inner {
    current: RwLock<Arc<Loaded>>,
    machine: fn() -> Json,
    pub(crate) sessions: Sessions,
    pub(crate) threads: Threads,
    pub(crate) events: Events,
    generation: Gauge,
    open: Gauge,
}

/// What is in force.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) engine: Engine,
    pub(crate) plugins: Vec<Listed>,
    /// Counters by provider and model: what one counted for a request is known for the next.
    counters: Mutex<BTreeMap<[String; 2], Arc<TokenCounter>>>,
}

/// So many models have a counter; then all are forgotten.
const MAX_COUNTERS: usize = 16;
/// A context of so many bytes makes a build of milliseconds.
const MAX_QUICK_BYTES: usize = 128 << 10;

impl Loaded {
    fn new(engine: Engine, plugins: Vec<Listed>) -> Arc<Self> {
        Arc::new(Self { engine, plugins, counters: Mutex::default() })
    }

    /// What building is like: plugins are processes, and may take their time.
    pub(crate) fn work(&self, bytes: usize) -> Work {
        let waits = self.plugins.iter().any(|plugin| plugin.runs.is_some());
        if waits || bytes > MAX_QUICK_BYTES { Work::Slow } else { Work::Quick }
    }

    /// The counter of a prompt's model.
    pub(crate) fn counter(&self, context: &Context, prompt: &Prompt) -> Arc<TokenCounter> {
        let key = ["provider.id", "model.id"]
            .map(|path| context.text(path).unwrap_or_default().to_owned());
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= MAX_COUNTERS && !counters.contains_key(&key) {
            counters.clear();
        }
        let new = || Arc::new(self.engine.token_counter(prompt));
        Arc::clone(counters.entry(key).or_insert_with(new))
    }
}

impl Preview {
    /// A preview of these packs and plugins.
    pub fn new(setup: Setup) -> Self {
        let Setup { engine, plugins, machine, sessions, threads } = setup;
        let open = Gauge::default();
        let events = Events::new(as_json(engine.diagnostics()));
        Self(Arc::new(Inner {
            current: RwLock::new(Loaded::new(engine, plugins)),
            machine,
            sessions: Sessions::new(sessions, open.clone()),
            threads: Threads::new(threads),
            events,
            generation: Gauge::default(),
            open,
        }))
    }

    /// Registers what it counts.
    pub fn register(&self, registry: &mut Registry) {
        let Inner { generation, open, .. } = &*self.0;
        registry.register("generation", "Reloads since the start", generation.clone());
        registry.register("sessions", "Open sessions", open.clone());
    }

    /// The routes and the page, behind a gate; streams end with the shutdown.
    pub fn app(&self, gate: &Gate, shutdown: &Shutdown) -> Router {
        routes::app(self, gate, shutdown)
    }

    /// Puts another engine in force. Requests that run keep theirs; so do sessions until they are reset.
    pub fn replace(&self, engine: Engine, plugins: Vec<Listed>) {
        let told = engine.diagnostics().to_vec();
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) =
            Loaded::new(engine, plugins);
        let generation = self.0.generation.inc() as u64 + 1;
        self.0.events.tell(Happened::Reload { generation });
        self.tell(&told);
    }

    /// Tells what the newest load had to tell, which may be why it is not in force.
    pub fn tell(&self, diagnostics: &[Diagnostic]) {
        self.0.events.tell(Happened::Diagnostics(Arc::new(as_json(diagnostics))));
    }

    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.0.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn machine(&self) -> Json {
        (self.0.machine)()
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    pub(crate) fn threads(&self) -> &Threads {
        &self.0.threads
    }

    pub(crate) fn events(&self) -> &Events {
        &self.0.events
    }
}

/// Diagnostics as JSON.
pub(crate) fn as_json(all: &[Diagnostic]) -> Json {
    all.iter().map(Diagnostic::to_json).collect()
}

impl fmt::Debug for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preview").field("engine", &self.loaded().engine).finish_non_exhaustive()
    }
}
