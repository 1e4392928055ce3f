//! Checks what templates name.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Check;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Variant, class_of, default_of};
use crate::moment::{STANDARD_NAMES, how_to_define};
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

impl<'a> Check<'a> {
    /// A template of a component, a tool or a partial.
    pub(super) fn template(&mut self, template: &Template) {
        self.parse(template);
        for reference in template.references() {
            let name = first(&reference.name);
            let known = self.names.placeholders.contains(name)
                || matches!(name, "ctx" | "sections" | "base")
                || self.is_context_path(&reference.name)
                || self.extensions.helper(name).is_some();
            self.reference(template, reference, known);
        }
    }

    /// Whether a path is that of a known context key, of one that a pack declares, or lies above or below one.
    fn is_context_path(&self, path: &str) -> bool {
        let steps: Vec<&str> = path.split('.').collect();
        let meets = |key: &str| key.split('.').zip(&steps).all(|(one, other)| one == *other);
        default_of(steps[0]).is_some()
            && (class_of(&steps).is_some() || self.registry.keys.keys().any(|key| meets(key)))
    }

    /// The base template of a variant, which sees sections, but no context keys.
    ///
    /// That a component of the variant's order does not exist is told at the order.
    pub(super) fn base_template(&mut self, variant: &Variant, template: &Template) {
        self.parse(template);
        for reference in template.references() {
            let name = first(&reference.name);
            let known = self.names.placeholders.contains(name)
                || matches!(name, "ctx" | "sections")
                || self.registry.components.contains_key(name)
                || variant.order.iter().any(|step| step.id.as_str() == name)
                || self.extensions.helper(name).is_some();
            self.reference(template, reference, known);
        }
    }

    /// Partials, and whether they include each other in a circle.
    pub(super) fn partials(&mut self) {
        let registry = self.registry;
        let mut in_circle = BTreeSet::new();
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
            if !in_circle.contains(&**name) {
                in_circle.extend(self.cycle(name, template));
            }
        }
    }

    /// Tells when a partial includes itself; gives those in the circle.
    fn cycle(&mut self, name: &'a str, template: &'a Template) -> Vec<&'a str> {
        // Which partial includes one, by the shortest way from the first.
        let mut from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut open = VecDeque::from([(name, template)]);
        while let Some((here, current)) = open.pop_front() {
            let partials =
                current.references().iter().filter(|one| one.kind == ReferenceKind::Partial);
            for reference in partials {
                let to = &*reference.name;
                if to == name {
                    let circle = way(&from, name, here);
                    let steps = circle.iter().chain([&name]).map(|step| format!("`{step}`"));
                    let steps = steps.collect::<Vec<_>>().join(" → ");
                    let origin = current.source().origin_of(reference.range.clone());
                    let message = format!("partials include each other: {steps}");
                    let told = Diagnostic::new(Code::PartialCycle, message, origin);
                    self.told.push(told.help("take one out; `{{#each}}` repeats a text"));
                    return circle;
                }
                if let Some(template) = self.registry.partials.get(to)
                    && !from.contains_key(to)
                {
                    from.insert(to, here);
                    open.push_back((to, template));
                }
            }
        }
        Vec::new()
    }

    fn parse(&mut self, template: &Template) {
        self.told.extend(template.check());
    }

    fn reference(&mut self, template: &Template, reference: &Reference, path_known: bool) {
        let name = &*reference.name;
        // `{{section "x"}}` looks `sections.x` up.
        let section = name.strip_prefix("sections.").map(first);
        let section = section.filter(|_| reference.kind == ReferenceKind::Path);
        let (code, message, help): (_, _, String) = match reference.kind {
            _ if section.is_some_and(|id| !self.registry.components.contains_key(id)) => (
                Code::ComponentUnknown,
                format!("there is no component `{}`", section.unwrap_or(name)),
                "name one that is there".into(),
            ),
            ReferenceKind::Path if !path_known => {
                (Code::PlaceholderUnknown, format!("nothing defines `{name}`"), how_to_define(name))
            }
            ReferenceKind::Helper
                if !crate::template::is_reserved(name)
                    && self.extensions.helper(name).is_none() =>
            {
                (
                    Code::HelperUnknown,
                    format!("there is no helper `{name}`"),
                    "load the extension that supplies it, or use one that is built in".into(),
                )
            }
            ReferenceKind::Partial if !self.registry.partials.contains_key(name) => (
                Code::PartialUnknown,
                format!("there is no partial `{name}`"),
                "write it to `partials/`, or name one that is there".into(),
            ),
            ReferenceKind::Role if !self.names.roles.contains(name) => (
                Code::RoleUnknown,
                format!("no tool file has the role `{name}`"),
                "give a tool that `role`; hosts may give it in the context's `tools` too".into(),
            ),
            ReferenceKind::Tool if !self.registry.tools.contains_key(name) => (
                Code::ToolUnknown,
                format!("there is no tool file `{name}`"),
                "write it to `tools/`; a host may still have a tool of that name".into(),
            ),
            _ => return,
        };
        let origin = template.source().origin_of(reference.range.clone());
        self.told.push(Diagnostic::new(code, message, origin).help(help));
    }
}

/// The steps that lead from `first` to `last`, both among them.
fn way<'a>(from: &BTreeMap<&'a str, &'a str>, first: &'a str, last: &'a str) -> Vec<&'a str> {
    let mut way = vec![last];
    while let Some(&before) =
        way.last().filter(|step| **step != first).and_then(|step| from.get(step))
    {
        way.push(before);
    }
    way.reverse();
    way
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
