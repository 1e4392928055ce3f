//! Loads packs into a registry.
//!
//! In: layers of packs and of what code supplies, lowest first. Out: a [`Registry`] and every mistake.
//! Never: stops at a mistake, parses a template, reads anything but regular files of a pack.

mod apply;
mod body;
mod component;
mod drift;
mod extends;
mod facts;
mod fields;
mod files;
mod folder;
mod layer;
mod layout;
mod pack;
mod patch;
mod reader;
mod references;
mod source;
mod stack;
mod stamp;
mod text;
mod tool;
mod trust;
mod variant;
mod wordings;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use facts::{read as read_facts, shipped as shipped_facts};
pub use folder::DirSource;
pub use layout::is_pack_file;
pub(crate) use source::ReadSource;
pub use source::{MemorySource, Source, SourceEntry};
pub(crate) use stamp::Stamp;
pub(crate) use trust::project;
pub use trust::{Trust, TrustStore};

use crate::diagnostic::Diagnostic;
use crate::model::Component;
use crate::registry::Registry;

/// One layer of the stack.
#[derive(Clone)]
pub(crate) struct Layer {
    /// Its files.
    pub source: Arc<dyn Source>,
    /// What it is, which decides whether it needs a `pack.toml`.
    pub kind: LayerKind,
    /// Components that code made; they come after those of the files.
    pub components: Vec<Component>,
}

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerKind {
    /// A pack, with a `pack.toml`.
    Pack,
    /// What an extension brings along; without a `pack.toml`.
    Extension,
}

/// Loads layers, lowest first; later wins by id.
#[tracing::instrument(level = "debug", skip_all, fields(layers = layers.len(), told))]
pub(crate) fn load(layers: &[Layer]) -> (Registry, Vec<Diagnostic>) {
    let (mut stack, mut told) = (stack::Stack::default(), Vec::new());
    for (rank, layer) in layers.iter().enumerate() {
        if let Some(written) = layer::read(layer, rank, &mut told) {
            stack.push(written, &mut told);
        }
    }
    let registry = stack.finish(&mut told);
    tracing::Span::current().record("told", told.len());
    (registry, told)
}
