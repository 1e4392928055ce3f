//! Anthropic's Messages, and the same on Vertex AI.
//!
//! Shapes from the API's reference and the types of its Python library (2026-08): `system` is a list of text blocks;
//! `cache_control` is `{type: "ephemeral", ttl?}`, five minutes by default; one at the top of the request would be a
//! mark of its own and is unknown to clouds, so it is never set.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::plan::{Mark, Plan};
use super::{Delivery, Payload, add, named, object};
use crate::blocks::Scope;
use crate::facts::Ttl;

/// The version of the API whose shapes these are.
const API_VERSION: &str = "2023-06-01";
/// The same for Vertex AI, where it stands in the body.
const VERTEX_VERSION: &str = "vertex-2023-10-16";

pub(super) fn first_party(plan: Plan<'_>, delivery: &Delivery) -> Payload {
    let mut headers = betas(&plan, delivery);
    headers.insert("anthropic-version".into(), API_VERSION.into());
    let body = named(&plan);
    Payload { headers, body: body_of(plan, body) }
}

pub(super) fn vertex(plan: Plan<'_>, delivery: &Delivery) -> Payload {
    let headers = betas(&plan, delivery);
    let version = ("anthropic_version".to_owned(), VERTEX_VERSION.into());
    Payload { headers, body: body_of(plan, [version].into_iter().collect()) }
}

fn body_of(plan: Plan<'_>, mut body: Map<String, Json>) -> Json {
    let Plan { mut tools, tools_mark, system, user, .. } = plan;
    if let (Some(mark), Some(Json::Object(last))) = (tools_mark, tools.last_mut()) {
        last.insert("cache_control".into(), control(mark));
    }
    add(&mut body, "tools", tools);
    let system = system.into_iter().map(|part| text(part.text.to_owned(), part.mark));
    add(&mut body, "system", system.collect());
    let messages = user.into_iter().map(|(said, mark)| {
        object([("role", "user".into()), ("content", vec![text(said.to_owned(), mark)].into())])
    });
    body.insert("messages".into(), messages.collect());
    body.into()
}

fn text(text: String, mark: Option<Mark>) -> Json {
    let (kind, text) = (("type", "text".into()), ("text", text.into()));
    match mark {
        Some(mark) => object([("cache_control", control(mark)), text, kind]),
        None => object([text, kind]),
    }
}

fn control(mark: Mark) -> Json {
    let mut control = Map::new();
    if let Some(scope) = mark.scope {
        control.insert("scope".into(), scope.as_str().into());
    }
    if mark.ttl == Ttl::OneHour {
        control.insert("ttl".into(), mark.ttl.as_str().into());
    }
    control.insert("type".into(), "ephemeral".into());
    control.into()
}

/// The headers that go with what the plan holds: read from the marks themselves, so that none is sent for a field that
/// is not there.
fn betas(plan: &Plan<'_>, delivery: &Delivery) -> BTreeMap<String, String> {
    let of_system = plan.system.iter().filter_map(|part| part.mark);
    let of_user = plan.user.iter().filter_map(|(_, mark)| *mark);
    let marks: Vec<Mark> = plan.tools_mark.into_iter().chain(of_system).chain(of_user).collect();
    let facts = &delivery.facts;
    let scoped = marks.iter().any(|mark| mark.scope == Some(Scope::Global));
    let scoped = facts.scope_beta.as_deref().filter(|_| scoped);
    let hour = marks.iter().any(|mark| mark.ttl == Ttl::OneHour);
    let hour = facts.one_hour_beta.as_deref().filter(|_| hour);
    let named: Vec<&str> = hour.into_iter().chain(scoped).collect();
    let entry = (!named.is_empty()).then(|| ("anthropic-beta".to_owned(), named.join(",")));
    entry.into_iter().collect()
}
