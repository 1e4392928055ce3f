//! A session as text, and back.
//!
//! In: what a session knows. Out: JSON that holds it, with the packs that it began with. Never: code, and no section:
//! from the same packs, values and answers come the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::Clock;
use super::state::{Latest, Probing, State};
use super::watched::Watched;
use crate::deliver::TtlLatch;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::engine::{Engine, Found};
use crate::error::Error;
use crate::load::{LayerKind, MemorySource};
use crate::model::{ComponentId, Context, Pack};
use crate::recall::Kept;
use crate::select::Ask;

/// The format of saved sessions; a newer one is refused.
const FORMAT: u64 = 1;

/// Whether a part of a saved session is of its kind.
type IsKind = fn(&Json) -> bool;

/// The parts of a saved session, by JSON pointer.
const PARTS: &[(&str, IsKind)] = &[
    ("/packs", Json::is_array),
    ("/files", Json::is_array),
    ("/clock", Json::is_object),
    ("/clock/date", is_text_or_null),
    ("/clock/time", is_text_or_null),
    ("/probes", Json::is_boolean),
    ("/found", Json::is_object),
    ("/answers", Json::is_object),
    ("/answers/components", Json::is_object),
    ("/answers/helpers", Json::is_object),
    ("/answers/matchers", Json::is_object),
    ("/gone", is_ids),
    ("/budget", |json| json.is_null() || json.is_u64()),
    ("/watched", Json::is_object),
    ("/ttls", Json::is_object),
    ("/prompts", Json::is_array),
];

/// Writes a session.
pub(super) fn write(state: &State) -> String {
    let State { engine, clock, probes, found, kept, watched, ttls, gone, budget, latest, .. } =
        state;
    let packs = engine.registry().packs.iter().map(Pack::to_json);
    let asks = latest
        .iter()
        .map(|(ask, latest)| json!({ "ask": ask.to_json(), "context": latest.context.as_json() }));
    let gone: Vec<&str> = gone.iter().map(ComponentId::as_str).collect();
    json!({
        "format": FORMAT, "engine": env!("CARGO_PKG_VERSION"),
        "clock": { "date": clock.date, "time": clock.time },
        "probes": *probes == Probing::Once, "found": found, "answers": kept.to_json(), "gone": gone, "budget": budget,
        "watched": watched.to_json(), "ttls": ttls.to_json(),
        "prompts": asks.collect::<Vec<_>>(), "packs": packs.collect::<Vec<_>>(),
        "files": engine.layers().iter().map(|layer| write_layer(layer.kind, &*layer.source)).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Reads a session.
///
/// # Errors
/// `session-invalid`.
pub(super) fn read(engine: &Engine, saved: &str) -> Result<State, Error> {
    let json = Context::parse(saved)
        .map_err(|error| invalid(&error.to_string().replace("the context", "it")))?;
    match json["format"].as_u64() {
        Some(FORMAT) => {}
        Some(newer) => return Err(invalid(&format!("its format {newer} is not known"))),
        None => return Err(invalid("it has no `format`")),
    }
    check(&json)?;
    let text = |value: &Json| value.as_str().map(str::to_owned);
    let clock = Clock { date: text(&json["clock"]["date"]), time: text(&json["clock"]["time"]) };
    let (engine, told) = engine_of(engine, &json)?;
    let gone = json["gone"].as_array().into_iter().flatten().filter_map(Json::as_str);
    Ok(State {
        engine,
        clock,
        probes: if json["probes"] == false { Probing::Never } else { Probing::Once },
        found: found(&json["found"]),
        kept: Kept::from_json(&json["answers"]),
        watched: Watched::from_json(&json["watched"]),
        ttls: TtlLatch::from_json(&json["ttls"]),
        gone: gone.filter_map(|id| ComponentId::new(id).ok()).collect(),
        budget: json["budget"].as_u64().map(|most| most as usize),
        latest: latest(&json["prompts"])?,
        told,
    })
}

/// Refuses a text without a part, or with one of another kind: what that said would be forgotten unseen, and the text
/// written over.
fn check(json: &Json) -> Result<(), Error> {
    for (at, is_kind) in PARTS {
        let name = at.trim_start_matches('/').replace('/', ".");
        let part = json.pointer(at).ok_or_else(|| invalid(&format!("it has no `{name}`")))?;
        if !is_kind(part) {
            return Err(invalid(&format!("its `{name}` is not of the kind that a session has")));
        }
    }
    Ok(())
}

fn is_text_or_null(json: &Json) -> bool {
    json.is_null() || json.is_string()
}

fn is_ids(json: &Json) -> bool {
    json.as_array().is_some_and(|ids| ids.iter().all(Json::is_string))
}

/// The engine with the packs of the session, and a note for each that is another one now.
fn engine_of(engine: &Engine, json: &Json) -> Result<(Engine, Vec<Diagnostic>), Error> {
    let now: Vec<Json> = engine.registry().packs.iter().map(Pack::to_json).collect();
    let before = json["packs"].as_array().ok_or_else(|| invalid("it has no `packs`"))?;
    if *before == now {
        return Ok((engine.clone(), Vec::new()));
    }
    let layers = json["files"].as_array().into_iter().flatten();
    let layers: Option<Vec<_>> = layers.map(read_layer).collect();
    let layers = layers.ok_or_else(|| invalid("its `files` are not those of packs"))?;
    Ok((engine.with_layers(layers)?, outdated(engine, before, &now)))
}

/// Packs of one name are told once, with the place where the new one says what it is.
fn outdated(engine: &Engine, before: &[Json], now: &[Json]) -> Vec<Diagnostic> {
    let of = |packs: &[Json], name: &str| packs.iter().find(|pack| pack["name"] == name).cloned();
    let names = before.iter().chain(now).filter_map(|pack| pack["name"].as_str());
    let names: BTreeSet<&str> = names.collect();
    let note = |name: &str| {
        let (old, new) = (of(before, name), of(now, name));
        let same = if version(old.as_ref()) == version(new.as_ref()) {
            ", with another text,"
        } else {
            ""
        };
        let (old, new) = (version(old.as_ref()), version(new.as_ref()));
        let message =
            format!("the session began with {old} of pack `{name}`, and {new}{same} is loaded now");
        let pack = engine.registry().packs.iter().find(|pack| pack.name.as_str() == name);
        let item = || Origin::Item { extension: name.into(), item: "".into() };
        let origin = pack.map_or_else(item, |pack| pack.origin.clone());
        Diagnostic::new(Code::SessionOutdated, message, origin)
            .help("its old text stays until the session is reset")
    };
    let differ = names.into_iter().filter(|name| of(before, name) != of(now, name));
    differ.map(note).collect()
}

fn version(pack: Option<&Json>) -> String {
    let version = pack.and_then(|pack| pack["version"].as_str());
    version.map_or("none".into(), |version| format!("version `{version}`"))
}

fn write_layer(kind: LayerKind, source: &dyn crate::load::Source) -> Json {
    let (files, _) = source.files();
    let files = files.iter().map(|entry| (entry.path.to_string(), json!(entry.file.text())));
    json!({
        "name": source.name(), "extension": kind == LayerKind::Extension,
        "files": files.collect::<Map<_, _>>(),
    })
}

fn read_layer(json: &Json) -> Option<(LayerKind, MemorySource)> {
    let files = json["files"].as_object()?.iter();
    let files: Option<Vec<_>> =
        files.map(|(path, text)| Some((path.as_str(), text.as_str()?))).collect();
    let kind = if json["extension"].as_bool()? { LayerKind::Extension } else { LayerKind::Pack };
    Some((kind, MemorySource::new(json["name"].as_str()?, files?)))
}

fn found(json: &Json) -> Found {
    let entries = json.as_object().into_iter().flatten();
    let value = |value: &Json| (!value.is_null()).then(|| value.clone());
    entries.map(|(key, found)| (key.clone(), value(found))).collect()
}

fn latest(json: &Json) -> Result<BTreeMap<Ask, Latest>, Error> {
    let prompts = json.as_array().into_iter().flatten();
    let read = |prompt: &Json| {
        let context = Context::from_value(prompt["context"].clone())?;
        Ok((Ask::from_json(&prompt["ask"]), Latest { context, composed: None }))
    };
    prompts.map(read).collect()
}

fn invalid(why: &str) -> Error {
    let message = format!("the text is not that of a session: {why}");
    Error::new(
        "session-invalid",
        message,
        "give what `Session::save` wrote, or begin a new session",
    )
}
