//! Payloads for the APIs of providers.
//!
//! In: flags, a built prompt. Out: `{headers, body}` as JSON. Never: sends anything.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use promptweave::{Diagnostic, Target, Ttl, TtlLatch, WireScope};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::select::{Built, Selectors};
use crate::session;

/// An API, as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Api(pub(crate) Target);

impl Api {
    /// What it is, for the help.
    fn help(self) -> &'static str {
        match self.0 {
            Target::Anthropic => "Anthropic's Messages",
            Target::Vertex => "Claude on Vertex AI",
            Target::Bedrock => "Bedrock's Converse",
            Target::OpenAiChat => "OpenAI's Chat Completions",
            Target::OpenAiResponses => "OpenAI's Responses",
            Target::OpenAiCompatible => "What is compatible with OpenAI's Chat Completions",
            Target::Xai => "xAI's Chat Completions",
            Target::Gemini => "Gemini's generateContent",
        }
    }

    /// The argument's value.
    pub(crate) fn possible_value(self) -> PossibleValue {
        PossibleValue::new(self.0.as_str()).help(self.help())
    }
}

impl ValueEnum for Api {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self(Target::Anthropic),
            Self(Target::Vertex),
            Self(Target::Bedrock),
            Self(Target::OpenAiChat),
            Self(Target::OpenAiResponses),
            Self(Target::OpenAiCompatible),
            Self(Target::Xai),
            Self(Target::Gemini),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(self.possible_value())
    }
}

/// What a payload should be like.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Payloads")]
pub(crate) struct PayloadFlags {
    /// Let entries live for an hour for this `request.query_source`, or for those that begin with it when it ends in `*`
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    one_hour: Vec<String>,
    /// Put the undocumented scope of global blocks into the request, with the header that it needs
    #[arg(long)]
    wire_scope: bool,
    /// What routes requests with the same prefix to the same cache
    #[arg(long, value_name = "KEY")]
    cache_key: Option<String>,
}

impl PayloadFlags {
    /// The payload of a built prompt, with its tools.
    pub(crate) fn payload(
        &self,
        console: &Console,
        built: &Built,
        (target, selectors): (Target, &Selectors),
    ) -> Result<Json, Failure> {
        let Built { engine, context, prompt, .. } = built;
        let declared = engine.declare_tools(context, &selectors.ask.ask(), target.dialect())?;
        let mut delivery = engine.delivery(target, context.text("model.id").unwrap_or_default());
        let source = prompt.query_source().unwrap_or_default();
        let granted = match &selectors.session.session {
            Some(file) => session::ttl(engine, file, source, &self.one_hour)?,
            None => TtlLatch::default().ttl(source, &self.one_hour),
        };
        if !self.one_hour.is_empty() || granted == Ttl::OneHour {
            delivery.ttl = granted;
        }
        delivery.wire_scope = if self.wire_scope { WireScope::On } else { WireScope::Off };
        delivery.cache_key = self.cache_key.as_deref().map(Into::into);
        let (payload, told) = promptweave::deliver(prompt, declared.tools, &delivery);
        let told: Vec<Diagnostic> = declared.diagnostics.into_iter().chain(told).collect();
        console.tell(&told);
        selectors.strictness.judge(&told)?;
        Ok(json!({ "headers": payload.headers, "body": payload.body }))
    }
}
