//! Plugins that do everything wrong while requests run.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use promptweave_loader::{Judge, Keys, Listed, Lock, Policy};
use promptweave_tests::hosted::{self, Home, Manifest, Mode, gone, most};
use promptweave_tests::http::{Answer, How, Served};
use promptweave_tests::{cli, native};
use serde_json::{Value as Json, json};

const DEADLINE: Duration = Duration::from_millis(500);
const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"host_before\", \"bad\", \"good\", \"host_after\"]\n"),
    ("quiet.toml", "order = [\"host_before\", \"host_after\"]\nmatch.models = ['quiet']\n"),
    ("components/host_before.md", "before"),
    ("components/host_after.md", "after"),
];

/// What `list plugins` would show of it.
fn listed(home: &Home) -> Vec<Listed> {
    let (lock, policy, keys) = (Lock::default(), Policy::default(), Keys::default());
    let judge = Judge { lock: &lock, policy: &policy, keys: &keys };
    vec![Listed::of(&home.candidate(), &judge)]
}

/// A plugin costs its own section in the requests that need it; requests beside it are answered as ever.
#[test]
fn a_crash_costs_a_section_and_nobody_else() {
    for case in ["segfault", "exit-0", "endless-loop", "floods"] {
        let Some(library) = native::library(case) else { return };
        let home = Home::new(&library, Manifest { name: case, ..Manifest::of(case) });
        let plugins = home.builder(Mode::Process).most(most(DEADLINE)).load();
        let (engine, _) = hosted::engine(&plugins, PACK);
        let how = How { plugins: listed(&home), ..How::default() };
        let served = Arc::new(Served::with(engine, how));
        let asks = (0..8).map(|at| {
            let served = Arc::clone(&served);
            thread::spawn(move || {
                let model = if at % 2 == 0 { "quiet" } else { "other" };
                let context = json!({ "user": { "name": "Ada" }, "model": { "id": model } });
                (model, served.post("/v1/build", &json!({ "context": context })))
            })
        });
        let asks: Vec<_> = asks.collect();
        for ask in asks {
            let (model, answer) = ask.join().unwrap();
            assert_eq!(answer.status, 200, "{case}: {}", answer.text());
            let result = answer.json();
            let sections = result["sections"].as_array().unwrap().iter();
            let included = sections.filter(|section| section["state"] == "included");
            let ids: Vec<&Json> = included.map(|section| &section["id"]).collect();
            assert!(!ids.contains(&&json!("bad")), "{case}: {ids:?}");
            let own = ids.contains(&&json!("host_before")) && ids.contains(&&json!("host_after"));
            assert!(own, "{case}: {ids:?}");
            let told = result["diagnostics"].as_array().unwrap();
            assert_eq!(told.is_empty(), model == "quiet", "{case}: {told:?}");
        }
        assert_eq!(served.get("/healthz").status, 200, "{case}");
        let metrics = served.get("/metrics").text().to_owned();
        assert!(metrics.contains("promptweave_http_running 1"), "{case}: {metrics}");
        drop((plugins, served));
        gone(&home);
    }
}

/// The program as it is installed, with a pack and a plugin in a folder of its own; it ends when it is dropped.
struct Program {
    child: Child,
    folder: tempfile::TempDir,
}

impl Program {
    fn new(verb: &[&str], library: &std::path::Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("acme");
        std::fs::create_dir_all(pack.join("components")).unwrap();
        std::fs::write(pack.join("pack.toml"), "format = 1\nname = 'acme'\nversion = '1'\n")
            .unwrap();
        for (name, text) in PACK {
            std::fs::write(pack.join(name), text).unwrap();
        }
        let mut command = Command::new(cli::binary());
        command.args(verb).args(["--no-standard", "--pack", "acme", "--plugin"]).arg(library);
        command.current_dir(folder.path()).env_clear().env("HOME", folder.path());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self { child: pipes.spawn().unwrap(), folder }
    }

    fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        assert!(self.folder.path().exists());
    }
}

/// The process of `serve` is not that of the plugin.
#[test]
fn a_crash_costs_the_program_nothing() {
    for case in ["segfault", "abort", "exit-0", "stack-overflow"] {
        let Some(library) = native::library(case) else { return };
        let mut program = Program::new(&["serve", "--addr", "127.0.0.1:0"], &library);
        let mut url = String::new();
        BufReader::new(program.child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let ask = move |model: &str| {
            let mut stream = TcpStream::connect(&address).unwrap();
            let context = json!({ "user": { "name": "Ada" }, "model": { "id": model } });
            let body = json!({ "context": context }).to_string();
            let rest = "Content-Type: application/json\r\nConnection: close";
            let length = body.len();
            let head = format!(
                "POST /v1/build HTTP/1.1\r\nHost: {address}\r\n{rest}\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes()).unwrap();
            Answer::read(&mut stream)
        };
        // More crashes than a plugin may have before it is left alone, and others beside each.
        for _ in 0..5 {
            let others = (0..4).map(|_| {
                let ask = ask.clone();
                thread::spawn(move || ask("quiet"))
            });
            let others: Vec<_> = others.collect();
            let crashed = ask("other");
            assert_eq!(crashed.status, 200, "{case}: {}", crashed.text());
            let told = crashed.json()["diagnostics"].to_string();
            assert!(told.contains("component-failed"), "{case}: {told}");
            assert!(crashed.json()["text"].as_str().unwrap().ends_with("after"), "{case}");
            for other in others {
                let other = other.join().unwrap();
                assert_eq!(other.status, 200, "{case}: {}", other.text());
                assert_eq!(other.json()["diagnostics"], json!([]), "{case}");
            }
        }
        assert!(program.is_alive(), "{case}");
    }
}

#[test]
fn a_crash_costs_a_client_of_mcp_nothing() {
    let Some(library) = native::library("segfault") else { return };
    let mut program = Program::new(&["mcp"], &library);
    let mut input = program.child.stdin.take().unwrap();
    let mut output = BufReader::new(program.child.stdout.take().unwrap()).lines();
    let mut ask = |message: Json| {
        writeln!(input, "{message}").unwrap();
        let id = message["id"].clone();
        if id.is_null() {
            return Json::Null;
        }
        loop {
            let line = output.next().unwrap().unwrap();
            let answer: Json = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    let client = json!({ "name": "t", "version": "1" });
    let about =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about }));
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for id in 1..6 {
        let arguments = json!({ "context": { "user": { "name": "Ada" } } });
        let call = json!({ "name": "build_prompt", "arguments": arguments });
        let answer =
            ask(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }));
        let text = answer["result"].to_string();
        assert!(text.contains("before") && text.contains("after"), "{answer}");
    }
    assert!(program.is_alive());
}
