//! Gateways on the way of a request, so that none sends it to itself for ever.
//!
//! In: the header that gateways add. Out: the same with our own id, or a refusal. Never: an id that says more than that it is the same
//! process.

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use promptweave_wire::FailureKind;

use crate::config::HOPS;
use crate::refusal::Refusal;

/// Nobody has so many of them in a row.
const MAX_HOPS: usize = 16;

fn ids(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(HOPS).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Refuses a request that went through this gateway already.
pub(super) fn check(headers: &HeaderMap, id: &str) -> Result<(), Refusal> {
    if ids(headers).any(|hop| hop == id) || ids(headers).count() > MAX_HOPS {
        let message = "the request went through this gateway already: an upstream leads back here";
        let refusal = Refusal::new(FailureKind::Api, message);
        return Err(refusal.final_with(StatusCode::LOOP_DETECTED));
    }
    Ok(())
}

/// The header for whoever comes next.
pub(super) fn added(headers: &HeaderMap, id: &str) -> HeaderValue {
    let all: Vec<&str> = ids(headers).chain([id]).collect();
    HeaderValue::try_from(all.join(", ")).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_knows_itself_and_what_goes_on_for_ever() {
        let mut headers = HeaderMap::new();
        assert!(check(&headers, "a").is_ok());
        assert_eq!(added(&headers, "a"), "a");
        headers.insert(HOPS, added(&headers, "a"));
        headers.append(HOPS, HeaderValue::from_static("b"));
        assert!(check(&headers, "a").is_err() && check(&headers, "b").is_err());
        assert!(check(&headers, "c").is_ok());
        assert_eq!(added(&headers, "c"), "a, b, c");
        headers.insert(HOPS, HeaderValue::try_from(["x"; MAX_HOPS + 1].join(",")).unwrap());
        assert!(check(&headers, "a").is_err());
    }
}
