//! Everything that was loaded, immutable and shared.
//!
//! In: what the loader read. Out: look-ups by id. Never: changes; a reload makes a new one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Origin;
use crate::model::{
    Component, ComponentId, DeclaredKey, Pack, PackName, Tool, ToolId, Variant, VariantId, class_of,
};
use crate::template::Template;
use crate::trace::CacheClass;

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// In stacking order; later wins.
    pub packs: Vec<Pack>,
    /// By id; the one that won, with those it shadows as its `base` chain.
    pub components: BTreeMap<ComponentId, Arc<Component>>,
    /// By id, then version.
    pub variants: BTreeMap<VariantId, Versions>,
    /// By id; the one that won.
    pub tools: BTreeMap<ToolId, Arc<Tool>>,
    /// By name; the one that won.
    pub partials: BTreeMap<Arc<str>, Arc<Template>>,
    /// Declared context keys of all packs, by dotted path; later packs win.
    pub keys: BTreeMap<Arc<str>, DeclaredKey>,
    /// What was replaced by a later pack, for `list`.
    pub shadowed: Vec<Shadowed>,
}

/// The versions of one variant.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// By number.
    pub by_number: BTreeMap<u32, Arc<Variant>>,
    /// The number used when none is asked for.
    pub current: u32,
    /// Labels, to numbers.
    pub labels: BTreeMap<Arc<str>, u32>,
}

/// Something that a later pack replaced.
#[derive(Clone, Debug)]
pub struct Shadowed {
    /// `component`, `variant`, `tool` or `partial`.
    pub kind: &'static str,
    /// Its id.
    pub id: Arc<str>,
    /// The pack it came from.
    pub pack: PackName,
    /// Where it is defined.
    pub origin: Origin,
}

impl Registry {
    /// The version of a variant that is used when none is asked for.
    pub fn current(&self, id: &str) -> Option<&Arc<Variant>> {
        let versions = self.variants.get(id)?;
        versions.by_number.get(&versions.current)
    }

    /// The class of a context path, `ctx.` in front or not; declared classes of known keys narrow them.
    pub(crate) fn class_of_path<S: AsRef<str>>(&self, path: &[S]) -> CacheClass {
        let path = match path {
            [first, rest @ ..] if first.as_ref() == "ctx" && !rest.is_empty() => rest,
            whole => whole,
        };
        let declared = (1..=path.len()).rev().find_map(|len| {
            let key: Vec<&str> = path[..len].iter().map(AsRef::as_ref).collect();
            self.keys.get(key.join(".").as_str())
        });
        match (declared, class_of(path)) {
            (Some(declared), Some(known)) => declared.class.min(known),
            (Some(declared), None) => declared.class,
            (None, known) => known.unwrap_or(CacheClass::Volatile),
        }
    }
}
