//! The tables of `docs/wire.md` are made of the code: of its own data, and of what becomes of a word put into each place.

use std::collections::BTreeSet;
use std::path::Path;

use promptweave_wire::{AbilityData, Target, request, tables};
use serde_json::{Value as Json, json};

/// The word that is looked for in bodies.
const WORD: &str = "w0rd";

/// The model that is asked for. With it each target can do what the newest of its models can.
fn model(target: Target) -> &'static str {
    match target {
        Target::Anthropic | Target::Vertex | Target::Bedrock => "claude-opus-4-5",
        Target::OpenAiChat => "gpt-4.1",
        Target::OpenAiResponses => "gpt-5.6",
        Target::OpenAiCompatible => "deepseek-v4",
        Target::Xai => "grok-4.5",
        Target::Gemini => "gemini-3-pro",
    }
}

fn merged(mut base: Json, more: &Json) -> Json {
    for (key, value) in more.as_object().expect("an object") {
        base[key] = value.clone();
    }
    base
}

/// What is asked, and the value that is looked for.
fn probes() -> Vec<(&'static str, Json, Json)> {
    let word = || json!(WORD);
    let said = |content: Json| json!({ "messages": [{ "role": "user", "content": content }] });
    let source = |kind: &str, more: Json| merged(json!({ "type": kind }), &more);
    let image = |source: Json| said(json!([{ "type": "image", "source": source }]));
    let paper = |source: Json| said(json!([{ "type": "document", "source": source }]));
    let loop_of = |id: &str, name: &str, input: &str, result: &str| {
        let call =
            json!({ "type": "tool_use", "id": id, "name": name, "input": { "path": input } });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": result });
        json!({ "messages": [{ "role": "user", "content": "x" }, { "role": "assistant", "content": [call] },
            { "role": "user", "content": [result] }] })
    };
    let thought = |block: Json| {
        json!({ "messages": [{ "role": "user", "content": "x" },
            { "role": "assistant", "content": [block, { "type": "text", "text": "y" }] }, { "role": "user", "content": "z" }] })
    };
    let tool = |name: &str, description: &str| json!({ "name": name, "description": description, "input_schema": { "type": "object", "properties": { "p": { "type": "string" } } } });
    let choice = |choice: Json| json!({ "tools": [tool("t", "d")], "tool_choice": choice });
    let base64 = |media: &str| json!({ "media_type": media, "data": WORD });
    vec![
        ("`model`", json!({ "model": WORD }), word()),
        ("`system`", json!({ "system": WORD }), word()),
        ("text of the user", said(word()), word()),
        ("text of the assistant", thought(json!({ "type": "text", "text": WORD })), word()),
        ("image, base64", image(source("base64", base64("image/png"))), word()),
        ("image, URL", image(source("url", json!({ "url": WORD }))), word()),
        ("document, PDF", paper(source("base64", base64("application/pdf"))), word()),
        (
            "document, text",
            paper(source("text", json!({ "media_type": "text/plain", "data": WORD }))),
            word(),
        ),
        ("`tool_use.id`, `tool_use_id`", loop_of(WORD, "t", "i", "r"), word()),
        ("`tool_use.name`", loop_of("i", WORD, "i", "r"), word()),
        ("`tool_use.input`", loop_of("i", "t", WORD, "r"), word()),
        ("`tool_result.content`", loop_of("i", "t", "i", WORD), word()),
        (
            "`thinking`, of Anthropic",
            thought(json!({ "type": "thinking", "thinking": WORD, "signature": "c2ln" })),
            word(),
        ),
        (
            "`redacted_thinking`",
            thought(json!({ "type": "redacted_thinking", "data": WORD })),
            word(),
        ),
        ("tool: `name`", json!({ "tools": [tool(WORD, "d")] }), word()),
        ("tool: `description`", json!({ "tools": [tool("t", WORD)] }), word()),
        ("`tool_choice`: `auto`", choice(json!({ "type": "auto" })), Json::Null),
        ("`tool_choice`: `any`", choice(json!({ "type": "any" })), Json::Null),
        ("`tool_choice`: `none`", choice(json!({ "type": "none" })), Json::Null),
        ("`tool_choice`: `tool`", choice(json!({ "type": "tool", "name": "t" })), Json::Null),
        (
            "`disable_parallel_tool_use`",
            choice(json!({ "type": "auto", "disable_parallel_tool_use": true })),
            Json::Null,
        ),
        ("`max_tokens`", json!({ "max_tokens": 4321 }), json!(4321)),
        ("`stop_sequences`", json!({ "stop_sequences": [WORD] }), word()),
        ("`temperature`", json!({ "temperature": 0.75 }), json!(0.75)),
        ("`top_p`", json!({ "top_p": 0.75 }), json!(0.75)),
        ("`top_k`", json!({ "top_k": 17 }), json!(17)),
        (
            "`thinking`: 6000 tokens",
            json!({ "thinking": { "type": "enabled", "budget_tokens": 6000 } }),
            Json::Null,
        ),
        (
            "`output_config.format`",
            json!({ "output_config": { "format": { "type": "json_schema", "schema": { "title": WORD } } } }),
            word(),
        ),
        ("`metadata.user_id`", json!({ "metadata": { "user_id": WORD } }), word()),
        ("`stream`", json!({ "stream": true }), Json::Null),
        (
            "mark on `system`",
            json!({ "system": [{ "type": "text", "text": "s", "cache_control": { "type": "ephemeral" } }] }),
            Json::Null,
        ),
        (
            "mark on a tool",
            json!({ "tools": [merged(tool("t", "d"), &json!({ "cache_control": { "type": "ephemeral" } }))] }),
            Json::Null,
        ),
        (
            "mark on text",
            said(
                json!([{ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } }]),
            ),
            Json::Null,
        ),
        ("automatic caching", json!({ "cache_control": { "type": "ephemeral" } }), Json::Null),
    ]
}

/// The same request without what the probe is about.
fn without(probe: &Json) -> Json {
    let mut plain = probe.clone();
    for key in ["tool_choice", "thinking", "stream", "cache_control"] {
        plain.as_object_mut().expect("an object").remove(key);
    }
    unmarked(&mut plain);
    plain
}

fn unmarked(json: &mut Json) {
    match json {
        Json::Object(object) => {
            object.remove("cache_control");
            object.values_mut().for_each(unmarked);
        }
        Json::Array(list) => list.iter_mut().for_each(unmarked),
        _ => {}
    }
}

/// Paths to each leaf, with its value.
fn leaves(json: &Json, path: &str, found: &mut Vec<(String, Json)>) {
    match json {
        Json::Object(object) if !object.is_empty() => object.iter().for_each(|(key, value)| {
            let dot = if path.is_empty() { "" } else { "." };
            leaves(value, &format!("{path}{dot}{key}"), found);
        }),
        Json::Array(list) if !list.is_empty() => {
            list.iter().for_each(|value| leaves(value, &format!("{path}[]"), found));
        }
        leaf => found.push((path.to_owned(), leaf.clone())),
    }
}

fn cell(target: Target, probe: &Json, sought: &Json) -> String {
    let sent = |asked: &Json| {
        let base = json!({ "model": model(target), "max_tokens": 16000, "messages": [{ "role": "user", "content": "x" }] });
        let abilities = AbilityData::builtin().abilities(target, model(target));
        request(target, &abilities, &merged(base, asked)).expect("a request")
    };
    let out = sent(probe);
    let (mut found, mut plain) = (Vec::new(), Vec::new());
    leaves(&out.body, "", &mut found);
    leaves(&sent(&without(probe)).body, "", &mut plain);
    let holds = |value: &Json| match (value.as_str(), sought.as_str()) {
        (Some(text), Some(sought)) => text.contains(sought),
        _ => value == sought,
    };
    let mut shown = BTreeSet::new();
    for (path, value) in found {
        if sought.is_null() {
            if !plain.contains(&(path.clone(), value.clone())) {
                shown.insert(format!("`{path}` = `{value}`"));
            }
        } else if holds(&value) {
            shown.insert(format!("`{path}`"));
        }
    }
    let notes = out.notes.iter().map(|note| format!("*{}*", note.code.as_str()));
    let cells: Vec<String> = shown.into_iter().chain(notes).collect();
    if cells.is_empty() { "–".to_owned() } else { cells.join("<br>") }
}

fn requests() -> String {
    let mut page = String::new();
    for targets in [
        &[Target::Anthropic, Target::Vertex, Target::Bedrock, Target::Gemini][..],
        &[Target::OpenAiChat, Target::OpenAiResponses, Target::OpenAiCompatible, Target::Xai],
    ] {
        let heads: Vec<String> = targets
            .iter()
            .map(|target| format!("{}<br>`{}`", target.as_str(), model(*target)))
            .collect();
        page += &format!("| | {} |\n| --- |{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
        for (name, probe, sought) in probes() {
            let cells: Vec<String> =
                targets.iter().map(|target| cell(*target, &probe, &sought)).collect();
            page += &format!("| {name} | {} |\n", cells.join(" | "));
        }
        page += "\n";
    }
    page.trim_end().to_owned() + "\n"
}

#[test]
fn the_page_says_what_the_code_does() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/wire.md");
    let written = std::fs::read_to_string(&file).expect("the page");
    let mut page = written.clone();
    let mut all: Vec<(String, String)> =
        tables().iter().map(|table| (table.name.to_owned(), table.to_markdown())).collect();
    all.push(("requests".into(), requests()));
    for (name, table) in all {
        let (begin, end) = (format!("<!-- table: {name} -->\n"), "<!-- end -->");
        let from =
            page.find(&begin).unwrap_or_else(|| panic!("no place for `{name}`")) + begin.len();
        let to = from + page[from..].find(end).expect("the end of a table");
        page.replace_range(from..to, &table);
    }
    if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
        std::fs::write(&file, &page).expect("docs/ can be written");
    }
    assert!(
        written == page || std::env::var_os("PROMPTWEAVE_BLESS").is_some(),
        "docs/wire.md is stale; run `cargo xtask bless`"
    );
}
