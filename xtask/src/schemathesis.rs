//! Fuzzes the HTTP API against its own OpenAPI document.
//!
//! In: the program, `schemathesis.txt`. Out: whether the document is valid and every answer fits it. Never: a version of the tools
//! that is not written down.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{command, root};

const REQUIREMENTS: &str = "xtask/schemathesis.txt";
/// Where the tools are installed.
const FOLDER: &str = "target/schemathesis";
/// Requests by route; more when it is run alone.
const EXAMPLES: &str = "15";

/// An event stream has no end, so the tests of this workspace look at it. A valid request may name what is not there: that is 422.
const OPTIONS: &[&str] = &[
    "--exclude-path",
    "/v1/events",
    "--exclude-checks",
    "positive_data_acceptance",
    "--phases",
    "examples,coverage,fuzzing",
    "--continue-on-failure",
    "--no-color",
];

const VALIDATE: &str = "\
import json, sys, urllib.request, openapi_spec_validator as validator
validator.validate(json.load(urllib.request.urlopen(sys.argv[1])))";

pub(crate) fn run(examples: Option<&str>) -> Result<(), String> {
    let tools = tools()?;
    command("cargo", &["build", "--package", "promptweave-cli"], &[])?;
    let served = Served::start()?;
    let document = format!("{}v1/openapi.json", served.url);
    command(&shown(&tools.join("bin/python")), &["-c", VALIDATE, &document], &[])?;
    let fuzz = ["run", &document, "--max-examples", examples.unwrap_or(EXAMPLES)];
    let fuzzed = command(&shown(&tools.join("bin/st")), &[&fuzz[..], OPTIONS].concat(), &[]);
    // What it keeps for itself stands where it was started.
    let _ = std::fs::remove_dir_all(Path::new(root()).join(".schemathesis"));
    fuzzed
}

/// The tools, installed where they are missing or others.
fn tools() -> Result<PathBuf, String> {
    let folder = Path::new(root()).join(FOLDER);
    let wanted = std::fs::read_to_string(Path::new(root()).join(REQUIREMENTS));
    let wanted = wanted.map_err(|error| format!("`{REQUIREMENTS}` cannot be read: {error}"))?;
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
        return Ok(folder);
    }
    let help = |why| {
        format!(
            "{why}\nhelp: schemathesis needs python3 with venv, and the package index or a mirror of it"
        )
    };
    command("python3", &["-m", "venv", FOLDER], &[]).map_err(help)?;
    let pip = shown(&folder.join("bin/pip"));
    command(&pip, &["install", "--quiet", "--requirement", REQUIREMENTS], &[]).map_err(help)?;
    std::fs::write(&installed, wanted).map_err(|error| format!("`{FOLDER}`: {error}"))?;
    Ok(folder)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The program, serving until this is dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start() -> Result<Self, String> {
        let program = crate::target().join("debug/promptweave");
        let failed = |error| format!("`promptweave serve` cannot be started: {error}");
        let mut child = Command::new(program)
            .args(["serve", "--addr", "127.0.0.1:0", "--plugins", "off"])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut url).map_err(failed)?;
        }
        Ok(Self { child, url: url.trim_end().to_owned() })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
