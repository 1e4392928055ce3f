//! What an item in this process may read.
//!
//! In: a source and an item. Out: [`Facts`]. Never: what the item did not declare.

use std::cell::OnceCell;

use serde_json::Value as Json;

use super::source::Source;
use crate::guest::{Facts, Found};
use crate::key;
use crate::table::Item;

/// The source as one item sees it.
pub(super) struct Near<'a> {
    item: &'a Item,
    source: &'a dyn Source,
    variant: OnceCell<Json>,
}

impl<'a> Near<'a> {
    pub(super) fn new(item: &'a Item, source: &'a dyn Source) -> Self {
        Self { item, source, variant: OnceCell::new() }
    }
}

impl Facts for Near<'_> {
    fn get(&self, key: &str) -> Found<'_> {
        let deps = &self.item.deps;
        if deps.iter().any(|dep| dep == key) {
            return self.source.value(key).map_or(Found::Absent, Found::Json);
        }
        let Some(steps) = key::steps(key) else { return Found::Malformed };
        let Some((dep, below)) = key::covering(deps, &steps) else { return Found::Undeclared };
        let found = self.source.value(dep).and_then(|json| key::at(json, below));
        found.map_or(Found::Absent, Found::Json)
    }

    fn variant(&self, key: &str) -> Found<'_> {
        let Some(steps) = key::steps(key) else { return Found::Malformed };
        let variant = self.variant.get_or_init(|| self.source.variant());
        key::at(variant, &steps).map_or(Found::Absent, Found::Json)
    }

    fn section(&self, id: &str) -> Option<&str> {
        self.source.section(id)
    }

    fn log(&self, level: u32, message: &str) {
        crate::log::line(&self.item.id, level, message);
    }
}
