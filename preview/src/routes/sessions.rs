//! Sessions: begun, reset, ended.
//!
//! In: ids. Out: ids. Never: a list of them: who knows no id has no session.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use promptweave_loopback::Problem;
use serde_json::json;

use super::App;
use crate::body::{Named, Nothing};
use crate::builds::answer;

pub(super) async fn begin(State(app): State<App>, _: Nothing) -> Result<Response, Problem> {
    let id = app.preview.sessions().begin(app.preview.loaded().engine.clone())?;
    let mut response = answer(&json!({ "id": id }))?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

pub(super) async fn reset(
    State(app): State<App>,
    Named(id): Named<String>,
    _: Nothing,
) -> Result<StatusCode, Problem> {
    app.preview.sessions().reset(&id, app.preview.loaded().engine.clone())?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn end(
    State(app): State<App>,
    Named(id): Named<String>,
    _: Nothing,
) -> Result<StatusCode, Problem> {
    app.preview.sessions().end(&id)?;
    Ok(StatusCode::NO_CONTENT)
}
