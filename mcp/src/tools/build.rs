//! `build_prompt` and `explain_prompt`.
//!
//! In: a context, perhaps a variant. Out: what `build --format json` and `explain --json` print. Never: fills in what the request does
//! not say.

use std::collections::BTreeMap;

use promptweave::{Ask, Engine, Offsets, Severity};
use promptweave_inspect::{Assignment, Built, Overlay};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::refusal::Refusal;

/// Which prompt is built.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BuildArguments {
    /// What the host says about this moment, taken as it is
    context: Map<String, Json>,
    /// Values by dotted path, put on top of the context
    set: BTreeMap<String, Json>,
    /// The model's id
    model: Option<String>,
    /// Who serves the model
    provider: Option<String>,
    /// What the agent may do now
    mode: Option<AgentMode>,
    /// The tools, by name
    tools: Option<Vec<String>>,
    /// `ID`, `ID@VERSION` or `ID@LABEL`, instead of matching
    variant: Option<String>,
    /// The version with this label
    label: Option<String>,
    /// Only variants with this tag are asked
    tag: Option<String>,
    /// Sections are dropped until the prompt has at most so many tokens
    max_tokens: Option<u32>,
    /// Whether the first warning is an error
    strict: bool,
}

/// What the agent may do.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AgentMode {
    Plan,
    Act,
}

impl AgentMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Act => "act",
        }
    }
}

impl BuildArguments {
    /// Everything about the prompt.
    pub(super) fn build(self, engine: &Engine) -> Result<Json, Refusal> {
        Ok(self.built(engine)?.result(Offsets::Bytes).to_json())
    }

    /// The same without texts.
    pub(super) fn explain(self, engine: &Engine) -> Result<Json, Refusal> {
        Ok(self.built(engine)?.explained().to_json())
    }

    fn built(self, engine: &Engine) -> Result<Built, Refusal> {
        let Self { context, set, model, provider, mode, tools, .. } = self;
        let Self { variant, label, tag, max_tokens, strict, .. } = self;
        if variant.is_some() && tag.is_some() {
            return Err(Refusal::arguments("`variant` and `tag` exclude each other"));
        }
        let set = set.into_iter().map(|(path, value)| Assignment { path, value }).collect();
        let mode = mode.map(|mode| AgentMode::as_str(mode).to_owned());
        let context = Overlay { model, provider, mode, tools, set }.on(Json::Object(context))?;
        let ask = Ask { variant, label, tag, budget: max_tokens.map(|most| most as usize) };
        let prompt = engine.prompt_for(&context, &ask)?;
        let built = Built::new(engine.clone(), context, prompt);
        let told = engine.diagnostics().iter().chain(built.prompt.diagnostics());
        match told.into_iter().find(|one| strict && one.severity > Severity::Note) {
            Some(first) => Err(Refusal::of_warning(first)),
            None => Ok(built),
        }
    }
}
