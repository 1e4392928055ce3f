//! Tools for models that have no calls of their own: all of it becomes text.
//!
//! In: a form with tools, calls and results. Out: the same as text, and what the answer is searched for. Never: syntax that
//! `promptweave-reply` does not read.

use std::fmt::Write as _;

use promptweave_reply::{ParamSpec, Specs, ToolSpec};
use serde_json::Value as Json;

use super::Writing;
use super::form::{Block, Choice, Form, Kind, Tool};
use crate::abilities::ToolCalls;
use crate::note::NoteCode;

/// What the model is told about calls.
const SYNTAX: &str = "# Tools\n\nTo call a tool, write its name as a tag, and inside of it each parameter as a tag with its \
value, and nothing else:\n\n<tool_name>\n<parameter_name>value</parameter_name>\n</tool_name>\n\nText is written as it is; lists \
and objects are written as JSON. After the last call of a message, stop: the results come in the next one.\n";

/// Makes text of tools, calls and results; gives the tools to look for, if there are any.
pub(super) fn apply(form: &mut Form<'_>, writing: &mut Writing<'_>) -> Option<Specs> {
    for message in &mut form.messages {
        let blocks = std::mem::take(&mut message.blocks);
        message.blocks = blocks.into_iter().flat_map(as_text).collect();
    }
    if form.tools.is_empty() {
        return None;
    }
    writing.note(NoteCode::ToolsAsText, "/tools");
    let tools = std::mem::take(&mut form.tools);
    if std::mem::take(&mut form.serial) {
        writing.note(NoteCode::ParallelDropped, "/tool_choice");
    }
    let choice = form.choice.take();
    if choice == Some(Choice::None) {
        return None;
    }
    if writing.abilities.tool_calls == ToolCalls::Text {
        let mark = tools.iter().rev().find_map(|tool| tool.mark);
        form.system.push(Block { mark, ..Block::text(described(&tools)) });
    }
    let forced = match choice {
        Some(Choice::Any) => Some("Answer with a call of a tool.".to_owned()),
        Some(Choice::Tool(name)) => Some(format!("Answer with a call of `{name}`.")),
        Some(Choice::Auto | Choice::None) | None => None,
    };
    if let Some(forced) = forced {
        writing.note(NoteCode::ToolChoiceAdapted, "/tool_choice");
        form.system.push(Block::text(forced));
    }
    Some(Specs::from_tools(&tools.iter().map(spec).collect::<Vec<_>>()))
}

fn spec(tool: &Tool<'_>) -> ToolSpec {
    let params = properties(tool).map(|(name, schema)| {
        ParamSpec::new(name.as_str(), schema.get("type").and_then(Json::as_str))
    });
    ToolSpec { name: tool.name.to_string(), params: params.collect() }
}

fn properties<'t>(tool: &'t Tool<'_>) -> impl Iterator<Item = (&'t String, &'t Json)> {
    let properties = tool.schema.and_then(|schema| schema.get("properties")?.as_object());
    properties.into_iter().flatten()
}

fn described(tools: &[Tool<'_>]) -> String {
    let mut text = SYNTAX.to_owned();
    for tool in tools {
        // A string takes whatever is written to it.
        let _ = write!(text, "\n## {}\n", tool.name);
        if let Some(description) = tool.description {
            let _ = write!(text, "\n{}\n", description.trim());
        }
        let required = tool.schema.and_then(|schema| schema.get("required")?.as_array());
        let is_required =
            |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
        for (number, (name, schema)) in properties(tool).enumerate() {
            text.push_str(if number == 0 { "\nParameters:\n" } else { "" });
            let kind = schema.get("type").and_then(Json::as_str).unwrap_or("any");
            let need = if is_required(name) { "required" } else { "optional" };
            let _ = write!(text, "- {name} ({kind}, {need})");
            if let Some(said) = schema.get("description").and_then(Json::as_str) {
                let _ = write!(text, ": {}", said.trim());
            }
            text.push('\n');
        }
    }
    text
}

fn as_text(block: Block<'_>) -> Vec<Block<'_>> {
    let Block { kind, mark, raw } = block;
    match kind {
        Kind::Call { name, input, .. } => {
            vec![Block { mark, ..Block::text(call(&name, input)) }]
        }
        Kind::Result { id, parts, failed } => {
            let head = if failed { "A call failed" } else { "Result of a call" };
            let head = Block::text(format!("[{head}, `{id}`]"));
            let mut blocks: Vec<_> = std::iter::once(head).chain(parts).collect();
            if let Some(last) = blocks.last_mut() {
                last.mark = last.mark.or(mark);
            }
            blocks
        }
        kind => vec![Block { kind, mark, raw }],
    }
}

/// A call as the model writes it.
fn call(name: &str, input: &Json) -> String {
    let mut text = format!("<{name}>\n");
    for (key, value) in input.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(text, "<{key}>{value}</{key}>");
    }
    let _ = write!(text, "</{name}>");
    text
}
