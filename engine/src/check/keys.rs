//! Which context keys a variant may read.
//!
//! In: a variant. Out: the paths of known and declared keys that its matcher, its texts, their conditions and what code says of
//! itself name. Never: knows what a build will read; code that does not say what it reads counts as code that reads nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Check;
use crate::extension::covers;
use crate::model::{Body, Case, Component, KNOWN_KEYS, Patterns, Tool, ToolCalls, Variant};
use crate::moment::STANDARD_NAMES;

const MODEL: &str = "model.id";
const PROVIDER: &str = "provider.id";
const TOOLS: &str = "tools";

impl Check<'_> {
    /// The keys of a variant, each by the path that it is known or declared by.
    pub(super) fn keys(&self, variant: &Variant) -> BTreeSet<Arc<str>> {
        let mut paths = BTreeSet::new();
        self.of_matcher(variant, &mut paths);
        let templates = variant.template.iter().chain(&variant.minimal);
        let reads = templates.flat_map(|template| self.within_reads(template));
        paths.extend(reads.map(|read| read.name));
        let steps = [&variant.order, &variant.user_context, &variant.system_context];
        for step in steps.into_iter().flatten() {
            let is_off = variant.overrides.get(&step.id).is_some_and(|own| !own.enabled);
            let component = self.registry.components.get(&step.id).filter(|_| !is_off);
            component.into_iter().for_each(|one| self.of_component(variant, one, &mut paths));
        }
        if variant.tool_calls != ToolCalls::None {
            paths.insert(TOOLS.into());
            self.registry.tools.values().for_each(|tool| self.of_tool(variant, tool, &mut paths));
        }
        paths.iter().flat_map(|path| self.keys_at(path)).collect()
    }

    fn of_matcher(&self, variant: &Variant, paths: &mut BTreeSet<Arc<str>>) {
        let Some(matcher) = &variant.matcher else { return };
        of_patterns(&matcher.models, &matcher.providers, paths);
        paths.extend(self.conditions(&matcher.when).into_iter().map(|read| read.name));
        let code = matcher.matchers.iter().filter_map(|named| self.extensions.matcher(&named.name));
        paths.extend(code.filter_map(|item| item.code.reads.as_deref()).flatten().cloned());
    }

    fn of_component(
        &self,
        variant: &Variant,
        component: &Component,
        paths: &mut BTreeSet<Arc<str>>,
    ) {
        paths.extend(self.reads(variant, component).into_iter().map(|read| read.name));
        match &component.body {
            Body::Cases(cases) => {
                for Case { models, providers, .. } in &cases.cases {
                    of_patterns(models, providers, paths);
                }
            }
            Body::From(item) => {
                let code = self.extensions.component(item);
                paths.extend(
                    code.and_then(|code| code.reads.as_deref()).into_iter().flatten().cloned(),
                );
            }
            Body::Template(_) | Body::Text(_) | Body::Value(_) => {}
        }
        // What it replaces counts where its words stand on it.
        let names_base = |body: &Body| {
            body.templates().iter().any(|template| template.paths().any(|path| path == "base"))
        };
        if let Some(base) = component.base.as_ref().filter(|_| names_base(&component.body)) {
            self.of_component(variant, base, paths);
        }
    }

    /// Which tools there are, and what is said of them.
    fn of_tool(&self, variant: &Variant, tool: &Tool, paths: &mut BTreeSet<Arc<str>>) {
        if variant.tools.as_ref().is_some_and(|own| !own.contains(&tool.id)) {
            return;
        }
        let conditions = tool.parameters.iter().map(|one| &one.when).chain([&tool.when]);
        let texts = tool.parameters.iter().flat_map(|one| [&one.instruction, &one.description]);
        let texts = texts.chain([&tool.description]).flatten();
        let reads = texts.flat_map(|template| self.within_reads(template));
        let reads = reads.chain(conditions.flat_map(|when| self.conditions(when)));
        paths.extend(reads.map(|read| read.name));
    }

    /// The keys at a path: the one that it lies at or below, or those below it.
    fn keys_at(&self, path: &str) -> Vec<Arc<str>> {
        let shown = STANDARD_NAMES.iter().find(|(name, _)| *name == path);
        let path = shown.map_or(path, |(_, key)| key);
        let path = path.strip_prefix("ctx.").unwrap_or(path);
        let known = KNOWN_KEYS.iter().map(|key| Arc::from(key.path));
        let declared = self.registry.keys.keys().cloned();
        known.chain(declared).filter(|key| covers(key, path) || covers(path, key)).collect()
    }
}

fn of_patterns(
    models: &Option<Patterns>,
    providers: &Option<Patterns>,
    paths: &mut BTreeSet<Arc<str>>,
) {
    paths.extend(models.iter().map(|_| Arc::from(MODEL)));
    paths.extend(providers.iter().map(|_| Arc::from(PROVIDER)));
}
