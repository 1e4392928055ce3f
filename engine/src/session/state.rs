//! What a session knows, and how it builds the next prompt from the last one.
//!
//! In: a context and what is asked for. Out: the prompt, with what there is to tell of it. Never: forgets the last prompt
//! because the next one fails.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;

use super::between::{Between, told_alike};
use super::watched::Watched;
use super::{Clock, notes};
use crate::build::Sections;
use crate::compose::{Changed, Composed, Recall, Retouch, Touch, compose, retouch};
use crate::deliver::TtlLatch;
use crate::diagnostic::Diagnostic;
use crate::engine::{Engine, Found};
use crate::error::Error;
use crate::model::{ComponentId, Context};
use crate::prompt::{Memory, Prompt};
use crate::recall::{Desk, Kept};
use crate::select::Ask;

/// For how many different [`Ask`]s a session remembers its last prompt.
const MAX_LATEST: usize = 32;

/// What a session knows.
pub(super) struct State {
    /// The engine that the session began with; another one when packs have changed since.
    pub(super) engine: Engine,
    pub(super) clock: Clock,
    pub(super) probes: Probing,
    pub(super) found: Found,
    pub(super) kept: Kept,
    pub(super) watched: Watched,
    /// What query sources were granted.
    pub(super) ttls: TtlLatch,
    pub(super) gone: BTreeSet<ComponentId>,
    /// The budget that those went for.
    pub(super) budget: Option<usize>,
    pub(super) latest: BTreeMap<Ask, Latest>,
    /// What there is to tell with every prompt.
    pub(super) told: Vec<Diagnostic>,
}

/// Whether the session runs the probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probing {
    Once,
    Never,
}

/// The last prompt of an [`Ask`].
pub(super) struct Latest {
    /// As the host gave it.
    pub(super) context: Context,
    /// None where another process built it.
    pub(super) composed: Option<Box<Composed>>,
}

/// The last build, the keys that have other values now, and the sections that were built anew for them.
type Known<'a> = (Option<(&'a Composed, &'a Changed)>, Option<[Sections; 2]>);

impl State {
    pub(super) fn new(engine: Engine, clock: Clock, probes: Probing) -> Self {
        Self {
            engine,
            clock,
            probes,
            found: Found::new(),
            kept: Kept::default(),
            watched: Watched::default(),
            ttls: TtlLatch::default(),
            gone: BTreeSet::new(),
            budget: None,
            latest: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    /// The prompt for a context, with what a session tells of it.
    pub(super) fn prompt(&mut self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        let Some(latest) = self.latest.get_mut(ask) else { return self.first(context, ask) };
        let (before, past) = (latest.context.clone(), latest.composed.take());
        let mut past = match past {
            Some(past) => past,
            None => Box::new(self.compose(&before, ask, (None, None))?),
        };
        let outcome = self.next(&mut past, &before, context, ask);
        let prompt = past.prompt.clone();
        self.remember(ask, if outcome.is_ok() { context } else { &before }, past);
        let told = outcome?;
        Ok(self.telling(prompt, told, context))
    }

    fn first(&mut self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        let (found, failed) = match self.probes {
            Probing::Once => self.engine.find(context, &self.found),
            Probing::Never => (Found::new(), Vec::new()),
        };
        self.found.extend(found);
        let composed = self.compose(context, ask, (None, None))?;
        let prompt = composed.prompt.clone();
        self.remember(ask, context, Box::new(composed));
        Ok(self.telling(prompt, failed, context))
    }

    /// Makes the next prompt of the last one, which stays as it was where that fails: the same, or that with other
    /// sections, or one that is put together anew. Tells what that costs.
    fn next(
        &mut self,
        past: &mut Composed,
        before: &Context,
        context: &Context,
        ask: &Ask,
    ) -> Result<Vec<Diagnostic>, Error> {
        let between = Between::of(before, context);
        let (changed, is_alike) = (between.keys(&past.whole), told_alike(before, context));
        let is_same = changed.is_empty() && !past.whole.is_loose && is_alike;
        let touch = match () {
            () if is_same => None,
            () if is_alike => Some(self.touch(past, &changed, context)),
            () => Some(Touch::Anew),
        };
        let told = match touch {
            None => Ok(Vec::new()),
            Some(Touch::Ready(retouch)) => self.finish(past, retouch, &changed),
            Some(Touch::Rendering(ready)) => {
                self.renew(past, &changed, (context, ask), Some(ready))
            }
            Some(Touch::Anew) => self.renew(past, &changed, (context, ask), None),
        }?;
        if between.is_about_caching() {
            past.prompt = past.prompt.clone().asked(context, ask, Memory::Session);
        } else if !between.is_empty() {
            past.prompt.asked_again(context);
        }
        Ok(told)
    }

    /// Puts sections into the last prompt.
    fn finish(
        &self,
        past: &mut Composed,
        retouch: Retouch,
        changed: &Changed,
    ) -> Result<Vec<Diagnostic>, Error> {
        if let Err(error) = self.engine.strictly(&retouch.told) {
            past.undo(retouch);
            return Err(error);
        }
        let changes = past.apply(retouch);
        Ok(notes::retouched(&changes, &past.prompt, changed))
    }

    /// Puts the prompt together anew.
    fn renew(
        &mut self,
        past: &mut Composed,
        changed: &Changed,
        (context, ask): (&Context, &Ask),
        ready: Option<[Sections; 2]>,
    ) -> Result<Vec<Diagnostic>, Error> {
        let now = self.compose(context, ask, (Some((past, changed)), ready))?;
        let told = notes::recomputed(self.engine.registry(), past, &now, changed);
        *past = now;
        Ok(told)
    }

    fn touch(&mut self, past: &mut Composed, changed: &Changed, context: &Context) -> Touch {
        let context = self.complete(context);
        let desk = Desk::new(std::mem::take(&mut self.kept));
        let touch = retouch(&self.engine.loaded(), &context, (past, changed), &desk);
        self.kept = desk.into_kept();
        if let Touch::Ready(_) = touch {
            self.make_room(None);
        }
        touch
    }

    fn telling(&mut self, prompt: Prompt, told: Vec<Diagnostic>, context: &Context) -> Prompt {
        let bases = self.kept.take_bases();
        if !bases.is_empty() {
            self.watched.look(bases, Path::new(context.text("cwd").unwrap_or_default()));
        }
        let changed = self.watched.changed();
        prompt.telling(self.told.iter().cloned().chain(changed).chain(told).collect())
    }

    fn remember(&mut self, ask: &Ask, context: &Context, composed: Box<Composed>) {
        let latest = Latest { context: context.clone(), composed: Some(composed) };
        if let Some(own) = self.latest.get_mut(ask) {
            *own = latest;
            return;
        }
        if self.latest.len() >= MAX_LATEST {
            self.latest.pop_first();
        }
        self.latest.insert(ask.clone(), latest);
    }

    fn compose(
        &mut self,
        context: &Context,
        ask: &Ask,
        (past, ready): Known<'_>,
    ) -> Result<Composed, Error> {
        let complete = self.complete(context);
        let asked = complete.get("request.budget").and_then(Json::as_u64);
        self.make_room(ask.budget.or(asked.map(|most| most as usize)));
        let desk = Desk::new(std::mem::take(&mut self.kept));
        let mut recall = Recall { desk: &desk, gone: &mut self.gone, past, ready };
        let composed = compose(&self.engine.loaded(), &complete, ask, Some(&mut recall));
        self.kept = desk.into_kept();
        let mut composed = composed?;
        self.engine.strictly(composed.prompt.diagnostics())?;
        composed.prompt = composed.prompt.asked(context, ask, Memory::Session);
        Ok(composed)
    }

    /// A budget that grew has room again for what went.
    fn make_room(&mut self, budget: Option<usize>) {
        if budget > self.budget || budget.is_none() {
            self.gone.clear();
        }
        self.budget = budget;
    }

    /// The context with what the clock shows and the probes found, where the host gives nothing.
    fn complete(&self, context: &Context) -> Context {
        let Clock { date, time } = &self.clock;
        let shown = [("date", date), ("time", time)];
        let shown = shown
            .into_iter()
            .filter_map(|(key, text)| Some((key, Cow::Owned(Json::from(text.as_deref()?)))));
        let found = self.found.iter();
        let found =
            found.filter_map(|(key, value)| Some((key.as_str(), Cow::Borrowed(value.as_ref()?))));
        context.filled(found.chain(shown))
    }
}
