//! Values for calls: the kind that a host would give, and other ones.
//!
//! In: an item's declarations, what the author gives. Out: a [`Given`]. Never: random; the fuzzer is.

use promptweave::{KNOWN_KEYS, KeyType};
use promptweave_loader::harness::{self, Given};
use promptweave_loader::{Item, ItemKind};
use serde_json::{Map, Value as Json, json};

use crate::target::Settings;

/// The longest list that is made for a path such as `tools[3]`.
const MAX_INDEX: usize = 64;

/// What an ordinary call of an item sees; each number gives other values of the same types.
pub(crate) fn given(item: &Item, settings: &Settings, number: u32) -> Given {
    let mut context = Json::Object(Map::new());
    let mut deps: Vec<&String> = item.deps.iter().collect();
    deps.sort();
    for dep in deps {
        for (path, value) in values(dep, number) {
            put(&mut context, &path, value);
        }
    }
    if number == 1 {
        merge(&mut context, &Json::Object(settings.context.clone()));
    }
    let sections = item.sections.iter();
    let sections = sections.map(|id| (id.clone(), format!("The text of {id}, number {number}.\n")));
    let args = match item.kind {
        ItemKind::Helper => match settings.args.get(&item.id) {
            Some(args) => Json::Array(args.clone()).to_string(),
            None => json!([format!("argument {number}")]).to_string(),
        },
        ItemKind::Component
        | ItemKind::Matcher
        | ItemKind::Probe
        | ItemKind::Variant
        | ItemKind::Tool => String::new(),
    };
    Given { context, sections: sections.collect(), args, ..Given::default() }
}

/// The values at a declared path: those of the known keys at or under it, else a text.
fn values(dep: &str, number: u32) -> Vec<(String, Json)> {
    let below = |path: &str| path.strip_prefix(dep).is_some_and(|rest| rest.starts_with('.'));
    let known = KNOWN_KEYS.iter().filter(|key| key.path == dep || below(key.path));
    let mut known: Vec<_> =
        known.map(|key| (key.path.to_owned(), of_type(key.path, key.kind, number))).collect();
    if known.is_empty() {
        known.push((dep.to_owned(), text(dep, number)));
    }
    known
}

fn text(path: &str, number: u32) -> Json {
    match path {
        "cwd" | "home" => json!(format!("/work/sample-{number}")),
        "date" => json!(format!("2026-01-{number:02}")),
        _ => json!(format!("sample {number}")),
    }
}

fn of_type(path: &str, kind: KeyType, number: u32) -> Json {
    match kind {
        KeyType::String => text(path, number),
        KeyType::Integer => json!(1000 + number),
        KeyType::Number => json!(f64::from(number) + 0.5),
        KeyType::Boolean => json!(number % 2 == 1),
        KeyType::List => json!([{
            "name": format!("sample-{number}"), "path": "/work/sample", "description": "A sample",
            "text": "A sample.",
        }]),
        KeyType::Object => json!({ "name": format!("sample-{number}") }),
    }
}

/// Puts a value at a path; what stands in the way is replaced.
pub(crate) fn put(root: &mut Json, path: &str, value: Json) {
    let Some(steps) = harness::steps(path) else { return };
    let mut place = root;
    for step in steps {
        place = match step.parse::<usize>() {
            Ok(index) if index < MAX_INDEX && !place.is_object() => {
                if !place.is_array() {
                    *place = json!([]);
                }
                let Json::Array(items) = place else { return };
                if items.len() <= index {
                    items.resize(index + 1, Json::Null);
                }
                &mut items[index]
            }
            Ok(_) | Err(_) => {
                if !place.is_object() {
                    *place = json!({});
                }
                let Json::Object(entries) = place else { return };
                entries.entry(step.into_owned()).or_insert(Json::Null)
            }
        };
    }
    *place = value;
}

/// Takes away what stands at a path.
pub(crate) fn remove(root: &mut Json, path: &str) {
    let Some(mut steps) = harness::steps(path) else { return };
    let Some(last) = steps.pop() else { return };
    let place = steps.iter().try_fold(root, |json, step| match json {
        Json::Object(entries) => entries.get_mut(&**step),
        Json::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    });
    match place {
        Some(Json::Object(entries)) => _ = entries.remove(&*last),
        Some(Json::Array(items)) => {
            if let Some(item) = last.parse().ok().and_then(|at: usize| items.get_mut(at)) {
                *item = Json::Null;
            }
        }
        Some(_) | None => {}
    }
}

/// Lays the author's values over the made ones.
fn merge(base: &mut Json, over: &Json) {
    match (base, over) {
        (Json::Object(base), Json::Object(over)) => {
            for (key, value) in over {
                merge(base.entry(key.clone()).or_insert(Json::Null), value);
            }
        }
        (base, over) => *base = over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_and_removed() {
        let mut context = json!({});
        put(&mut context, "tools[1].name", json!("read"));
        put(&mut context, "git.branch", json!("main"));
        assert_eq!(context, json!({"tools": [null, {"name": "read"}], "git": {"branch": "main"}}));
        remove(&mut context, "tools[1].name");
        remove(&mut context, "git.branch");
        remove(&mut context, "nowhere.at.all");
        assert_eq!(context, json!({"tools": [null, {}], "git": {}}));
    }

    #[test]
    fn known_keys_have_their_types() {
        let kinds = |dep: &str| -> Vec<String> {
            values(dep, 1).into_iter().map(|(path, value)| format!("{path}={value}")).collect()
        };
        assert_eq!(kinds("cwd"), ["cwd=\"/work/sample-1\""]);
        assert_eq!(kinds("model.context_window"), ["model.context_window=1001"]);
        assert_eq!(kinds("memory.enabled"), ["memory.enabled=true"]);
        assert_eq!(kinds("own.thing"), ["own.thing=\"sample 1\""]);
        assert!(kinds("git").contains(&"git.branch=\"sample 1\"".to_owned()));
    }
}
