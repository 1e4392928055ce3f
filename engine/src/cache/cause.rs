//! Why two requests differ: the span, the hinge, the context keys.
//!
//! In: two [`Turn`]s and the place where they differ. Out: [`Cause`]. Never: shows the value of a key.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::step::{CachePlace, Difference};
use super::turn::Turn;
use crate::compose::{Composed, Recall, compose};
use crate::engine::Engine;
use crate::model::{Context, known_key};
use crate::moment::STANDARD_NAMES;
use crate::prompt::{Hinge, Prompt, Span};
use crate::recall::{Desk, Kept, Record};
use crate::select::Ask;

/// Who built the prompts, and what was asked for.
pub(super) type Asked<'a> = (&'a Engine, &'a Ask);

/// Why two requests differ.
#[derive(Debug, Default)]
pub(super) struct Cause {
    pub(super) section: Option<Arc<str>>,
    pub(super) span: Option<Span>,
    pub(super) hinge: Option<Hinge>,
    pub(super) keys: Vec<Arc<str>>,
}

/// What the list of tools is made of.
const OF_TOOLS: &[&str] = &["tools", "mcp.servers", "capabilities", "native_tools"];
/// What decides where the same text is cut and marked.
const OF_MARKS: &[&str] =
    &["request.marks_used", "request.query_source", "request.global_cache", "mcp.servers"];

/// Looks for what made the difference.
pub(super) fn cause(before: &Turn, now: &Turn, difference: &Difference, asked: Asked<'_>) -> Cause {
    let pair = Pair { before, now, asked };
    match difference.place {
        CachePlace::Model => pair.of_keys(&["model.id", "provider.id"]),
        CachePlace::Prefix => pair.of_keys(&["request.prefix"]),
        CachePlace::Tools => {
            let named = pair.of_keys(OF_TOOLS);
            // Their texts and conditions may read any key.
            if named.keys.is_empty() { pair.of_all() } else { named }
        }
        CachePlace::UserContext => pair.recorded(|composed| record_of(composed, 2, None)),
        CachePlace::Text => pair.in_text(difference.at),
    }
}

/// Two requests in a row.
struct Pair<'t> {
    before: &'t Turn,
    now: &'t Turn,
    asked: Asked<'t>,
}

impl Pair<'_> {
    fn of_keys(&self, keys: &[&str]) -> Cause {
        let changed = keys.iter().filter(|key| self.differs(key));
        Cause { keys: changed.map(|key| Arc::from(*key)).collect(), ..Cause::default() }
    }

    /// Every key that has another value.
    fn of_all(&self) -> Cause {
        let roots = [self.before, self.now].map(|turn| turn.context.root());
        let all: BTreeSet<String> = roots.into_iter().flat_map(paths).collect();
        let known: BTreeSet<&str> = all.iter().map(|path| known_key(path)).collect();
        self.of_keys(&known.into_iter().collect::<Vec<_>>())
    }

    fn differs(&self, key: &str) -> bool {
        self.before.context.get(key) != self.now.context.get(key)
    }

    fn in_text(&self, at: usize) -> Cause {
        let (old, new) = (&self.before.prompt, &self.now.prompt);
        let span = new.origin_at(at).or_else(|| old.origin_at(at));
        let section = section_at(new, at).or_else(|| section_at(old, at));
        let is_other = old.variant().name() != new.variant().name();
        let (hinge, keys) = match self.hinge(at).filter(|_| !is_other) {
            Some((hinge, keys)) => (Some(hinge), keys),
            None => (None, Vec::new()),
        };
        let found = Cause { section, span, hinge, keys };
        if !found.keys.is_empty() {
            return found;
        }
        let keys = match &found.section {
            _ if is_other => self.recorded(|composed| Record::clone(&composed.chosen)).keys,
            Some(id) => self.recorded(|composed| record_of(composed, 0, Some(id))).keys,
            None => self.recorded(|composed| Record::clone(&composed.rendered)).keys,
        };
        let keys = if keys.is_empty() { self.of_keys(OF_MARKS).keys } else { keys };
        Cause { keys, ..found }
    }

    /// The nearest hinge at or before a byte whose cause has another value.
    fn hinge(&self, at: usize) -> Option<(Hinge, Vec<Arc<str>>)> {
        let [old, new] = [&self.before.prompt, &self.now.prompt].map(|prompt| {
            let mut before = prompt.hinges().rev().filter(|hinge| hinge.at <= at);
            before.find_map(|hinge| {
                let keys = self.keys_of(&hinge.cause);
                (!keys.is_empty()).then_some((hinge, keys))
            })
        });
        match (old, new) {
            (Some(old), Some(new)) if old.0.at > new.0.at => Some(old),
            (old, new) => new.or(old),
        }
    }

    /// The keys behind the cause of a hinge that have other values.
    fn keys_of(&self, cause: &str) -> Vec<Arc<str>> {
        if cause == "tools" {
            return self.of_keys(OF_TOOLS).keys;
        }
        let standard = STANDARD_NAMES.iter().find(|(name, _)| *name == cause);
        let path = standard.map_or(cause, |(_, key)| key);
        let path = path.strip_prefix("ctx.").unwrap_or(path);
        if path == "ctx" || !self.differs(path) {
            return Vec::new();
        }
        vec![known_key(path).into()]
    }

    /// The keys that were read and have other values, of a part of what both builds read. It takes two builds.
    fn recorded(&self, part: impl Fn(&Composed) -> Record) -> Cause {
        let mut read = BTreeSet::new();
        for turn in [self.before, self.now] {
            if let Some(composed) = recorded(self.asked, &turn.context) {
                read.extend(part(&composed).keys);
            }
        }
        let changed = read.iter().filter(|key| !key.is_empty() && self.differs(key));
        let keys: BTreeSet<&str> = changed.map(|key| known_key(key)).collect();
        // An object is named by what has changed below it.
        let is_above = |key: &str| {
            keys.iter()
                .any(|other| other.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
        };
        let keys = keys.iter().filter(|key| !is_above(key)).map(|key| Arc::from(*key));
        Cause { keys: keys.collect(), ..Cause::default() }
    }
}

/// A build that writes down what it reads.
fn recorded((engine, ask): Asked<'_>, context: &Context) -> Option<Composed> {
    let desk = Desk::new(Kept::default());
    let mut gone = BTreeSet::new();
    let mut recall = Recall { desk: &desk, gone: &mut gone, past: None, ready: None };
    compose(&engine.loaded(), context, ask, Some(&mut recall)).ok()
}

/// What the sections of a list read, or one of them.
fn record_of(composed: &Composed, list: usize, id: Option<&str>) -> Record {
    let mut record = Record::default();
    let lists = match id {
        Some(_) => &composed.lists[..2],
        None => &composed.lists[list..=list],
    };
    let built = lists.iter().flatten();
    let wanted = built.filter(|built| id.is_none_or(|id| built.id.as_str() == id));
    wanted.for_each(|built| record.add(&built.record));
    record
}

/// The paths of a context, two steps deep at most, as known keys have them.
fn paths(root: &Map<String, Json>) -> Vec<String> {
    let path = |(key, value): (&String, &Json)| match value {
        Json::Object(inner) => inner.keys().map(|below| format!("{key}.{below}")).collect(),
        _ => vec![key.clone()],
    };
    root.iter().flat_map(path).collect()
}

fn section_at(prompt: &Prompt, at: usize) -> Option<Arc<str>> {
    let section = prompt.sections().iter().find(|section| section.range.contains(&at))?;
    Some(Arc::clone(&section.id))
}
