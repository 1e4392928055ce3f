//! Lets probes read the world.
//!
//! In: a context. Out: what each probe found, and what failed. Never: overwrites what the host gave.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use serde_json::Value as Json;

use super::Engine;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::extension::{Probe, item_origin, shielded};
use crate::model::Context;

/// What probes found, by key; none where one failed.
pub(crate) type Found = BTreeMap<String, Option<Json>>;

impl Engine {
    /// Runs the probes, all at the same time: what each finds goes to its key, where the host gave nothing.
    pub fn probe(&self, context: &Context) -> (Context, Vec<Diagnostic>) {
        let (found, told) = self.find(context, &BTreeMap::new());
        let found = found.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let probed = found.fold(context.clone(), |context, (key, value)| context.with(&key, value));
        (probed, told)
    }

    /// What probes find for the keys that neither the host gave nor an earlier search looked for.
    pub(crate) fn find(&self, context: &Context, known: &Found) -> (Found, Vec<Diagnostic>) {
        let probes = self.0.extensions.probes.iter();
        let probes = probes.filter(|(_, probe)| {
            context.get(probe.key()).is_none() && !known.contains_key(probe.key())
        });
        let answers: Vec<Answer> = thread::scope(|scope| {
            let running: Vec<_> =
                probes.map(|one| scope.spawn(move || answer(one, context))).collect();
            running.into_iter().filter_map(|one| one.join().ok()).collect()
        });
        let (mut found, mut told) = (Found::new(), Vec::new());
        for answer in answers {
            found.insert(answer.key, answer.found);
            told.extend(answer.told);
        }
        (found, told)
    }
}

/// What one probe found, and what it told.
struct Answer {
    key: String,
    found: Option<Json>,
    told: Vec<Diagnostic>,
}

fn answer((extension, probe): &(Arc<str>, Probe), context: &Context) -> Answer {
    let item = item_origin(&format!("{extension}/{}", probe.key()));
    let mut told = Vec::new();
    let found = match shielded(|| (probe.run)(context, &mut told)) {
        Ok(found) => Some(found).filter(|found| !found.is_null()),
        Err(why) => {
            let message = format!("probe `{item}` failed: {why}");
            let failed = Diagnostic::new(Code::ProbeFailed, message, Origin::Engine);
            told.push(failed.help("its key stays absent; give it in the context instead"));
            None
        }
    };
    let told = told.into_iter().map(|one| one.of(&item)).collect();
    Answer { key: probe.key().to_owned(), found, told }
}
