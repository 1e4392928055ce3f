//! Values by name: context keys, and the placeholder layers that need no sections.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{Moment, World, found};
use crate::condition::{Condition, Names};
use crate::model::{Variant, default_of};
use crate::template::{Found, Val, is_reserved};
use crate::trace::CacheClass;

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

/// What the engine itself means by a name that templates print.
pub(crate) fn name_taken(name: &str) -> Option<&'static str> {
    if is_reserved(name) || matches!(name, "ctx" | "sections" | "base") {
        Some("a word of the template language")
    } else if default_of(name).is_some() {
        Some("a known context key")
    } else {
        let standard = STANDARD_NAMES.iter().any(|(known, _)| *known == name);
        standard.then_some("a placeholder that every pack may use")
    }
}

impl<'a> World<'a> {
    /// Notes what a condition reads.
    pub(crate) fn reads(&self, condition: &Condition) {
        let Some(desk) = self.desk else { return };
        condition.paths().iter().for_each(|path| desk.read(path));
    }

    /// The class of a dotted path that a condition or code reads.
    pub(crate) fn class_of_path(&self, path: &str) -> CacheClass {
        let steps: Vec<&str> = path.split('.').collect();
        if steps[0] == "variant" { CacheClass::Static } else { self.registry.class_of_path(&steps) }
    }

    /// A known context key or `ctx`, by its whole path; the value is that of the first step.
    pub(crate) fn key<S: AsRef<str>>(&self, path: &[S]) -> Option<Found<'a>> {
        let root = path.first()?.as_ref();
        if let Some(desk) = self.desk.filter(|_| root == "ctx" || default_of(root).is_some()) {
            desk.read_steps(if root == "ctx" && path.len() > 1 { &path[1..] } else { path });
        }
        if root == "ctx" {
            return Some(found(Some(self.context.as_json()), self.registry.class_of_path(path)));
        }
        let default = default_of(root)?;
        let value = self.context.root().get(root).filter(|value| !value.is_null());
        let value = value.or_else(|| is_telling(default).then_some(default));
        Some(found(value, self.registry.class_of_path(path)))
    }

    /// Layers 1, 2 and 5 of the placeholders.
    pub(crate) fn placeholder(&self, name: &str) -> Option<(Layer, Found<'a>)> {
        if let Some(value) = self.given(name) {
            return Some((Layer::Context, value));
        }
        if let Some(value) = self.standard(name) {
            return Some((Layer::Standard, value));
        }
        if let Some(own) = self.variant.placeholders.get(name) {
            return Some((Layer::Variant, found(Some(&own.value), CacheClass::Static)));
        }
        let (_, key) = STANDARD_NAMES.iter().find(|(known, _)| *known == name)?;
        Some((Layer::Empty, Found::new(Val::Missing, self.registry.class_of_path(&[*key]))))
    }

    /// Layer 5. A null is found too: it removes the name.
    pub(crate) fn given(&self, name: &str) -> Option<Found<'a>> {
        if let Some(desk) = self.desk {
            desk.read_steps(&["placeholders", name]);
        }
        let value = self.context.root().get("placeholders")?.as_object()?.get(name)?;
        Some(found(Some(value), self.registry.class_of_path(&["placeholders", name])))
    }

    fn standard(&self, name: &str) -> Option<Found<'a>> {
        let (_, key) = STANDARD_NAMES.iter().find(|(known, _)| *known == name)?;
        if let Some(desk) = self.desk {
            desk.read(key);
        }
        match *key {
            "variant.family" => {
                Some(Found::new(Val::Text(&self.variant.family), CacheClass::Static))
            }
            "capabilities" => {
                let has = self.context.texts(key).is_none_or(|list| list.contains(&"browser"));
                let value = Val::Json(Cow::Owned(Json::Bool(has)));
                Some(Found::new(value, self.registry.class_of_path(&[key])))
            }
            key => {
                let text = self.context.text(key)?;
                Some(Found::new(Val::Text(text), self.registry.class_of_path(&[key])))
            }
        }
    }
}

/// The tools are not among the names: their own conditions must not ask for them.
impl Names for World<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Json>> {
        match name {
            "ctx" => Some(Cow::Borrowed(self.context.as_json())),
            "tools" => None,
            "variant" => {
                let Variant { id, family, version, tags, .. } = self.variant;
                let tags: Vec<&str> = tags.iter().map(AsRef::as_ref).collect();
                Some(Cow::Owned(json!({
                    "id": id.as_str(), "family": &**family, "version": version, "tags": tags
                })))
            }
            name => {
                let default = default_of(name)?;
                let value = self.context.root().get(name).filter(|value| !value.is_null());
                Some(Cow::Borrowed(value.unwrap_or(default)))
            }
        }
    }
}

impl Names for Moment<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, Json>> {
        match name {
            "tools" => Some(Cow::Owned(self.tools.ids().collect::<Vec<_>>().into())),
            name => self.world.value(name),
        }
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
