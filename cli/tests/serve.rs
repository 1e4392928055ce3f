//! The verb `serve`: where it listens, what it follows, how it ends.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;
use std::thread;
use std::time::Duration;

use common::Sandbox;

/// The program, serving.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn new(sandbox: &Sandbox, args: &[&str]) -> Self {
        let all = [&["serve", "--addr", "127.0.0.1:0"], args].concat();
        let mut child = sandbox.command(&all).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { child, address }
    }

    fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        let rest = "Connection: close\r\nContent-Type: application/json";
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {host}\r\n{rest}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn text(&self) -> String {
        let answer = self.ask("POST /v1/build", r#"{"format": "text", "model": "claude"}"#);
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn signal(&self) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").arg(pid).status().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const HOUSE: [&str; 3] = ["--no-standard", "--pack", "own"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("own/pack.toml", "format = 1\nname = \"own\"\nversion = \"1\"\n");
    sandbox.write("own/generic.toml", "order = [\"a\"]\n");
    sandbox.write("own/components/a.md", "one");
    sandbox
}

#[test]
fn it_follows_files_and_keeps_the_last_good_packs() {
    let sandbox = sandbox();
    let served = Served::new(&sandbox, &HOUSE);
    assert_eq!(served.text(), "one");
    let becomes = |text: &str| {
        (0..300).any(|_| {
            thread::sleep(Duration::from_millis(20));
            served.text() == text
        })
    };
    sandbox.write("own/components/a.md", "two");
    assert!(becomes("two"));
    sandbox.write("own/generic.toml", "order = [");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(served.text(), "two");
    sandbox.write("own/generic.toml", "order = [\"a\", \"b\"]\n");
    sandbox.write("own/components/b.md", "three");
    assert!(becomes("two\n\nthree"));
}

#[test]
fn a_signal_ends_it_and_is_no_failure() {
    let sandbox = sandbox();
    let mut served = Served::new(&sandbox, &HOUSE);
    served.signal();
    assert!(served.child.wait().unwrap().success());
    assert!(TcpStream::connect(&served.address).is_err());
}

#[test]
fn where_others_would_reach_it_or_know_the_token_it_does_not_start() {
    let sandbox = sandbox();
    sandbox.write("shared", "0123456789abcdef\n");
    sandbox.write("short", "0123\n");
    for (name, mode) in [("shared", 0o644), ("short", 0o600)] {
        fs::set_permissions(sandbox.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for (args, why) in [
        (&["--addr", "0.0.0.0:0"][..], "there is no token"),
        (&["--addr", "[::]:0"], "there is no token"),
        (&["--token-file", "none"], "cannot be read"),
        (&["--token-file", "shared"], "chmod 600"),
        (&["--token-file", "short"], "16 to 4096"),
    ] {
        let output = sandbox.run(&[&["serve"], args].concat(), b"");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(4) && told.contains(why), "{args:?}: {told}");
        assert!(told.contains("help: "), "{told}");
    }
}

#[test]
fn a_token_from_a_file_is_asked_for() {
    let sandbox = sandbox();
    sandbox.write("token", "0123456789abcdef\n");
    let owner = fs::Permissions::from_mode(0o600);
    fs::set_permissions(sandbox.path().join("token"), owner).unwrap();
    let served = Served::new(&sandbox, &[&HOUSE[..], &["--token-file", "token"]].concat());
    assert!(served.ask("GET /v1/variants", "").starts_with("HTTP/1.1 401"));
    let known = "GET /v1/variants HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef\r\nX:";
    assert!(served.ask(known, "").starts_with("HTTP/1.1 200"));
}
