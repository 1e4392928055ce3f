//! Receipts: what `build --format json` prints is built again, byte for byte, and its layers are the prompt.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use promptweave_tests::golden::Golden;
use promptweave_tests::{cli, conformance, pack, standard};
use serde_json::{Value as Json, json};

/// Runs a verb, which must end well, and reads what it printed.
fn run(args: &[&str]) -> Json {
    let done = cli::run(args);
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{args:?}: {told}\n{}", String::from_utf8_lossy(&done.stdout));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// Builds, builds again from the receipt, and cuts into layers.
fn replayed(folder: &Path, context: &Json, selectors: &[&str], ask: &[&str]) -> Json {
    let (file, receipt) = (folder.join("context.json"), folder.join("receipt.json"));
    std::fs::write(&file, context.to_string()).unwrap();
    let (file, receipt_file) = (file.to_str().unwrap(), receipt.to_str().unwrap());
    let built = run(&[&["build", "--json", "-c", file], selectors, ask].concat());
    std::fs::write(&receipt, built.to_string()).unwrap();
    let verdict = run(&[&["replay", "--json", receipt_file, "-c", file], selectors].concat());
    assert_eq!(
        verdict,
        json!({ "same": true, "inputs": [], "outputs": [], "first": null, "session": false })
    );
    let layers = run(&[&["layers", "--json", "-c", file], selectors, ask].concat());
    let parts = ["layers", "between"].iter().flat_map(|key| layers[key].as_array().unwrap());
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by_key(|part| part["start"].as_u64());
    let contents: String = parts.iter().map(|part| part["content"].as_str().unwrap()).collect();
    assert_eq!((&layers["prompt"], &json!(contents)), (&built["text"], &built["text"]));
    let skipped = built["sections"].as_array().unwrap().iter();
    let skipped: Json = skipped.filter(|one| one["state"] == "skipped").cloned().collect();
    assert_eq!(layers["skipped"], skipped);
    built
}

#[test]
fn of_another_program_s_prompts() {
    let Some(folder) = conformance::find("cline-prompts") else { return };
    for path in conformance::files(&folder, "json") {
        let (golden, folder) = (Golden::read(&path), tempfile::tempdir().unwrap());
        let dir = folder.path().join("pack");
        pack::write_files(&dir, &golden.files());
        let selectors = ["--no-standard", "--pack", dir.to_str().unwrap()];
        let ask = ["--variant", &golden.variant_id];
        let built = replayed(folder.path(), &golden.context(), &selectors, &ask);
        assert_eq!(built["text"], golden.expected_prompt, "{}", golden.name);
    }
}

#[test]
fn of_the_standard_pack() {
    let folder = tempfile::tempdir().unwrap();
    for variant in standard::variants(&standard::engine()) {
        replayed(folder.path(), &standard::basic(), &[], &["--variant", &variant]);
    }
    for (situation, _) in standard::SITUATIONS {
        replayed(folder.path(), &standard::situation(situation), &[], &["--max-tokens", "1500"]);
    }
}

/// Whatever a request asks for is in its receipt.
#[test]
fn of_requests() {
    let folder = tempfile::tempdir().unwrap();
    for request in [
        json!({ "override": "All of it." }),
        json!({ "minimal": true, "append": ["One.", "Two."] }),
        json!({ "agent": "A helper.", "agent_mode": "append", "budget": 900 }),
        json!({ "attribution": "billed: me", "prefix": "Before.", "cache_breaker": "7" }),
        json!({ "system_context": false, "user_context": false, "custom": "Mine." }),
    ] {
        let mut context = standard::basic();
        context["request"] = request.clone();
        let built = replayed(folder.path(), &context, &[], &[]);
        for key in ["attribution", "prefix"] {
            assert_eq!(built[key], request.get(key).cloned().unwrap_or_default(), "{key}");
        }
    }
}
