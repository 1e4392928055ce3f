//! What items read, report and widen.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::{CacheClass, Code, Context, Diagnostic, Engine, Origin, Prompt, Severity};
use promptweave::{CodeComponent, CodeHelper, CodeMatcher, Inputs, Items, Probe};
use promptweave_tests::{pack, whole};
use serde_json::{Map, Value as Json, json};

fn built(items: Items, files: &[(&str, &str)], context: Json) -> Prompt {
    let engine = Engine::builder().pack(pack::memory(files)).extension(items).build().unwrap();
    assert!(engine.diagnostics().is_empty(), "{:?}", engine.diagnostics());
    let prompt = engine.prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    prompt
}

/// `severity[code] origin: message`
fn told(prompt: &Prompt) -> Vec<String> {
    prompt.diagnostics().iter().map(ToString::to_string).collect()
}

fn class(prompt: &Prompt, id: &str) -> CacheClass {
    prompt.sections().iter().find(|section| &*section.id == id).unwrap().class
}

fn causes(prompt: &Prompt) -> Vec<String> {
    prompt.hinges().map(|hinge| hinge.cause.to_string()).collect()
}

fn note(text: &str, origin: Origin) -> Diagnostic {
    let told = Diagnostic::new(Code::PluginReport, text, origin).help("look at it");
    Diagnostic { severity: Severity::Note, ..told }
}

#[test]
fn code_sees_the_whole_variant_and_its_labels() {
    let items = Items::new("house").component(CodeComponent::new("seen", |inputs: &Inputs<'_>| {
        let variant = inputs.variant();
        format!("{} {} {:?} {:?}", variant.id, variant.family, variant.tags, inputs.labels())
    }));
    let labels = format!("{}[labels.generic]\nstable = 1\nold = 1\n", pack::PACK);
    let files = [
        ("pack.toml", labels.as_str()),
        ("generic.toml", "order = ['seen']\nfamily = 'claude'\ntags = ['big']"),
    ];
    let prompt = built(items, &files, json!({}));
    assert_eq!(prompt.text(), r#"generic claude ["big"] ["old", "stable"]"#);
    assert_eq!(class(&prompt, "seen"), CacheClass::Static);
}

#[test]
fn what_is_declared_covers_what_lies_below() {
    let paths = ["tools", "tools[0].name", "tools.0.name", "toolsmith", "tools2[0]", "cwd"];
    let items = Items::new("house").component(
        CodeComponent::new("seen", move |inputs: &Inputs<'_>| {
            paths.map(|path| inputs.get(path).is_some().to_string()).join(" ")
        })
        .reads(&["tools"]),
    );
    let context = json!({
        "tools": [{ "name": "read" }], "toolsmith": 1, "tools2": [1], "cwd": "/p"
    });
    let prompt = built(items, &[("generic.toml", "order = ['seen']")], context);
    assert_eq!(prompt.text(), "true true true false false false");
    assert_eq!(class(&prompt, "seen"), CacheClass::Session, "that of `tools`");
    let undeclared = told(&prompt).into_iter().filter(|one| one.contains("input-undeclared"));
    assert_eq!(undeclared.count(), 3);
}

#[test]
fn reports_are_kept_whatever_the_item_answers() {
    let reporting = |id: &'static str, end: fn() -> Result<Option<String>, String>| {
        CodeComponent::new(id, move |inputs: &Inputs<'_>| {
            inputs.report(note(&format!("{id} was here"), Origin::Engine));
            end()
        })
    };
    let items = Items::new("house")
        .component(reporting("fine", || Ok(Some("fine".into()))))
        .component(reporting("silent", || Ok(None)))
        .component(reporting("fails", || Err("no".into())))
        .component(reporting("panics", || panic!("oh")))
        .component(CodeComponent::new("placed", |inputs: &Inputs<'_>| {
            let place = Origin::Context("rules.global".into());
            inputs.report(Diagnostic::new(Code::PluginReport, "a rule is odd", place));
            "placed"
        }));
    let files = [
        ("generic.toml", "order = ['fine', 'silent', 'renamed', 'panics', 'placed']"),
        ("components/renamed.toml", "from = 'house/fails'"),
    ];
    let prompt = built(items, &files, json!({}));
    let expected = [
        "note[plugin-report] house/fine: fine was here",
        "note[plugin-report] house/silent: silent was here",
        "note[plugin-report] house/fails: fails was here",
        "warning[component-failed] test/components/renamed.toml:1:1: component `renamed` failed in `house/fails`: no",
        "note[plugin-report] house/panics: panics was here",
        "warning[component-failed] house/panics: component `panics` failed: it panicked: oh",
        "warning[plugin-report] context rules.global: a rule is odd",
    ];
    assert_eq!(told(&prompt), expected);
    assert_eq!(prompt.diagnostics()[0].help.as_deref(), Some("look at it"));
}

#[test]
fn a_note_fails_nothing_in_strict_mode_and_a_warning_does() {
    for (severity, fails) in [(Severity::Note, false), (Severity::Warning, true)] {
        let items =
            Items::new("house").component(CodeComponent::new("x", move |inputs: &Inputs<'_>| {
                inputs.report(Diagnostic { severity, ..note("odd", Origin::Engine) });
                "x"
            }));
        let files = [("generic.toml", "order = ['x']")];
        let builder = Engine::builder().pack(pack::memory(&files)).extension(items).strict(true);
        let prompt = builder.build().unwrap().prompt(&Context::default());
        assert_eq!(prompt.is_err(), fails);
    }
}

/// A component that reads `cwd`, which is of a session, and then widens.
fn widening(class: CacheClass) -> CodeComponent {
    CodeComponent::new("x", move |inputs: &Inputs<'_>| {
        inputs.widen(class, "as the wind blows");
        inputs.widen(CacheClass::Static, "never narrower");
        format!("in {}", inputs.text("cwd").unwrap_or_default())
    })
}

#[test]
fn a_class_is_widened_and_never_narrowed() {
    use CacheClass::{Session, Static, Volatile};
    for (chosen, expected, cause) in [
        (Static, Session, "cwd"),
        (Session, Session, "as the wind blows"),
        (Volatile, Volatile, "as the wind blows"),
    ] {
        let items = Items::new("house").component(widening(chosen));
        let files = [("generic.toml", "order = ['x']")];
        let prompt = built(items, &files, json!({ "cwd": "/p" }));
        assert_eq!(class(&prompt, "x"), expected);
        assert_eq!(causes(&prompt)[0], cause, "{chosen}");
        assert!(told(&prompt).is_empty(), "{:?}", told(&prompt));
    }
}

#[test]
fn code_may_take_back_its_own_class_but_not_that_of_a_file() {
    let files = [
        ("generic.toml", "order = ['x', 'y']"),
        ("components/y.toml", "from = 'house/x'\ncache = 'session'"),
    ];
    let items = Items::new("house").component(widening(CacheClass::Volatile).session());
    let prompt = built(items, &files, json!({ "cwd": "/p" }));
    assert_eq!(class(&prompt, "x"), CacheClass::Volatile);
    let told = told(&prompt);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("warning[class-wider] test/components/y.toml"), "{told:?}");
}

fn place(inputs: &Inputs<'_>, args: &[Json], _: &Map<String, Json>) -> Result<Json, String> {
    let greeting = args.first().and_then(Json::as_str).ok_or("it takes a greeting")?;
    let (place, family) = (inputs.text("cwd").unwrap_or("nowhere"), &inputs.variant().family);
    Ok(format!("{greeting} {family} in {place}{}", inputs.section("role").unwrap_or("")).into())
}

#[test]
fn a_helper_reads_what_it_declares() {
    let items = Items::new("house")
        .helper(CodeHelper::reading("place", &["cwd", "user"], place))
        .helper(CodeHelper::reading("hour", &["time"], |inputs, _, _| {
            Ok(inputs.get("time").or(inputs.get("house")).cloned().unwrap_or(Json::Null))
        }))
        .helper(CodeHelper::reading("fixed", &["time"], |_, _, _| Ok("fixed".into())))
        .helper(CodeHelper::reading("wide", &["cwd"], |inputs, _, _| {
            inputs.widen(CacheClass::Volatile, "who knows");
            Ok(inputs.get("cwd").cloned().unwrap_or(Json::Null))
        }));
    let files = [
        ("generic.toml", "order = ['role', 'one', 'two', 'three', 'four', 'five']"),
        ("components/role.md", "role"),
        ("components/one.md", "one {{place \"hi\"}}"),
        ("components/two.md", "two {{place mode}}"),
        ("components/three.md", "three {{hour}}"),
        ("components/four.md", "four {{fixed}}"),
        ("components/five.md", "five {{wide}}"),
    ];
    let context = json!({ "cwd": "/p", "house": "late", "mode": "plan" });
    let prompt = built(items, &files, context);
    let expected =
        "role\n\none hi generic in /p\n\ntwo plan generic in /p\n\nthree\n\nfour fixed\n\nfive /p";
    assert_eq!(prompt.text(), expected);
    use CacheClass::{Session, Static, Volatile};
    let classes = ["one", "two", "three", "four", "five"].map(|id| class(&prompt, id));
    assert_eq!(classes, [Session, Volatile, Volatile, Static, Volatile]);
    let causes = causes(&prompt);
    assert_eq!(causes, ["cwd", "mode", "time", "wide"]);
    assert_eq!(
        told(&prompt),
        ["warning[input-undeclared] house/hour: helper `hour` reads `house` without declaring it"]
    );
}

#[test]
fn a_helper_runs_once_for_the_same_arguments() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let count = move |inputs: &Inputs<'_>, args: &[Json], _: &Map<String, Json>| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        inputs.report(note(&format!("call {number}"), Origin::Engine));
        match args.first() {
            None => Err("it takes one".into()),
            Some(arg) => Ok(format!("{arg}#{number}").into()),
        }
    };
    let items = Items::new("house").helper(CodeHelper::reading("count", &[], count));
    let files = [
        ("generic.toml", "order = ['one', 'two', 'docs']\ntools = ['ring']"),
        ("generic.hbs", "{{one}} {{two}} {{docs}} {{count 'a'}}"),
        (
            "components/one.md",
            "{{count 'a'}} {{count 'a' k=1}} {{count 'a' k='1'}} {{count 1}} {{count '1'}}{{count}}",
        ),
        ("components/two.md", "{{count 'a'}} {{count (count 'a')}} {{count}}"),
        ("components/docs.md", "{{tool_docs}}"),
        ("tools/ring.toml", "description = \"Rings {{count 'a'}}\""),
    ];
    let prompt = built(items, &files, json!({}));
    assert!(prompt.text().starts_with("\"a\"#0 \"a\"#1 \"a\"#2 1#3 \"1\"#4"), "{}", prompt.text());
    assert!(prompt.text().contains("Rings \"a\"#0"), "{}", prompt.text());
    assert!(prompt.text().ends_with("\"a\"#0"), "{}", prompt.text());
    assert_eq!(calls.load(Ordering::Relaxed), 7, "{}", prompt.text());
    let told = told(&prompt);
    assert_eq!(told.iter().filter(|one| one.contains("plugin-report")).count(), 7, "{told:?}");
    let failed = told.iter().filter(|one| one.contains("helper-failed"));
    assert_eq!(failed.count(), 2, "each place is told: {told:?}");
    assert_eq!(told.len(), 9, "{told:?}");
}

#[test]
fn a_matcher_reads_what_it_declares_and_reports() {
    let items = Items::new("house").matcher(
        CodeMatcher::new("asked", |inputs: &Inputs<'_>| {
            inputs.report(note("asked", Origin::Engine));
            Ok(inputs.get("user.name").is_some() && inputs.get("cwd").is_none())
        })
        .reads(&["user"]),
    );
    let files = [
        ("generic.toml", "order = ['role']"),
        ("special.toml", "extends = 'generic'\n[match]\nmatchers = ['house/asked']\n"),
        ("components/role.md", "role"),
    ];
    let prompt = built(items, &files, json!({ "user": { "name": "Ada" }, "cwd": "/p" }));
    assert_eq!(prompt.variant().id.as_str(), "special");
    let expected = [
        "note[plugin-report] house/asked: asked",
        "warning[input-undeclared] house/asked: matcher `house/asked` reads `cwd` without declaring it",
    ];
    assert_eq!(told(&prompt), expected);
}

#[test]
fn a_helper_takes_no_name_that_means_something() {
    let helper = |name: &str| CodeHelper::new(name, |_, _| Ok("helped".into()));
    let taken = ["eq", "if", "base", "cwd", "user", "CWD", "MODEL_FAMILY", "role", "own"];
    let items = Items::new("house").component(CodeComponent::new("own", |_: &Inputs<'_>| "own"));
    let items = taken.iter().chain(&["fine"]).fold(items, |items, name| items.helper(helper(name)));
    let files = [
        ("generic.toml", "order = ['role', 'own']"),
        ("generic.hbs", "{{role}} {{own}} {{fine}} {{CWD}}"),
        ("components/role.md", "role in {{cwd}}"),
    ];
    let engine = Engine::builder().pack(pack::memory(&files)).extension(items).build().unwrap();
    let mut told: Vec<String> = engine
        .diagnostics()
        .iter()
        .map(|one| format!("{} {}", one.code.as_str(), one.origin))
        .collect();
    told.sort();
    let mut expected = taken.map(|name| format!("extension-conflict house/{name}"));
    expected.sort();
    assert_eq!(told, expected);
    assert!(engine.diagnostics().iter().all(|one| one.help.is_some()));
    let prompt = engine.prompt(&pack::context(json!({ "cwd": "/p" }))).unwrap();
    assert_eq!(prompt.text(), "role in /p own helped /p");
}

#[test]
fn probes_report_and_may_find_nothing() {
    let items = Items::new("house")
        .probe(Probe::new("os", |_| Ok(Json::Null)))
        .probe(Probe::telling("git", |_, told| {
            told.push(note("the status was late", Origin::Engine));
            Ok(json!({ "branch": "main" }))
        }))
        .probe(Probe::telling("shell", |_, told| {
            told.push(note("it began", Origin::Engine));
            Err("and failed".into())
        }));
    let engine = Engine::builder().extension(items).build().unwrap();
    let (found, told) = engine.probe(&Context::default());
    assert_eq!(found.as_json(), &json!({ "git": { "branch": "main" } }));
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "note[plugin-report] house/git: the status was late",
            "note[plugin-report] house/shell: it began",
            "warning[probe-failed] house/shell: probe `house/shell` failed: and failed",
        ]
    );
}
