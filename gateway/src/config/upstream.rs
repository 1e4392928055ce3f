//! The tables `[[upstream]]`.
//!
//! In: the tables. Out: [`Upstream`]s by name. Never: two of one name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use promptweave_wire::Target;

use super::keys::Keys;
use super::reader::Table;
use super::{HeaderSource, Timeouts, Upstream, headers, host_of, is_loopback, seconds};

const KNOWN: &[&str] =
    &["name", "target", "base_url", "path", "key", "key_header", "headers", "timeouts"];
const TIMEOUTS: &[&str] = &["connect", "head", "idle", "whole"];
const CONNECT_SECONDS: f64 = 10.0;
/// Models may think long before the first word.
const HEAD_SECONDS: f64 = 600.0;
const IDLE_SECONDS: f64 = 300.0;
const WHOLE_SECONDS: f64 = 3600.0;

/// Upstreams by name; none for one that has mistakes.
pub(super) type Upstreams = BTreeMap<String, Option<Arc<Upstream>>>;

pub(super) fn read(root: &Table<'_>, keys: &Keys<'_>) -> Upstreams {
    let mut all = Upstreams::new();
    let tables = root.tables("upstream", "`[[upstream]]`", KNOWN);
    if tables.is_empty() {
        root.tell("there is no `[[upstream]]`".to_owned(), "say where requests go");
    }
    for table in tables {
        let Some(name) = table.needed("name", "routes call it by its name") else { continue };
        let text = name.name();
        let upstream = one(&table, text.unwrap_or_default(), keys).map(Arc::new);
        let Some(text) = text else { continue };
        if all.insert(text.to_owned(), upstream).is_some() {
            name.refuse::<()>(format!("there are two upstreams `{text}`"), "rename one of them");
        }
    }
    all
}

fn one(table: &Table<'_>, name: &str, keys: &Keys<'_>) -> Option<Upstream> {
    let targets: Vec<(&str, Target)> =
        Target::ALL.iter().map(|target| (target.as_str(), *target)).collect();
    let target = table.needed("target", "say which API it has, as in `target = \"anthropic\"`");
    let target = target.and_then(|value| value.choice(&targets));
    let base_url = target.and_then(|target| base_url(table, target));
    let headers = headers::read(table, keys, target);
    let is_secret = headers.iter().any(|(_, source)| !matches!(source, HeaderSource::Plain(_)));
    if let (Some(value), Some(base)) = (table.get("key").or(table.get("headers")), &base_url)
        && is_secret
        && base.starts_with("http://")
        && !is_loopback(host_of(&base.parse().unwrap_or_default()))
    {
        value.warn(format!("the key goes to `{base}` unencrypted"), "use `https://`");
    }
    let timeouts = timeouts(table);
    let path = path(table, target);
    let (name, target, base_url) = (name.to_owned(), target?, base_url?);
    Some(Upstream { name, target, base_url, path, headers, timeouts })
}

/// The address of a target that everybody reaches at the same one.
fn default_base_url(target: Target) -> Option<&'static str> {
    match target {
        Target::Anthropic => Some("https://api.anthropic.com"),
        Target::OpenAiChat | Target::OpenAiResponses => Some("https://api.openai.com"),
        Target::Xai => Some("https://api.x.ai"),
        Target::Gemini => Some("https://generativelanguage.googleapis.com"),
        Target::Vertex | Target::Bedrock | Target::OpenAiCompatible => None,
    }
}

fn base_url(table: &Table<'_>, target: Target) -> Option<String> {
    let Some(value) = table.get("base_url") else {
        let default = default_base_url(target).map(str::to_owned);
        if default.is_none() {
            let message = format!("an upstream of target `{}` has no `base_url`", target.as_str());
            table.tell(message, "write the address of the API, without the path of requests");
        }
        return default;
    };
    let text = value.text()?.trim_end_matches('/');
    if let Some(what) = wrong_in(text) {
        // What is wrong may well be a key: it is not told again.
        return value.refuse(
            format!("`base_url` {what}"),
            "write the address of the API as in `https://api.example.com`; keys go into `key`",
        );
    }
    if table.get("path").is_none() && (text.ends_with("/v1") || text.ends_with("/v1beta")) {
        let help = "leave the version out, or set `path`";
        value.warn("the gateway adds the version of the API to `base_url` itself".to_owned(), help);
    }
    Some(text.to_owned())
}

/// Why a text cannot be the address of an API.
fn wrong_in(text: &str) -> Option<&'static str> {
    let Ok(uri) = text.parse::<Uri>() else { return Some("is not the address of an API") };
    let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    // What is no port is no port to the parser, too.
    let is_whole = uri.authority().is_some_and(|authority| authority.as_str() == authority.host());
    match uri.scheme_str() {
        _ if has_user => Some("holds the name of a user, or a password"),
        _ if text.contains(['?', '#']) => Some("holds more than an address and a path"),
        _ if !is_whole && uri.port_u16().is_none_or(|port| port == 0) => {
            Some("has a port that there cannot be")
        }
        Some("http" | "https") if !host_of(&uri).is_empty() => None,
        _ => Some("does not begin with `http://` or `https://` and a host"),
    }
}

/// The path of requests, where the target's does not hold the model.
fn path(table: &Table<'_>, target: Option<Target>) -> Option<String> {
    let value = table.get("path")?;
    let text = value.text()?;
    if matches!(target, Some(Target::Vertex | Target::Bedrock | Target::Gemini)) {
        return value.refuse(
            "the path of this target holds the model, and cannot be another".to_owned(),
            "leave `path` out",
        );
    }
    if !text.starts_with('/') || text.contains('#') || text.parse::<Uri>().is_err() {
        let message = format!("`{}` is no path", text.escape_debug());
        return value.refuse(message, "begin it with `/`");
    }
    Some(text.to_owned())
}

fn timeouts(table: &Table<'_>) -> Timeouts {
    let given = table.table("timeouts", "`timeouts`", TIMEOUTS);
    let read = |key: &str, default: f64| {
        let Some(table) = &given else { return Duration::from_secs_f64(default) };
        let time = seconds(table, key, default);
        if let Some(value) = table.get(key).filter(|_| time.is_zero()) {
            let help = "write how many seconds, or leave it out";
            value.refuse::<()>(format!("nothing is done in no time: `{key}` is 0"), help);
        }
        time
    };
    Timeouts {
        connect: read("connect", CONNECT_SECONDS),
        head: read("head", HEAD_SECONDS),
        idle: read("idle", IDLE_SECONDS),
        whole: read("whole", WHOLE_SECONDS),
    }
}
