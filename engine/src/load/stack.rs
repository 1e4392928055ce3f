//! Stacks packs: later wins by id.
//!
//! In: what one layer's files say, lowest layer first. Out: a [`Registry`].
//! A layer's `patch.toml` changes the variants below it before its own variants extend them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apply;
use super::extends::{Merge, Resolved, Shelf};
use super::layer::Written;
use super::pack::Label;
use super::patch::PatchFile;
use super::references;
use super::wordings::overrides;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{Component, PackName, Tool, ToolId};
use crate::registry::{Registry, Shadowed, Versions};
use crate::template::Template;

/// What the layers so far come to.
#[derive(Default)]
pub(crate) struct Stack {
    registry: Registry,
    shelf: Shelf,
    /// Which pack each partial is from.
    partial_packs: BTreeMap<Arc<str>, PackName>,
    labels: Vec<Label>,
    /// Tools that files name, for a later look.
    offered: Vec<(ToolId, Origin)>,
}

impl Stack {
    /// Puts a layer on top.
    pub(crate) fn push(&mut self, written: Written, told: &mut Vec<Diagnostic>) {
        for patch in &written.patches {
            self.patch(patch, told);
        }
        let variants = written.variants;
        self.offered.extend(variants.iter().flat_map(|file| {
            let added = file.patch.iter().flat_map(|patch| &patch.add_tools);
            file.tools.iter().flatten().chain(added).cloned()
        }));
        let merge = Merge::new(&self.shelf, (&written.name, written.rank), variants, told);
        for (is_plain, resolved) in merge.run(told) {
            self.variant(is_plain, resolved);
        }
        for component in written.components {
            self.component(component);
        }
        for tool in written.tools {
            self.tool(tool);
        }
        for (name, template) in written.partials {
            self.partial(name, template, &written.name);
        }
        if let Some(file) = written.pack {
            self.registry.keys.extend(file.pack.keys.clone());
            self.registry.packs.push(file.pack);
            self.labels.extend(file.labels);
        }
    }

    fn patch(&mut self, file: &PatchFile, told: &mut Vec<Diagnostic>) {
        let mut applied = Vec::new();
        let mut hits = vec![false; file.targets.len()];
        for (id, numbers) in &mut self.shelf.by_id {
            for (number, resolved) in &mut numbers.by_number {
                let tags = &resolved.variant.tags;
                let covers = file.targets.iter().map(|(target, _)| target.covers(id, tags));
                let covers: Vec<bool> = covers.collect();
                hits.iter_mut().zip(&covers).for_each(|(hit, covers)| *hit |= covers);
                if covers.contains(&true) {
                    let resolved = Arc::make_mut(resolved);
                    let found = apply::apply(&file.patch, resolved);
                    overrides(&file.patch.overrides, &mut resolved.variant, told);
                    applied.push((format!("{id}@{number}"), found));
                }
            }
        }
        for ((target, origin), _) in file.targets.iter().zip(hits).filter(|(_, hit)| !hit) {
            let message = format!("no variant of the packs below is {target}");
            let help = "a patch changes the packs below its own; name an id, a glob or `tag:x`";
            told.push(Diagnostic::new(Code::PatchTarget, message, origin.clone()).help(help));
        }
        apply::tell(&file.patch, &applied, told);
        self.offered.extend(file.patch.add_tools.iter().cloned());
    }

    fn variant(&mut self, is_plain: bool, resolved: Arc<Resolved>) {
        let variant = &resolved.variant;
        let numbers = self.shelf.by_id.entry(variant.id.clone()).or_default();
        let hidden = match numbers.by_number.get(&variant.version) {
            Some(same) => Some(same),
            // The version that the plain id led to until now.
            None if is_plain => {
                numbers.current().and_then(|current| numbers.by_number.get(&current))
            }
            None => None,
        };
        let hidden = hidden.filter(|hidden| hidden.variant.rank < variant.rank).cloned();
        if is_plain {
            numbers.plain = Some(variant.version);
        }
        let id = Arc::clone(variant.id.shared());
        numbers.by_number.insert(variant.version, resolved);
        if let Some(hidden) = hidden {
            self.shadow("variant", &id, &hidden.variant.pack, &hidden.variant.origin);
        }
    }

    fn component(&mut self, mut component: Component) {
        let id = component.id.clone();
        component.base = self.registry.components.remove(&id);
        if let Some(below) = &component.base {
            self.shadow("component", id.shared(), &below.pack, &below.origin);
        }
        self.registry.components.insert(id, Arc::new(component));
    }

    fn tool(&mut self, mut tool: Tool) {
        let id = tool.id.clone();
        tool.base = self.registry.tools.remove(&id);
        if let Some(below) = &tool.base {
            self.shadow("tool", id.shared(), &below.pack, &below.origin);
        }
        self.registry.tools.insert(id, Arc::new(tool));
    }

    fn partial(&mut self, name: Arc<str>, template: Arc<Template>, pack: &PackName) {
        let below = self.registry.partials.insert(Arc::clone(&name), template);
        let owner = self.partial_packs.insert(Arc::clone(&name), pack.clone());
        if let (Some(below), Some(owner)) = (below, owner) {
            self.shadow("partial", &name, &owner, &below.source().origin);
        }
    }

    fn shadow(&mut self, kind: &'static str, id: &Arc<str>, pack: &PackName, origin: &Origin) {
        let (id, pack, origin) = (Arc::clone(id), pack.clone(), origin.clone());
        self.registry.shadowed.push(Shadowed { kind, id, pack, origin });
    }

    /// The registry; names that lead nowhere are told.
    pub(crate) fn finish(mut self, told: &mut Vec<Diagnostic>) -> Registry {
        let shelf = std::mem::take(&mut self.shelf);
        for (id, numbers) in shelf.by_id {
            let current = numbers.current().unwrap_or(1);
            let all = numbers.by_number.into_iter();
            let by_number = all.map(|(number, one)| (number, self.settle(one, told))).collect();
            let versions = Versions { by_number, current, labels: Default::default() };
            self.registry.variants.insert(id, versions);
        }
        references::labels(&mut self.registry, &self.labels, told);
        references::variants(&self.registry, told);
        references::tools(&self.registry, &self.offered, told);
        self.registry
    }

    /// "All tools but these" becomes a list, now that all are known.
    fn settle(
        &self,
        resolved: Arc<Resolved>,
        told: &mut Vec<Diagnostic>,
    ) -> Arc<crate::model::Variant> {
        let Resolved { mut variant, removed_tools } = Arc::unwrap_or_clone(resolved);
        if variant.tools.is_none() && !removed_tools.is_empty() {
            for (id, origin) in
                removed_tools.iter().filter(|(id, _)| !self.registry.tools.contains_key(id))
            {
                let message = format!("there is no tool `{id}` to remove");
                told.push(
                    Diagnostic::new(Code::PatchTarget, message, origin.clone())
                        .help("leave it out"),
                );
            }
            let is_kept = |id: &&ToolId| removed_tools.iter().all(|(removed, _)| removed != *id);
            variant.tools = Some(self.registry.tools.keys().filter(is_kept).cloned().collect());
        }
        Arc::new(variant)
    }
}
