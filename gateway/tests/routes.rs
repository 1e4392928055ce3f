//! What routes do to requests: prompts, calls as text, other models.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{CHAT, Say, Upstream, ask, chat, config, gateway, plain, streamed};
use std::path::Path;

use promptweave_gateway::{Config, Gateway};
use serde_json::{Value as Json, json};

fn tool() -> Json {
    let properties = json!({ "path": { "type": "string" }, "lines": { "type": "integer" } });
    json!([{ "name": "read_file", "description": "Reads.", "input_schema": { "type": "object", "properties": properties } }])
}

/// What the upstream got for a request with a system text and a tool.
async fn sent(target: &str, prompt: &str, tools: Option<Json>) -> Json {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let route = format!("retries = 0\nprompt = {prompt}");
    let served = gateway(&config(target, upstream.addr, &route)).await;
    let mut asked = plain();
    asked["system"] = "Theirs.".into();
    if let Some(tools) = tools {
        asked["tools"] = tools;
    }
    ask(&served, &asked).await;
    upstream.got()[0].body.clone()
}

#[tokio::test]
async fn a_prompt_stands_where_the_route_says() {
    let ours = "You are m-1, for Ada.";
    for (place, expected) in [
        ("before", vec![ours, "Theirs."]),
        ("after", vec!["Theirs.", ours]),
        ("instead", vec![ours]),
    ] {
        let rule = format!("{{ place = '{place}', context = {{ user = {{ name = 'Ada' }} }} }}");
        let body = sent("anthropic", &rule, None).await;
        let blocks: Vec<&str> = body["system"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect();
        let text: String = blocks.concat();
        assert_eq!(text.replace('\n', ""), expected.concat(), "{place}");
        assert_eq!(body["messages"], plain()["messages"]);
    }
}

#[tokio::test]
async fn a_prompt_knows_the_tools_of_the_request() {
    let body = sent("openai-chat", "{ place = 'instead' }", Some(tool())).await;
    let system = body["messages"][0]["content"].to_string();
    assert!(system.contains("- read_file") && !system.contains("Theirs"), "{system}");
}

#[tokio::test]
async fn a_prompt_that_cannot_be_had_is_an_error() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let served =
        gateway(&config("anthropic", upstream.addr, "prompt = { tag = 'none-such' }")).await;
    let reply = ask(&served, &plain()).await;
    assert_eq!((reply.status, reply.error().as_str()), (500, "api_error"));
    assert!(upstream.got().is_empty());
}

#[test]
fn a_variant_that_there_is_not_is_told_before_the_first_request() {
    let text =
        config("anthropic", ([127, 0, 0, 1], 1).into(), "prompt = { variant = 'none-such' }");
    let (config, _) = Config::from_toml(("gateway.toml", &text), Path::new("."), &common::env);
    let told = Gateway::new(config.unwrap(), common::engine()).unwrap_err();
    assert!(
        told[0].to_string().contains("gateway.toml:12:10") && told[0].message.contains("none-such"),
        "{}",
        told[0]
    );
}

#[tokio::test]
async fn calls_in_text_come_back_as_blocks() {
    let said = "I look.\n<read_file>\n<path>a.rs</path>\n<lines>3</lines>\n</read_file>";
    let chunk = json!({ "id": "c", "choices": [{ "delta": { "content": said }, "finish_reason": "stop" }] });
    let mut message = chat();
    message["choices"][0]["message"]["content"] = said.into();
    let sse = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    let upstream = Upstream::start([Say::sse(&sse), Say::json(200, &message)]).await;
    let served = gateway(&config("openai-compatible", upstream.addr, "tool_calls = 'text'")).await;
    let (mut asked, mut whole) = (streamed(), plain());
    asked["tools"] = tool();
    whole["tools"] = tool();
    let reply = ask(&served, &asked).await;
    assert!(
        reply.text.contains("\"type\":\"tool_use\"")
            && reply.text.contains("\"stop_reason\":\"tool_use\"")
    );
    assert_eq!(reply.header("promptweave-notes"), "tools-as-text");
    let body = &upstream.got()[0].body;
    assert!(
        body.get("tools").is_none()
            && body["messages"][0]["content"].to_string().contains("## read_file")
    );
    let message = ask(&served, &whole).await.json();
    assert_eq!(message["content"][1]["input"], json!({ "path": "a.rs", "lines": 3 }));
    assert_eq!(message["stop_reason"], "tool_use");
    // What was called and what came of it go out as text, too.
    whole["messages"] = json!([
        plain()["messages"][0],
        { "role": "assistant", "content": message["content"] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": message["content"][1]["id"], "content": "fn main" }] },
    ]);
    ask(&served, &whole).await;
    let text = upstream.got()[2].body.to_string();
    assert!(text.contains("<path>a.rs</path>") && text.contains("fn main"), "{text}");
}

#[tokio::test]
async fn the_first_route_that_takes_a_model_counts() {
    let (one, two) =
        (Upstream::start([Say::sse(CHAT)]).await, Upstream::start([Say::sse(CHAT)]).await);
    let upstream = |name: &str, addr: std::net::SocketAddr| {
        format!(
            "[[upstream]]\nname = '{name}'\ntarget = 'openai-chat'\nbase_url = 'http://{addr}'\n"
        )
    };
    let text = format!(
        "format = 1\nserver = {{ addr = '127.0.0.1:0' }}\n{}{}\
         [[route]]\nmodels = ['claude', '!claude-2']\nupstream = 'one'\n[[route]]\nmodels = ['/^gpt-\\d/']\nupstream = 'two'\n",
        upstream("one", one.addr),
        upstream("two", two.addr),
    );
    let served = gateway(&text).await;
    let ask = async |model: &str| {
        let mut asked = streamed();
        asked["model"] = model.into();
        ask(&served, &asked).await.status
    };
    let statuses = [
        ask("anthropic/Claude-Sonnet-4-5").await,
        ask("gpt-5").await,
        ask("claude-2.1").await,
        ask("gpt").await,
    ];
    assert_eq!(statuses, [200, 200, 404, 404]);
    assert_eq!((one.got().len(), two.got().len()), (1, 1));
}

#[tokio::test]
async fn betas_go_to_anthropic_and_a_path_may_be_another() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    for (target, goes) in [("anthropic", true), ("openai-chat", false)] {
        let text = config(target, upstream.addr, "").replace(
            "key = 'env:KEY'",
            "key = 'env:KEY'\nkey_header = 'api-key'\npath = '/deployments/x'\nheaders = { x-team = 'blue', x-secret = 'env:KEY' }",
        );
        let served = gateway(&text).await;
        let mut request = common::request(served.addr, "/v1/messages?beta=true", &plain());
        request.headers_mut().insert("anthropic-beta", "a-1,b-2".parse().unwrap());
        common::send(request).await;
        let got = upstream.got().pop().unwrap();
        assert_eq!(got.headers.get("anthropic-beta").is_some(), goes);
        assert_eq!(
            (got.path.as_str(), &got.headers["api-key"]),
            ("/deployments/x", &common::KEY.parse::<hyper::header::HeaderValue>().unwrap())
        );
        assert_eq!(
            (&got.headers["x-team"], got.headers.get("x-api-key")),
            (&"blue".parse::<hyper::header::HeaderValue>().unwrap(), None)
        );
    }
}
