//! `promptweave mcp` on its standard streams, with plugins that do everything wrong while requests run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;

use promptweave_tests::hosted::{Home, Manifest, gone};
use promptweave_tests::{cli, native};
use serde_json::{Value as Json, json};

const PACK: &[(&str, &str)] = &[
    ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'\n"),
    ("generic.toml", "order = ['before', 'bad', 'good', 'after']\n"),
    ("quiet.toml", "order = ['before', 'after']\n"),
    ("before.md", "before\n"),
    ("after.md", "after\n"),
];
const BEGIN: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
];

/// A folder with the pack.
fn pack(home: &Home) -> String {
    let folder = home.beside("acme");
    fs::create_dir_all(folder.join("components")).unwrap();
    for (name, text) in PACK {
        let below = if name.ends_with(".md") { folder.join("components") } else { folder.clone() };
        fs::write(below.join(name), text).unwrap();
    }
    folder.display().to_string()
}

/// What each id was answered.
fn ask(home: &Home, asks: &[Json]) -> BTreeMap<String, Json> {
    let (pack, plugin) = (pack(home), home.plugin().display().to_string());
    let lines = BEGIN.iter().map(|line| (*line).to_owned()).chain(asks.iter().map(Json::to_string));
    let input = lines.collect::<Vec<_>>().join("\n");
    let arguments = ["mcp", "--no-standard", "--pack", &pack, "--plugin", &plugin];
    let output = cli::run_with(arguments, input.as_bytes());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let mut answers = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let answer: Json = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        // Files that were written just before may be loaded once more, of which clients are told.
        if answer.get("id").is_none() {
            continue;
        }
        let before = answers.insert(answer["id"].to_string(), answer);
        assert!(before.is_none(), "an id is answered twice: {line}");
    }
    answers
}

/// The text of a prompt, and what building it had to tell.
fn built(answer: &Json) -> (String, Vec<Json>) {
    let result = &answer["result"];
    let (text, told) = match result.get("messages") {
        Some(messages) => {
            (&messages[0]["content"]["text"], &result["_meta"]["promptweave/diagnostics"])
        }
        None => {
            assert_eq!(result["isError"], false, "{answer:#}");
            (&result["structuredContent"]["text"], &result["structuredContent"]["diagnostics"])
        }
    };
    (text.as_str().unwrap().to_owned(), told.as_array().unwrap().clone())
}

/// A plugin costs its own sections, whatever it does to its process: every call is answered, and standard output stays the protocol.
#[test]
fn a_crash_costs_a_section_and_no_answer() {
    const CALLS: u64 = 12;
    for (case, why) in [
        ("abort", "died of SIGABRT"),
        ("segfault", "died of SIGSEGV"),
        ("exit-0", "exited with status 0"),
        ("endless-loop", "took longer than 500 ms"),
        ("floods", "its limit of 64 KiB"),
        ("prints", ""),
    ] {
        let Some(library) = native::library(case) else { return };
        let home = Home::new(&library, Manifest { name: case, rest: "[run]\ntimeout_ms = 500\n" });
        let asks: Vec<Json> = (0..CALLS)
            .map(|id| {
                let (method, params) = match id % 3 {
                    0 => ("prompts/get", json!({ "name": "generic" })),
                    1 => {
                        let variant = json!({ "variant": "generic" });
                        ("tools/call", json!({ "name": "build_prompt", "arguments": variant }))
                    }
                    _ => ("prompts/get", json!({ "name": "quiet" })),
                };
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            })
            .collect();
        let answers = ask(&home, &asks);
        assert_eq!(answers.len(), asks.len() + 1, "{case}: {answers:#?}");
        let mut reasons = String::new();
        for id in 0..CALLS {
            let (text, told) = built(&answers[&id.to_string()]);
            assert!(text.starts_with("before\n\n") && text.ends_with("after"), "{case}: {text}");
            let is_well = id % 3 == 2 || case == "prints";
            assert_eq!(told.is_empty(), is_well, "{case}: {told:#?}");
            reasons.extend(told.iter().map(|one| one["message"].as_str().unwrap()));
        }
        assert!(reasons.contains(why), "{case}: {reasons}");
        gone(&home);
    }
}
