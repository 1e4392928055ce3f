//! What a request asks for besides a variant: which text the prompt is made of, and what is added to it.
//!
//! In: the keys `request.*` of a context. Out: [`Request`]. Never: renders a text; these are values.

use serde_json::Value as Json;

use crate::model::Context;
use crate::template::Template;

/// Where the text of a prompt came from; of several that are asked for the first one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// `request.override`: it is all of the text.
    Override,
    /// `request.coordinator`.
    Coordinator,
    /// `request.agent`: instead of the variant's text, or behind it.
    Agent,
    /// `request.custom`.
    Custom,
    /// The variant's line for minimal requests.
    Minimal,
    /// The variant.
    #[default]
    Default,
}

impl Level {
    /// `override`, `coordinator`, `agent`, `custom`, `minimal` or `default`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Coordinator => "coordinator",
            Self::Agent => "agent",
            Self::Custom => "custom",
            Self::Minimal => "minimal",
            Self::Default => "default",
        }
    }
}

/// A text of the context, and its path there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given<'c> {
    pub(crate) path: String,
    pub(crate) text: &'c str,
}

/// What the prompt begins with.
#[derive(Clone, Debug, Default)]
pub(crate) enum Body<'c> {
    /// The variant's sections.
    #[default]
    Sections,
    /// The variant's line.
    Minimal(&'c Template),
    /// A text of the host.
    Text(Given<'c>),
}

/// What a request asks for. Blank texts count as absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request<'c> {
    pub(crate) level: Level,
    pub(crate) body: Body<'c>,
    /// In order, behind the body.
    pub(crate) append: Vec<Given<'c>>,
    /// Behind the system context.
    pub(crate) breaker: Option<Given<'c>>,
    pub(crate) attribution: Option<&'c str>,
    pub(crate) prefix: Option<&'c str>,
    pub(crate) leaves_out: LeavesOut,
    /// In tokens.
    pub(crate) budget: Option<usize>,
    /// Whether it asks for a line that the variant does not have.
    pub(crate) lacks_minimal: bool,
}

/// What a request does without, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeavesOut {
    pub(crate) system_context: Option<&'static str>,
    pub(crate) user_context: Option<&'static str>,
}

const NO_SYSTEM_CONTEXT: &str = "`request.system_context` is false";
const NO_USER_CONTEXT: &str = "`request.user_context` is false";

impl<'c> Request<'c> {
    /// Reads a context; `minimal` is the variant's line for minimal requests.
    pub(crate) fn read(context: &'c Context, minimal: Option<&'c Template>) -> Self {
        if context.root().get("request").is_none() {
            return Self::default();
        }
        let has_agent = given(context, "request.agent").is_some();
        let behind = has_agent && context.text("request.agent_mode") == Some("append");
        let instead = [
            ("request.override", Level::Override),
            ("request.coordinator", Level::Coordinator),
            ("request.agent", Level::Agent),
            ("request.custom", Level::Custom),
        ];
        let won =
            instead.into_iter().find_map(|(path, level)| Some((level, given(context, path)?)));
        let is_minimal = flag(context, "request.minimal", false);
        let line = minimal.filter(|_| is_minimal);
        let own = line.map_or(Body::Sections, Body::Minimal);
        let mut append = Vec::new();
        let (level, body) = match won {
            Some((Level::Agent, agent)) if behind => {
                append.push(agent);
                (Level::Agent, own)
            }
            Some((level, text)) => (level, Body::Text(text)),
            None if line.is_some() => (Level::Minimal, own),
            None => (Level::Default, own),
        };
        let lacks_minimal = is_minimal && minimal.is_none() && matches!(body, Body::Sections);
        let leaves_out = LeavesOut::read(context, level, &body);
        if level != Level::Override {
            append.extend(appended(context));
        }
        Self {
            level,
            body,
            append,
            breaker: given(context, "request.cache_breaker")
                .filter(|_| leaves_out.system_context.is_none()),
            attribution: text(context, "request.attribution"),
            prefix: text(context, "request.prefix"),
            leaves_out,
            lacks_minimal,
            budget: context.get("request.budget").and_then(Json::as_u64).map(|most| most as usize),
        }
    }
}

impl LeavesOut {
    fn read(context: &Context, level: Level, body: &Body<'_>) -> Self {
        let system_context = match (level, body) {
            (Level::Override, _) => Some("`request.override` is all of the text"),
            (_, Body::Minimal(_)) => Some("`request.minimal` is true"),
            _ if !flag(context, "request.system_context", true) => Some(NO_SYSTEM_CONTEXT),
            _ => None,
        };
        let user_context =
            (!flag(context, "request.user_context", true)).then_some(NO_USER_CONTEXT);
        Self { system_context, user_context }
    }
}

fn appended(context: &Context) -> impl Iterator<Item = Given<'_>> {
    let texts = context.get("request.append").and_then(Json::as_array);
    let texts = texts.into_iter().flatten().enumerate();
    texts.filter_map(|(at, text)| {
        let text = text.as_str().filter(|text| !text.trim().is_empty())?;
        Some(Given { path: format!("request.append.{at}"), text })
    })
}

fn given<'c>(context: &'c Context, path: &str) -> Option<Given<'c>> {
    Some(Given { path: path.into(), text: text(context, path)? })
}

fn text<'c>(context: &'c Context, path: &str) -> Option<&'c str> {
    context.text(path).filter(|text| !text.trim().is_empty())
}

fn flag(context: &Context, path: &str, default: bool) -> bool {
    context.get(path).and_then(Json::as_bool).unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Origin, SourceText};

    /// What is asked for, the level that wins, what is appended.
    const CASES: &[(&str, Level, &[&str])] = &[
        (r#"{}"#, Level::Default, &[]),
        (r#"{"append": ["a", " ", 7, "b"]}"#, Level::Default, &["a", "b"]),
        (r#"{"minimal": true, "append": ["a"]}"#, Level::Minimal, &["a"]),
        (r#"{"custom": "c", "minimal": true, "append": ["a"]}"#, Level::Custom, &["a"]),
        (r#"{"agent": "g", "custom": "c", "append": ["a"]}"#, Level::Agent, &["a"]),
        (r#"{"agent": "g", "agent_mode": "append", "append": ["a"]}"#, Level::Agent, &["g", "a"]),
        (
            r#"{"coordinator": "k", "agent": "g", "agent_mode": "append", "append": ["a"]}"#,
            Level::Coordinator,
            &["a"],
        ),
        (r#"{"override": "o", "coordinator": "k", "append": ["a"]}"#, Level::Override, &[]),
        (r#"{"override": "", "coordinator": " \n", "custom": "c"}"#, Level::Custom, &[]),
    ];

    #[test]
    fn the_first_level_wins() {
        for (request, level, append) in CASES {
            let context = Context::from_json(&format!("{{\"request\": {request}}}")).unwrap();
            let line = Template::new(SourceText::new("line", Origin::Engine));
            let request = Request::read(&context, Some(&line));
            let texts: Vec<&str> = request.append.iter().map(|given| given.text).collect();
            assert_eq!((request.level, texts.as_slice()), (*level, *append), "{context:?}");
        }
    }
}
