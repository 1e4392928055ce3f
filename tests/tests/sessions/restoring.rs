//! A session goes on in another process, and after a pack has changed.

use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::{Clock, Code, CodeComponent, Engine, Inputs, Items};
use promptweave_tests::{cli, pack};
use serde_json::{Value as Json, json};

use crate::{apart, prompt, text, told};

fn files(version: u32) -> Vec<(&'static str, String)> {
    vec![
        ("pack.toml", format!("format = 1\nname = 'acme'\nversion = '{version}'\n")),
        ("generic.toml", format!("order = ['role', 'code', 'state']\n# {version}")),
        (
            "generic.hbs",
            format!("# Agent {version}\n\n{{{{role}}}}\n\n{{{{code}}}}\n\n{{{{state}}}}\n"),
        ),
        ("components/role.md", format!("role {version}, {{{{date}}}}")),
        (
            "components/state.toml",
            format!("when = 'mode != \"ask\"'\ntemplate = 'state {version} {{{{mode}}}}'"),
        ),
    ]
}

/// Code that says something else in each process, and in each engine here.
fn engine(version: u32) -> Engine {
    static ENGINES: AtomicUsize = AtomicUsize::new(0);
    let number = ENGINES.fetch_add(1, Ordering::Relaxed);
    let code = CodeComponent::new("code", move |inputs: &Inputs<'_>| {
        format!("engine {number} in {}", inputs.text("cwd").unwrap_or("nowhere"))
    });
    let source = promptweave::MemorySource::new("acme", files(version));
    Engine::builder().pack(source).extension(Items::new("house").component(code)).build().unwrap()
}

fn context(mode: &str) -> Json {
    json!({ "cwd": "/p", "mode": mode })
}

#[test]
fn the_same_bytes_elsewhere() {
    let session = engine(1).session(Clock::new("2026-01-15"));
    let (act, plan) = (text(&session, context("act")), text(&session, context("plan")));
    let restored = engine(1).restore(&session.save()).unwrap();
    assert_eq!(text(&restored, context("plan")), plan);
    let again = prompt(&restored, context("act"));
    assert_eq!(again.text(), act);
    assert!(told(&again, Code::SessionOutdated).is_empty());
    assert_ne!(apart(&engine(1), context("plan")), plan, "code has changed its mind meanwhile");
}

/// The old text stays, also where it is put together anew: what is new comes with the reset.
#[test]
fn the_old_text_stays_after_an_upgrade() {
    let session = engine(1).session(Clock::new("2026-01-15"));
    let [act, plan, ask] = ["act", "plan", "ask"].map(|mode| text(&session, context(mode)));
    let restored = engine(2).restore(&session.save()).unwrap();
    for (mode, expected) in [("act", &act), ("ask", &ask), ("plan", &plan), ("act", &act)] {
        let prompt = prompt(&restored, context(mode));
        assert_eq!(prompt.text(), expected);
        assert_eq!(
            told(&prompt, Code::SessionOutdated),
            ["the session began with version `1` of pack `acme`, and version `2` is loaded now"]
        );
    }
    let further = engine(3).restore(&restored.save()).unwrap();
    assert_eq!(text(&further, context("ask")), ask);
    further.reset();
    let reset = prompt(&further, context("act"));
    assert!(reset.text().starts_with("# Agent 3") && reset.text().contains("2026-01-15"));
    assert!(told(&reset, Code::SessionOutdated).is_empty());
}

/// What changed between two processes is told as if one had seen both.
#[test]
fn changes_between_processes_are_told() {
    let session = engine(1).session(Clock::default());
    text(&session, context("act"));
    let restored = engine(1).restore(&session.save()).unwrap();
    let moved = prompt(&restored, json!({ "cwd": "/q", "mode": "act" }));
    let told = told(&moved, Code::SessionRecomputed);
    assert!(told.len() == 1 && told[0].starts_with("`cwd` changed: section `code`"), "{told:?}");
}

#[test]
fn other_texts_are_refused() {
    let engine = engine(1);
    let saved = engine.session(Clock::default()).save();
    assert!(engine.restore(&saved).is_ok());
    for (text, why) in [
        ("", "it is empty"),
        ("{}", "it has no `format`"),
        ("[1]", "it has no `format`"),
        (r#"{"format": 9}"#, "its format 9 is not known"),
        (r#"{"format": 1}"#, "it has no `packs`"),
        (r#"{"format": 1, "packs": []}"#, "it has no `files`"),
        (&saved[..saved.len() - 1], "EOF"),
    ] {
        let error = engine.restore(text).unwrap_err();
        assert_eq!(error.code(), "session-invalid");
        assert!(error.to_string().contains(why), "{error}");
    }
}

/// What a part of another kind said would be forgotten, and the file written over.
#[test]
fn a_part_of_another_kind_is_refused() {
    let engine = Engine::builder().build().unwrap();
    let saved = engine.session(Clock::new("2026-01-02")).save();
    let saved: Json = serde_json::from_str(&saved).unwrap();
    for (part, value) in [
        ("/found", json!("x")),
        ("/answers", json!([])),
        ("/answers/helpers", json!(1)),
        ("/clock", json!(null)),
        ("/clock/date", json!(7)),
        ("/gone", json!([1])),
        ("/budget", json!(-1)),
        ("/prompts", json!({})),
        ("/ttls", json!(null)),
        ("/watched", json!(true)),
        ("/probes", json!(null)),
    ] {
        let mut edited = saved.clone();
        *edited.pointer_mut(part).unwrap() = value;
        let error = engine.restore(&edited.to_string()).unwrap_err();
        let name = part[1..].replace('/', ".");
        assert!(error.to_string().contains(&format!("its `{name}` is not")), "{error}");
    }
    assert!(engine.restore(&saved.to_string()).is_ok());
}

/// Two runs of the program, and an upgrade of the pack between them.
#[test]
fn through_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |mode: &str, session: &[&str]| {
        let (pack, context) = (at("pack"), at("context.json"));
        let fixed = ["build", "--no-standard", "--pack", &pack, "-c", &context, "--mode", mode];
        let output = cli::run(fixed.into_iter().chain(session.iter().copied()));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        (String::from_utf8(output.stdout).unwrap(), told)
    };
    std::fs::write(at("context.json"), r#"{"cwd": "/p", "date": "2026-01-15"}"#).unwrap();
    pack::write_files(&folder.path().join("pack"), &files(1));
    let file = at("session.json");
    let within = ["--session", file.as_str()];
    let (first, _) = run("act", &within);
    pack::write_files(&folder.path().join("pack"), &files(2));
    let (second, told) = run("act", &within);
    assert_eq!(first, second);
    assert!(told.contains("session-outdated"), "{told}");
    let (planned, _) = run("plan", &within);
    assert_eq!(planned, first.replace("1 act", "1 plan"));
    assert!(run("act", &[]).0.starts_with("# Agent 2"));
    let (short, _) = run("act", &["--max-tokens", "8"]);
    assert_eq!(short, "# Agent 2\n\nrole 2, 2026-01-15");
}

/// What a query source was granted holds for the session, wherever it goes on, and not behind its reset.
#[test]
fn granted_lives_stay_until_the_reset() {
    let engine = engine(1);
    let session = engine.session(Clock::default());
    assert_eq!(session.ttl("main", &["main"]).as_str(), "1h");
    assert_eq!(session.ttl("sub", &["main"]).as_str(), "5m");
    let restored = engine.restore(&session.save()).unwrap();
    for session in [&session, &restored] {
        assert_eq!(session.ttl("main", &[""; 0]).as_str(), "1h");
        assert_eq!(session.ttl("sub", &["*"]).as_str(), "5m");
        session.reset();
        assert_eq!(session.ttl("main", &[""; 0]).as_str(), "5m");
        assert_eq!(session.ttl("sub", &["*"]).as_str(), "1h");
    }
}

/// The list of a later run of the program changes nothing in a session that goes on.
#[test]
fn granted_lives_stay_through_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    pack::write_files(&folder.path().join("pack"), &files(1));
    let context = r#"{"cwd": "/p", "date": "2026-01-15", "model": {"id": "claude-opus-4-5"}, "request": {"query_source": "main"}}"#;
    std::fs::write(at("context.json"), context).unwrap();
    let hours = |flags: &[&str]| {
        let (pack, context) = (at("pack"), at("context.json"));
        let fixed =
            ["build", "--no-standard", "--pack", &pack, "-c", &context, "--format", "anthropic"];
        let output = cli::run(fixed.into_iter().chain(flags.iter().copied()));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().matches("\"1h\"").count()
    };
    let file = at("session.json");
    assert!(hours(&["--session", &file, "--one-hour", "main"]) > 0);
    assert!(hours(&["--session", &file]) > 0);
    assert!(hours(&["--session", &file, "--one-hour", "other"]) > 0);
    assert_eq!(hours(&["--one-hour", "other"]), 0);
}
