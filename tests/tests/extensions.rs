//! Components, matchers, helpers and probes in code, as a whole build sees them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::{
    Batch, Build, CodeComponent, CodeHelper, CodeMatcher, Extension, Inputs, Items, Output, Probe,
};
use promptweave::{CacheClass, Code, Engine, Origin, Prompt};
use promptweave_tests::{pack, whole};
use serde_json::{Map, Value as Json, json};

/// Builds `order` with the components of `items`, each by its own name.
fn built(items: impl Extension + 'static, order: &[&str], context: Json) -> Prompt {
    built_from(items, &[("generic.toml", format!("order = {order:?}\n"))], context)
}

fn built_from(items: impl Extension + 'static, files: &[(&str, String)], context: Json) -> Prompt {
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let engine = Engine::builder().pack(pack::memory(&files)).extension(items).build().unwrap();
    let told = engine.diagnostics().iter().filter(|told| told.code != Code::ComponentUnknown);
    assert_eq!(told.count(), 0, "{:?}", engine.diagnostics());
    let prompt = engine.prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    prompt
}

fn codes(prompt: &Prompt) -> Vec<Code> {
    prompt.diagnostics().iter().map(|told| told.code).collect()
}

fn class(prompt: &Prompt, id: &str) -> CacheClass {
    let section = prompt.sections().iter().find(|section| &*section.id == id);
    section.expect("a section of that name").class
}

#[test]
fn the_class_of_a_component_is_that_of_what_it_reads() {
    let items = Items::new("house")
        .component(CodeComponent::new("fixed", |_: &Inputs<'_>| "fixed"))
        .component(CodeComponent::new("model", |inputs: &Inputs<'_>| {
            inputs.text("model.id").map(str::to_owned)
        }))
        .component(CodeComponent::new("place", |inputs: &Inputs<'_>| {
            inputs.text("cwd").map(str::to_owned)
        }))
        .component(CodeComponent::new("again", |inputs: &Inputs<'_>| {
            inputs.section("place").map(str::to_owned)
        }))
        .component(CodeComponent::new("hour", |inputs: &Inputs<'_>| {
            inputs.text("time").map(str::to_owned)
        }))
        .component(CodeComponent::new("house", |inputs: &Inputs<'_>| {
            inputs.get("house").map(Json::to_string)
        }));
    let order = ["fixed", "model", "place", "again", "hour", "house"];
    let context = json!({ "model": { "id": "m" }, "cwd": "/p", "time": "noon", "house": 7 });
    let prompt = built(items, &order, context);
    assert_eq!(prompt.text(), "fixed\n\nm\n\n/p\n\n/p\n\nnoon\n\n7");
    let classes = order.map(|id| class(&prompt, id));
    use CacheClass::{Session, Static, Volatile};
    assert_eq!(classes, [Static, Static, Session, Session, Volatile, Volatile]);
    assert!(prompt.text()[..prompt.static_head()].starts_with("fixed\n\nm"));
    assert!(codes(&prompt).is_empty(), "{:?}", prompt.diagnostics());
}

#[test]
fn a_volatile_component_ends_the_session_head_and_gives_its_reason() {
    let items = Items::new("house")
        .component(CodeComponent::new("fixed", |_: &Inputs<'_>| "fixed"))
        .component(CodeComponent::volatile("clock", "tells the time", |_: &Inputs<'_>| "12:00"));
    let prompt = built(items, &["fixed", "clock"], json!({}));
    assert_eq!(class(&prompt, "clock"), CacheClass::Volatile);
    assert!(prompt.session_head() <= "fixed\n\n".len());
    assert!(prompt.hinges().any(|hinge| &*hinge.cause == "tells the time"));
}

#[test]
fn failures_and_panics_cost_the_section_alone() {
    let items = Items::new("house")
        .component(CodeComponent::new("fails", |_: &Inputs<'_>| {
            Err::<String, _>("the disk is full")
        }))
        .component(CodeComponent::new("panics", |_: &Inputs<'_>| -> String {
            panic!("out of ideas")
        }))
        .component(CodeComponent::new("silent", |_: &Inputs<'_>| None::<String>))
        .component(CodeComponent::new("blank", |_: &Inputs<'_>| " \n "))
        .component(CodeComponent::new("works", |_: &Inputs<'_>| "works"));
    let order = ["fails", "panics", "silent", "blank", "unheard_of", "works"];
    let prompt = built(items, &order, json!({}));
    assert_eq!(prompt.text(), "works");
    assert_eq!(
        codes(&prompt),
        [Code::ComponentFailed, Code::ComponentFailed, Code::ComponentUnknown]
    );
    let messages: Vec<&str> =
        prompt.diagnostics().iter().map(|told| told.message.as_str()).collect();
    assert!(
        messages[0].contains("the disk is full") && messages[1].contains("out of ideas"),
        "{messages:?}"
    );
    let skipped =
        prompt.skipped().iter().map(|skipped| (skipped.id.as_str(), skipped.reason.as_str()));
    let expected = [
        ("fails", "failed"),
        ("panics", "failed"),
        ("silent", "empty"),
        ("blank", "empty"),
        ("unheard_of", "unknown"),
    ];
    assert_eq!(skipped.collect::<Vec<_>>(), expected);
}

#[test]
fn a_component_gets_only_the_keys_that_it_declares() {
    let items = Items::new("house").component(
        CodeComponent::new("nosy", |inputs: &Inputs<'_>| {
            format!("{:?} {:?}", inputs.text("user.name"), inputs.text("user.language"))
        })
        .reads(&["user.name"]),
    );
    let prompt =
        built(items, &["nosy"], json!({ "user": { "name": "Ada", "language": "French" } }));
    assert_eq!(prompt.text(), "Some(\"Ada\") None");
    assert_eq!(codes(&prompt), [Code::InputUndeclared]);
    assert!(prompt.diagnostics()[0].message.contains("user.language"));
}

#[test]
fn origins_of_an_output_are_those_of_its_spans() {
    let items = Items::new("house").component(CodeComponent::new("rules", |_: &Inputs<'_>| {
        let mut output = Output::new("own ");
        output.push("first", Origin::Context("rules.first".into()));
        output.push("second", Origin::Context("rules.second".into()));
        output
    }));
    let prompt = built(items, &["rules"], json!({}));
    let spans: Vec<String> = prompt
        .spans()
        .map(|span| format!("{} {}", &prompt.text()[span.range.clone()], span.origin))
        .collect();
    assert_eq!(
        spans,
        ["own  house/rules", "first context rules.first", "second context rules.second"]
    );
}

#[test]
fn origins_that_do_not_fit_are_ignored() {
    let items = Items::new("house").component(CodeComponent::new("rules", |_: &Inputs<'_>| {
        let mut output = Output::new("häßlich");
        for (start, end) in [(0, 2), (5, 3), (4, 400), (2, 3), (1, usize::MAX)] {
            let range = start..end;
            output.origins.push((range, Origin::Context("wrong".into())));
        }
        output
    }));
    assert_eq!(built(items, &["rules"], json!({})).text(), "häßlich");
}

#[test]
fn values_are_data() {
    let items = Items::new("house").component(CodeComponent::new(
        "braces",
        |_: &Inputs<'_>| "{{cwd}} {{#if x}} {{> p}} {{cache_boundary}}",
    ));
    let files = [
        ("generic.toml", "order = [\"braces\"]\n".into()),
        ("generic.hbs", "{{braces}} {{cwd}}".into()),
    ];
    let prompt = built_from(items, &files, json!({ "placeholders": { "cwd": "{{braces}}" } }));
    assert_eq!(prompt.text(), "{{cwd}} {{#if x}} {{> p}} {{cache_boundary}} {{braces}}");
}

/// Answers all components of a build at once, and counts how often it is asked to.
struct Counting(Arc<AtomicUsize>);

struct Answers(Vec<(Arc<str>, String)>);

impl Extension for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn components(&self) -> Vec<CodeComponent> {
        let never = |_: &Inputs<'_>| -> String { panic!("the batch answers") };
        ["one", "two", "three"].map(|id| CodeComponent::new(id, never)).into()
    }

    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let answer =
            |id: &Arc<str>| (Arc::clone(id), format!("{id} of {}", build.components.len()));
        Some(Box::new(Answers(build.components.iter().map(answer).collect())))
    }
}

impl Batch for Answers {
    fn component(&mut self, id: &str, inputs: &Inputs<'_>) -> Result<Option<Output>, String> {
        let place = inputs.text("cwd").unwrap_or_default();
        let answer = self.0.iter().find(|(known, _)| &**known == id);
        Ok(answer.map(|(_, text)| Output::new(format!("{text} in {place}"))))
    }
}

#[test]
fn a_batch_begins_once_a_build_and_knows_what_will_run() {
    let begun = Arc::new(AtomicUsize::new(0));
    let items = Counting(Arc::clone(&begun));
    let prompt = built(items, &["one", "three"], json!({ "cwd": "/p" }));
    assert_eq!(prompt.text(), "one of 2 in /p\n\nthree of 2 in /p");
    assert_eq!(begun.load(Ordering::Relaxed), 1);
    assert_eq!(class(&prompt, "one"), CacheClass::Session);
}

#[test]
fn a_begin_that_panics_leaves_the_items_one_by_one() {
    struct Panicking;
    impl Extension for Panicking {
        fn name(&self) -> &str {
            "panicking"
        }
        fn components(&self) -> Vec<CodeComponent> {
            vec![CodeComponent::new("one", |_: &Inputs<'_>| "alone")]
        }
        fn begin(&self, _: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
            panic!("no batch today")
        }
    }
    assert_eq!(built(Panicking, &["one"], json!({})).text(), "alone");
}

fn matched(answer: fn(&Inputs<'_>) -> Result<bool, String>) -> (String, Vec<Code>) {
    let items = Items::new("house").matcher(CodeMatcher::new("asked", answer));
    let files = [
        ("generic.toml", "order = [\"role\"]\n".into()),
        ("special.toml", "extends = \"generic\"\n[match]\nmatchers = [\"asked\"]\n".into()),
        ("components/role.md", "role".into()),
    ];
    let prompt = built_from(items, &files, json!({ "user": { "name": "Ada" } }));
    (prompt.variant().id.to_string(), codes(&prompt))
}

#[test]
fn matchers() {
    let special = || "special".to_owned();
    let generic = || "generic".to_owned();
    assert_eq!(matched(|_| Ok(true)), (special(), vec![]));
    assert_eq!(matched(|inputs| Ok(inputs.text("user.name") == Some("Ada"))), (special(), vec![]));
    assert_eq!(matched(|_| Ok(false)), (generic(), vec![]));
    assert_eq!(matched(|_| Err("no network".into())), (generic(), vec![Code::MatcherFailed]));
    assert_eq!(matched(|_| panic!("gone")), (generic(), vec![Code::MatcherFailed]));
}

#[test]
fn helpers() {
    let shout = |arguments: &[Json], _: &Map<String, Json>| -> Result<Json, String> {
        let text = arguments.first().and_then(Json::as_str).ok_or("give one text")?;
        Ok(text.to_uppercase().into())
    };
    let items = Items::new("house")
        .helper(CodeHelper::new("shout", shout))
        .helper(
            CodeHelper::new("dice", |_: &[Json], _: &Map<String, Json>| Ok(json!(4)))
                .class(CacheClass::Volatile),
        )
        .helper(CodeHelper::new("panics", |_: &[Json], _: &Map<String, Json>| panic!("oh")));
    let files = [
        ("generic.toml", "order = [\"good\", \"rolled\", \"bad\", \"worse\"]\n".into()),
        ("components/good.md", "{{shout \"hear me\"}} {{shout model.id}}".into()),
        ("components/rolled.md", "rolled {{dice}}".into()),
        ("components/bad.md", "bad {{shout 7}}".into()),
        ("components/worse.md", "worse {{panics}}".into()),
    ];
    let prompt = built_from(items, &files, json!({ "model": { "id": "m" } }));
    assert!(prompt.text().starts_with("HEAR ME M\n\nrolled 4"), "{}", prompt.text());
    assert_eq!(class(&prompt, "good"), CacheClass::Static);
    assert_eq!(class(&prompt, "rolled"), CacheClass::Volatile);
    assert!(prompt.diagnostics().iter().any(|told| told.message.contains("give one text")));
    assert!(prompt.diagnostics().iter().any(|told| told.message.contains("oh")));
}

#[test]
fn probes_fill_what_the_host_did_not_give() {
    let items = Items::new("house")
        .probe(Probe::new("git.branch", |_| Ok(json!("probed"))))
        .probe(Probe::new("cwd", |_| Ok(json!("/probed"))))
        .probe(Probe::new("date", |_| Err("no clock".into())))
        .probe(Probe::new("os", |_| panic!("no system")));
    let engine = Engine::builder().pack(pack::memory(&[])).extension(items).build().unwrap();
    let (context, told) = engine.probe(&pack::context(json!({ "cwd": "/given" })));
    assert_eq!(context.text("git.branch"), Some("probed"));
    assert_eq!(context.text("cwd"), Some("/given"));
    assert_eq!((context.get("date"), context.get("os")), (None, None));
    let codes: Vec<Code> = told.iter().map(|told| told.code).collect();
    assert_eq!(codes, [Code::ProbeFailed, Code::ProbeFailed]);
}

#[test]
fn files_of_an_extension_are_read_like_a_pack() {
    let items = Items::new("house")
        .file("components/role.md", "{{base}}, in this house")
        .file("tools/ring.toml", "description = \"Rings.\"\nrole = \"bell\"\n")
        .file("partials/sign.hbs", "signed")
        .file("generic.toml", "order = [\"role\", \"bell\"]\n")
        .file("components/bell.md", "Use {{tool \"bell\"}}. {{> sign}}");
    let files = [("components/role.md", "You work".into())];
    let prompt = built_from(items, &files, json!({}));
    assert_eq!(prompt.text(), "You work, in this house\n\nUse ring. signed");
    assert_eq!(prompt.tools(), [Arc::from("ring")]);
}

#[test]
fn the_later_of_two_items_wins_and_is_told() {
    let named = |name: &str, text: &'static str| {
        Items::new(name).component(CodeComponent::new("role", move |_: &Inputs<'_>| text))
    };
    let files = [("generic.toml", "order = [\"role\"]\n"), ("components/role.md", "from the pack")];
    let engine = Engine::builder()
        .pack(pack::memory(&files))
        .extension(named("first", "first"))
        .extension(named("second", "second"))
        .build()
        .unwrap();
    let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
    assert_eq!(prompt.text(), "second");
    let shadowed = engine.registry().shadowed.iter();
    assert_eq!(shadowed.filter(|shadowed| &*shadowed.id == "role").count(), 2);
}
