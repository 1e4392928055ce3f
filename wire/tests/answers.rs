//! Answers that came whole, and failures.

mod common;

use common::answering;
use promptweave_wire::{Target, answer, failure};
use serde_json::Value as Json;

#[test]
fn answers() {
    insta::glob!("cases/answers/*/*.json", |path| {
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let target = folder.and_then(Target::from_name).expect("a target");
        let body: Json =
            serde_json::from_slice(&std::fs::read(path).expect("a case")).expect("JSON");
        let shown = answer(target, answering(), &body).unwrap_or_else(|failure| failure.to_json());
        insta::assert_json_snapshot!(shown);
    });
}

#[test]
fn an_answer_of_anthropics_stays_what_it_is() {
    insta::glob!("cases/answers/anthropic/*.json", |path| {
        let body: Json =
            serde_json::from_slice(&std::fs::read(path).expect("a case")).expect("JSON");
        if body["type"] == "message" {
            assert_eq!(answer(Target::Anthropic, answering(), &body), Ok(body));
        }
    });
}

#[test]
fn failures_say_what_they_are() {
    for (status, body, kind, message) in [
        (429, r#"{"error":{"message":"slow down"}}"#, "rate_limit_error", "slow down"),
        (
            400,
            r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
            "invalid_request_error",
            "too long",
        ),
        (500, r#"{"error":{"type":"overloaded_error","message":"x"}}"#, "overloaded_error", "x"),
        (503, "<html>", "overloaded_error", "<html>"),
        (502, "", "api_error", "the provider answered with status 502"),
        (404, r#"{"error":"model not found"}"#, "not_found_error", "model not found"),
        (
            403,
            r#"[{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}]"#,
            "permission_error",
            "no",
        ),
        (400, r#"{"__type":"ThrottlingException","message":"wait"}"#, "rate_limit_error", "wait"),
        (401, "{}", "authentication_error", "the provider failed"),
        (418, "tea", "invalid_request_error", "tea"),
    ] {
        let told = failure(status, body.as_bytes());
        assert_eq!((told.kind.as_str(), told.message.as_str()), (kind, message), "{body}");
    }
}
