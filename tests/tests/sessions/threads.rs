//! Sessions in many threads at once.

use std::thread;

use promptweave::{Clock, CodeComponent, Engine, Inputs, Items, Session};
use promptweave_tests::pack;
use serde_json::json;

const THREADS: usize = 8;
const SESSIONS: usize = 8;
const BUILDS: usize = 1000;

#[test]
fn there_is_no_cross_talk() {
    let code = CodeComponent::new("code", |inputs: &Inputs<'_>| {
        format!(
            "{} {}",
            inputs.text("cwd").unwrap_or_default(),
            inputs.text("date").unwrap_or_default()
        )
    });
    let files = [
        ("generic.toml", "order = ['place', 'code', 'state']\nseparator = ';'"),
        ("components/place.md", "{{date}} {{cwd}}"),
        ("components/state.md", "{{time}} {{mode}}"),
    ];
    let builder = Engine::builder().pack(pack::memory(&files));
    let engine = builder.extension(Items::new("house").component(code)).build().unwrap();
    let sessions: Vec<Session> =
        (0..SESSIONS).map(|at| engine.session(Clock::new(format!("day {at}")))).collect();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let sessions = &sessions;
            scope.spawn(move || work(thread, sessions));
        }
    });
}

/// Each thread has its own folders, and goes from session to session.
fn work(thread: usize, sessions: &[Session]) {
    for build in 0..BUILDS {
        let at = (build + thread) % SESSIONS;
        let cwd = format!("/{thread}/{}", build / 100);
        let mode = if build % 2 == 0 { "act" } else { "plan" };
        let context = pack::context(json!({ "cwd": cwd, "mode": mode, "time": build.to_string() }));
        let prompt = sessions[at].prompt(&context).unwrap();
        let expected = format!("day {at} {cwd};{cwd} day {at};{build} {mode}");
        assert_eq!(prompt.text(), expected);
    }
}
