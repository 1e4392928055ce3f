//! What must hold for a text to be printed.
//!
//! In: tests of templates, conditions, names of tools. Out: whether they ask for a name, and whether they cannot hold with the
//! tools that a variant offers.
//! Never: takes a condition for one that holds; what cannot be told may hold.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use crate::condition::{Condition, Decision, Names};
use crate::model::Variant;
use crate::registry::Registry;
use crate::template::{Ask, Wanted};

/// The tools that a variant may have without a host that brings some; none: nothing is known of them.
#[derive(Clone, Copy)]
pub(super) struct Offer<'a> {
    pub registry: &'a Registry,
    pub variant: Option<&'a Variant>,
}

/// All that must hold for a text to be printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Way<'a> {
    pub asks: Vec<Ask<'a>>,
    pub conditions: Vec<&'a Condition>,
    /// Tools that must all be there.
    pub tools: Vec<&'a str>,
}

impl<'a> Offer<'a> {
    /// Whether the tool may be there.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools().is_none_or(|tools| tools.contains(&tool))
    }

    fn tools(&self) -> Option<Vec<&'a str>> {
        let own = self.variant?.tools.as_ref();
        let all = || self.registry.tools.keys().map(|id| id.as_str()).collect();
        Some(own.map_or_else(all, |own| own.iter().map(|id| id.as_str()).collect()))
    }

    fn wanted(&self, wanted: Wanted<'_>) -> bool {
        let role = |tool: &str| self.registry.tools.get(tool)?.role.as_deref();
        match wanted {
            Wanted::Tool(id) => self.has(id),
            Wanted::Role(wanted) => self
                .tools()
                .is_none_or(|tools| tools.into_iter().any(|tool| role(tool) == Some(wanted))),
        }
    }

    /// Whether a condition is false with all of the tools and without any.
    fn refuses(&self, condition: &Condition) -> bool {
        let asks = condition.paths().iter().any(|path| &**path == TOOLS);
        let Some(tools) = self.tools().filter(|_| asks) else { return false };
        let decided = |tools: Json| condition.decide(&OnlyTools(tools));
        [json!(tools), json!([])].into_iter().all(|some| decided(some) == Decision::Holds(false))
    }
}

impl<'a> Way<'a> {
    /// The same with more to hold.
    pub(super) fn and(&self, asks: &[Ask<'a>]) -> Self {
        let mut way = self.clone();
        way.asks.extend_from_slice(asks);
        way
    }

    /// The same with a condition, where there is one.
    pub(super) fn when(&self, condition: Option<&'a Condition>) -> Self {
        let mut way = self.clone();
        way.conditions.extend(condition);
        way
    }

    /// Whether something on the way asks for the name, so that who wrote it knows that it may be missing.
    pub(super) fn asks_for(&self, name: &str) -> bool {
        let quoted = ['\'', '"'].map(|quote| format!("{quote}{name}{quote}"));
        let in_condition =
            |one: &&Condition| quoted.iter().any(|quoted| one.text().contains(quoted));
        self.tools.contains(&name)
            || self.asks.iter().any(|ask| ask.spells(name))
            || self.conditions.iter().any(in_condition)
    }

    /// Whether it cannot be gone, for want of a tool.
    pub(super) fn is_closed(&self, offer: &Offer<'_>) -> bool {
        self.tools.iter().any(|tool| !offer.has(tool))
            || self.asks.iter().any(|ask| ask.never(&|wanted| offer.wanted(wanted)))
            || self.conditions.iter().any(|condition| offer.refuses(condition))
    }
}

/// The name of the tools' list in conditions.
const TOOLS: &str = "tools";

/// What a condition sees when nothing but the tools is known.
struct OnlyTools(Json);

impl Names for OnlyTools {
    fn value(&self, name: &str) -> Option<Cow<'_, Json>> {
        (name == TOOLS).then_some(Cow::Borrowed(&self.0))
    }
}
