//! The texts that a component or a tool is made of.
//!
//! In: a component with the override of a variant, a tool with its wording. Out: its texts, each with what must hold for it.
//! Never: reads a text; what cannot be printed with the tools of the variant is left out.

use std::sync::Arc;

use super::way::{Offer, Way};
use crate::diagnostic::SourceText;
use crate::model::{
    Body, Case, CaseBody, Cases, Component, Override, Parameter, Select, Tool, Variant,
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
    let way = Way::default().when(tool.when.as_ref());
    let mut texts = Texts::new();
    let wordings: Vec<_> = match offer.variant {
        Some(variant) => tool.wording(variant).into_iter().collect(),
        None => tool.wordings.values().collect(),
    };
    let mut add = |description: &'a Option<Arc<Template>>, parameters: Option<&'a [Parameter]>| {
        let description = description.iter().map(|text| (text, way.clone()));
        let parameters = parameters.unwrap_or_default().iter().flat_map(|one| {
            let Parameter { instruction, usage, description, depends_on, when, .. } = one;
            let mut way = way.when(when.as_ref());
            way.tools.extend(depends_on.iter().map(|id| &**id));
            let all = [instruction, usage, description].into_iter().flatten();
            all.map(move |text| (text, way.clone())).collect::<Vec<_>>()
        });
        let all = description.chain(parameters);
        texts.extend(all.map(|(text, way)| (Text::Template(text), way)));
    };
    let has = |what: fn(&crate::model::Wording) -> bool| wordings.iter().any(|one| what(one));
    let is_all = offer.variant.is_none();
    let keeps_description = is_all || !has(|one| one.description.is_some());
    let keeps_parameters = is_all || !has(|one| one.parameters.is_some());
    add(
        if keeps_description { &tool.description } else { &None },
        keeps_parameters.then_some(&tool.parameters),
    );
    for wording in wordings {
        add(&wording.description, wording.parameters.as_deref());
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
