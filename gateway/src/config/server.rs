//! The table `[server]`.
//!
//! In: the table. Out: [`Server`]. Never: an address that others reach without a token.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use axum::http::uri::Authority;
use promptweave::Origin;

use super::keys::Keys;
use super::reader::{Table, Value};
use super::{Server, seconds};
use crate::secret::KeySource;

const KNOWN: &[&str] = &["addr", "token", "hosts", "max_body", "max_requests", "grace"];
const PORT: u16 = 8790;
/// What Anthropic's API takes.
const MAX_BODY: usize = 32 << 20;
/// A body is held whole, and its tree of values beside it.
const MOST_BODY: usize = 1 << 30;
const MAX_REQUESTS: usize = 2048;
/// A machine has no more ports.
const MOST_REQUESTS: usize = 65_536;
const GRACE_SECONDS: f64 = 10.0;

pub(super) fn read(root: &Table<'_>, keys: &Keys<'_>) -> Option<Server> {
    let default = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
    if root.get("server").is_none() {
        let (max_body, max_requests) = (MAX_BODY, MAX_REQUESTS);
        let grace = Duration::from_secs_f64(GRACE_SECONDS);
        let (token, hosts) = (None, Vec::new());
        return Some(Server { addr: default, token, hosts, max_body, max_requests, grace });
    }
    let table = root.table("server", "`[server]`", KNOWN)?;
    let count = |key: &str, default, most| {
        table.get(key).and_then(|value| value.count((1, most))).unwrap_or(default)
    };
    let (addr, token) = (addr(&table, default), token(&table, keys));
    let hosts = table.get("hosts").map(|hosts| hosts.names()).unwrap_or_default();
    let hosts = hosts.into_iter().filter_map(|(host, value)| named(host, &value)).collect();
    let max_body = count("max_body", MAX_BODY, MOST_BODY);
    let max_requests = count("max_requests", MAX_REQUESTS, MOST_REQUESTS);
    let grace = seconds(&table, "grace", GRACE_SECONDS);
    Some(Server { addr: addr?, token, hosts, max_body, max_requests, grace })
}

/// A name that requests may be addressed to.
fn named(host: &str, value: &Value<'_>) -> Option<String> {
    let parsed = host.parse::<Authority>().ok();
    let is_name = |host: &str| !host.is_empty() && !host.contains(['*', '@']);
    let is_fit = parsed.is_some_and(|parsed| {
        let has_port = parsed.as_str() != parsed.host();
        is_name(parsed.as_str()) && (!has_port || parsed.port_u16().is_some())
    });
    if !is_fit {
        let help = "write `name` or `name:port`, without patterns";
        return value.refuse(format!("`{host}` is not the name of a host"), help);
    }
    Some(host.to_ascii_lowercase())
}

fn addr(table: &Table<'_>, default: SocketAddr) -> Option<SocketAddr> {
    let Some(value) = table.get("addr") else { return Some(default) };
    let text = value.text()?;
    let Ok(addr) = text.parse::<SocketAddr>() else {
        let help = "write an IP address and a port, as in `127.0.0.1:8790`";
        return value.refuse(format!("`{}` is no address", text.escape_debug()), help);
    };
    if !addr.ip().is_loopback() && table.get("token").is_none() {
        let help = "listen on `127.0.0.1`, or set `token`";
        return value
            .refuse(format!("others could reach `{addr}` and use the gateway's keys"), help);
    }
    Some(addr)
}

/// The token's file. Whether it can be a token is said when the gateway is made.
fn token(table: &Table<'_>, keys: &Keys<'_>) -> Option<(PathBuf, Origin)> {
    let value = table.get("token")?;
    match keys.source(&value)? {
        KeySource::File(path) => Some((path, value.origin())),
        KeySource::Held(_) => {
            let message = "a token stands in a file that nobody else may read".to_owned();
            value.refuse(message, "write `file:PATH`")
        }
    }
}
