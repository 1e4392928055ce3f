//! The five verbs in a row.
//!
//! In: packs, projects, extensions. Out: an [`Engine`], which turns a context into a [`Prompt`].
//! Never: keeps state between two prompts.

mod delivery;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::blocks::Request;
use crate::build;
use crate::check;
use crate::diagnostic::{Code, Diagnostic, Origin, Severity};
use crate::error::Error;
use crate::extension::{Extension, Extensions, Supplied, gather, item_origin, shielded};
use crate::facts::ModelData;
use crate::load::{self, DirSource, Layer, LayerKind, MemorySource, Source, Trust, TrustStore};
use crate::model::{Context, Pack, ToolCalls, Variant};
use crate::moment::{Moment, World, name_taken};
use crate::prompt::{Parts, Prompt};
use crate::registry::Registry;
use crate::render;
use crate::select::{self, Ask, Field, Selection};
use crate::tools::{self, Declared, Described, Dialect};
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
        let Inner { registry, packs, .. } = &*self.0;
        let (context, of_keys) = registry.complete(context);
        let (described, read) = (OnceCell::new(), || Described::read(&context));
        let selection = self.choose(&context, &described, ask)?;
        let variant = Arc::clone(&selection.variant);
        let moment = &Moment::new(self.world(&context, &variant), described.get_or_init(read));
        let sections = build::build(moment, &variant.order);
        let ending = build::build(moment, &variant.system_context);
        let aside = build::build(moment, &variant.user_context);
        let rendered = render::render(moment, &sections, &ending)?;
        let user_context = render::joined(moment, &aside, &variant.user_context).text;
        let diagnostics = context.diagnostics().iter().cloned().chain(of_keys).collect();
        let request = Request::of(&context);
        let parts = Parts {
            selection,
            diagnostics,
            moment,
            packs,
            request,
            sections,
            ending,
            aside,
            user_context,
        };
        let prompt = Prompt::new(parts, rendered);
        self.strictly(prompt.diagnostics())?;
        let span = tracing::Span::current();
        span.record("variant", variant.id.as_str()).record("bytes", prompt.text().len());
        Ok(prompt)
    }

    /// Chooses the variant without building anything.
    ///
    /// # Errors
    /// Those of [`Engine::prompt_for`] that have to do with variants.
    pub fn select(&self, context: &Context, ask: &Ask) -> Result<Selection, Error> {
        let (context, _) = self.0.registry.complete(context);
        self.choose(&context, &OnceCell::new(), ask)
    }

    /// The effective tools of `context`, declared in the form that one provider takes. None when
    /// `native_tools` is false or the variant has its tools called in text; a note says so.
    ///
    /// # Errors
    /// Those of [`Engine::select`].
    pub fn declare_tools(
        &self,
        context: &Context,
        ask: &Ask,
        dialect: Dialect,
    ) -> Result<Declared, Error> {
        let (context, _) = self.0.registry.complete(context);
        let (described, read) = (OnceCell::new(), || Described::read(&context));
        let selection = self.choose(&context, &described, ask)?;
        let variant = &selection.variant;
        let native = context.get("native_tools").and_then(Json::as_bool).unwrap_or(true);
        if !native || variant.tool_calls != ToolCalls::Native {
            return Ok(Declared { diagnostics: vec![in_text(variant)], ..Declared::default() });
        }
        let moment = Moment::new(self.world(&context, variant), described.get_or_init(read));
        let mut declared = tools::declare(moment.worded(), dialect);
        declared.diagnostics.splice(0..0, moment.diagnostics());
        Ok(declared)
    }

    /// Runs the probes: what each finds goes to its key, where the host gave nothing.
    pub fn probe(&self, context: &Context) -> (Context, Vec<Diagnostic>) {
        let (mut diagnostics, mut probed) = (Vec::new(), context.clone());
        for (extension, probe) in &self.0.extensions.probes {
            if context.get(probe.key()).is_some() {
                continue;
            }
            let item = item_origin(&format!("{extension}/{}", probe.key()));
            let mut told = Vec::new();
            match shielded(|| (probe.run)(context, &mut told)) {
                Ok(Json::Null) => {}
                Ok(found) => probed = probed.with(probe.key(), found),
                Err(why) => {
                    let message = format!("probe `{item}` failed: {why}");
                    let failed = Diagnostic::new(Code::ProbeFailed, message, Origin::Engine);
                    told.push(failed.help("its key stays absent; give it in the context instead"));
                }
            }
            diagnostics.extend(told.into_iter().map(|one| one.of(&item)));
        }
        (probed, diagnostics)
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
        check::check(&self.0.registry, &self.0.extensions)
    }

    /// Hands out the moment of the variant that matches, for the benches.
    pub(crate) fn with_moment<T>(
        &self,
        context: &Context,
        use_it: impl FnOnce(&Moment<'_>) -> T,
    ) -> Result<T, Error> {
        let (context, _) = self.0.registry.complete(context);
        let (described, read) = (OnceCell::new(), || Described::read(&context));
        let selection = self.choose(&context, &described, &Ask::default())?;
        Ok(use_it(&Moment::new(
            self.world(&context, &selection.variant),
            described.get_or_init(read),
        )))
    }

    fn choose<'c>(
        &self,
        context: &'c Context,
        described: &OnceCell<Described<'c>>,
        ask: &Ask,
    ) -> Result<Selection, Error> {
        let Inner { registry, extensions, candidates, .. } = &*self.0;
        select::select(&Field { registry, extensions, candidates, context, described }, ask)
    }

    fn world<'a>(&'a self, context: &'a Context, variant: &'a Variant) -> World<'a> {
        World { registry: &self.0.registry, extensions: &self.0.extensions, context, variant }
    }

    /// Fails in strict mode at the first that is more than a note.
    fn strictly(&self, diagnostics: &[Diagnostic]) -> Result<(), Error> {
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
        layers.extend(supplied.into_iter().map(layer));
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

fn layer(supplied: Supplied) -> Layer {
    let Supplied { name, files, components } = supplied;
    let source = Arc::new(MemorySource::new(name.as_str(), files));
    Layer { source, kind: LayerKind::Extension, components }
}

/// The note that no tool is declared.
fn in_text(variant: &Variant) -> Diagnostic {
    let message = format!("variant `{}` has no tools declared in this context", variant.id);
    Diagnostic::new(Code::ToolsInText, message, variant.origin.clone())
        .help("set `native_tools` to true, and choose a variant with `tool_calls = \"native\"`")
}
