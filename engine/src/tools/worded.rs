//! Effective tools with their texts, as the chosen variant words them.
//!
//! In: [`EffectiveIds`]. Out: [`EffectiveTool`]s: plain data that the text form and the declarations are made of.
//! Never: decides which tools there are.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::described::{HostTool, McpTool};
use super::effective::{EffectiveIds, Evaluate, Kind, Listed};
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{PackName, Parameter, Tool, Variant};
use crate::template::Template;
use crate::trace::CacheClass;

/// An effective tool with its texts.
#[derive(Clone, Debug)]
pub(crate) struct EffectiveTool {
    pub id: Arc<str>,
    pub role: Option<Arc<str>>,
    pub source: ToolSource,
    /// What the model is told about it; may be empty.
    pub description: String,
    pub input: Input,
    /// The class of its being there and of its texts.
    pub class: CacheClass,
    pub origin: Origin,
}

/// Who describes a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolSource {
    /// A tool file.
    Pack(PackName),
    /// The context's `tools`.
    Host,
    /// An MCP server.
    Mcp {
        /// The server's name.
        server: Arc<str>,
        /// The tool's name there.
        tool: Arc<str>,
    },
    /// Nobody: it is known by name alone.
    Name,
}

/// What a call of a tool takes.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// The parameters of a tool file that are there now.
    Parameters(Vec<RenderedParameter>),
    /// A JSON Schema as the host or a server gives it: anything at all.
    Schema(Json),
}

/// A parameter of a tool file with its texts.
#[derive(Clone, Debug)]
pub(crate) struct RenderedParameter {
    pub name: Arc<str>,
    /// Its JSON Schema type.
    pub kind: Arc<str>,
    pub required: bool,
    pub instruction: String,
    pub usage: String,
    pub description: String,
    /// More JSON Schema.
    pub schema: Map<String, Json>,
}

impl EffectiveIds<'_> {
    /// Words every tool as `variant` does.
    pub(crate) fn word_all(
        &self,
        variant: &Variant,
        evaluate: &dyn Evaluate,
    ) -> Vec<EffectiveTool> {
        self.tools.iter().map(|tool| self.word(tool, variant, evaluate)).collect()
    }

    /// Words one of these tools.
    ///
    /// What the host says about a tool that has a file beats the file, field by field: a pack cannot know what the
    /// host's tool really takes. A schema from the host replaces the file's parameters.
    pub(crate) fn word(
        &self,
        listed: &Listed<'_>,
        variant: &Variant,
        evaluate: &dyn Evaluate,
    ) -> EffectiveTool {
        let mut worded = EffectiveTool {
            id: Arc::clone(&listed.id),
            role: listed.role.clone(),
            source: ToolSource::Name,
            description: String::new(),
            input: Input::Parameters(Vec::new()),
            class: listed.class,
            origin: Origin::Engine,
        };
        match &listed.kind {
            Kind::File { tool, host } => {
                self.word_file(&mut worded, tool, *host, &Wordings { variant, evaluate });
            }
            Kind::Host(host) => {
                worded.source =
                    if host.is_described() { ToolSource::Host } else { ToolSource::Name };
                worded.take_host(host);
                worded.origin = host.origin.clone();
            }
            Kind::Mcp(tool) => worded.take_mcp(tool),
            Kind::Name(origin) => worded.origin = origin.clone(),
        }
        worded
    }

    fn word_file(
        &self,
        worded: &mut EffectiveTool,
        tool: &Tool,
        host: Option<&HostTool<'_>>,
        wordings: &Wordings<'_>,
    ) {
        worded.source = ToolSource::Pack(tool.pack.clone());
        worded.origin = tool.origin.clone();
        let wording = tool.wording(wordings.variant);
        if host.is_none_or(|host| host.description.is_none()) {
            let description = wording.and_then(|wording| wording.description.as_ref());
            worded.description =
                worded.text(description.or(tool.description.as_ref()), wordings.evaluate);
        }
        if host.is_none_or(|host| host.schema.is_none()) {
            let given = wording.and_then(|wording| wording.parameters.as_ref());
            let parameters = given.unwrap_or(&tool.parameters).iter();
            worded.input = Input::Parameters(
                parameters
                    .filter_map(|parameter| self.parameter(worded, parameter, wordings.evaluate))
                    .collect(),
            );
        }
        if let Some(host) = host {
            worded.take_host(host);
        }
    }

    /// None when the parameter is not there now.
    fn parameter(
        &self,
        worded: &mut EffectiveTool,
        parameter: &Parameter,
        evaluate: &dyn Evaluate,
    ) -> Option<RenderedParameter> {
        if !parameter.depends_on.is_empty() {
            let classes = parameter.depends_on.iter().map(|id| self.class_of(id));
            worded.class = classes.fold(worded.class, CacheClass::max);
            if !parameter.depends_on.iter().all(|id| self.has(id)) {
                return None;
            }
        }
        if let Some(when) = &parameter.when {
            let answer = evaluate.holds(when);
            worded.class = worded.class.max(answer.class);
            if !answer.value {
                return None;
            }
        }
        Some(RenderedParameter {
            name: Arc::clone(&parameter.name),
            kind: Arc::clone(&parameter.kind),
            required: parameter.required,
            instruction: worded.text(parameter.instruction.as_ref(), evaluate),
            usage: worded.text(parameter.usage.as_ref(), evaluate),
            description: worded.text(parameter.description.as_ref(), evaluate),
            schema: parameter.schema.clone(),
        })
    }
}

impl EffectiveTool {
    /// Whether there is nothing to tell the model: a name alone, or a tool file that only marks that something is on.
    pub(crate) fn is_undescribed(&self) -> bool {
        self.description.trim().is_empty()
            && matches!(&self.input, Input::Parameters(list) if list.is_empty())
    }

    /// The note that it is left out of texts and declarations.
    pub(crate) fn undescribed(&self) -> Diagnostic {
        let message =
            format!("`{}` has neither description nor parameters and is left out", self.id);
        Diagnostic::new(Code::ToolUndescribed, message, self.origin.clone())
            .help("describe it in a tool file, or in the context's `tools`")
    }

    fn text(&mut self, template: Option<&Arc<Template>>, evaluate: &dyn Evaluate) -> String {
        let Some(template) = template else { return String::new() };
        let text = evaluate.text(template);
        self.class = self.class.max(text.class);
        text.value
    }

    fn take_host(&mut self, host: &HostTool<'_>) {
        if let Some(description) = host.description {
            self.description = description.to_owned();
        }
        if let Some(schema) = host.schema {
            self.input = Input::Schema(schema.clone());
        }
    }

    /// The server's name leads the description, and the tool's stands in for a missing one.
    fn take_mcp(&mut self, tool: &McpTool<'_>) {
        self.source = ToolSource::Mcp { server: tool.server.into(), tool: tool.tool.into() };
        let given = tool.description.filter(|text| !text.trim().is_empty());
        self.description = format!("{}: {}", tool.server, given.unwrap_or(tool.tool));
        if let Some(schema) = tool.schema {
            self.input = Input::Schema(schema.clone());
        }
        self.origin = tool.origin.clone();
    }
}

/// How a variant words tools.
struct Wordings<'v> {
    variant: &'v Variant,
    evaluate: &'v dyn Evaluate,
}
