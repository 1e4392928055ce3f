//! A plugin's variants and tools as the files of a pack, so that they go through the same parser.

use promptweave::Context;
use serde_json::Value as Json;

use super::{Plugin, told};
use crate::answer::Outcome;
use crate::manifest::ItemKind;
use crate::table::Item;

/// An item that cannot be used.
pub(crate) struct LeftOut {
    pub(crate) item: String,
    /// A sentence.
    pub(crate) why: String,
}

/// Paths and texts.
pub(super) type Files = Vec<(String, String)>;

/// The files, and what became none.
pub(super) fn files(plugin: &Plugin) -> (Files, Vec<LeftOut>) {
    let (mut files, mut refused) = (Vec::new(), Vec::new());
    for item in &plugin.table().items {
        let path = match item.kind {
            ItemKind::Variant => format!("{}.toml", item.id),
            ItemKind::Tool => format!("tools/{}.toml", item.id),
            ItemKind::Component | ItemKind::Matcher | ItemKind::Helper | ItemKind::Probe => {
                continue;
            }
        };
        match text(plugin, item).and_then(|json| toml(&json)) {
            Ok(text) => files.push((path, text)),
            Err(why) => {
                let why = format!("{} `{}`: {why}", item.kind, item.id);
                refused.push(LeftOut { item: item.id.clone(), why });
            }
        }
    }
    (files, refused)
}

/// The item as JSON: its data, or what its code makes of the configuration.
fn text(plugin: &Plugin, item: &Item) -> Result<String, String> {
    if !item.data.is_empty() {
        return Ok(item.data.clone());
    }
    let answer = plugin.ask(item, "", &Context::default())?;
    told::log(item, &answer);
    match answer.outcome {
        Outcome::Text(text) => Ok(text),
        Outcome::Nothing => Err("it yields nothing".into()),
        Outcome::Failed(why) => Err(why),
    }
}

fn toml(json: &str) -> Result<String, String> {
    let value: Json =
        serde_json::from_str(json).map_err(|error| format!("it is not JSON: {error}"))?;
    if let Some(key) = file_key(&value) {
        return Err(format!("the key `{key}` names a file, and a library has none"));
    }
    toml::to_string(&value).map_err(|error| format!("it cannot be written as TOML: {error}"))
}

/// The first key anywhere that names a file.
fn file_key(value: &Json) -> Option<&str> {
    match value {
        Json::Object(entries) => entries.iter().find_map(|(key, value)| {
            if key.ends_with("_file") { Some(key.as_str()) } else { file_key(value) }
        }),
        Json::Array(items) => items.iter().find_map(file_key),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_becomes_toml() {
        assert_eq!(
            toml(r#"{"order":["a"],"match":{"models":["x"]}}"#).unwrap(),
            "order = [\"a\"]\n\n[match]\nmodels = [\"x\"]\n"
        );
        for (bad, why) in [
            ("{", "it is not JSON"),
            (r#"{"a":{"template_file":"x"}}"#, "the key `template_file` names a file"),
            (r#"{"a":null}"#, "it cannot be written as TOML"),
            ("[]", "it cannot be written as TOML"),
        ] {
            assert!(toml(bad).unwrap_err().starts_with(why), "{bad}: {:?}", toml(bad));
        }
    }
}
