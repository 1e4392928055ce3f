//! Exchanges the token for a cookie.
//!
//! In: the token. Out: a cookie that no script can read and no other site can send. Never: the token itself.

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use promptweave_loopback::Problem;

use super::App;
use crate::asked::TokenRequest;
use crate::body::Short;

pub(super) async fn auth(
    State(app): State<App>,
    Short(TokenRequest { token: given }): Short<TokenRequest>,
) -> Result<Response, Problem> {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let Some(token) = app.gate.token() else { return Ok(response) };
    if !token.is(given.as_bytes()) {
        return Err(Problem::unauthorised("this is not the token"));
    }
    let name = app.gate.cookie().unwrap_or_default();
    let cookie = format!("{name}={}; HttpOnly; SameSite=Strict; Path=/", token.cookie());
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}
