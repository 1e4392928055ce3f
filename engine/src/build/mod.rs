//! Runs a variant's components in order.
//!
//! In: a [`Moment`] and the steps of a variant. Out: [`Sections`], each a text that knows its origins and
//! classes, or the reason why there is none, with diagnostics. Never: stops at a component that fails.

mod body;
mod code;
mod failure;
mod plan;
mod scope;

pub(crate) use body::whole;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use crate::model::CACHE_BOUNDARY;
pub(crate) use scope::{below, section};

use failure::Failure;
use plan::{Asked, Plan};

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{Component, ComponentId, SkipReason, Skipped, Step, TidyMode};
use crate::moment::Moment;
use crate::recall::{Record, apart};
use crate::tidy::{self, Level};
use crate::trace::{CacheClass, MarkKind, NO_SOURCE, PieceKind, Traced};

/// A text of at most this many bytes is taken as a section.
pub(crate) const MAX_SECTION_BYTES: usize = 16 * 1024 * 1024;

/// The sections of one build together: offsets have 32 bits, and memory ends before that.
const MAX_ALL_BYTES: usize = 16 * MAX_SECTION_BYTES;

/// What the components of one build yielded, in order.
#[derive(Default)]
pub(crate) struct Sections {
    /// Shared with the session, which hands out again what would be the same.
    pub(crate) all: Vec<Arc<Built>>,
    /// How many of them a component sees: those before it.
    seen: usize,
    /// Of all texts that are seen together.
    bytes: usize,
}

/// What one component yielded.
pub(crate) struct Built {
    pub(crate) id: ComponentId,
    pub(crate) origin: Origin,
    pub(crate) outcome: Outcome,
    /// How stable it is that there is a section at all.
    pub(crate) presence: CacheClass,
    /// What decided that, when it is not static.
    pub(crate) cause: Option<Arc<str>>,
    pub(crate) took: Duration,
    /// What it was made of, in a session.
    pub(crate) record: Record,
    /// What was met on the way.
    pub(crate) told: Vec<Diagnostic>,
    /// What tools and helpers met on the way.
    pub(crate) told_of_tools: Vec<Diagnostic>,
}

/// What a session knows of the build before.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a> {
    /// The sections of the same steps.
    pub(crate) built: &'a [Arc<Built>],
    /// The keys that have other values now.
    pub(crate) changed: &'a BTreeSet<Arc<str>>,
}

impl Before<'_> {
    /// The section of that step, when it would be the same.
    fn same(&self, at: usize) -> Option<Arc<Built>> {
        let built = self.built.get(at)?;
        built.record.holds(self.changed).then(|| Arc::clone(built))
    }
}

/// A section, or why there is none.
pub(crate) enum Outcome {
    Section { traced: Traced, class: CacheClass, priority: i64 },
    Skipped { reason: SkipReason, detail: Arc<str> },
}

impl Sections {
    /// Sections that were built before, all of which are seen.
    pub(crate) fn of(all: Vec<Arc<Built>>) -> Self {
        let bytes = all.iter().filter_map(|built| built.text()).map(str::len).sum();
        Self { seen: all.len(), all, bytes }
    }

    /// The next one is seen from now on.
    fn see(&mut self) {
        self.bytes += self.all[self.seen].text().map_or(0, str::len);
        self.seen += 1;
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Built> {
        self.all.get(self.position(id, 0)?).map(AsRef::as_ref)
    }

    /// Where the component of that id stands; it is looked for at `guess` first.
    pub(crate) fn position(&self, id: &str, guess: usize) -> Option<usize> {
        let is_it = |built: &Arc<Built>| built.id.as_str() == id;
        let seen = &self.all[..self.seen];
        if seen.get(guess).is_some_and(is_it) {
            return Some(guess);
        }
        seen.iter().position(is_it)
    }

    /// The text of a section that is there.
    pub(crate) fn text(&self, id: &str) -> Option<&str> {
        self.get(id)?.text()
    }
}

impl Built {
    /// Static, and before anything is known of its turn.
    fn new(id: &ComponentId, origin: &Origin, outcome: Outcome) -> Self {
        Self {
            id: id.clone(),
            origin: origin.clone(),
            outcome,
            presence: CacheClass::Static,
            cause: None,
            took: Duration::ZERO,
            record: Record::default(),
            told: Vec::new(),
            told_of_tools: Vec::new(),
        }
    }

    /// The text, when there is a section.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Section { traced, .. } => Some(&traced.text),
            Outcome::Skipped { .. } => None,
        }
    }

    /// Whether there is a section.
    pub(crate) fn ran(&self) -> bool {
        matches!(self.outcome, Outcome::Section { .. })
    }

    /// Why there is no section; a section that is there is one that no template prints.
    pub(crate) fn skipped(&self) -> Skipped {
        let (reason, detail) = match &self.outcome {
            Outcome::Skipped { reason, detail } => (*reason, Arc::clone(detail)),
            Outcome::Section { .. } => {
                (SkipReason::Unplaced, "the variant's template does not print it".into())
            }
        };
        Skipped { id: self.id.clone(), origin: self.origin.clone(), reason, detail }
    }
}

/// Runs the components one after another; each sees the sections before it.
#[tracing::instrument(level = "debug", skip_all, fields(variant = %moment.world.variant.id, steps = steps.len()))]
pub(crate) fn build(moment: &Moment<'_>, steps: &[Step], before: Option<&Before<'_>>) -> Sections {
    let same = |at: usize| before.and_then(|before| before.same(at));
    let steps = || steps.iter().filter(|step| step.id.as_str() != CACHE_BOUNDARY).enumerate();
    let mut plan = Plan::new(moment, || steps().filter(|(at, _)| same(*at).is_none()));
    let mut sections = Sections { all: Vec::with_capacity(steps().count()), ..Sections::default() };
    for (at, step) in steps() {
        let built = match same(at) {
            Some(same) => same,
            None => Arc::new(turn(moment, &sections, &mut plan, (at, step))),
        };
        sections.all.push(built);
        sections.see();
    }
    sections
}

/// Runs those components again whose sections read what has changed; returns what their sections were, each with its
/// place.
pub(crate) fn rebuild(
    moment: &Moment<'_>,
    steps: &[Step],
    changed: &BTreeSet<Arc<str>>,
    all: &mut Vec<Arc<Built>>,
) -> Vec<(usize, Arc<Built>)> {
    let mut sections = Sections { all: std::mem::take(all), ..Sections::default() };
    let holds = |sections: &Sections, at: usize| sections.all[at].record.holds(changed);
    let steps = || steps.iter().filter(|step| step.id.as_str() != CACHE_BOUNDARY).enumerate();
    let mut plan = Plan::new(moment, || steps().filter(|(at, _)| !holds(&sections, *at)));
    let mut before = Vec::new();
    for (at, step) in steps() {
        if !holds(&sections, at) {
            let built = Arc::new(turn(moment, &sections, &mut plan, (at, step)));
            before.push((at, std::mem::replace(&mut sections.all[at], built)));
        }
        sections.see();
    }
    *all = sections.all;
    before
}

/// None of the steps runs, for a reason that holds for all of them.
pub(crate) fn left_out(steps: &[Step], reason: SkipReason, detail: &str) -> Sections {
    let steps = steps.iter().filter(|step| step.id.as_str() != CACHE_BOUNDARY);
    let all = steps.map(|step| Arc::new(skipped(step, reason, detail.into())));
    Sections::of(all.collect())
}

/// Runs one component, and notes what it read and met.
fn turn<'a>(
    moment: &'a Moment<'a>,
    sections: &Sections,
    plan: &mut Plan<'a>,
    (at, step): (usize, &Step),
) -> Built {
    let (started, mut told) = (Instant::now(), Vec::new());
    let (mut built, record) = apart(moment.world.desk, || {
        Run { moment, sections, plan, told: &mut told, widened: None }.step(at, step)
    });
    (built.took, built.record, built.told) = (started.elapsed(), record, told);
    built.told_of_tools = moment.drain();
    built
}

/// One component's turn.
struct Run<'a, 'b> {
    moment: &'a Moment<'a>,
    sections: &'b Sections,
    plan: &'b mut Plan<'a>,
    told: &'b mut Vec<Diagnostic>,
    /// The class that the component's code chose in this build.
    widened: Option<CacheClass>,
}

/// What a body yielded, before it becomes a section.
enum Yield {
    Text(Traced),
    /// No text, and why, with the class of what decided.
    Nothing(SkipReason, Arc<str>, CacheClass),
}

impl<'a> Run<'a, '_> {
    fn step(&mut self, at: usize, step: &Step) -> Built {
        let Some(component) = self.moment.world.registry.components.get(&step.id) else {
            let message = format!("there is no component `{}`", step.id);
            let told = Diagnostic::new(Code::ComponentUnknown, message, step.origin.clone());
            self.told
                .push(told.help("its section is missing; load the pack or extension that has it"));
            return skipped(step, SkipReason::Unknown, "no such component is loaded".into());
        };
        let own = self.moment.world.variant.overrides.get(&component.id);
        if own.is_some_and(|own| !own.enabled) {
            return skipped(step, SkipReason::Disabled, "the variant switches it off".into());
        }
        if plan::comes_as_message(self.moment, component) {
            let detail = "its changes come as messages: `request.mcp_delta` is true";
            let mut built = skipped(step, SkipReason::Delivered, detail.into());
            built.presence = self.moment.world.class_of_path(plan::MCP_DELTA);
            built.cause = Some(plan::MCP_DELTA.into());
            return built;
        }
        let (mut presence, mut cause) = (CacheClass::Static, None);
        if let Some(Asked { answer, told, .. }) = self.plan.when(at, self.moment, component) {
            self.told.extend(told);
            (presence, cause) = (answer.class, answer.cause.map(Arc::from));
            if !answer.holds {
                let missing = answer.missing.map(|key| format!(" (`{key}` is absent)"));
                let when = component.when.as_ref().map_or("", Condition::text);
                let detail = format!("{when}{}", missing.unwrap_or_default());
                let mut built = skipped(step, SkipReason::ConditionFalse, detail.into());
                (built.presence, built.cause) = (presence, cause);
                return built;
            }
        }
        let mut built = self.section(component);
        if presence >= built.presence {
            (built.presence, built.cause) = (presence, cause.or(built.cause));
        }
        built
    }

    fn section(&mut self, component: &Arc<Component>) -> Built {
        let yielded = match self.run(component) {
            Ok(yielded) => yielded,
            Err(failure) => {
                self.told.push(failure.told(component));
                // What failed may work in the next build.
                if let Some(desk) = self.moment.world.desk {
                    desk.loosen();
                }
                Yield::Nothing(SkipReason::Failed, failure.why.into(), CacheClass::Volatile)
            }
        };
        let (outcome, presence, cause) = match yielded {
            Yield::Nothing(reason, detail, class) => {
                (Outcome::Skipped { reason, detail }, class, None)
            }
            Yield::Text(traced) => self.outcome(component, traced),
        };
        let built = Built::new(&component.id, &component.origin, outcome);
        Built { presence, cause, ..built }
    }

    /// What becomes of a text, with the class and the cause of its being there.
    fn outcome(
        &mut self,
        component: &Component,
        traced: Traced,
    ) -> (Outcome, CacheClass, Option<Arc<str>>) {
        let solid = self.is_solid(component);
        let (class, cause) = widest(&traced);
        let (presence, decided) =
            if solid { (CacheClass::Static, None) } else { (class, cause.clone()) };
        if traced.text.trim().is_empty() {
            let detail = "it yielded nothing but blanks".into();
            return (Outcome::Skipped { reason: SkipReason::Empty, detail }, presence, decided);
        }
        self.check_class(component, class, cause.as_deref());
        let outcome = Outcome::Section { traced, class, priority: component.priority };
        (outcome, presence, decided)
    }

    fn run(&mut self, component: &Arc<Component>) -> Result<Yield, Failure> {
        let yielded = self.layers(component)?;
        let Yield::Text(mut traced) = yielded else { return Ok(yielded) };
        let bytes = traced.text.len();
        let limits = [
            ("the text is", bytes, MAX_SECTION_BYTES),
            ("the sections together are", bytes + self.sections.bytes, MAX_ALL_BYTES),
        ];
        if let Some((what, _, limit)) = limits.into_iter().find(|(_, bytes, limit)| bytes > limit) {
            return Err(Failure::too_large(what, limit));
        }
        if self.moment.world.variant.tidy == TidyMode::Structural {
            traced = tidy::structural(traced, Level::Component);
        }
        own(&mut traced, component.id.shared());
        Ok(Yield::Text(traced))
    }

    fn check_class(&mut self, component: &Component, class: CacheClass, cause: Option<&str>) {
        let Some(declared) = component.cache.filter(|&declared| class > declared) else { return };
        // Code that asserted a class itself may take it back.
        if matches!(component.origin, Origin::Item { .. }) && self.widened >= Some(class) {
            return;
        }
        let read = cause.map_or("something".into(), |cause| format!("`{cause}`"));
        let message = format!(
            "component `{}` says `cache = \"{declared}\"`, but reads {read}, which is {class}",
            component.id
        );
        let told = Diagnostic::new(Code::ClassWider, message, component.origin.clone());
        self.told.push(told.help("declare the wider class, or do not read it"));
    }
}

/// Makes all of a text a section's: in the base template it counts as a value, separators too.
fn own(traced: &mut Traced, id: &Arc<str>) {
    for piece in traced.pieces.iter_mut().filter(|piece| piece.source == NO_SOURCE) {
        (piece.source, piece.kind) = (0, PieceKind::Value);
    }
    for source in &mut traced.sources {
        Arc::make_mut(source).section = Some(Arc::clone(id));
    }
}

/// The widest class of anything in a text, with what caused it.
pub(crate) fn widest(traced: &Traced) -> (CacheClass, Option<Arc<str>>) {
    let pieces = traced.pieces.iter().map(|piece| piece.class).max().unwrap_or_default();
    let hinges = traced.marks.iter().filter(|mark| mark.kind == MarkKind::Hinge);
    let hinge = hinges.max_by_key(|mark| mark.class);
    let class = hinge.map_or(pieces, |hinge| pieces.max(hinge.class));
    (class, hinge.and_then(|hinge| traced.causes.get(hinge.cause as usize).cloned()))
}

fn skipped(step: &Step, reason: SkipReason, detail: Arc<str>) -> Built {
    Built::new(&step.id, &step.origin, Outcome::Skipped { reason, detail })
}
