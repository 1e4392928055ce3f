//! A tool as a pack describes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{PackName, ToolId, Variant};
use crate::condition::Condition;
use crate::diagnostic::Origin;
use crate::template::Template;

/// A tool: what it does, what it takes, when it is there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// Its name, which the model calls it by.
    pub id: ToolId,
    /// The pack or extension that supplied it.
    pub pack: PackName,
    /// Where it is defined.
    pub origin: Origin,
    /// What it is for, e.g. `read`; `{{tool "read"}}` prints the name of the tool of that role.
    pub role: Option<Arc<str>>,
    /// It is effective only when this holds.
    pub when: Option<Condition>,
    /// What the model is told about it.
    pub description: Option<Arc<Template>>,
    /// In the order of the file.
    pub parameters: Vec<Parameter>,
    /// Other wordings, by variant id or family.
    pub wordings: BTreeMap<Arc<str>, Wording>,
    /// The tool of a lower pack that this one replaces; `{{base}}` prints its text.
    pub base: Option<Arc<Tool>>,
}

/// Another wording of a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Wording {
    /// Replaces the description.
    pub description: Option<Arc<Template>>,
    /// Replaces the list of parameters.
    pub parameters: Option<Vec<Parameter>>,
}

/// One parameter of a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its JSON Schema type; `string` when the file does not say.
    pub kind: Arc<str>,
    /// Whether a call must give it.
    pub required: bool,
    /// What the model is told about it.
    pub instruction: Option<Arc<Template>>,
    /// A sample value for the text form.
    pub usage: Option<Arc<Template>>,
    /// A line of its own before the parameter list of the text form.
    pub description: Option<Arc<Template>>,
    /// It is there only when all of these tools are effective.
    pub depends_on: Vec<Arc<str>>,
    /// It is there only when this holds.
    pub when: Option<Condition>,
    /// More JSON Schema: `enum`, `items`, `properties`, `default`.
    pub schema: serde_json::Map<String, serde_json::Value>,
    /// Where it is written.
    pub origin: Origin,
}

impl Tool {
    /// The wording by the variant's id, else by its nearest base, else by its family.
    pub(crate) fn wording(&self, variant: &Variant) -> Option<&Wording> {
        if self.wordings.is_empty() {
            return None;
        }
        let bases = variant.bases.iter().map(|id| id.as_str());
        std::iter::once(variant.id.as_str())
            .chain(bases)
            .chain(std::iter::once(&*variant.family))
            .find_map(|name| self.wordings.get(name))
    }
}
