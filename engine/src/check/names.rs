//! Checks what templates name.

use std::collections::BTreeSet;

use super::Check;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::default_of;
use crate::moment::STANDARD_NAMES;
use crate::registry::Registry;
use crate::template::{Reference, ReferenceKind, Template};

/// The names that templates may print, wherever they stand.
pub(super) struct Names<'a> {
    placeholders: BTreeSet<&'a str>,
    roles: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(registry: &'a Registry) -> Self {
        let variants = registry.variants.values().flat_map(|versions| versions.by_number.values());
        let own = variants.flat_map(|variant| variant.placeholders.keys().map(AsRef::as_ref));
        let standard = STANDARD_NAMES.iter().map(|(name, _)| *name);
        let roles = registry.tools.values().filter_map(|tool| tool.role.as_deref());
        Self { placeholders: own.chain(standard).collect(), roles: roles.collect() }
    }
}

impl Check<'_> {
    /// A template of a component, a tool or a partial.
    pub(super) fn template(&mut self, template: &Template) {
        self.parse(template);
        for reference in template.references() {
            let name = first(&reference.name);
            let known = self.names.placeholders.contains(name)
                || matches!(name, "ctx" | "sections" | "base")
                || default_of(name).is_some()
                || self.extensions.helper(name).is_some();
            self.reference(template, reference, known);
        }
    }

    /// The base template of a variant, which sees sections, but no context keys.
    pub(super) fn base_template(&mut self, template: &Template) {
        self.parse(template);
        for reference in template.references() {
            let name = first(&reference.name);
            let known = self.names.placeholders.contains(name)
                || matches!(name, "ctx" | "sections")
                || self.registry.components.contains_key(name)
                || self.extensions.helper(name).is_some();
            self.reference(template, reference, known);
        }
    }

    /// Partials, and whether they include each other in a circle.
    pub(super) fn partials(&mut self) {
        let registry = self.registry;
        for (name, template) in &registry.partials {
            self.parse(template);
            for reference in template.references() {
                // A partial may stand anywhere, so all names that any place has are known.
                let root = first(&reference.name);
                let known = self.names.placeholders.contains(root)
                    || matches!(root, "ctx" | "sections" | "base")
                    || default_of(root).is_some()
                    || registry.components.contains_key(root)
                    || self.extensions.helper(root).is_some();
                let is_path = reference.kind == ReferenceKind::Path;
                self.reference(template, reference, known || is_path);
            }
            self.cycle(name, template);
        }
    }

    fn cycle(&mut self, name: &str, template: &Template) {
        let (mut open, mut seen) = (vec![template], BTreeSet::new());
        while let Some(current) = open.pop() {
            let partials =
                current.references().iter().filter(|one| one.kind == ReferenceKind::Partial);
            for reference in partials {
                if *reference.name == *name {
                    let message =
                        format!("partial `{name}` includes itself, straight or by others");
                    let origin = current.source().origin_of(reference.range.clone());
                    let told = Diagnostic::new(Code::PartialCycle, message, origin);
                    self.told.push(told.help("break the circle; use `{{#each}}` to repeat"));
                    return;
                }
                if seen.insert(&*reference.name) {
                    open.extend(self.registry.partials.get(&*reference.name).map(AsRef::as_ref));
                }
            }
        }
    }

    fn parse(&mut self, template: &Template) {
        self.told.extend(template.check());
    }

    fn reference(&mut self, template: &Template, reference: &Reference, path_known: bool) {
        let name = &*reference.name;
        let (code, message, help) = match reference.kind {
            ReferenceKind::Path if !path_known => (
                Code::PlaceholderUnknown,
                format!("nothing defines `{name}`"),
                "name a context key, a section or a placeholder; own keys are reached as `ctx.<key>`",
            ),
            ReferenceKind::Helper
                if !crate::template::is_reserved(name)
                    && self.extensions.helper(name).is_none() =>
            {
                (
                    Code::HelperUnknown,
                    format!("there is no helper `{name}`"),
                    "load what supplies it",
                )
            }
            ReferenceKind::Partial if !self.registry.partials.contains_key(name) => (
                Code::PartialUnknown,
                format!("there is no partial `{name}`"),
                "write it to `partials/`, or name one that is there",
            ),
            ReferenceKind::Role if !self.names.roles.contains(name) => (
                Code::RoleUnknown,
                format!("no tool file has the role `{name}`"),
                "give a tool that `role`; hosts may give it in the context's `tools` too",
            ),
            ReferenceKind::Tool if !self.registry.tools.contains_key(name) => (
                Code::ToolUnknown,
                format!("there is no tool file `{name}`"),
                "write it to `tools/`; a host may still have a tool of that name",
            ),
            ReferenceKind::Section if !self.registry.components.contains_key(name) => (
                Code::ComponentUnknown,
                format!("there is no component `{name}`"),
                "name one that is there",
            ),
            _ => return,
        };
        let origin = template.source().origin_of(reference.range.clone());
        self.told.push(Diagnostic::new(code, message, origin).help(help));
    }
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
