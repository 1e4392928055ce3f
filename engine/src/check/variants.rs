//! Checks variants: what they run and print, and whether they can be chosen.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Check, overrides};
use crate::build::CACHE_BOUNDARY;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Body, Matcher, TidyMode, Variant};
use crate::select;
use crate::template::{ReferenceKind, Template};

impl Check<'_> {
    pub(super) fn variant(&mut self, variant: &Variant) {
        if let Some(matcher) = &variant.matcher {
            self.condition(matcher.when.as_ref(), true);
            self.matchers(variant, matcher);
        }
        for body in overrides(variant) {
            self.case_body(body);
        }
        self.texts([&variant.minimal]);
        if let Some(template) = &variant.template {
            self.base_template(template);
            self.unplaced(variant, template);
        }
        if variant.tidy == TidyMode::Classic {
            self.verbatim(variant);
        }
    }

    fn matchers(&mut self, variant: &Variant, matcher: &Matcher) {
        for named in &matcher.matchers {
            if self.extensions.matcher(&named.name).is_none() {
                let message = format!(
                    "variant `{}` asks matcher `{}`, which is not loaded",
                    variant.id, named.name
                );
                let told = Diagnostic::new(Code::MatcherUnknown, message, named.origin.clone());
                self.told.push(told.help("load the extension that has it; until then it is a no"));
            }
        }
    }

    /// Components that run and whose sections the template never prints.
    fn unplaced(&mut self, variant: &Variant, template: &Template) {
        let mut named = BTreeSet::new();
        let mut open = vec![template];
        while let Some(current) = open.pop() {
            for reference in current.references() {
                let name = &*reference.name;
                let is_new = named.insert(name.strip_prefix("sections.").unwrap_or(name));
                if reference.kind == ReferenceKind::Partial && is_new {
                    open.extend(self.registry.partials.get(name).map(AsRef::as_ref));
                }
            }
        }
        // What other components read by `sections.<id>` is used too.
        let read = variant.order.iter().filter_map(|step| self.registry.components.get(&step.id));
        for component in read {
            if let Body::Template(template) = &component.body {
                let paths = template.paths();
                named.extend(paths.filter_map(|path| path.strip_prefix("sections.")));
            }
        }
        for step in &variant.order {
            let id = step.id.as_str();
            if id == CACHE_BOUNDARY || named.contains(id) {
                continue;
            }
            let message = format!("the template of variant `{}` does not print `{id}`", variant.id);
            let told = Diagnostic::new(Code::ComponentUnplaced, message, step.origin.clone());
            self.told.push(
                told.help(format!(
                    "put `{{{{{id}}}}}` into the template, or take it out of `order`"
                )),
            );
        }
    }

    /// Values that stand as they are, in a variant whose tidying goes over the whole text.
    fn verbatim(&mut self, variant: &Variant) {
        for step in &variant.order {
            let component = self.registry.components.get(&step.id);
            let verbatim = component.filter(|component| matches!(component.body, Body::Value(_)));
            if let Some(component) = verbatim {
                let message = format!(
                    "classic tidying of variant `{}` goes over `{}`, which is a value as it stands",
                    variant.id, component.id
                );
                let told = Diagnostic::new(Code::TidyVerbatim, message, step.origin.clone());
                self.told
                    .push(told.help("use `tidy = \"structural\"`, which never changes a value"));
            }
        }
    }

    /// Variants that are asked only after one that claims everything.
    pub(super) fn unreachable(&mut self) {
        let mut claims_all: Option<Arc<Variant>> = None;
        for variant in select::candidates(self.registry) {
            if let Some(before) = &claims_all {
                let message = format!(
                    "variant `{}` is never asked: `{}` claims everything",
                    variant.id, before.id
                );
                let told =
                    Diagnostic::new(Code::VariantUnreachable, message, variant.origin.clone());
                self.told.push(told.help("raise its `priority`, or narrow the other's `[match]`"));
            } else if variant.matcher.as_ref().is_some_and(is_boundless) {
                claims_all = Some(variant);
            }
        }
    }
}

fn is_boundless(matcher: &Matcher) -> bool {
    let Matcher { models, providers, matchers, when, priority: _ } = matcher;
    models.is_none() && providers.is_none() && matchers.is_empty() && when.is_none()
}
