//! What the tests build tools from.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::condition::Condition;
use crate::diagnostic::{Origin, SourceText};
use crate::model::{
    Context, PackName, Parameter, TidyMode, Tool, ToolCalls, ToolId, Variant, VariantId,
};
use crate::registry::Registry;
use crate::template::{Missing, Template};
use crate::tools::{
    Classed, Declared, Described, Dialect, EffectiveIds, EffectiveTool, Evaluate, Offer, declare,
};
use crate::trace::CacheClass;

/// Conditions are the words `true` and `false`; `session` and `volatile` are true with that class.
/// Templates have plain `{{NAME}}`s.
#[derive(Default)]
pub(super) struct Plain(pub Vec<(&'static str, String)>);

impl Evaluate for Plain {
    fn holds(&self, condition: &Condition) -> Classed<bool> {
        let text = condition.text();
        let class = [CacheClass::Static, CacheClass::Session, CacheClass::Volatile]
            .into_iter()
            .find(|class| class.as_str() == text);
        Classed { value: class.is_some() || text == "true", class: class.unwrap_or_default() }
    }

    fn text(&self, template: &Template) -> Classed<String> {
        let text = template.source().text.to_string();
        let value = self
            .0
            .iter()
            .fold(text, |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value));
        Classed { value, class: CacheClass::Static }
    }
}

pub(super) fn template(text: &str) -> Option<Arc<Template>> {
    let source = SourceText::new(text, Origin::Engine);
    (!text.is_empty()).then(|| Arc::new(Template::new(source)))
}

pub(super) fn condition(text: &str) -> Condition {
    Condition::new(SourceText::new(text, Origin::Engine))
}

/// A tool from the shape that the conformance files have.
pub(super) fn tool(id: &str, spec: &Json) -> Tool {
    let parameters = spec["parameters"].as_array().into_iter().flatten().map(parameter).collect();
    Tool {
        id: ToolId::new(id).unwrap(),
        pack: PackName::new("test").unwrap(),
        origin: Origin::Engine,
        role: spec["role"].as_str().map(Arc::from),
        when: when(spec),
        description: spec["description"].as_str().and_then(template),
        parameters,
        wordings: std::collections::BTreeMap::new(),
        base: None,
    }
}

fn when(spec: &Json) -> Option<Condition> {
    spec["context_ok"].as_bool().map(|holds| condition(&holds.to_string()))
}

pub(super) fn parameter(spec: &Json) -> Parameter {
    let text = |key: &str| spec[key].as_str().unwrap_or("");
    let keep = |key: &str| spec.get(key).map(|value| (key.to_owned(), value.clone()));
    let mut schema: Map<String, Json> =
        ["items", "properties", "enum", "default"].into_iter().filter_map(keep).collect();
    schema.extend(spec["extra"].as_object().cloned().unwrap_or_default());
    let depends_on = spec["dependencies"].as_array().into_iter().flatten();
    Parameter {
        name: text("name").into(),
        kind: spec["type"].as_str().unwrap_or("string").into(),
        required: spec["required"].as_bool().unwrap_or_default(),
        instruction: template(text("instruction")),
        usage: template(text("usage")),
        description: template(text("description")),
        depends_on: depends_on.map(|id| id.as_str().unwrap().into()).collect(),
        when: when(spec),
        schema,
        origin: Origin::Engine,
    }
}

pub(super) fn registry(tools: impl IntoIterator<Item = Tool>) -> Registry {
    let tools = tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect();
    Registry { tools, ..Registry::default() }
}

pub(super) fn variant(tools: Option<&[&str]>) -> Variant {
    Variant {
        id: VariantId::new("test").unwrap(),
        version: 1,
        family: "house".into(),
        description: None,
        tags: Vec::new(),
        pack: PackName::new("test").unwrap(),
        rank: 0,
        origin: Origin::Engine,
        bases: Vec::new(),
        matcher: None,
        order: Vec::new(),
        separator: "".into(),
        template: None,
        tool_calls: ToolCalls::Text,
        dialect: "xml".into(),
        tools: tools.map(|ids| ids.iter().map(|id| ToolId::new(id).unwrap()).collect()),
        user_context: Vec::new(),
        system_context: Vec::new(),
        minimal: None,
        tidy: TidyMode::Off,
        missing: Missing::Keep,
        placeholders: std::collections::BTreeMap::new(),
        overrides: std::collections::BTreeMap::new(),
    }
}

pub(super) fn context(value: Json) -> Context {
    Context::from_value(value).unwrap()
}

/// Chooses and words.
pub(super) fn effective(
    registry: &Registry,
    variant: &Variant,
    context: &Context,
    evaluate: &Plain,
) -> Vec<EffectiveTool> {
    let described = Described::read(context);
    let ids = EffectiveIds::choose(&Offer { registry, variant, described: &described }, evaluate);
    ids.word_all(variant, evaluate)
}

/// Declares the tools that a context alone describes.
pub(super) fn declare_context(value: Json, dialect: Dialect) -> Declared {
    let (registry, variant) = (registry([]), variant(None));
    declare(&effective(&registry, &variant, &context(value), &Plain::default()), dialect)
}
