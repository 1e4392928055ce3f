//! Upstreams and clients that do not keep to what they speak.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::time::{Duration, Instant};

use bytes::Bytes;
use common::{
    CHAT, KEY, Reply, Say, Served, Step, Upstream, ask, chat, client, config, gateway, get, plain,
    request, send, stopped, streamed,
};
use http_body_util::BodyExt;
use serde_json::{Value as Json, json};

const NO_RETRY: &str = "retries = 0";

async fn before(say: Say, timeouts: &str, route: &str) -> (Upstream, Served) {
    let upstream = Upstream::start([say]).await;
    let text = config("openai-chat", upstream.addr, route);
    let text = text.replace("connect = 2, head = 5, idle = 5", timeouts);
    (upstream, gateway(&text).await)
}

/// Something small again and again.
fn dripping(what: &'static str) -> Vec<Step> {
    let drop =
        [Step::Bytes(Bytes::from_static(what.as_bytes())), Step::Pause(Duration::from_millis(20))];
    drop.iter().cloned().cycle().take(4000).collect()
}

fn event(text: &str) -> Step {
    let chunk = json!({ "id": "c1", "choices": [{ "index": 0, "delta": { "content": text } }] });
    Step::Bytes(format!("data: {chunk}\n\n").into())
}

#[tokio::test]
async fn what_never_begins_is_given_up_whatever_drips() {
    for what in [": still there\n\n", " ", "\n", "x", "event: ping\n\n", "data: "] {
        let say = Say::new(200, dripping(what)).with("content-type", "text/event-stream");
        let (upstream, served) = before(say, "connect = 0.2, head = 0.3", "retries = 3").await;
        let begun = Instant::now();
        let reply = ask(&served, &streamed()).await;
        assert_eq!((reply.status, reply.error().as_str()), (504, "timeout_error"), "{what:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{what:?}");
        assert_eq!(upstream.got().len(), 1, "{what:?}");
    }
}

#[tokio::test]
async fn what_never_ends_is_given_up_whatever_drips() {
    for what in [": still there\n\n", "x", "data: {\"choices\":[]}\n\n"] {
        let steps = [vec![event("a")], dripping(what)].concat();
        let (_, served) = before(Say::new(200, steps), "whole = 0.5", NO_RETRY).await;
        let reply = ask(&served, &streamed()).await;
        assert_eq!((reply.status, reply.whole), (200, true), "{what:?}");
        assert!(reply.text.contains("timeout_error"), "{what:?} {}", reply.text);
        assert_eq!(reply.events()[reply.events().len() - 2..], ["content_block_stop", "error"]);
    }
    // An answer that comes whole, and one that is an error.
    for status in [200, 400] {
        let (_, served) = before(Say::new(status, dripping(" ")), "whole = 0.5", NO_RETRY).await;
        let reply = ask(&served, &plain()).await;
        let expected = if status == 200 { 504 } else { 400 };
        assert_eq!(reply.status, expected, "{}", reply.text);
    }
}

/// The same answer, however it comes: a stream from a whole one, and the other way round.
#[tokio::test]
async fn an_answer_in_the_other_form_is_converted() {
    let spaced = format!(" \n{}", chat());
    for say in [Say::json(200, &chat()), Say::sse(&spaced), Say::sse(CHAT)] {
        let (_, served) = before(say, "head = 5", NO_RETRY).await;
        let reply = ask(&served, &streamed()).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "text/event-stream"));
        assert_eq!(reply.events().first(), Some(&"message_start"));
        assert_eq!(reply.events().last(), Some(&"message_stop"));
        let reply = ask(&served, &plain()).await;
        assert_eq!((reply.status, &reply.json()["content"][0]["text"]), (200, &json!("Hello")));
    }
}

#[tokio::test]
async fn what_is_no_answer_is_said_once() {
    let page = "<!doctype html><title>Sign in</title>";
    let gzip = Say::new(200, vec![Step::Bytes(Bytes::from_static(&[0x1f, 0x8b, 8, 0]))]);
    let say = |text: &str| Say::new(200, vec![Step::Bytes(text.to_owned().into())]);
    for (say, words) in [
        (say(page).with("content-type", "text/html"), "a page"),
        (Say::sse(page), "a page"),
        (gzip.clone(), "compressed"),
        (Say::sse(CHAT).with("content-encoding", "gzip"), "compressed"),
        (say("{\"a\":1}"), "JSON that is no answer"),
        (say("{\"a\":"), "neither events nor JSON"),
        (Say::new(999, vec![]), "status 999"),
        (say("[]"), "JSON that is no answer"),
        (
            Say::new(302, vec![]).with("location", "https://other.example"),
            "redirects with status 302",
        ),
        (Say::new(307, vec![]).with("location", "/v1"), "redirects with status 307"),
    ] {
        let (upstream, served) = before(say, "head = 5", "retries = 3").await;
        let reply = ask(&served, &streamed()).await;
        assert_eq!((reply.status, reply.error().as_str()), (502, "api_error"), "{words}");
        assert!(reply.text.contains(words), "{words}: {}", reply.text);
        assert_eq!(reply.header("x-should-retry"), "false");
        assert_eq!(upstream.got().len(), 1, "{words}");
    }
    for text in ["[]", "{\"a\":1}", page] {
        let (upstream, served) = before(say(text), "head = 5", "retries = 3").await;
        assert_eq!((ask(&served, &plain()).await.status, upstream.got().len()), (502, 1), "{text}");
    }
}

/// Some gateways answer with 200 whatever happened behind them.
#[tokio::test]
async fn a_failure_that_is_told_with_a_good_status_stays_what_it_is() {
    let limited = json!({ "error": { "message": "slow down", "code": "rate_limit_exceeded" } });
    let broken = json!({ "error": { "message": "broken", "code": 502 } });
    let event = |error: &Json| Say::sse(&format!("data: {error}\n\n"));
    for (say, status) in [
        (Say::json(200, &limited), 429),
        (Say::json(200, &broken), 500),
        (Say::json(200, &json!({ "error": "broken" })), 500),
        (event(&limited), 429),
        (event(&broken), 500),
    ] {
        for asked in [streamed(), plain()] {
            let (upstream, served) = before(say.clone(), "head = 5", "retries = 1").await;
            let reply = ask(&served, &asked).await;
            assert_eq!((reply.status, upstream.got().len()), (status, 2), "{}", reply.text);
        }
    }
}

/// It warms a cache, and is asked for by hosts that do so.
#[tokio::test]
async fn no_tokens_at_all_may_be_asked_for() {
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let served = gateway(&config("anthropic", upstream.addr, NO_RETRY)).await;
    let mut asked = plain();
    asked["max_tokens"] = json!(0);
    ask(&served, &asked).await;
    assert_eq!(upstream.got()[0].body["max_tokens"], 0);
}

#[tokio::test]
async fn whoever_is_still_answered_when_the_gateway_ends_is_told() {
    for steps in [
        vec![event("a"), Step::Hang],
        vec![Step::Hang],
        vec![event("a"), Step::Pause(Duration::from_secs(60))],
    ] {
        let upstream = Upstream::start([Say::new(200, steps.clone())]).await;
        let text = config("openai-chat", upstream.addr, NO_RETRY);
        let (served, ended) =
            stopped(&text.replace("127.0.0.1:0'", "127.0.0.1:0', grace = 0.3")).await;
        let addr = served.addr;
        let asked =
            tokio::spawn(async move { send(request(addr, "/v1/messages", &streamed())).await });
        while upstream.got().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(served);
        let reply = asked.await.unwrap();
        assert!(reply.whole, "{}", reply.text);
        assert!(reply.text.contains("overloaded_error"), "{}", reply.text);
        if steps.len() > 1 {
            assert_eq!(reply.events()[2..], ["content_block_delta", "content_block_stop", "error"]);
        } else {
            assert_eq!(reply.status, 529);
        }
        tokio::time::timeout(Duration::from_secs(10), ended).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_gateway_before_itself_is_told() {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let text = config("anthropic", port, "retries = 3");
    let served = gateway(&text.replace("127.0.0.1:0'", &format!("{port}'"))).await;
    for body in [plain(), streamed()] {
        let reply = ask(&served, &body).await;
        assert_eq!((reply.status, reply.error().as_str()), (508, "api_error"));
        assert!(reply.text.contains("leads back here"), "{}", reply.text);
    }
    let metrics = get(&served, "/metrics").await.text;
    assert!(metrics.contains("status=\"508\"} 4"), "{metrics}");
    // Others on the way are no loop.
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let served = gateway(&config("openai-chat", upstream.addr, NO_RETRY)).await;
    let mut asked = request(served.addr, "/v1/messages", &plain());
    asked.headers_mut().insert("promptweave-via", "abc".parse().unwrap());
    assert_eq!(send(asked).await.status, 200);
    assert!(upstream.got()[0].headers["promptweave-via"].to_str().unwrap().starts_with("abc, "));
}

#[tokio::test]
async fn fields_of_another_type_are_refused_by_their_path() {
    for target in ["anthropic", "openai-chat", "gemini"] {
        let upstream = Upstream::start([Say::json(200, &chat())]).await;
        let served = gateway(&config(target, upstream.addr, NO_RETRY)).await;
        for (key, value, at) in [
            ("temperature", json!("hot"), "/temperature"),
            ("messages", json!({}), "/messages"),
            ("max_tokens", json!(-1), "/max_tokens"),
            ("tools", json!(5), "/tools"),
            ("messages", json!([{ "role": "robot", "content": "x" }]), "/messages/0/role"),
            ("model", json!(5), "/model"),
            ("stream", json!("yes"), "/stream"),
        ] {
            let mut asked = plain();
            asked[key] = value;
            // Anthropic's own API counts there, and says itself what is wrong.
            let paths = ["/v1/messages", "/v1/messages/count_tokens"];
            for path in paths {
                let reply = send(request(served.addr, path, &asked)).await;
                let told = (reply.status, reply.error());
                assert_eq!(told, (400, "invalid_request_error".to_owned()), "{target} {path} {at}");
                assert!(reply.text.contains(&format!("`{at}`")), "{at}: {}", reply.text);
            }
        }
        assert!(upstream.got().is_empty());
    }
}

/// What an upstream writes where no model does.
fn with_key() -> Vec<Json> {
    let usage = json!({ "input_tokens": 1, "service_tier": KEY });
    let call =
        json!({ "type": "tool_use", "id": format!("toolu_{KEY}"), "name": "f", "input": {} });
    vec![
        json!({ "type": "message_start", "message": { "id": format!("msg_{KEY}"), "model": KEY, "usage": usage } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": call }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": KEY, "stop_sequence": KEY }, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ]
}

#[tokio::test]
async fn keys_stand_in_no_id_and_no_count() {
    let stream: String = with_key().iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut whole = with_key()[0]["message"].clone();
    whole["type"] = "message".into();
    whole["role"] = "assistant".into();
    whole["content"] = json!([with_key()[1]["content_block"]]);
    whole["stop_reason"] = KEY.into();
    for (body, say) in [(streamed(), Say::sse(&stream)), (plain(), Say::json(200, &whole))] {
        let upstream = Upstream::start([say]).await;
        let served = gateway(&config("anthropic", upstream.addr, NO_RETRY)).await;
        let reply = ask(&served, &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert!(reply.text.contains("\"msg_") && reply.text.contains("\"toolu_"), "{}", reply.text);
        assert!(!reply.text.contains(KEY), "{}", reply.text);
    }
}

async fn pieces(served: &Served) -> Vec<String> {
    let asked = request(served.addr, "/v1/messages", &streamed());
    let mut body = client().request(asked).await.unwrap().into_body();
    let mut pieces = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        let bytes = frame.into_data().unwrap_or_default();
        pieces.push(String::from_utf8(bytes.to_vec()).unwrap());
    }
    pieces
}

/// Pings and events that an upstream cuts anywhere go on whole, whatever they look like.
#[tokio::test]
async fn pings_and_events_are_never_glued() {
    let text = |text: &str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } });
    let prefix: String = KEY.chars().take(8).collect();
    let ping = json!({ "type": "ping" });
    let events = [text(&prefix), ping.clone(), text("sk-"), ping, text("k-startping")];
    let middle: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{}}}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    let end = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    let all = format!("{start}{middle}{end}");
    let pause = || Step::Pause(Duration::from_millis(3));
    for cut in (start.len()..start.len() + middle.len()).step_by(7) {
        let (front, back) = all.split_at(cut);
        let bytes = |text: &str| Step::Bytes(text.to_owned().into());
        let steps = vec![bytes(front), pause(), bytes(back)];
        let upstream = Upstream::start([Say::new(200, steps)]).await;
        let served = gateway(&config("anthropic", upstream.addr, NO_RETRY)).await;
        let pieces = pieces(&served).await;
        assert!(
            pieces.iter().all(|piece| piece.starts_with("event: ") && piece.ends_with("}\n\n"))
        );
        let reply =
            Reply { status: 200, headers: Default::default(), text: pieces.concat(), whole: true };
        assert_eq!(
            reply.events()[2..7],
            ["content_block_delta", "ping", "content_block_delta", "ping", "content_block_delta"],
            "cut at {cut}"
        );
        assert!(reply.text.contains("\"text\":\"k-startping\""));
    }
}

#[tokio::test]
async fn what_the_answer_could_not_keep_is_counted() {
    let mut body = chat();
    body["usage"]["prompt_tokens"] = json!(-4);
    let (_, served) = before(Say::json(200, &body), "head = 5", NO_RETRY).await;
    assert_eq!(ask(&served, &plain()).await.json()["usage"]["input_tokens"], 0);
    let metrics = get(&served, "/metrics").await.text;
    assert!(metrics.contains("notes_total{code=\"usage-clamped\"} 1"), "{metrics}");
}

/// A key that is written anew may be no key for a while; the request says so, and not what is in the file.
#[cfg(unix)]
#[tokio::test]
async fn a_key_file_that_becomes_a_pipe_hinders_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "sk-first-of-all").unwrap();
    let upstream = Upstream::start([Say::json(200, &chat())]).await;
    let text = config("openai-chat", upstream.addr, "retries = 3")
        .replace("env:KEY", &format!("file:{}", path.display()));
    let served = gateway(&text).await;
    assert_eq!(ask(&served, &plain()).await.status, 200);
    std::fs::write(&path, "sk-one\nsk-two").unwrap();
    let reply = ask(&served, &plain()).await;
    assert_eq!((reply.status, reply.error().as_str()), (500, "api_error"));
    assert!(!reply.text.contains("sk-one") && reply.text.contains("no key for upstream `up`"));
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let body = plain();
    let asked = tokio::time::timeout(Duration::from_secs(10), ask(&served, &body));
    assert_eq!(asked.await.expect("an answer").status, 500);
    assert_eq!(upstream.got().len(), 1);
}
