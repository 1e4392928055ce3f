//! Everything that was loaded, immutable and shared.
//!
//! In: what the loader read. Out: look-ups by id. Never: changes; a reload makes a new one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{
    Component, ComponentId, Context, DeclaredKey, Pack, PackName, Tool, ToolId, Variant, VariantId,
    class_of,
};
use crate::template::Template;
use crate::trace::CacheClass;

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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

impl Versions {
    /// The number that a version's number or label stands for.
    pub(crate) fn number(&self, version: &str) -> Option<u32> {
        version.parse().ok().or_else(|| self.labels.get(version).copied())
    }
}

impl Registry {
    /// The version of a variant that is used when none is asked for.
    pub fn current(&self, id: &str) -> Option<&Arc<Variant>> {
        let versions = self.variants.get(id)?;
        versions.by_number.get(&versions.current)
    }

    /// The variant of a name: `ID`, `ID@VERSION` or `ID@LABEL`.
    pub fn version(&self, name: &str) -> Option<&Arc<Variant>> {
        let Some((id, version)) = name.split_once('@') else { return self.current(name) };
        let versions = self.variants.get(id)?;
        versions.by_number.get(&versions.number(version)?)
    }

    /// The labels of that version of a variant.
    pub fn labels(&self, variant: &Variant) -> Vec<&str> {
        let labels = self.variants.get(&variant.id).into_iter().flat_map(|all| &all.labels);
        labels
            .filter(|(_, number)| **number == variant.version)
            .map(|(label, _)| &**label)
            .collect()
    }

    /// The class of a context path, `ctx.` in front or not; declared classes of known keys narrow them.
    pub(crate) fn class_of_path<S: AsRef<str>>(&self, path: &[S]) -> CacheClass {
        let path = match path {
            [first, rest @ ..] if first.as_ref() == "ctx" && !rest.is_empty() => rest,
            whole => whole,
        };
        match (self.declared(path), class_of(path)) {
            (Some(declared), Some(known)) => declared.class.min(known),
            (Some(declared), None) => declared.class,
            (None, known) => known.unwrap_or(CacheClass::Volatile),
        }
    }

    /// The nearest declared key at or above a path.
    fn declared<S: AsRef<str>>(&self, path: &[S]) -> Option<&DeclaredKey> {
        if self.keys.is_empty() {
            return None;
        }
        (1..=path.len()).rev().find_map(|len| {
            let key: Vec<&str> = path[..len].iter().map(AsRef::as_ref).collect();
            self.keys.get(key.join(".").as_str())
        })
    }

    /// The context with the defaults that packs declare, and what is wrong with its declared keys.
    pub(crate) fn complete<'a>(&self, context: &'a Context) -> (Cow<'a, Context>, Vec<Diagnostic>) {
        let (mut told, mut missing) = (Vec::new(), Vec::new());
        for (path, key) in &self.keys {
            match (context.get(path), &key.default) {
                (Some(value), _) => {
                    let kind = key.kind.filter(|kind| !kind.accepts(value));
                    told.extend(kind.map(|kind| wrong_type(path, &kind.described(), key)));
                }
                (None, Some(default)) => missing.push((path, default)),
                (None, None) if key.required => told.push(required(path, key)),
                (None, None) => {}
            }
        }
        if missing.is_empty() {
            return (Cow::Borrowed(context), told);
        }
        let filled = missing
            .into_iter()
            .fold(context.clone(), |context, (path, default)| context.with(path, default.clone()));
        (Cow::Owned(filled), told)
    }

    /// Declares known keys to be more stable than the engine takes them for.
    pub(crate) fn narrow(&mut self, keys: &[(String, CacheClass)]) {
        for (path, class) in keys {
            let key = DeclaredKey {
                kind: None,
                default: None,
                class: *class,
                required: false,
                description: None,
                origin: Origin::Engine,
            };
            self.keys.entry(path.as_str().into()).or_insert(key).class = *class;
        }
    }
}

fn wrong_type(path: &str, kind: &str, key: &DeclaredKey) -> Diagnostic {
    let message = format!("context key `{path}` is not {kind}, as its pack declares it");
    Diagnostic::new(Code::ContextType, message, key.origin.clone())
        .help("give it the declared type, or change the declaration in `pack.toml`")
}

fn required(path: &str, key: &DeclaredKey) -> Diagnostic {
    let message = format!("context key `{path}` is required by its pack, and absent");
    Diagnostic::new(Code::ContextMissing, message, key.origin.clone())
        .help("give it in the context, or a `default` in `pack.toml`")
}
