//! By which names a server may be asked, and from pages of which sites.
//!
//! In: its address, names that the user adds. Out: whether the `Host` and the `Origin` of a request are among them. Never: looks a
//! name up.
//!
//! A page of a foreign site can let its own name point at 127.0.0.1; its requests then carry that name as their `Host`.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The names that a server answers to, and the origins of its own pages.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    hosts: BTreeSet<String>,
    /// `http://` and a name; for names that the user adds `https://` too, for a proxy may stand in front.
    origins: BTreeSet<String>,
}

/// A text is no name of a host.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a host, with or without a port: no scheme, user or path may stand there")]
pub struct NotHost(String);

/// The name of a host as a browser sends it: `name` or `name:port`, an address of IPv6 in brackets; in lower case.
///
/// # Errors
/// [`NotHost`].
pub fn host_name(text: &str) -> Result<String, NotHost> {
    let wrong = || NotHost(text.into());
    let authority: Authority = text.parse().map_err(|_| wrong())?;
    let (host, port) = (authority.host(), authority.port_u16());
    let whole = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let is_plain = |host: &str| {
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = inner.map_or(is_plain(host), |inner| inner.parse::<Ipv6Addr>().is_ok());
    // What the parts do not make up again is a user, or a port that is none.
    if host.is_empty() || whole != text || !is_host {
        return Err(wrong());
    }
    Ok(text.to_ascii_lowercase())
}

impl Allowed {
    /// The names of an address: its number, and those of this machine where it is reached by them.
    pub fn at(address: SocketAddr) -> Self {
        let (ip, port) = (address.ip().to_canonical(), address.port());
        let own = if ip.is_unspecified() { None } else { Some(literal(ip)) };
        let local = ["localhost", "127.0.0.1", "[::1]"].map(String::from);
        let local = local.into_iter().filter(|_| ip.is_loopback() || ip.is_unspecified());
        let named = local.chain(own).map(|host| format!("{host}:{port}"));
        // A browser leaves out the usual port.
        named.fold(Self::default(), |allowed, host| match host.strip_suffix(":80") {
            Some(name) => allowed.with(name, &["http"]).with(&host, &["http"]),
            None => allowed.with(&host, &["http"]),
        })
    }

    /// Adds the name of a host: `name` or `name:port`, as a browser would send it; [`host_name`] says whether it is one.
    #[must_use]
    pub fn host(self, name: &str) -> Self {
        self.with(&name.to_ascii_lowercase(), &["http", "https"])
    }

    fn with(mut self, host: &str, schemes: &[&str]) -> Self {
        self.origins.extend(schemes.iter().map(|scheme| format!("{scheme}://{host}")));
        self.hosts.insert(host.into());
        self
    }

    /// Whether a request is meant for this server.
    pub(crate) fn host_of(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let (first, more) = (hosts.next(), hosts.next());
        let is_named = |host: &str| self.hosts.contains(&host.to_ascii_lowercase());
        let by_uri = uri.authority().is_none_or(|authority| is_named(authority.as_str()));
        by_uri && more.is_none() && text(first).is_some_and(is_named)
    }

    /// Whether a request comes from a page of this server, or from no page at all.
    pub(crate) fn origin_of(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(ORIGIN).iter();
        let is_own = |origin: &HeaderValue| {
            let origin = text(Some(origin)).map(str::to_ascii_lowercase);
            origin.is_some_and(|origin| self.origins.contains(&origin))
        };
        origins.all(is_own) && !is_foreign_fetch(headers)
    }
}

/// What pages of other sites embed says no origin, but where it comes from. Links may lead here.
fn is_foreign_fetch(headers: &HeaderMap) -> bool {
    let is = |name, word| text(headers.get(name)) == Some(word);
    let is_foreign = is(FETCH_SITE, "cross-site") || is(FETCH_SITE, "same-site");
    is_foreign && !is(FETCH_MODE, "navigate")
}

fn literal(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn text(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn hosts() {
        let allowed = Allowed::at(([127, 0, 0, 1], 8080).into()).host("Box.example:443");
        let asked = |uri: &str, hosts: &[(&'static str, &str)]| {
            allowed.host_of(&uri.parse().unwrap(), &headers(hosts))
        };
        for host in
            ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080", "box.example:443"]
        {
            assert!(asked("/", &[("host", host)]), "{host}");
        }
        for host in [
            "localhost",
            "localhost:80",
            "evil.example:8080",
            "127.0.0.1.evil:8080",
            "",
            "localhost:8080 ",
        ] {
            assert!(!asked("/", &[("host", host)]), "{host}");
        }
        assert!(!asked("/", &[]));
        assert!(!asked("/", &[("host", "localhost:8080"), ("host", "evil")]));
        assert!(!asked("http://evil.example/", &[("host", "localhost:8080")]));
        assert!(asked("http://localhost:8080/", &[("host", "localhost:8080")]));
    }

    #[test]
    fn the_usual_port_is_left_out() {
        let allowed = Allowed::at(([127, 0, 0, 1], 80).into());
        assert!(allowed.host_of(&Uri::from_static("/"), &headers(&[("host", "localhost")])));
    }

    #[test]
    fn an_address_for_all_has_no_name_of_its_own() {
        let allowed = Allowed::at(([0, 0, 0, 0], 8080).into());
        assert!(!allowed.host_of(&Uri::from_static("/"), &headers(&[("host", "0.0.0.0:8080")])));
        let allowed = Allowed::at(([192, 0, 2, 1], 8080).into());
        assert!(allowed.host_of(&Uri::from_static("/"), &headers(&[("host", "192.0.2.1:8080")])));
        assert!(!allowed.host_of(&Uri::from_static("/"), &headers(&[("host", "localhost:8080")])));
    }

    #[test]
    fn origins() {
        let allowed = Allowed::at(([127, 0, 0, 1], 8080).into()).host("box.example");
        for (pairs, is_own) in [
            (&[][..], true),
            (&[("origin", "http://localhost:8080")], true),
            (&[("origin", "HTTP://LOCALHOST:8080")], true),
            (&[("origin", "https://localhost:8080")], false),
            (&[("origin", "https://localhost")], false),
            (&[("origin", "http://localhost")], false),
            (&[("origin", "https://box.example")], true),
            (&[("origin", "http://box.example")], true),
            (&[("origin", "https://box.example:8080")], false),
            (&[("origin", "localhost:8080")], false),
            (&[("origin", "http://localhost:8081")], false),
            (&[("origin", "null")], false),
            (&[("origin", "http://evil.example")], false),
            (&[("origin", "http://localhost:8080"), ("origin", "http://evil.example")], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")], false),
            (&[("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors")], false),
            (&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], true),
        ] {
            assert_eq!(allowed.origin_of(&headers(pairs)), is_own, "{pairs:?}");
        }
    }

    #[test]
    fn names_of_hosts() {
        for name in
            ["box", "box.example", "Box.example:443", "192.0.2.1:80", "[::1]", "[::1]:8080", "a_b"]
        {
            assert_eq!(host_name(name).unwrap(), name.to_ascii_lowercase());
        }
        for name in [
            "",
            "http://x/y",
            "x/y",
            "http://x",
            "user@x",
            "x:",
            "x:y",
            "x:99999",
            ":80",
            "x y",
            "x,y",
            "*",
            "*.example",
            "[::1",
            "[x]",
            "::1",
            "x?y",
        ] {
            assert!(host_name(name).is_err(), "{name}");
        }
    }
}
