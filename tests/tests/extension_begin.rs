//! What extensions are told when a build begins, and when.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::{Arc, Mutex};

use promptweave::{Ask, Engine, Prompt};
use promptweave::{Batch, Build, Code, CodeComponent, Extension, Inputs, Items, Output};
use promptweave_tests::{pack, whole};
use serde_json::{Value as Json, json};

/// What happened, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// Writes down when it begins and what it is asked for.
struct Noting {
    name: &'static str,
    ids: &'static [&'static str],
    log: Log,
}

impl Extension for Noting {
    fn name(&self) -> &str {
        self.name
    }

    fn components(&self) -> Vec<CodeComponent> {
        let never = |_: &Inputs<'_>| -> String { panic!("the batch answers") };
        self.ids.iter().map(|id| CodeComponent::new(id, never)).collect()
    }

    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        self.log.lock().unwrap().push(format!(
            "{} begins {}",
            self.name,
            build.components.join(" ")
        ));
        Some(Box::new(Noted(self)))
    }
}

struct Noted<'n>(&'n Noting);

impl Batch for Noted<'_> {
    fn component(&mut self, id: &str, _: &Inputs<'_>) -> Result<Option<Output>, String> {
        self.0.log.lock().unwrap().push(format!("{} is asked for {id}", self.0.name));
        Ok(Some(Output::new(format!("text of {id}"))))
    }
}

/// Builds with two extensions whose names do not stand in their stacking order.
fn built(files: &[(&str, &str)], context: Json) -> (Prompt, Vec<String>) {
    let log = Log::default();
    let noting = |name, ids| Noting { name, ids, log: Arc::clone(&log) };
    let engine = Engine::builder()
        .pack(pack::memory(files))
        .extension(noting("zeta", &["z1", "z2"]))
        .extension(noting("alpha", &["a1", "a2"]))
        .build()
        .unwrap();
    assert!(engine.diagnostics().is_empty(), "{:?}", engine.diagnostics());
    let prompt = engine.prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    let log = std::mem::take(&mut *log.lock().unwrap());
    (prompt, log)
}

#[test]
fn all_begin_before_any_is_asked() {
    let files =
        [("generic.toml", "order = ['role', 'a2', 'z1', 'a1']"), ("components/role.md", "role")];
    let (_, log) = built(&files, json!({}));
    let expected = [
        "zeta begins z1",
        "alpha begins a2 a1",
        "alpha is asked for a2",
        "zeta is asked for z1",
        "alpha is asked for a1",
    ];
    assert_eq!(log, expected);
}

#[test]
fn each_list_of_a_variant_begins_for_itself() {
    let files =
        [("generic.toml", "order = ['a1']\nsystem_context = ['z1']\nuser_context = ['a2', 'z2']")];
    let (_, log) = built(&files, json!({}));
    let expected = [
        "alpha begins a1",
        "alpha is asked for a1",
        "zeta begins z1",
        "zeta is asked for z1",
        "zeta begins z2",
        "alpha begins a2",
        "alpha is asked for a2",
        "zeta is asked for z2",
    ];
    assert_eq!(log, expected);
}

/// A way to have the item `z1` behind the component `x`: more files, and whether it is asked for.
const WAYS: &[(&str, &str, &str, bool)] = &[
    ("as it is", "", "from = 'zeta/z1'", true),
    ("`when` holds", "", "from = 'zeta/z1'\nwhen = 'native_tools'", true),
    ("`when` does not hold", "", "from = 'zeta/z1'\nwhen = '!native_tools'", false),
    ("`when` fails", "", "from = 'zeta/z1'\nwhen = 'mode > 1'", false),
    ("switched off", "[override.x]\nenabled = false", "from = 'zeta/z1'", false),
    ("another text", "[override.x]\ntext = 'own'", "from = 'zeta/z1'", false),
    ("another template", "[override.x]\ntemplate = 'own'", "from = 'zeta/z1'", false),
    ("a template around it", "[override.x]\ntemplate = '{{base}}!'", "from = 'zeta/z1'", true),
    (
        "a template that looks",
        "[override.x]\ntemplate = '{{#if base}}!{{/if}}'",
        "from = 'zeta/z1'",
        true,
    ),
    ("switched on", "[override.x]\nenabled = true", "from = 'zeta/z1'", true),
    ("another item", "", "from = 'alpha/a1'", false),
    ("no such item", "", "from = 'zeta/z9'", false),
];

#[test]
fn what_begins_is_what_is_asked_for() {
    for (about, own, component, asked) in WAYS {
        let variant = format!("order = ['x']\n{own}");
        let files = [("generic.toml", &*variant), ("components/x.toml", component)];
        let (prompt, log) = built(&files, json!({}));
        let zeta: Vec<&String> = log.iter().filter(|line| line.starts_with("zeta")).collect();
        let expected: &[&str] =
            if *asked { &["zeta begins z1", "zeta is asked for z1"] } else { &[] };
        assert_eq!(zeta, expected, "{about}: {log:?}");
        let failed = prompt.diagnostics().iter().filter(|one| one.code == Code::ConditionFailed);
        assert_eq!(failed.count(), usize::from(*about == "`when` fails"), "{about}: told once");
        assert_eq!(
            prompt.text().contains("text of z1"),
            *asked && !about.contains("looks"),
            "{about}"
        );
    }
}

#[test]
fn an_extension_above_may_print_the_item_or_not() {
    for (above, asked) in [
        ("{{base}} and more", true),
        ("nothing of it", false),
        ("+++\nwhen = '!native_tools'\n+++\n{{base}}", false),
    ] {
        let log = Log::default();
        let noting = Noting { name: "zeta", ids: &["x"], log: Arc::clone(&log) };
        let engine = Engine::builder()
            .pack(pack::memory(&[("generic.toml", "order = ['x']")]))
            .extension(noting)
            .extension(Items::new("above").file("components/x.md", above))
            .build()
            .unwrap();
        engine.prompt(&pack::context(json!({}))).unwrap();
        let expected: &[&str] = if asked { &["zeta begins x", "zeta is asked for x"] } else { &[] };
        assert_eq!(*log.lock().unwrap(), expected, "{above}");
    }
}

/// A needless item costs time, a missing one costs the section.
#[test]
fn an_item_of_some_cases_begins_in_all() {
    let cases = "select = 'all'\n[[case]]\nwhen = 'mode == \"plan\"'\ntemplate = '{{base}}'\n\
                 [[case]]\ntext = 'always'";
    for (mode, asked) in [("plan", true), ("act", false)] {
        let log = Log::default();
        let noting = Noting { name: "zeta", ids: &["x"], log: Arc::clone(&log) };
        let engine = Engine::builder()
            .pack(pack::memory(&[("generic.toml", "order = ['x']")]))
            .extension(noting)
            .extension(Items::new("above").file("components/x.toml", cases))
            .build()
            .unwrap();
        let prompt = engine.prompt(&pack::context(json!({ "mode": mode }))).unwrap();
        assert_eq!(prompt.text().contains("text of x"), asked, "{:?}", prompt.diagnostics());
        assert_eq!(log.lock().unwrap()[0], "zeta begins x");
    }
}

#[test]
fn an_item_of_two_components_begins_once() {
    let files = [
        ("generic.toml", "order = ['x', 'z1', 'y']"),
        ("components/x.toml", "from = 'zeta/z1'"),
        ("components/y.toml", "from = 'zeta/z1'"),
    ];
    let (prompt, log) = built(&files, json!({}));
    assert_eq!(log[0], "zeta begins z1");
    assert_eq!(log.len(), 4, "each component asks for its own text: {log:?}");
    assert_eq!(prompt.text(), "text of z1\n\ntext of z1\n\ntext of z1");
}

#[test]
fn a_build_shows_the_variant_and_its_labels() {
    /// Prints what it sees of the variant at the beginning.
    struct Seeing;
    impl Extension for Seeing {
        fn name(&self) -> &str {
            "seeing"
        }
        fn components(&self) -> Vec<CodeComponent> {
            vec![CodeComponent::new("seen", |_: &Inputs<'_>| "nothing")]
        }
        fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
            let Build { variant, labels, context, .. } = build;
            let (id, version, family) = (&variant.id, variant.version, &variant.family);
            let cwd = context.text("cwd");
            Some(Box::new(Saying(format!("{id} {version} {family} {labels:?} {cwd:?}"))))
        }
    }
    struct Saying(String);
    impl Batch for Saying {
        fn component(&mut self, _: &str, _: &Inputs<'_>) -> Result<Option<Output>, String> {
            Ok(Some(Output::new(self.0.as_str())))
        }
    }
    let labels = format!("{}[labels.generic]\nstable = 2\ncanary = 2\nold = 1\n", pack::PACK);
    let files = [
        ("pack.toml", labels.as_str()),
        ("generic@1.toml", "order = ['seen']\nfamily = 'house'"),
        ("generic@2.toml", "order = ['seen']\nversion = 2"),
    ];
    let builder = Engine::builder().pack(pack::memory(&files)).extension(Seeing);
    let engine = builder.build().unwrap();
    let context = pack::context(json!({ "cwd": "/p" }));
    let text = |name: &str| {
        let ask = Ask { variant: Some(name.into()), ..Ask::default() };
        engine.prompt_for(&context, &ask).unwrap().text().to_owned()
    };
    assert_eq!(text("generic"), r#"generic 2 generic ["canary", "stable"] Some("/p")"#);
    assert_eq!(text("generic@1"), r#"generic 1 house ["old"] Some("/p")"#);
}
