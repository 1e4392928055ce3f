//! The cases of `tests/conformance`, run by a program in C.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use support::{Language, Watch, compile, folder, run};

#[test]
fn every_case_gives_the_same_in_c() {
    check(Watch::Nothing);
}

#[test]
fn sanitizers_find_nothing() {
    check(Watch::Sanitizers);
}

#[test]
fn valgrind_finds_nothing() {
    check(Watch::Valgrind);
}

/// Runs all cases in one process.
fn check(watch: Watch) {
    let cases = folder().join("../../tests/conformance");
    let scratch = tempfile::tempdir().unwrap();
    let source = folder().join("tests/runner.c");
    let Some(program) = compile(Language::C, &source, (watch, scratch.path())) else { return };
    let all: Vec<Case> = files(&cases).iter().map(|file| Case::read(file)).collect();
    let input: Vec<u8> = all.iter().flat_map(Case::written).collect();
    let Some(done) = run(&program, (watch, &cases), &input) else { return };
    let mut out = done.stdout.as_slice();
    let wrong: Vec<String> = all.iter().filter_map(|case| case.compare(&mut out)).collect();
    assert!(wrong.is_empty() && out.is_empty(), "{}", wrong.join("\n"));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    assert!(files.len() >= 30, "{} cases", files.len());
    files
}

/// A case as JSON, with its name.
struct Case {
    name: String,
    case: Json,
}

impl Case {
    fn read(file: &Path) -> Self {
        let name = file.file_stem().unwrap().display().to_string();
        Self { name, case: serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap() }
    }

    fn steps(&self) -> &[Json] {
        list(&self.case["steps"])
    }

    /// The steps as `runner.c` reads them.
    fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut engine = vec![json_of(&self.case["engine"])];
        for component in list(&self.case["components"]) {
            engine.push(json_of(&component["declared"]));
            engine.push(text_of(&component["behaviour"]));
        }
        put(&mut out, "engine", &engine);
        for step in self.steps() {
            for arguments in arguments(step) {
                put(&mut out, step["do"].as_str().unwrap(), &arguments);
            }
        }
        put(&mut out, "end", &[]);
        out
    }

    /// What is other than the case says.
    fn compare(&self, out: &mut &[u8]) -> Option<String> {
        let nothing = json!({ "nothing": true });
        let mut wrong = Vec::new();
        let mut compare = |what: &str, gave: Json, expected: &Json| {
            if gave != *expected {
                wrong.push(format!("{}: {what} gave {gave}, not {expected}", self.name));
            }
        };
        let engine = Some(&self.case["engine_gives"]).filter(|gives| !gives.is_null());
        compare("engine", next(out), engine.unwrap_or(&nothing));
        for step in self.steps() {
            let parts = arguments(step).len();
            let mut gave = next(out);
            for _ in 1..parts {
                let mut more = next(out);
                gave["json"].as_array_mut().unwrap().append(more["json"].as_array_mut().unwrap());
            }
            compare(&step.to_string(), gave, &step["gives"]);
        }
        compare("end", next(out), &nothing);
        (!wrong.is_empty()).then(|| wrong.join("\n"))
    }
}

type Argument = Option<Vec<u8>>;

/// The arguments of a step; several times where it is cut into chunks.
fn arguments(step: &Json) -> Vec<Vec<Argument>> {
    let options = || json_of(&step["options"]);
    let one = match step["do"].as_str().unwrap() {
        "build" => {
            let text = text_of(&step["context_text"]);
            vec![text.or_else(|| json_of(&step["context"])), json_of(&step["ask"])]
        }
        "section" => vec![text_of(&step["id"])],
        "deliver" => vec![text_of(&step["target"]), options()],
        "restore" => vec![text_of(&step["saved"])],
        "parser" => {
            vec![options(), text_of(&step["of"]).filter(|of| of.as_slice() == b"standard")]
        }
        "finish" => vec![text_of(&step["reason"])],
        "push" => return chunks(step),
        _ => vec![options()],
    };
    vec![one]
}

fn chunks(step: &Json) -> Vec<Vec<Argument>> {
    let bytes = match step["hex"].as_str() {
        Some(hex) => hex.as_bytes().chunks(2).map(byte).collect(),
        None => step["chunk"].as_str().unwrap().as_bytes().to_vec(),
    };
    let every = step["every"].as_u64().map_or(bytes.len(), |every| every as usize);
    bytes.chunks(every).map(|chunk| vec![Some(chunk.to_vec())]).collect()
}

fn byte(pair: &[u8]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn json_of(json: &Json) -> Argument {
    (!json.is_null()).then(|| json.to_string().into_bytes())
}

fn text_of(json: &Json) -> Argument {
    json.as_str().map(|text| text.as_bytes().to_vec())
}

fn put(out: &mut Vec<u8>, verb: &str, arguments: &[Argument]) {
    out.extend(format!("{verb} {}\n", arguments.len()).bytes());
    for argument in arguments {
        match argument {
            None => out.extend(b"-1\n"),
            Some(bytes) => {
                out.extend(format!("{}\n", bytes.len()).bytes());
                out.extend(bytes);
                out.push(b'\n');
            }
        }
    }
}

/// What one step of the program printed.
fn next(out: &mut &[u8]) -> Json {
    let end = out.iter().position(|&byte| byte == b'\n').unwrap();
    let head = std::str::from_utf8(&out[..end]).unwrap();
    let (kind, length) = head.split_once(' ').unwrap();
    let length: usize = length.parse().unwrap();
    let bytes = &out[end + 1..end + 1 + length];
    let json = || steady(serde_json::from_slice(bytes).unwrap());
    let gave = match kind {
        "N" => json!({ "nothing": true }),
        "T" => json!({ "text": std::str::from_utf8(bytes).unwrap() }),
        "A" => json!({ "text": null }),
        "J" => json!({ "json": json() }),
        "E" => json!({ "error": json() }),
        other => panic!("`{other}` is no kind"),
    };
    *out = &out[end + 1 + length + 1..];
    gave
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
