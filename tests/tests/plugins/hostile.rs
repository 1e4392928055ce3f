//! What a child says is hostile input: the host survives all of it, in time, and says what it was.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use promptweave::Code;
use promptweave_loader::{HostProgram, Quarantine};
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;

const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"host_before\", \"bad\", \"good\"]\n"),
    ("components/host_before.md", "before"),
];

/// What goes wrong while it loads.
const LOADING: &[&str] = &[
    "load-garbage",
    "load-huge",
    "load-silent",
    "load-half",
    "load-no-json",
    "load-protocol",
    "load-answer",
    "load-bye",
    "load-other",
];
/// What goes wrong while it answers.
const ANSWERING: &[&str] = &[
    "garbage",
    "huge",
    "too-large",
    "wrong-call",
    "wrong-item",
    "twice",
    "half",
    "trickle",
    "logs",
    "bad-log",
    "unknown-type",
    "load-again",
    "not-utf8",
    "long-list",
    "more-behind",
    "bye",
    "floods-errors",
    "leaves",
    "deaf",
    "fine",
];

/// What costs nothing, in no build.
const HARMLESS: &[&str] = &["fine", "floods-errors", "deaf"];

fn program(habit: &str) -> HostProgram {
    let path = PathBuf::from(env!("CARGO_BIN_EXE_hostile-child"));
    HostProgram { path, args: vec![habit.into()] }
}

/// Time to load and to answer.
const LIMIT: Duration = Duration::from_millis(800);

fn home(library: &Path) -> Home {
    let manifest = Manifest::of("fine");
    Home::new(
        library,
        Manifest { rest: "[run]\ntimeout_ms = 800\nload_timeout_ms = 800\n", ..manifest },
    )
}

#[test]
fn a_child_that_does_not_load() {
    let Some(library) = native::library("fine") else { return };
    let home = home(&library);
    let mut table = String::new();
    for habit in LOADING {
        let begun = Instant::now();
        let plugins = home.builder(Mode::Open).program(program(habit)).load();
        assert!(begun.elapsed() < LIMIT * 4, "{habit}: {:?}", begun.elapsed());
        assert!(plugins.loaded().is_empty(), "{habit}");
        let [told] = plugins.diagnostics() else { panic!("{habit}: {:#?}", plugins.diagnostics()) };
        assert_eq!(told.code, Code::PluginRefused);
        writeln!(table, "{habit:<14} {}", told.message).unwrap();
    }
    insta::assert_snapshot!("loading", table);
}

#[test]
fn a_child_that_does_not_answer() {
    let Some(library) = native::library("fine") else { return };
    let home = home(&library);
    let mut table = String::new();
    for habit in ANSWERING {
        let builder = home.builder(Mode::Open).program(program(habit));
        let plugins = builder.quarantine(Quarantine::Off).load();
        let (engine, told) = hosted::engine(&plugins, PACK);
        assert!(told.is_empty(), "{habit}: {told:#?}");
        for build in 0..3 {
            let begun = Instant::now();
            let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
            assert!(begun.elapsed() < LIMIT * 4, "{habit}: {:?}", begun.elapsed());
            let text = prompt.text();
            assert!(text.starts_with("before"), "{habit}, {build}: {text:?}");
            let told: Vec<&str> = prompt.diagnostics().iter().map(|told| &*told.message).collect();
            // The good item has its own text or none, never the bad one's.
            assert_eq!(
                text.matches("good").count(),
                usize::from(hosted::sections(&prompt).contains(&"good"))
            );
            if HARMLESS.contains(habit) {
                assert!(told.is_empty(), "{habit}, {build}: {told:?}");
            }
            if build == 0 {
                let sections = hosted::sections(&prompt).join(" ");
                writeln!(table, "{habit:<14} {sections}\n    {}", told.join("\n    ")).unwrap();
            }
        }
    }
    insta::assert_snapshot!("answering", table);
}
