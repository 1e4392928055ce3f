//! What is asked for by which path.
//!
//! In: requests that passed the gate. Out: responses, each with the id of its request. Never: a list of what is open to anybody:
//! every path wants the token, where there is one.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router, middleware};
use promptweave_loopback::{Gate, RequestId};
use promptweave_wire::FailureKind;

use super::gateway::Inner;
use super::{count, messages, models};
use crate::refusal::{Refusal, Refused, named};

/// What every handler has.
#[derive(Clone, Debug)]
pub(super) struct App {
    pub(super) gateway: Arc<Inner>,
    pub(super) gate: Gate,
}

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const GATE_ID: HeaderName = HeaderName::from_static("x-request-id");
/// As Anthropic's API calls it.
const ID: HeaderName = HeaderName::from_static("request-id");

/// All paths, behind the gate.
pub(super) fn routes(app: App) -> Router {
    let gate = app.gate.clone();
    let routes = Router::new()
        .route("/v1/messages", post(answer))
        .route("/v1/messages/count_tokens", post(counted))
        .route("/v1/models", get(list))
        .route("/v1/models/{*id}", get(model))
        .route("/metrics", get(metrics))
        .with_state(app);
    let routes = gate.admit(gate.authorise(routes.fallback(nothing)));
    routes.layer(middleware::map_response(identify))
}

async fn answer(
    State(app): State<App>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Response {
    let id: Arc<str> = named(&id).into();
    let answered = messages::messages(&app, request, &id).await;
    answered.unwrap_or_else(|refused| refused.response(&id))
}

async fn counted(
    State(app): State<App>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Response {
    let id: Arc<str> = named(&id).into();
    let counted = count::count(&app, request, &id).await;
    counted.unwrap_or_else(|refused| refused.response(&id))
}

async fn list(State(app): State<App>) -> Response {
    models::list(&app.gateway)
}

async fn model(
    State(app): State<App>,
    Extension(id): Extension<RequestId>,
    Path(model): Path<String>,
) -> Response {
    let found = models::one(&app.gateway, &model).map_err(Refused::from);
    found.unwrap_or_else(|refused| refused.response(&named(&id)))
}

async fn metrics(State(app): State<App>) -> Response {
    let kind = [(header::CONTENT_TYPE, METRICS_TYPE)];
    (kind, app.gate.metrics().text()).into_response()
}

async fn nothing(Extension(id): Extension<RequestId>) -> Response {
    let refusal = Refusal::new(FailureKind::NotFound, "the gateway has no such path");
    Refused::from(refusal).response(&named(&id))
}

/// Names the request as Anthropic's API does.
async fn identify(mut response: Response<Body>) -> Response {
    let headers = response.headers_mut();
    let id = headers.get(GATE_ID).and_then(|id| id.to_str().ok());
    if let Some(id) = id.and_then(|id| HeaderValue::try_from(format!("req_{id}")).ok()) {
        headers.insert(ID, id);
    }
    response
}
