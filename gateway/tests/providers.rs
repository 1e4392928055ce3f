//! Each provider's streams and answers through the gateway: what comes out is what the conversion makes, however the bytes were cut.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::{Path, PathBuf};

use common::{Reply, Say, Step, Upstream, ask, config, gateway, plain, streamed};
use promptweave_wire::{Answering, Stream, StreamEvent, Target, answer};

/// The cases of the conversion.
fn cases(kind: &str, target: Target) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/tests/cases").join(kind);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join(target.as_str()))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn answering(reply: &Reply) -> Answering {
    let seed = reply.header("request-id").trim_start_matches("req_").to_owned();
    Answering { seed: Some(seed), model: Some("m-1".into()), ..Answering::default() }
}

/// Odd pieces, so that events are cut.
fn pieces(text: &str) -> Vec<Step> {
    text.as_bytes().chunks(97).map(|piece| Step::Bytes(piece.to_vec().into())).collect()
}

async fn streams(target: Target) {
    let cases = cases("streams", target);
    // Vertex has the same streams as Anthropic's own API.
    assert!(!cases.is_empty() || target == Target::Vertex);
    for (name, text) in cases {
        let upstream = Upstream::start([Say::new(200, pieces(&text))]).await;
        let served = gateway(&config(target.as_str(), upstream.addr, "retries = 0")).await;
        let reply = ask(&served, &streamed()).await;
        let mut stream = Stream::new(target, answering(&reply));
        let mut events = stream.push(text.as_bytes());
        events.extend(stream.finish());
        events.retain(|event| *event != StreamEvent::Ping);
        if let Some(StreamEvent::Error(failure)) = events.first() {
            assert_eq!(reply.error(), failure.kind.as_str(), "{name}");
            assert!(reply.status >= 400, "{name}");
            continue;
        }
        assert_eq!(reply.status, 200, "{name}: {}", reply.text);
        let expected: String = events.iter().map(StreamEvent::to_sse).collect();
        let pings = StreamEvent::Ping.to_sse();
        let id = format!(",\"request_id\":\"{}\"", reply.header("request-id"));
        assert_eq!(reply.text.replace(&pings, "").replace(&id, ""), expected, "{name}");
    }
}

async fn answers(target: Target) {
    for (name, text) in cases("answers", target) {
        let upstream = Upstream::start([Say::new(200, pieces(&text))]).await;
        let served = gateway(&config(target.as_str(), upstream.addr, "retries = 0")).await;
        let reply = ask(&served, &plain()).await;
        let json = serde_json::from_str(&text).unwrap();
        match answer(target, answering(&reply), &json) {
            Ok(expected) => assert_eq!((reply.status, reply.json()), (200, expected), "{name}"),
            Err(failure) => assert_eq!(reply.error(), failure.kind.as_str(), "{name}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_stream_comes_out_as_it_is_converted() {
    for target in Target::ALL {
        streams(*target).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_comes_out_as_it_is_converted() {
    for target in Target::ALL {
        answers(*target).await;
    }
}

#[tokio::test]
async fn each_target_gets_its_path_and_its_key() {
    let (key, bearer) = (common::KEY.to_owned(), format!("Bearer {}", common::KEY));
    for (target, path, header, value) in [
        ("anthropic", "/v1/messages", "x-api-key", &key),
        ("vertex", "/publishers/anthropic/models/m-1:rawPredict", "authorization", &bearer),
        ("bedrock", "/model/m-1/converse", "authorization", &bearer),
        ("openai-chat", "/v1/chat/completions", "authorization", &bearer),
        ("openai-responses", "/v1/responses", "authorization", &bearer),
        ("openai-compatible", "/v1/chat/completions", "authorization", &bearer),
        ("xai", "/v1/chat/completions", "authorization", &bearer),
        ("gemini", "/v1beta/models/m-1:generateContent", "x-goog-api-key", &key),
    ] {
        let upstream = Upstream::start([Say::json(200, &common::chat())]).await;
        let served = gateway(&config(target, upstream.addr, "retries = 0")).await;
        ask(&served, &plain()).await;
        let got = &upstream.got()[0];
        assert_eq!(got.path, path);
        assert_eq!(got.headers.get(header).unwrap(), value.as_str(), "{target}");
        assert_eq!(got.headers.get("x-api-key").is_some(), header == "x-api-key", "{target}");
    }
}
