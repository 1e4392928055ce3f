//! Applies a patch to a variant.
//!
//! In: a patch and a variant with what it inherits. Out: the changed variant, and which of the patch's
//! items found what they name. Never: tells; one patch may be meant for many variants.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::extends::Resolved;
use super::patch::{Insert, Patch, Spot};
use crate::diagnostic::{Code, Diagnostic, Origin, listed};
use crate::model::{ComponentId, Step, Variant};
use crate::template::{Side, Template};

/// For each item of a patch, in the order of [`items`], whether it found what it names.
pub(crate) type Found = Vec<bool>;

/// Changes a variant, but for its overrides.
pub(crate) fn apply(patch: &Patch, resolved: &mut Resolved) -> Found {
    let mut found = Found::new();
    let mut inserted = BTreeMap::new();
    for insert in &patch.inserts {
        found.push(put(insert, &mut resolved.variant, &mut inserted));
    }
    let variant = &mut resolved.variant;
    for (id, _) in &patch.removes {
        found.push(remove(variant, id));
    }
    for (id, origin) in &patch.remove_tools {
        found.push(match &mut variant.tools {
            Some(tools) => {
                let before = tools.len();
                tools.retain(|tool| tool != id);
                tools.len() < before
            }
            None => {
                resolved.removed_tools.push((id.clone(), origin.clone()));
                true
            }
        });
    }
    for (id, _) in &patch.add_tools {
        resolved.removed_tools.retain(|(removed, _)| removed != id);
        if let Some(tools) = variant.tools.as_mut().filter(|tools| !tools.contains(id)) {
            tools.push(id.clone());
        }
    }
    let values = patch.placeholders.iter().map(|(name, value)| (Arc::clone(name), value.clone()));
    variant.placeholders.extend(values);
    found
}

/// Whether a variant runs a component anywhere.
pub(crate) fn runs(variant: &Variant, id: &ComponentId) -> bool {
    let lists = [&variant.order, &variant.user_context, &variant.system_context];
    lists.into_iter().flatten().any(|step| step.id == *id)
}

fn remove(variant: &mut Variant, id: &ComponentId) -> bool {
    let found = runs(variant, id);
    let lists = [&mut variant.order, &mut variant.user_context, &mut variant.system_context];
    for list in lists {
        list.retain(|step| step.id != *id);
    }
    found
}

/// Inserts a component; false when its anchor is missing and it went to the end.
///
/// Of several that go after one anchor, the later stands behind the earlier, as in the file.
fn put(
    insert: &Insert,
    variant: &mut Variant,
    inserted: &mut BTreeMap<String, ComponentId>,
) -> bool {
    let id = &insert.component;
    let spot = match &insert.spot {
        Spot::After(anchor) => {
            let last = inserted.insert(anchor.to_string(), id.clone());
            Spot::After(last.unwrap_or_else(|| anchor.clone()))
        }
        Spot::First => inserted.insert(String::new(), id.clone()).map_or(Spot::First, Spot::After),
        Spot::Before(_) | Spot::Last => insert.spot.clone(),
    };
    let in_template = variant.template.clone().map(|template| print(&template, id, &spot, variant));
    let in_order = put_into_order(id, &spot, &insert.origin, &mut variant.order);
    match in_template {
        Some((template, found)) => {
            variant.template = Some(template);
            found
        }
        None => in_order,
    }
}

fn put_into_order(id: &ComponentId, spot: &Spot, origin: &Origin, order: &mut Vec<Step>) -> bool {
    let at = |anchor: &ComponentId| order.iter().position(|step| step.id == *anchor);
    let index = match spot {
        Spot::After(anchor) => at(anchor).map(|at| at + 1),
        Spot::Before(anchor) => at(anchor),
        Spot::First => Some(0),
        Spot::Last => Some(order.len()),
    };
    if at(id).is_none() {
        let step = Step { id: id.clone(), origin: origin.clone() };
        order.insert(index.unwrap_or(order.len()), step);
    }
    index.is_some()
}

/// The base template with the component's placeholder, and whether the anchor was found.
fn print(
    template: &Arc<Template>,
    id: &ComponentId,
    spot: &Spot,
    variant: &Variant,
) -> (Arc<Template>, bool) {
    let name = id.as_str();
    let beside = |anchor: &ComponentId, side| template.insert(anchor.as_str(), name, side);
    if beside(id, Side::After).is_some() {
        return (Arc::clone(template), true);
    }
    let anchored = match spot {
        Spot::After(anchor) => beside(anchor, Side::After),
        Spot::Before(anchor) => beside(anchor, Side::Before),
        Spot::First => variant.order.iter().find_map(|step| beside(&step.id, Side::Before)),
        Spot::Last => variant.order.iter().rev().find_map(|step| beside(&step.id, Side::After)),
    };
    if let Some(changed) = anchored {
        return (Arc::new(changed), true);
    }
    let last = variant.order.iter().rev().find_map(|step| beside(&step.id, Side::After));
    (last.map_or_else(|| Arc::clone(template), Arc::new), false)
}

/// Tells the items of a patch that did not find what they name, in the variants it was applied to.
pub(crate) fn tell(patch: &Patch, applied: &[(String, Found)], told: &mut Vec<Diagnostic>) {
    for (at, item) in items(patch).enumerate() {
        let missed = applied.iter().filter(|(_, found)| found.get(at) == Some(&false));
        let names: Vec<&str> = missed.map(|(name, _)| name.as_str()).collect();
        let is_anchor = at < patch.inserts.len();
        if names.is_empty() || (!is_anchor && names.len() < applied.len()) {
            continue;
        }
        let message = format!("{} in {}", item.missing, listed(names));
        told.push(Diagnostic::new(Code::PatchTarget, message, item.origin).help(item.help));
    }
}

struct Item {
    origin: Origin,
    missing: String,
    help: &'static str,
}

fn items(patch: &Patch) -> impl Iterator<Item = Item> {
    let inserts = patch.inserts.iter().map(|insert| Item {
        origin: insert.origin.clone(),
        missing: match &insert.spot {
            Spot::After(anchor) | Spot::Before(anchor) => {
                format!("there is no `{anchor}` to put `{}` beside", insert.component)
            }
            Spot::First | Spot::Last => {
                format!("no component is printed that `{}` could stand beside", insert.component)
            }
        },
        help: "it goes to the end; name a component that the variant prints",
    });
    let item =
        |origin: &Origin, missing| Item { origin: origin.clone(), missing, help: "leave it out" };
    let removes = patch
        .removes
        .iter()
        .map(move |(id, origin)| item(origin, format!("there is no `{id}` to remove")));
    let tools = patch
        .remove_tools
        .iter()
        .map(move |(id, origin)| item(origin, format!("there is no tool `{id}` to remove")));
    inserts.chain(removes).chain(tools)
}
