//! What differs between two contexts of a session.
//!
//! In: two contexts, the keys that the last build read. Out: those that have other values now. Never: looks into what is
//! the same.

use std::ops::Bound;
use std::sync::Arc;

use crate::blocks::Caching;
use crate::compose::Changed;
use crate::model::Context;
use crate::recall::{Record, value_at};

/// Two contexts, and the first steps of the paths below which they differ.
pub(super) struct Between<'c> {
    before: &'c Context,
    now: &'c Context,
    roots: Vec<&'c str>,
}

impl<'c> Between<'c> {
    pub(super) fn of(before: &'c Context, now: &'c Context) -> Self {
        let roots = if now.is_clone_of(before) { Vec::new() } else { roots(before, now) };
        Self { before, now, roots }
    }

    /// Whether both say the same.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The keys of a record that have other values.
    pub(super) fn keys(&self, record: &Record) -> Changed {
        let mut changed = Changed::new();
        for root in &self.roots {
            let from = (Bound::Included(*root), Bound::Unbounded);
            let near = record.keys.range::<str, _>(from).take_while(|key| key.starts_with(*root));
            let below =
                near.filter(|key| matches!(key.as_bytes().get(root.len()), None | Some(b'.')));
            changed.extend(below.filter(|key| self.differ_at(key)).cloned());
        }
        let whole = record.keys.first().filter(|key| key.is_empty() && !self.roots.is_empty());
        if let Some(whole) = whole {
            changed.insert(Arc::clone(whole));
        }
        changed
    }

    /// Whether it may be another provider, model or request.
    pub(super) fn is_about_caching(&self) -> bool {
        self.roots.iter().any(|root| Caching::ROOTS.contains(root))
    }

    fn differ_at(&self, key: &str) -> bool {
        value_at(self.before, key) != value_at(self.now, key)
    }
}

/// The keys of the whole that differ; mostly both have the same ones.
fn roots<'c>(before: &'c Context, now: &'c Context) -> Vec<&'c str> {
    let (old, new) = (before.root(), now.root());
    let (mut roots, mut same) = (Vec::new(), 0);
    for ((key, old), (other, new)) in old.iter().zip(new) {
        if key != other {
            break;
        }
        same += 1;
        if old != new {
            roots.push(key.as_str());
        }
    }
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    let other = new.iter().filter(|(key, value)| old.get(*key) != Some(*value));
    if same < old.len() || same < new.len() {
        roots.clear();
        roots.extend(gone.chain(other.map(|(key, _)| key)).map(String::as_str));
    }
    roots
}

/// Whether both contexts have the same mistakes.
pub(super) fn told_alike(one: &Context, other: &Context) -> bool {
    let messages = |context: &Context| -> Vec<String> {
        context.diagnostics().iter().map(|told| told.message.clone()).collect()
    };
    one.diagnostics().is_empty() && other.diagnostics().is_empty()
        || messages(one) == messages(other)
}
