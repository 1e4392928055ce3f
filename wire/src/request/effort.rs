//! How much to think: budgets, efforts and levels, each in terms of the others.
//!
//! In: Anthropic's `thinking` and `output_config.effort`. Out: what was asked for. Never: a number of tokens that is not in the
//! table.

use serde_json::Value as Json;

use super::form::Form;
use crate::abilities::TopEffort;

/// Efforts, with the budget of thinking tokens that each stands for: the smallest that is not below a budget is its effort.
pub(crate) const BUDGETS: &[(&str, u64)] =
    &[("low", 2048), ("medium", 8192), ("high", 24576), ("xhigh", u64::MAX)];

/// Efforts, lowest first; one that is not among them goes as it is.
const LADDER: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinking<'r> {
    /// Nothing was said.
    Unsaid,
    /// None.
    Off,
    /// As much as the model likes, with an effort where one is named.
    Adaptive(Option<&'r str>),
    /// So many tokens.
    Budget(u64),
}

impl<'r> Thinking<'r> {
    pub(super) fn of(form: &Form<'r>) -> Self {
        let effort = form.field("output_config").and_then(|config| config.get("effort")?.as_str());
        let Some(thinking) = form.field("thinking") else {
            return effort.map_or(Self::Unsaid, |effort| Self::Adaptive(Some(effort)));
        };
        match thinking.get("type").and_then(Json::as_str) {
            Some("disabled") => Self::Off,
            Some("enabled") => {
                let budget = thinking.get("budget_tokens").and_then(Json::as_u64);
                budget.map_or(Self::Adaptive(effort), Self::Budget)
            }
            _ => Self::Adaptive(effort),
        }
    }

    /// The effort, if the model is to think; `medium` where none is named, and none above `top`.
    pub(super) fn effort(self, top: TopEffort) -> Option<&'r str> {
        let asked = match self {
            Self::Unsaid | Self::Off => return None,
            Self::Adaptive(effort) => effort.unwrap_or("medium"),
            Self::Budget(tokens) => {
                BUDGETS.iter().find(|(_, most)| tokens <= *most).map(|(effort, _)| *effort)?
            }
        };
        let top = match top {
            TopEffort::High => "high",
            TopEffort::Xhigh => "xhigh",
            TopEffort::Max => "max",
        };
        let place = |effort: &str| LADDER.iter().position(|known| *known == effort);
        Some(if place(asked) > place(top) { top } else { asked })
    }

    /// The budget, if the model is to think: what was asked for within the limit of output, and where no number was asked for,
    /// at most half of it, so that something is left to answer with.
    pub(super) fn budget(self, form: &Form<'_>) -> Option<u64> {
        let limit = form.field("max_tokens").and_then(Json::as_u64).unwrap_or(u64::MAX);
        if let Self::Budget(tokens) = self {
            return Some(tokens.min(limit.saturating_sub(1)));
        }
        let effort = self.effort(TopEffort::Max)?;
        let known = BUDGETS.iter().find(|(name, _)| *name == effort);
        Some(known.map_or(LARGE, |(_, tokens)| (*tokens).min(LARGE)).min(limit / 2))
    }
}

/// The budget of an effort above all those with a number.
const LARGE: u64 = 32768;
