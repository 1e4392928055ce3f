//! What an engine was made of.
//!
//! In: the layers as they were read. Out: their files; which keys a variant of theirs may read. Never: looks at the disk again.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Engine;
use crate::check;
use crate::diagnostic::SourceFile;
use crate::model::{PackName, Variant};

/// A file of a pack that was loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedFile {
    /// The pack.
    pub pack: PackName,
    /// Its path below the pack's folder; `/` separates folders.
    pub path: Cow<'static, str>,
    /// Its name for people, and its text as it was read.
    pub file: Arc<SourceFile>,
}

impl Engine {
    /// The files of all packs that were loaded, those of extensions too, in stacking order. What was no pack is left out.
    pub fn files(&self) -> Vec<LoadedFile> {
        let packs = self.registry().packs.iter();
        let layers = packs.filter_map(|pack| Some((&pack.name, self.layers().get(pack.rank)?)));
        let files = layers.flat_map(|(pack, layer)| {
            let (entries, _) = layer.source.files();
            entries.into_iter().map(|entry| LoadedFile {
                pack: pack.clone(),
                path: entry.path,
                file: entry.file,
            })
        });
        files.collect()
    }

    /// The context keys that a variant may read: the paths of known keys, and of those that packs declare, which its matcher, its
    /// components and their conditions name. Code counts by what it declares.
    pub fn keys(&self, variant: &Variant) -> BTreeSet<Arc<str>> {
        check::keys(self.registry(), &self.0.extensions, self.known_models(), variant)
    }
}
