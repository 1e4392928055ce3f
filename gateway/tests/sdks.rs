//! The gateway before every provider, driven by the official libraries for Python and Node: both see the same.
//!
//! `cargo xtask test` installs them below `target/sdk`; without them there is nothing to run.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{CHAT, Say, Served, Step, TOKEN, Upstream, gateway};
use promptweave_wire::{ServerEvent, SseReader};
use serde_json::{Value as Json, json};

/// What upstreams say: target, case, and the file of it; `!` marks an answer that comes whole.
const FILES: &[(&str, &str, &str)] = &[
    ("anthropic", "text", "streams/anthropic/text.sse"),
    ("anthropic", "tools", "streams/anthropic/one-call.sse"),
    ("anthropic", "thinking", "streams/anthropic/thinking-text-calls.sse"),
    ("anthropic", "error", "streams/anthropic/error-mid-stream.sse"),
    ("anthropic", "text", "answers/anthropic/text.json"),
    ("anthropic", "thinking", "answers/anthropic/thinking-and-calls.json"),
    ("vertex", "text", "streams/anthropic/text.sse"),
    ("vertex", "tools", "streams/anthropic/one-call.sse"),
    ("vertex", "thinking", "streams/anthropic/thinking-text-calls.sse"),
    ("vertex", "error", "streams/anthropic/error-mid-stream.sse"),
    ("vertex", "text", "answers/anthropic/text.json"),
    ("vertex", "thinking", "answers/anthropic/thinking-and-calls.json"),
    ("bedrock", "text", "streams/bedrock/text.sse"),
    ("bedrock", "tools", "streams/bedrock/one-call.sse"),
    ("bedrock", "thinking", "streams/bedrock/reasoning.sse"),
    ("bedrock", "error", "streams/bedrock/model-error.sse"),
    ("bedrock", "text", "answers/bedrock/text.json"),
    ("bedrock", "thinking", "answers/bedrock/reasoning-and-call.json"),
    ("openai-chat", "text", "streams/openai-chat/text.sse"),
    ("openai-chat", "tools", "streams/openai-chat/text-and-parallel-calls.sse"),
    ("openai-chat", "error", "streams/openai-chat/error-mid-stream.sse"),
    ("openai-chat", "text", "answers/openai-chat/text.json"),
    ("openai-chat", "tools", "answers/openai-chat/calls.json"),
    ("openai-responses", "text", "streams/openai-responses/text.sse"),
    ("openai-responses", "tools", "streams/openai-responses/parallel-calls.sse"),
    ("openai-responses", "thinking", "streams/openai-responses/reasoning.sse"),
    ("openai-responses", "error", "streams/openai-responses/failed.sse"),
    ("openai-responses", "text", "answers/openai-responses/text.json"),
    ("openai-responses", "thinking", "answers/openai-responses/reasoning-and-calls.json"),
    ("openai-compatible", "text", "streams/openai-compatible/groq-usage.sse"),
    ("openai-compatible", "tools", "streams/openai-compatible/ollama-whole-calls.sse"),
    ("openai-compatible", "thinking", "streams/openai-compatible/reasoning-then-calls.sse"),
    ("openai-compatible", "error", "streams/openai-compatible/overloaded.sse"),
    ("openai-compatible", "text", "answers/openai-chat/text.json"),
    ("openai-compatible", "tools", "answers/openai-compatible/calls-without-ids.json"),
    ("openai-compatible", "thinking", "answers/openai-compatible/reasoning.json"),
    ("xai", "text", "streams/xai/text.sse"),
    ("xai", "tools", "streams/xai/parallel.sse"),
    ("xai", "thinking", "streams/xai/reasoning-and-call.sse"),
    ("xai", "error", "streams/xai/error-mid-stream.sse"),
    ("xai", "thinking", "answers/xai/text.json"),
    ("xai", "tools", "answers/openai-chat/calls.json"),
    ("gemini", "text", "streams/gemini/text.sse"),
    ("gemini", "tools", "streams/gemini/parallel-calls.sse"),
    ("gemini", "thinking", "streams/gemini/thoughts.sse"),
    ("gemini", "error", "streams/gemini/error-mid-stream.sse"),
    ("gemini", "text", "answers/gemini/text.json"),
    ("gemini", "tools", "answers/gemini/signed-calls.json"),
];

/// One question, and the upstream that answers it.
struct Case {
    name: String,
    target: &'static str,
    how: &'static str,
    route: &'static str,
    say: Vec<Say>,
}

impl Case {
    fn stream(name: &str, target: &'static str, say: impl IntoIterator<Item = Say>) -> Self {
        let say = say.into_iter().collect();
        Self { name: name.into(), target, how: "stream", route: "retries = 0", say }
    }

    fn file((target, kind, path): &(&'static str, &str, &str)) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/tests/cases").join(path);
        let text = std::fs::read_to_string(file).unwrap();
        let is_stream = path.ends_with(".sse");
        let bytes = match *target {
            "bedrock" if is_stream => frames(&text),
            _ => text.into_bytes(),
        };
        // Some pieces, so that events are cut.
        let pieces = bytes.chunks(61).map(|piece| Step::Bytes(piece.to_vec().into()));
        let case = Self::stream("", target, [Say::new(200, pieces.collect())]);
        let how = if is_stream { "stream" } else { "message" };
        Self { name: format!("{target} {kind} {how}"), how, ..case }
    }

    /// The question as a library asks it.
    fn asked(&self) -> Json {
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let tool = |name: &str| json!({ "name": name, "input_schema": schema });
        let mut asked = json!({
            "how": self.how, "model": self.name, "max_tokens": 4096,
            "messages": [{ "role": "user", "content": "Hi" }],
            "tools": [tool("read_file"), tool("write")],
        });
        if self.name.contains("thinking") {
            asked["thinking"] = json!({ "type": "enabled", "budget_tokens": 1024 });
        }
        asked
    }
}

/// A stream of Bedrock's as it comes.
fn frames(text: &str) -> Vec<u8> {
    let (mut reader, mut events) = (SseReader::default(), Vec::new());
    reader.push(text.as_bytes(), &mut events).unwrap();
    reader.finish(&mut events);
    events.iter().flat_map(frame).collect()
}

fn frame(event: &ServerEvent) -> Vec<u8> {
    let is_failure = event.name.ends_with("Exception");
    let (message, kind) =
        if is_failure { ("exception", ":exception-type") } else { ("event", ":event-type") };
    let mut headers = Vec::new();
    for (name, value) in [(":message-type", message), (kind, event.name.as_str())] {
        headers.push(u8::try_from(name.len()).unwrap());
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_be_bytes();
    let mut all = length(headers.len() + event.data.len() + 16).to_vec();
    all.extend_from_slice(&length(headers.len()));
    all.extend_from_slice(&crc32fast::hash(&all).to_be_bytes());
    all.extend_from_slice(&headers);
    all.extend_from_slice(event.data.as_bytes());
    all.extend_from_slice(&crc32fast::hash(&all).to_be_bytes());
    all
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = FILES.iter().map(Case::file).collect();
    let refused = |status: u16, words: &str| {
        Say::json(status, &json!({ "error": { "message": words, "code": status } }))
    };
    for target in promptweave_wire::Target::ALL {
        let target = target.as_str();
        let limited =
            Case::stream(&format!("{target} limited message"), target, [refused(429, "slow down")]);
        cases.push(Case { how: "message", ..limited });
        cases.push(Case::stream(&format!("{target} refused stream"), target, [refused(400, "no")]));
    }
    let slow = CHAT.split_inclusive("\n\n").flat_map(|event| {
        [Step::Bytes(event.to_owned().into()), Step::Pause(Duration::from_millis(100))]
    });
    let cut = vec![
        Step::Bytes(CHAT.split_inclusive("\n\n").next().unwrap().to_owned().into()),
        Step::Pause(Duration::from_millis(50)),
        Step::Cut,
    ];
    let chat = "openai-chat";
    cases.push(Case::stream("slow", chat, [Say::new(200, slow.collect())]));
    cases.push(Case::stream("cut", chat, [Say::new(200, cut)]));
    cases.push(Case::stream("malformed", chat, [Say::sse(&CHAT.replacen("\"Hel\"", "\"Hel", 1))]));
    cases.push(Case::stream(
        "malformed later",
        chat,
        [Say::sse(&CHAT.replacen("\"lo\"", "\"lo", 1))],
    ));
    cases.push(Case::stream("whole for a stream", chat, [Say::json(200, &common::chat())]));
    cases.push(Case::stream("a page", chat, [Say::sse("<html>")]));
    let half =
        json!({ "index": 0, "id": "c", "function": { "name": "write", "arguments": "{\"a" } });
    let half = json!({ "id": "c", "choices": [{ "delta": { "tool_calls": [half] }, "finish_reason": "tool_calls" }] });
    cases.push(Case::stream("half a call", chat, [Say::sse(&format!("data: {half}\n\n"))]));
    let odd = CHAT.replacen("\"prompt_tokens\":3", "\"prompt_tokens\":-3.5", 1);
    cases.push(Case::stream("odd counts", chat, [Say::sse(&odd)]));
    let again = Case::stream("limited and then fine", chat, [refused(429, "slow"), Say::sse(CHAT)]);
    cases.push(Case { route: "retries = 1", ..again });
    let written = json!({ "id": "c", "choices": [{ "delta": { "content": "So:\n<read_file><path>a</path></read_file>" }, "finish_reason": "stop" }] });
    let text = Case::stream(
        "calls in text",
        "openai-compatible",
        [Say::sse(&format!("data: {written}\n\n"))],
    );
    cases.push(Case { route: "tool_calls = 'text'", ..text });
    let counted = Case::stream(
        "counted upstream",
        "anthropic",
        [Say::json(200, &json!({ "input_tokens": 7 }))],
    );
    cases.push(Case { how: "count", ..counted });
    cases.push(Case { how: "count", ..Case::stream("counted here", chat, [Say::sse(CHAT)]) });
    cases.push(Case { how: "models", ..Case::stream("models", chat, [Say::sse(CHAT)]) });
    cases
}

/// One gateway before all of the upstreams: the model's name is that of the case.
async fn served(cases: &[Case]) -> (Served, Vec<Upstream>) {
    let token = common::token_file();
    let token = token.path().display();
    let mut config =
        format!("format = 1\nserver = {{ addr = '127.0.0.1:0', token = 'file:{token}' }}\n");
    let (mut routes, mut upstreams) = (String::new(), Vec::new());
    for case in cases {
        let upstream = Upstream::start(case.say.clone()).await;
        let (name, target, addr) = (&case.name, case.target, upstream.addr);
        let _ = write!(
            config,
            "[[upstream]]\nname = '{name}'\ntarget = '{target}'\nbase_url = 'http://{addr}'\nkey = 'env:KEY'\n"
        );
        let _ = write!(
            routes,
            "[[route]]\nmodels = ['/^{name}$/']\nupstream = '{name}'\n{}\n",
            case.route
        );
        upstreams.push(upstream);
    }
    let models = "[[route]]\nmodels = ['m-of']\nlist = ['m-of-the-list', 'm-of-another']\nupstream = 'models'\n";
    (gateway(&(config + &routes + models)).await, upstreams)
}

/// A program that drives a library, if it is installed.
fn program(language: &str) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let installed = root.join("target/sdk").join(language);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(language);
    if !installed.join("installed").is_file() {
        return None;
    }
    let mut command = match language {
        "python" => Command::new(installed.join("bin/python")),
        _ => Command::new("node"),
    };
    match language {
        "python" => command.arg(script.join("drive.py")),
        // Node looks for libraries beside its script.
        _ => command.arg(copied(&script.join("drive.js"), &installed)),
    };
    Some(command)
}

fn copied(script: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join("drive.js");
    std::fs::copy(script, &copy).unwrap();
    copy
}

/// What a library made of each case.
fn driven(language: &str, served: &Served, cases: &[Case]) -> Option<Vec<Json>> {
    let Some(mut command) = program(language) else {
        let is_needed = std::env::var("WEAVE_REQUIRE_SDKS").is_ok();
        assert!(!is_needed, "the library for {language} is not installed");
        eprintln!("skipped: `cargo xtask test` installs the library for {language}");
        return None;
    };
    command.args([format!("http://{}", served.addr), TOKEN.to_owned()]);
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = running.stdin.take().unwrap();
    let asked: String = cases.iter().map(|case| format!("{}\n", case.asked())).collect();
    let writing = std::thread::spawn(move || input.write_all(asked.as_bytes()).unwrap());
    let output = running.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success(), "{language} failed");
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

async fn said(language: &'static str) -> Option<String> {
    let cases = cases();
    let (served, _upstreams) = served(&cases).await;
    let driving = tokio::task::spawn_blocking(move || {
        let said = driven(language, &served, &cases)?;
        assert_eq!(said.len(), cases.len());
        let lines = cases.iter().zip(said).map(|(case, said)| format!("{}: {said}\n", case.name));
        Some(lines.collect::<String>())
    });
    driving.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn python() {
    if let Some(said) = said("python").await {
        insta::assert_snapshot!("libraries", said);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node() {
    if let Some(said) = said("node").await {
        insta::assert_snapshot!("libraries", said);
    }
}
