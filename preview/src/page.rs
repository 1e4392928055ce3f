//! The page.
//!
//! In: the files that were built before this crate. Out: the same files, compressed where the browser takes that. Never: holds a
//! secret: whoever reaches the port may read them.

use axum::Router;
use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;

/// A file of the page.
struct File {
    /// Below the page's folder, with `/`.
    path: &'static str,
    /// Of its content, in hex.
    digest: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

const INDEX: &str = "index.html";

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
);

/// A route for each file; the index stands at `/` too.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| {
        let serve = get(async move |headers: HeaderMap| served(file, &headers));
        let router = match file.path {
            INDEX => router.route("/", serve.clone()),
            _ => router,
        };
        router.route(&format!("/{}", file.path), serve)
    })
}

fn served(file: &'static File, headers: &HeaderMap) -> Response {
    let packed = takes_gzip(headers) && file.gzip.len() < file.plain.len();
    // Two forms are two representations, each with its own tag.
    let tag = format!("\"{}{}\"", file.digest, if packed { "-gzip" } else { "" });
    let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
    let is_known = known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag);
    let mut response = match (is_known, packed) {
        (true, _) => Response::new(Body::empty()),
        (false, true) => Response::new(Body::from(file.gzip)),
        (false, false) => Response::new(Body::from(file.plain)),
    };
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind(file.path)));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    if packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let taken = headers.get(ACCEPT_ENCODING).and_then(|taken| taken.to_str().ok());
    let codings = taken.unwrap_or_default().split(',').map(|coding| coding.replace(' ', ""));
    let mut codings = codings.map(|coding| coding.to_ascii_lowercase());
    codings
        .any(|coding| coding == "gzip" || coding.starts_with("gzip;q=") && !coding.ends_with("=0"))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
