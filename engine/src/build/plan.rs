//! Looks ahead at the components that are code, and lets their extensions begin.
//!
//! In: a [`Moment`] and the steps of a variant. Out: [`Plan`]: what each extension has begun, and the answers of the
//! conditions that had to be asked for it. Never: runs a component.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::body::Wording;
use super::code;
use crate::diagnostic::Diagnostic;
use crate::extension::{Batch, Build, shielded};
use crate::model::{Component, Step};
use crate::moment::{Answer, Moment, World};
use crate::recall::{Record, apart};

/// What is known before the first component runs; empty where no extension supplies one.
#[derive(Default)]
pub(super) struct Plan<'a> {
    /// By the place of their step.
    answers: BTreeMap<usize, Asked>,
    batches: BTreeMap<&'a str, Box<dyn Batch + 'a>>,
}

/// What the `when` of a component said, to be told in its turn.
pub(super) struct Asked {
    pub(super) answer: Answer,
    pub(super) told: Vec<Diagnostic>,
    record: Record,
}

/// The key by which the host says that changes of MCP servers come as messages.
pub(super) const MCP_DELTA: &str = "request.mcp_delta";

/// Whether a component has a section because of MCP servers, and the host sends those as messages.
pub(super) fn comes_as_message(moment: &Moment<'_>, component: &Component) -> bool {
    let names_servers = |path: &str| {
        let path = path.strip_prefix("ctx.").unwrap_or(path);
        path == "mcp" || path.starts_with("mcp.")
    };
    let Some(when) = &component.when else { return false };
    if !when.paths().iter().any(|path| names_servers(path)) {
        return false;
    }
    if let Some(desk) = moment.world.desk {
        desk.read(MCP_DELTA);
    }
    moment.world.context.get(MCP_DELTA).and_then(Json::as_bool).unwrap_or(false)
}

impl Asked {
    pub(super) fn ask(moment: &Moment<'_>, component: &Component) -> Option<Self> {
        let (when, mut told) = (component.when.as_ref()?, Vec::new());
        let (answer, record) = apart(moment.world.desk, || moment.ask(when, &mut told));
        Some(Self { answer, told, record })
    }
}

impl<'a> Plan<'a> {
    /// Lets every extension begin that has components to run among the `steps`, each with its place, in stacking order.
    pub(super) fn new<'s, I>(moment: &Moment<'a>, steps: impl FnOnce() -> I) -> Self
    where
        I: Iterator<Item = (usize, &'s Step)>,
    {
        let mut plan = Self::default();
        let World { registry, extensions, context, variant, .. } = moment.world;
        if !extensions.have_components() {
            return plan;
        }
        let items = plan.items(moment, steps());
        for (name, extension) in extensions.all() {
            let Some(components) = items.get(name) else { continue };
            let labels = &registry.labels(variant);
            let build = Build { variant, labels, context, components };
            // A `begin` that panics leaves the items to be run one by one, and they are shielded too.
            let batch = shielded(|| Ok(extension.begin(&build))).ok().flatten();
            plan.batches.extend(batch.map(|batch| (name, batch)));
        }
        plan
    }

    /// What an extension has begun.
    pub(super) fn batch(&mut self, extension: &str) -> Option<&mut (dyn Batch + 'a)> {
        self.batches.get_mut(extension).map(|batch| &mut **batch as _)
    }

    /// The answer of the component's `when`: the one that is known, else one that is asked for now.
    pub(super) fn when(
        &mut self,
        at: usize,
        moment: &Moment<'_>,
        component: &Component,
    ) -> Option<Asked> {
        let asked = self.answers.remove(&at).or_else(|| Asked::ask(moment, component))?;
        if let Some(desk) = moment.world.desk {
            desk.add(&asked.record);
        }
        Some(asked)
    }

    /// The items that will be asked for their text, by extension.
    fn items<'s>(
        &mut self,
        moment: &Moment<'a>,
        steps: impl Iterator<Item = (usize, &'s Step)>,
    ) -> BTreeMap<&'a str, Vec<Arc<str>>> {
        let World { registry, extensions, variant, .. } = moment.world;
        let mut items: BTreeMap<&str, Vec<Arc<str>>> = BTreeMap::new();
        for (at, step) in steps {
            let Some(component) = registry.components.get(&step.id) else { continue };
            let item = Wording::top(moment, component).item(component);
            let item = item.filter(|item| {
                extensions.component(item).is_some()
                    && !code::is_kept(moment.world, component, item)
            });
            let Some((extension, id)) = item.and_then(|item| item.split_once('/')) else {
                continue;
            };
            if variant.overrides.get(&step.id).is_some_and(|own| !own.enabled) {
                continue;
            }
            if comes_as_message(moment, component) {
                continue;
            }
            if let Some(asked) = Asked::ask(moment, component) {
                let holds = asked.answer.holds;
                self.answers.insert(at, asked);
                if !holds {
                    continue;
                }
            }
            let ids = items.entry(extension).or_default();
            if !ids.iter().any(|known| &**known == id) {
                ids.push(id.into());
            }
        }
        items
    }
}
