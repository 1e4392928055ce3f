//! Tells what changed between two prompts of a session, and what it costs.
//!
//! In: a prompt, the one before it, the keys between them. Out: a note for each section that is not volatile and reads
//! otherwise now. Never: the value of a key.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build::{Built, Outcome};
use crate::compose::Composed;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::recall::Record;
use crate::registry::Registry;
use crate::trace::CacheClass;

/// How many keys a note names.
const MAX_NAMED: usize = 3;

type Keys = BTreeSet<Arc<str>>;

/// What was computed anew, in the order of the sections; then what the template itself reads.
pub(super) fn recomputed(
    registry: &Registry,
    past: &Composed,
    now: &Composed,
    changed: &Keys,
) -> Vec<Diagnostic> {
    let (before, after) = (&past.selection.variant, &now.selection.variant);
    if !Arc::ptr_eq(before, after) {
        let keys = named(&past.chosen, &now.chosen, changed, |_| true);
        let what = format!("variant `{}` gave way to `{}`", before.name(), after.name());
        return vec![note(&keys, &after.origin, &what, now.prompt.text().len())];
    }
    let mut told = Vec::new();
    for (old, new) in past.lists.iter().zip(&now.lists).flat_map(|(old, new)| old.iter().zip(new)) {
        if !Arc::ptr_eq(old, new) && old.text() != new.text() && stays(old) && stays(new) {
            let keys = named(&old.record, &new.record, changed, |_| true);
            let what = format!("section `{}` was computed anew", new.id);
            told.push(note(&keys, &new.origin, &what, behind(past, now, new)));
        }
    }
    if told.is_empty() {
        told.extend(of_template(registry, past, now, changed));
    }
    told
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
    changed: &Keys,
) -> Option<Diagnostic> {
    let class = |key: &str| {
        let steps: Vec<&str> = key.split('.').collect();
        registry.class_of_path(&steps)
    };
    let (old, new) = (past.prompt.text(), now.prompt.text());
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let is_stable = |key: &str| class(key) < CacheClass::Volatile;
    let keys = named(&past.rendered, &now.rendered, changed, is_stable);
    let span = now.prompt.origin_at(same).filter(|span| span.class < CacheClass::Volatile);
    if old == new || keys.is_empty() || same < new.len() && span.is_none() {
        return None;
    }
    let what = format!("variant `{}` was put together anew", now.selection.variant.name());
    Some(note(&keys, &now.selection.variant.origin, &what, new.len() - same))
}

/// How many bytes stand from a section on, or from where it stood.
fn behind(past: &Composed, now: &Composed, built: &Built) -> usize {
    let place = |composed: &Composed| {
        let mut sections = composed.prompt.sections().iter();
        let section = sections.find(|section| *section.id == *built.id.as_str())?;
        Some(section.range.start)
    };
    let len = now.prompt.text().len();
    place(now).or_else(|| place(past)).map_or(0, |start| len.saturating_sub(start))
}

/// The keys that were read and have changed.
fn named(
    old: &Record,
    new: &Record,
    changed: &Keys,
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
