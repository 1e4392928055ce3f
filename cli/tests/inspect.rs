//! What looks into a prompt: layers, differences to a revision, colours, contexts that are kept.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::path::Path;

use common::Sandbox;
use serde_json::Value as Json;

const CONTEXT: &str = r#"{"model": {"id": "claude-opus-4"}, "cwd": "/repo"}"#;

/// What a command printed and told, and its status.
fn run(sandbox: &Sandbox, args: &[&str]) -> (String, String, i32) {
    let done = sandbox.run(args, b"");
    let text = |bytes: &[u8]| sandbox.neutral(&String::from_utf8_lossy(bytes));
    (text(&done.stdout), text(&done.stderr), done.status.code().unwrap_or(-1))
}

/// A repository of the folder with one commit of all that is there.
fn commit(sandbox: &Sandbox, message: &str) {
    commit_in(&sandbox.path(), &["house", ".promptweave"], message);
}

fn commit_in(folder: &Path, paths: &[&str], message: &str) {
    let repository =
        git2::Repository::open(folder).or_else(|_| git2::Repository::init(folder)).unwrap();
    let mut index = repository.index().unwrap();
    index.add_all(paths, git2::IndexAddOption::DEFAULT, None).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let time = git2::Time::new(1_700_000_000, 0);
    let author = git2::Signature::new("A", "a@example.org", &time).unwrap();
    let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    repository.commit(Some("HEAD"), &author, &author, message, &tree, &parents).unwrap();
}

#[test]
fn layers_as_a_table() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    let (table, told, status) =
        run(&sandbox, &["layers", "--no-standard", "--pack", "house", "-c", "c.json"]);
    assert_eq!((told.as_str(), status), ("", 0));
    // Times differ from run to run.
    let is_time = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let lines: Vec<String> = table
        .lines()
        .map(|line| {
            let words = line.split_whitespace();
            words.map(|word| if is_time(word) { "MS" } else { word }).collect::<Vec<_>>().join(" ")
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_revision_of_the_packs() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    sandbox.write("house/tests/blob.toml", b"\xff");
    commit(&sandbox, "one");
    sandbox.write("house/components/role.md", "You are {{AGENT_NAME}}, now.");
    sandbox.write("house/components/late.md", "Late.");
    let diff = |more: &[&str]| {
        let args = ["diff", "--no-standard", "--pack", "house", "-c", "c.json"];
        run(&sandbox, &[&args, more].concat())
    };
    let (text, told, status) = diff(&["--vs-git", "HEAD"]);
    assert_eq!((told.as_str(), status), ("", 0));
    insta::assert_snapshot!(text);
    commit(&sandbox, "two");
    let (text, ..) = diff(&["--vs-git", "HEAD", "--json"]);
    let result: Json = serde_json::from_str(&text).unwrap();
    assert_eq!((&result["same"], &result["before"]["name"]), (&true.into(), &"git HEAD".into()));
    let (text, ..) = diff(&["--vs-git", "HEAD~1", "--json"]);
    let result: Json = serde_json::from_str(&text).unwrap();
    let bytes = |side: &str| result[side]["bytes"].as_i64().unwrap();
    let deltas = result["sections"].as_array().unwrap().iter();
    let deltas: i64 = deltas.map(|section| section["bytes_delta"].as_i64().unwrap()).sum();
    assert_eq!(deltas, bytes("after") - bytes("before"), "the parts add up to the whole");
    assert_eq!(
        result["sections"][0]["before"]["origin"]["file"],
        "house@HEAD~1/components/role.md"
    );
    for (revision, words) in [
        ("nowhere", "`nowhere` is no revision of `[DIR]/`: "),
        ("HEAD~9", "`HEAD~9` is no revision of `[DIR]/`: "),
        ("HEAD..HEAD~1", "`HEAD..HEAD~1` is no revision of `[DIR]/`: "),
    ] {
        let (text, told, status) = diff(&["--vs-git", revision]);
        assert!(text.is_empty() && told.contains(words), "{told}");
        assert_eq!(status, 4);
    }
    let unchanged: Vec<_> = std::fs::read_dir(sandbox.path()).unwrap().collect();
    assert!(unchanged.len() < 10, "nothing is checked out: {unchanged:?}");
}

#[test]
fn a_pack_that_was_not_there_yet() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    commit(&sandbox, "one");
    sandbox.write("new/pack.toml", "name = 'new'\nversion = '1'");
    sandbox.write(
        "new/patch.toml",
        "[[patch]]\nvariants = ['*']\nplaceholders = { AGENT_NAME = 'New' }",
    );
    let packs = ["diff", "--no-standard", "--pack", "house", "--pack", "new", "-c", "c.json"];
    let (text, told, status) =
        run(&sandbox, &[&packs[..], &["--vs-git", "HEAD", "--strict"]].concat());
    assert_eq!(status, 0, "{told}");
    assert!(text.contains("-You are Weaver.\n+You are New.\n"), "{text}");
    assert!(
        told.starts_with("note[pack-missing] new@HEAD:1:1: `new` is no folder at `HEAD`"),
        "{told}"
    );
}

/// A pack that is a repository of its own, with what a work tree may hold and a revision does not give.
#[test]
#[cfg(unix)]
fn what_is_no_text_of_a_revision() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    let house = sandbox.path().join("house");
    sandbox.write("house/.gitattributes", "*.md filter=loud");
    sandbox.write("house/components/bytes.md", b"\xff");
    sandbox.write("house/components/deep/er.md", "Deeper.");
    std::os::unix::fs::symlink("role.md", house.join("components/link.md")).unwrap();
    commit_in(&house, &["*"], "one");
    std::fs::remove_file(house.join("components/link.md")).unwrap();
    sandbox.write("house/components/bytes.md", "Bytes.");
    let mut config = git2::Repository::open(&house).unwrap().config().unwrap();
    config.set_str("filter.loud.smudge", "touch ran; cat").unwrap();
    let args = ["diff", "--no-standard", "--pack", "house", "-c", "c.json", "--vs-git", "HEAD"];
    let (text, told, status) = run(&sandbox, &args);
    assert_eq!(status, 0, "{told}");
    assert!(text.contains("the whole text"), "{text}");
    assert!(told.contains("error[file-not-utf8] house@HEAD/components/bytes.md:1:1"), "{told}");
    assert!(told.contains("error[file-unreadable] house@HEAD/components/link.md:1:1"), "{told}");
    assert!(!sandbox.path().join("ran").exists() && !house.join("ran").exists());
}

/// A project's pack counts when it is trusted, at a revision too.
#[test]
fn a_project_at_a_revision() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    sandbox.write(".promptweave/pack.toml", "name = 'own'\nversion = '1'");
    sandbox.write(".promptweave/components/identity.md", "You are ours.");
    commit(&sandbox, "one");
    sandbox.write(".promptweave/components/identity.md", "You are ours, now.");
    let diff = ["diff", "-c", "c.json", "--vs-git", "HEAD"];
    let (_, told, status) = run(&sandbox, &diff);
    assert_eq!(status, 2, "{told}");
    let (_, told, status) = run(&sandbox, &["trust", "."]);
    assert_eq!(status, 0, "{told}");
    let (text, told, status) = run(&sandbox, &diff);
    assert_eq!(status, 0, "{told}");
    assert!(text.contains("-You are ours.\n+You are ours, now.\n"), "{text}");
}

#[test]
fn colours_where_they_are_wanted() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    let house = ["--no-standard", "--pack", "house", "-c", "c.json"];
    for verb in [&["blame"][..], &["diff", "--vs-variant", "small"]] {
        let coloured = |variables: &[(&str, &str)]| {
            let args = [verb, &house].concat();
            let done = sandbox.command(&args).envs(variables.iter().copied()).output().unwrap();
            String::from_utf8(done.stdout).unwrap()
        };
        let plain = coloured(&[]);
        assert!(!plain.contains('\u{1b}'), "{plain}");
        assert_eq!(coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
        let painted = coloured(&[("CLICOLOR_FORCE", "1")]);
        assert!(painted.contains("\u{1b}[32m") && painted.contains("\u{1b}[0m\n"), "{painted}");
        let mut bare = painted;
        for escape in
            ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"]
        {
            bare = bare.replace(escape, "");
        }
        assert_eq!(bare, plain, "colours change no letter");
    }
}

#[test]
fn a_context_that_is_kept_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    let house = ["--no-standard", "--pack", "house"];
    let build = ["build", "--json", "--model", "claude-opus-4", "--save-context", "kept.json"];
    let built = sandbox.run(&[&build[..], &house].concat(), b"");
    assert_eq!(built.status.code(), Some(0));
    let context: Json = serde_json::from_str(&sandbox.read("kept.json")).unwrap();
    assert_eq!(context["shell"], "/bin/sh", "the machine's own facts are in it");
    let replay = ["replay", "-", "-c", "kept.json", "--json"];
    let done = sandbox.run(&[&replay[..], &house].concat(), &built.stdout);
    let verdict: Json = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&verdict["same"], &verdict["inputs"]), (&true.into(), &serde_json::json!([])));
}

/// Whatever a receipt has lost or gained, it is the same, differs or cannot be read.
#[test]
fn broken_receipts_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("c.json", CONTEXT);
    let house = ["--no-standard", "--pack", "house", "-c", "c.json"];
    let built = sandbox.run(&[&["build", "--json"][..], &house].concat(), b"");
    let receipt: Json = serde_json::from_slice(&built.stdout).unwrap();
    let replay = |receipt: &[u8]| {
        let done = sandbox.run(&[&["replay", "-"][..], &house].concat(), receipt);
        (done.status.code().unwrap_or(-1), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for cut in (0..built.stdout.len()).step_by(built.stdout.len() / 20) {
        let (status, told) = replay(&built.stdout[..cut]);
        assert_eq!(status, 4, "{cut}: {told}");
    }
    let needed = ["engine", "packs", "variant", "text", "sections", "blocks", "tools", "spans"];
    for key in receipt.as_object().unwrap().keys() {
        let mut without = receipt.clone();
        without.as_object_mut().unwrap().remove(key);
        let expected = if needed.contains(&key.as_str()) { 4 } else { 0 };
        let (status, told) = replay(without.to_string().as_bytes());
        assert_eq!(status, expected, "without {key}: {told}");
        for value in [Json::from(-1), serde_json::json!([[1], {}]), Json::from("x")] {
            let mut other = receipt.clone();
            other[key] = value;
            let (status, told) = replay(other.to_string().as_bytes());
            assert!([0, 1, 3, 4].contains(&status), "other {key}: {status} {told}");
        }
    }
    let mut other = receipt.clone();
    other["text"] = "é".into();
    other["spans"] = serde_json::json!([{ "start": 9, "end": 2, "kind": "", "class": "", "id": null, "origin": [] }]);
    assert_eq!(replay(other.to_string().as_bytes()).0, 1);
}
