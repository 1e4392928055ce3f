//! What stays as it was within a session, what does not, and what is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::{
    Clock, Code, CodeComponent, CodeHelper, CodeMatcher, Engine, Inputs, Items, Probe,
};
use promptweave_tests::pack;
use serde_json::json;

use crate::{prompt, reason, text, told};

fn engine(files: &[(&str, &str)], items: Items) -> Engine {
    let engine = Engine::builder().pack(pack::memory(files)).extension(items).build().unwrap();
    assert!(engine.diagnostics().is_empty(), "{:?}", engine.diagnostics());
    engine
}

/// A number that is one more at each call.
fn counter() -> (Arc<AtomicUsize>, impl Fn() -> usize + Clone) {
    let calls = Arc::new(AtomicUsize::new(0));
    let own = Arc::clone(&calls);
    (calls, move || own.fetch_add(1, Ordering::Relaxed) + 1)
}

/// The clock of a session stands still; a reset may set it.
#[test]
fn the_clock_stands_still() {
    let files = [("generic.toml", "order = ['a']"), ("components/a.md", "{{date}} {{time}}")];
    let session = pack::engine(&files).session(Clock::new("2026-01-15").time("23:59"));
    assert_eq!(text(&session, json!({})), "2026-01-15 23:59");
    assert_eq!(text(&session, json!({ "mode": "plan" })), "2026-01-15 23:59");
    assert_eq!(text(&session, json!({ "date": "2027-01-01" })), "2027-01-01 23:59");
    session.reset();
    assert_eq!(text(&session, json!({})), "2026-01-15 23:59");
    session.reset_at(Clock::new("2026-01-16"));
    assert_eq!(text(&session, json!({})), "2026-01-16");
}

#[test]
fn probes_run_once_and_together() {
    let (calls, count) = counter();
    let again = count.clone();
    let items = Items::new("house")
        .probe(Probe::new("git.branch", move |_| Ok(json!(format!("branch {}", count())))))
        .probe(Probe::new("os", move |_| Err(format!("no system {}", again()))));
    let files = [("generic.toml", "order = ['a']"), ("components/a.md", "{{git.branch}} {{mode}}")];
    let session = engine(&files, items).session(Clock::default());
    let first = prompt(&session, json!({}));
    assert_eq!(told(&first, Code::ProbeFailed).len(), 1);
    let branch = first.text().split(' ').nth(1).unwrap().to_owned();
    let second = prompt(&session, json!({ "mode": "plan" }));
    assert_eq!(second.text(), format!("branch {branch} plan"));
    assert!(told(&second, Code::ProbeFailed).is_empty(), "a probe that failed is told once");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    session.reset();
    text(&session, json!({}));
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

/// Code may read files: what it said stays until a key that it read changes, or the session is reset.
#[test]
fn code_is_asked_again_only_when_a_key_changes() {
    let (_, count) = counter();
    let helped = count.clone();
    let items = Items::new("house")
        .component(CodeComponent::new("rules", move |inputs: &Inputs<'_>| {
            format!("{} {}", inputs.text("cwd").unwrap_or_default(), count())
        }))
        .component(CodeComponent::volatile("clock", "it is a clock", {
            let (_, ticks) = counter();
            move |_: &Inputs<'_>| format!("tick {}", ticks())
        }))
        .helper(CodeHelper::new("nth", move |_, _| Ok(json!(helped()))));
    let files = [
        ("generic.toml", "order = ['rules', 'helped', 'clock']\nseparator = ';'"),
        ("components/helped.md", "{{nth 7}} {{mode}}"),
    ];
    let session = engine(&files, items).session(Clock::default());
    let in_a = |mode: &str| json!({ "cwd": "a", "mode": mode });
    assert_eq!(text(&session, in_a("act")), "a 1;2 act;tick 1");
    assert_eq!(text(&session, in_a("act")), "a 1;2 act;tick 2", "volatile code always runs");
    assert_eq!(text(&session, in_a("plan")), "a 1;2 plan;tick 3", "the helper is not asked again");
    let moved = prompt(&session, json!({ "cwd": "b", "mode": "plan" }));
    assert_eq!(moved.text(), "b 3;2 plan;tick 4");
    let bytes = moved.text().len();
    let expected = format!(
        "`cwd` changed: section `rules` was computed anew, and {bytes} bytes from there on are billed again"
    );
    assert_eq!(told(&moved, Code::SessionRecomputed), [expected]);
    session.reset();
    assert_eq!(text(&session, json!({ "cwd": "b", "mode": "plan" })), "b 4;5 plan;tick 5");
}

/// A section that failed is tried again; one that said nothing is not.
#[test]
fn failures_are_not_kept() {
    let (_, count) = counter();
    let items = Items::new("house").component(CodeComponent::new("late", move |_: &Inputs<'_>| {
        if count() < 3 { Err("not yet") } else { Ok("there") }
    }));
    let session = engine(&[("generic.toml", "order = ['late']")], items).session(Clock::default());
    assert_eq!(reason(&prompt(&session, json!({})), "late"), "failed");
    assert_eq!(text(&session, json!({})), "");
    assert_eq!(text(&session, json!({})), "there");
}

/// The variant must not change in the middle of a session because a gateway answers otherwise.
#[test]
fn matchers_of_code_are_asked_once() {
    let (calls, count) = counter();
    let items = Items::new("house").matcher(CodeMatcher::new("gateway", move |_| Ok(count() == 1)));
    let files = [
        ("generic.toml", "order = ['a']"),
        ("special.toml", "order = ['b']\nmatch.matchers = ['gateway']"),
        ("components/a.md", "a"),
        ("components/b.md", "b {{mode}}"),
    ];
    let session = engine(&files, items).session(Clock::default());
    assert_eq!(text(&session, json!({})), "b act");
    assert_eq!(text(&session, json!({ "mode": "plan" })), "b plan");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let switched = prompt(&session, json!({ "model": { "id": "other" } }));
    assert_eq!(switched.text(), "a", "another model is another question");
    assert_eq!(told(&switched, Code::SessionRecomputed).len(), 1);
    assert_eq!(text(&session, json!({})), "b act", "and its answer is kept beside the first");
}

/// A memo that only knew whether there are servers served an old prompt after one had connected.
#[test]
fn a_new_server_is_never_missed() {
    let files = [
        ("generic.toml", "order = ['mcp']"),
        (
            "components/mcp.toml",
            "when = 'mcp.servers.size() > 0'\ntemplate = '{{#each mcp.servers}}{{name}} {{/each}}'",
        ),
    ];
    let session = pack::engine(&files).session(Clock::default());
    let servers = |names: &[&str]| {
        let servers: Vec<_> = names.iter().map(|name| json!({ "name": name })).collect();
        json!({ "mcp": { "servers": servers } })
    };
    assert_eq!(text(&session, servers(&["one"])), "one");
    assert_eq!(text(&session, servers(&["one", "two"])), "one two");
    assert_eq!(text(&session, servers(&["two"])), "two");
    assert_eq!(text(&session, servers(&[])), "");
}

/// Two sessions of one engine know nothing of each other.
#[test]
fn sessions_are_apart() {
    let (_, count) = counter();
    let items = Items::new("house")
        .component(CodeComponent::new("n", move |_: &Inputs<'_>| count().to_string()));
    let engine = engine(&[("generic.toml", "order = ['n']")], items);
    let (one, other) = (engine.session(Clock::default()), engine.session(Clock::default()));
    assert_eq!(
        [text(&one, json!({})), text(&other, json!({})), text(&one, json!({}))],
        ["1", "2", "1"]
    );
}

/// One item in two places sees other sections in each, and says something else there.
#[test]
fn an_item_in_two_places_keeps_two_answers() {
    let (_, count) = counter();
    let items =
        Items::new("house").component(CodeComponent::new("again", move |inputs: &Inputs<'_>| {
            format!("{} {}", inputs.section("role").unwrap_or("alone"), count())
        }));
    let files = [
        (
            "generic.toml",
            "order = ['role', 'again', 'state']\nsystem_context = ['again']\nseparator = ';'",
        ),
        ("components/role.md", "role"),
        ("components/state.md", "{{mode}}"),
    ];
    let session = engine(&files, items).session(Clock::default());
    assert_eq!(text(&session, json!({})), "role;role 1;act;alone 2");
    assert_eq!(text(&session, json!({ "mode": "plan" })), "role;role 1;plan;alone 2");
}

/// A section that is put into the finished text stands as if all had been rendered.
#[test]
fn a_text_that_is_edited_is_the_text_that_is_rendered() {
    let place = "{{#if memory.text}}\n{{memory.text}}\n{{/if}}";
    let base =
        "# Head\n\n{{role}}\n\n## Notes\n\n{{notes}}\n\n====\n\n## Last {{last}}\n{{role_again}}\n";
    let values = [
        "a",
        "b b",
        "c\nd",
        "# h",
        "## h\ntext",
        "====",
        " e",
        "f ",
        "g\n",
        "`",
        "é",
        "",
        "=x",
        "x=",
        "a\n# b",
        "# a\nb",
        "# a\n= b",
        "a much longer note, of several words",
        "one\n\n\ntwo",
    ];
    for tidy in ["structural", "classic", "off"] {
        let generic = format!(
            "order = ['role', 'notes', 'last', 'role_again']\ntidy = '{tidy}'\nseparator = '|'"
        );
        for base in [Some(base), None] {
            let mut files = vec![
                ("generic.toml", generic.as_str()),
                ("components/role.md", "role\n\nof it"),
                ("components/notes.md", place),
                ("components/last.md", "{{time}}"),
                ("components/role_again.md", "again {{mode}}"),
            ];
            files.extend(base.map(|base| ("generic.hbs", base)));
            let engine = pack::engine(&files);
            let session = engine.session(Clock::default());
            for (at, one) in values.iter().enumerate() {
                let other = values[(at * 7 + 3) % values.len()];
                for (memory, time) in
                    [(*one, "9"), (other, "9"), (other, "10:30"), (*one, "9\n30"), (*one, other)]
                {
                    let context = json!({ "memory": { "text": memory }, "time": time });
                    let within = prompt(&session, context.clone());
                    let apart = engine.prompt(&pack::context(context)).unwrap();
                    assert_eq!(within.text(), apart.text(), "{tidy}");
                    let all = |prompt: &promptweave::Prompt| {
                        let spans: Vec<_> =
                            prompt.spans().map(|span| format!("{span:?}")).collect();
                        let hinges: Vec<_> =
                            prompt.hinges().map(|hinge| format!("{hinge:?}")).collect();
                        let places: Vec<_> =
                            prompt.sections().iter().map(|one| one.range.clone()).collect();
                        (spans, hinges, places, prompt.static_head(), prompt.session_head())
                    };
                    assert_eq!(all(&within), all(&apart), "{tidy}");
                }
            }
        }
    }
}

/// What the sections of the first user message tell is told again, though they are not built again.
#[test]
fn what_the_user_context_tells_stays_told() {
    let engine = pack::engine(&[
        ("generic.toml", "order = ['role', 'state']\nuser_context = ['place']"),
        ("components/role.md", "role"),
        ("components/state.md", "{{mode}}"),
        ("components/place.toml", "cache = 'static'\ntemplate = '{{cwd}}'"),
    ]);
    let session = engine.session(Clock::default());
    for mode in ["act", "plan", "act"] {
        let context = json!({ "cwd": "/p", "mode": mode });
        let apart = engine.prompt(&pack::context(context.clone())).unwrap();
        let prompt = prompt(&session, context);
        assert_eq!(told(&prompt, Code::ClassWider), told(&apart, Code::ClassWider), "{mode}");
        assert_eq!(told(&prompt, Code::ClassWider).len(), 1, "{mode}");
    }
}

/// Tidying drops a heading with nothing below it: of a section that is printed twice one copy may be gone, and comes back
/// with the next text.
#[test]
fn a_copy_that_tidying_dropped_comes_back() {
    let files = [
        ("generic.toml", "order = ['a']\ntidy = 'structural'"),
        ("generic.hbs", "{{a}}\n# {{a}}"),
        ("components/a.toml", "value = 'user.name'"),
    ];
    let engine = pack::engine(&files);
    let session = engine.session(Clock::default());
    for name in ["words", "## Head", "## Head\ntext", "more words", "# a", "b"] {
        let context = json!({ "user": { "name": name } });
        let whole = engine.prompt(&pack::context(context.clone())).unwrap();
        assert_eq!(text(&session, context), whole.text(), "{name}");
    }
}
