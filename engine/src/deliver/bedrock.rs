//! Bedrock's Converse.
//!
//! Shapes from its API reference (2026-08): a mark is an element of its own, `{cachePoint: {type: "default", ttl?}}`, behind
//! what it ends; the model stands in the path. A `cachePoint` beside a tool's result is refused by some models, so the
//! one message here holds text alone.

use serde_json::{Map, Value as Json};

use super::plan::{Mark, Plan};
use super::{Payload, add, object};
use crate::facts::Ttl;

pub(super) fn converse(plan: Plan<'_>) -> Payload {
    let Plan { mut tools, tools_mark, system, user, .. } = plan;
    let mut body = Map::new();
    let system = system.into_iter().flat_map(|part| ended(text(part.text.to_owned()), part.mark));
    add(&mut body, "system", system.collect());
    if !tools.is_empty() {
        tools.extend(tools_mark.map(point));
        body.insert("toolConfig".into(), object([("tools", tools.into())]));
    }
    let messages = user.into_iter().map(|(said, mark)| {
        let content: Vec<Json> = ended(text(said.to_owned()), mark).collect();
        object([("role", "user".into()), ("content", content.into())])
    });
    body.insert("messages".into(), messages.collect());
    Payload { headers: Default::default(), body: body.into() }
}

fn text(text: String) -> Json {
    object([("text", text.into())])
}

fn ended(element: Json, mark: Option<Mark>) -> impl Iterator<Item = Json> {
    [Some(element), mark.map(point)].into_iter().flatten()
}

fn point(mark: Mark) -> Json {
    let kind = ("type", "default".into());
    let point = match mark.ttl {
        Ttl::OneHour => object([("ttl", mark.ttl.as_str().into()), kind]),
        Ttl::FiveMinutes | Ttl::ThirtyMinutes => object([kind]),
    };
    object([("cachePoint", point)])
}
