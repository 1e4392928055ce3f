//! Lets probes read the world.
//!
//! In: a context. Out: what each probe found, and what failed. Never: overwrites what the host gave.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use serde_json::Value as Json;

use super::Engine;
use crate::diagnostic::{Code, Diagnostic};
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
        let run = |(extension, probe): &'_ (Arc<str>, Probe)| {
            let found = shielded(|| (probe.run)(context));
            (probe.key().to_owned(), found.map_err(|why| probe_failed(extension, probe, &why)))
        };
        let answers: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = probes.map(|probe| scope.spawn(move || run(probe))).collect();
            running.into_iter().filter_map(|one| one.join().ok()).collect()
        });
        let (mut found, mut told) = (Found::new(), Vec::new());
        for (key, answer) in answers {
            match answer {
                Ok(value) => drop(found.insert(key, Some(value))),
                Err(failed) => {
                    told.push(failed);
                    found.insert(key, None);
                }
            }
        }
        (found, told)
    }
}

fn probe_failed(extension: &str, probe: &Probe, why: &str) -> Diagnostic {
    let item = format!("{extension}/{}", probe.key());
    let message = format!("probe `{item}` failed: {why}");
    Diagnostic::new(Code::ProbeFailed, message, item_origin(&item))
        .help("its key stays absent; give it in the context instead")
}
