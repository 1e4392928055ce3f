//! Looks at everything that loading leaves for the first use.
//!
//! In: a [`Registry`], the extensions, facts about models, which skills there are. Out: a diagnostic for each template or condition
//! that cannot be used, each name that leads nowhere, also in the words of prompts, each variant that cannot be chosen or wastes a
//! component, and what costs caches.
//! Never: builds a prompt.

mod keys;
mod names;
mod stability;
mod variants;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Origin, did_you_mean};
use crate::extension::Extensions;
use crate::facts::ModelData;
use crate::model::{Body, CaseBody, Component, Parameter, Tool, Variant, default_of, known_roots};
use crate::registry::Registry;
use crate::template::Template;
use names::Names;
use stability::Read;

/// Checks everything, in the order of files and places; what is inherited is told once.
pub(crate) fn check(
    registry: &Registry,
    extensions: &Extensions,
    model_data: &ModelData,
    skills: Option<&BTreeSet<String>>,
) -> Vec<Diagnostic> {
    let mut check = Check::new(registry, extensions, model_data);
    check.partials();
    for component in registry.components.values() {
        check.component(component);
    }
    for tool in registry.tools.values() {
        check.tool(tool);
    }
    let all = registry.variants.values().flat_map(|versions| versions.by_number.values());
    for variant in all {
        check.variant(variant);
    }
    check.unreachable();
    check.told.extend(words::words(registry, skills));
    once(check.told)
}

/// The context keys that a variant may read, by the paths that they are known or declared by.
pub(crate) fn keys(
    registry: &Registry,
    extensions: &Extensions,
    model_data: &ModelData,
    variant: &Variant,
) -> BTreeSet<Arc<str>> {
    Check::new(registry, extensions, model_data).keys(variant)
}

struct Check<'a> {
    registry: &'a Registry,
    extensions: &'a Extensions,
    model_data: &'a ModelData,
    names: Names<'a>,
    told: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn new(registry: &'a Registry, extensions: &'a Extensions, model_data: &'a ModelData) -> Self {
        Self { registry, extensions, model_data, names: Names::of(registry), told: Vec::new() }
    }
}

impl Check<'_> {
    fn component(&mut self, component: &Component) {
        self.condition(component.when.as_ref(), true);
        self.class(component, self.own_reads(component), &component.origin);
        match &component.body {
            Body::Template(template) => self.template(template),
            Body::Text(_) | Body::Value(_) => {}
            Body::From(item) => self.item(component, item),
            Body::Cases(cases) => {
                for case in &cases.cases {
                    self.condition(case.when.as_ref(), true);
                    self.case_body(&case.body);
                }
            }
        }
        if let Some(base) = &component.base {
            self.component(base);
        }
    }

    fn case_body(&mut self, body: &CaseBody) {
        match body {
            CaseBody::Template(template) => self.template(template),
            CaseBody::Text(_) => {}
        }
    }

    fn item(&mut self, component: &Component, item: &str) {
        if self.extensions.component(item).is_some() {
            return;
        }
        let message = format!(
            "component `{}` comes from `{item}`, which no extension supplies",
            component.id
        );
        let told = Diagnostic::new(Code::ItemUnknown, message, component.origin.clone());
        self.told.push(told.help("load the extension that supplies it"));
    }

    fn tool(&mut self, tool: &Tool) {
        self.condition(tool.when.as_ref(), false);
        self.texts([&tool.description]);
        self.parameters(&tool.parameters);
        for wording in tool.wordings.values() {
            self.texts([&wording.description]);
            self.parameters(wording.parameters.as_deref().unwrap_or_default());
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        for parameter in parameters {
            self.condition(parameter.when.as_ref(), false);
            self.texts([&parameter.instruction, &parameter.usage, &parameter.description]);
        }
    }

    fn texts<const N: usize>(&mut self, templates: [&Option<Arc<Template>>; N]) {
        for template in templates.into_iter().flatten() {
            self.template(template);
        }
    }

    /// A condition; `tools` is no name in those that decide which tools there are.
    fn condition(&mut self, condition: Option<&Condition>, sees_tools: bool) {
        let Some(condition) = condition else { return };
        self.told.extend(condition.check());
        for path in condition.paths() {
            let root = path.split('.').next().unwrap_or(path);
            let known = match root {
                "ctx" | "variant" => true,
                "tools" => sees_tools,
                root => default_of(root).is_some(),
            };
            if known {
                continue;
            }
            let (message, help) = if root == "tools" {
                let help =
                    "it decides which tools there are; ask for `capabilities` or another key";
                ("a tool's condition asks for `tools`".to_owned(), help.to_owned())
            } else {
                let message = format!("the condition asks for `{root}`, which does not exist");
                let names = known_roots().chain(["ctx", "variant", "tools"]);
                (
                    message,
                    did_you_mean(root, names, || {
                        "name a known context key, `variant`, `tools`, or `ctx.<your key>`".into()
                    }),
                )
            };
            let told = Diagnostic::new(Code::ConditionName, message, condition.origin().clone());
            self.told.push(told.help(help));
        }
    }

    /// The declared class of a component against what a wording of it reads.
    fn class(&mut self, component: &Component, reads: Vec<Read>, origin: &Origin) {
        let Some(declared) = component.cache else { return };
        for Read { name, class, .. } in reads.into_iter().filter(|read| read.class > declared) {
            let message = format!(
                "component `{}` says `cache = \"{declared}\"`, but reads `{name}`, which is {class}",
                component.id
            );
            let told = Diagnostic::new(Code::ClassWider, message, origin.clone());
            self.told.push(told.help("declare the wider class, or do not read it"));
        }
    }
}

/// A place that can be compared.
fn place(origin: &Origin) -> (String, usize) {
    let start = match origin {
        Origin::File { span, .. } => span.start,
        Origin::Engine | Origin::Line { .. } | Origin::Item { .. } | Origin::Context(_) => 0,
    };
    (origin.file_name().unwrap_or_default().to_owned(), start)
}

/// The same without repetitions, by file and place.
fn once(told: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut sorted: BTreeMap<_, Vec<Diagnostic>> = BTreeMap::new();
    for one in told {
        let place = place(&one.origin);
        if seen.insert((place.clone(), one.code, one.message.clone())) {
            sorted.entry(place).or_default().push(one);
        }
    }
    sorted.into_values().flatten().collect()
}

/// The texts of a variant's own wordings.
fn overrides(variant: &Variant) -> impl Iterator<Item = &CaseBody> {
    variant.overrides.values().filter_map(|own| own.body.as_ref())
}
