//! The verb `serve`: where it listens, what it follows, how it ends.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::Sandbox;

/// The program, serving.
struct Served {
    child: Child,
    address: String,
    /// What it said on standard error so far.
    said: Arc<Mutex<String>>,
}

impl Served {
    fn new(sandbox: &Sandbox, args: &[&str]) -> Self {
        let all = [&["serve", "--addr", "127.0.0.1:0"], args].concat();
        let mut child = sandbox.command(&all).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let said = Arc::new(Mutex::new(String::new()));
        let (told, errors) = (Arc::clone(&said), BufReader::new(child.stderr.take().unwrap()));
        thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                *told.lock().unwrap() += &format!("{line}\n");
            }
        });
        Self { child, address, said }
    }

    /// Waits until the server tells of something like this, and says it all.
    fn diagnostics(&self, like: &str) -> String {
        for _ in 0..500 {
            let answer = self.ask("GET /v1/diagnostics", "");
            if answer.contains(like) {
                return answer;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("nothing like {like} is told: {}", self.ask("GET /v1/diagnostics", ""));
    }

    fn becomes(&self, text: &str) -> bool {
        (0..500).any(|_| {
            thread::sleep(Duration::from_millis(20));
            self.text() == text
        })
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
    sandbox.write("own/components/a.md", "two");
    assert!(served.becomes("two"));
    sandbox.write("own/generic.toml", "order = [");
    let told = served.diagnostics("toml-syntax");
    assert!(told.contains("generic.toml"), "{told}");
    assert_eq!(served.text(), "two");
    // Another file changes, and the same is wrong.
    sandbox.write("own/components/a.md", "two");
    thread::sleep(Duration::from_millis(500));
    let said = served.said.lock().unwrap().clone();
    assert_eq!(said.matches("error[toml-syntax]").count(), 1, "{said}");
    assert!(said.contains("generic.toml:1:10") && !said.contains("order = ["), "{said}");
    assert_eq!(said.matches("the last good packs stay in force").count(), 1, "{said}");
    sandbox.write("own/generic.toml", "order = [\"a\", \"b\"]\n");
    sandbox.write("own/components/b.md", "three");
    assert!(served.becomes("two\n\nthree"));
    assert!(served.ask("GET /v1/diagnostics", "").ends_with("[]"));
}

#[test]
fn a_pack_that_goes_and_returns_is_served_again() {
    let sandbox = sandbox();
    let served = Served::new(&sandbox, &HOUSE);
    assert_eq!(served.text(), "one");
    fs::remove_dir_all(sandbox.path().join("own")).unwrap();
    let told = served.diagnostics("pack-missing");
    assert!(told.contains("`own` is no pack: it is no folder"), "{told}");
    assert_eq!(served.text(), "one");
    sandbox.write("own/components/a.md", "two");
    sandbox.write("own/generic.toml", "order = [\"a\"]\n");
    sandbox.write("own/pack.toml", "format = 1\nname = \"own\"\nversion = \"1\"\n");
    assert!(served.becomes("two"));
    sandbox.write("own/components/a.md", "three");
    assert!(served.becomes("three"));
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
    let pipe = std::process::Command::new("mkfifo").arg(sandbox.path().join("pipe")).status();
    assert!(pipe.unwrap().success());
    for (name, mode) in [("shared", 0o644), ("short", 0o600)] {
        fs::set_permissions(sandbox.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for (args, why) in [
        (&["--addr", "0.0.0.0:0"][..], "there is no token"),
        (&["--addr", "[::]:0"], "there is no token"),
        (&["--token-file", "none"], "cannot be read"),
        (&["--token-file", "shared"], "chmod 600"),
        (&["--token-file", "short"], "16 to 4096"),
        (&["--token-file", "pipe"], "not a regular file"),
        (&["--token-file", "own"], "not a regular file"),
        (&["--token-file", "/dev/zero"], "not a regular file"),
        (&["--models", "pipe"], "not a regular file"),
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

/// `watch` and `mcp` follow files as `serve` does.
#[test]
fn a_pack_that_goes_and_returns_is_watched() {
    let sandbox = sandbox();
    let args = [&["watch", "--model", "claude", "--full", "--builds", "2"], &HOUSE[..]].concat();
    let mut child = sandbox.command(&args).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(output.next().unwrap().unwrap(), "one");
    fs::remove_dir_all(sandbox.path().join("own")).unwrap();
    assert!(errors.any(|line| line.unwrap().contains("error[pack-missing]: `own` is no pack")));
    sandbox.write("away/components/a.md", "two");
    sandbox.write("away/generic.toml", "order = [\"a\"]\n");
    sandbox.write("away/pack.toml", "format = 1\nname = \"own\"\nversion = \"1\"\n");
    fs::rename(sandbox.path().join("away"), sandbox.path().join("own")).unwrap();
    assert_eq!(output.next().unwrap().unwrap(), "two");
    drop(errors);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_address_in_use_is_told_as_that() {
    let sandbox = sandbox();
    let served = Served::new(&sandbox, &HOUSE);
    let output = sandbox.run(&["serve", "--addr", &served.address], b"");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(told.contains("error[address-in-use]: `127.0.0.1:"), "{told}");
    assert!(told.contains("in use by another program\n  help: "), "{told}");
}

#[test]
fn a_name_that_is_no_host_is_a_wrong_argument() {
    let sandbox = sandbox();
    for name in ["http://x/y", "x/y", "x:y", "user@x", ""] {
        let output = sandbox.run(&["serve", "--allow-host", name], b"");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains("is not a host"), "{told}");
    }
}
