//! A client that writes bare lines, good ones and others: each request has one answer, and nothing else has any.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "shared between tests alone")]
mod pair;

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pair::{ROLE, engine, files};
use promptweave::{CodeComponent, Engine, Items, MemorySource};
use promptweave_mcp::{Packs, serve_streams};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::time::Instant;

const BEGIN: &str = r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LAST: &str = r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#;
const MOST: usize = 8 << 20;

/// What is answered to all that a client says before it ends its input.
async fn answers(said: &[u8]) -> Vec<Json> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    let (mut from, mut to) = tokio::io::split(near);
    let packs = Packs::new(engine(ROLE), 4);
    let serve = tokio::spawn(async move { serve_streams(&packs, input, output).await });
    let said = said.to_vec();
    tokio::spawn(async move {
        to.write_all(&said).await.unwrap();
        to.shutdown().await.unwrap();
    });
    let mut answers = String::new();
    from.read_to_string(&mut answers).await.unwrap();
    serve.await.unwrap();
    answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same within a session, between its beginning and a last request.
async fn within(said: &[u8]) -> Vec<Json> {
    let all = [BEGIN.as_bytes(), READY.as_bytes(), said, LAST.as_bytes()].join(&b'\n');
    let mut answers = answers(&all).await;
    let of = |id: &str| answers.iter().position(|answer| answer["id"] == id).unwrap();
    for at in [of("begin"), of("last")].into_iter().rev() {
        assert!(answers[at]["result"].is_object());
    }
    answers.retain(|answer| answer["id"] != "begin" && answer["id"] != "last");
    answers
}

/// The id and the code of an error.
fn shape(answer: &Json) -> (Json, i64) {
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer.get("id").is_some(), "an id that cannot be read is null: {answer}");
    (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_default())
}

#[tokio::test]
async fn what_is_no_request_is_refused_by_its_id() {
    let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let deep = nested(100_000);
    let deep_inside =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"a":{deep}}}}}"#);
    let (most, more) = (nested(127), nested(128));
    let cases: &[(&[u8], Json, i64)] = &[
        (b"no json", Json::Null, -32700),
        (b"{", Json::Null, -32700),
        (br#"{"jsonrpc":"2.0","id":7,"method":"ping"}}"#, Json::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}", Json::Null, -32700),
        (b"\xff\xfe\x00", Json::Null, -32700),
        (deep.as_bytes(), Json::Null, -32700),
        (deep_inside.as_bytes(), Json::Null, -32700),
        (more.as_bytes(), Json::Null, -32700),
        (most.as_bytes(), Json::Null, -32600),
        (b"[]", Json::Null, -32600),
        (br#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, Json::Null, -32600),
        (b"7", Json::Null, -32600),
        (b"null", Json::Null, -32600),
        (b"{}", Json::Null, -32600),
        (br#"{"foo":"bar","id":7}"#, json!(7), -32600),
        (br#"{"jsonrpc":"2.0","id":"a"}"#, json!("a"), -32600),
        (br#"{"id":7,"method":"ping"}"#, json!(7), -32600),
        (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), -32600),
        (br#"{"jsonrpc":"2.0","id":7,"method":1}"#, json!(7), -32600),
        (br#"{"jsonrpc":"2.0","method":1}"#, Json::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Json::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Json::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
        (br#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#, json!(7), -32600),
        (br#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#, json!(7), -32601),
        (br#"{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"debug"}}"#, json!(7), -32601),
        (br#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":[]}"#, json!(7), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"cursor":"x"}}"#, json!(7), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}"#, json!(7), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"x"}}"#, json!(7), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"resources/templates/list","params":{"cursor":"x"}}"#, json!(7), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}"#, json!(7), -32602),
        (BEGIN_AGAIN.as_bytes(), json!(7), -32600),
    ];
    for (said, id, code) in cases {
        let shown = String::from_utf8_lossy(&said[..said.len().min(80)]).into_owned();
        let refused = within(said).await;
        assert_eq!(refused.len(), 1, "{shown}: {refused:?}");
        assert_eq!(shape(&refused[0]), (id.clone(), *code), "{shown}");
        let error = &refused[0]["error"];
        assert!(error["data"]["code"].is_string(), "{shown}: {error}");
        assert_eq!(error["data"]["message"], error["message"]);
    }
}

const BEGIN_AGAIN: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[tokio::test]
async fn what_asks_for_no_answer_has_none() {
    for said in [
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/no_such","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}"#,
        r#"{"jsonrpc":"2.0","method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        "",
        " \t\r",
    ] {
        assert_eq!(within(said.as_bytes()).await, [] as [Json; 0], "{said}");
    }
}

#[tokio::test]
async fn a_mark_or_a_carriage_return_is_no_mistake() {
    for said in [
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r",
    ] {
        assert_eq!(
            within(said.as_bytes()).await,
            [json!({ "jsonrpc": "2.0", "id": 7, "result": {} })]
        );
    }
}

#[tokio::test]
async fn a_line_has_an_end() {
    let ping = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let of = |length: usize| [&ping[..], &vec![b' '; length - ping.len()]].concat();
    assert_eq!(shape(&within(&of(MOST)).await[0]), (json!(7), 0));
    let long = within(&of(MOST + 1)).await;
    assert_eq!(long.len(), 1);
    assert_eq!(shape(&long[0]), (Json::Null, -32600));
    let longer = within(&of(3 * MOST)).await;
    assert_eq!(shape(&longer[0]), (Json::Null, -32600));
}

#[tokio::test]
async fn what_comes_before_the_session_keeps_nobody_from_beginning_it() {
    let early = [
        "no json",
        READY,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"prompts/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#,
    ];
    let said = [&early[..], &[BEGIN, LAST]].concat().join("\n");
    let answers = answers(said.as_bytes()).await;
    let found: Vec<(Json, i64)> = answers.iter().map(shape).collect();
    let expected = [
        (Json::Null, -32700),
        (json!(2), -32602),
        (json!(3), 0),
        (json!(4), -32602),
        (json!("begin"), 0),
        (json!("last"), 0),
    ];
    for one in &expected {
        assert!(found.contains(one), "{one:?}: {found:?}");
    }
    assert_eq!(found.len(), expected.len());
    // What is wrong with the beginning is said.
    let misshapen = answers.iter().find(|answer| answer["id"] == 4).unwrap();
    assert!(misshapen["error"]["message"].as_str().unwrap().contains("initialize"));
}

/// A server that works on one request at a time, whose component waits until it is told to go on.
struct Held {
    from: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    to: tokio::io::WriteHalf<DuplexStream>,
    go: std::sync::mpsc::Sender<()>,
    served: tokio::task::JoinHandle<()>,
}

impl Held {
    async fn new() -> Self {
        let (go, waits) = channel();
        let waits: Arc<Mutex<Receiver<()>>> = Arc::new(Mutex::new(waits));
        let held = CodeComponent::new("held", move |_| {
            waits.lock().unwrap().recv().unwrap();
            String::from("at last")
        });
        let more = [
            ("components/held.toml", "from = 'acme-code/held'"),
            ("held.toml", "order = ['held']"),
        ];
        let more = more.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let all: Vec<(String, String)> = files(ROLE).into_iter().chain(more).collect();
        let engine = Engine::builder()
            .pack(MemorySource::new("acme", all))
            .extension(Items::new("acme-code").component(held))
            .build()
            .unwrap();
        let (near, far) = tokio::io::duplex(1 << 16);
        let ((input, output), (from, to)) = (tokio::io::split(far), tokio::io::split(near));
        let packs = Packs::new(engine, 1);
        let served = tokio::spawn(async move { serve_streams(&packs, input, output).await });
        let mut held = Self { from: BufReader::new(from), to, go, served };
        held.say(BEGIN).await;
        held.say(READY).await;
        assert_eq!(held.hear().await["id"], "begin");
        held
    }

    async fn say(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn build(&mut self, id: impl Into<Json>) {
        let params = json!({ "name": "held", "arguments": { "house.style": "plain" } });
        let ask =
            json!({ "jsonrpc": "2.0", "id": id.into(), "method": "prompts/get", "params": params });
        self.say(&ask.to_string()).await;
    }

    async fn hear(&mut self) -> Json {
        let mut line = String::new();
        self.from.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_default()
    }
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let mut held = Held::new().await;
    held.build(7).await;
    held.build(7).await;
    assert_eq!(shape(&held.hear().await), (json!(7), -32600));
    // A text is another id than a number.
    held.build("7").await;
    held.go.send(()).unwrap();
    held.go.send(()).unwrap();
    let both = [shape(&held.hear().await), shape(&held.hear().await)];
    assert!(both.contains(&(json!(7), 0)) && both.contains(&(json!("7"), 0)), "{both:?}");
    // What is answered is no longer in use, nor is what the client gave up.
    held.build(7).await;
    held.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)
        .await;
    held.build(7).await;
    held.go.send(()).unwrap();
    held.go.send(()).unwrap();
    assert_eq!(shape(&held.hear().await), (json!(7), 0));
}

#[tokio::test(start_paused = true)]
async fn all_that_was_asked_is_answered_after_the_end_of_the_input() {
    const CALLS: usize = 40;
    let mut held = Held::new().await;
    for id in 0..CALLS {
        held.build(id).await;
    }
    held.build("given up").await;
    held.say(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"given up"}}"#,
    )
    .await;
    held.to.shutdown().await.unwrap();
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    // However long they take.
    tokio::time::advance(Duration::from_secs(3600)).await;
    for _ in 0..=CALLS {
        held.go.send(()).unwrap();
    }
    let mut answered = BTreeSet::new();
    for _ in 0..CALLS {
        answered.insert(held.hear().await["id"].as_u64());
    }
    assert_eq!(answered, (0..CALLS as u64).map(Some).collect());
    assert_eq!(held.hear().await, Json::Null, "what was given up has no answer");
    held.served.await.unwrap();
}

/// Who listens has an answer when it wants no more: the end of the input is not held up.
#[tokio::test(start_paused = true)]
async fn a_listener_holds_nobody_up() {
    let mut held = Held::new().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "_meta": meta, "notifications": { "promptsListChanged": true } });
    let ask =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params });
    held.say(&ask.to_string()).await;
    assert_eq!(held.hear().await["method"], "notifications/subscriptions/acknowledged");
    held.say(&ask.to_string()).await;
    assert_eq!(shape(&held.hear().await), (json!(1), -32600));
    let before = Instant::now();
    held.to.shutdown().await.unwrap();
    held.served.await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}
