//! Heads: how long they may be.
//!
//! In: a request's address and headers. Out: whether they fit. Never: repeats one of them.
//!
//! The limits of the server that reads heads are wider, so that a head that is a little too long is refused like all else; what is far too
//! long, or no head at all, that server refuses by itself.

use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, StatusCode, Uri};

use crate::problem::Problem;

/// Bytes of the path and the query.
const MAX_URI_BYTES: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
/// Bytes of the names and values of all headers.
const MAX_HEADER_BYTES: usize = 32 << 10;

/// Whether a head has no more than a server takes.
pub(crate) fn fits(uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target > MAX_URI_BYTES {
        let why = format!("the path and the query have more than {MAX_URI_BYTES} bytes");
        return Err(too_long(StatusCode::URI_TOO_LONG, "uri-too-long", why));
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
        let why = format!(
            "there are more than {MAX_HEADERS} headers or {MAX_HEADER_BYTES} bytes of them"
        );
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(too_long(status, "headers-too-large", why));
    }
    Ok(())
}

fn too_long(status: StatusCode, code: &'static str, why: String) -> Problem {
    Problem::new(status, code, why).header(CONNECTION, "close")
}
