//! What the verbs of the command line do, as tools.
//!
//! In: an engine, the name of a tool, its arguments. Out: the JSON that the verb prints, or why there is none. Never: an argument that
//! names a file, or a pack or plugin that is not loaded.

mod build;
mod check;
mod parse;
mod schema;

use promptweave::Engine;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, JsonObject, Tool as Listed, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::refusal::Refusal;
use build::BuildArguments;
use check::CheckArguments;
use parse::ParseArguments;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Build,
    Explain,
    Check,
    Parse,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Build, Self::Explain, Self::Check, Self::Parse];

    fn name(self) -> &'static str {
        match self {
            Self::Build => "build_prompt",
            Self::Explain => "explain_prompt",
            Self::Check => "check_pack",
            Self::Parse => "parse_reply",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Build => "Build a prompt",
            Self::Explain => "Explain a prompt",
            Self::Check => "Check packs",
            Self::Parse => "Parse a reply",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Build => {
                "Builds the system prompt for a context: its text, and of each part where it comes from, how long it stays the same, \
                 what it weighs. Without `variant` the context's model decides which one is built"
            }
            Self::Explain => {
                "Tells why this variant was chosen, why each section is in or out, and where each placeholder's value is from; \
                 without texts"
            }
            Self::Check => {
                "Tells everything that is wrong with the packs in force, or with one of them"
            }
            Self::Parse => "Cuts a model's reply into text, reasoning and tool calls",
        }
    }

    fn listed(self, engine: &Engine) -> Option<Listed> {
        let input = match self {
            Self::Build | Self::Explain => schema::input::<BuildArguments>(engine),
            Self::Check => schema::input::<CheckArguments>(engine),
            Self::Parse => schema::input::<ParseArguments>(engine),
        };
        let output = match self {
            Self::Build | Self::Explain => schema::result(),
            Self::Check => schema::answer("checked"),
            Self::Parse => schema::answer("parsed"),
        };
        let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
        let tool = Listed::new(self.name(), self.description(), input?);
        let tool = tool.with_title(self.title()).with_annotations(annotations);
        Some(tool.with_raw_output_schema(output?.into()))
    }

    fn does(self, engine: &Engine, arguments: JsonObject) -> Result<Json, Refusal> {
        match self {
            Self::Build => read::<BuildArguments>(arguments)?.build(engine),
            Self::Explain => read::<BuildArguments>(arguments)?.explain(engine),
            Self::Check => read::<CheckArguments>(arguments)?.check(engine),
            Self::Parse => read::<ParseArguments>(arguments)?.parse(engine),
        }
    }
}

/// All tools; their schemas name the variants in force.
pub(crate) fn list(engine: &Engine) -> Vec<Listed> {
    Tool::ALL.iter().filter_map(|tool| tool.listed(engine)).collect()
}

/// The tool of a name.
pub(crate) fn named(name: &str) -> Result<Tool, Refusal> {
    let found = Tool::ALL.into_iter().find(|tool| tool.name() == name);
    found.ok_or_else(|| {
        let names = Tool::ALL.map(Tool::name).join(", ");
        Refusal::arguments(format_args!("there is no tool `{name}`"))
            .help(format!("there are: {names}"))
    })
}

/// Calls a tool.
pub(crate) fn call(
    engine: &Engine,
    tool: Tool,
    arguments: JsonObject,
) -> Result<CallToolResult, ErrorData> {
    match tool.does(engine, arguments) {
        Ok(value) => Ok(CallToolResult::structured(value)),
        Err(refusal) => refusal.into_result(),
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Refusal> {
    serde_json::from_value(Json::Object(arguments)).map_err(|error| {
        Refusal::arguments(error)
            .help("`tools/list` describes what may stand there; packs and plugins are named on the command line of the server alone")
    })
}
