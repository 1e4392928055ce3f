//! Declarations of tools for the APIs of providers.
//!
//! In: effective tools and a [`Dialect`]. Out: [`Declared`]: one JSON value for each tool that can be declared, and what
//! their names stand for. Never: leaves a tool, a name or a part of a schema out without a note.

mod flat;
mod gemini;
mod json_schema;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use self::flat::Flat;
use self::walk::Walk;
use super::described::renamed;
use super::name::Shape;
use super::worded::{EffectiveTool, Input, RenderedParameter, ToolSource};
use crate::diagnostic::{Code, Diagnostic};

/// The API that tools are declared to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's Chat Completions and what is compatible with it.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Bedrock's Converse.
    Bedrock,
    /// Gemini's `functionDeclarations`, of Google's API and of Vertex AI.
    Gemini,
}

/// Declarations, and what was changed for them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Declared {
    /// In the order of the tools.
    pub tools: Vec<Json>,
    /// By declared name.
    pub names: BTreeMap<String, DeclaredName>,
    /// What was changed or left out.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a declared name stands for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeclaredName {
    /// The effective tool.
    pub tool: Arc<str>,
    /// What it is for, where its describer says so.
    pub role: Option<Arc<str>>,
    /// Who describes it; an MCP server's tool has its own name there.
    pub source: ToolSource,
    /// Declared names of parameters that differ from their own, with these.
    pub parameters: BTreeMap<String, String>,
}

impl Dialect {
    /// What a tool may be called.
    ///
    /// OpenAI, Bedrock: `^[a-zA-Z0-9_-]{1,64}$`. Anthropic: `^[a-zA-Z0-9_-]{1,128}$`. Gemini: a letter or `_` first, then these,
    /// `.` and `-`, 64 in all; its newer documentation adds `:`, which Vertex AI still refuses.
    fn tool_names(self) -> Shape {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses | Self::Bedrock => {
                Shape { any_start: true, marks: b"-", max: 64 }
            }
            Self::Anthropic => Shape { any_start: true, marks: b"-", max: 128 },
            Self::Gemini => Shape { any_start: false, marks: b".-", max: 64 },
        }
    }

    /// What a parameter may be called; none when anything goes.
    ///
    /// Anthropic, whose models Bedrock serves too: `^[a-zA-Z0-9_.-]{1,64}$`. Gemini: a letter or `_` first, then letters, digits and `_`, 64 in all.
    fn parameter_names(self) -> Option<Shape> {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => None,
            Self::Anthropic | Self::Bedrock => {
                Some(Shape { any_start: true, marks: b".-", max: 64 })
            }
            Self::Gemini => Some(Shape { any_start: false, marks: b"", max: 64 }),
        }
    }

    fn max_depth(self) -> usize {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic | Self::Bedrock => {
                json_schema::MAX_DEPTH
            }
            Self::Gemini => gemini::MAX_DEPTH,
        }
    }

    /// The declaration of one tool. An empty description is left out where it is optional.
    fn declaration(self, name: &str, description: &str, schema: Option<Map<String, Json>>) -> Json {
        let mut body = Map::new();
        body.insert("name".into(), name.into());
        if !description.trim().is_empty() {
            body.insert("description".into(), description.into());
        } else if self == Self::Gemini {
            body.insert("description".into(), name.into());
        }
        if let Some(schema) = schema {
            match self {
                Self::Anthropic => body.insert("input_schema".into(), schema.into()),
                Self::Bedrock => body.insert("inputSchema".into(), json!({ "json": schema })),
                Self::OpenAiChat | Self::OpenAiResponses | Self::Gemini => {
                    body.insert("parameters".into(), schema.into())
                }
            };
        }
        match self {
            Self::OpenAiChat => {
                body.insert("strict".into(), false.into());
                json!({ "type": "function", "function": body })
            }
            Self::OpenAiResponses => {
                body.insert("type".into(), "function".into());
                body.insert("strict".into(), false.into());
                body.into()
            }
            Self::Bedrock => json!({ "toolSpec": body }),
            Self::Anthropic | Self::Gemini => body.into(),
        }
    }
}

/// Declares tools. Those without description and parameters are left out, those that cannot be declared refused.
pub(crate) fn declare(tools: &[EffectiveTool], dialect: Dialect) -> Declared {
    let mut declared = Declared::default();
    for tool in tools {
        declared.declare(tool, dialect);
    }
    declared
}

impl Declared {
    fn declare(&mut self, tool: &EffectiveTool, dialect: Dialect) {
        if tool.is_undescribed() {
            self.diagnostics.push(tool.undescribed());
            return;
        }
        let taken = |name: &str| self.names.contains_key(name);
        let name = dialect.tool_names().fit_apart(&tool.id, &tool.id, taken);
        let schema = match &tool.input {
            Input::Parameters(parameters) => &schema_of(parameters),
            Input::Schema(schema) => schema,
        };
        let mut walk = Walk::new(schema, dialect.max_depth());
        let cleaned = match clean(&mut walk, schema, dialect) {
            Ok(cleaned) => cleaned,
            Err(reason) => return self.refuse(tool, reason),
        };
        if name != *tool.id {
            self.diagnostics.push(renamed(&tool.id, &name, tool.origin.clone()));
        }
        self.report(tool, walk);
        let parameters = cleaned.renamed;
        self.report_parameters(tool, &parameters);
        self.tools.push(dialect.declaration(&name, &tool.description, cleaned.schema));
        let (role, source) = (tool.role.clone(), tool.source.clone());
        let declared = DeclaredName { tool: Arc::clone(&tool.id), role, source, parameters };
        self.names.insert(name, declared);
    }

    fn refuse(&mut self, tool: &EffectiveTool, reason: &str) {
        let message = format!("`{}` cannot be declared: {reason}", tool.id);
        let diagnostic = Diagnostic::new(Code::ToolRefused, message, tool.origin.clone())
            .help("give it a schema of type `object`");
        self.diagnostics.push(diagnostic);
    }

    fn report(&mut self, tool: &EffectiveTool, walk: Walk<'_>) {
        self.diagnostics.extend(walk.changes.sentences().map(|change| {
            let message = format!("schema of `{}`: {change}", tool.id);
            Diagnostic::new(Code::SchemaChanged, message, tool.origin.clone())
                .help("the provider takes no more; check arguments against the whole schema")
        }));
    }

    fn report_parameters(&mut self, tool: &EffectiveTool, parameters: &BTreeMap<String, String>) {
        self.diagnostics.extend(parameters.iter().map(|(declared, own)| {
            let message = format!("parameter `{own}` of `{}` is called `{declared}` here", tool.id);
            Diagnostic::new(Code::ToolRenamed, message, tool.origin.clone())
                .help("calls come back under the new name; the result lists both")
        }));
    }
}

/// What a tool takes, as a provider accepts it.
struct Cleaned {
    /// None: it takes nothing, and the provider wants no schema then.
    schema: Option<Map<String, Json>>,
    /// Declared names of parameters that differ from their own, with these.
    renamed: BTreeMap<String, String>,
}

fn clean<'s>(
    walk: &mut Walk<'s>,
    schema: &'s Json,
    dialect: Dialect,
) -> Result<Cleaned, &'static str> {
    let flat = Flat::of_tool(walk, schema)?;
    let names = dialect.parameter_names();
    let mut schema = match dialect {
        Dialect::OpenAiChat | Dialect::OpenAiResponses => {
            let mut made = json_schema::clean(walk, &flat, None);
            made.entry("additionalProperties").or_insert(Json::Bool(false));
            Some(made)
        }
        Dialect::Anthropic | Dialect::Bedrock => Some(json_schema::clean(walk, &flat, names)),
        Dialect::Gemini => gemini::clean(walk, &flat),
    };
    let renamed = match (names, &mut schema) {
        (Some(names), Some(schema)) => rename_parameters(schema, &names),
        _ => BTreeMap::new(),
    };
    Ok(Cleaned { schema, renamed })
}

/// A tool's schema in plain JSON Schema, for the text form; an object without properties when it is none.
pub(super) fn plain_schema(schema: &Json) -> Map<String, Json> {
    let mut walk = Walk::new(schema, json_schema::MAX_DEPTH);
    let flat = Flat::of_tool(&mut walk, schema).unwrap_or_default();
    json_schema::clean(&mut walk, &flat, None)
}

/// Gives parameters names that fit; those that fit already keep theirs.
fn rename_parameters(schema: &mut Map<String, Json>, names: &Shape) -> BTreeMap<String, String> {
    let mut renamed = BTreeMap::new();
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return renamed };
    let (mut kept, unfit): (Map<String, Json>, Map<String, Json>) =
        std::mem::take(properties).into_iter().partition(|(name, _)| names.accepts(name));
    for (own, property) in unfit {
        let declared = names.fit_apart(&own, &own, |name| kept.contains_key(name));
        kept.insert(declared.clone(), property);
        renamed.insert(declared, own);
    }
    *properties = kept;
    let declared: BTreeMap<&str, &str> =
        renamed.iter().map(|(declared, own)| (own.as_str(), declared.as_str())).collect();
    for name in schema.get_mut("required").and_then(Json::as_array_mut).into_iter().flatten() {
        if let Some(declared) = name.as_str().and_then(|name| declared.get(name)) {
            *name = Json::from(*declared);
        }
    }
    renamed
}

/// The schema of a tool file's parameters. What the file says in `schema` beats its `type`.
fn schema_of(parameters: &[RenderedParameter]) -> Json {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    for parameter in parameters {
        let mut property = parameter.schema.clone();
        property.entry("type").or_insert_with(|| (*parameter.kind).into());
        if !parameter.instruction.trim().is_empty() {
            property.insert("description".into(), parameter.instruction.as_str().into());
        }
        properties.insert(parameter.name.to_string(), property.into());
        if parameter.required {
            required.push(&parameter.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}
