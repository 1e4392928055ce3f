//! Prompts of one session: what was said once is said again, byte by byte, until the host resets it.
//!
//! In: an engine, a clock, contexts. Out: prompts, with a note for each section that had to change; the session as text
//! and back. Never: reads a clock; what code read outside of the context stays as it was.

mod between;
mod drift;
mod notes;
mod saved;
mod screen;
mod state;
mod watched;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::Engine;
use crate::error::Error;
use crate::facts::Ttl;
use crate::model::Context;
use crate::prompt::Prompt;
use crate::select::Ask;
use state::{Probing, State};

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
        self.state().prompt(context, ask)
    }

    /// How long entries of this query source may live: [`TtlLatch::ttl`](crate::TtlLatch::ttl), decided once until
    /// the session is reset. [`Prompt::query_source`] says what the context calls it.
    pub fn ttl(&self, source: &str, allowed: &[impl AsRef<str>]) -> Ttl {
        self.state().ttls.ttl(source, allowed)
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
