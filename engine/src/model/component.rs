//! A component: a unit that yields the text of one section.

use std::sync::Arc;

use super::{ComponentId, PackName, Patterns, ToolId};
use crate::condition::Condition;
use crate::diagnostic::{Origin, SourceText};
use crate::template::Template;
use crate::trace::CacheClass;

/// A component as a pack or an extension defined it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Component {
    /// Its name, which is also its placeholder's.
    pub id: ComponentId,
    /// The pack or extension that supplied it.
    pub pack: PackName,
    /// Where it is defined.
    pub origin: Origin,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// No section when this does not hold.
    pub when: Option<Condition>,
    /// What the author asserts about its stability; computed when absent.
    pub cache: Option<CacheClass>,
    /// Why it is volatile; there exactly when `cache` is volatile.
    pub reason: Option<Arc<str>>,
    /// For budgets: lower goes first.
    pub priority: i64,
    /// Where its text comes from.
    pub body: Body,
    /// The component of a lower pack that this one replaces; `{{base}}` prints its text.
    pub base: Option<Arc<Component>>,
}

/// Priority of a component that does not say.
pub(crate) const DEFAULT_PRIORITY: i64 = 100;

/// Where a component's text comes from.
#[derive(Clone, Debug)]
pub enum Body {
    /// A Handlebars template.
    Template(Arc<Template>),
    /// A text, as it stands.
    Text(Arc<SourceText>),
    /// A context value, by its dotted path: never templated, never tidied.
    Value(Arc<str>),
    /// An item of an extension, `extension/item`.
    From(Arc<str>),
    /// One or all of several bodies.
    Cases(Cases),
}

/// Several templates with conditions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cases {
    /// Which of the cases that hold are used.
    pub select: Select,
    /// Between the texts of several cases.
    pub separator: Arc<str>,
    /// In the order of the file.
    pub cases: Vec<Case>,
}

/// Which of the cases that hold are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Select {
    /// The first one.
    #[default]
    First,
    /// All of them, in order.
    All,
}

/// One case: a text and what must hold for it. Without conditions it always holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// Patterns on the model id.
    pub models: Option<Patterns>,
    /// Patterns on the provider id.
    pub providers: Option<Patterns>,
    /// Ids of variants.
    pub variants: Vec<super::VariantId>,
    /// Tools that must all be effective.
    pub tools: Vec<ToolId>,
    /// A condition.
    pub when: Option<Condition>,
    /// What it prints; may be empty.
    pub body: CaseBody,
}

/// The text of a case or of an override.
#[derive(Clone, Debug)]
pub enum CaseBody {
    /// A Handlebars template.
    Template(Arc<Template>),
    /// A text, as it stands.
    Text(Arc<SourceText>),
}

impl Body {
    /// Its templates: one, or those of all cases.
    pub(crate) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Template(template) => vec![template],
            Self::Cases(cases) => {
                cases.cases.iter().filter_map(|case| case.body.template()).collect()
            }
            Self::Text(_) | Self::Value(_) | Self::From(_) => Vec::new(),
        }
    }
}

impl CaseBody {
    /// The template, if it is one.
    pub(crate) fn template(&self) -> Option<&Template> {
        match self {
            Self::Template(template) => Some(template),
            Self::Text(_) => None,
        }
    }
}
