//! Sections that a session puts into its last prompt stand there as if all had been rendered anew.
//!
//! Random packs whose templates print plain names among headings, separators and fences, each taken through random
//! contexts that differ in few keys.

use std::fmt;

use promptweave::{Ask, Clock, Context, Engine, MemorySource};
use promptweave_tests::random;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use serde_json::{Map, Value as Json, json};

use crate::comparable;
use crate::contexts::TEXTS;

/// How many contexts a session sees.
const TURNS: usize = 8;

/// What stands in base templates between the tags.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "words", "\n", "\n\n", "\n\n\n\n", " ", "  ", "# ", "## ", "# Head\n", "\n\n## Head\n\n", "\n====\n", "\n\n====\n\n", "====", "=",
    "```\n", "\n```\n", "~~~ ", "- ", "\r\n", "\t", "some words. ", "é",
];

const TAGS: &[&str] = &[
    "{{c0}}",
    "{{c1}}",
    "{{c2}}",
    "{{c3}}",
    "\n\n{{c0}}\n\n{{c1}}\n\n",
    "\n{{c2}}\n",
    "{{NAME}}",
    "{{CWD}}",
    "{{cache_boundary}}",
];

/// Bodies of components, as TOML.
#[rustfmt::skip]
const BODIES: &[&str] = &[
    "template = '{{memory.text}}'", "template = 'a {{memory.text}}'", "template = '{{memory.text}} b'",
    "template = \"first\\n{{memory.text}}\\nlast\"", "template = \"# Notes\\n\\n{{#if memory.text}}\\n{{memory.text}}\\n{{/if}}\"",
    "template = '{{cwd}}'", "template = '{{cwd}} {{memory.text}} {{user.name}}'", "template = '{{user.name}}'", "value = 'memory.text'",
    "value = 'cwd'", "text = 'fixed'", "text = '''\nfixed\n\ntext'''", "template = '{{#if cwd}}in {{cwd}}{{else}}nowhere{{/if}}'",
    "template = '{{mode}}'\nwhen = \"memory.text != ''\"", "template = '{{sections.c0}} {{mode}}'",
    "template = '{{#if (has_tool \"t\")}}{{user.name}}{{else}}{{memory.text}}{{/if}}'", "template = '{{tool_docs}}{{mode}}'",
    "value = 'user.name'\npriority = 3",
];

const KEYS: &[&str] = &["memory.text", "cwd", "user.name", "mode", "tools", "placeholders.NAME"];

const LONGER: &[&str] = &[
    "a much longer note, of several words",
    "one\n\n\ntwo",
    "x\n# y",
    "## y\nx",
    "12",
    "a\n```\nb",
];

#[derive(Clone)]
struct Plan {
    tidy: &'static str,
    base: Option<String>,
    bodies: Vec<&'static str>,
    ending: bool,
    turns: Vec<Vec<(usize, usize)>>,
}

/// A failure shows the files.
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files().iter().try_for_each(|(path, text)| write!(f, "\n--- {path}\n{text}"))
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    let part = prop_oneof![3 => select(AROUND), 2 => select(TAGS)];
    let base = proptest::collection::vec(part, 1..14).prop_map(|parts| parts.concat());
    let change = (0..KEYS.len(), 0..TEXTS.len() + LONGER.len());
    (
        select(&["structural", "structural", "structural", "off", "classic"][..]),
        proptest::option::weighted(0.8, base),
        proptest::collection::vec(select(BODIES), 4),
        any::<bool>(),
        proptest::collection::vec(proptest::collection::vec(change, 1..3), TURNS),
    )
        .prop_map(|(tidy, base, bodies, ending, turns)| Plan {
            tidy,
            base,
            bodies,
            ending,
            turns,
        })
}

impl Plan {
    fn files(&self) -> Vec<(String, String)> {
        let ending = if self.ending { "['c3']" } else { "[]" };
        let last = if self.ending { "" } else { ", 'c3'" };
        let generic = format!(
            "order = ['c0', 'c1', 'c2'{last}]\nsystem_context = {ending}\ntidy = '{}'\nplaceholders = {{ NAME = 'name' }}",
            self.tidy
        );
        let mut files = vec![
            ("pack.toml".into(), "format = 1\nname = 'random'\nversion = '1'\n".into()),
            ("generic.toml".into(), generic),
            ("tools/t.toml".into(), "description = 'a tool'".into()),
        ];
        files.extend(self.base.iter().map(|base| ("generic.hbs".into(), base.clone())));
        let bodies = self.bodies.iter().enumerate();
        files.extend(
            bodies.map(|(at, body)| (format!("components/c{at}.toml"), (*body).to_owned())),
        );
        files
    }

    fn engine(&self) -> Engine {
        let source = MemorySource::new("random", self.files());
        Engine::builder().pack(source).build().expect("an engine that is not strict")
    }
}

/// The value of a key; the same number may stand for the same text of several keys.
fn value(key: &str, at: usize) -> Json {
    let text = TEXTS.iter().chain(LONGER).nth(at).expect("within both lists");
    match key {
        "tools" if at.is_multiple_of(3) => json!(["t"]),
        "tools" => json!([]),
        "mode" => json!(if at.is_multiple_of(2) { "plan" } else { "act" }),
        _ => json!(text),
    }
}

fn set(context: &mut Map<String, Json>, key: &str, value: Json) {
    match key.split_once('.') {
        None => drop(context.insert(key.into(), value)),
        Some((parent, key)) => {
            let parent = context.entry(parent).or_insert_with(|| json!({}));
            parent[key] = value;
        }
    }
}

proptest! {
    #![proptest_config(Config {
        cases: random::cases(300), max_shrink_iters: 20_000, failure_persistence: None, ..Config::default()
    })]

    #[test]
    fn edited_prompts_are_those_of_full_builds(plan in plan()) {
        let engine = plan.engine();
        let session = engine.session(Clock::default());
        let mut context = Map::new();
        set(&mut context, "memory.text", json!("words"));
        set(&mut context, "user.name", json!("somebody"));
        let mut held = None;
        for (at, turn) in plan.turns.iter().enumerate() {
            for (key, choice) in turn {
                set(&mut context, KEYS[*key], value(KEYS[*key], *choice));
            }
            let context = Context::from_value(context.clone().into()).expect("an object");
            let apart = engine.prompt_for(&context, &Ask::default()).expect("a prompt");
            let within = session.prompt(&context).expect("a prompt");
            prop_assert_eq!(comparable(&apart), comparable(&within), "at {} of {:?}", at, plan.turns);
            // What the host holds stays as it was.
            if let Some((prompt, text)) = held.replace((within.clone(), within.text().to_owned())) {
                let prompt: promptweave::Prompt = prompt;
                prop_assert_eq!(prompt.text(), text.as_str());
            }
            if at % 3 == 2 {
                held = None;
            }
        }
    }
}
