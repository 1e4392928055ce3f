//! Random small packs: sections, hinges, conditions, cases, overrides, code, every mode of tidying.

use promptweave::{CodeComponent, Engine, Inputs, Items, MemorySource};
use promptweave_tests::pack::Files;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use crate::contexts::TEXTS;
use crate::words::{
    ASKED, BASE_ASKED, BASE_TAGS, CONDITIONS, ITEMS, Level, Levels, TAGS, VALUES, WORDS, up_to,
};

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
    base: Option<Template>,
    partial: Template,
    tool: (Option<&'static str>, Template),
    settings: Settings,
}

#[derive(Clone, Debug)]
struct Settings {
    tidy: &'static str,
    missing: &'static str,
    separator: &'static str,
    name: Option<&'static str>,
    inserted: Option<(&'static str, usize)>,
    system_context: Option<usize>,
    boundary: Option<usize>,
}

fn one_of(levels: &Levels, level: Level) -> impl Strategy<Value = &'static str> + use<> {
    select(up_to(levels, level))
}

/// Tags, and what blocks ask.
type Language = (Levels, Levels);

const INNER: Language = (TAGS, ASKED);
const BASE: Language = (BASE_TAGS, BASE_ASKED);

/// A text with tags of a level, of one to `parts` parts.
fn template(
    (tags, asked): &'static Language,
    level: Level,
    parts: usize,
) -> BoxedStrategy<Template> {
    let leaf = prop_oneof![4 => select(WORDS), 3 => one_of(tags, level)].prop_map(str::to_owned);
    let tree = leaf.prop_recursive(2, 12, 4, move |inner| {
        let part =
            || proptest::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat());
        (one_of(asked, level), part(), option::of(part())).prop_map(|(asked, body, other)| {
            let other = other.map(|other| format!("{{{{else}}}}{other}")).unwrap_or_default();
            let name = asked.split(' ').next().unwrap_or_default();
            format!("{{{{#{asked}}}}}{body}{other}{{{{/{name}}}}}")
        })
    });
    proptest::collection::vec(tree, 1..=parts).prop_map(|parts| parts.concat()).boxed()
}

fn component(level: Level) -> impl Strategy<Value = Component> {
    let text = || template(&INNER, level, 6);
    let case = (option::of(one_of(&CONDITIONS, level)), text());
    let cases = (proptest::collection::vec(case, 1..4), any::<bool>());
    let body = prop_oneof![
        6 => text().prop_map(Body::Template),
        1 => select(TEXTS).prop_map(Body::Text),
        1 => one_of(&VALUES, level).prop_map(Body::Value),
        1 => one_of(&ITEMS, level).prop_map(Body::From),
        1 => cases.prop_map(|(cases, all)| Body::Cases(cases, all)),
    ];
    let overriding = (text(), text()).prop_map(|(before, behind)| before + "{{base}}" + &behind);
    let overriding = option::weighted(0.2, overriding);
    let when = option::weighted(0.2, one_of(&CONDITIONS, level));
    (when, option::weighted(0.1, select(CLASSES)), body, overriding)
        .prop_map(|(when, cache, body, overriding)| Component { when, cache, body, overriding })
}

/// Texts that grow less stable, as in prompts that are made with care.
fn base() -> impl Strategy<Value = Template> {
    let part = |level| option::weighted(0.8, template(&BASE, level, 4));
    (part(0), part(1), part(2)).prop_map(|parts| {
        [parts.0, parts.1, parts.2].into_iter().flatten().collect::<Vec<_>>().concat()
    })
}

/// Everything but components and templates.
fn settings() -> impl Strategy<Value = Settings> {
    let place = select(&["after", "before", "first", "last"][..]);
    (
        select(&["structural", "classic", "off"][..]),
        select(&["empty", "keep"][..]),
        select(&["\n\n", "\n\n====\n\n", "", "\n"][..]),
        option::weighted(0.9, select(TEXTS)),
        option::weighted(0.2, (place, 0..COMPONENTS)),
        option::weighted(0.2, 0..COMPONENTS),
        option::weighted(0.2, 0..COMPONENTS),
    )
        .prop_map(|(tidy, missing, separator, name, inserted, system_context, boundary)| {
            Settings { tidy, missing, separator, name, inserted, system_context, boundary }
        })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let components = (component(0), component(1), component(2), component(2));
    let components = components.prop_map(|(a, b, c, d)| vec![a, b, c, d]);
    let sorted = Just((0..COMPONENTS).collect::<Vec<_>>());
    let order = prop_oneof![sorted.clone(), sorted.prop_shuffle()];
    let partial = (0..3_usize).prop_flat_map(|level| template(&INNER, level, 4));
    let partial = partial.prop_map(|partial| partial.replace("{{> p0}}", ""));
    let tool = (option::weighted(0.3, one_of(&CONDITIONS, 1)), template(&INNER, 1, 3));
    let texts = (option::weighted(0.7, base()), partial, tool);
    (components, order, 1..=COMPONENTS, texts, settings()).prop_map(
        |(components, mut order, length, (base, partial, tool), settings)| {
            order.truncate(length);
            Plan { components, order, base, partial, tool, settings }
        },
    )
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
        let Settings { tidy, missing, separator, name, .. } = self.settings;
        if let Some(at) = self.settings.boundary.filter(|_| self.base.is_none()) {
            order.insert(at.min(order.len()), "cache_boundary".into());
        }
        let system_context: Vec<String> =
            self.settings.system_context.iter().map(|at| format!("c{at}")).collect();
        let placeholders = name.map(|name| json!({ "NAME": name })).unwrap_or(json!({}));
        json!({
            "order": order, "tidy": tidy, "missing": missing, "separator": separator,
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
        if let Some((place, anchor)) = self.settings.inserted {
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
