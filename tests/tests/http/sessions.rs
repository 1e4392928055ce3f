//! Sessions over HTTP.

use std::time::Duration;

use promptweave_preview::SessionLimits;
use promptweave_tests::http::{How, Served};
use promptweave_tests::pack;
use serde_json::{Value as Json, json};

const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"role\", \"mood\"]\n"),
    ("components/role.md", "You help."),
    ("components/mood.md", "Now: {{user.name}}."),
];

fn text(served: &Served, session: &str, mood: &str) -> Json {
    let body = json!({ "context": { "user": { "name": mood } }, "session": session });
    served.post("/v1/build", &body).json()
}

#[test]
fn a_session_goes_on_until_it_is_reset_or_ended() {
    let served = Served::new(pack::engine(PACK));
    let begun = served.post("/v1/sessions", &json!({}));
    assert_eq!(begun.status, 201);
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 32, "128 bits");
    assert_eq!(text(&served, &id, "calm")["session"], json!(true));
    let changed = text(&served, &id, "glad");
    let told: Vec<&str> = changed["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["code"].as_str())
        .collect();
    assert!(told.contains(&"session-recomputed"), "{told:?}");
    assert_eq!(served.ask(&format!("POST /v1/sessions/{id}/reset HTTP/1.1"), b"").status, 204);
    assert_eq!(text(&served, &id, "sad")["diagnostics"], json!([]));
    assert_eq!(served.ask(&format!("DELETE /v1/sessions/{id} HTTP/1.1"), b"").status, 204);
    let gone = served.post("/v1/build", &json!({ "session": id }));
    assert_eq!(gone.problem(), (404, "not-found".into()));
}

#[test]
fn other_packs_count_from_the_next_reset_on() {
    let served = Served::new(pack::engine(PACK));
    let id = served.post("/v1/sessions", &json!({})).json()["id"].as_str().unwrap().to_owned();
    assert!(text(&served, &id, "calm")["text"].as_str().unwrap().starts_with("You help."));
    let mut files = PACK.to_vec();
    files[1] = ("components/role.md", "You watch.");
    served.preview.replace(pack::engine(&files), Vec::new());
    assert!(text(&served, &id, "calm")["text"].as_str().unwrap().starts_with("You help."));
    served.ask(&format!("POST /v1/sessions/{id}/reset HTTP/1.1"), b"");
    assert!(text(&served, &id, "calm")["text"].as_str().unwrap().starts_with("You watch."));
}

#[test]
fn there_is_a_cap_and_a_time() {
    let sessions = SessionLimits { most: 2, unused: Duration::from_millis(300) };
    let served = Served::with(pack::engine(PACK), How { sessions, ..How::default() });
    let begin = || served.ask("POST /v1/sessions HTTP/1.1", b"").status;
    assert_eq!([begin(), begin(), begin()], [201, 201, 503]);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(begin(), 201);
}

#[test]
fn who_begins_one_has_nothing_else_to_say() {
    let served = Served::new(pack::engine(PACK));
    let begin = |body: &str| served.post_text("/v1/sessions", body.as_bytes());
    for body in ["", "{}", " { } "] {
        assert_eq!(begin(body).status, 201, "{body}");
    }
    for (body, told) in [
        ("{", (400, "json-invalid")),
        ("nonsense", (400, "json-invalid")),
        ("[]", (422, "request-invalid")),
        ("null", (422, "request-invalid")),
        (r#"{"id": "mine"}"#, (422, "request-invalid")),
    ] {
        assert_eq!(begin(body).problem(), (told.0, told.1.into()), "{body}");
    }
    let id = begin("").json()["id"].as_str().unwrap().to_owned();
    let reset = format!("/v1/sessions/{id}/reset");
    assert_eq!(served.post_text(&reset, b"{\"x\": 1}").problem().0, 422);
    assert_eq!(served.post_text(&reset, b"{}").status, 204);
}
