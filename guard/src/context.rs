//! Looks at the texts from outside that a context carries.
//!
//! In: a context as JSON. Out: the same with what the actions made of it, and what was found, by path. Never: touches a
//! value that the rules do not name.

use serde_json::Value as Json;

use crate::{Finding, Guard};

/// What was found in one value of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The path of the value, e.g. `mcp.servers.0.instructions`.
    pub path: String,
    /// The source by which it was judged.
    pub source: String,
    /// In the order of the text.
    pub findings: Vec<Finding>,
}

impl Guard {
    /// Looks at every value that the rules call text from outside, and puts what may enter a prompt in its place.
    pub fn context(&self, context: &mut Json) -> Vec<Told> {
        let mut told = Vec::new();
        for (path, source) in &self.rules.context {
            let steps: Vec<&str> = path.split('.').collect();
            self.walk(context, &steps, &mut Walk { path: String::new(), source, told: &mut told });
        }
        told
    }

    fn walk(&self, value: &mut Json, steps: &[&str], walk: &mut Walk<'_>) {
        let Some((step, rest)) = steps.split_first() else {
            return self.value(value, walk);
        };
        let (key, each) = step.strip_suffix("[]").map_or((*step, false), |key| (key, true));
        let Some(next) = value.get_mut(key) else { return };
        let mark = walk.push(key);
        match next {
            Json::Array(items) if each => {
                for (at, item) in items.iter_mut().enumerate() {
                    let mark = walk.push(&at.to_string());
                    self.walk(item, rest, walk);
                    walk.path.truncate(mark);
                }
            }
            other if !each => self.walk(other, rest, walk),
            _ => {}
        }
        walk.path.truncate(mark);
    }

    fn value(&self, value: &mut Json, walk: &mut Walk<'_>) {
        let Json::String(text) = value else { return };
        let seen = self.look(walk.source, text);
        if seen.findings.is_empty() {
            return;
        }
        let (path, source) = (walk.path.clone(), walk.source.to_owned());
        walk.told.push(Told { path, source, findings: seen.findings });
        *value = Json::String(seen.text.into_owned());
    }
}

/// How far a walk has come.
struct Walk<'w> {
    path: String,
    source: &'w str,
    told: &'w mut Vec<Told>,
}

impl Walk<'_> {
    /// Goes a step down; gives the length to go back to.
    fn push(&mut self, step: &str) -> usize {
        let before = self.path.len();
        if before > 0 {
            self.path.push('.');
        }
        self.path.push_str(step);
        before
    }
}
