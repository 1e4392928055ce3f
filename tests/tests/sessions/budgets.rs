//! Budgets: what goes, in which order, and what is said of it.

use promptweave::{Ask, Code, Engine, Prompt};
use promptweave_tests::{pack, whole};
use serde_json::json;

use crate::{reason, told};

const FILES: &[(&str, &str)] = &[
    ("generic.toml", "order = ['fixed', 'cheap', 'place', 'clock', 'state']\nseparator = \"\\n\""),
    ("components/fixed.toml", "text = 'fixed part'\npriority = 1"),
    ("components/cheap.toml", "template = 'cheap {{cwd}}'\npriority = 50"),
    ("components/place.md", "place {{cwd}}"),
    ("components/clock.md", "clock {{time}}"),
    ("components/state.md", "state {{mode}}"),
];

fn engine() -> Engine {
    let builder = Engine::builder().pack(pack::memory(FILES));
    builder.count_tokens(|text| text.split_whitespace().count()).build().unwrap()
}

fn built(budget: usize) -> Prompt {
    let context =
        pack::context(json!({ "cwd": "/p", "time": "9", "request": { "budget": budget } }));
    let prompt = engine().prompt(&context).unwrap();
    whole::check(&prompt);
    prompt
}

#[test]
fn sections_go_by_priority_and_from_the_volatile_end() {
    for (budget, text) in [
        (10, "fixed part\ncheap /p\nplace /p\nclock 9\nstate act"),
        (9, "fixed part\nplace /p\nclock 9\nstate act"),
        (7, "fixed part\nplace /p\nclock 9"),
        (5, "fixed part\nplace /p"),
        (3, "fixed part"),
        (1, ""),
    ] {
        let prompt = built(budget);
        assert_eq!(prompt.text(), text, "{budget}");
        assert!(told(&prompt, Code::BudgetExceeded).is_empty());
    }
}

/// The static head is the last to move, whatever its priority.
#[test]
fn heads_stay_while_something_else_can_go() {
    let whole = built(10);
    for budget in 2..10 {
        let prompt = built(budget);
        assert!(prompt.text().starts_with("fixed part"));
        assert_eq!(&prompt.text()[..prompt.static_head()], &whole.text()[..prompt.static_head()]);
        assert_eq!(reason(&prompt, "cheap"), "budget");
        let detail = &prompt.skipped()[0].detail;
        assert!(detail.starts_with("priority 50: there were 10 tokens"), "{detail}");
    }
}

#[test]
fn what_is_asked_for_comes_before_the_context() {
    let context = pack::context(json!({ "cwd": "/p", "request": { "budget": 1 } }));
    let ask = Ask { budget: Some(9), ..Ask::default() };
    let prompt = engine().prompt_for(&context, &ask).unwrap();
    assert!(prompt.text().contains("state"), "{}", prompt.text());
}

#[test]
fn a_text_of_the_host_cannot_go() {
    let request = json!({ "request": { "budget": 1, "custom": "three words here" } });
    let prompt = engine().prompt(&pack::context(request)).unwrap();
    assert_eq!(prompt.text(), "three words here");
    assert_eq!(told(&prompt, Code::BudgetExceeded).len(), 1);
}

/// A prompt near its budget must not change to and fro with each build.
#[test]
fn what_went_stays_away_in_a_session() {
    let session = engine().session(promptweave::Clock::default());
    let context = |time: &str| json!({ "cwd": "/p", "time": time, "request": { "budget": 10 } });
    assert!(crate::text(&session, context("9")).contains("cheap"));
    assert!(!crate::text(&session, context("9 o'clock")).contains("cheap"));
    let prompt = crate::prompt(&session, context("9"));
    assert_eq!(reason(&prompt, "cheap"), "budget");
    session.reset();
    assert!(crate::text(&session, context("9")).contains("cheap"));
}
