//! The tables `[[upstream]]`.
//!
//! In: the tables. Out: [`Upstream`]s by name. Never: two of one name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Uri};
use promptweave_wire::Target;

use super::keys::Keys;
use super::reader::{Table, Value};
use super::{HeaderSource, Timeouts, Upstream, host_of, is_loopback};

const KNOWN: &[&str] =
    &["name", "target", "base_url", "path", "key", "key_header", "headers", "timeouts"];
const TIMEOUTS: &[&str] = &["connect", "head", "idle"];
const CONNECT_SECONDS: f64 = 10.0;
/// Models may think long before the first word.
const HEAD_SECONDS: f64 = 600.0;
const IDLE_SECONDS: f64 = 300.0;

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
        let upstream = one(&table, keys).map(Arc::new);
        let Some(text) = name.text() else { continue };
        if all.insert(text.to_owned(), upstream).is_some() {
            name.refuse::<()>(format!("there are two upstreams `{text}`"), "rename one of them");
        }
    }
    all
}

fn one(table: &Table<'_>, keys: &Keys<'_>) -> Option<Upstream> {
    let targets: Vec<(&str, Target)> =
        Target::ALL.iter().map(|target| (target.as_str(), *target)).collect();
    let target = table.needed("target", "say which API it has, as in `target = \"anthropic\"`");
    let target = target.and_then(|value| value.choice(&targets));
    let base_url = target.and_then(|target| base_url(table, target));
    let headers = headers(table, keys, target);
    if let (Some(value), Some(base)) = (table.get("key"), &base_url)
        && base.starts_with("http://")
        && !is_loopback(host_of(&base.parse().unwrap_or_default()))
    {
        value.warn(format!("the key goes to `{base}` unencrypted"), "use `https://`");
    }
    let timeouts = timeouts(table);
    let path = path(table, target);
    let name = table.get("name")?.text()?.to_owned();
    Some(Upstream { name, target: target?, base_url: base_url?, path, headers, timeouts })
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
    let uri: Option<Uri> = text.parse().ok();
    let is_fit = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && !host_of(&uri).is_empty()
            && uri.query().is_none()
    });
    if !is_fit {
        return value.refuse(
            format!("`{text}` is not the address of an API"),
            "write it as in `https://api.example.com`",
        );
    }
    if table.get("path").is_none() && (text.ends_with("/v1") || text.ends_with("/v1beta")) {
        let help = "leave the version out, or set `path`";
        value.warn("the gateway adds the version of the API to `base_url` itself".to_owned(), help);
    }
    Some(text.to_owned())
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
    if !text.starts_with('/') || text.parse::<Uri>().is_err() {
        return value.refuse(format!("`{text}` is no path"), "begin it with `/`");
    }
    Some(text.to_owned())
}

/// The headers of every request, the key among them.
fn headers(
    table: &Table<'_>,
    keys: &Keys<'_>,
    target: Option<Target>,
) -> Vec<(HeaderName, HeaderSource)> {
    let own = table.get("headers").and_then(|value| value.open("`headers`"));
    let own = own.iter().flat_map(Table::entries);
    let mut all: Vec<_> = own.filter_map(|value| header(&value, keys)).collect();
    all.extend(key(table, keys, target));
    all
}

fn header(value: &Value<'_>, keys: &Keys<'_>) -> Option<(HeaderName, HeaderSource)> {
    let name = header_name(value, value.key())?;
    let source = match keys.named(value)? {
        Some(source) => HeaderSource::Key(source),
        None => HeaderSource::Plain(value.text()?.to_owned()),
    };
    if let HeaderSource::Plain(text) = &source
        && HeaderValue::from_str(text).is_err()
    {
        let help = "use printable characters alone";
        return value.refuse(format!("`{}` cannot stand in a header", value.key()), help);
    }
    Some((name, source))
}

fn header_name(value: &Value<'_>, text: &str) -> Option<HeaderName> {
    match HeaderName::try_from(text) {
        Ok(name) => Some(name),
        Err(_) => value.refuse(format!("`{text}` is not the name of a header"), "mend the name"),
    }
}

fn key(
    table: &Table<'_>,
    keys: &Keys<'_>,
    target: Option<Target>,
) -> Option<(HeaderName, HeaderSource)> {
    let source = keys.source(&table.get("key")?)?;
    let name = match table.get("key_header") {
        Some(value) => header_name(&value, value.text()?)?,
        None => HeaderName::from_static(match target? {
            Target::Anthropic => "x-api-key",
            Target::Gemini => "x-goog-api-key",
            Target::Vertex
            | Target::Bedrock
            | Target::OpenAiChat
            | Target::OpenAiResponses
            | Target::OpenAiCompatible
            | Target::Xai => "authorization",
        }),
    };
    let is_bearer = name == axum::http::header::AUTHORIZATION;
    let source = if is_bearer { HeaderSource::Bearer(source) } else { HeaderSource::Key(source) };
    Some((name, source))
}

fn timeouts(table: &Table<'_>) -> Timeouts {
    let given = table.table("timeouts", "`timeouts`", TIMEOUTS);
    let read = |key: &str, default: f64| {
        let value = given.as_ref().and_then(|table| table.get(key));
        let number = value.as_ref().and_then(Value::number);
        if let (Some(value), Some(0.0)) = (&value, number) {
            let help = "write how many seconds, or leave it out";
            value.refuse::<()>(format!("nothing is done in no time: `{key}` is 0"), help);
        }
        Duration::try_from_secs_f64(number.unwrap_or(default)).unwrap_or(Duration::MAX)
    };
    Timeouts {
        connect: read("connect", CONNECT_SECONDS),
        head: read("head", HEAD_SECONDS),
        idle: read("idle", IDLE_SECONDS),
    }
}
