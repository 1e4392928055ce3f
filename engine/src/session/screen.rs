//! Lets a host judge what probes found before a prompt says it.
//!
//! In: what probes found. Out: the same as the host leaves it, and what the probes told. Never: runs a probe twice.

use serde_json::Value as Json;

use super::Session;
use super::state::Probing;
use crate::diagnostic::Diagnostic;
use crate::engine::Found;
use crate::model::Context;
use crate::select::Ask;

impl Session {
    /// Runs the probes where the next prompt would, and shows all that probes found so far to `judge`: an object like a
    /// context. What it makes of a text is what this session says from now on, and what [`Session::drift`] compares with.
    /// It sees again what it left the time before. Gives what the probes told, which the prompt does not repeat.
    ///
    /// ```
    /// use promptweave::{Ask, Clock, Context, Engine, Items, MemorySource, Probe};
    /// use serde_json::json;
    ///
    /// let pack = MemorySource::new("acme", [
    ///     ("pack.toml", "format = 1\nname = \"acme\"\nversion = \"1\"\n"),
    ///     ("generic.toml", "order = [\"notes\"]\n"),
    ///     ("components/notes.md", "{{memory.text}}"),
    /// ]);
    /// let probe = Probe::new("memory.text", |_| Ok(json!("a\u{202e}b")));
    /// let engine = Engine::builder().pack(pack).extension(Items::new("acme").probe(probe)).build()?;
    /// let (session, context) = (engine.session(Clock::default()), Context::default());
    /// session.screen(&context, &Ask::default(), |found| found["memory"]["text"] = json!("ab"));
    /// assert_eq!(session.prompt(&context)?.text(), "ab");
    /// # Ok::<(), promptweave::Error>(())
    /// ```
    pub fn screen(
        &self,
        context: &Context,
        ask: &Ask,
        judge: impl FnOnce(&mut Json),
    ) -> Vec<Diagnostic> {
        let mut state = self.state();
        let mut told = Vec::new();
        if state.probes == Probing::Once && !state.latest.contains_key(ask) {
            let (found, failed) = state.engine.find(context, &state.found);
            state.found.extend(found);
            told = failed;
        }
        judge_found(&mut state.found, judge);
        told
    }
}

/// Lets `judge` change what probes found; a key that it takes away stays as it was.
pub(super) fn judge_found(found: &mut Found, judge: impl FnOnce(&mut Json)) {
    let known = found.iter().filter_map(|(key, value)| Some((key, value.clone()?)));
    let shown = known.fold(Context::default(), |shown, (key, value)| shown.with(key, value));
    let mut root = shown.as_json().clone();
    judge(&mut root);
    let judged = Context::from_value(root).unwrap_or(shown);
    for (key, value) in found {
        let after = judged.get(key).filter(|_| value.is_some());
        *value = after.cloned().or_else(|| value.take());
    }
}
