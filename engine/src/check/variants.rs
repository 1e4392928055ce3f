//! Checks variants: what they run and print, and whether they can be chosen.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Check, overrides};
use crate::build::CACHE_BOUNDARY;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Body, CaseBody, Matcher, TidyMode, Variant};
use crate::select;
use crate::template::{Reference, ReferenceKind, Template};

impl<'a> Check<'a> {
    pub(super) fn variant(&mut self, variant: &'a Variant) {
        if let Some(matcher) = &variant.matcher {
            self.condition(matcher.when.as_ref(), true);
            self.matchers(variant, matcher);
        }
        for body in overrides(variant) {
            self.case_body(body);
        }
        for (id, own) in &variant.overrides {
            let template = own.body.as_ref().and_then(CaseBody::template);
            if let (Some(component), Some(template)) = (self.registry.components.get(id), template)
            {
                self.class(component, self.within_reads(template), &own.origin);
            }
        }
        self.texts([&variant.minimal]);
        if let Some(template) = &variant.template {
            self.base_template(variant, template);
            self.unplaced(variant, template);
        }
        if variant.tidy == TidyMode::Classic {
            self.verbatim(variant);
        }
        self.stability(variant);
    }

    fn matchers(&mut self, variant: &Variant, matcher: &Matcher) {
        for named in &matcher.matchers {
            if self.extensions.matcher(&named.name).is_none() {
                let message = format!(
                    "variant `{}` asks matcher `{}`, which no extension supplies",
                    variant.id, named.name
                );
                let told = Diagnostic::new(Code::MatcherUnknown, message, named.origin.clone());
                self.told
                    .push(told.help("load the extension that has it; until then the answer is no"));
            }
        }
    }

    /// Components that run and whose sections the template never prints.
    fn unplaced(&mut self, variant: &Variant, template: &Template) {
        let mut named: BTreeSet<&str> = self.within(template).map(of_section).collect();
        // What other components read is used too.
        let run = variant.order.iter().filter_map(|step| self.registry.components.get(&step.id));
        let own = overrides(variant).filter_map(CaseBody::template);
        for template in run.flat_map(|component| component.body.templates()).chain(own) {
            let paths = self.within(template).filter(|one| one.kind == ReferenceKind::Path);
            named.extend(paths.filter_map(|path| path.name.strip_prefix("sections.")));
        }
        for step in &variant.order {
            let id = step.id.as_str();
            if id == CACHE_BOUNDARY || named.contains(id) {
                continue;
            }
            // One template may serve many variants: it is told once, by its own place.
            let place = &template.source().origin;
            let place = place.file_name().map_or_else(|| place.to_string(), str::to_owned);
            let message = format!("the template in `{place}` does not print `{id}`");
            let told = Diagnostic::new(Code::ComponentUnplaced, message, step.origin.clone());
            self.told.push(
                told.help(format!(
                    "put `{{{{{id}}}}}` into the template, or take it out of `order`"
                )),
            );
        }
    }

    /// What a template and the partials that it includes refer to.
    fn within<'t>(
        &self,
        template: &'t Template,
    ) -> impl Iterator<Item = &'t Reference> + use<'t, 'a>
    where
        'a: 't,
    {
        self.with_partials(template).map(|(_, reference)| reference)
    }

    /// The same, each with the template that it stands in.
    pub(super) fn with_partials<'t>(
        &self,
        template: &'t Template,
    ) -> impl Iterator<Item = (&'t Template, &'t Reference)> + use<'t, 'a>
    where
        'a: 't,
    {
        let (mut all, mut seen) = (vec![template], BTreeSet::new());
        let mut at = 0;
        while let Some(current) = all.get(at) {
            at += 1;
            let partials =
                current.references().iter().filter(|one| one.kind == ReferenceKind::Partial);
            let new: Vec<_> = partials.filter(|partial| seen.insert(&*partial.name)).collect();
            all.extend(
                new.into_iter()
                    .filter_map(|one| self.registry.partials.get(&*one.name))
                    .map(AsRef::as_ref),
            );
        }
        all.into_iter().flat_map(|own| own.references().iter().map(move |one| (own, one)))
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

/// The section that a name of a base template may print.
fn of_section(reference: &Reference) -> &str {
    reference.name.strip_prefix("sections.").unwrap_or(&reference.name)
}

fn is_boundless(matcher: &Matcher) -> bool {
    let Matcher { models, providers, matchers, when, priority: _ } = matcher;
    models.is_none() && providers.is_none() && matchers.is_empty() && when.is_none()
}
