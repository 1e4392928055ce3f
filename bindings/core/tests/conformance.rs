//! The cases of `tests/conformance`, run here as in every other language.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use promptweave_bindings::{
    Answer, Call, Component, Engine, Error, Json, Parser, Prompt, Session, context, context_of,
};
use serde_json::json;

/// What the steps of a case have made so far.
#[derive(Default)]
struct World {
    engine: Option<Engine>,
    session: Option<Session>,
    prompt: Option<Prompt>,
    parser: Option<Parser>,
}

/// All in one test: the paths of cases are relative to their folder, which is the current one.
#[test]
fn every_case_gives_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    std::env::set_current_dir(&folder).unwrap();
    let is_blessed = std::env::var_os("PROMPTWEAVE_BLESS").is_some();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for path in cases {
        let toml: toml::Table = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let ran = run(serde_json::to_value(toml).unwrap());
        let text = format!("{ran:#}\n");
        let file = path.with_extension("json");
        if is_blessed {
            fs::write(&file, &text).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != text {
            wrong.push(format!("{}\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    cases.sort();
    cases
}

/// The case, with what each step gives.
fn run(mut case: Json) -> Json {
    let mut world = World::default();
    let own = Arc::default();
    let components = list(&case["components"]).iter().map(|one| component(one, &own));
    let made = components.collect::<Result<_, _>>();
    match made.and_then(|components| Engine::new(case["engine"].clone(), components)) {
        Ok(engine) => {
            own.set(engine.clone()).unwrap();
            world.engine = Some(engine);
            for step in case["steps"].as_array_mut().into_iter().flatten() {
                let gives = world.step(step).unwrap_or_else(|error| of_error(&error));
                step["gives"] = steady(gives);
            }
        }
        Err(error) => case["engine_gives"] = of_error(&error),
    }
    case
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn of_error(error: &Error) -> Json {
    json!({ "error": error.to_json() })
}

/// Times count as 0.
fn steady(mut json: Json) -> Json {
    match &mut json {
        Json::Object(map) => {
            for (key, value) in map {
                *value = if key == "ms" { json!(0) } else { steady(value.take()) };
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| *item = steady(item.take())),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
    json
}

impl World {
    fn step(&mut self, step: &Json) -> Result<Json, Error> {
        let json = |json: Json| Ok(json!({ "json": json }));
        let text = |text: Option<&str>| Ok(json!({ "text": text }));
        let word = |key: &str| step[key].as_str().unwrap_or_default();
        let options = step["options"].clone();
        match word("do") {
            "engine-diagnostics" => return json(self.engine().diagnostics()),
            "check" => return json(self.engine().check()?),
            "text" => return text(Some(self.prompt().text())),
            "section" => return text(self.prompt().section(word("id"))),
            "result" => return json(self.prompt().result(options)?),
            "blocks" => return json(self.prompt().blocks()),
            "layers" => return json(self.prompt().layers()),
            "diagnostics" => return json(self.prompt().diagnostics()),
            "deliver" => {
                let payload = self.prompt().deliver(word("target"), options)?;
                return json(
                    json!({ "payload": payload.json, "diagnostics": payload.diagnostics }),
                );
            }
            "build" => self.prompt = Some(self.build(step)?),
            "session" => self.session = Some(self.engine().session(options)?),
            "reset" if options.is_null() => self.session().reset()?,
            "reset" => self.session().reset_at(options)?,
            "save-restore" => {
                let saved = self.session().save()?;
                self.session = Some(self.engine().restore(&saved, Json::Null)?);
            }
            "restore" => {
                self.session = Some(self.engine().restore(word("saved"), Json::Null)?);
            }
            "parser" => {
                let is_standard = word("of") == "standard";
                let made =
                    if is_standard { Parser::new(options) } else { self.engine().parser(options) };
                self.parser = Some(made?);
            }
            "push" => return json(self.push(step)?),
            "finish" => {
                let mut out = Vec::new();
                self.parser().finish(step["reason"].as_str(), &mut out)?;
                return json(serde_json::from_slice(&out).unwrap());
            }
            "parsed" => {
                let mut out = Vec::new();
                self.parser().blocks(&mut out);
                return json(serde_json::from_slice(&out).unwrap());
            }
            other => panic!("`{other}` is no step"),
        }
        Ok(json!({ "nothing": true }))
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    fn session(&self) -> &Session {
        self.session.as_ref().unwrap()
    }

    fn prompt(&self) -> &Prompt {
        self.prompt.as_ref().unwrap()
    }

    fn parser(&mut self) -> &mut Parser {
        self.parser.as_mut().unwrap()
    }

    fn build(&self, step: &Json) -> Result<Prompt, Error> {
        let context = match step["context_text"].as_str() {
            Some(text) => context(text)?,
            None => context_of(step["context"].clone())?,
        };
        let ask = step["ask"].clone();
        match &self.session {
            Some(session) => session.prompt(&context, ask),
            None => self.engine().prompt(&context, ask),
        }
    }

    fn push(&mut self, step: &Json) -> Result<Json, Error> {
        let bytes = match step["hex"].as_str() {
            Some(hex) => hex.as_bytes().chunks(2).map(byte).collect(),
            None => step["chunk"].as_str().unwrap().as_bytes().to_vec(),
        };
        let every = step["every"].as_u64().map_or(bytes.len(), |every| every as usize);
        let mut all = Vec::new();
        for chunk in bytes.chunks(every) {
            let mut out = Vec::new();
            self.parser().push(chunk, &mut out)?;
            all.append(&mut serde_json::from_slice(&out).unwrap());
        }
        Ok(Json::Array(all))
    }
}

fn byte(pair: &[u8]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()
}

/// A component with one of the behaviours.
fn component(one: &Json, engine: &Arc<OnceLock<Engine>>) -> Result<Component, Error> {
    let (engine, calls) = (Arc::clone(engine), AtomicUsize::new(0));
    let behaviour = one["behaviour"].as_str().unwrap().to_owned();
    Component::new(one["declared"].clone(), move |call: Call| match &*behaviour {
        "echo" => Answer::Text(call.inputs.to_string()),
        "greets" => Answer::Text("hello".into()),
        "nothing" => Answer::Nothing,
        "counts" => Answer::Text(format!("call {}", calls.fetch_add(1, Ordering::Relaxed) + 1)),
        "throws" => Answer::Failed("boom".into()),
        "wrong-type" => Answer::WrongType,
        "blocks" => {
            std::thread::sleep(Duration::from_millis(400));
            Answer::Text("late".into())
        }
        "reenters" => {
            let built = engine.get().unwrap().prompt(&context("{}").unwrap(), Json::Null);
            Answer::Text(if built.is_ok() { "built" } else { "refused" }.into())
        }
        other => panic!("`{other}` is no behaviour"),
    })
}
