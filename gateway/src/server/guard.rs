//! Who may ask.
//!
//! In: the headers of a request. Out: a refusal, or none. Never: an answer to a web page that a name of its own led here.

use axum::http::{HeaderMap, Uri, header};
use promptweave_wire::FailureKind;

use crate::config::{Server, is_loopback};
use crate::refusal::Refusal;

/// Refuses names that are not ours, foreign pages, and those without the token.
pub(super) fn check(server: &Server, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = text(headers, header::HOST.as_str()).and_then(host_of);
    if !host.is_some_and(|host| is_ours(server, &host)) {
        let message = "the host of this request is not one of the gateway's: see `hosts`";
        return Err(Refusal::new(FailureKind::Permission, message));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let host = origin.to_str().ok().and_then(|origin| host_of(origin.split_once("://")?.1));
        if !host.is_some_and(|host| is_ours(server, &host)) {
            let message = "web pages from elsewhere may not ask: see `hosts`";
            return Err(Refusal::new(FailureKind::Permission, message));
        }
    }
    let Some(token) = &server.token else { return Ok(()) };
    let bearer = text(headers, header::AUTHORIZATION.as_str());
    let bearer = bearer.and_then(|text| text.strip_prefix("Bearer "));
    let shown = text(headers, "x-api-key").into_iter().chain(bearer);
    if shown.map(|shown| token.is(shown)).fold(false, |any, is| any | is) {
        return Ok(());
    }
    Err(Refusal::new(FailureKind::Authentication, "the gateway's token is missing or wrong"))
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// The host of `host:port`, in lower case.
fn host_of(authority: &str) -> Option<String> {
    let uri: Uri = authority.parse().ok()?;
    Some(uri.host()?.to_ascii_lowercase())
}

fn is_ours(server: &Server, host: &str) -> bool {
    is_loopback(host) || server.hosts.iter().any(|own| own == host)
}
