//! What a plugin says of itself.
//!
//! In: a table that was read and checked. Out: plain owned data, the same on both sides of the pipe.
//! Never: pointers into a library.

use promptweave::CacheClass;
use serde::{Deserialize, Serialize};

use crate::manifest::ItemKind;

/// A plugin's table, copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Table {
    /// The plugin's name.
    pub name: String,
    /// Its own version, in its own form.
    pub version: String,
    /// One sentence; may be empty.
    pub description: String,
    /// The ABI's minor version that it was compiled against.
    pub abi_minor: u16,
    /// Whether its calls may overlap.
    pub thread_safe: bool,
    /// What it offers; items of a kind that this host does not know are left out.
    pub items: Vec<Item>,
}

/// One thing that a plugin offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// Its place in the plugin's own table.
    pub at: u32,
    /// What it is.
    pub kind: ItemKind,
    /// Unique among items of its kind.
    pub id: String,
    /// One sentence; may be empty.
    pub description: String,
    /// The context keys that it reads; one covers what lies under it.
    pub deps: Vec<String>,
    /// The ids of the earlier sections that it reads.
    pub sections: Vec<String>,
    /// How long its output stays the same.
    pub cache: Cache,
    /// Why, where it is volatile; else empty.
    pub reason: String,
    /// A variant or a tool as JSON, a probe's context key; else empty.
    pub data: String,
    /// Whether each call gets the whole context.
    pub wants_context: bool,
    /// Whether there is code to call.
    pub runs: bool,
}

/// How long an output stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// As long as library, configuration and variant do.
    Static,
    /// As long as the declared keys keep their values.
    Session,
    /// It may change at every call.
    Volatile,
}

impl Table {
    /// The items of one kind.
    pub fn of_kind(&self, kind: ItemKind) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.kind == kind)
    }
}

impl From<Cache> for CacheClass {
    fn from(cache: Cache) -> Self {
        match cache {
            Cache::Static => Self::Static,
            Cache::Session => Self::Session,
            Cache::Volatile => Self::Volatile,
        }
    }
}
