//! The probes: `rules.files` for components that print each file, `rules.merged` for those that print all of them.
//!
//! In: the context's `cwd`, `home`, `touched`. Out: JSON; nothing without `cwd`. Never: tells a file's text to anybody
//! but the context.

use std::env;
use std::path::{Path, PathBuf};

use promptweave_plugin::{Cx, Error, Level, Probe, Report as Told};
use serde_json::{Value as Json, json};

use crate::config::{Config, Report};
use crate::discover::discover;
use crate::merge::Instructions;
use crate::place::Place;
use crate::report::{Entry, Note};
use crate::rule::{Applies, Rule};

const DEPS: &[&str] = &["cwd", "home", "touched"];

/// What is told of one probe; a host takes no more than 64, and without an answer where one goes beyond.
const MAX_TOLD: usize = 60;

/// `rules.files`: a list of `{path, scope, text}`, in the order of the host.
pub(crate) struct Files;

impl Probe<Config> for Files {
    const ID: &'static str = "files";
    const DESCRIPTION: &'static str =
        "The instruction files that are in force, as one host reads them";
    const KEY: &'static str = "rules.files";
    const DEPS: &'static [&'static str] = DEPS;

    fn probe(config: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        let Some(found) = find(config, cx)? else { return Ok(()) };
        tell(config, cx, &found.report)?;
        let file =
            |rule: &Rule| json!({ "path": rule.path, "scope": rule.scope, "text": rule.text() });
        let files: Vec<Json> = found.in_force.iter().map(file).collect();
        cx.write(&serde_json::to_string(&files)?)
    }
}

/// `rules.merged`: the text as the host would have it, its spans, the rules that wait, the report.
pub(crate) struct Merged;

impl Probe<Config> for Merged {
    const ID: &'static str = "merged";
    const DESCRIPTION: &'static str =
        "The same as one text with its spans, the rules that wait, and a report";
    const KEY: &'static str = "rules.merged";
    const DEPS: &'static [&'static str] = DEPS;

    fn probe(config: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        let Some(found) = find(config, cx)? else { return Ok(()) };
        let waiting: Vec<Json> = found.waiting.iter().map(waiting).collect();
        let whole = json!({
            "profile": found.profile,
            "text": found.text,
            "spans": found.spans,
            "waiting": waiting,
            "report": found.report,
        });
        cx.write(&serde_json::to_string(&whole)?)
    }
}

fn waiting(rule: &Rule) -> Json {
    let mut json = json!({
        "name": rule.name, "path": rule.path, "scope": rule.scope, "applies": rule.applies.as_str(),
    });
    match &rule.applies {
        Applies::Paths(globs) => json["paths"] = json!(globs.patterns()),
        Applies::Content { regex, paths } => {
            json["content"] = json!(regex.as_str());
            if let Some(globs) = paths {
                json["paths"] = json!(globs.patterns());
            }
        }
        Applies::Described(description) => json["description"] = json!(description),
        Applies::Always | Applies::Manual => {}
    }
    json
}

fn find(config: &Config, cx: &Cx<'_>) -> Result<Option<Instructions>, Error> {
    let Some(cwd) = cx.get_str("cwd")? else { return Ok(None) };
    if !Path::new(cwd).is_absolute() {
        return Err("`cwd` is no absolute path".into());
    }
    let home = cx.get_str("home")?.map(PathBuf::from).or_else(env::home_dir);
    let touched = match cx.get_json("touched")? {
        Some(json) => serde_json::from_str::<Option<Vec<PathBuf>>>(json)?.unwrap_or_default(),
        None => Vec::new(),
    };
    let place = Place {
        home: home.filter(|home| home.is_absolute()),
        touched,
        named: config.named.clone(),
        approved: config.approved.clone(),
        exclude: config.exclude.clone(),
        ..Place::new(cwd)
    };
    Ok(Some(discover(&config.profile, &place)))
}

/// Makes diagnostics of all entries; what is beyond the most is counted.
fn tell(config: &Config, cx: &Cx<'_>, entries: &[Entry]) -> Result<(), Error> {
    let all: Vec<Said> = entries.iter().flat_map(|entry| said(config, entry)).collect();
    for Said { level, code, message, help } in all.iter().take(MAX_TOLD) {
        cx.report(Told { level: *level, code, message, help: *help })?;
    }
    let rest = all.get(MAX_TOLD..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(());
    }
    let is_warning = rest.iter().any(|said| said.level == Level::WARN);
    cx.report(Told {
        level: if is_warning { Level::WARN } else { Level::INFO },
        code: "instructions-more",
        message: &format!("there is more to tell of these files: {} entries", rest.len()),
        help: Some("`report` of the context key `rules.merged` holds all"),
    })
}

/// A diagnostic to be.
struct Said {
    level: Level,
    code: String,
    message: String,
    help: Option<&'static str>,
}

/// What is said of an entry.
fn said(config: &Config, entry: &Entry) -> Vec<Said> {
    let (path, all) = (&entry.path, config.report == Report::All);
    let level = |is_warning: bool| if is_warning { Level::WARN } else { Level::INFO };
    let own = (all || entry.help().is_some()).then(|| Said {
        level: level(entry.is_warning()),
        code: format!("instructions-{}", entry.code()),
        message: format!("`{path}` {}", entry.message()),
        help: entry.help(),
    });
    let notes = entry.notes.iter().filter(|note| all || note.is_warning()).map(|note| Said {
        level: level(note.is_warning()),
        code: "instructions-note".into(),
        message: format!("`{path}`: {}", Note::message(note)),
        help: None,
    });
    own.into_iter().chain(notes).collect()
}
