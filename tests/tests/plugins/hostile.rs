//! What a child says is hostile input: the host survives all of it, in time, and says what it was.

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
    "long-text",
    "many-reports",
    "more-behind",
    "bye",
    "floods-errors",
    "leaves",
    "deaf",
    "unheard-once",
    "fine",
];

/// What costs nothing, in no build.
const HARMLESS: &[&str] = &["fine", "floods-errors", "deaf", "unheard-once"];

fn program(home: &Home, habit: &str) -> HostProgram {
    let path = PathBuf::from(env!("CARGO_BIN_EXE_hostile-child"));
    HostProgram { path, args: vec![habit.into(), home.beside("once").display().to_string()] }
}

/// Time to load and to answer.
const LIMIT: Duration = Duration::from_secs(3);

fn home(library: &Path) -> Home {
    let manifest = Manifest::of("fine");
    Home::new(
        library,
        Manifest { rest: "[run]\ntimeout_ms = 3000\nload_timeout_ms = 3000\n", ..manifest },
    )
}

#[test]
fn a_child_that_does_not_load() {
    let Some(library) = native::library("fine") else { return };
    insta::assert_snapshot!("loading", table(LOADING, |habit| loading(&library, habit)));
}

#[test]
fn a_child_that_does_not_answer() {
    let Some(library) = native::library("fine") else { return };
    insta::assert_snapshot!("answering", table(ANSWERING, |habit| answering(&library, habit)));
}

/// Each habit in a thread of its own: most of the time is spent waiting.
fn table(habits: &[&str], told: impl Fn(&str) -> String + Sync) -> String {
    let told = &told;
    std::thread::scope(|scope| {
        let all: Vec<_> = habits.iter().map(|habit| scope.spawn(move || told(habit))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn loading(library: &Path, habit: &str) -> String {
    let home = home(library);
    let begun = Instant::now();
    let plugins = home.builder(Mode::Open).program(program(&home, habit)).load();
    assert!(begun.elapsed() < LIMIT * 8, "{habit}: {:?}", begun.elapsed());
    assert!(plugins.loaded().is_empty(), "{habit}");
    let [told] = plugins.diagnostics() else { panic!("{habit}: {:#?}", plugins.diagnostics()) };
    assert_eq!(told.code, Code::PluginRefused);
    format!("{habit:<14} {}\n", told.message)
}

fn answering(library: &Path, habit: &str) -> String {
    let home = home(library);
    let builder = home.builder(Mode::Open).program(program(&home, habit));
    let plugins = builder.quarantine(Quarantine::Off).load();
    let (engine, told) = hosted::engine(&plugins, PACK);
    assert!(told.is_empty(), "{habit}: {told:#?}");
    let builds = [0, 1].map(|build| {
        let begun = Instant::now();
        let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
        assert!(begun.elapsed() < LIMIT * 8, "{habit}: {:?}", begun.elapsed());
        let text = prompt.text();
        assert!(text.starts_with("before"), "{habit}, {build}: {text:?}");
        let told: Vec<&str> = prompt.diagnostics().iter().map(|told| &*told.message).collect();
        // The good item has its own text or none, never the bad one's.
        let sections = hosted::sections(&prompt);
        assert_eq!(text.matches("good").count(), usize::from(sections.contains(&"good")));
        assert!(told.is_empty() || !HARMLESS.contains(&habit), "{habit}, {build}: {told:?}");
        let lines = std::iter::once(sections.join(" ")).chain(told.into_iter().map(str::to_owned));
        format!("{habit:<14} {}\n", lines.collect::<Vec<_>>().join("\n    "))
    });
    builds.into_iter().next().unwrap_or_default()
}
