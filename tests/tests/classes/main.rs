//! What stands before a head is the same for everyone who agrees on all narrower keys.
//!
//! Random small packs, each built for random pairs of contexts that agree on every key below a class: the
//! texts must agree at least up to the head of that class, of each of the two. A session gives the same prompts as
//! builds apart, whatever it hands out again.

mod contexts;
mod edits;
mod packs;
mod words;

use promptweave::{Ask, Clock, Context, Engine, JsonOptions, Prompt};
use promptweave_tests::{random, whole};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value as Json;

use contexts::{Values, joined, values};
use packs::{Plan, plan};

proptest! {
    #![proptest_config(Config {
        cases: random::cases(2000), max_shrink_iters: 20_000, failure_persistence: None, ..Config::default()
    })]

    #[test]
    fn heads_hold(plan in plan(), one in values(), other in values()) {
        let engine = plan.engine();
        let ask = Ask { variant: Some("special".into()), ..Ask::default() };
        let build = |values: &Values| build(&engine, &ask, values);
        let first = build(&one);
        whole::fault(&first).map_err(|fault| TestCaseError::fail(format!("{fault}\n{}", written(&plan, &first))))?;
        let again = build(&one);
        prop_assert_eq!(first.text(), again.text(), "the same inputs, the same bytes");
        let second = build(&joined(&one, &other, promptweave::CacheClass::Session));
        let agreed = common(first.text(), second.text());
        let heads = [first.static_head(), second.static_head()];
        prop_assert!(agreed >= heads[0].max(heads[1]), "{}", differs("static", &plan, &first, &second, agreed, heads));
        let third = build(&joined(&one, &other, promptweave::CacheClass::Volatile));
        let agreed = common(first.text(), third.text());
        let heads = [first.session_head(), third.session_head()];
        prop_assert!(agreed >= heads[0].max(heads[1]), "{}", differs("session", &plan, &first, &third, agreed, heads));
    }
}

proptest! {
    #![proptest_config(Config {
        cases: random::cases(500), max_shrink_iters: 20_000, failure_persistence: None, ..Config::default()
    })]

    #[test]
    fn sessions_give_the_same_prompts(plan in plan(), one in values(), other in values()) {
        let engine = plan.engine();
        let ask = Ask { variant: Some("special".into()), ..Ask::default() };
        let near = joined(&one, &other, promptweave::CacheClass::Volatile);
        let mut session = engine.session(Clock::default());
        for (at, values) in [&one, &one, &near, &one, &other, &near].into_iter().enumerate() {
            let apart = build(&engine, &ask, values);
            let context = Context::from_value(contexts::json(values)).expect("a context");
            let within = session.prompt_for(&context, &ask).expect("a prompt");
            prop_assert_eq!(comparable(&apart), comparable(&within), "at {}\n{}", at, written(&plan, &apart));
            if at % 2 == 1 {
                session = engine.restore(&session.save()).expect("a session");
            }
        }
    }
}

/// All about a prompt that does not depend on how it was built.
fn comparable(prompt: &Prompt) -> Json {
    let mut all = prompt.to_json(&JsonOptions::default());
    for section in all["sections"].as_array_mut().expect("a list") {
        section.as_object_mut().expect("an object").remove("ms");
    }
    all["session"] = Json::Null;
    let told = all["diagnostics"].as_array_mut().expect("a list");
    told.retain(|one| one["code"] != "session-recomputed");
    // A section that is handed out again tells again what another one may have told first.
    told.sort_by_key(Json::to_string);
    told.dedup();
    all
}

fn build(engine: &Engine, ask: &Ask, values: &Values) -> Prompt {
    let context = Context::from_value(contexts::json(values)).expect("a context");
    engine.prompt_for(&context, ask).expect("a prompt")
}

fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

fn differs(
    head: &str,
    plan: &Plan,
    one: &Prompt,
    other: &Prompt,
    agreed: usize,
    heads: [usize; 2],
) -> String {
    let why = format!("the {head} heads are {heads:?}, but only {agreed} bytes agree");
    format!("{why}\n{}\nother: {:?}", written(plan, one), other.text())
}

fn written(plan: &Plan, prompt: &Prompt) -> String {
    let files: Vec<String> =
        plan.files().iter().map(|(path, text)| format!("--- {path}\n{text}")).collect();
    format!("{}\none:   {:?}", files.join("\n"), prompt.text())
}
