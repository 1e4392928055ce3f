//! The same bytes wherever they are asked for.

use promptweave::{Ask, JsonOptions};
use promptweave_tests::http::Served;
use promptweave_tests::random::Random;
use promptweave_tests::standard::{self, SITUATIONS};
use promptweave_tests::{cli, pack};
use serde_json::{Value as Json, json};

const CONTEXTS: usize = 50;
const MODELS: [&str; 7] = [
    "claude-sonnet-4-5",
    "claude-opus-4-5",
    "gpt-5",
    "gpt-5-codex",
    "gemini-2.5-pro",
    "qwen3-coder",
    "unknown-1",
];

/// Contexts that differ in situation, model, mode, date and what a user wrote.
fn contexts() -> Vec<Json> {
    let mut random = Random(11);
    let context = |at: usize| {
        let (situation, _) = SITUATIONS[at % SITUATIONS.len()];
        let mut context = standard::situation(situation);
        context["model"]["id"] = json!(MODELS[random.below(MODELS.len())]);
        context["mode"] = json!(["plan", "act"][random.below(2)]);
        context["date"] = json!(format!("2026-01-{:02}", 1 + at % 28));
        context["user"] =
            json!({ "language": "Ünïcode \u{1f980}", "name": format!("{{{{user {at}}}}}") });
        context
    };
    (0..CONTEXTS).map(context).collect()
}

/// Times differ between any two builds.
fn timeless(mut result: Json) -> Json {
    for section in result["sections"].as_array_mut().unwrap() {
        section["ms"] = json!(0);
    }
    result
}

#[test]
fn library_command_line_and_http_agree_on_50_contexts() {
    let engine = standard::engine();
    let served = Served::new(engine.clone());
    let folder = tempfile::tempdir().unwrap();
    for (at, context) in contexts().into_iter().enumerate() {
        let own = pack::context(context.clone());
        let prompt = engine.prompt_for(&own, &Ask::default()).unwrap();
        let file = folder.path().join(format!("{at}.json"));
        std::fs::write(&file, context.to_string()).unwrap();
        let file = file.to_str().unwrap();
        let text = served.post("/v1/build", &json!({ "context": context, "format": "text" }));
        assert!(text.body == prompt.text().as_bytes(), "text {at}");
        let printed = cli::run(["build", "-c", file]);
        assert!(printed.status.success() && printed.stdout == prompt.text().as_bytes(), "{at}");

        let mut result = prompt.to_json(&JsonOptions::default());
        engine.token_counter(&prompt).report(&prompt).add_to(&mut result);
        let result = timeless(result);
        let answered = served.post("/v1/build", &json!({ "context": context }));
        assert_eq!(timeless(answered.json()), result, "json {at}");
        let printed = cli::run(["build", "-c", file, "--format", "json"]);
        let printed: Json = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(timeless(printed), result, "json {at}");
    }
}

/// The other verbs, one context each.
#[test]
fn verbs_and_routes_agree() {
    let served = Served::new(standard::engine());
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (standard::basic(), standard::situation("huge-rules"));
    let file = |name: &str, context: &Json| {
        let file = folder.path().join(name);
        std::fs::write(&file, context.to_string()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (one_file, other_file) = (file("one.json", &one), file("other.json", &other));
    let printed = |args: &[&str]| -> Json {
        let output = cli::run(args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}\n{told}"))
    };
    let build = json!({ "context": one });
    for (args, path) in [
        (["build", "-c", &one_file, "--format", "blocks"], "/v1/build"),
        (["build", "-c", &one_file, "--format", "anthropic"], "/v1/build"),
        (["build", "-c", &one_file, "--format", "openai-responses"], "/v1/build"),
        (["build", "-c", &one_file, "--format", "gemini"], "/v1/build"),
    ] {
        let body = json!({ "context": one, "format": args[4] });
        assert_eq!(served.post(path, &body).json(), printed(&args), "{args:?}");
    }
    assert_eq!(
        timeless(served.post("/v1/explain", &build).json()),
        timeless(printed(&["explain", "-c", &one_file, "--json"]))
    );
    let mut layers =
        [served.post("/v1/layers", &build).json(), printed(&["layers", "-c", &one_file, "--json"])];
    for layer in layers.iter_mut().flat_map(|all| all["layers"].as_array_mut().unwrap()) {
        layer["ms"] = json!(0);
    }
    assert_eq!(layers[0], layers[1]);
    let mut diff =
        served.post("/v1/diff", &json!({ "a": build, "b": { "context": other } })).json();
    let told = printed(&["diff", "-c", &one_file, "--vs-context", &other_file, "--json"]);
    diff["before"]["name"] = told["before"]["name"].clone();
    diff["after"]["name"] = told["after"]["name"].clone();
    assert_eq!(diff, told);
    let contexts =
        json!([{ "name": one_file, "context": one }, { "name": other_file, "context": other }]);
    let matrix = served.post("/v1/matrix", &json!({ "contexts": contexts })).json();
    assert_eq!(matrix, printed(&["matrix", "-c", &one_file, "-c", &other_file, "--json"]));
    for kind in ["variants", "components", "tools", "plugins"] {
        assert_eq!(
            served.get(&format!("/v1/{kind}")).json(),
            printed(&["list", kind, "--json"]),
            "{kind}"
        );
    }
    for kind in ["pack", "patch", "variant", "component", "tool", "context", "result"] {
        assert_eq!(
            served.get(&format!("/v1/schema/{kind}")).json(),
            printed(&["schema", kind]),
            "{kind}"
        );
    }
    for (kind, id) in [("variant", "claude"), ("tool", "read_file"), ("component", "acting")] {
        let shown = served.get(&format!("/v1/show/{kind}/{id}")).json();
        assert_eq!(shown, printed(&["show", kind, id, "--json"]), "{kind}");
    }
}

/// Offsets in UTF-16 are those of the command line.
#[test]
fn offsets_are_in_the_unit_that_is_asked_for() {
    let served = Served::new(pack::engine(&[
        ("generic.toml", "order = ['a', 'b']"),
        ("components/a.md", "\u{1f980}"),
        ("components/b.md", "b"),
    ]));
    for (unit, start) in [("bytes", 6), ("utf16", 4)] {
        let result = served.post("/v1/build", &json!({ "offsets": unit })).json();
        assert_eq!(result["sections"][1]["start"], start, "{unit}");
    }
}
