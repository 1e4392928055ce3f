//! What has no equal on the command line.

use promptweave_tests::http::Served;
use promptweave_tests::{pack, standard};
use serde_json::json;

#[test]
fn the_machine_fills_in_only_where_it_is_asked() {
    let served = Served::new(standard::engine());
    let machine = served.get("/v1/context").json();
    assert_eq!(machine["context"], json!({ "os": "linux", "date": "2026-01-15" }));
    let result = served.post("/v1/build", &json!({})).json();
    assert!(!result["text"].as_str().unwrap().contains("2026-01-15"));
}

#[test]
fn shorthands_and_set_are_put_on_the_context() {
    let served = Served::new(pack::engine(&[
        ("generic.toml", "order = ['a']"),
        ("components/a.md", "{{model.id}} {{provider.id}} {{mode}} {{user.language}}"),
    ]));
    let body = json!({
        "context": { "model": { "id": "x" }, "user": { "language": "en" } },
        "model": "m", "provider": "p", "mode": "plan", "set": { "user.language": "de" }, "format": "text",
    });
    assert_eq!(served.post("/v1/build", &body).text(), "m p plan de");
}

#[test]
fn strict_makes_the_first_warning_a_problem() {
    let served = Served::new(pack::engine(&[
        ("generic.toml", "order = ['a']"),
        ("components/a.md", "{{#if (gt 1 'x')}}a{{/if}}b{{c}}"),
    ]));
    let loose = served.post("/v1/build", &json!({ "format": "text" }));
    let codes = loose.header("promptweave-diagnostics").unwrap_or_default().to_owned();
    let strict = served.post("/v1/build", &json!({ "strict": true }));
    assert_eq!((loose.status, strict.status), (200, 422), "{codes}");
    let problem = strict.json();
    assert!(codes.contains(problem["code"].as_str().unwrap()), "{codes}: {problem}");
    assert!(problem["origin"]["file"].is_string(), "{problem}");
}

#[test]
fn what_the_engine_refuses_has_its_code() {
    let served =
        Served::new(pack::engine(&[("claude.toml", "match.models = ['claude']\norder = []")]));
    for (body, code) in [
        (json!({ "model": "gpt" }), "no-variant"),
        (json!({ "variant": "none" }), "unknown-variant"),
        (json!({ "variant": "claude@9" }), "unknown-version"),
    ] {
        assert_eq!(served.post("/v1/build", &body).problem(), (422, code.into()), "{body}");
    }
    let problem = served.post("/v1/build", &json!({ "model": "gpt" })).json();
    assert!(problem["help"].is_string() && problem["type"] == "about:blank");
    assert_eq!(problem["status"], 422);
}

#[test]
fn a_matrix_has_a_limit() {
    let served = Served::new(standard::engine());
    let contexts: Vec<_> =
        (0..65).map(|at| json!({ "name": at.to_string(), "context": {} })).collect();
    assert_eq!(served.post("/v1/matrix", &json!({ "contexts": contexts })).problem().0, 422);
    let unknown = json!({ "contexts": [], "variants": ["none"] });
    assert_eq!(served.post("/v1/matrix", &unknown).problem(), (422, "unknown-variant".into()));
}

#[test]
fn requests_are_counted_by_route_and_reloads_too() {
    let served = Served::new(standard::engine());
    served.post("/v1/build", &json!({}));
    served.get("/v1/show/tool/read_file");
    served.preview.replace(standard::engine(), Vec::new());
    let metrics = served.get("/metrics");
    let text = metrics.text();
    for line in [
        "promptweave_http_requests_total{method=\"POST\",route=\"/v1/build\",status=\"200\"} 1",
        "promptweave_http_requests_total{method=\"GET\",route=\"/v1/show/{kind}/{id}\",status=\"200\"} 1",
        "promptweave_generation 1",
        "promptweave_sessions 0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
}

/// What is refused is said in words of this API, and not in those of the code that reads it.
#[test]
fn a_name_that_is_none_is_told_with_those_that_are() {
    let served = Served::new(standard::engine());
    let stream = |path: &str| {
        served.ask(&format!("POST {path} HTTP/1.1\r\nContent-Type: application/x-ndjson"), b"\n")
    };
    for (answer, status, told) in [
        (
            served.post("/v1/build", &json!({ "mode": "x" })),
            422,
            "unknown mode `x`; one of plan, act",
        ),
        (
            served.post("/v1/build", &json!({ "offsets": "x" })),
            422,
            "unknown unit `x`; one of bytes, utf16",
        ),
        (
            served.post("/v1/build", &json!({ "format": "x" })),
            422,
            "unknown format `x`; one of json, text, blocks, anthropic",
        ),
        (served.post("/v1/parse", &json!({ "reply": "", "mode": "x" })), 422, "unknown mode `x`"),
        (stream("/v1/parse?mode=x"), 422, "mode: unknown mode `x`; one of robust, exact"),
        (
            served.get("/v1/show/x/y"),
            404,
            "unknown kind `x`; one of variant, component, tool, partial",
        ),
        (served.get("/v1/schema/x"), 404, "unknown kind `x`; one of pack, patch"),
    ] {
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(answer.status, status, "{detail}");
        assert!(detail.starts_with(told), "{detail}");
    }
    let unknown = json!({ "reply": "", "variant": "none" });
    assert_eq!(served.post("/v1/parse", &unknown).problem(), (422, "unknown-variant".into()));
}

/// The last of two values would win unseen.
#[test]
fn a_key_that_stands_twice_is_refused() {
    let served = Served::new(standard::engine());
    for (path, body) in [
        ("/v1/build", r#"{"model": "a", "model": "b"}"#),
        ("/v1/build", r#"{"context": {"cwd": "a", "cwd": "b"}}"#),
        ("/v1/build", r#"{"context": {"user": {"name": "a", "name": "a"}}}"#),
        ("/v1/build", r#"{"set": {"user.name": "a", "user.name": "b"}}"#),
        ("/v1/diff", r#"{"a": {}, "b": {"context": {"cwd": "a", "cwd": "b"}}}"#),
        ("/v1/matrix", r#"{"contexts": [{"name": "x", "context": {"cwd": "a", "cwd": "b"}}]}"#),
        ("/v1/parse", r#"{"reply": "", "specs": {"x": {}, "x": {}}}"#),
    ] {
        let answer = served.post_text(path, body.as_bytes());
        assert_eq!(answer.problem(), (422, "request-invalid".into()), "{body}");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("twice") || detail.contains("duplicate"), "{detail}");
    }
    let same = r#"{"context": {"user": {"name": "a"}, "mcp": {"name": "a"}}}"#;
    assert_eq!(served.post_text("/v1/build", same.as_bytes()).status, 200);
}
