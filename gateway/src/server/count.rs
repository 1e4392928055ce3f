//! `POST /v1/messages/count_tokens`.
//!
//! In: a request without its limit. Out: how many tokens it has. Never: an estimate that passes for a count: its method is named.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request, Response};
use promptweave::TokenCounter;
use promptweave_wire::{Failure, FailureKind, Target};
use serde_json::{Map, Value as Json, json};

use super::app::App;
use super::exchange::{Asked, Exchange, Purpose, Routed};
use super::gateway::Inner;
use super::messages;
use crate::answer::{End, Story};
use crate::config::Upstream;
use crate::refusal::{Refusal, Refused};
use crate::upstream::{Opened, Read, Trouble};

/// How the tokens were counted.
const METHOD: HeaderName = HeaderName::from_static("promptweave-token-method");
/// The longest answer, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// What other fields of a request are made of; they have no tokens.
const COUNTED: [&str; 3] = ["system", "tools", "messages"];
/// About what an image or a document costs, whatever its bytes are.
const MEDIA_TOKENS: usize = 1600;

pub(super) async fn count(
    app: &App,
    request: Request<Body>,
    id: &Arc<str>,
) -> Result<Response<Body>, Refused> {
    let mut story = messages::story(app, id)?;
    let counted = counted(&app.gateway, request, (id, &mut story)).await;
    story.ended(if counted.is_ok() { End::Whole } else { End::Failed });
    let (tokens, method) = counted?;
    let mut response = messages::json(json!({ "input_tokens": tokens }).to_string());
    if let Ok(method) = HeaderValue::try_from(method) {
        response.headers_mut().insert(METHOD, method);
    }
    Ok(response)
}

/// A count, and its method.
async fn counted(
    gateway: &Inner,
    request: Request<Body>,
    (id, story): (&str, &mut Story),
) -> Result<(u64, String), Refused> {
    let routed = Routed::new(gateway, Asked::read(request, gateway).await?)?;
    let to = &routed.route.upstream;
    story.upstream.clone_from(&to.name);
    if to.target == Target::Anthropic && to.path.is_none() {
        Ok(upstream(&routed.exchange(gateway, id, Purpose::Count)?).await?)
    } else {
        routed.check()?;
        Ok(own(gateway, routed.request()))
    }
}

/// The upstream's own count.
async fn upstream(exchange: &Exchange<'_>) -> Result<(u64, String), Refusal> {
    let upstream = &exchange.route.upstream;
    let tokens = exchange.attempts.until(&Counted(upstream)).await?;
    Ok((tokens, format!("upstream {}", upstream.name)))
}

/// Reads the count of an upstream.
struct Counted<'a>(&'a Upstream);

impl Read for Counted<'_> {
    type Made = u64;

    async fn read(&self, mut opened: Opened) -> Result<u64, Trouble> {
        let Self(upstream) = self;
        let bytes = opened.rest(upstream, MAX_BYTES).await?;
        let json: Json = serde_json::from_slice(&bytes).unwrap_or_default();
        json.get("input_tokens").and_then(Json::as_u64).ok_or_else(|| {
            let message = format!("upstream `{}` did not count", upstream.name);
            Trouble::of(Failure { kind: FailureKind::Api, message })
        })
    }
}

/// The engine's count of the texts of a request.
fn own(gateway: &Inner, request: &Map<String, Json>) -> (u64, String) {
    let model = request.get("model").and_then(Json::as_str).unwrap_or_default();
    let counter = TokenCounter::new(&gateway.engine.facts(None, model));
    let mut texts = Texts::default();
    COUNTED.iter().filter_map(|key| request.get(*key)).for_each(|part| texts.add(part));
    let (tokens, method) = counter.count(&texts.text);
    ((tokens + texts.media * MEDIA_TOKENS) as u64, method.to_string())
}

/// What has tokens in a request.
#[derive(Default)]
struct Texts {
    text: String,
    media: usize,
}

impl Texts {
    fn add(&mut self, json: &Json) {
        match json {
            Json::String(text) => {
                self.text.push_str(text);
                self.text.push('\n');
            }
            Json::Array(list) => list.iter().for_each(|item| self.add(item)),
            Json::Object(object) => match object.get("type").and_then(Json::as_str) {
                Some("image" | "document") => self.media += 1,
                _ => object.iter().for_each(|(key, value)| self.entry(key, value)),
            },
            Json::Null => {}
            Json::Bool(_) | Json::Number(_) => _ = write!(self.text, "{json} "),
        }
    }

    /// Fields that hold no text of the model's are left out.
    fn entry(&mut self, key: &str, value: &Json) {
        match key {
            "cache_control" | "signature" | "data" | "id" | "tool_use_id" => {}
            "input" | "input_schema" => _ = write!(self.text, "{value} "),
            _ => self.add(value),
        }
    }
}
