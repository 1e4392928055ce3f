//! The texts that a component or a tool is made of.
//!
//! In: a component with the override of a variant, a tool with its wording. Out: its texts, each with what must hold for it.
//! Never: reads a text; what cannot be printed with the tools of the variant is left out.

use std::sync::Arc;

use super::way::{Offer, Way};
use crate::diagnostic::SourceText;
use crate::model::{
    Body, Case, CaseBody, Cases, Component, Override, Parameter, Select, Tool, Variant, Wording,
};
use crate::template::Template;

/// A text of a pack.
#[derive(Clone, Copy)]
pub(super) enum Text<'a> {
    Template(&'a Template),
    Literal(&'a SourceText),
}

impl Text<'_> {
    /// Tells it from other texts of a registry.
    pub(super) fn address(&self) -> *const SourceText {
        match self {
            Self::Template(template) => Arc::as_ptr(template.source()),
            Self::Literal(source) => *source,
        }
    }
}

/// Texts with what must hold for each.
pub(super) type Texts<'a> = Vec<(Text<'a>, Way<'a>)>;

/// The wordings of a component, as deep as each prints the one below.
pub(super) fn of_component<'a>(
    component: &'a Component,
    own: Option<&'a Override>,
    way: &Way<'a>,
    offer: Offer<'a>,
) -> Texts<'a> {
    let way = way.when(component.when.as_ref());
    let mut texts = Texts::new();
    let mut next = own;
    while let Some(wording) = next {
        let Some(body) = &wording.body else {
            next = wording.base.as_deref();
            continue;
        };
        texts.push((of_body(body), way.clone()));
        if !body.template().is_some_and(names_base) {
            return texts;
        }
        next = wording.base.as_deref();
    }
    let mut next = Some(component);
    while let Some(wording) = next {
        match &wording.body {
            Body::Template(template) => texts.push((Text::Template(template), way.clone())),
            Body::Text(text) => texts.push((Text::Literal(text), way.clone())),
            Body::Cases(cases) => of_cases(cases, &way, offer, &mut texts),
            Body::Value(_) | Body::From(_) => {}
        }
        let prints_base = wording.body.templates().into_iter().any(names_base);
        next = wording.base.as_deref().filter(|_| prints_base);
    }
    texts
}

/// The cases that may hold, up to one that always does where the first counts.
fn of_cases<'a>(cases: &'a Cases, way: &Way<'a>, offer: Offer<'a>, texts: &mut Texts<'a>) {
    for case in &cases.cases {
        let Case { models, providers, variants, tools, when, body } = case;
        let is_other = |variant: &Variant| !variants.is_empty() && !variants.contains(&variant.id);
        if offer.variant.is_some_and(is_other) {
            continue;
        }
        let mut way = way.when(when.as_ref());
        way.tools.extend(tools.iter().map(|id| id.as_str()));
        texts.push((of_body(body), way));
        let is_bound = models.is_some() || providers.is_some() || when.is_some();
        let always = !is_bound && tools.is_empty() && offer.variant.is_some();
        if always && cases.select == Select::First {
            return;
        }
    }
}

/// The texts of a tool, as a variant words it; in each wording where there is no variant.
pub(super) fn of_tool<'a>(tool: &'a Tool, offer: Offer<'a>) -> Texts<'a> {
    let own = (tool.description.as_ref(), tool.parameters.as_slice());
    let worded = |wording: &'a Wording| {
        let Wording { description, parameters } = wording;
        (description.as_ref().or(own.0), parameters.as_deref().unwrap_or(own.1))
    };
    let all = match offer.variant {
        Some(variant) => vec![tool.wording(variant).map_or(own, worded)],
        None => tool.wordings.values().map(worded).chain([own]).collect(),
    };
    let way = Way::default().when(tool.when.as_ref());
    let mut texts = Texts::new();
    for (description, parameters) in all {
        texts.extend(description.map(|text| (Text::Template(text), way.clone())));
        for parameter in parameters {
            let Parameter { instruction, usage, description, depends_on, when, .. } = parameter;
            let mut way = way.when(when.as_ref());
            way.tools.extend(depends_on.iter().map(|id| &**id));
            let all = [instruction, usage, description].into_iter().flatten();
            texts.extend(all.map(|text| (Text::Template(text), way.clone())));
        }
    }
    texts
}

fn of_body(body: &CaseBody) -> Text<'_> {
    match body {
        CaseBody::Template(template) => Text::Template(template),
        CaseBody::Text(text) => Text::Literal(text),
    }
}

fn names_base(template: &Template) -> bool {
    template.paths().any(|path| path == "base")
}
