//! Plugins that do everything wrong while requests run.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use promptweave_loader::{Judge, Keys, Listed, Lock, Policy};
use promptweave_tests::hosted::{self, Home, Manifest, Mode, gone, most};
use promptweave_tests::http::{How, Served};
use promptweave_tests::native;
use serde_json::{Value as Json, json};

const DEADLINE: Duration = Duration::from_millis(500);
const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"host_before\", \"bad\", \"good\", \"host_after\"]\n"),
    ("quiet.toml", "order = [\"host_before\", \"host_after\"]\nmatch.models = ['quiet']\n"),
    ("components/host_before.md", "before"),
    ("components/host_after.md", "after"),
];

/// What `list plugins` would show of it.
fn listed(home: &Home) -> Vec<Listed> {
    let (lock, policy, keys) = (Lock::default(), Policy::default(), Keys::default());
    let judge = Judge { lock: &lock, policy: &policy, keys: &keys };
    vec![Listed::of(&home.candidate(), &judge)]
}

/// A plugin costs its own section in the requests that need it; requests beside it are answered as ever.
#[test]
fn a_crash_costs_a_section_and_nobody_else() {
    for case in ["segfault", "exit-0", "endless-loop", "floods"] {
        let Some(library) = native::library(case) else { return };
        let home = Home::new(&library, Manifest { name: case, ..Manifest::of(case) });
        let plugins = home.builder(Mode::Process).most(most(DEADLINE)).load();
        let (engine, _) = hosted::engine(&plugins, PACK);
        let how = How { plugins: listed(&home), ..How::default() };
        let served = Arc::new(Served::with(engine, how));
        let asks = (0..8).map(|at| {
            let served = Arc::clone(&served);
            thread::spawn(move || {
                let model = if at % 2 == 0 { "quiet" } else { "other" };
                let context = json!({ "user": { "name": "Ada" }, "model": { "id": model } });
                (model, served.post("/v1/build", &json!({ "context": context })))
            })
        });
        let asks: Vec<_> = asks.collect();
        for ask in asks {
            let (model, answer) = ask.join().unwrap();
            assert_eq!(answer.status, 200, "{case}: {}", answer.text());
            let result = answer.json();
            let sections = result["sections"].as_array().unwrap().iter();
            let included = sections.filter(|section| section["state"] == "included");
            let ids: Vec<&Json> = included.map(|section| &section["id"]).collect();
            assert!(!ids.contains(&&json!("bad")), "{case}: {ids:?}");
            let own = ids.contains(&&json!("host_before")) && ids.contains(&&json!("host_after"));
            assert!(own, "{case}: {ids:?}");
            let told = result["diagnostics"].as_array().unwrap();
            assert_eq!(told.is_empty(), model == "quiet", "{case}: {told:?}");
        }
        assert_eq!(served.get("/healthz").status, 200, "{case}");
        let metrics = served.get("/metrics").text().to_owned();
        assert!(metrics.contains("promptweave_http_running 1"), "{case}: {metrics}");
        drop((plugins, served));
        gone(&home);
    }
}
