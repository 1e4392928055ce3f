//! Builds anew the sections that read what has changed, and puts them into the finished prompt.
//!
//! In: a session's last prompt, the keys that have other values now. Out: a [`Retouch`], or what was built of one that
//! cannot be. Never: changes a text before all that goes into it is there.

use std::cmp::Reverse;
use std::sync::Arc;

use super::splice::{self, Place};
use super::{Changed, Composed, Loaded, PARTS, told_by};
use crate::build::{self, Built, Outcome, Sections};
use crate::diagnostic::Diagnostic;
use crate::model::{Context, TidyMode, Variant};
use crate::moment::{Moment, World};
use crate::recall::Desk;
use crate::tools::Described;
use crate::trace::CacheClass;

/// How many sections are put in one by one.
const MAX_EDITS: usize = 4;

/// What becomes of a prompt whose sections have changed.
pub(crate) struct Retouch {
    /// What the prompt tells.
    pub(crate) told: Vec<Diagnostic>,
    /// Last in the text first, so that each place is what it was.
    edits: Vec<Edit>,
}

/// What is known when sections have been built anew.
pub(crate) enum Touch {
    /// All that is needed. The prompt's lists are the new ones already.
    Ready(Retouch),
    /// The sections of the text, which has to be rendered.
    Rendering([Sections; 2]),
    /// Nothing: more than sections has changed.
    Anew,
}

/// A section before and after.
pub(crate) struct Change {
    list: usize,
    at: usize,
    pub(crate) old: Arc<Built>,
    pub(crate) new: Arc<Built>,
}

/// Where a section goes, and the least class of its pieces there.
struct Edit {
    place: Place,
    least: CacheClass,
    change: Change,
}

/// Builds the sections that read what has changed, where nothing else does.
pub(crate) fn retouch(
    loaded: &Loaded<'_>,
    context: &Context,
    (past, changed): (&mut Composed, &Changed),
    desk: &Desk,
) -> Touch {
    if past.before.is_none() || !past.around.holds(changed) {
        return Touch::Anew;
    }
    let (context, _) = loaded.registry.complete(context);
    let Loaded { registry, extensions, .. } = *loaded;
    let selection = Arc::clone(&past.selection);
    let variant = &*selection.variant;
    let world = World { registry, extensions, context: &context, variant, desk: Some(desk) };
    let (changes, are_all) = past.rebuild(world, changed);
    if let Some(edits) = past.edits(&changes).filter(|_| are_all) {
        let edit = |((place, least), change)| Edit { place, least, change };
        let mut edits: Vec<Edit> = edits.into_iter().zip(changes).map(edit).collect();
        edits.sort_by_key(|edit| Reverse(edit.place.text.start));
        return Touch::Ready(Retouch { told: past.told(), edits });
    }
    let [order, ending, _] = &past.lists;
    let sections = are_all.then(|| [order, ending].map(|list| Sections::of(list.clone())));
    past.restore(changes);
    sections.map_or(Touch::Anew, Touch::Rendering)
}

/// Whether what stands around sections is the same whatever they say: classic tidying looks at the whole text, and a
/// template may ask.
pub(super) fn may_retouch(variant: &Variant) -> bool {
    let is_plain = variant.template.as_ref().is_none_or(|template| template.is_plain());
    is_plain && variant.tidy != TidyMode::Classic
}

impl Composed {
    /// Builds sections anew, and whether that could be done: not where one asks for the tools that did not before.
    fn rebuild(&mut self, world: World<'_>, changed: &Changed) -> (Vec<Change>, bool) {
        let mut anew = self.lists[..2].iter().flatten().filter(|one| !one.record.holds(changed));
        let asks = anew.any(|built| built.record.asks_for_tools());
        let described = if asks { Described::read(world.context) } else { Described::default() };
        let moment = if asks {
            Moment::new(world, &described)
        } else {
            Moment::without_tools(world, &described)
        };
        let steps = [&world.variant.order, &world.variant.system_context];
        let mut changes = Vec::new();
        for (list, (steps, built)) in steps.into_iter().zip(&mut self.lists).enumerate() {
            if built.is_empty() {
                continue;
            }
            if let Some(desk) = world.desk {
                desk.begin(PARTS[list]);
            }
            let before = build::rebuild(&moment, steps, changed, built);
            let change = |(at, old): (usize, Arc<Built>)| {
                let new = Arc::clone(&built[at]);
                Change { list, at, old, new }
            };
            changes.extend(before.into_iter().map(change));
        }
        (changes, asks || !moment.was_asked_for_tools())
    }

    /// Where all that changed goes; none when that cannot be told.
    fn edits(&self, changes: &[Change]) -> Option<Vec<(Place, CacheClass)>> {
        let by_template = self.selection.variant.template.is_some();
        let edit = |Change { list, old, new, .. }: &Change| {
            // A template widens what it prints to the class of its being there; a list does not.
            let least = if by_template && *list == 0 { new.presence } else { CacheClass::Static };
            Some((splice::place(self.prompt.traced(), old, new)?, least))
        };
        if changes.len() > MAX_EDITS {
            return None;
        }
        changes.iter().map(edit).collect()
    }

    fn told(&self) -> Vec<Diagnostic> {
        let [of_tools, of_turns] = told_by(&self.lists);
        self.before.iter().flatten().cloned().chain(of_tools).chain(of_turns).collect()
    }

    /// Puts the sections in; what each was and is, in text order.
    pub(crate) fn apply(&mut self, Retouch { told, edits }: Retouch) -> Vec<Change> {
        for Edit { place, least, change } in &edits {
            let Change { old, new, .. } = change;
            if let Outcome::Section { traced, class, .. } = &new.outcome {
                self.prompt.edit(|text| place.put(text, traced, *least));
                let class = new.presence.max(*class);
                self.prompt.replaced(&place.text, (traced.text.len(), class, new.took));
            }
            if old.record != new.record {
                self.whole.add(&new.record);
            }
        }
        self.prompt.set_told(told);
        edits.into_iter().rev().map(|edit| edit.change).collect()
    }

    /// Forgets what was built anew.
    pub(crate) fn undo(&mut self, retouch: Retouch) {
        self.restore(retouch.edits.into_iter().map(|edit| edit.change));
    }

    fn restore(&mut self, changes: impl IntoIterator<Item = Change>) {
        for Change { list, at, old, .. } in changes {
            self.lists[list][at] = old;
        }
    }
}
