//! Components are not the only code of a plugin: whatever of it ends or hangs, the host goes on and says what it was.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use promptweave::{Code, Diagnostic};
use promptweave_tests::hosted::{self, Home, Manifest, Mode, gone};
use promptweave_tests::{native, pack};
use serde_json::json;

/// The places, by the number that the library is compiled with, from 1.
const PLACES: &[&str] =
    &["constructor", "entry", "init", "matcher", "helper", "probe", "tool", "deinit"];

const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"before\", \"said\", \"bad\", \"good\"]\n"),
    ("special.toml", "extends = \"generic\"\n[match]\nmatchers = [\"anywhere/asked\"]\n"),
    ("components/before.md", "before"),
    ("components/said.md", "said {{helped}}"),
];

const REST: &str = "[run]\ntimeout_ms = 1500\nload_timeout_ms = 3000\n";
/// All that may take its time once, on a machine that does much else.
const MOST: Duration = Duration::from_secs(20);

fn run(place: &str, options: &[&str], name: &str) -> Option<String> {
    let library = native::built(&native::folder("anywhere"), name, options)?;
    let home = Home::new(&library, Manifest { rest: REST, ..Manifest::of("anywhere") });
    let begun = Instant::now();
    let plugins = home.builder(Mode::Process).load();
    let (engine, loading) = hosted::engine(&plugins, PACK);
    let (context, probed) = engine.probe(&pack::context(json!({})));
    let prompt = engine.prompt(&context).unwrap();
    assert!(begun.elapsed() < MOST, "{name}: {:?}", begun.elapsed());
    assert!(prompt.text().starts_with("before"), "{name}: {:?}", prompt.text());
    let unknown = |told: &&Diagnostic| told.code != Code::ComponentUnknown;
    let all = loading.iter().chain(&probed).chain(prompt.diagnostics()).filter(unknown);
    let mut out = format!("{place}: {}\n", hosted::sections(&prompt).join(" "));
    for told in all {
        let folder = home.beside("").display().to_string();
        let _ = writeln!(out, "    {}", told.to_string().replace(&folder, ""));
    }
    drop((plugins, engine));
    gone(&home);
    Some(out)
}

/// Each place in a thread of its own: most of the time is spent waiting.
fn table(kind: &str, options: &[&str]) -> Option<String> {
    std::thread::scope(|scope| {
        let places = PLACES.iter().enumerate().map(|(at, place)| {
            scope.spawn(move || {
                let place_option = format!("-DWHERE={}", at + 1);
                let options: Vec<&str> = options.iter().copied().chain([&*place_option]).collect();
                run(place, &options, &format!("anywhere-{kind}-{place}"))
            })
        });
        let places: Vec<_> = places.collect();
        places.into_iter().map(|place| place.join().unwrap()).collect()
    })
}

#[test]
fn whatever_ends_its_process() {
    let Some(table) = table("aborts", &[]) else { return };
    insta::assert_snapshot!("aborts", table);
}

#[test]
fn whatever_never_comes_back() {
    let Some(table) = table("loops", &["-DLOOPS"]) else { return };
    insta::assert_snapshot!("loops", table);
}

/// Another plugin of the same engine does not notice.
#[test]
fn a_neighbour_is_not_affected() {
    let (Some(bad), Some(neighbour)) = (native::library("abort"), native::library("helps")) else {
        return;
    };
    let (bad, neighbour) =
        (Home::new(&bad, Manifest::of("abort")), Home::new(&neighbour, Manifest::of("helps")));
    let plugins = neighbour.builder(Mode::Process).plugin(bad.plugin()).load();
    let order = "order = [\"own\", \"bad\", \"again\", \"good\"]\n";
    let (engine, told) = hosted::engine(&plugins, &[("generic.toml", order)]);
    assert!(told.is_empty(), "{told:#?}");
    for _ in 0..4 {
        let prompt = engine.prompt(&pack::context(json!({ "cwd": "/p" }))).unwrap();
        assert_eq!(hosted::sections(&prompt), ["own", "again", "good"]);
        assert_eq!(prompt.diagnostics().len(), 1, "{:#?}", prompt.diagnostics());
    }
}
