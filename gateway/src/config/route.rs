//! The tables `[[route]]`.
//!
//! In: the tables, upstreams by name. Out: [`Route`]s in the order of the file. Never: a route that leads nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use promptweave::{Ask, Context, Patterns};
use promptweave_wire::ToolCalls;
use serde_json::{Value as Json, json};

use super::keys::Keys;
use super::reader::{Table, Value};
use super::upstream::Upstreams;
use super::{PromptPlace, PromptRule, Route, Upstream, below};
use crate::reading;

const KNOWN: &[&str] = &["models", "list", "upstream", "model", "tool_calls", "retries", "prompt"];
const PROMPT: &[&str] = &["place", "variant", "label", "tag", "max_tokens", "context"];
/// The longest file of a context.
const MAX_CONTEXT_BYTES: u64 = 16 << 20;
/// Each is compared with all before it.
const MAX_PATTERNS: usize = 2000;
const RETRIES: usize = 2;
const MAX_RETRIES: usize = 10;
const CALLS: &[(&str, ToolCalls)] = &[
    ("native", ToolCalls::Native),
    ("text", ToolCalls::Text),
    ("described", ToolCalls::Described),
];
const PLACES: &[(&str, PromptPlace)] = &[
    ("before", PromptPlace::Before),
    ("after", PromptPlace::After),
    ("instead", PromptPlace::Instead),
];

pub(super) fn read(root: &Table<'_>, upstreams: &Upstreams, keys: &Keys<'_>) -> Vec<Route> {
    let tables = root.tables("route", "`[[route]]`", KNOWN);
    if tables.is_empty() {
        root.tell("there is no `[[route]]`".to_owned(), "say which models go to which upstream");
    }
    let mut taken = Taken::default();
    tables.iter().filter_map(|table| one(table, (upstreams, &mut taken), keys)).collect()
}

/// What the routes so far take, in lower case; of those that refuse something, nothing.
#[derive(Default)]
struct Taken {
    /// Parts of ids.
    parts: Vec<String>,
    /// Globs and expressions.
    others: BTreeSet<String>,
    /// How many patterns there are, those of all routes counted.
    count: usize,
}

impl Taken {
    /// A pattern that fits whatever this one fits. Of globs and expressions only the same is known to be one.
    fn before(&self, pattern: &str) -> Option<&str> {
        let all = self.others.get("*").filter(|_| !pattern.starts_with('!'));
        let own = match is_part(pattern) {
            true => self.parts.iter().find(|part| pattern.contains(part.as_str())),
            false => self.others.get(pattern),
        };
        all.or(own).map(String::as_str)
    }

    fn add(&mut self, pattern: String) {
        match is_part(&pattern) {
            true => self.parts.push(pattern),
            false => _ = self.others.insert(pattern),
        }
    }
}

/// Whether a pattern is a part of an id.
fn is_part(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[']) && !pattern.starts_with(['/', '!'])
}

/// `taken` holds what the routes before it take, and then also what it takes itself.
fn one(
    table: &Table<'_>,
    (upstreams, taken): (&Upstreams, &mut Taken),
    keys: &Keys<'_>,
) -> Option<Route> {
    let models = table.needed("models", "write `models = [\"*\"]` for all of them");
    let models = models.and_then(|value| patterns(&value, taken));
    let upstream = table.needed("upstream", "name an upstream");
    let upstream = upstream.and_then(|value| named(&value, upstreams));
    let retries = table.get("retries").and_then(|value| value.count((0, MAX_RETRIES)));
    let listed = table.get("list").map(|list| list.names()).unwrap_or_default();
    let tool_calls = table.get("tool_calls").and_then(|value| value.choice(CALLS));
    let model = table.get("model").and_then(|value| value.name());
    let prompt = table.get("prompt").and_then(|value| prompt(&value, keys));
    Some(Route {
        listed: listed.into_iter().map(|(name, _)| name.to_owned()).collect(),
        models: models?,
        upstream: upstream?,
        model: model.map(str::to_owned),
        tool_calls,
        retries: u32::try_from(retries.unwrap_or(RETRIES)).unwrap_or_default(),
        prompt,
    })
}

/// The upstream that a route names.
fn named(value: &Value<'_>, upstreams: &Upstreams) -> Option<Arc<Upstream>> {
    let name = value.name()?;
    match upstreams.get(name) {
        Some(upstream) => upstream.clone(),
        None => {
            let names: Vec<_> = upstreams.keys().map(String::as_str).collect();
            let help = format!("the upstreams are `{}`", names.join("`, `"));
            value.refuse(format!("there is no upstream `{name}`"), &help)
        }
    }
}

fn patterns(value: &Value<'_>, taken: &mut Taken) -> Option<Patterns> {
    let names = value.names();
    if names.is_empty() {
        return value.refuse("the route takes no model".to_owned(), "write `[\"*\"]` for all");
    }
    taken.count += names.len();
    if taken.count > MAX_PATTERNS {
        let message = format!("the routes have more than {MAX_PATTERNS} patterns");
        return value.refuse(message, "let globs stand for many models");
    }
    let mut own = BTreeSet::new();
    for (text, item) in &names {
        let lower = text.to_lowercase();
        if let Some(before) = taken.before(&lower) {
            let message = format!("`{text}` never counts: a route before takes `{before}`");
            item.refuse::<()>(message, "leave it out, or move this route up");
        }
        if !own.insert(lower) {
            item.refuse::<()>(format!("`{text}` stands here twice"), "leave one of them out");
        }
    }
    // What a route refuses goes on to those behind it.
    if !own.iter().any(|pattern| pattern.starts_with('!')) {
        own.into_iter().for_each(|pattern| taken.add(pattern));
    }
    let items: Vec<_> =
        names.into_iter().map(|(text, item)| (text.to_owned(), item.origin())).collect();
    let (patterns, told) = Patterns::of_models(&items);
    told.into_iter().for_each(|diagnostic| value.reader.push(diagnostic));
    Some(patterns)
}

fn prompt(value: &Value<'_>, keys: &Keys<'_>) -> Option<PromptRule> {
    let table = value.table("`prompt`", PROMPT)?;
    let text = |key: &str| table.get(key).and_then(|value| value.name()).map(str::to_owned);
    let place = table.get("place").and_then(|value| value.choice(PLACES));
    let budget = table.get("max_tokens").and_then(|value| value.count((1, usize::MAX)));
    let (variant, label, tag) = (text("variant"), text("label"), text("tag"));
    let context = match table.get("context") {
        Some(value) => context(&value, keys)?,
        None => Context::default(),
    };
    let ask = Ask { variant, label, tag, budget };
    let place = place.unwrap_or_default();
    Some(PromptRule { place, ask, context, origin: value.origin() })
}

/// A context: the table itself, or the file that a text names, as JSON or, by its ending, as TOML.
fn context(value: &Value<'_>, keys: &Keys<'_>) -> Option<Context> {
    let help = "write a table, or name a file that holds a JSON object";
    let root = if value.is_table() {
        Ok(value.json())
    } else {
        let path = below(keys.folder, value.text()?);
        let is_toml = path.extension().is_some_and(|ending| ending == "toml");
        let text = reading::text(&path, MAX_CONTEXT_BYTES).map_err(|error| error.to_string());
        text.and_then(|text| if is_toml { from_toml(&text) } else { from_json(&text) })
    };
    let context = root.and_then(|root| Context::from_value(root).map_err(|why| why.to_string()));
    match context {
        Ok(context) => {
            let told = context.diagnostics().iter().cloned();
            told.for_each(|diagnostic| value.reader.push(diagnostic));
            Some(context)
        }
        Err(why) => value.refuse(format!("the context cannot be read: {why}"), help),
    }
}

fn from_json(text: &str) -> Result<Json, String> {
    Context::parse(text).map_err(|error| error.to_string())
}

fn from_toml(text: &str) -> Result<Json, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    serde_json::to_value(table).map(|root| json!(root)).map_err(|error| error.to_string())
}
