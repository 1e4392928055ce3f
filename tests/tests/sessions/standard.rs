//! Every shipped variant: what a session sends again is what it sent before.

use promptweave::{Ask, Clock, Prompt};
use promptweave_tests::random::Random;
use promptweave_tests::{pack, standard, whole};
use serde_json::{Map, Value as Json, json};

/// The same object with its keys in another order: maps have none.
fn shuffled_keys(json: &Json, random: &mut Random) -> Json {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            random.shuffle(&mut entries);
            let entries = entries.into_iter();
            entries
                .map(|(key, value)| (key.clone(), shuffled_keys(value, random)))
                .collect::<Map<_, _>>()
                .into()
        }
        Json::Array(items) => items.iter().map(|item| shuffled_keys(item, random)).collect(),
        other => other.clone(),
    }
}

/// Another user, machine, day and set of servers; `stays` where only volatile keys may differ.
fn other(random: &mut Random, stays: bool) -> Json {
    let mut context = standard::basic();
    let number = random.below(1000);
    context["time"] = json!(format!("{:02}:30", number % 24));
    context["mode"] = json!(if random.once_in(2) { "act" } else { "plan" });
    let mut servers = vec![
        json!({ "name": "tickets", "status": "connected", "tools": [{ "name": "find", "description": "Finds." }] }),
        json!({ "name": format!("s{number}"), "status": "connected", "tools": [{ "name": "a" }, { "name": "b" }] }),
    ];
    random.shuffle(&mut servers);
    servers.truncate(number % 3);
    context["mcp"] = json!({ "servers": servers });
    if !stays {
        context["date"] = json!(format!("2026-03-{:02}", number % 28 + 1));
        context["cwd"] = json!(format!("/srv/{number}"));
        context["home"] = json!(format!("/home/u{number}"));
        let language = ["French", "Deutsch", "日本語"][number % 3];
        context["user"] = json!({ "name": format!("u{number}"), "language": language });
        let mut tools = vec!["read_file", "edit_file", "run_command", "search_text"];
        random.shuffle(&mut tools);
        context["tools"] = json!(tools);
    }
    shuffled_keys(&context, random)
}

fn agree(one: &Prompt, other: &Prompt, heads: [usize; 2], class: &str) {
    let same = one.text().bytes().zip(other.text().bytes()).take_while(|(one, other)| one == other);
    assert!(same.count() >= heads[0].max(heads[1]), "{}: {class}", one.variant().id);
}

#[test]
fn heads_stay_in_every_session() {
    let engine = standard::engine();
    let mut random = Random(11);
    for variant in standard::variants(&engine) {
        let ask = Ask { variant: Some(variant), ..Ask::default() };
        let built = |random: &mut Random, stays: bool, session: &promptweave::Session| {
            let prompt = session.prompt_for(&pack::context(other(random, stays)), &ask).unwrap();
            whole::check(&prompt);
            prompt
        };
        let first = built(&mut random, false, &engine.session(Clock::default()));
        let session = engine.session(Clock::default());
        let within = built(&mut random, true, &session);
        for _ in 0..20 {
            let elsewhere = built(&mut random, false, &engine.session(Clock::new("2026-05-05")));
            agree(&first, &elsewhere, [first.static_head(), elsewhere.static_head()], "static");
            let next = built(&mut random, true, &session);
            agree(&within, &next, [within.session_head(), next.session_head()], "session");
            assert!(
                next.diagnostics().iter().all(|told| told.code.as_str() != "session-recomputed")
            );
        }
    }
}
