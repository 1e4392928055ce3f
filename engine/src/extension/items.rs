//! The items themselves, made of closures.

use std::fmt::Display;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{Extension, Inputs, Output, item_origin};
use crate::diagnostic::Diagnostic;
use crate::model::{Body, Component, ComponentId, Context, DEFAULT_PRIORITY, PackName, dotted};
use crate::trace::CacheClass;

type ComponentFn = dyn Fn(&Inputs<'_>) -> Result<Option<Output>, String> + Send + Sync;
type MatcherFn = dyn Fn(&Inputs<'_>) -> Result<bool, String> + Send + Sync;
type HelperFn =
    dyn Fn(&Inputs<'_>, &[Json], &Map<String, Json>) -> Result<Json, String> + Send + Sync;
type ProbeFn = dyn Fn(&Context, &mut Vec<Diagnostic>) -> Result<Json, String> + Send + Sync;

/// A component written in code.
#[derive(Clone)]
pub struct CodeComponent {
    id: String,
    pub(crate) class: Option<CacheClass>,
    pub(crate) reason: Option<String>,
    pub(crate) reads: Option<Arc<[Arc<str>]>>,
    pub(crate) description: Option<String>,
    pub(crate) run: Arc<ComponentFn>,
}

impl CodeComponent {
    /// A component whose stability follows from what it reads through [`Inputs`].
    ///
    /// `run` gives a text, an [`Output`], an `Option` of either, or a `Result` of those.
    pub fn new<R: IntoOutput>(
        id: &str,
        run: impl Fn(&Inputs<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let run: Arc<ComponentFn> = Arc::new(move |inputs| run(inputs).into_output());
        Self { id: id.into(), class: None, reason: None, reads: None, description: None, run }
    }

    /// A component that may say something else in each build, and why.
    pub fn volatile<R: IntoOutput>(
        id: &str,
        reason: &str,
        run: impl Fn(&Inputs<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let mut item = Self::new(id, run);
        item.class = Some(CacheClass::Volatile);
        item.reason = Some(reason.into());
        item
    }

    /// The same, known to stay as it is for a session whatever it reads outside the context.
    #[must_use]
    pub fn session(mut self) -> Self {
        self.class = Some(CacheClass::Session);
        self
    }

    /// The same, with all the context keys that it reads; it gets those and what lies below, and no others.
    #[must_use]
    pub fn reads(mut self, keys: &[&str]) -> Self {
        self.reads = Some(declared(keys));
        self
    }

    /// The same, with a sentence for `list` and `explain`.
    #[must_use]
    pub fn describe(mut self, description: &str) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The component that stands for this item of the extension of that name; `id` is the item's.
    pub(crate) fn component(&self, id: ComponentId, extension: &PackName) -> Component {
        let item = format!("{extension}/{id}");
        Component {
            id,
            pack: extension.clone(),
            origin: item_origin(&item),
            description: self.description.as_deref().map(Arc::from),
            when: None,
            cache: self.class,
            reason: self.reason.as_deref().map(Arc::from),
            priority: DEFAULT_PRIORITY,
            body: Body::From(item.into()),
            base: None,
        }
    }
}

fn declared(keys: &[&str]) -> Arc<[Arc<str>]> {
    keys.iter().map(|key| dotted(key).into()).collect()
}

/// What a component's code may give back.
pub trait IntoOutput {
    /// The text, nothing, or why there is none.
    ///
    /// # Errors
    /// The reason, as a sentence.
    fn into_output(self) -> Result<Option<Output>, String>;
}

impl IntoOutput for Output {
    fn into_output(self) -> Result<Option<Output>, String> {
        Ok(Some(self))
    }
}

impl IntoOutput for String {
    fn into_output(self) -> Result<Option<Output>, String> {
        Ok(Some(Output::new(self)))
    }
}

impl IntoOutput for &str {
    fn into_output(self) -> Result<Option<Output>, String> {
        Ok(Some(Output::new(self)))
    }
}

impl<T: IntoOutput> IntoOutput for Option<T> {
    fn into_output(self) -> Result<Option<Output>, String> {
        self.map_or(Ok(None), IntoOutput::into_output)
    }
}

impl<T: IntoOutput, E: Display> IntoOutput for Result<T, E> {
    fn into_output(self) -> Result<Option<Output>, String> {
        self.map_err(|error| error.to_string())?.into_output()
    }
}

/// A matcher written in code.
#[derive(Clone)]
pub struct CodeMatcher {
    name: String,
    pub(crate) reads: Option<Arc<[Arc<str>]>>,
    pub(crate) run: Arc<MatcherFn>,
}

impl CodeMatcher {
    /// A matcher; an error counts as a no, with a warning.
    pub fn new(
        name: &str,
        run: impl Fn(&Inputs<'_>) -> Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), reads: None, run: Arc::new(run) }
    }

    /// The same, with all the context keys that it reads; it gets those and what lies below, and no others.
    #[must_use]
    pub fn reads(mut self, keys: &[&str]) -> Self {
        self.reads = Some(declared(keys));
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A template helper written in code.
#[derive(Clone)]
pub struct CodeHelper {
    name: String,
    pub(crate) class: CacheClass,
    pub(crate) reads: Arc<[Arc<str>]>,
    pub(crate) run: Arc<HelperFn>,
}

impl CodeHelper {
    /// A helper that depends on its arguments alone: those by position, then those by name.
    /// A missing argument is null; a null result prints nothing. In one build it is asked only once for
    /// the same arguments.
    pub fn new(
        name: &str,
        run: impl Fn(&[Json], &Map<String, Json>) -> Result<Json, String> + Send + Sync + 'static,
    ) -> Self {
        Self::reading(name, &[], move |_, arguments, named| run(arguments, named))
    }

    /// A helper that also reads the variant and these context keys, with what lies below; it gets no others. Its
    /// result is as stable as the least stable of its arguments and of what it read.
    pub fn reading(
        name: &str,
        keys: &[&str],
        run: impl Fn(&Inputs<'_>, &[Json], &Map<String, Json>) -> Result<Json, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let (reads, run) = (declared(keys), Arc::new(run));
        Self { name: name.into(), class: CacheClass::Static, reads, run }
    }

    /// The same, depending on something that changes as often as `class` says.
    #[must_use]
    pub fn class(mut self, class: CacheClass) -> Self {
        self.class = class;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Code that reads the world, when the host calls [`Engine::probe`](crate::Engine::probe), and puts what it
/// finds into the context.
#[derive(Clone)]
pub struct Probe {
    key: String,
    pub(crate) run: Arc<ProbeFn>,
}

impl Probe {
    /// A probe for the context key at a dotted path; a key that the host gave is never overwritten. Null stands for
    /// nothing found: the key stays absent.
    pub fn new(
        key: &str,
        run: impl Fn(&Context) -> Result<Json, String> + Send + Sync + 'static,
    ) -> Self {
        Self::telling(key, move |context, _| run(context))
    }

    /// The same with diagnostics beside what it finds, which [`Engine::probe`](crate::Engine::probe) hands out;
    /// [`Origin::Engine`](crate::Origin::Engine) in them stands for the probe.
    pub fn telling(
        key: &str,
        run: impl Fn(&Context, &mut Vec<Diagnostic>) -> Result<Json, String> + Send + Sync + 'static,
    ) -> Self {
        Self { key: key.into(), run: Arc::new(run) }
    }

    /// The context key it fills.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// An extension made of closures.
#[derive(Clone, Default)]
pub struct Items {
    name: String,
    components: Vec<CodeComponent>,
    matchers: Vec<CodeMatcher>,
    helpers: Vec<CodeHelper>,
    probes: Vec<Probe>,
    files: Vec<(String, String)>,
}

impl Items {
    /// An empty extension of that name.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a component.
    #[must_use]
    pub fn component(mut self, item: CodeComponent) -> Self {
        self.components.push(item);
        self
    }

    /// Adds a matcher.
    #[must_use]
    pub fn matcher(mut self, item: CodeMatcher) -> Self {
        self.matchers.push(item);
        self
    }

    /// Adds a helper.
    #[must_use]
    pub fn helper(mut self, item: CodeHelper) -> Self {
        self.helpers.push(item);
        self
    }

    /// Adds a probe.
    #[must_use]
    pub fn probe(mut self, item: Probe) -> Self {
        self.probes.push(item);
        self
    }

    /// Adds a file of a pack: a variant, a tool, a component, a partial.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.into(), text.into()));
        self
    }
}

impl Extension for Items {
    fn name(&self) -> &str {
        &self.name
    }

    fn components(&self) -> Vec<CodeComponent> {
        self.components.clone()
    }

    fn matchers(&self) -> Vec<CodeMatcher> {
        self.matchers.clone()
    }

    fn helpers(&self) -> Vec<CodeHelper> {
        self.helpers.clone()
    }

    fn probes(&self) -> Vec<Probe> {
        self.probes.clone()
    }

    fn files(&self) -> Vec<(String, String)> {
        self.files.clone()
    }
}
