//! What goes wrong between a client and a provider, and what the client is told.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use common::{
    CHAT, KEY, Say, Step, TOKEN, Upstream, ask, chat, client, config, gateway, get, plain, request,
    send, streamed,
};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use serde_json::{Value as Json, json};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

const NO_RETRY: &str = "retries = 0";

fn steps(text: &str, pause: u64) -> Vec<Step> {
    let events = text.split_inclusive("\n\n").map(|event| Step::Bytes(event.to_owned().into()));
    events.flat_map(|event| [event, Step::Pause(Duration::from_millis(pause))]).collect()
}

/// The upstream's first event, and then something.
fn first_then(last: Step) -> Say {
    let first = CHAT.split_inclusive("\n\n").next().unwrap().to_owned();
    // What is not sent yet would be lost with a connection that is cut.
    let sent = Step::Pause(Duration::from_millis(50));
    Say::new(200, vec![Step::Bytes(first.into()), sent, last])
}

async fn before(say: impl IntoIterator<Item = Say>, route: &str) -> (Upstream, common::Served) {
    let upstream = Upstream::start(say).await;
    let served = gateway(&config("openai-chat", upstream.addr, route)).await;
    (upstream, served)
}

#[tokio::test]
async fn a_message_has_its_id_and_the_model_that_was_asked_for() {
    let (upstream, served) = before([Say::json(200, &chat())], "model = 'other'").await;
    let reply = ask(&served, &plain()).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["content"][0]["text"], "Hello");
    assert_eq!(reply.json()["model"], "m-1");
    assert!(reply.header("request-id").starts_with("req_"));
    assert_eq!(upstream.got()[0].body["model"], "other");
}

/// The upstream says its next event when the client has the one before it: whoever holds one back waits for ever.
#[tokio::test]
async fn each_event_comes_when_it_is_there() {
    let next = Arc::new(Notify::new());
    let texts: Vec<&str> = CHAT.splitn(3, "\n\n").collect();
    let bytes = |text: &str| Step::Bytes(format!("{text}\n\n").into());
    let wait = || Step::Wait(Arc::clone(&next));
    let steps = vec![bytes(texts[0]), wait(), bytes(texts[1]), wait(), bytes(texts[2])];
    let (_, served) = before([Say::new(200, steps)], NO_RETRY).await;
    let response = client().request(request(served.addr, "/v1/messages", &streamed())).await;
    let mut body = response.unwrap().into_body();
    let (mut text, mut pieces) = (String::new(), 0);
    while let Some(frame) = timeout(Duration::from_secs(30), body.frame()).await.expect("an event")
    {
        let bytes = frame.unwrap().into_data().unwrap_or_default();
        text.push_str(std::str::from_utf8(&bytes).unwrap());
        pieces += 1;
        next.notify_one();
    }
    assert!(text.ends_with("{\"type\":\"message_stop\"}\n\n") && pieces >= 3, "{text}");
}

#[tokio::test]
async fn a_stream_that_is_cut_ends_with_an_error() {
    let (_, served) = before([first_then(Step::Cut)], "retries = 2").await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!((reply.status, reply.whole), (200, true));
    let events = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "error",
    ];
    assert_eq!(reply.events(), events);
    assert!(reply.text.contains("\"api_error\"") && reply.text.contains("\"request_id\":\"req_"));
}

#[tokio::test]
async fn a_stream_that_ends_early_ends_with_an_error() {
    let (_, served) = before([first_then(Step::Pause(Duration::ZERO))], NO_RETRY).await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!(reply.events().last(), Some(&"error"));
}

#[tokio::test]
async fn a_stream_that_is_cut_before_its_first_event_is_asked_for_again() {
    let cut = Say::new(200, vec![Step::Bytes(": hello\n\n".into()), Step::Cut]);
    let (upstream, served) = before([cut, Say::sse(CHAT)], "retries = 1").await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!(reply.events().last(), Some(&"message_stop"));
    assert_eq!(upstream.got().len(), 2);
}

#[tokio::test]
async fn a_malformed_stream_is_an_error_and_not_a_panic() {
    for (text, head) in [
        ("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {nonsense\n\n", None),
        ("<html>busy</html>", Some(502)),
        ("data: {nonsense\n\n", Some(500)),
        ("", Some(500)),
    ] {
        let (_, served) = before([Say::sse(text)], NO_RETRY).await;
        let reply = ask(&served, &streamed()).await;
        if let Some(status) = head {
            assert_eq!((reply.status, reply.error().as_str()), (status, "api_error"), "{text}");
        } else {
            assert_eq!(reply.events().last(), Some(&"error"), "{text}");
        }
    }
    let (_, served) = before([Say::new(200, vec![Step::Bytes("{".into())])], NO_RETRY).await;
    assert_eq!(ask(&served, &plain()).await.error(), "api_error");
}

fn limited() -> Say {
    Say::json(429, &json!({ "error": { "message": "slow down", "code": "rate_limit_exceeded" } }))
}

#[tokio::test]
async fn a_limit_is_waited_for_as_long_as_the_provider_says() {
    for body in [plain(), streamed()] {
        let fine =
            if body.get("stream").is_some() { Say::sse(CHAT) } else { Say::json(200, &chat()) };
        let limited = limited().with("retry-after", "1");
        let (upstream, served) = before([limited, fine], "retries = 1").await;
        let begun = Instant::now();
        assert_eq!(ask(&served, &body).await.status, 200);
        assert!(begun.elapsed() >= Duration::from_secs(1));
        assert_eq!(upstream.got().len(), 2);
    }
}

#[tokio::test]
async fn a_limit_that_is_too_long_is_told_at_once() {
    let (upstream, served) = before([limited().with("retry-after", "600")], "retries = 5").await;
    let reply = ask(&served, &plain()).await;
    assert_eq!((reply.status, reply.error().as_str()), (429, "rate_limit_error"));
    assert_eq!((reply.header("retry-after"), reply.header("x-should-retry")), ("600", "false"));
    assert_eq!(reply.json()["error"]["message"], "slow down");
    assert_eq!(upstream.got().len(), 1);
}

#[tokio::test]
async fn a_server_that_fails_again_and_again_is_left_alone() {
    let (upstream, served) = before([Say::json(500, &json!({}))], "retries = 2").await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!((reply.status, reply.error().as_str()), (500, "api_error"));
    assert_eq!(upstream.got().len(), 3);
    let metrics = get(&served, "/metrics").await.text;
    let again = "failures_total{upstream=\"up\",reason=\"api_error\",again=\"yes\"} 2";
    assert!(metrics.contains(again), "{metrics}");
}

#[tokio::test]
async fn errors_have_the_status_that_the_messages_api_gives_them() {
    let error = |message: &str| json!({ "error": { "message": message } });
    for (status, body, expected, kind) in [
        (400, error("no"), 400, "invalid_request_error"),
        (401, error(&format!("wrong key {KEY}")), 401, "authentication_error"),
        (402, error("pay"), 402, "billing_error"),
        (403, error(&format!("{KEY} may not")), 403, "permission_error"),
        (404, error("none"), 404, "not_found_error"),
        (413, error("long"), 413, "request_too_large"),
        (503, error("busy"), 529, "overloaded_error"),
        (529, error("busy"), 529, "overloaded_error"),
        (302, json!({}), 502, "api_error"),
    ] {
        let (_, served) = before([Say::json(status, &body)], NO_RETRY).await;
        let reply = ask(&served, &plain()).await;
        assert_eq!((reply.status, reply.error().as_str()), (expected, kind), "{status}");
        assert_eq!(reply.json()["request_id"], reply.header("request-id"));
        assert!(!reply.text.contains(KEY), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_quota_that_is_spent_is_not_asked_again() {
    let spent = json!({ "error": { "message": "spent", "code": "insufficient_quota" } });
    let (upstream, served) = before([Say::json(429, &spent)], "retries = 3").await;
    assert_eq!(ask(&served, &plain()).await.error(), "billing_error");
    assert_eq!(upstream.got().len(), 1);
}

#[tokio::test]
async fn nobody_there() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = free.local_addr().unwrap();
    drop(free);
    let served = gateway(&config("openai-chat", addr, "retries = 1")).await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!((reply.status, reply.error().as_str()), (502, "api_error"));
    assert_eq!(reply.json()["error"]["message"], "upstream `up` cannot be reached");
}

async fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}");
}

async fn open_requests(served: &common::Served) -> String {
    let text = get(served, "/metrics").await.text;
    text.lines().find(|line| line.starts_with("promptweave_http_streams ")).unwrap().to_owned()
}

#[tokio::test]
async fn a_client_that_goes_away_takes_the_upstream_along() {
    // Within the stream, and before its head.
    for say in [first_then(Step::Hang), Say::new(200, vec![Step::Hang])] {
        let (upstream, served) = before([say], NO_RETRY).await;
        let http = client();
        let sent = tokio::spawn(async move {
            let response = http.request(request(served.addr, "/v1/messages", &streamed())).await;
            let mut body = response.unwrap().into_body();
            while let Some(Ok(_)) = body.frame().await {}
        });
        eventually("the upstream was never asked", || !upstream.got().is_empty()).await;
        sleep(Duration::from_millis(50)).await;
        assert_eq!(upstream.dropped(), 0);
        sent.abort();
        eventually("the upstream goes on for nobody", || upstream.dropped() == 1).await;
    }
}

#[tokio::test]
async fn what_is_open_is_counted_and_let_go() {
    let (upstream, served) = before([first_then(Step::Hang)], NO_RETRY).await;
    let addr = served.addr;
    let sent = tokio::spawn(async move {
        let response = client().request(request(addr, "/v1/messages", &streamed())).await.unwrap();
        response.into_body().collect().await
    });
    eventually("the upstream was never asked", || !upstream.got().is_empty()).await;
    assert!(open_requests(&served).await.ends_with(" 1"));
    sent.abort();
    eventually("the upstream goes on for nobody", || upstream.dropped() == 1).await;
    assert!(open_requests(&served).await.ends_with(" 0"));
    assert!(get(&served, "/metrics").await.text.contains("promptweave_gateway_cancelled_total 1"));
}

fn hurried(upstream: &Upstream, timeouts: &str) -> String {
    let config = config("openai-chat", upstream.addr, NO_RETRY);
    config.replace("connect = 2, head = 5, idle = 5", timeouts)
}

#[tokio::test]
async fn whoever_does_not_begin_in_time_is_given_up() {
    let upstream = Upstream::start([Say::new(200, vec![Step::Hang])]).await;
    let served = gateway(&hurried(&upstream, "connect = 0.1, head = 0.2")).await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!((reply.status, reply.error().as_str()), (504, "timeout_error"));
    eventually("the upstream is still asked", || upstream.dropped() == 1).await;
}

#[tokio::test]
async fn whoever_does_not_go_on_in_time_is_given_up() {
    let pause = Step::Pause(Duration::from_secs(30));
    let upstream = Upstream::start([first_then(pause)]).await;
    let served = gateway(&hurried(&upstream, "idle = 0.2")).await;
    let reply = ask(&served, &streamed()).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.events().last(), Some(&"error"));
    assert!(reply.text.contains("timeout_error") && reply.whole);
}

#[tokio::test]
async fn requests_that_are_none_are_refused() {
    let (upstream, served) = before([Say::json(200, &chat())], NO_RETRY).await;
    for (body, words) in [
        (json!([]), "no JSON object"),
        (json!({}), "model"),
        (json!({ "model": "m" }), "messages"),
        (json!({ "model": "m", "messages": [{ "role": "x", "content": "" }] }), "/messages/0/role"),
    ] {
        let reply = ask(&served, &body).await;
        assert_eq!((reply.status, reply.error().as_str()), (400, "invalid_request_error"));
        assert!(reply.text.contains(words), "{}", reply.text);
    }
    let reply = get(&served, "/v1/complete").await;
    assert_eq!((reply.status, reply.error().as_str()), (404, "not_found_error"));
    assert!(upstream.got().is_empty());
    assert!(get(&served, "/metrics").await.text.contains("promptweave_gateway_cancelled_total 0"));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let text = config("openai-chat", upstream.addr, NO_RETRY);
    let served = gateway(&text.replace("127.0.0.1:0'", "127.0.0.1:0', max_body = 300")).await;
    assert_eq!(ask(&served, &plain()).await.status, 200);
    let mut long = plain();
    long["messages"][0]["content"] = "x".repeat(300).into();
    let reply = ask(&served, &long).await;
    assert_eq!((reply.status, reply.error().as_str()), (413, "request_too_large"));
}

#[tokio::test]
async fn more_requests_than_may_be_open_are_overload() {
    let upstream = Upstream::start([first_then(Step::Hang)]).await;
    let text = config("openai-chat", upstream.addr, NO_RETRY);
    let served = gateway(&text.replace("127.0.0.1:0'", "127.0.0.1:0', max_requests = 1")).await;
    let addr = served.addr;
    let sent = tokio::spawn(async move { send(request(addr, "/v1/messages", &streamed())).await });
    eventually("the upstream was never asked", || !upstream.got().is_empty()).await;
    let reply = ask(&served, &plain()).await;
    assert_eq!((reply.status, reply.error().as_str()), (529, "overloaded_error"));
    assert_eq!((reply.header("retry-after"), reply.header("x-should-retry")), ("1", ""));
    sent.abort();
}

fn with(header: &str, value: &str) -> impl Fn(std::net::SocketAddr) -> Request<Full<Bytes>> {
    let (header, value) = (header.to_owned(), value.to_owned());
    move |addr| {
        let mut asked = request(addr, "/v1/messages", &plain());
        let name: hyper::header::HeaderName = header.parse().unwrap();
        asked.headers_mut().insert(name, value.parse().unwrap());
        asked
    }
}

#[tokio::test]
async fn foreign_names_and_pages_are_refused() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let text = config("openai-chat", upstream.addr, NO_RETRY);
    let served =
        gateway(&text.replace("127.0.0.1:0'", "127.0.0.1:0', hosts = ['Box.local']")).await;
    let port = served.addr.port();
    for (header, value, status) in [
        ("host", "evil.example", 421),
        ("host", &format!("localhost.evil.example:{port}"), 421),
        ("host", &format!("127.0.0.1.evil.example:{port}"), 421),
        ("host", &format!("localhost:{port}"), 200),
        ("host", &format!("[::1]:{port}"), 200),
        ("host", "box.LOCAL", 200),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", &format!("http://localhost:{port}"), 200),
        ("origin", "http://box.local", 200),
        ("sec-fetch-site", "cross-site", 403),
        ("content-type", "text/plain", 415),
    ] {
        let reply = send(with(header, value)(served.addr)).await;
        assert_eq!(reply.status, status, "{header}: {value}");
        if status != 200 {
            assert_eq!(reply.json()["request_id"], reply.header("request-id"));
            assert!(reply.error().ends_with("_error"));
        }
    }
    assert_eq!(upstream.got().len(), 5);
}

#[tokio::test]
async fn a_token_is_asked_for_everywhere() {
    let file = common::token_file();
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let text = config("openai-chat", upstream.addr, NO_RETRY);
    let text = text.replace(
        "127.0.0.1:0'",
        &format!("127.0.0.1:0', token = 'file:{}'", file.path().display()),
    );
    let served = gateway(&text).await;
    for (header, value, status) in [
        ("x-other", "", 401),
        ("x-api-key", "wrong", 401),
        ("x-api-key", TOKEN, 200),
        ("authorization", TOKEN, 401),
        ("authorization", &format!("Bearer {TOKEN}"), 200),
    ] {
        let reply = send(with(header, value)(served.addr)).await;
        assert_eq!(reply.status, status, "{header}: {value}");
    }
    assert_eq!(get(&served, "/metrics").await.status, 401);
    // The client's token is not the upstream's business.
    assert!(upstream.got().iter().all(|got| !format!("{:?}", got.headers).contains(TOKEN)));
}

#[tokio::test]
async fn tokens_are_counted_upstream_or_by_a_method_that_is_named() {
    let upstream = Upstream::start([Say::json(200, &json!({ "input_tokens": 42 }))]).await;
    let served = gateway(&config("anthropic", upstream.addr, NO_RETRY)).await;
    let mut asked = plain();
    asked.as_object_mut().unwrap().remove("max_tokens");
    let count = |addr| send(request(addr, "/v1/messages/count_tokens", &asked));
    let reply = count(served.addr).await;
    assert_eq!((reply.status, reply.json()), (200, json!({ "input_tokens": 42 })));
    assert_eq!(reply.header("promptweave-token-method"), "upstream up");
    assert_eq!(upstream.got()[0].path, "/v1/messages/count_tokens");
    assert_eq!(upstream.got()[0].body, asked);
    let served = gateway(&config("gemini", upstream.addr, "model = 'gpt-4o'")).await;
    let reply = count(served.addr).await;
    assert_eq!(reply.header("promptweave-token-method"), "o200k_base");
    assert!((1..20).contains(&reply.json()["input_tokens"].as_u64().unwrap()), "{}", reply.text);
    assert_eq!(upstream.got().len(), 1);
}

#[tokio::test]
async fn models_are_those_of_the_routes() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let text = config("openai-chat", upstream.addr, "list = ['a', 'b/c']")
        .replace("models = ['*']", "models = ['*', '!z']");
    let served = gateway(&text).await;
    let list = get(&served, "/v1/models?limit=5").await.json();
    let ids: Vec<&str> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    assert_eq!((ids, &list["has_more"]), (vec!["a", "b/c"], &Json::from(false)));
    assert_eq!(get(&served, "/v1/models/b/c").await.json()["type"], "model");
    assert_eq!(get(&served, "/v1/models/z").await.status, 404);
    let mut asked = plain();
    asked["model"] = "z".into();
    assert_eq!(ask(&served, &asked).await.error(), "not_found_error");
}

#[tokio::test]
async fn a_key_in_a_file_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "first-key\n").unwrap();
    let (upstream, _) = before([Say::json(200, &chat())], NO_RETRY).await;
    let text = config("openai-chat", upstream.addr, NO_RETRY)
        .replace("env:KEY", &format!("file:{}", file.display()));
    let served = gateway(&text).await;
    ask(&served, &plain()).await;
    std::fs::write(&file, "second-key").unwrap();
    ask(&served, &plain()).await;
    std::fs::remove_file(&file).unwrap();
    let reply = ask(&served, &plain()).await;
    assert_eq!((reply.status, reply.error().as_str()), (500, "api_error"));
    let keys: Vec<_> =
        upstream.got().iter().map(|got| got.headers["authorization"].clone()).collect();
    assert_eq!(keys, ["Bearer first-key", "Bearer second-key"]);
}

#[tokio::test]
async fn a_stopped_gateway_lets_open_streams_end() {
    let (upstream, served) = before([Say::new(200, steps(CHAT, 100))], NO_RETRY).await;
    let addr = served.addr;
    let sent = tokio::spawn(async move { send(request(addr, "/v1/messages", &streamed())).await });
    eventually("the upstream was never asked", || !upstream.got().is_empty()).await;
    drop(served);
    assert_eq!(sent.await.unwrap().events().last(), Some(&"message_stop"));
    assert!(client().request(request(addr, "/v1/messages", &plain())).await.is_err());
}
