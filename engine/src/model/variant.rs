//! A variant: one prompt design.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{CaseBody, ComponentId, PackName, Patterns, ToolId, VariantId};
use crate::condition::Condition;
use crate::diagnostic::Origin;
use crate::template::{Missing, Template};
use crate::tidy::TidyMode;

/// One prompt design, with what it inherits already merged in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Variant {
    /// Its name.
    pub id: VariantId,
    /// Its number; several versions of one id stand side by side.
    pub version: u32,
    /// Exposed to templates as `MODEL_FAMILY`.
    pub family: Arc<str>,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Free words to ask by.
    pub tags: Vec<Arc<str>>,
    /// The pack or extension that supplied it.
    pub pack: PackName,
    /// Where the pack stands in the stack; later wins.
    pub rank: usize,
    /// Where it is defined.
    pub origin: Origin,
    /// The variants it extends, nearest first.
    pub bases: Vec<VariantId>,
    /// When it claims a context; without one it is asked for by name or is the fallback.
    pub matcher: Option<Matcher>,
    /// What runs, in order.
    pub order: Vec<Step>,
    /// Between sections when there is no base template.
    pub separator: Arc<str>,
    /// The base template.
    pub template: Option<Arc<Template>>,
    /// How tools are offered.
    pub tool_calls: ToolCalls,
    /// How text tool calls are written; the reply parser reads it too.
    pub dialect: Arc<str>,
    /// The tools it offers, in order; all when absent.
    pub tools: Option<Vec<ToolId>>,
    /// Components delivered as the first user message.
    pub user_context: Vec<Step>,
    /// Components appended at the very end.
    pub system_context: Vec<Step>,
    /// The whole prompt of a minimal request.
    pub minimal: Option<Arc<Template>>,
    /// How the finished text is tidied.
    pub tidy: TidyMode,
    /// What a placeholder without a value prints.
    pub missing: Missing,
    /// The lowest placeholder layer.
    pub placeholders: BTreeMap<Arc<str>, Placeholder>,
    /// Its own wording of components.
    pub overrides: BTreeMap<ComponentId, Override>,
}

/// The step that is no component: it asserts that all before it is static.
pub(crate) const CACHE_BOUNDARY: &str = "cache_boundary";

/// One step of a variant's order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The component that runs; `cache_boundary` is no component but an assertion.
    pub id: ComponentId,
    /// Where the step is written.
    pub origin: Origin,
}

/// What must hold for a variant to claim a context. All given keys must.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Matcher {
    /// Higher is asked first.
    pub priority: i64,
    /// Patterns on the model id.
    pub models: Option<Patterns>,
    /// Patterns on the provider id.
    pub providers: Option<Patterns>,
    /// Matchers of extensions; all must say yes.
    pub matchers: Vec<NamedMatcher>,
    /// A condition.
    pub when: Option<Condition>,
}

/// A matcher of an extension, by name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedMatcher {
    /// Its name, or `extension/name`.
    pub name: Arc<str>,
    /// Where it is asked for.
    pub origin: Origin,
}

/// How tools are offered to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ToolCalls {
    /// Declared in the request.
    #[default]
    Native,
    /// Described in the prompt, called in text.
    Text,
    /// Not at all.
    None,
}

/// A placeholder's default value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Placeholder {
    /// The value.
    pub value: serde_json::Value,
    /// Where it is written.
    pub origin: Origin,
}

/// A variant's own wording of one component.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Override {
    /// False: the component does not run.
    pub enabled: bool,
    /// The wording; the component's own when absent.
    pub body: Option<CaseBody>,
    /// Where the override is written.
    pub origin: Origin,
    /// The digest of the text it was written against, in hex, with its place.
    pub base_sha256: Option<(Arc<str>, Origin)>,
    /// The override of a base that this one stands on; `{{base}}` prints its wording.
    pub base: Option<Arc<Override>>,
}

impl Variant {
    /// Its id and version, as `ID@VERSION`.
    pub(crate) fn name(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }

    /// A question to code on its behalf.
    pub(crate) fn question(&self, asked: &str) -> String {
        format!("{} {asked}", self.name())
    }
}

impl ToolCalls {
    /// `native`, `text` or `none`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
            Self::None => "none",
        }
    }
}
