//! What a pack changes in what is loaded.
//!
//! In: registries without and with it. Out: [`Change`]s, by kind and id. Never: loads anything.

use std::collections::BTreeMap;

use promptweave::{Origin, Registry, Variant};

use super::Change;

/// One thing of a registry, comparable with the same thing of another.
struct Thing {
    origin: Origin,
    /// Everything about it; two that are equal here build the same.
    whole: String,
}

fn things(registry: &Registry) -> BTreeMap<(&'static str, String), Thing> {
    let mut things = BTreeMap::new();
    let mut add = |kind, id: String, origin: &Origin, whole: String| {
        things.insert((kind, id), Thing { origin: origin.clone(), whole });
    };
    for versions in registry.variants.values() {
        for (number, variant) in &versions.by_number {
            let id = format!("{}@{number}", variant.id);
            // Where its pack stands in the stack is nothing about it.
            let mut variant = Variant::clone(variant);
            variant.rank = 0;
            add("variant", id, &variant.origin, format!("{variant:?}"));
        }
    }
    for (id, component) in &registry.components {
        add("component", id.to_string(), &component.origin, format!("{component:?}"));
    }
    for (id, tool) in &registry.tools {
        add("tool", id.to_string(), &tool.origin, format!("{tool:?}"));
    }
    for (name, partial) in &registry.partials {
        let source = partial.source();
        add("partial", name.to_string(), &source.origin, source.text.to_string());
    }
    for (path, key) in &registry.keys {
        add("context key", path.to_string(), &key.origin, format!("{key:?}"));
    }
    things
}

/// What is added, replaced, changed and removed.
pub(super) fn changes(base: &Registry, with: &Registry) -> Vec<Change> {
    let mut before = things(base);
    let mut changes = Vec::new();
    for ((kind, id), thing) in things(with) {
        let old = before.remove(&(kind, id.clone()));
        let what = match &old {
            None => "adds",
            Some(old) if old.whole == thing.whole => continue,
            Some(old) if old.origin.to_string() == thing.origin.to_string() => "changes",
            Some(_) => "replaces",
        };
        let before = old.map(|old| old.origin).filter(|_| what == "replaces");
        changes.push(Change { what, kind, id, origin: thing.origin, before });
    }
    let removed = before.into_iter().map(|((kind, id), thing)| Change {
        what: "removes",
        kind,
        id,
        origin: thing.origin,
        before: None,
    });
    changes.extend(removed);
    changes
}
