//! Checks what points to something else: steps, overrides, tools, labels.
//!
//! In: everything that was loaded. Out: a diagnostic for each name that leads nowhere, once for each place.
//! Never: parses a template or a condition.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::runs;
use super::drift;
use super::pack::Label;
use crate::diagnostic::{Code, Diagnostic, Origin, did_you_mean};
use crate::model::{CACHE_BOUNDARY, ComponentId, ToolId, Variant};
use crate::registry::Registry;

/// A place that can be compared: what is inherited is told once.
type At = (String, usize);

fn place(origin: &Origin) -> At {
    let start = match origin {
        Origin::File { span, .. } => span.start,
        Origin::Engine | Origin::Line { .. } | Origin::Item { .. } | Origin::Context(_) => 0,
    };
    (origin.file_name().unwrap_or_default().to_owned(), start)
}

/// How often the name that was likely meant is looked for among all there are.
const MAX_SUGGESTED: usize = 50;

/// The known names, as long as not too many were looked for.
fn known<'k, N: 'k>(
    names: impl Iterator<Item = &'k N>,
    as_str: fn(&'k N) -> &'k str,
    told: &[Diagnostic],
) -> impl Iterator<Item = &'k str> {
    let looks = told.len() < MAX_SUGGESTED;
    names.filter(move |_| looks).map(as_str)
}

/// Checks what every variant runs and overrides.
pub(crate) fn variants(registry: &Registry, told: &mut Vec<Diagnostic>) {
    let all = || registry.variants.values().flat_map(|versions| versions.by_number.values());
    let mut seen = BTreeSet::new();
    for variant in all() {
        steps(registry, variant, &mut seen, told);
    }
    overrides(registry, all().map(|variant| &**variant), told);
}

fn steps(
    registry: &Registry,
    variant: &Variant,
    seen: &mut BTreeSet<At>,
    told: &mut Vec<Diagnostic>,
) {
    let lists = [&variant.order, &variant.user_context, &variant.system_context];
    for step in lists.into_iter().flatten() {
        let id = step.id.as_str();
        if id == CACHE_BOUNDARY
            || registry.components.contains_key(id)
            || !seen.insert(place(&step.origin))
        {
            continue;
        }
        let known = known(registry.components.keys(), ComponentId::as_str, told);
        let help = did_you_mean(id, known, || {
            format!(
                "write `components/{id}.toml`, or load what supplies it; its section is missing"
            )
        });
        let message = format!("there is no component `{id}`");
        told.push(Diagnostic::new(Code::ComponentUnknown, message, step.origin.clone()).help(help));
    }
}

fn overrides<'v>(
    registry: &Registry,
    variants: impl Iterator<Item = &'v Variant>,
    told: &mut Vec<Diagnostic>,
) {
    let mut used: BTreeMap<At, (bool, &Origin, &ComponentId)> = BTreeMap::new();
    let mut drifted = BTreeSet::new();
    for variant in variants {
        for (id, own) in &variant.overrides {
            let entry = used.entry(place(&own.origin)).or_insert((false, &own.origin, id));
            entry.0 |= runs(variant, id);
            let written = own.base_sha256.as_ref().map(|(_, origin)| place(origin));
            if written.is_some_and(|at| drifted.insert(at)) {
                let component = registry.components.get(id).map(|component| &**component);
                told.extend(drift::check(id, own, component));
            }
        }
    }
    for (_, origin, id) in used.into_values().filter(|(is_used, _, _)| !is_used) {
        let message =
            format!("`{id}` is overridden here, and no variant with this override runs it");
        told.push(
            Diagnostic::new(Code::OverrideUnused, message, origin.clone())
                .help(format!("put `{id}` into `order`, or leave the override out")),
        );
    }
}

/// Notes the tools that a file offers and nothing describes.
pub(crate) fn tools(registry: &Registry, offered: &[(ToolId, Origin)], told: &mut Vec<Diagnostic>) {
    for (id, origin) in offered.iter().filter(|(id, _)| !registry.tools.contains_key(id)) {
        let known = known(registry.tools.keys(), ToolId::as_str, told);
        let help = did_you_mean(id.as_str(), known, || {
            "fine when the host describes it; else write a file in `tools/`".into()
        });
        let message = format!("no file describes the tool `{id}`");
        told.push(Diagnostic::new(Code::ToolUnknown, message, origin.clone()).help(help));
    }
}

/// Puts the labels to their variants; one that points nowhere is told. Later packs win.
pub(crate) fn labels(registry: &mut Registry, labels: &[Label], told: &mut Vec<Diagnostic>) {
    for label in labels {
        let versions = registry.variants.get_mut(&label.variant);
        let exists = |numbers: &&mut crate::registry::Versions| {
            numbers.by_number.contains_key(&label.version)
        };
        if let Some(versions) = versions.filter(exists) {
            versions.labels.insert(label.name.clone(), label.version);
            continue;
        }
        let message = match registry.variants.get(&label.variant) {
            None => format!(
                "the label `{}` is for `{}`, which does not exist",
                label.name, label.variant
            ),
            Some(_) => format!("`{}` has no version {}", label.variant, label.version),
        };
        let help = format!("write `{}@{}.toml`, or change the label", label.variant, label.version);
        told.push(Diagnostic::new(Code::LabelUnknown, message, label.origin.clone()).help(help));
    }
}
