//! Components of the host that do what they should not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use promptweave_bindings::{
    Answer, Call, Component, Engine, HostComponent, Json, Runs, context, inside_component,
};
use serde_json::json;

/// An engine with one component, whose section is all of the prompt.
fn engine(declared: Json, component: impl HostComponent + 'static) -> Engine {
    let files = json!({
        "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
        "generic.toml": "order = ['own']",
    });
    let options = json!({ "standard": false, "packs": [{ "name": "acme", "files": files }] });
    Engine::new(options, vec![Component::new(declared, component).unwrap()]).unwrap()
}

/// The prompt, and what was told.
fn built(engine: &Engine) -> (String, String) {
    let prompt = engine.prompt(&context("{}").unwrap(), Json::Null).unwrap();
    let told = prompt.diagnostics();
    let told =
        told.as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap().to_owned());
    (prompt.text().to_owned(), told.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_panic_costs_the_section() {
    let engine = engine(json!({ "id": "own", "reads": [] }), |_: Call| panic!("all is lost"));
    for _ in 0..3 {
        let (text, told) = built(&engine);
        assert_eq!((&*text, &*told), ("", "component `own` failed: it panicked: all is lost"));
    }
}

/// Without a limit each level would start another one.
#[test]
fn a_component_that_builds_on_another_thread_ends() {
    let own: Arc<OnceLock<Engine>> = Arc::default();
    let (inner, levels) = (Arc::clone(&own), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&levels);
    let declared = json!({ "id": "own", "reads": [], "deadline_ms": 4000 });
    let engine = engine(declared, move |_: Call| {
        counted.fetch_add(1, Ordering::Relaxed);
        let engine = inner.get().unwrap().clone();
        let (text, told) = thread::spawn(move || built(&engine)).join().unwrap();
        Answer::Text(text + &told)
    });
    own.set(engine.clone()).unwrap();
    let (text, _) = built(&engine);
    assert!(text.contains("64 of its calls have not come back"), "{text}");
    assert_eq!(levels.load(Ordering::Relaxed), 64);
}

#[test]
fn calls_that_do_not_come_back_are_limited_and_then_told() {
    let declared = json!({ "id": "own", "reads": [], "deadline_ms": 10 });
    let engine = engine(declared, |_: Call| {
        thread::sleep(Duration::from_secs(3));
        Answer::Nothing
    });
    let told: Vec<String> = (0..66).map(|_| built(&engine).1).collect();
    assert_eq!(told[0], "component `own` failed: it did not answer within 10 ms");
    assert_eq!(told[65], "component `own` failed: 64 of its calls have not come back");
    // When they have come back, it is asked again.
    thread::sleep(Duration::from_secs(4));
    assert_eq!(built(&engine).1, told[0]);
}

/// More builds than threads wait for each other, and none is refused.
#[test]
fn many_builds_at_once_wait() {
    const AT_ONCE: usize = 100;
    let declared = json!({ "id": "own", "reads": [], "deadline_ms": 60_000 });
    let engine = engine(declared, |_: Call| {
        thread::sleep(Duration::from_millis(20));
        Answer::Text("hello".into())
    });
    let start = Barrier::new(AT_ONCE);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                start.wait();
                assert_eq!(built(&engine), ("hello".into(), String::new()));
            });
        }
    });
}

/// What Node does: the code has a thread of its own, and the binding keeps the deadline.
#[test]
fn a_binding_can_call_elsewhere() {
    struct Elsewhere(Arc<OnceLock<Engine>>);
    impl HostComponent for Elsewhere {
        fn call(&self, call: Call) -> Answer {
            assert_eq!(call.deadline, Duration::from_secs(1));
            let engine = self.0.get().unwrap().clone();
            let called = move || {
                inside_component(|| engine.prompt(&context("{}").unwrap(), Json::Null).is_err())
            };
            match thread::spawn(called).join().unwrap() {
                None => Answer::Failed("refused there too".into()),
                Some(_) => Answer::Nothing,
            }
        }

        fn runs(&self) -> Runs {
            Runs::OnCaller
        }
    }
    let own = Arc::default();
    let engine = engine(json!({ "id": "own", "reads": [] }), Elsewhere(Arc::clone(&own)));
    own.set(engine.clone()).unwrap();
    assert_eq!(built(&engine).1, "component `own` failed: refused there too");
}

/// What Python does when somebody interrupts it.
#[test]
fn a_host_can_give_a_build_up() {
    struct Asked(AtomicUsize);
    impl HostComponent for Asked {
        fn call(&self, _: Call) -> Answer {
            thread::sleep(Duration::from_secs(3));
            Answer::Nothing
        }

        fn is_given_up(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == 1
        }
    }
    let declared = json!({ "id": "own", "reads": [], "deadline_ms": 60_000 });
    let engine = engine(declared, Asked(AtomicUsize::new(0)));
    let begun = Instant::now();
    assert_eq!(built(&engine).1, "component `own` failed: its host gave the build up");
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn an_engine_ends_while_its_component_blocks() {
    let declared = json!({ "id": "own", "reads": [], "deadline_ms": 10 });
    let engine = engine(declared, |_: Call| {
        thread::sleep(Duration::from_secs(2));
        Answer::Nothing
    });
    let begun = Instant::now();
    built(&engine);
    drop(engine);
    assert!(begun.elapsed() < Duration::from_secs(2));
}
