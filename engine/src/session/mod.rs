//! Prompts of one session: what was said once is said again, byte by byte, until the host resets it.
//!
//! In: an engine, a clock, contexts. Out: prompts, with a note for each section that had to change; the session as text
//! and back. Never: reads a clock; what code read outside of the context stays as it was.

mod drift;
mod notes;
mod saved;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;

use crate::compose::{Composed, Recall, compose};
use crate::diagnostic::Diagnostic;
use crate::engine::{Engine, Found};
use crate::error::Error;
use crate::model::{ComponentId, Context};
use crate::prompt::Prompt;
use crate::recall::{Desk, Kept, value_at};
use crate::select::Ask;

/// For how many different [`Ask`]s a session remembers its last prompt.
const MAX_LATEST: usize = 32;

/// The date and the time of a session, as its host gives them: the engine reads no clock.
///
/// A context that gives `date` or `time` itself is not touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// What `date` is, e.g. `2026-01-15`.
    pub date: Option<String>,
    /// What `time` is, e.g. `09:30`.
    pub time: Option<String>,
}

impl Clock {
    /// A clock that shows this date.
    pub fn new(date: impl Into<String>) -> Self {
        Self { date: Some(date.into()), time: None }
    }

    /// The same with a time of day.
    #[must_use]
    pub fn time(self, time: impl Into<String>) -> Self {
        Self { time: Some(time.into()), ..self }
    }
}

/// Builds the prompts of one session, so that their bytes stay cached.
///
/// The clock stands still; probes run once; what code answered is kept as long as the context keys that it read have the
/// same values; matchers of code are asked once for each model. All of it until [`Session::reset`]. A note
/// `session-recomputed` tells each section that changed and why.
///
/// `Send` and `Sync`; builds of one session wait for each other.
pub struct Session {
    engine: Engine,
    state: Mutex<State>,
}

/// What a session knows.
struct State {
    /// The engine that the session began with; another one when packs have changed since.
    engine: Engine,
    clock: Clock,
    probes: Probing,
    found: Found,
    kept: Kept,
    gone: BTreeSet<ComponentId>,
    /// The budget that those went for.
    budget: Option<usize>,
    latest: BTreeMap<Ask, Latest>,
    /// What there is to tell with every prompt.
    told: Vec<Diagnostic>,
}

/// Whether the session runs the probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probing {
    Once,
    Never,
}

/// The last prompt of an [`Ask`].
struct Latest {
    /// As the host gave it.
    context: Context,
    /// None where another process built it.
    composed: Option<Composed>,
}

impl Engine {
    /// Begins a session.
    pub fn session(&self, clock: Clock) -> Session {
        let state = State::new(self.clone(), clock, Probing::Once);
        Session { engine: self.clone(), state: Mutex::new(state) }
    }

    /// Goes on with a session that [`Session::save`] wrote, in this process or another one.
    ///
    /// When other packs are loaded now, the session goes on with the text of those it began with until it is reset; each
    /// prompt says so in a note `session-outdated`.
    ///
    /// # Errors
    /// `session-invalid` when the text is not that of a session.
    pub fn restore(&self, saved: &str) -> Result<Session, Error> {
        let state = saved::read(self, saved)?;
        Ok(Session { engine: self.clone(), state: Mutex::new(state) })
    }
}

impl Session {
    /// Builds the prompt of the variant that matches `context`.
    ///
    /// # Errors
    /// Those of [`Engine::prompt`].
    pub fn prompt(&self, context: &Context) -> Result<Prompt, Error> {
        self.prompt_for(context, &Ask::default())
    }

    /// Builds the prompt of the variant that is asked for; hands out the last one when nothing that it was made of has
    /// changed.
    ///
    /// # Errors
    /// Those of [`Engine::prompt_for`].
    #[tracing::instrument(level = "debug", skip_all)]
    pub fn prompt_for(&self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        Ok(self.state().prompt(context, ask)?.asked(context))
    }

    /// Forgets everything but the clock, as after `/clear` or `/compact`; the engine's own packs count from now on.
    pub fn reset(&self) {
        let clock = self.state().clock.clone();
        self.reset_at(clock);
    }

    /// The same, with a clock that shows what it shows now.
    pub fn reset_at(&self, clock: Clock) {
        let mut state = self.state();
        *state = State::new(self.engine.clone(), clock, state.probes);
    }

    /// The same session without probes, for a host whose contexts say it all.
    #[must_use]
    pub fn without_probes(self) -> Self {
        self.state().probes = Probing::Never;
        self
    }

    /// The session as a text for [`Engine::restore`]: JSON, with the files of all packs and the values of all contexts
    /// that prompts were built from. Keep it as safe as those.
    pub fn save(&self) -> String {
        saved::write(&self.state())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a build that panicked left behind is whole: it is changed at the end alone.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("engine", &self.engine).finish_non_exhaustive()
    }
}

impl State {
    fn new(engine: Engine, clock: Clock, probes: Probing) -> Self {
        Self {
            engine,
            clock,
            probes,
            found: Found::new(),
            kept: Kept::default(),
            gone: BTreeSet::new(),
            budget: None,
            latest: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    fn prompt(&mut self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        let Some(Latest { context: before, composed }) = self.latest.remove(ask) else {
            return self.first(context, ask);
        };
        let past = match composed {
            Some(composed) => composed,
            None => self.compose(&before, ask, None)?,
        };
        let changed = changed(&past, &before, context);
        if changed.is_empty() && !past.whole.is_loose && told_alike(&before, context) {
            let prompt = past.prompt.clone();
            self.remember(ask, context, past);
            return Ok(prompt.telling(self.told.clone()));
        }
        let now = match self.compose(context, ask, Some((&past, &changed))) {
            Ok(now) => now,
            Err(error) => {
                self.remember(ask, &before, past);
                return Err(error);
            }
        };
        let registry = self.engine.registry();
        let notes = notes::recomputed(registry, &past, &now, &changed);
        let prompt = now.prompt.clone();
        self.remember(ask, context, now);
        Ok(prompt.telling(self.told.iter().cloned().chain(notes).collect()))
    }

    fn first(&mut self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        let (found, failed) = match self.probes {
            Probing::Once => self.engine.find(context, &self.found),
            Probing::Never => (Found::new(), Vec::new()),
        };
        self.found.extend(found);
        let composed = self.compose(context, ask, None)?;
        let prompt = composed.prompt.clone();
        self.remember(ask, context, composed);
        Ok(prompt.telling(self.told.iter().cloned().chain(failed).collect()))
    }

    fn remember(&mut self, ask: &Ask, context: &Context, composed: Composed) {
        if self.latest.len() >= MAX_LATEST {
            self.latest.pop_first();
        }
        let latest = Latest { context: context.clone(), composed: Some(composed) };
        self.latest.insert(ask.clone(), latest);
    }

    fn compose(
        &mut self,
        context: &Context,
        ask: &Ask,
        past: Option<(&Composed, &BTreeSet<Arc<str>>)>,
    ) -> Result<Composed, Error> {
        let context = &self.complete(context);
        let budget = ask.budget.or(context
            .get("request.budget")
            .and_then(|most| most.as_u64().map(|most| most as usize)));
        // A budget that grew has room again.
        if budget > self.budget || budget.is_none() {
            self.gone.clear();
        }
        self.budget = budget;
        let desk = Desk::new(std::mem::take(&mut self.kept));
        let mut recall = Recall { desk: &desk, gone: &mut self.gone, past };
        let composed = compose(&self.engine.loaded(), context, ask, Some(&mut recall));
        self.kept = desk.into_kept();
        let composed = composed?;
        self.engine.strictly(composed.prompt.diagnostics())?;
        Ok(composed)
    }

    /// The context with what the clock shows and the probes found, where the host gives nothing.
    fn complete(&self, context: &Context) -> Context {
        let Clock { date, time } = &self.clock;
        let shown = [("date", date), ("time", time)];
        let shown = shown.into_iter().filter_map(|(key, text)| Some((key, json!(text.as_ref()?))));
        let found = self.found.iter();
        let found = found.filter_map(|(key, value)| Some((key.as_str(), value.clone()?)));
        let mut complete = context.clone();
        for (key, value) in found.chain(shown) {
            if complete.get(key).is_none() {
                complete = complete.with(key, value);
            }
        }
        complete
    }
}

/// The keys that the last build read and that have other values now.
fn changed(past: &Composed, before: &Context, now: &Context) -> BTreeSet<Arc<str>> {
    if now.is_clone_of(before) {
        return BTreeSet::new();
    }
    // Keys of one root stand together, and most roots are the same.
    let (mut root, mut is_same) = (None, false);
    let keys = past.whole.keys.iter().filter(|key| {
        let own = key.split('.').next().unwrap_or_default();
        if root != Some(own) {
            (root, is_same) = (Some(own), value_at(before, own) == value_at(now, own));
        }
        !is_same && value_at(before, key) != value_at(now, key)
    });
    keys.cloned().collect()
}

/// Whether both contexts have the same mistakes.
fn told_alike(one: &Context, other: &Context) -> bool {
    let messages = |context: &Context| -> Vec<String> {
        context.diagnostics().iter().map(|told| told.message.clone()).collect()
    };
    one.diagnostics().is_empty() && other.diagnostics().is_empty()
        || messages(one) == messages(other)
}
