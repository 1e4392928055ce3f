//! Tells what changed between two prompts of a session, and what it costs.
//!
//! In: a prompt, the one before it, the keys between them. Out: a note for each section that is not volatile and reads
//! otherwise now. Never: the value of a key.

use std::sync::Arc;

use crate::build::{Built, Outcome};
use crate::compose::{Change, Changed, Composed};
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::prompt::Prompt;
use crate::recall::Record;
use crate::registry::Registry;
use crate::trace::CacheClass;

/// How many keys a note names.
const MAX_NAMED: usize = 3;

/// What was computed anew, in the order of the sections; then what the template itself reads.
pub(super) fn recomputed(
    registry: &Registry,
    past: &Composed,
    now: &Composed,
    changed: &Changed,
) -> Vec<Diagnostic> {
    let (before, after) = (&past.selection.variant, &now.selection.variant);
    if !Arc::ptr_eq(before, after) {
        let keys = named(&past.chosen, &now.chosen, changed, |_| true);
        let what = format!("variant `{}` gave way to `{}`", before.name(), after.name());
        return vec![note(&keys, &after.origin, &what, now.prompt.text().len())];
    }
    let mut told = Vec::new();
    for (old, new) in past.lists.iter().zip(&now.lists).flat_map(|(old, new)| old.iter().zip(new)) {
        let start = || start_of(&now.prompt, new).or_else(|| start_of(&past.prompt, new));
        told.extend(of_section((old, new), changed, (&now.prompt, start)));
    }
    if told.is_empty() {
        told.extend(of_template(registry, past, now, changed));
    }
    told
}

/// The same where sections alone were put into the last prompt.
pub(super) fn retouched(changes: &[Change], prompt: &Prompt, changed: &Changed) -> Vec<Diagnostic> {
    let note = |Change { old, new, .. }: &Change| {
        of_section((old, new), changed, (prompt, || start_of(prompt, new)))
    };
    changes.iter().filter_map(note).collect()
}

/// A section that should have stayed as it was, and stands, or stood, at `start` of the prompt.
fn of_section(
    (old, new): (&Arc<Built>, &Arc<Built>),
    changed: &Changed,
    (prompt, start): (&Prompt, impl Fn() -> Option<usize>),
) -> Option<Diagnostic> {
    if Arc::ptr_eq(old, new) || !stays(old) || !stays(new) || old.text() == new.text() {
        return None;
    }
    let keys = named(&old.record, &new.record, changed, |_| true);
    let what = format!("section `{}` was computed anew", new.id);
    let bytes = start().map_or(0, |start| prompt.text().len().saturating_sub(start));
    Some(note(&keys, &new.origin, &what, bytes))
}

/// Whether a section is one that should stay for the session.
fn stays(built: &Built) -> bool {
    let class = match &built.outcome {
        Outcome::Section { class, .. } => built.presence.max(*class),
        Outcome::Skipped { .. } => built.presence,
    };
    class < CacheClass::Volatile
}

/// The text that no section changed but a key of a stable class did.
fn of_template(
    registry: &Registry,
    past: &Composed,
    now: &Composed,
    changed: &Changed,
) -> Option<Diagnostic> {
    let class = |key: &str| {
        let steps: Vec<&str> = key.split('.').collect();
        registry.class_of_path(&steps)
    };
    let is_stable = |key: &str| class(key) < CacheClass::Volatile;
    let keys = named(&past.rendered, &now.rendered, changed, is_stable);
    let (old, new) = (past.prompt.text(), now.prompt.text());
    if keys.is_empty() || old == new {
        return None;
    }
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let span = now.prompt.origin_at(same).filter(|span| span.class < CacheClass::Volatile);
    if same < new.len() && span.is_none() {
        return None;
    }
    let what = format!("variant `{}` was put together anew", now.selection.variant.name());
    Some(note(&keys, &now.selection.variant.origin, &what, new.len() - same))
}

/// Where a section stands.
fn start_of(prompt: &Prompt, built: &Built) -> Option<usize> {
    let mut sections = prompt.sections().iter();
    let section = sections.find(|section| *section.id == *built.id.as_str())?;
    Some(section.range.start)
}

/// The keys that were read and have changed.
fn named(
    old: &Record,
    new: &Record,
    changed: &Changed,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Arc<str>> {
    let read = old.keys.union(&new.keys);
    let changed = read.filter(|key| changed.contains(*key) && wanted(key));
    let plain = changed.map(|key| if key.is_empty() { "ctx".into() } else { Arc::clone(key) });
    plain.collect()
}

fn note(keys: &[Arc<str>], place: &Origin, what: &str, bytes: usize) -> Diagnostic {
    let first = keys.iter().take(MAX_NAMED).map(|key| format!("`{key}`"));
    let mut names = first.collect::<Vec<_>>().join(", ");
    if keys.len() > MAX_NAMED {
        names.push_str(&format!(" and {} more", keys.len() - MAX_NAMED));
    }
    let cause =
        if keys.is_empty() { "what code says changed".into() } else { format!("{names} changed") };
    let message = format!("{cause}: {what}, and {bytes} bytes from there on are billed again");
    let origin = keys.first().map_or(place.clone(), |key| Origin::Context(Arc::clone(key)));
    Diagnostic::new(Code::SessionRecomputed, message, origin).help(
        "keep it as it is for the session, or declare the key volatile and print it at the end",
    )
}
