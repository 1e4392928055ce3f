//! Random small packs: sections, hinges, conditions, cases, overrides, code, every mode of tidying.

use promptweave::{CodeComponent, Inputs, Items};
use promptweave::{Engine, MemorySource};
use promptweave_tests::pack::Files;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use crate::contexts::TEXTS;

const COMPONENTS: usize = 4;

const PACK: &str = r#"
format = 1
name = "random"
version = "1"
[context."house.fixed"]
class = "static"
[context."house.kept"]
class = "session"
"#;

/// Static text between the tags.
const WORDS: &[&str] = &[
    "words",
    "more words of the template, enough for a line. ",
    "\n",
    "\n\n",
    "\n\n\n\n",
    " ",
    "# Head\n",
    "\n## Head\n",
    "\n### Deep\n",
    "\n====\n",
    "====",
    "\n=====\n\n",
    "=",
    "##",
    "## ",
    "```\n",
    "\n```\n",
    "\r\n",
    "- item\n",
    "<<<<<<< SEARCH\n",
    "-------",
    "é😀",
];

/// Tags of components and partials.
const TAGS: &[&str] = &[
    "{{cwd}}",
    "{{~cwd}}",
    "{{cwd~}}",
    "{{{user.name}}}",
    "{{rules.global}}",
    "{{memory.text}}",
    "{{mode}}",
    "{{model.id}}",
    "{{NAME}}",
    "{{CWD}}",
    "{{CURRENT_DATE}}",
    "{{ctx.house.fixed}}",
    "{{ctx.house.kept}}",
    "{{ctx.house.loose}}",
    "{{nobody}}",
    "{{sections.c0}}",
    "{{sections.c1}}",
    "{{section \"c0\"}}",
    "{{tool_docs}}",
    "{{tool_doc \"t0\"}}",
    "{{tool \"r\"}}",
    "{{> p0}}",
    "\n{{> p0}}\n",
    "\n  {{> p0}}\n",
    "{{json flags}}",
    "{{join flags \", \"}}",
    "{{default memory.text \"none\"}}",
    "{{indent 2 rules.global}}",
    "{{len flags}}",
    "{{#each flags}}{{this}}\n{{/each}}",
    "{{#each tools}}- {{name}}\n{{else}}no tools{{/each}}",
    "{{#with user}}{{name}}{{/with}}",
    "{{lookup flags 0}}",
    "{{eq mode \"plan\"}}",
    "{{!-- why --}}",
    "{{#each mcp.servers as |server|}}{{server.name}} {{../cwd}}{{/each}}",
    "{{default (tool \"r\") \"no tool\"}}",
];

/// Tags of the base template: names of placeholders.
const BASE_TAGS: &[&str] = &[
    "{{c0}}",
    "{{c1}}",
    "{{c2}}",
    "{{c3}}",
    "\n{{c0}}\n",
    "\n\n{{c1}}\n\n",
    "# {{c2}}",
    "{{~c0~}}",
    "{{NAME}}",
    "{{CWD}}",
    "{{CURRENT_DATE}}",
    "{{MODEL_FAMILY}}",
    "{{SUPPORTS_BROWSER}}",
    "{{nobody}}",
    "{{ctx.house.kept}}",
    "{{sections.c0}}",
    "{{section \"c1\"}}",
    "{{> p0}}",
    "{{cache_boundary}}",
    "{{has_tool \"t0\"}}",
    "\n====\n\n{{c1}}\n",
    "\n## Head\n\n{{c2}}\n",
    "{{#each ctx.flags}}{{this}}{{/each}}",
    "{{default c1 NAME}}",
];

/// What blocks ask.
const ASKED: &[&str] = &[
    "if cwd",
    "unless cwd",
    "if memory.text",
    "if flags",
    "unless (has_tool \"t0\")",
    "if (eq mode \"plan\")",
    "if c0",
    "if c1",
    "if NAME",
    "unless c2",
    "if CWD",
    "if (tool \"r\")",
    "if sections.c0",
    "if ctx.house.fixed",
    "if (and flags memory.text)",
    "if (contains flags \"a\")",
    "each flags",
    "with ctx.house",
    "if model.id",
    "if SUPPORTS_BROWSER",
    "each ctx.mcp.servers",
    "if (or c3 nobody)",
];

const CONDITIONS: &[&str] = &[
    "model.id == 'gpt-4'",
    "native_tools",
    "flags.size() > 0",
    "'a' in flags",
    "mode == 'plan'",
    "cwd == ''",
    "memory.text != ''",
    "ctx.house.fixed == 'a'",
    "has(ctx.house.kept)",
    "ctx.house.loose == 'a'",
    "'t0' in tools",
    "mcp.servers.size() > 0",
    "flags.exists(f, f == 'b')",
    "'browser' in capabilities",
    "variant.id == 'special'",
    "1 / flags.size() == 1",
    "tools.size() == 0",
];

const VALUES: &[&str] =
    &["cwd", "rules.global", "memory.text", "ctx.house.fixed", "ctx.house.loose", "flags"];
const ITEMS: &[&str] = &["place", "again", "moody", "clock", "model"];
const CLASSES: &[&str] = &["static", "session"];

/// A template as text; blocks are closed.
type Template = String;

#[derive(Clone, Debug)]
enum Body {
    Template(Template),
    Text(&'static str),
    Value(&'static str),
    From(&'static str),
    Cases(Vec<(Option<&'static str>, Template)>, bool),
}

#[derive(Clone, Debug)]
struct Component {
    when: Option<&'static str>,
    cache: Option<&'static str>,
    body: Body,
    overriding: Option<Template>,
}

/// A pack, before it is written down.
#[derive(Clone)]
pub(crate) struct Plan {
    components: Vec<Component>,
    order: Vec<usize>,
    boundary: Option<usize>,
    base: Option<Template>,
    partial: Template,
    tool: (Option<&'static str>, Template),
    tidy: &'static str,
    missing: &'static str,
    separator: &'static str,
    name: Option<&'static str>,
    inserted: Option<(&'static str, usize)>,
    system_context: Option<usize>,
}

fn template(tags: &'static [&'static str]) -> BoxedStrategy<Template> {
    let leaf = prop_oneof![4 => select(WORDS), 3 => select(tags)].prop_map(str::to_owned);
    let tree = leaf.prop_recursive(2, 12, 4, |inner| {
        let part =
            || proptest::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat());
        (select(ASKED), part(), option::of(part())).prop_map(|(asked, body, other)| {
            let other = other.map(|other| format!("{{{{else}}}}{other}")).unwrap_or_default();
            let name = asked.split(' ').next().unwrap_or_default();
            format!("{{{{#{asked}}}}}{body}{other}{{{{/{name}}}}}")
        })
    });
    proptest::collection::vec(tree, 0..6).prop_map(|parts| parts.concat()).boxed()
}

fn component() -> impl Strategy<Value = Component> {
    let case = (option::of(select(CONDITIONS)), template(TAGS));
    let body = prop_oneof![
        4 => template(TAGS).prop_map(Body::Template),
        1 => select(TEXTS).prop_map(Body::Text),
        1 => select(VALUES).prop_map(Body::Value),
        1 => select(ITEMS).prop_map(Body::From),
        1 => (proptest::collection::vec(case, 1..4), any::<bool>()).prop_map(|(cases, all)| Body::Cases(cases, all)),
    ];
    let overriding = template(TAGS).prop_map(|own| own.replacen("{{cwd}}", "{{base}}", 1));
    let overriding = option::weighted(0.2, overriding);
    let when = option::weighted(0.3, select(CONDITIONS));
    (when, option::weighted(0.1, select(CLASSES)), body, overriding)
        .prop_map(|(when, cache, body, overriding)| Component { when, cache, body, overriding })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let names = (
        select(&["structural", "classic", "off"][..]),
        select(&["empty", "keep"][..]),
        select(&["\n\n", "\n\n====\n\n", "", "\n"][..]),
        option::of(select(TEXTS)),
        option::weighted(0.2, (select(&["after", "before", "first", "last"][..]), 0..COMPONENTS)),
        option::weighted(0.2, 0..COMPONENTS),
    );
    let order = Just((0..COMPONENTS).collect::<Vec<_>>()).prop_shuffle();
    let texts = (
        option::weighted(0.7, template(BASE_TAGS)),
        template(TAGS),
        (option::of(select(CONDITIONS)), template(TAGS)),
    );
    let boundary = option::weighted(0.2, 0..COMPONENTS);
    (
        proptest::collection::vec(component(), COMPONENTS),
        order,
        1..=COMPONENTS,
        boundary,
        texts,
        names,
    )
        .prop_map(|(components, mut order, length, boundary, (base, partial, tool), names)| {
            order.truncate(length);
            let (tidy, missing, separator, name, inserted, system_context) = names;
            let partial = partial.replace("{{> p0}}", "");
            Plan {
                components,
                order,
                boundary,
                base,
                partial,
                tool,
                tidy,
                missing,
                separator,
                name,
                inserted,
                system_context,
            }
        })
}

/// A failure shows the files instead.
impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a pack")
    }
}

impl Plan {
    /// The pack's files.
    pub(crate) fn files(&self) -> Files {
        let mut files = vec![
            ("pack.toml".into(), PACK.into()),
            ("generic.toml".into(), written(&self.generic())),
            ("special.toml".into(), written(&self.special())),
            ("partials/p0.hbs".into(), self.partial.clone()),
            ("tools/t0.toml".into(), written(&self.tool())),
            ("tools/t1.toml".into(), "description = \"fixed\"\n".into()),
        ];
        files.extend(self.base.iter().map(|base| ("generic.hbs".into(), base.clone())));
        for (at, component) in self.components.iter().enumerate() {
            files.push((format!("components/c{at}.toml"), written(&component.written())));
        }
        files
    }

    /// An engine of this pack and of the code that it names.
    pub(crate) fn engine(&self) -> Engine {
        let source = MemorySource::new("random", self.files());
        Engine::builder()
            .pack(source)
            .extension(code())
            .build()
            .expect("an engine that is not strict")
    }

    fn generic(&self) -> Json {
        let mut order: Vec<String> = self.order.iter().map(|at| format!("c{at}")).collect();
        if let Some(at) = self.boundary.filter(|_| self.base.is_none()) {
            order.insert(at.min(order.len()), "cache_boundary".into());
        }
        let system_context: Vec<String> =
            self.system_context.iter().map(|at| format!("c{at}")).collect();
        let placeholders = self.name.map(|name| json!({ "NAME": name })).unwrap_or(json!({}));
        json!({
            "order": order, "tidy": self.tidy, "missing": self.missing, "separator": self.separator,
            "placeholders": placeholders, "system_context": system_context,
        })
    }

    fn special(&self) -> Json {
        let mut special = json!({ "extends": "generic" });
        for (at, component) in self.components.iter().enumerate() {
            if let Some(template) = &component.overriding {
                special["override"][format!("c{at}")] = json!({ "template": template });
            }
        }
        if let Some((place, anchor)) = self.inserted {
            let inserted = match place {
                "first" | "last" => json!({ "component": "c3", place: true }),
                _ => json!({ "component": "c3", place: format!("c{anchor}") }),
            };
            special["patch"] = json!({ "insert": [inserted] });
        }
        special
    }

    fn tool(&self) -> Json {
        let mut tool = json!({ "description": self.tool.1, "role": "r" });
        if let Some(when) = self.tool.0.filter(|when| !when.contains("tools")) {
            tool["when"] = json!(when);
        }
        tool
    }
}

impl Component {
    fn written(&self) -> Json {
        let mut all = match &self.body {
            Body::Template(template) => json!({ "template": template }),
            Body::Text(text) => json!({ "text": text }),
            Body::Value(path) => json!({ "value": path }),
            Body::From(item) => json!({ "from": format!("code/{item}") }),
            Body::Cases(cases, all) => {
                let cases: Vec<Json> = cases.iter().map(case).collect();
                json!({ "case": cases, "select": if *all { "all" } else { "first" } })
            }
        };
        for (key, value) in [("when", self.when), ("cache", self.cache)] {
            if let Some(value) = value {
                all[key] = json!(value);
            }
        }
        all
    }
}

fn case((when, template): &(Option<&'static str>, Template)) -> Json {
    let mut case = json!({ "template": template });
    if let Some(when) = when {
        case["when"] = json!(when);
    }
    case
}

/// Tables behind plain keys, as TOML wants them.
fn written(value: &Json) -> String {
    toml::to_string(value).expect("a value with a TOML form")
}

/// Components in code; what `moody` reads follows from what it read before.
fn code() -> Items {
    let text = |inputs: &Inputs<'_>, key: &str| inputs.text(key).unwrap_or_default().to_owned();
    Items::new("code")
        .component(CodeComponent::new("place", move |inputs: &Inputs<'_>| text(inputs, "cwd")))
        .component(CodeComponent::new("again", |inputs: &Inputs<'_>| {
            inputs.section("c0").map(str::to_owned)
        }))
        .component(CodeComponent::new("moody", move |inputs: &Inputs<'_>| {
            match inputs.text("user.name") {
                Some("a") => text(inputs, "memory.text"),
                Some(_) => text(inputs, "model.id"),
                None => "nobody".into(),
            }
        }))
        .component(CodeComponent::volatile("clock", "tells the time", |_: &Inputs<'_>| "12:00"))
        .component(CodeComponent::new("model", move |inputs: &Inputs<'_>| text(inputs, "model.id")))
}
