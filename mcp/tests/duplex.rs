//! A client in the same process: shapes, refusals, reloads.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod pair;

use std::collections::BTreeSet;
use std::sync::Arc;

use pair::{Pair, ROLE, code, engine, files};
use promptweave::{CodeComponent, Engine, Items, MemorySource};
use promptweave_mcp::{Packs, serve_streams};
use rmcp::model::{
    CompleteRequestParams, ErrorCode, ReadResourceRequestParams, Reference, ResourceContents,
    SubscribeRequestParams,
};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[tokio::test]
async fn each_variant_is_a_prompt() {
    let pair = Pair::new(engine(ROLE)).await;
    let prompts = pair.peer().list_all_prompts().await.unwrap();
    let shown: Vec<String> = prompts
        .iter()
        .map(|prompt| {
            let arguments = prompt.arguments.iter().flatten().map(|argument| {
                let required = if argument.required == Some(true) { "!" } else { "" };
                format!("{}{required}", argument.name)
            });
            let description = prompt.description.as_deref().unwrap_or_default();
            format!("{} ({description}): {}", prompt.name, arguments.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "claude (Claude models): model provider mode tools cwd house.short house.style! version",
            "generic (Any model): model provider mode tools cwd house.short house.style!",
        ]
    );
}

#[tokio::test]
async fn a_prompt_is_built_from_texts() {
    let pair = Pair::new(engine(ROLE)).await;
    let given = json!({ "house.style": "plain", "house.short": "true", "mode": "plan", "cwd": "", "version": "canary" });
    let (text, meta) = pair.get("claude", given).await.unwrap();
    assert_eq!(
        text,
        "You are a coding agent.\n\nWrite in a plain style, in few words.\n\nPlan before you act."
    );
    assert_eq!(meta["promptweave/variant"], json!({ "id": "claude", "version": 2 }));
    assert_eq!(meta["promptweave/diagnostics"], json!([]));
    // A number stays a text where the key is one, and the version is no key.
    let given = json!({ "house.style": "7", "version": "1", "model": "claude-x", "tools": "a, b" });
    let (text, meta) = pair.get("claude", given).await.unwrap();
    assert_eq!(text, "You are a coding agent.\n\nWrite in a 7 style.");
    assert_eq!(meta["promptweave/variant"]["version"], 1);
}

#[tokio::test]
async fn bad_arguments_are_errors_of_the_protocol() {
    let pair = Pair::new(engine(ROLE)).await;
    for (name, arguments, words) in [
        ("gone", json!({}), "there is no prompt `gone`"),
        ("claude", json!({}), "argument `house.style` is required by its pack, and absent"),
        ("claude", json!({ "house.stile": "x" }), "there is no argument `house.stile`"),
        ("claude", json!({ "house.style": 7 }), "argument `house.style` is not a string"),
        (
            "claude",
            json!({ "house.style": "x", "house.short": "maybe" }),
            "argument `house.short` takes a value of type boolean",
        ),
        (
            "claude",
            json!({ "house.style": "x", "version": "9" }),
            "variant `claude` has no version `9`",
        ),
    ] {
        let (code, message) = code(pair.get(name, arguments).await);
        assert_eq!((code, message.as_str()), (ErrorCode::INVALID_PARAMS, words));
    }
    for (name, arguments, words) in [
        ("gone", json!({}), "there is no tool `gone`"),
        ("build_prompt", json!({ "pack": "/etc" }), "unknown field `pack`"),
        ("build_prompt", json!({ "plugin": "x.so" }), "unknown field `plugin`"),
        ("build_prompt", json!({ "model": 7 }), "invalid type: integer `7`"),
        ("build_prompt", json!({ "variant": "claude", "tag": "x" }), "exclude each other"),
        ("build_prompt", json!({ "set": { "a..b": 1 } }), "`a..b` is no path"),
        ("explain_prompt", json!({ "mode": "fly" }), "unknown variant `fly`"),
        ("check_pack", json!({ "path": "/etc" }), "unknown field `path`"),
        ("parse_reply", json!({}), "missing field `reply`"),
        ("parse_reply", json!({ "reply": "", "dialect": "x" }), "there is no dialect `x`"),
    ] {
        let (code, message) = code(pair.call(name, arguments).await);
        assert_eq!(code, ErrorCode::INVALID_PARAMS, "{name}: {message}");
        assert!(message.contains(words), "{name}: {message}");
    }
}

#[tokio::test]
async fn what_tools_give_fits_their_schemas_and_is_what_the_verbs_print() {
    let pair = Pair::new(engine(ROLE)).await;
    let tools = pair.peer().list_all_tools().await.unwrap();
    let context = json!({ "house": { "style": "plain" }, "cwd": "/p" });
    let calls = [
        ("build_prompt", json!({ "context": context, "model": "claude-x" })),
        ("explain_prompt", json!({ "context": context, "variant": "claude@1" })),
        ("check_pack", json!({ "pack": "acme", "max_tokens": 1 })),
        ("parse_reply", json!({ "reply": "Hi <read_file><path>a</path></read_file>" })),
    ];
    assert_eq!(tools.len(), calls.len());
    for (tool, (name, arguments)) in tools.iter().zip(calls) {
        assert_eq!(tool.name, name);
        let input = jsonschema::validator_for(&json!(*tool.input_schema)).unwrap();
        assert!(input.is_valid(&arguments), "{name}");
        assert!(!input.is_valid(&json!({ "reply": "", "pack_dir": "x" })), "{name}");
        let output = jsonschema::validator_for(&json!(tool.output_schema)).unwrap();
        let result = pair.call(name, arguments).await.unwrap();
        assert_eq!(result.is_error, Some(false), "{name}");
        let value = result.structured_content.unwrap();
        if let Err(error) = output.validate(&value) {
            panic!("{name}: {error}");
        }
        assert_eq!(json!(result.content)[0]["text"], value.to_string(), "{name}");
        match name {
            "build_prompt" => {
                assert_eq!(value["text"].as_str().unwrap().lines().next(), Some(ROLE));
                assert_eq!(value["variant"]["id"], "claude");
            }
            "explain_prompt" => assert!(value.get("text").is_none() && value["walk"].is_array()),
            "check_pack" => {
                let codes = value["diagnostics"].as_array().unwrap().iter();
                let codes: BTreeSet<&str> = codes.filter_map(|one| one["code"].as_str()).collect();
                assert!(codes.contains("budget-exceeded"), "{codes:?}");
            }
            _ => assert_eq!(value["blocks"][1]["name"], "read_file"),
        }
    }
    // The schemas tell which variants there are.
    let schema = json!(*tools[0].input_schema);
    assert_eq!(schema["properties"]["variant"]["examples"], json!(["claude", "generic"]));
}

#[tokio::test]
async fn what_fails_in_the_sense_of_a_tool_is_its_result() {
    let pair = Pair::new(engine(ROLE)).await;
    for (name, arguments, code) in [
        ("build_prompt", json!({ "variant": "gone" }), "unknown-variant"),
        ("explain_prompt", json!({ "variant": "claude@9" }), "unknown-version"),
        ("build_prompt", json!({ "strict": true }), "context-missing"),
        ("check_pack", json!({ "pack": "../acme" }), "unknown-pack"),
        ("parse_reply", json!({ "reply": "", "variant": "gone" }), "unknown-variant"),
    ] {
        let result = pair.call(name, arguments).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{name}");
        let result = json!(result);
        assert_eq!(result["_meta"]["promptweave/problem"]["code"], code, "{name}");
        assert!(result["content"][0]["text"].as_str().unwrap().starts_with(code));
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    let pair = Pair::new(engine(ROLE)).await;
    let prompt = || Reference::for_prompt("claude");
    assert_eq!(pair.complete(prompt(), "mode", "P").await, ["plan"]);
    assert_eq!(pair.complete(prompt(), "house.short", "").await, ["true", "false"]);
    assert_eq!(pair.complete(prompt(), "version", "").await, ["1", "2", "canary"]);
    assert_eq!(pair.complete(prompt(), "tools", "").await, ["read_file"]);
    assert_eq!(pair.complete(prompt(), "capabilities", "fs,w").await, ["fs,web"]);
    assert!(pair.complete(prompt(), "house.style", "").await.is_empty());
    let models = pair.complete(prompt(), "model", "opus-").await;
    assert!(models.iter().all(|model| model.starts_with("opus-")) && !models.is_empty());
    assert!(pair.complete(prompt(), "provider", "").await.contains(&"anthropic".to_owned()));
    let files = || Reference::for_resource("pack://{pack}/{+path}");
    assert_eq!(pair.complete(files(), "pack", "").await, ["acme"]);
    assert_eq!(pair.complete(files(), "path", "partials/").await, ["partials/note.hbs"]);
    let sources = || Reference::for_resource("source://{kind}/{id}");
    assert_eq!(pair.complete(sources(), "kind", "v").await, ["variant"]);
    assert_eq!(pair.complete(sources(), "id", "g").await, ["generic"]);
    let argument = rmcp::model::ArgumentInfo::new("gone", "");
    for of in [prompt(), files(), Reference::for_prompt("gone"), Reference::for_resource("x://")] {
        let request = CompleteRequestParams::new(of, argument.clone());
        assert_eq!(code(pair.peer().complete(request).await).0, ErrorCode::INVALID_PARAMS);
    }
}

#[tokio::test]
async fn resources_are_what_was_loaded() {
    let pair = Pair::new(engine(ROLE)).await;
    let listed = pair.peer().list_all_resources().await.unwrap();
    let uris: BTreeSet<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris.len(), files(ROLE).len());
    assert!(uris.contains("pack://acme/partials/note.hbs"));
    let read =
        async |uri: &str| pair.peer().read_resource(ReadResourceRequestParams::new(uri)).await;
    for resource in &listed {
        let found = read(&resource.uri).await.unwrap();
        let [ResourceContents::TextResourceContents { uri, mime_type, text, .. }] =
            found.contents.as_slice()
        else {
            panic!("{}", resource.uri)
        };
        assert_eq!((uri, mime_type), (&resource.uri, &resource.mime_type));
        assert_eq!(resource.size, Some(text.len() as u64));
    }
    let source = read("source://variant/claude@1").await.unwrap();
    let ResourceContents::TextResourceContents { uri, .. } = &source.contents[0] else { panic!() };
    assert_eq!(uri, "pack://acme/claude.toml");
    for uri in [
        "pack://acme/../acme/pack.toml",
        "pack://acme/%2e%2e/pack.toml",
        "pack://acme//etc/passwd",
        "pack://other/pack.toml",
        "file:///etc/passwd",
        "source://variant/gone",
        "source://file/pack.toml",
        "",
    ] {
        assert_eq!(code(read(uri).await).0, ErrorCode::RESOURCE_NOT_FOUND, "{uri}");
    }
}

#[tokio::test]
async fn a_reload_is_told() {
    let mut pair = Pair::new(engine(ROLE)).await;
    let followed = "pack://acme/components/role.md";
    #[expect(deprecated, reason = "clients of the older protocol do it so")]
    {
        let subscribe = async |uri| pair.peer().subscribe(SubscribeRequestParams::new(uri)).await;
        subscribe(followed).await.unwrap();
        subscribe("pack://acme/pack.toml").await.unwrap();
        assert_eq!(code(subscribe("pack://gone/x").await).0, ErrorCode::RESOURCE_NOT_FOUND);
    }
    pair.packs.replace(engine("You are a tester."));
    let mut heard = BTreeSet::new();
    for _ in 0..4 {
        heard.insert(pair.heard.recv().await.unwrap());
    }
    assert_eq!(
        heard,
        BTreeSet::from(["prompts", "tools", "resources", followed].map(str::to_owned))
    );
    let (text, _) = pair.get("generic", json!({ "house.style": "plain" })).await.unwrap();
    assert_eq!(text, "You are a tester.");
}

#[tokio::test]
async fn code_that_panics_costs_its_section() {
    let broken = CodeComponent::new("broken", |_| -> String { panic!("secret") });
    let more = [
        ("components/broken.toml", "from = 'acme-code/broken'"),
        ("broken.toml", "order = ['role', 'broken']"),
    ];
    let more = more.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let all: Vec<(String, String)> = files(ROLE).into_iter().chain(more).collect();
    let engine = Engine::builder()
        .pack(MemorySource::new("acme", all))
        .extension(Items::new("acme-code").component(broken))
        .build()
        .unwrap();
    let pair = Pair::new(engine).await;
    let (text, meta) = pair.get("broken", json!({ "house.style": "plain" })).await.unwrap();
    assert_eq!(text, ROLE);
    assert_eq!(meta["promptweave/diagnostics"][0]["code"], "component-failed");
    let result = pair.call("build_prompt", json!({ "variant": "broken" })).await.unwrap();
    assert_eq!(result.is_error, Some(false));
}

/// Clients of the protocol from 2026-07-28 on do not initialize: each request says who asks, and one of them listens.
#[tokio::test]
async fn who_asks_to_listen_is_told() {
    let (near, far) = tokio::io::duplex(1 << 20);
    let packs = Packs::new(engine(ROLE), 4);
    let ((input, output), served) = (tokio::io::split(far), packs.clone());
    tokio::spawn(async move { serve_streams(&served, input, output).await });
    let (near, mut to) = tokio::io::split(near);
    let mut lines = BufReader::new(near).lines();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let role = "pack://acme/components/role.md";
    let wanted = json!({ "promptsListChanged": true, "resourceSubscriptions": [role] });
    for (id, method, params) in [
        (1, "server/discover", json!({ "_meta": meta })),
        (2, "subscriptions/listen", json!({ "_meta": meta, "notifications": wanted })),
    ] {
        let ask = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        to.write_all(format!("{ask}\n").as_bytes()).await.unwrap();
    }
    let mut next = async || -> Json {
        serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
    };
    assert_eq!(next().await["id"], 1);
    assert_eq!(next().await["method"], "notifications/subscriptions/acknowledged");
    packs.replace(engine("You are a tester."));
    assert_eq!(next().await["method"], "notifications/prompts/list_changed");
    let updated = next().await;
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], role);
}

#[tokio::test]
async fn many_ask_at_once() {
    let pair = Arc::new(Pair::new(engine(ROLE)).await);
    let asks = (0..200).map(|_| {
        let pair = Arc::clone(&pair);
        tokio::spawn(async move { pair.get("generic", json!({ "house.style": "plain" })).await })
    });
    for ask in asks.collect::<Vec<_>>() {
        assert_eq!(ask.await.unwrap().unwrap().0, ROLE);
    }
}
