//! One engine, many builds: nobody sees another's data, and the same inputs give the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave::{Ask, Context, Engine, JsonOptions, MemorySource, Prompt};
use promptweave_tests::{pack, random::Random, standard};
use serde_json::{Value as Json, json};

/// A context in which every text names its owner.
fn context_of(owner: &str, round: usize) -> Json {
    let mark = format!("{owner}-{round}");
    json!({
        "model": { "id": "claude-sonnet-4-5" }, "provider": { "id": "anthropic" },
        "cwd": format!("/{mark}"), "home": format!("/home/{mark}"), "date": "2026-01-15",
        "user": { "name": mark, "language": mark, "system_prompt": format!("prompt of {mark}") },
        "rules": { "global": format!("rules of {mark}") }, "mode": if round.is_multiple_of(2) { "act" } else { "plan" },
        "memory": { "enabled": true, "text": format!("notes of {mark}") },
        "tools": [{ "name": format!("tool_{mark}"), "description": mark, "role": "read" }, "read_file"],
        "mcp": { "servers": [{ "name": mark, "status": "connected", "instructions": mark, "tools": [] }] },
        "placeholders": { "AGENT": format!("agent of {mark}") },
        "skills": [{ "name": mark, "description": mark, "path": mark }],
    })
}

fn built(engine: &Engine, context: &Json) -> Prompt {
    engine.prompt(&pack::context(context.clone())).expect("a prompt")
}

#[test]
fn concurrent_builds_never_meet() {
    const ROUNDS: usize = 300;
    let engine = standard::engine();
    let owners = ["alpha", "bravo", "charly", "delta"];
    std::thread::scope(|scope| {
        for owner in owners {
            let engine = engine.clone();
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let prompt = built(&engine, &context_of(owner, round));
                    let whole = stable_json(&prompt).to_string();
                    assert!(whole.contains(&format!("rules of {owner}-{round}")));
                    for other in owners.iter().filter(|other| **other != owner) {
                        assert!(!whole.contains(other), "{owner} sees the data of {other}");
                    }
                    let own = whole.matches(&format!("{owner}-")).count();
                    assert_eq!(
                        own,
                        whole.matches(&format!("{owner}-{round}")).count(),
                        "an older build's data"
                    );
                }
            });
        }
    });
}

#[test]
fn concurrent_builds_give_what_a_lonely_one_gives() {
    let engine = standard::engine();
    let contexts: Vec<Json> = (0..8).map(|round| context_of("echo", round)).collect();
    let alone: Vec<String> =
        contexts.iter().map(|context| built(&engine, context).into_text()).collect();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (engine, contexts, alone) = (engine.clone(), &contexts, &alone);
            scope.spawn(move || {
                for round in 0..400 {
                    let index = (round * 3 + thread) % contexts.len();
                    assert_eq!(built(&engine, &contexts[index]).text(), alone[index]);
                }
            });
        }
    });
}

#[test]
fn the_order_of_keys_and_files_changes_no_byte() {
    let context = context_of("foxtrot", 7);
    let expected = stable_json(&built(&standard::engine(), &context));
    let mut random = Random(1);
    let mut engine = standard::engine();
    for round in 0..1000 {
        if round % 50 == 0 {
            engine = shuffled_engine(&mut random);
        }
        let shuffled = Context::from_json(&random.json(&context)).unwrap();
        let prompt = engine.prompt_for(&shuffled, &Ask::default()).unwrap();
        assert_eq!(stable_json(&prompt), expected);
    }
}

fn shuffled_engine(random: &mut Random) -> Engine {
    let mut files = promptweave_variants::FILES.to_vec();
    random.shuffle(&mut files);
    let source = MemorySource::new("standard", files);
    Engine::builder().pack(source).build().expect("an engine that is not strict")
}

/// Everything but how long it took.
fn stable_json(prompt: &Prompt) -> Json {
    let mut all = prompt.to_json(&JsonOptions::default());
    for section in all["sections"].as_array_mut().expect("a list") {
        section.as_object_mut().expect("an object").remove("ms");
    }
    all
}
