//! Replies with their right blocks, one file for each dialect and subject, in `cases/`.
//!
//! A block is `{ text = "…" }`, `{ reasoning = "…" }` or `{ call = "name", params = { … } }`. A call has ended in the text
//! unless `end` says otherwise; `open = true` says that text is partial; `repaired` says why a call was repaired. TOML
//! has no null: `"<null>"` stands for it. Each case runs in its dialect and in `auto`, in pieces of six sizes, and cut
//! off at every place.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{blocks, feed, pieces};
use promptweave_reply::{Dialect, ParamKind, ParamSpec, Parser, Specs, StopReason, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Kinds of parameters, by tool.
    tools: BTreeMap<String, BTreeMap<String, String>>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    dialect: String,
    input: String,
    blocks: Vec<Value>,
    #[serde(default)]
    stop: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    /// For people: what goes wrong without the rule.
    #[serde(default, rename = "why")]
    _why: Option<String>,
    /// Why a part of the reply may give a call that the whole does not give.
    #[serde(default)]
    cut: Option<String>,
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).expect("the cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

fn specs(tools: &BTreeMap<String, BTreeMap<String, String>>) -> Specs {
    let param = |(name, kind): (&String, &String)| {
        let kind = if kind == "raw" { ParamKind::Raw } else { ParamKind::Scalar };
        ParamSpec { name: name.clone(), kind, schema_type: None }
    };
    let tool = |(name, params): (&String, &BTreeMap<String, String>)| ToolSpec {
        name: name.clone(),
        params: params.iter().map(param).collect(),
    };
    Specs::from_tools(&tools.iter().map(tool).collect::<Vec<_>>())
}

fn parser(specs: &Specs, case: &Case, dialect: &str) -> Parser {
    let dialect = Dialect::named(dialect).expect("a dialect that is built in");
    let mut parser = Parser::new(specs.clone()).dialect(dialect);
    for option in &case.options {
        parser = match option.as_str() {
            "fenced_calls" => parser.fenced_calls(),
            "starts_in_reasoning" => parser.starts_in_reasoning(),
            "call_ends_reasoning" => parser.call_ends_reasoning(),
            other => parser.tag_suffix(other.strip_prefix("suffix ").expect("an option")),
        };
    }
    parser
}

/// The block as a case states it.
fn short(block: &Value) -> Value {
    let mut short = match block["type"].as_str().expect("a type") {
        "tool_use" => json!({ "call": block["name"], "params": block["params"] }),
        kind => json!({ (kind): block["content"] }),
    };
    match (&block["end"], block["type"] == "tool_use") {
        (Value::String(end), true) if end == "text" => {}
        (Value::Null, true) => short["end"] = json!("none"),
        (end, true) => short["end"] = end.clone(),
        (_, false) if block["partial"] == true => short["open"] = json!(true),
        (_, false) => {}
    }
    if let Some(why) = block.get("repaired") {
        short["repaired"] = why.clone();
    }
    short
}

fn with_nulls(value: &Value) -> Value {
    match value {
        Value::String(text) if text == "<null>" => Value::Null,
        Value::Array(items) => items.iter().map(with_nulls).collect(),
        Value::Object(items) => Value::Object(
            items.iter().map(|(key, value)| (key.clone(), with_nulls(value))).collect(),
        ),
        other => other.clone(),
    }
}

/// Cut off anywhere, no call is complete that the whole does not have, and complete ones are the same.
fn cut_anywhere(specs: &Specs, case: &Case, whole: &[Value]) -> Result<(), String> {
    for at in (0..case.input.len()).filter(|at| case.input.is_char_boundary(*at)) {
        let mut part = parser(specs, case, &case.dialect);
        let _ = part.push(&case.input[..at]);
        let _ = part.finish(StopReason::MaxTokens);
        for (index, block) in blocks(&part).iter().enumerate() {
            let same = |key: &str| whole.get(index).is_some_and(|other| other[key] == block[key]);
            let is_complete = block["type"] == "tool_use" && block["end"] == "text";
            if is_complete && !(same("end") && same("name") && same("params")) {
                return Err(format!("cut at {at}: {block} is complete, and not among {whole:#?}"));
            }
        }
    }
    Ok(())
}

fn check(specs: &Specs, case: &Case) -> Result<(), String> {
    let reason = case
        .stop
        .as_deref()
        .map_or(StopReason::Unknown, |name| StopReason::named(name).expect("a reason"));
    let right: Vec<Value> = case.blocks.iter().map(with_nulls).collect();
    for dialect in [&*case.dialect, "auto"] {
        for size in [0, 1, 2, 3, 7, 13] {
            let parser =
                feed(parser(specs, case, dialect), &pieces(case.input.as_bytes(), size), reason);
            let found: Vec<Value> = blocks(&parser).iter().map(short).collect();
            if found != right {
                return Err(format!(
                    "in {dialect}, pieces of {size}\n found {}\n right {}",
                    json!(found),
                    json!(right)
                ));
            }
        }
    }
    let whole = feed(parser(specs, case, &case.dialect), &[case.input.as_bytes()], reason);
    match case.cut {
        None => cut_anywhere(specs, case, &blocks(&whole)),
        Some(_) => Ok(()),
    }
}

#[test]
fn cases() {
    let (mut count, mut wrong) = (0, Vec::new());
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a file");
        let file: File =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let specs = specs(&file.tools);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for case in &file.case {
            count += 1;
            let checked = std::panic::catch_unwind(|| check(&specs, case));
            let checked = checked.unwrap_or_else(|_| Err("panicked".into()));
            wrong.extend(checked.err().map(|why| format!("{name}: {}: {why}", case.name)));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n\n"));
    eprintln!("{count} cases");
}
