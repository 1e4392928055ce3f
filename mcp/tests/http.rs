//! The server behind the gate, asked by raw bytes: who may ask, how much, and by which names.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use promptweave::{CodeComponent, Engine, EngineBuilder, Items, MemorySource};
use promptweave_loopback::{Limits, Shutdown, Token};
use promptweave_mcp::{HttpServer, Packs};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const BEGIN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"prompts/list"}"#;
const ACCEPT: &str = "Accept: application/json, text/event-stream";

/// A server; it ends when it is dropped.
struct Server {
    url: String,
    shutdown: Shutdown,
    runtime: Option<Runtime>,
}

impl Server {
    fn new(token: Option<&str>) -> Self {
        Self::of(Engine::builder(), token)
    }

    /// The same with more in its engine.
    fn of(builder: EngineBuilder, token: Option<&str>) -> Self {
        let pack = MemorySource::new(
            "acme",
            [
                ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'"),
                ("generic.toml", "order = ['role']"),
                ("components/role.md", "You are a coding agent."),
            ],
        );
        let packs = Packs::new(builder.pack(pack).build().unwrap(), 4);
        let (runtime, shutdown) = (Runtime::new().unwrap(), Shutdown::default());
        let server = HttpServer {
            address: ([127, 0, 0, 1], 0).into(),
            token: token.map(read_token),
            hosts: vec!["box.example:7".into()],
            limits: Limits { body_bytes: 64 << 10, ..Limits::default() },
        };
        let (to, url) = std::sync::mpsc::channel();
        let ends = shutdown.clone();
        runtime.spawn(async move {
            server.serve(&packs, &ends, |url| to.send(url.to_owned()).unwrap()).await.unwrap();
        });
        Self { url: url.recv().unwrap(), shutdown, runtime: Some(runtime) }
    }

    fn authority(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap()
    }

    /// Sends a head of these lines, and a body; the answer as far as it comes at once.
    fn ask(&self, first: &str, lines: &[&str], body: &str) -> String {
        let mut stream = TcpStream::connect(self.authority()).unwrap();
        let own = format!("Host: {}", self.authority());
        let host = if lines.iter().any(|line| line.starts_with("Host:")) { "X: y" } else { &own };
        let length = format!("Content-Length: {}", body.len());
        let head = [&[first, host, &length, "Connection: close"][..], lines].concat().join("\r\n");
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn post(&self, lines: &[&str], body: &str) -> String {
        let usual = [ACCEPT, "Content-Type: application/json"];
        self.ask("POST /mcp HTTP/1.1", &[&usual[..], lines].concat(), body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.begin();
        self.runtime.take().unwrap().shutdown_background();
    }
}

fn read_token(text: &str) -> Token {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    Token::from_file(&file).unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

fn session(answer: &str) -> String {
    let found = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    format!("Mcp-Session-Id: {}", found.unwrap())
}

#[test]
fn only_who_knows_the_token_asks() {
    let server = Server::new(Some(TOKEN));
    let right = format!("Authorization: Bearer {TOKEN}");
    let begun = server.post(&[&right], BEGIN);
    assert_eq!(status(&begun), "200", "{begun}");
    let session = session(&begun);
    let wrong = format!("Authorization: Bearer {}", TOKEN.replace('f', "e"));
    // Whoever knows the session knows no token.
    let (wrong, session) = (wrong.as_str(), session.as_str());
    let tries: [&[&str]; 5] =
        [&[], &[wrong], &["Authorization: Basic x"], &[session], &[session, wrong]];
    for lines in tries {
        for first in ["POST /mcp HTTP/1.1", "GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"] {
            let lines = [&[ACCEPT, "Content-Type: application/json"][..], lines].concat();
            let answer =
                server.ask(first, &lines, if first.starts_with("POST") { LIST } else { "" });
            assert_eq!(status(&answer), "401", "{first} {lines:?}: {answer}");
            assert!(answer.contains("application/problem+json") && !answer.contains("jsonrpc"));
        }
    }
    let query = format!("POST /mcp?token={TOKEN} HTTP/1.1");
    assert_eq!(
        status(&server.ask(&query, &[ACCEPT, "Content-Type: application/json"], LIST)),
        "401"
    );
}

#[test]
fn foreign_names_and_pages_are_refused() {
    let server = Server::new(None);
    for (line, expected) in [
        ("Host: evil.example", "421"),
        ("Host: 127.0.0.1:1", "421"),
        ("Host: localhost", "421"),
        ("Origin: http://evil.example", "403"),
        ("Origin: null", "403"),
        ("Sec-Fetch-Site: cross-site", "403"),
        ("Host: box.example:7", "200"),
    ] {
        let answer = server.post(&[line], BEGIN);
        assert_eq!(status(&answer), expected, "{line}: {answer}");
        assert!(!answer.to_ascii_lowercase().contains("access-control-allow"));
    }
    let own = format!("Origin: http://{}", server.authority());
    assert_eq!(status(&server.post(&[&own], BEGIN)), "200");
    // What a form of a foreign page could send.
    let form = server.ask("POST /mcp HTTP/1.1", &[ACCEPT, "Content-Type: text/plain"], BEGIN);
    assert_eq!(status(&form), "415");
}

#[test]
fn what_is_too_much_or_no_protocol_is_refused() {
    let server = Server::new(None);
    let long = format!("{}{}", BEGIN, " ".repeat(65 << 10));
    assert_eq!(status(&server.post(&[], &long)), "413");
    assert_eq!(status(&server.ask("GET /other HTTP/1.1", &[], "")), "404");
    assert_eq!(
        status(&server.ask("PUT /mcp HTTP/1.1", &["Content-Type: application/json"], "{}")),
        "405"
    );
}

/// The body of an answer.
fn body(answer: &str) -> Json {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_default()
}

#[test]
fn what_is_no_message_is_refused_with_a_reason() {
    let server = Server::new(None);
    let session = session(&server.post(&[], BEGIN));
    let deep = "[".repeat(60_000);
    for (said, id, code) in [
        ("no json", Json::Null, -32700),
        ("", Json::Null, -32700),
        (&deep, Json::Null, -32700),
        ("{}", Json::Null, -32600),
        ("[]", Json::Null, -32600),
        (&format!("[{LIST}]"), Json::Null, -32600),
        (r#"{"jsonrpc":"1.0","id":2,"method":"prompts/list"}"#, json!(2), -32600),
        (r#"{"jsonrpc":"2.0","id":2,"method":"initialize"}"#, json!(2), -32602),
    ] {
        for lines in [&[][..], &[session.as_str()]] {
            let refused = server.post(lines, said);
            assert_eq!(status(&refused), "400", "{said:.40}: {refused}");
            assert!(refused.contains("\r\ncontent-type: application/json\r\n"), "{refused}");
            let refused = body(&refused);
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&id, &json!(code)),
                "{said:.40}"
            );
        }
    }
    // Nothing is owed to a notification, whatever it says.
    let odd = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#;
    assert_eq!(status(&server.post(&[&session], odd)), "202");
    // A session begins once.
    assert!(server.post(&[&session], BEGIN).contains(r#""code":-32600"#));
}

#[test]
fn what_is_odd_and_still_a_message_is_read_as_on_standard_input() {
    let server = Server::new(None);
    let mark = server.post(&[], &format!("\u{feff}{BEGIN}"));
    assert_eq!(status(&mark), "200", "{mark}");
    let twice = r#"{"jsonrpc":"2.0","id":6,"id":7,"method":"ping"}"#;
    let answer = server.post(&[&session(&mark)], twice);
    assert!(answer.contains(r#""id":7,"result":{}"#), "{answer}");
}

#[test]
fn a_session_that_is_not_there_is_told_so() {
    let server = Server::new(None);
    let gone = "Mcp-Session-Id: 00000000-0000-0000-0000-000000000000";
    for first in ["POST /mcp HTTP/1.1", "GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"] {
        let said = if first.starts_with("POST") { LIST } else { "" };
        let usual = [ACCEPT, "Content-Type: application/json"];
        for (lines, expected, reason) in [
            (&usual[..], "400", "session ID is required"),
            (&[usual[0], usual[1], gone], "404", "session not found"),
        ] {
            let answer = server.ask(first, lines, said);
            assert_eq!(status(&answer), expected, "{first}: {answer}");
            let problem = body(&answer);
            assert_eq!(problem["detail"], reason, "{first}");
            assert!(problem["help"].as_str().unwrap().contains("initialize"), "{first}");
        }
    }
    let odd = ["Content-Type: application/json", "Accept: text/html"];
    let answer = server.ask("POST /mcp HTTP/1.1", &odd, LIST);
    assert_eq!(status(&answer), "406");
    assert!(body(&answer)["detail"].as_str().unwrap().contains("text/event-stream"));
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let ((began, begins), (go, waits)) = (channel(), channel());
    let waits: Arc<Mutex<Receiver<()>>> = Arc::new(Mutex::new(waits));
    let held = CodeComponent::new("held", move |_| {
        began.send(()).unwrap();
        waits.lock().unwrap().recv().unwrap();
        String::from("at last")
    });
    let more = MemorySource::new(
        "slow",
        [
            ("pack.toml", "format = 1\nname = 'slow'\nversion = '1.0.0'"),
            ("held.toml", "order = ['held']"),
            ("components/held.toml", "from = 'slow-code/held'"),
        ],
    );
    let builder = Engine::builder().pack(more).extension(Items::new("slow-code").component(held));
    let server = Server::of(builder, None);
    let build = r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"held"}}"#;
    let (own, other) = (session(&server.post(&[], BEGIN)), session(&server.post(&[], BEGIN)));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.post(&[&own], build));
        begins.recv().unwrap();
        let second = server.post(&[&own], build);
        assert_eq!((status(&second), &body(&second)["id"]), ("400", &json!(7)));
        assert_eq!(body(&second)["error"]["code"], -32600);
        // Each session has its own ids.
        let third = scope.spawn(|| server.post(&[&other], build));
        begins.recv().unwrap();
        go.send(()).unwrap();
        go.send(()).unwrap();
        for answer in [first.join().unwrap(), third.join().unwrap()] {
            assert!(answer.contains("at last"), "{answer}");
        }
    });
    // What is answered is no longer in use.
    go.send(()).unwrap();
    assert!(server.post(&[&own], build).contains("at last"));
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let server = Server::new(None);
    let session = session(&server.post(&[], BEGIN));
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(status(&server.post(&[&session], ready)), "202");
    let listed = server.post(&[&session], LIST);
    assert!(status(&listed) == "200" && listed.contains(r#""name":"generic""#), "{listed}");
    let ended = server.ask("DELETE /mcp HTTP/1.1", &[&session], "");
    assert!(status(&ended).starts_with('2'), "{ended}");
    assert_eq!(status(&server.post(&[&session], LIST)), "404");
}

#[test]
fn there_are_not_more_clients_than_there_may_be() {
    let server = Server::new(None);
    let first = session(&server.post(&[], BEGIN));
    for _ in 1..256 {
        assert_eq!(status(&server.post(&[], BEGIN)), "200");
    }
    assert_eq!(status(&server.post(&[], BEGIN)), "503");
    server.ask("DELETE /mcp HTTP/1.1", &[&first], "");
    assert_eq!(status(&server.post(&[], BEGIN)), "200");
}
