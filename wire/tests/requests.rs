//! Requests in Anthropic's form to every target: a folder for each case, its bodies and notes as snapshots.

mod common;

use std::path::Path;

use promptweave_wire::{AbilityData, Outgoing, RequestError, Target, request};
use serde_json::Value as Json;

/// The model that a target is asked for, where the case names none.
fn usual(target: Target) -> &'static str {
    match target {
        Target::Anthropic => "claude-opus-4-5",
        Target::Vertex => "claude-opus-4-5@20251101",
        Target::Bedrock => "us.anthropic.claude-opus-4-5-20251101-v1:0",
        Target::OpenAiChat | Target::OpenAiResponses => "gpt-5.6",
        Target::OpenAiCompatible => "qwen3-coder",
        Target::Xai => "grok-4.5",
        Target::Gemini => "gemini-2.5-pro",
    }
}

fn outgoing(case: &Json, target: Target) -> Result<Outgoing, RequestError> {
    let model = case["models"][target.as_str()].as_str().unwrap_or(usual(target));
    let mut asked = case["request"].clone();
    asked["model"] = model.into();
    let abilities = AbilityData::builtin().abilities(target, model);
    request(target, &abilities, &asked)
}

fn read(path: &Path) -> Json {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn shown(target: Target, result: &Result<Outgoing, RequestError>) -> String {
    let mut lines = vec![format!("## {}", target.as_str())];
    match result {
        Err(error) => lines.push(format!("refused: {error}; {}", error.help())),
        Ok(out) => {
            lines.push(format!("POST {}", out.path));
            lines.extend(out.headers.iter().map(|(name, value)| format!("{name}: {value}")));
            let body = out.body.as_object().expect("an object");
            lines.extend(body.iter().map(|(key, value)| match value.to_string() {
                long if long.len() > 3000 => format!("{key} = {} bytes", long.len()),
                text => format!("{key} = {text}"),
            }));
            for note in &out.notes {
                lines.push(format!("note: {} x{} {}", note.code.as_str(), note.count, note.at));
            }
            let names = out.answering.names.iter();
            lines.extend(names.map(|(short, name)| format!("name: {short} = {name}")));
            let tools = out.answering.text_calls.iter().flat_map(|specs| specs.tool_names());
            lines.extend(tools.map(|tool| format!("looks for: {tool}")));
        }
    }
    lines.join("\n")
}

#[test]
fn requests() {
    insta::glob!("cases/requests/*/case.json", |path| {
        let case = read(path);
        let all = Target::ALL.iter().map(|target| shown(*target, &outgoing(&case, *target)));
        insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n\n"));
    });
}

#[test]
fn bodies_fit_the_documented_shapes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    for target in Target::ALL {
        let schema = read(&folder.join(format!("{}.json", target.as_str())));
        let valid = jsonschema::validator_for(&schema).expect("a schema");
        insta::glob!("cases/requests/*/case.json", |path| {
            let Ok(out) = outgoing(&read(path), *target) else { return };
            let wrong: Vec<String> = valid
                .iter_errors(&out.body)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(wrong.is_empty(), "{} {}: {wrong:#?}", target.as_str(), path.display());
        });
    }
}

#[test]
fn a_request_in_anthropics_form_stays_what_it_is() {
    insta::glob!("cases/requests/*/case.json", |path| {
        let case = read(path);
        let Ok(out) = outgoing(&case, Target::Anthropic) else { return };
        let again = serde_json::json!({ "request": out.body, "models": case["models"] });
        let twice = outgoing(&again, Target::Anthropic).expect("what was sent once");
        assert_eq!(twice.body, out.body, "{}", path.display());
        assert!(twice.notes.is_empty(), "{:?}", twice.notes);
    });
}
