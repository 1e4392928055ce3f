//! The one configuration of a plugin, of all that give a part of it.
//!
//! In: a manifest and what was given. Out: a JSON object. Never: repeats a value in a message; lets a
//! pack set a key that the manifest does not open to packs.

use promptweave::{Code, Diagnostic, Origin};
use serde_json::{Map, Value as Json};

use super::Given;
use crate::manifest::{ConfigKey, Giver, Manifest, fits};

/// Who gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Pack,
    User,
}

/// The configuration of a plugin: its defaults, then packs, the user, files; later wins key by key.
///
/// A manifest without `[config]` takes any key from the user and from files, none from packs. What does
/// not count is told, and left out.
pub fn effective_config(
    manifest: &Manifest,
    packs: &[Given],
    user: Option<&Given>,
    files: &[Given],
) -> (Json, Vec<Diagnostic>) {
    let mut merged = Map::new();
    let mut told = Vec::new();
    for (name, key) in &manifest.config {
        if let Some(default) = &key.default {
            merged.insert(name.to_string(), default.clone());
        }
    }
    let packs = packs.iter().map(|given| (Who::Pack, given));
    let user = user.into_iter().chain(files).map(|given| (Who::User, given));
    for (who, given) in packs.chain(user) {
        for (name, (value, origin)) in &given.values {
            match wrong(manifest, who, name, value) {
                None => _ = merged.insert(name.to_string(), value.clone()),
                Some((message, help)) => told.push(diagnostic(origin, message, help)),
            }
        }
    }
    (Json::Object(merged), told)
}

fn diagnostic(origin: &Origin, message: String, help: String) -> Diagnostic {
    Diagnostic::new(Code::PluginConfig, message, origin.clone()).help(help)
}

/// Why a value does not count, and what to do.
fn wrong(manifest: &Manifest, who: Who, name: &str, value: &Json) -> Option<(String, String)> {
    let plugin = &manifest.name;
    let Some(key) = manifest.config.get(name) else {
        return match (manifest.config.is_empty(), who) {
            (true, Who::User) => None,
            (true, Who::Pack) => Some(closed(manifest, name)),
            (false, _) => {
                let known: Vec<String> =
                    manifest.config.keys().map(|key| format!("`{key}`")).collect();
                let message = format!("the plugin `{plugin}` has no key `{name}`");
                Some((message, format!("its keys are {}", known.join(", "))))
            }
        };
    };
    if who == Who::Pack && key.giver == Giver::User {
        return Some(closed(manifest, name));
    }
    mistyped(key, value).map(|wanted| {
        let message = format!("`{name}` of the plugin `{plugin}` is not of the type `{wanted}`");
        (message, format!("write a value of the type `{wanted}`"))
    })
}

fn closed(manifest: &Manifest, name: &str) -> (String, String) {
    let message = format!("a pack may not give `{name}` to the plugin `{}`", manifest.name);
    let help = format!("write it into `[plugins.{}]` of your own configuration", manifest.name);
    (message, help)
}

fn mistyped(key: &ConfigKey, value: &Json) -> Option<&'static str> {
    key.kind.filter(|kind| !fits(*kind, value)).map(promptweave::KeyType::as_str)
}
