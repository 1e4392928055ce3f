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
pub(crate) use inputs::{Reads, covers, item_origin};
pub use items::{CodeComponent, CodeHelper, CodeMatcher, IntoOutput, Items, Probe};

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{Context, Variant};

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

    /// Called before the first component runs, when components of this extension are among them: once for the order of
    /// a variant, once each for its `system_context` and `user_context`. An extension whose calls are dear begins
    /// them all here and hands the answers out through the batch. All extensions begin before any is asked for an
    /// answer, so those that work elsewhere work at the same time: send here, wait in [`Batch::component`].
    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        let _ = build;
        None
    }
}

/// One build, as [`Extension::begin`] sees it.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The variant that was chosen.
    pub variant: &'a Variant,
    /// The labels of that version of the variant.
    pub labels: &'a [&'a str],
    /// The context.
    pub context: &'a Context,
    /// The extension's components that the batch will be asked for, each once, in order. One that a template prints
    /// only in some cases is among them whether or not it is asked for.
    pub components: &'a [Arc<str>],
}

/// The answers of one build.
pub trait Batch {
    /// The text of one component, by the id of its item; the inputs are those of its turn. Two components that come from
    /// one item both ask for it.
    ///
    /// # Errors
    /// A sentence that says why there is no text.
    fn component(&mut self, id: &str, inputs: &Inputs<'_>) -> Result<Option<Output>, String>;
}

/// All extensions of an engine, with their items by name.
#[derive(Default)]
pub(crate) struct Extensions {
    /// In stacking order.
    all: Vec<(Arc<str>, Arc<dyn Extension>)>,
    components: BTreeMap<String, CodeComponent>,
    matchers: BTreeMap<String, Item<CodeMatcher>>,
    helpers: BTreeMap<String, Item<CodeHelper>>,
    pub(crate) probes: Vec<(Arc<str>, Probe)>,
}

/// An item and its origin.
#[derive(Clone)]
pub(crate) struct Item<T> {
    pub(crate) code: T,
    pub(crate) origin: Origin,
}

impl Extensions {
    /// All of them by name, in stacking order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &dyn Extension)> {
        self.all.iter().map(|(name, extension)| (&**name, &**extension))
    }

    /// All of them, in stacking order.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Arc<dyn Extension>> {
        self.all.iter().map(|(_, extension)| Arc::clone(extension))
    }

    /// Whether any supplies a component.
    pub(crate) fn have_components(&self) -> bool {
        !self.components.is_empty()
    }

    /// The component of that item, `extension/id`.
    pub(crate) fn component(&self, item: &str) -> Option<&CodeComponent> {
        self.components.get(item)
    }

    /// The matcher of that name, `extension/name` or bare.
    pub(crate) fn matcher(&self, name: &str) -> Option<&Item<CodeMatcher>> {
        self.matchers.get(name)
    }

    /// The helper of that name.
    pub(crate) fn helper(&self, name: &str) -> Option<&Item<CodeHelper>> {
        self.helpers.get(name)
    }

    /// Leaves out the helpers whose names `taken` knows as those of something else, and tells.
    pub(crate) fn refuse_helpers(
        &mut self,
        taken: impl Fn(&str) -> Option<&'static str>,
    ) -> Vec<Diagnostic> {
        let mut told = Vec::new();
        self.helpers.retain(|name, item| {
            let Some(what) = taken(name) else { return true };
            let message = format!("the helper `{name}` has the name of {what}");
            let told_of = Diagnostic::new(Code::ExtensionConflict, message, item.origin.clone());
            told.push(told_of.help("the helper is left out; rename it"));
            false
        });
        told
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
