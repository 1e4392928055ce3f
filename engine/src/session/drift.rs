//! Asks whether the world is still what the session began with.
//!
//! In: what probes found first, and what they find now. Out: a note for each key that differs. Never: changes the session,
//! or says the value of a key.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Session;
use super::screen::judge_found;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::engine::Found;
use crate::model::Context;

impl Session {
    /// Runs the probes again, and tells each key for which they now find something else than the session goes on
    /// with: a rule file that was edited, another branch. The session stays as it is until [`Session::reset`]. A key that
    /// `context` gives, or that no probe was asked for yet, has nothing to tell.
    ///
    /// It takes as long as the probes do.
    pub fn drift(&self, context: &Context) -> Vec<Diagnostic> {
        self.drift_judged(context, |_| {})
    }

    /// The same where what probes find is judged before the session keeps it, as by [`Session::screen`].
    pub fn drift_judged(
        &self,
        context: &Context,
        judge: impl FnOnce(&mut Json),
    ) -> Vec<Diagnostic> {
        let (engine, first) = {
            let state = self.state();
            (state.engine.clone(), state.found.clone())
        };
        // The lock is free while probes run: prompts do not wait for them.
        let (mut now, _) = engine.find(context, &Found::new());
        judge_found(&mut now, judge);
        let differs =
            |(key, now): (String, Option<Json>)| {
                let place = difference(&key, first.get(&key)?.as_ref(), now.as_ref())?;
                let message = format!("`{place}` is not what the session began with");
                let origin = Origin::Context(Arc::from(key));
                let told = Diagnostic::new(Code::SessionStale, message, origin);
                Some(told.help(
                    "the session says what it said before; reset it to take what is there now",
                ))
            };
        now.into_iter().filter_map(differs).collect()
    }
}

/// The path of the first difference; none where both are the same.
fn difference(path: &str, one: Option<&Json>, other: Option<&Json>) -> Option<String> {
    if one == other {
        return None;
    }
    let inner = match (one, other) {
        (Some(Json::Object(one)), Some(Json::Object(other))) => {
            let keys = one.keys().chain(other.keys());
            keys.filter_map(|key| {
                difference(&format!("{path}.{key}"), one.get(key), other.get(key))
            })
            .next()
        }
        (Some(Json::Array(one)), Some(Json::Array(other))) => {
            let most = one.len().max(other.len());
            (0..most)
                .find_map(|at| difference(&format!("{path}[{at}]"), one.get(at), other.get(at)))
        }
        _ => None,
    };
    Some(inner.unwrap_or_else(|| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference() {
        let check = |one: Json, other: Json| difference("k", Some(&one), Some(&other));
        assert_eq!(check(json!({"a": [1, 2]}), json!({"a": [1, 2]})), None);
        assert_eq!(check(json!({"a": [1, 2]}), json!({"a": [1, 3]})).as_deref(), Some("k.a[1]"));
        assert_eq!(check(json!([1]), json!([1, 2])).as_deref(), Some("k[1]"));
        assert_eq!(check(json!({"a": 1}), json!({"b": 1})).as_deref(), Some("k.a"));
        assert_eq!(check(json!(1), json!("1")).as_deref(), Some("k"));
        assert_eq!(difference("k", None, Some(&json!(1))).as_deref(), Some("k"));
    }
}
