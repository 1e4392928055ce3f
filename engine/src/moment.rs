//! What conditions and templates see in one build.
//!
//! In: the registry, the context, the variant, the effective tools. Out: values by name, each with its
//! class. Never: sections; those are known to the floors that build and render.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use crate::condition::{Condition, Decision, Names};
use crate::diagnostic::{Code, Diagnostic};
use crate::extension::Extensions;
use crate::model::{Context, Variant, default_of, step_into};
use crate::registry::Registry;
use crate::template::{Found, Val};
use crate::tools::ToolSet;
use crate::trace::CacheClass;

/// Everything that one build knows before its first section.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) extensions: &'a Extensions,
    pub(crate) context: &'a Context,
    pub(crate) variant: &'a Variant,
    pub(crate) tools: &'a ToolSet,
}

/// The placeholder layer that a name came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The variant's `[placeholders]`.
    Variant,
    /// The names that the engine knows, such as `CWD`.
    Standard,
    /// A section.
    Section,
    /// A known name that is missing or falsy, and so empty.
    Empty,
    /// The context's `placeholders`.
    Context,
}

impl Layer {
    /// `variant`, `standard`, `section`, `empty` or `context`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::Standard => "standard",
            Self::Section => "section",
            Self::Empty => "empty",
            Self::Context => "context",
        }
    }
}

/// The second layer: names that every pack may use, each with the context key that it shows.
pub(crate) const STANDARD_NAMES: &[(&str, &str)] = &[
    ("CWD", "cwd"),
    ("CURRENT_DATE", "date"),
    ("OS", "os"),
    ("SHELL", "shell"),
    ("HOME_DIR", "home"),
    ("SUPPORTS_BROWSER", "capabilities"),
    ("MODEL_FAMILY", "variant.family"),
];

/// What a condition said.
pub(crate) struct Said {
    pub(crate) holds: bool,
    pub(crate) class: CacheClass,
    /// The widest path that it read.
    pub(crate) cause: Option<Box<str>>,
    /// The key that was missing, when that is why it does not hold.
    pub(crate) missing: Option<String>,
}

impl<'a> Moment<'a> {
    /// A known context key or `ctx`, by its whole path; the value is that of the first step.
    pub(crate) fn key<S: AsRef<str>>(&self, path: &[S]) -> Option<Found<'a>> {
        let root = path.first()?.as_ref();
        let class = || self.registry.class_of_path(path);
        if root == "ctx" {
            // Only what is asked for is handed out: the whole context would be copied.
            return Some(Found::new(Val::Object(self.context.root()), class()));
        }
        let default = default_of(root)?;
        let value = self.context.root().get(root).filter(|value| !value.is_null());
        let value = value.or_else(|| is_telling(default).then_some(default));
        Some(Found::new(value.map_or(Val::Missing, |value| Val::Json(Cow::Borrowed(value))), class()))
    }

    /// Layers 1, 2 and 5 of the placeholders.
    pub(crate) fn placeholder(&self, name: &str) -> Option<(Layer, Found<'a>)> {
        if let Some(value) = self.from_context(name) {
            return Some((Layer::Context, value));
        }
        if let Some(value) = self.standard(name) {
            return Some((Layer::Standard, value));
        }
        let own = &self.variant.placeholders.get(name)?.value;
        Some((Layer::Variant, Found::new(Val::Json(Cow::Borrowed(own)), CacheClass::Static)))
    }

    /// Layer 5. A null is found too: it removes the name.
    pub(crate) fn from_context(&self, name: &str) -> Option<Found<'a>> {
        let value = self.context.root().get("placeholders")?.as_object()?.get(name)?;
        let class = self.registry.class_of_path(&["placeholders", name]);
        let value = if value.is_null() { Val::Missing } else { Val::Json(Cow::Borrowed(value)) };
        Some(Found::new(value, class))
    }

    fn standard(&self, name: &str) -> Option<Found<'a>> {
        let (_, key) = STANDARD_NAMES.iter().find(|(known, _)| *known == name)?;
        match *key {
            "variant.family" => Some(Found::new(Val::Text(&self.variant.family), CacheClass::Static)),
            "capabilities" => {
                let has = self.context.texts(key).is_none_or(|list| list.contains(&"browser"));
                let class = self.registry.class_of_path(&[key]);
                Some(Found::new(Val::Json(Cow::Owned(Json::Bool(has))), class))
            }
            key => {
                let text = self.context.text(key)?;
                Some(Found::new(Val::Text(text), self.registry.class_of_path(&[key])))
            }
        }
    }

    /// Asks a condition; a failure counts as false and is told.
    pub(crate) fn ask(&self, condition: &Condition, told: &mut Vec<Diagnostic>) -> Said {
        let (class, cause) = self.class_of(condition);
        let mut said = Said { holds: false, class, cause, missing: None };
        match condition.decide(self) {
            Decision::Holds(holds) => said.holds = holds,
            Decision::Missing(key) => said.missing = Some(key),
            Decision::Failed(why) => {
                let message = format!("the condition failed: {why}");
                told.push(Diagnostic::new(Code::ConditionFailed, message, condition.origin().clone()).help(
                    "it counts as false; `promptweave check` compiles every condition",
                ));
            }
        }
        said
    }

    fn class_of(&self, condition: &Condition) -> (CacheClass, Option<Box<str>>) {
        let mut widest = (CacheClass::Static, None);
        for path in condition.paths() {
            let steps: Vec<&str> = path.split('.').collect();
            let class = match steps[0] {
                "variant" => CacheClass::Static,
                "tools" => self.tools.class(),
                _ => self.registry.class_of_path(&steps),
            };
            if class > widest.0 {
                widest = (class, Some(path.clone()));
            }
        }
        widest
    }
}

impl Names for Moment<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Json>> {
        match name {
            "variant" => {
                let Variant { id, family, version, tags, .. } = self.variant;
                let tags: Vec<&str> = tags.iter().map(AsRef::as_ref).collect();
                Some(Cow::Owned(json!({
                    "id": id.as_str(), "family": &**family, "version": version, "tags": tags
                })))
            }
            "tools" => Some(Cow::Owned(self.tools.ids().collect::<Vec<_>>().into())),
            name => {
                let default = default_of(name)?;
                let value = self.context.root().get(name).filter(|value| !value.is_null());
                Some(Cow::Borrowed(value.unwrap_or(default)))
            }
        }
    }

    fn context(&self) -> &serde_json::Map<String, Json> {
        self.context.root()
    }
}

/// Whether a default says something: an empty one is no value to print.
fn is_telling(default: &Json) -> bool {
    match default {
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(_) | Json::Null => false,
        Json::Bool(_) | Json::Number(_) => true,
    }
}

/// The value at the rest of a path.
pub(crate) fn walk<'v, S: AsRef<str>>(value: &'v Json, rest: &[S]) -> Option<&'v Json> {
    rest.iter().try_fold(value, |value, step| step_into(value, step.as_ref()))
}
