//! The five verbs in a row.
//!
//! In: packs, projects, extensions. Out: an [`Engine`], which turns a context into a [`Prompt`].
//! Never: keeps state between two prompts.

mod contents;
mod delivery;
mod probe;
mod tools;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use contents::LoadedFile;
pub(crate) use probe::Found;

use crate::check;
use crate::compose::{Loaded, compose};
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::Error;
use crate::extension::{Extension, Extensions, Supplied, gather};
use crate::facts::ModelData;
use crate::load::{
    self, DirSource, Layer, LayerKind, MemorySource, ReadSource, Source, Trust, TrustStore,
};
use crate::model::{Context, Pack, Variant};
use crate::moment::{Moment, World, name_taken};
use crate::prompt::{Memory, Prompt};
use crate::recall::Desk;
use crate::registry::Registry;
use crate::select::{self, Ask, Field, Selection};
use crate::tools::Described;
use crate::trace::CacheClass;

/// Builds prompts from the packs and extensions that it was made of.
///
/// Cheap to clone, `Send` and `Sync`; immutable: a reload makes a new one.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    registry: Registry,
    extensions: Extensions,
    candidates: Vec<Arc<Variant>>,
    packs: Arc<[Pack]>,
    model_data: Option<ModelData>,
    diagnostics: Vec<Diagnostic>,
    strict: bool,
    counter: Option<fn(&str) -> usize>,
    narrowed: Vec<(String, CacheClass)>,
    layers: Vec<Layer>,
}

impl Engine {
    /// Starts with no packs at all.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Builds the prompt of the variant that matches `context`.
    ///
    /// # Errors
    /// `no-variant`; `placeholder-missing` where the variant says so; in strict mode the first warning.
    pub fn prompt(&self, context: &Context) -> Result<Prompt, Error> {
        self.prompt_for(context, &Ask::default())
    }

    /// Builds the prompt of the variant that is asked for.
    ///
    /// # Errors
    /// Those of [`Engine::prompt`], `unknown-variant` and `unknown-version`.
    #[tracing::instrument(level = "debug", skip_all, fields(variant, bytes))]
    pub fn prompt_for(&self, context: &Context, ask: &Ask) -> Result<Prompt, Error> {
        let prompt =
            compose(&self.loaded(), context, ask, None)?.prompt.asked(context, ask, Memory::None);
        self.strictly(prompt.diagnostics())?;
        let span = tracing::Span::current();
        let variant = prompt.variant().id.as_str();
        span.record("variant", variant).record("bytes", prompt.text().len());
        Ok(prompt)
    }

    /// Chooses the variant without building anything.
    ///
    /// # Errors
    /// Those of [`Engine::prompt_for`] that have to do with variants.
    pub fn select(&self, context: &Context, ask: &Ask) -> Result<Selection, Error> {
        let (context, _) = self.0.registry.complete(context);
        self.choose((&context, ask), &OnceCell::new(), None)
    }

    /// Everything that was loaded.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Every mistake that was met while loading.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// Looks at everything that loading leaves for later: parses every template and condition, checks
    /// every name, and reports what no build would.
    pub fn check(&self) -> Vec<Diagnostic> {
        check::check(&self.0.registry, &self.0.extensions, self.known_models(), None)
    }

    /// The same, and says which skills texts name that are not among these.
    pub fn check_with_skills(&self, names: &BTreeSet<String>) -> Vec<Diagnostic> {
        check::check(&self.0.registry, &self.0.extensions, self.known_models(), Some(names))
    }

    /// What loading said and what [`Engine::check`] says, each thing once.
    pub fn review(&self) -> Vec<Diagnostic> {
        self.all_of(self.check())
    }

    /// What loading said and what [`Engine::check_with_skills`] says, each thing once.
    pub fn review_with_skills(&self, names: &BTreeSet<String>) -> Vec<Diagnostic> {
        self.all_of(self.check_with_skills(names))
    }

    fn all_of(&self, looked: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut seen = BTreeSet::new();
        let told = self.diagnostics().iter().chain(&looked);
        told.filter(|one| seen.insert(one.to_string())).cloned().collect()
    }

    /// Hands out the moment of the variant that matches, for the benches.
    pub(crate) fn with_moment<T>(
        &self,
        context: &Context,
        use_it: impl FnOnce(&Moment<'_>) -> T,
    ) -> Result<T, Error> {
        let (context, _) = self.0.registry.complete(context);
        let (described, read) = (OnceCell::new(), || Described::read(&context));
        let selection = self.choose((&context, &Ask::default()), &described, None)?;
        Ok(use_it(&Moment::new(
            self.world(&context, &selection.variant, None),
            described.get_or_init(read),
        )))
    }

    fn choose<'c>(
        &self,
        (context, ask): (&'c Context, &Ask),
        described: &OnceCell<Described<'c>>,
        desk: Option<&Desk>,
    ) -> Result<Selection, Error> {
        let Inner { registry, extensions, candidates, .. } = &*self.0;
        let field = Field { registry, extensions, candidates, context, described, desk };
        select::select(&field, ask)
    }

    /// What composing takes of it.
    pub(crate) fn loaded(&self) -> Loaded<'_> {
        let Inner { registry, extensions, candidates, packs, .. } = &*self.0;
        Loaded { registry, extensions, candidates, packs, counting: &*self.0 }
    }

    fn world<'a>(
        &'a self,
        context: &'a Context,
        variant: &'a Variant,
        desk: Option<&'a Desk>,
    ) -> World<'a> {
        let Inner { registry, extensions, .. } = &*self.0;
        World { registry, extensions, context, variant, desk }
    }

    /// What was read to load it, lowest first.
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.0.layers
    }

    /// An engine with the same code and settings, but with packs that were read before.
    pub(crate) fn with_layers(
        &self,
        layers: Vec<(LayerKind, MemorySource)>,
    ) -> Result<Self, Error> {
        let Inner { extensions, narrowed, counter, strict, model_data, .. } = &*self.0;
        let mut builder = Engine::builder().strict(*strict);
        builder.counter = *counter;
        builder.narrowed.clone_from(narrowed);
        builder.extensions = extensions.shared().collect();
        for (kind, source) in layers {
            match kind {
                LayerKind::Pack => builder = builder.pack(source),
                LayerKind::Extension => builder.supplied.push(source),
            }
        }
        let mut engine = builder.build()?;
        if let Some(inner) = Arc::get_mut(&mut engine.0) {
            inner.model_data.clone_from(model_data);
        }
        Ok(engine)
    }

    /// Fails in strict mode at the first that is more than a note.
    pub(crate) fn strictly(&self, diagnostics: &[Diagnostic]) -> Result<(), Error> {
        let first = diagnostics.iter().find(|one| one.severity > Severity::Note);
        match first {
            Some(first) if self.0.strict => Err(first.clone().into()),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("packs", &self.0.packs.len()).finish_non_exhaustive()
    }
}

/// What has a name that templates print, so that no helper can have it.
fn taken(registry: &Registry, name: &str) -> Option<&'static str> {
    let component = registry.components.contains_key(name).then_some("a component");
    component.or_else(|| name_taken(name))
}

/// One pack of the stack, before it is read.
enum Entry {
    Pack(Arc<dyn Source>),
    Project(PathBuf, Trust),
}

/// Collects what an engine is made of; later wins by id.
#[derive(Default)]
pub struct EngineBuilder {
    packs: Vec<Entry>,
    trust_file: Option<PathBuf>,
    extensions: Vec<Arc<dyn Extension>>,
    narrowed: Vec<(String, CacheClass)>,
    told: Vec<Diagnostic>,
    model_data: Vec<(String, String)>,
    strict: bool,
    counter: Option<fn(&str) -> usize>,
    /// Files of extensions as a session found them, in the place of their own.
    supplied: Vec<MemorySource>,
}

impl EngineBuilder {
    /// Adds a pack.
    #[must_use]
    pub fn pack(mut self, source: impl Source + 'static) -> Self {
        self.packs.push(Entry::Pack(Arc::new(source)));
        self
    }

    /// Adds the pack in a folder.
    #[must_use]
    pub fn pack_dir(self, dir: impl AsRef<Path>) -> Self {
        self.pack(DirSource::new(dir.as_ref()))
    }

    /// Adds a project's own pack, the folder `.promptweave` in it, as far as it is trusted.
    #[must_use]
    pub fn project(mut self, dir: impl AsRef<Path>, trust: Trust) -> Self {
        self.packs.push(Entry::Project(dir.as_ref().into(), trust));
        self
    }

    /// Names the file in the user's data folder that lists the trusted projects; without one none is.
    #[must_use]
    pub fn trust_file(mut self, file: impl AsRef<Path>) -> Self {
        self.trust_file = Some(file.as_ref().into());
        self
    }

    /// Adds code.
    #[must_use]
    pub fn extension(mut self, extension: impl Extension + 'static) -> Self {
        self.extensions.push(Arc::new(extension));
        self
    }

    /// Says that this host keeps a known context key fixed, so that what reads it is more stable.
    #[must_use]
    pub fn narrow(mut self, key: &str, class: CacheClass) -> Self {
        self.narrowed.push((key.into(), class));
        self
    }

    /// Adds what was told while preparing what goes in, e.g. by a loader of plugins; it stands first in
    /// [`Engine::diagnostics`].
    #[must_use]
    pub fn told(mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        self.told.extend(diagnostics);
        self
    }

    /// Lays a file of model data over the shipped one, key by key. It has the same shape: `[provider.<name>]` and
    /// `[[provider.<name>.family]]`; `name` is how diagnostics call it. Later ones win.
    #[must_use]
    pub fn model_data(mut self, name: &str, text: &str) -> Self {
        self.model_data.push((name.into(), text.into()));
        self
    }

    /// Turns warnings into errors: of loading for [`EngineBuilder::build`], of building for [`Engine::prompt`].
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Counts the tokens of a prompt that has a budget. Without it [`TokenCounter`](crate::TokenCounter) counts for a model
    /// that is known, and four bytes are taken for a token of another.
    #[must_use]
    pub fn count_tokens(mut self, counter: fn(&str) -> usize) -> Self {
        self.counter = Some(counter);
        self
    }

    /// Loads everything.
    ///
    /// # Errors
    /// In strict mode the first warning or error. Otherwise never: [`Engine::diagnostics`] lists the
    /// mistakes, and what could be loaded is there.
    #[tracing::instrument(level = "debug", skip_all)]
    pub fn build(self) -> Result<Engine, Error> {
        let mut diagnostics = self.told;
        let (mut layers, of_stack) = stack(self.packs, self.trust_file);
        diagnostics.extend(of_stack);
        let (mut extensions, supplied, of_extensions) = gather(self.extensions);
        diagnostics.extend(of_extensions);
        layers.extend(supplied.into_iter().map(|one| layer(one, &self.supplied)));
        for layer in &mut layers {
            layer.source = Arc::new(ReadSource::of(&*layer.source));
        }
        let (mut registry, of_loading) = load::load(&layers);
        diagnostics.extend(of_loading);
        registry.narrow(&self.narrowed);
        diagnostics.extend(extensions.refuse_helpers(|name| taken(&registry, name)));
        let (model_data, of_data) = delivery::overlaid(&self.model_data);
        diagnostics.extend(of_data);
        let engine = Engine(Arc::new(Inner {
            candidates: select::candidates(&registry),
            packs: registry.packs.clone().into(),
            registry,
            extensions,
            model_data,
            diagnostics,
            strict: self.strict,
            counter: self.counter,
            narrowed: self.narrowed,
            layers,
        }));
        engine.strictly(engine.diagnostics())?;
        Ok(engine)
    }
}

/// The packs as layers, lowest first; projects as far as they are trusted.
///
/// The list of trusted folders is only read when a project depends on it.
fn stack(entries: Vec<Entry>, trust_file: Option<PathBuf>) -> (Vec<Layer>, Vec<Diagnostic>) {
    let depends = |entry: &Entry| matches!(entry, Entry::Project(_, Trust::IfTrusted));
    let store = trust_file.filter(|_| entries.iter().any(depends)).map(TrustStore::open);
    let mut diagnostics: Vec<_> = store.iter().flat_map(TrustStore::diagnostics).cloned().collect();
    let mut layers = Vec::new();
    for entry in entries {
        match entry {
            Entry::Pack(source) => layers.push(pack(source)),
            Entry::Project(dir, trust) => {
                let (found, of_trust) = load::project(&dir, trust, store.as_ref());
                layers.extend(found.map(|found| pack(Arc::new(found))));
                diagnostics.extend(of_trust);
            }
        }
    }
    (layers, diagnostics)
}

fn pack(source: Arc<dyn Source>) -> Layer {
    Layer { source, kind: LayerKind::Pack, components: Vec::new() }
}

fn layer(supplied: Supplied, before: &[MemorySource]) -> Layer {
    let Supplied { name, files, components } = supplied;
    let before = before.iter().find(|source| source.name() == name.as_str()).cloned();
    let source = before.unwrap_or_else(|| MemorySource::new(name.as_str(), files));
    Layer { source: Arc::new(source), kind: LayerKind::Extension, components }
}
