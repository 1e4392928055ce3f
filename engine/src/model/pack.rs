//! What a pack says about itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{PackName, VariantId};
use crate::diagnostic::Origin;
use crate::trace::CacheClass;

/// A loaded pack's own words, without its variants, components and tools.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pack {
    /// Its name.
    pub name: PackName,
    /// Its version, free text.
    pub version: Arc<str>,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Where `pack.toml` stands.
    pub origin: Origin,
    /// Where it stands in the stack; later wins.
    pub rank: usize,
    /// SHA-256 over its files' names and bytes, in hex.
    pub sha256: Arc<str>,
    /// By variant: label to version.
    pub labels: BTreeMap<VariantId, BTreeMap<Arc<str>, u32>>,
    /// Its own context keys, by dotted path below `ctx`, and narrowed known ones.
    pub keys: BTreeMap<Arc<str>, DeclaredKey>,
    /// By plugin: the table `[plugins.<name>]`. Whoever loads plugins hands it on, for the keys that a plugin lets packs
    /// set; here it means nothing.
    pub plugins: BTreeMap<PackName, serde_json::Value>,
}

impl Pack {
    /// Which pack it is: `{name, version, sha256}`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name.as_str(), "version": &*self.version, "sha256": &*self.sha256,
        })
    }
}

/// A context key that a pack declares.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeclaredKey {
    /// The type of its values; any when absent.
    pub kind: Option<super::KeyType>,
    /// Its value when the host gives none.
    pub default: Option<serde_json::Value>,
    /// How often it changes.
    pub class: CacheClass,
    /// Whether the host must give it.
    pub required: bool,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Where it is declared.
    pub origin: Origin,
}
