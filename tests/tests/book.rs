//! The pages of `docs/` are one book: nothing is missing in its table, no link leads nowhere, and what stands in
//! its blocks is true. Blocks of `rust` are doc tests, those of `console` are followed in `cli/tests/guide.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use promptweave_tests::{cli, conformance::read, pack};

fn docs() -> PathBuf {
    pack::root().join("docs")
}

/// All pages but the table, with their texts.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut pages: Vec<_> = pages
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), read(&path)))
        .filter(|(name, _)| name != "SUMMARY.md")
        .collect();
    pages.sort();
    pages
}

/// What links in a text lead to, as they are written.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link)
}

/// The words of a heading as the name of its place.
fn slug(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The blocks of a page: the word they are marked with, and their lines.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(word), false) => {
                found.push((word, String::new()));
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let (_, lines) = found.last_mut().unwrap();
                lines.push_str(line);
                lines.push('\n');
            }
            (None, false) => {}
        }
    }
    found
}

#[test]
fn the_table_names_every_page_once() {
    let table = read(&docs().join("SUMMARY.md"));
    let named: Vec<&str> = links(&table).collect();
    let once: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), once.len(), "a page is named twice");
    let pages = pages();
    let there: BTreeSet<&str> = pages.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(once, there);
}

#[test]
fn every_link_leads_somewhere() {
    for (name, text) in pages() {
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { docs().join(&name) } else { docs().join(file) };
            assert!(target.exists(), "{name}: `{link}` leads nowhere");
            assert!(!file.starts_with(".."), "{name}: `{link}` leads out of the book");
            if !place.is_empty() {
                let page = read(&target);
                let headings = page.lines().filter(|line| line.starts_with('#'));
                let mut places = headings.map(|line| slug(line.trim_start_matches('#')));
                assert!(places.any(|known| known == place), "{name}: no heading is `{link}`");
            }
        }
    }
}

/// The text of a page without its blocks and its code.
fn prose(page: &str) -> String {
    let parts = page.split("\n```").step_by(2).flat_map(|text| text.split('`').step_by(2));
    parts.collect()
}

/// Words between angles would be tags, which a browser does not show.
#[test]
fn no_word_reads_as_a_tag() {
    for (name, text) in pages() {
        let prose = prose(&text).replace("\\<", "");
        let begins = |rest: &&str| {
            rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        };
        let words = prose.split('<').skip(1).filter(|rest| !rest.starts_with("br>"));
        let tags: Vec<&str> = words.filter(begins).collect();
        assert!(tags.is_empty(), "{name}: `<{:.20}`", tags[0]);
    }
}

/// Data in blocks can be read, and no block of code is excused from being compiled.
#[test]
fn what_is_shown_can_be_read() {
    for (name, text) in pages() {
        for (word, lines) in blocks(&text) {
            match word {
                "toml" => drop(toml::from_str::<toml::Table>(&lines).unwrap_or_else(|why| {
                    panic!("{name}: {why}\n{lines}");
                })),
                "json" => drop(
                    serde_json::from_str::<serde_json::Value>(&lines)
                        .unwrap_or_else(|why| panic!("{name}: {why}\n{lines}")),
                ),
                _ => assert!(!word.contains("ignore"), "{name}: a block is not compiled\n{lines}"),
            }
        }
    }
}

/// Each line of a block marked `sh` runs, on a desk with the files that pages name.
#[test]
#[cfg(unix)]
fn commands_run() {
    let mut ran = 0;
    for (name, text) in pages() {
        let blocks = blocks(&text);
        let mut lines = blocks.iter().filter(|(word, _)| *word == "sh").peekable();
        if lines.peek().is_none() {
            continue;
        }
        let desk = Desk::new();
        for line in lines.flat_map(|(_, lines)| lines.lines()).filter(|line| !line.is_empty()) {
            let output = desk.run(line);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {line}\n{said}");
            ran += 1;
        }
    }
    assert!(ran > 5, "only {ran} commands were found");
}

/// A folder with contexts, a reply, a skill, and a pack that has a history.
#[cfg(unix)]
struct Desk {
    folder: tempfile::TempDir,
    home: tempfile::TempDir,
}

#[cfg(unix)]
impl Desk {
    fn new() -> Self {
        let desk =
            Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        let place = desk.folder.path();
        copy(&pack::root().join("tests/fixtures/book/desk"), place);
        copy(&pack::root().join("examples/acme-pack"), &place.join("packs/acme"));
        copy(&place.join(".agents"), &desk.home.path().join(".agents"));
        let author = "-c user.name=ada -c user.email=ada@example.org";
        let commit = |word: &str| format!("git add . && git {author} commit -q -m {word}");
        for line in ["git init -q", &commit("first"), "echo >> reply.txt", &commit("second")] {
            assert!(desk.run(line).status.success(), "{line}");
        }
        desk
    }

    fn run(&self, line: &str) -> std::process::Output {
        let program = cli::binary().parent().unwrap().display();
        let search = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-euc", line]).current_dir(self.folder.path()).env("PATH", search);
        for folder in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            shell.env(folder, self.home.path());
        }
        shell.output().unwrap()
    }
}

#[cfg(unix)]
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
