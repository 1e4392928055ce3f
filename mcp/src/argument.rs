//! The arguments of a variant's prompt: keys of the context.
//!
//! In: an engine, a variant, texts. Out: which arguments there are, the values that texts stand for, and the values that are known.
//! Never: takes a text for a value of another type.

use std::collections::BTreeSet;

use promptweave::{CAPABILITIES, Engine, KNOWN_KEYS, KeyType, Registry, Variant};
use promptweave_inspect::Assignment;
use serde_json::{Value as Json, json};

use crate::refusal::Refusal;

/// Names that are shorter than their keys, as on the command line; each variant has them.
const SHORT: [(&str, &str); 4] =
    [("model", "model.id"), ("provider", "provider.id"), ("mode", "mode"), ("tools", "tools")];

/// The argument that is no key: which version of the variant.
pub(crate) const VERSION: &str = "version";

/// Known keys with few values.
const WORDS: &[(&str, &[&str])] = &[
    ("mode", &["plan", "act"]),
    ("capabilities", CAPABILITIES),
    ("crew.kind", &["master", "sub"]),
    ("request.agent_mode", &["replace", "append"]),
];

/// A key of the context, as an argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) name: String,
    path: String,
    /// Any when absent.
    kind: Option<KeyType>,
    pub(crate) required: bool,
    pub(crate) description: String,
}

/// The arguments that a variant lists: the short ones, the keys that packs declare, the known keys that it may read.
pub(crate) fn arguments(engine: &Engine, variant: &Variant) -> Vec<Argument> {
    let registry = engine.registry();
    let read = engine.keys(variant);
    let declared = registry.keys.iter().filter(|(path, key)| !is_known(path) || key.required);
    let paths: BTreeSet<&str> =
        read.iter().map(AsRef::as_ref).chain(declared.map(|(path, _)| &**path)).collect();
    let is_short = |path: &str| SHORT.iter().any(|(_, key)| *key == path);
    let long = paths.into_iter().filter(|path| !is_short(path));
    SHORT
        .iter()
        .map(|(name, _)| *name)
        .chain(long)
        .filter_map(|name| find(registry, name))
        .collect()
}

/// The argument of a name: a short one, or the path of a key that is known or declared.
pub(crate) fn find(registry: &Registry, name: &str) -> Option<Argument> {
    let short = SHORT.iter().find(|(short, _)| *short == name);
    let path = short.map_or(name, |(_, path)| path);
    let known = KNOWN_KEYS.iter().find(|key| key.path == path);
    let declared = registry.keys.get(path);
    if known.is_none() && declared.is_none() {
        return None;
    }
    let kind = known.map(|key| key.kind).or_else(|| declared.and_then(|key| key.kind));
    let meaning = known.map(|key| key.meaning.to_owned());
    let words = declared.and_then(|key| key.description.as_deref()).map(str::to_owned);
    let typed = kind.map(|kind| format!(" ({})", kind.as_str())).unwrap_or_default();
    Some(Argument {
        name: name.into(),
        path: path.into(),
        kind,
        required: declared.is_some_and(|key| key.required && key.default.is_none()),
        description: words.or(meaning).unwrap_or_else(|| "declared by a pack".into()) + &typed,
    })
}

fn is_known(path: &str) -> bool {
    KNOWN_KEYS.iter().any(|key| key.path == path)
}

impl Argument {
    /// The value that a text stands for: JSON if it is some of the key's type, else the text, where that has the type. A list may be
    /// written as names with commas between.
    pub(crate) fn assign(&self, text: &str) -> Result<Assignment, Refusal> {
        let json = serde_json::from_str::<Json>(text).ok();
        let json = json.filter(|json| self.kind.is_none_or(|kind| kind.accepts(json)));
        let value = match (json, self.kind) {
            (Some(json), _) => json,
            (None, None | Some(KeyType::String)) => json!(text),
            (None, Some(KeyType::List)) => {
                text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
            }
            (None, Some(kind)) => {
                let why =
                    format!("argument `{}` takes a value of type {}", self.name, kind.as_str());
                return Err(Refusal::arguments(why));
            }
        };
        Ok(Assignment { path: self.path.clone(), value })
    }

    /// The values that are known to make sense; a text that holds a list is completed at its end.
    pub(crate) fn values(&self, engine: &Engine, text: &str) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let words = WORDS.iter().find(|(path, _)| *path == self.path);
        let values: Vec<String> = match (&*self.path, self.kind) {
            ("model.id", _) => engine.model_ids().into_iter().map(str::to_owned).collect(),
            ("provider.id", _) => engine.provider_ids().map(str::to_owned).collect(),
            ("tools", _) => engine.registry().tools.keys().map(ToString::to_string).collect(),
            (_, Some(KeyType::Boolean)) => owned(&["true", "false"]),
            _ => words.map(|(_, words)| owned(words)).unwrap_or_default(),
        };
        match (self.kind, text.rsplit_once(',')) {
            (Some(KeyType::List), Some((before, _))) => {
                let taken: Vec<&str> = before.split(',').map(str::trim).collect();
                let left = values.into_iter().filter(|value| !taken.contains(&value.as_str()));
                left.map(|value| format!("{before},{value}")).collect()
            }
            _ => values,
        }
    }
}
