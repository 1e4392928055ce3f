//! `promptweave mcp`: driven by the official client for Node, and by bare lines.
//!
//! `cargo xtask test` installs the client below `target/sdk`; without it there is nothing to run.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_promptweave");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A home with a pack of its own, which a test may change.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let from = Path::new(ROOT).join("mcp/tests/pack");
        for below in ["", "components", "tools", "partials"] {
            let to = home.path().join("acme").join(below);
            fs::create_dir_all(&to).unwrap();
            for entry in fs::read_dir(from.join(below)).unwrap() {
                let entry = entry.unwrap();
                if entry.path().is_file() {
                    fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
                }
            }
        }
        Self(home)
    }

    fn pack(&self) -> PathBuf {
        self.0.path().join("acme")
    }

    fn arguments(&self) -> [String; 4] {
        ["mcp".into(), "--no-standard".into(), "--pack".into(), self.pack().display().to_string()]
    }

    /// A program that finds nothing of this machine's user.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env("HOME", self.0.path());
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "PROMPTWEAVE_PLUGIN_PATH"] {
            command.env_remove(name);
        }
        command
    }

    fn server(&self, more: &[&str]) -> Child {
        let mut command = self.command(PROGRAM);
        command.args(self.arguments()).args(more);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn token(&self) -> String {
        let file = self.0.path().join("token");
        fs::write(&file, TOKEN).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        file.display().to_string()
    }
}

/// Ends a server that would run on.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the client for Node made of a server.
fn driven(home: &Home, how: &[String]) -> Option<String> {
    let installed = Path::new(ROOT).join("target/sdk/mcp");
    if !installed.join("installed").is_file() {
        let is_needed = std::env::var("WEAVE_REQUIRE_SDKS").is_ok();
        assert!(!is_needed, "the MCP client for Node is not installed");
        eprintln!("skipped: `cargo xtask test` installs the MCP client for Node");
        return None;
    }
    // Node looks for libraries beside its script; two tests must not write one file.
    let script = installed.join(format!("drive-{}.js", how[0]));
    fs::copy(Path::new(ROOT).join("mcp/tests/sdk/node/drive.js"), &script).unwrap();
    let output = home.command("node").arg(script).arg(home.pack()).args(how).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The text without the folder, which is another in each run.
fn shown(home: &Home, text: &str) -> String {
    text.replace(&home.0.path().display().to_string(), "HOME")
}

#[test]
fn over_standard_streams() {
    let home = Home::new();
    let how = ["stdio".to_owned(), PROGRAM.to_owned()];
    if let Some(said) = driven(&home, &[&how[..], &home.arguments()].concat()) {
        insta::assert_snapshot!("mcp", shown(&home, &said));
    }
}

#[test]
fn over_http() {
    let home = Home::new();
    let token = home.token();
    let mut server = Running(home.server(&["--http", "127.0.0.1:0", "--token-file", &token]));
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let how = ["http".to_owned(), url.trim_end().to_owned(), TOKEN.to_owned()];
    if let Some(said) = driven(&home, &how) {
        insta::assert_snapshot!("mcp", shown(&home, &said));
    }
}

#[test]
fn standard_output_is_the_protocol_and_ends_with_the_input() {
    let home = Home::new();
    fs::write(home.pack().join("components/broken.toml"), "no toml").unwrap();
    let mut server = home.server(&["-vv"]);
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "no json",
        r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"generic","arguments":{"house.style":"a-secret-word"}}}"#,
    ];
    let mut input = server.stdin.take().unwrap();
    input.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    drop(input);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let messages: Vec<Json> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.iter().all(|message| message["jsonrpc"] == "2.0"), "{said}");
    let answered = |id: u64| {
        messages.iter().any(|message| message["id"] == id && message.get("result").is_some())
    };
    assert!(answered(1) && answered(2), "what has begun is answered: {said}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("broken.toml") && !errors.contains("a-secret-word"), "{errors}");
    assert!(!errors.contains("coding agent"), "{errors}");
}

#[test]
fn other_machines_need_a_token() {
    let home = Home::new();
    let output = home.server(&["--http", "0.0.0.0:0"]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no token"));
}
