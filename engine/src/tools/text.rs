//! The text form of tools, for models that call them in text.
//!
//! In: effective tools. Out: for each a heading, a description, a list of parameters and a skeleton of a call; the shape
//! that text dialects of tool calls share. Never: changes a byte of a tool file's texts.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value as Json};

use super::native::plain_schema;
use super::worded::{EffectiveTool, Input, RenderedParameter, ToolSource};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceText};
use crate::trace::{CacheClass, MarkKind, Piece, PieceKind, Source, Traced};

/// The texts of tools, and which tools have none.
#[derive(Debug, Default)]
pub(crate) struct Docs {
    /// Joined by a blank line; each tool's text has its origin and class.
    pub traced: Traced,
    /// The class of whether there is any text.
    pub presence: CacheClass,
    /// The widest class of anything in it.
    pub class: CacheClass,
    /// One note for each tool that is left out.
    pub diagnostics: Vec<Diagnostic>,
}

/// The tag that prints the texts, as spans call it.
const PLACEHOLDER: &str = "tool_docs";
/// What the texts of all tools may have together: as much as a section.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// What decides which tools of servers there are.
const SERVERS: &str = "mcp.servers";

/// The texts of all tools that are described.
///
/// A tool file without description and parameters, which marks that something is on, has an empty text and keeps its
/// place among the others. The tools of servers come last; where they begin, or would, there is a hinge of the class
/// `servers`. `own` is the class of which the others there are.
pub(crate) fn tool_docs(tools: &[EffectiveTool], own: CacheClass, servers: CacheClass) -> Docs {
    let begin = tools.iter().position(|tool| matches!(tool.source, ToolSource::Mcp { .. }));
    let (mine, theirs) = tools.split_at(begin.unwrap_or(tools.len()));
    let mut docs = Docs::default();
    mine.iter().for_each(|tool| docs.push(tool, own, "tools"));
    docs.hinge(servers, SERVERS, &Origin::Context(SERVERS.into()));
    theirs.iter().for_each(|tool| docs.push(tool, servers, SERVERS));
    docs
}

impl Docs {
    fn push(&mut self, tool: &EffectiveTool, least: CacheClass, cause: &str) {
        let class = tool.class.max(least);
        self.hinge(class, cause, &tool.origin);
        let Some(text) = tool_doc(tool) else { return self.diagnostics.push(tool.undescribed()) };
        let Traced { text: all, pieces, sources, .. } = &mut self.traced;
        if all.len() + text.len() > MAX_BYTES {
            let message =
                format!("tool `{}` is left out: all texts of tools are too large", tool.id);
            let told = Diagnostic::new(Code::SectionTooLarge, message, tool.origin.clone());
            let help = format!("the limit is {MAX_BYTES} bytes");
            return self.diagnostics.push(told.help(help));
        }
        if !pieces.is_empty() {
            all.push_str("\n\n");
        }
        all.push_str(&text);
        let (end, source) = (all.len() as u32, sources.len() as u32);
        sources.push(Source::new(SourceText::new(PLACEHOLDER, tool.origin.clone())));
        pieces.push(Piece { end, kind: PieceKind::Value, class, source, at: 0 });
    }

    /// Something of that class decides what stands here.
    fn hinge(&mut self, class: CacheClass, cause: &str, origin: &Origin) {
        self.class = self.class.max(class);
        if self.traced.text.is_empty() {
            self.presence = self.presence.max(class);
        }
        if class > CacheClass::Static {
            self.traced.mark(MarkKind::Hinge, class, cause, origin);
        }
    }
}

/// The text of one tool; none when it is known by name alone.
pub(crate) fn tool_doc(tool: &EffectiveTool) -> Option<String> {
    if tool.is_undescribed() {
        return (tool.source != ToolSource::Name).then(String::new);
    }
    let parameters = match &tool.input {
        Input::Parameters(parameters) => Cow::Borrowed(parameters.as_slice()),
        Input::Schema(schema) => Cow::Owned(parameters_of(schema)),
    };
    let mut text = format!("## {}\nDescription: {}\n", tool.id, tool.description);
    for parameter in parameters.iter().filter(|parameter| !parameter.description.is_empty()) {
        text.push_str(&parameter.description);
        text.push('\n');
    }
    push_parameters(&mut text, &parameters);
    push_usage(&mut text, &tool.id, &parameters);
    Some(text)
}

fn push_parameters(text: &mut String, parameters: &[RenderedParameter]) {
    text.push_str(if parameters.is_empty() { "Parameters: None\n" } else { "Parameters:\n" });
    for parameter in parameters {
        let need = if parameter.required { "required" } else { "optional" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}: ({need}) {}", parameter.name, parameter.instruction);
    }
}

fn push_usage(text: &mut String, id: &str, parameters: &[RenderedParameter]) {
    let _ = writeln!(text, "Usage:\n<{id}>");
    for RenderedParameter { name, usage, .. } in parameters {
        let _ = writeln!(text, "<{name}>{usage}</{name}>");
    }
    let _ = write!(text, "</{id}>");
}

/// The properties of a schema by name: what a host or a server says about a tool.
fn parameters_of(schema: &Json) -> Vec<RenderedParameter> {
    let schema = plain_schema(schema);
    let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
    let required: BTreeSet<&str> = required.filter_map(Json::as_str).collect();
    let properties = schema.get("properties").and_then(Json::as_object);
    let mut parameters: Vec<RenderedParameter> = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| RenderedParameter {
            name: name.as_str().into(),
            kind: "string".into(),
            required: required.contains(name.as_str()),
            instruction: instruction_of(property),
            usage: String::new(),
            description: String::new(),
            schema: Map::new(),
        })
        .collect();
    parameters.sort_by(|one, other| one.name.cmp(&other.name));
    parameters
}

/// The description; behind it a type that is not just text, the schema of what is written as JSON.
fn instruction_of(property: &Json) -> String {
    let description = property.get("description").and_then(Json::as_str).unwrap_or("");
    let mut rest = property.as_object().cloned().unwrap_or_default();
    rest.remove("description");
    rest.remove("title");
    let hint = match (rest.get("type").and_then(Json::as_str), rest.len()) {
        (_, 0) | (Some("string"), 1) => String::new(),
        (Some(kind @ ("number" | "integer" | "boolean")), 1) => format!("({kind})"),
        _ => format!("(JSON Schema: {})", Json::from(rest)),
    };
    let space = if description.is_empty() || hint.is_empty() { "" } else { " " };
    format!("{description}{space}{hint}")
}
