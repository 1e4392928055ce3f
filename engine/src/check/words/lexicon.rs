//! The names that a build has.
//!
//! In: a registry, the names of skills. Out: [`Lexicon`]: which names there are, which are near, what a tool takes.
//! Never: decides whether a text means one.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Origin, within};
use crate::model::{Body, CaseBody, Component, known_roots};
use crate::moment::STANDARD_NAMES;
use crate::registry::Registry;

/// From how many letters on a name may be two steps away from another and still be near.
const LONG_NAME: usize = 12;

/// The names that a build has.
pub(super) struct Lexicon<'a> {
    /// Of each tool that has a file, or that a variant lists: its parameters, and whether each is required.
    tools: BTreeMap<&'a str, BTreeMap<&'a str, bool>>,
    /// The same without case and separators.
    folded: BTreeMap<String, &'a str>,
    /// Names of other things than tools and placeholders.
    others: BTreeSet<&'a str>,
    /// What a template may print by one name, sections apart.
    placeholders: BTreeSet<&'a str>,
    /// None where nobody said which there are.
    pub skills: Option<&'a BTreeSet<String>>,
    /// The last two steps of the files that packs are made of.
    files: BTreeSet<String>,
}

impl<'a> Lexicon<'a> {
    pub(super) fn of(registry: &'a Registry, skills: Option<&'a BTreeSet<String>>) -> Self {
        let mut tools: BTreeMap<&str, BTreeMap<&str, bool>> = BTreeMap::new();
        for (id, tool) in &registry.tools {
            let wordings = tool.wordings.values().flat_map(|wording| &wording.parameters);
            let all = tool.parameters.iter().chain(wordings.flatten());
            let all = all.map(|parameter| (&*parameter.name, parameter.required));
            tools.insert(id.as_str(), all.collect());
        }
        let variants = || registry.variants.values().flat_map(|all| all.by_number.values());
        for id in variants().flat_map(|variant| variant.tools.iter().flatten()) {
            tools.entry(id.as_str()).or_default();
        }
        let parameters: Vec<&str> = tools.values().flat_map(|all| all.keys().copied()).collect();
        let keys = registry.keys.keys().flat_map(|key| key.split('.'));
        let components = registry.components.keys().map(|id| id.as_str());
        let others = registry.partials.keys().map(|name| &**name).chain(parameters);
        let all: Vec<&str> =
            known_roots().chain(STANDARD_NAMES.iter().map(|(name, _)| *name)).collect();
        let own = variants().flat_map(|variant| variant.placeholders.keys().map(|name| &**name));
        Self {
            folded: tools.keys().map(|tool| (folded(tool), *tool)).collect(),
            tools,
            others: others.chain(keys).chain(components).collect(),
            placeholders: own.chain(all).collect(),
            skills,
            files: files(registry),
        }
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    pub(super) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &'a str> {
        self.tools.keys().copied()
    }

    /// Whether a component, a parameter, a key of the context has the name.
    pub(super) fn is_other(&self, name: &str) -> bool {
        self.others.contains(name) || self.placeholders.contains(name)
    }

    pub(super) fn has_placeholder(&self, name: &str) -> bool {
        self.placeholders.contains(name)
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether a call of the tool may be made of these parameters alone.
    pub(super) fn takes(&self, tool: &str, given: &[&str]) -> bool {
        let all = self.tools.get(tool);
        !given.is_empty() && all.is_some_and(|all| given.iter().all(|one| all.contains_key(one)))
    }

    /// Whether these are a whole call of some tool: known parameters, and all that are required.
    pub(super) fn is_call(&self, given: &[&str]) -> bool {
        self.tools.iter().any(|(tool, all)| {
            let required = all.iter().filter(|(_, required)| **required);
            self.takes(tool, given) && required.into_iter().all(|(name, _)| given.contains(name))
        })
    }

    /// The tool that was likely meant: the same but for case and separators, or a letter away.
    pub(super) fn near(&self, name: &str) -> Option<&'a str> {
        let same = self.folded.get(&folded(name)).copied();
        let most = if name.len() < LONG_NAME { 1 } else { 2 };
        same.or_else(|| within(name, self.tools(), most))
    }
}

/// Without case and separators.
fn folded(name: &str) -> String {
    name.chars().filter(|sign| !matches!(sign, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Every file that something of a registry comes from, by its folder and name.
fn files(registry: &Registry) -> BTreeSet<String> {
    let components = registry.components.values().flat_map(|component| of_component(component));
    let tools = registry.tools.values().map(|tool| &tool.origin);
    let partials = registry.partials.values().map(|partial| &partial.source().origin);
    let shadowed = registry.shadowed.iter().map(|shadowed| &shadowed.origin);
    let all = components.chain(tools).chain(partials).chain(shadowed);
    all.filter_map(Origin::file_name).filter_map(last_two).collect()
}

fn of_component(component: &Component) -> Vec<&Origin> {
    let text = match &component.body {
        Body::Text(text) => Some(&text.origin),
        Body::Cases(_) | Body::Template(_) | Body::Value(_) | Body::From(_) => None,
    };
    let cases = match &component.body {
        Body::Cases(cases) => cases.cases.as_slice(),
        Body::Text(_) | Body::Template(_) | Body::Value(_) | Body::From(_) => &[],
    };
    let literal = cases.iter().filter_map(|case| match &case.body {
        CaseBody::Text(text) => Some(&text.origin),
        CaseBody::Template(_) => None,
    });
    let templates = component.body.templates().into_iter().map(|one| &one.source().origin);
    templates.chain(text).chain(literal).chain([&component.origin]).collect()
}

fn last_two(file: &str) -> Option<String> {
    let mut steps = file.rsplit(['/', '\\']);
    let (name, folder) = (steps.next()?, steps.next()?);
    Some(format!("{folder}/{name}"))
}
