//! Components, variants, matchers, helpers, tools and probes written in code.
//!
//! In: what a host or a plugin implements. Out: items that the other floors ask by id; each call is
//! shielded, so that a failure or a panic costs the item alone. Never: knows whether a library stands behind it.

mod gather;
mod inputs;
mod items;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(crate) use gather::{Supplied, gather};
pub use inputs::{Inputs, Output};
pub(crate) use inputs::{Reads, item_origin};
pub(crate) use items::HelperCall;
pub use items::{CodeComponent, CodeHelper, CodeMatcher, IntoOutput, Items, Probe};

use crate::model::{Context, VariantId};

/// Code that adds to an engine. Every method has a default: implement what you supply.
///
/// For closures alone there is [`Items`].
pub trait Extension: Send + Sync {
    /// Its name, in the shape of a pack's: items are `name/id`.
    fn name(&self) -> &str;

    /// Components, which variants name by id.
    fn components(&self) -> Vec<CodeComponent> {
        Vec::new()
    }

    /// Matchers, which `[match] matchers` names.
    fn matchers(&self) -> Vec<CodeMatcher> {
        Vec::new()
    }

    /// Helpers, which templates call.
    fn helpers(&self) -> Vec<CodeHelper> {
        Vec::new()
    }

    /// Probes, which read the world when the host calls [`Engine::probe`](crate::Engine::probe).
    fn probes(&self) -> Vec<Probe> {
        Vec::new()
    }

    /// Variants, tools, components and partials as the files of a pack: path and text.
    /// They go through the same parser as a pack on disk; no `pack.toml` is needed.
    fn files(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Called once a build, before the first of this extension's components runs. An extension whose
    /// calls are dear answers them all at once here and hands the answers out through the batch.
    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        let _ = build;
        None
    }
}

/// One build, as [`Extension::begin`] sees it.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The variant that was chosen.
    pub variant: &'a VariantId,
    /// The context.
    pub context: &'a Context,
    /// The extension's components that will run, in order.
    pub components: &'a [Arc<str>],
}

/// The answers of one build.
pub trait Batch {
    /// The text of one component; the inputs are those of its turn.
    ///
    /// # Errors
    /// A sentence that says why there is no text.
    fn component(&mut self, id: &str, inputs: &Inputs<'_>) -> Result<Option<Output>, String>;
}

/// All extensions of an engine, with their items by name.
#[derive(Default)]
pub(crate) struct Extensions {
    by_name: BTreeMap<Arc<str>, Arc<dyn Extension>>,
    components: BTreeMap<String, CodeComponent>,
    matchers: BTreeMap<String, CodeMatcher>,
    helpers: BTreeMap<String, HelperCall>,
    pub(crate) probes: Vec<(Arc<str>, Probe)>,
}

impl Extensions {
    /// The component of that item, `extension/id`.
    pub(crate) fn component(&self, item: &str) -> Option<&CodeComponent> {
        self.components.get(item)
    }

    /// The matcher of that name, `extension/name` or bare.
    pub(crate) fn matcher(&self, name: &str) -> Option<&CodeMatcher> {
        self.matchers.get(name)
    }

    /// The helper of that name.
    pub(crate) fn helper(&self, name: &str) -> Option<&HelperCall> {
        self.helpers.get(name)
    }

    /// The extension that supplies an item `extension/id`.
    pub(crate) fn owner(&self, item: &str) -> Option<&Arc<dyn Extension>> {
        self.by_name.get(item.split_once('/')?.0)
    }
}

/// Runs foreign code; a panic becomes an error that holds its message.
pub(crate) fn shielded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(format!("it panicked: {}", text.unwrap_or("no message")))
    })
}
