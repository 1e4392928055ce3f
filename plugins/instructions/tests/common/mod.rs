//! Cases as data: a tree, a profile, and what comes of both.
//!
//! In: TOML. Out: folders, and the result as text that people can review. Never: judges; snapshots do.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use promptweave_instructions::{Instructions, Note, Place, Profile, discover};
use serde::Deserialize;
use tempfile::TempDir;

/// A case as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What the case is about.
    pub(crate) why: String,
    /// Profiles by name; `*` are all, each with `{main}` for the file that it reads first.
    pub(crate) profiles: Vec<String>,
    /// A profile of the case's own, instead of a named one.
    pub(crate) profile: Option<String>,
    #[serde(default = "mill")]
    cwd: String,
    #[serde(default)]
    touched: Vec<PathBuf>,
    #[serde(default)]
    named: Vec<String>,
    #[serde(default)]
    approved: Vec<PathBuf>,
    #[serde(default)]
    exclude: Vec<String>,
    tree: BTreeMap<String, Node>,
}

fn mill() -> String {
    "mill".into()
}

/// A file of the tree; a path that ends with `/` is a folder.
#[derive(Deserialize)]
#[serde(untagged)]
enum Node {
    Text(String),
    Link { link: String },
    Hex { hex: String },
    Repeat { repeat: String, times: usize },
    Pipe { pipe: bool },
    Many { many: usize, text: String },
}

/// The file that a profile reads first in a project, and by which common cases stand for all.
pub(crate) fn main_file(profile: &str) -> &'static str {
    match profile {
        "aider" => "CONVENTIONS.md",
        "claude-code" => "CLAUDE.md",
        "cline" => ".clinerules",
        "continue" => ".continue/rules/main.md",
        "copilot" => ".github/copilot-instructions.md",
        "cursor" => ".cursorrules",
        "gemini-cli" => "GEMINI.md",
        "goose" => ".goosehints",
        "roo" => ".roo/rules/main.md",
        "windsurf" => ".windsurfrules",
        _ => "AGENTS.md",
    }
}

impl Case {
    /// The results for all profiles of the case, as text.
    pub(crate) fn run(&self) -> String {
        let all = Profile::built_in();
        let names: Vec<String> = match self.profiles.as_slice() {
            [star] if star == "*" => all.iter().map(|one| one.name.clone()).collect(),
            names => names.to_vec(),
        };
        let mut text = format!("# {}\n", self.why);
        for name in names {
            let (found, root) = self.found(&name);
            writeln!(text, "\n== {name}").unwrap();
            text.push_str(&shown(&found, root.path()));
        }
        text
    }

    /// The result for one profile, and the tree.
    pub(crate) fn found(&self, name: &str) -> (Instructions, TempDir) {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        for (path, node) in &self.tree {
            make(&real, &path.replace("{main}", main_file(name)), node);
        }
        let profile = match &self.profile {
            Some(own) => Profile::parse(own).unwrap(),
            None => Profile::named(name).unwrap(),
        };
        (discover(&profile, &self.place(&real)), root)
    }

    fn place(&self, root: &Path) -> Place {
        let exclude = self.exclude.iter().map(|glob| format!("{}/{glob}", root.display()));
        Place {
            home: Some(root.join("home")),
            system: root.join("system"),
            touched: self.touched.clone(),
            named: self.named.clone(),
            approved: self.approved.iter().map(|path| root.join(path)).collect(),
            exclude: exclude.collect(),
            ..Place::new(root.join(&self.cwd))
        }
    }
}

fn make(root: &Path, path: &str, node: &Node) {
    let full = root.join(path);
    if path.ends_with('/') {
        return fs::create_dir_all(full).unwrap();
    }
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    match node {
        // A text names the tree's top as ROOT, for absolute paths.
        Node::Text(text) => fs::write(full, text.replace("ROOT", &root.to_string_lossy())).unwrap(),
        Node::Link { link } => {
            let link = link.replace("ROOT", &root.to_string_lossy());
            std::os::unix::fs::symlink(link, full).unwrap();
        }
        Node::Hex { hex } => {
            let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte =
                |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap();
            fs::write(full, digits.chunks(2).map(byte).collect::<Vec<_>>()).unwrap();
        }
        Node::Repeat { repeat, times } => fs::write(full, repeat.repeat(*times)).unwrap(),
        Node::Pipe { pipe } => {
            assert!(pipe);
            let made = std::process::Command::new("mkfifo").arg(&full).status();
            assert!(made.unwrap().success());
        }
        Node::Many { many, text } => {
            for at in 0..*many {
                fs::write(
                    root.join(path.replace('#', &format!("{at:05}"))),
                    text.replace('#', &at.to_string()),
                )
                .unwrap();
            }
        }
    }
}

/// A result for people: each span with its place, then what became of each file.
pub(crate) fn shown(found: &Instructions, root: &Path) -> String {
    let joined: String = found.spans.iter().map(|span| &found.text[span.start..span.end]).collect();
    assert_eq!(joined, found.text, "spans are the text");
    const MOST: usize = 40;
    let mut text = String::new();
    for span in found.spans.iter().take(MOST) {
        let place = match (&span.path, span.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            _ => "-".into(),
        };
        writeln!(text, "{place} | {}", brief(&found.text[span.start..span.end])).unwrap();
    }
    writeln!(text, "--").unwrap();
    let (first, rest) = found.report.split_at(found.report.len().min(MOST));
    for entry in first.iter().chain(rest.last()) {
        let via = entry.via.as_ref().map(|via| format!(" via {via}")).unwrap_or_default();
        let (code, message) = (entry.code(), entry.message());
        let mark = if entry.is_warning() { "!" } else { " " };
        writeln!(text, "{mark} {code} {} {}{via}: {message}", entry.scope.as_str(), entry.path)
            .unwrap();
        for note in &entry.notes {
            writeln!(text, "      {}", Note::message(note)).unwrap();
        }
    }
    if !rest.is_empty() {
        writeln!(text, "  … {} between", rest.len() - 1).unwrap();
    }
    for rule in &found.waiting {
        writeln!(text, "  {} waits: {}", rule.name, rule.applies.as_str()).unwrap();
    }
    text.replace(&*root.canonicalize().unwrap().to_string_lossy(), "")
}

fn brief(text: &str) -> String {
    const MOST: usize = 300;
    let shown = format!("{text:?}");
    match shown.chars().count() > MOST {
        true => format!("{}… ({} bytes)", shown.chars().take(40).collect::<String>(), text.len()),
        false => shown,
    }
}
