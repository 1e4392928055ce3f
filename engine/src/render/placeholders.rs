//! The five placeholder layers, as the base template sees them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::build::{Sections, below, section};
use crate::moment::{Layer, Moment, STANDARD_NAMES};
use crate::template::{Found, Scope, Supply, Template, Val};
use crate::trace::CacheClass;

/// Layers 1 to 5, `ctx` and `sections`.
pub(super) struct BaseScope<'a> {
    moment: &'a Moment<'a>,
    sections: &'a Sections,
    /// Behind the section that was found last: most templates print sections in the order of their building.
    next: Cell<usize>,
}

impl<'a> BaseScope<'a> {
    pub(super) fn new(moment: &'a Moment<'a>, sections: &'a Sections) -> Self {
        Self { moment, sections, next: Cell::new(0) }
    }

    fn section(&self, id: &str) -> Option<Found<'a>> {
        let at = self.sections.position(id, self.next.get())?;
        self.next.set(at + 1);
        Some(section(&self.sections.all[at]))
    }

    /// The value of a name, from the highest layer that has one.
    fn layered(&self, name: &str) -> Option<(Layer, Found<'a>)> {
        if let Some(value) = self.moment.world.given(name) {
            return Some((Layer::Context, value));
        }
        let skipped = match self.section(name) {
            Some(found) if found.value.is_true(false) => return Some((Layer::Section, found)),
            skipped => skipped,
        };
        let (layer, found) = self.beneath(name)?;
        // What decided that there is no section decided that this stands here.
        Some((layer, found.decided_by(skipped)))
    }

    /// Layers 1, 2 and 4.
    fn beneath(&self, name: &str) -> Option<(Layer, Found<'a>)> {
        let lower = self.moment.world.placeholder(name);
        let says = lower.as_ref().is_some_and(|(_, found)| found.value.is_true(false));
        if says || !self.may_be_empty(name) {
            return lower;
        }
        let class = lower.map_or_else(|| self.class_of_empty(name), |(_, found)| found.class);
        Some((Layer::Empty, Found::new(Val::Text(""), class)))
    }

    /// Layer 4: names that are known, and so empty rather than missing.
    fn may_be_empty(&self, name: &str) -> bool {
        STANDARD_NAMES.iter().any(|(known, _)| *known == name)
            || self.moment.world.variant.order.iter().any(|step| step.id.as_str() == name)
            || self.moment.world.registry.components.contains_key(name)
    }

    /// The class of a layer-2 name that the host did not give; a component that never runs is static.
    fn class_of_empty(&self, name: &str) -> CacheClass {
        let key = STANDARD_NAMES.iter().find(|(known, _)| *known == name);
        key.map_or(CacheClass::Static, |(_, key)| self.moment.world.registry.class_of_path(&[*key]))
    }

    /// The layer of each name that the base template prints, or a component that ran.
    pub(super) fn layers(&self, base: Option<&Template>) -> BTreeMap<Arc<str>, Layer> {
        let world = self.moment.world;
        let inner = self.templates().into_iter().flat_map(names);
        let inner = inner.filter_map(|name| Some((name.into(), world.placeholder(name)?.0)));
        let outer = base.into_iter().flat_map(names);
        let outer = outer.filter_map(|name| Some((name.into(), self.layered(name)?.0)));
        inner.chain(outer).collect()
    }

    /// The templates of the components that ran, as the variant words them.
    fn templates(&self) -> Vec<&'a Template> {
        let world = self.moment.world;
        let ran = self.sections.all.iter().filter(|built| built.ran());
        let templates = ran.flat_map(|built| {
            let own = world.variant.overrides.get(&built.id).and_then(|own| own.body.as_ref());
            match (own, world.registry.components.get(&built.id)) {
                (Some(own), _) => own.template().into_iter().collect(),
                (None, Some(component)) => component.body.templates(),
                (None, None) => Vec::new(),
            }
        });
        templates.collect()
    }
}

impl Scope for BaseScope<'_> {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        match (&**path.first()?, path.get(1)) {
            ("ctx", _) => self.moment.world.key(path),
            ("sections", Some(id)) => self.section(id).map(below),
            (name, _) => Some(self.layered(name)?.1),
        }
    }

    fn supply(&self) -> &dyn Supply {
        self.moment
    }

    fn size_hint(&self) -> usize {
        self.sections.all.iter().filter_map(|built| built.text()).map(str::len).sum()
    }
}

/// The plain names that a template looks up.
fn names(template: &Template) -> impl Iterator<Item = &str> {
    template.paths().filter(|path| !path.contains('.'))
}
