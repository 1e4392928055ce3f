//! `GET /v1/models` and `GET /v1/models/{id}`.
//!
//! In: the routes. Out: the models that they name. Never: asks an upstream.

use axum::body::Body;
use axum::http::Response;
use serde_json::{Value as Json, json};

use super::gateway::Inner;
use super::{messages, routing};
use crate::refusal::Refusal;

/// What stands for a day that nobody knows, as Anthropic's reference says.
const UNKNOWN: &str = "1970-01-01T00:00:00Z";

fn model(id: &str) -> Json {
    json!({ "type": "model", "id": id, "display_name": id, "created_at": UNKNOWN })
}

/// All of them, each once, in the order of the routes.
pub(super) fn list(gateway: &Inner) -> Response<Body> {
    let mut ids: Vec<&str> = Vec::new();
    for id in gateway.routes.iter().flat_map(|(route, _)| &route.listed) {
        if !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    let (first, last) = (ids.first(), ids.last());
    let all = json!({
        "data": ids.iter().map(|id| model(id)).collect::<Vec<_>>(),
        "has_more": false, "first_id": first, "last_id": last,
    });
    messages::json(all.to_string())
}

/// One that a route takes, whether it names it or not.
pub(super) fn one(gateway: &Inner, id: &str) -> Result<Response<Body>, Refusal> {
    routing::route(gateway, id).map(|_| messages::json(model(id).to_string()))
}
