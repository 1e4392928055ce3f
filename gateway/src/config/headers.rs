//! The headers that every request of an upstream carries.
//!
//! In: `headers`, `key` and `key_header`. Out: names and where their values come from. Never: a header that the gateway or the connection
//! sets itself, one twice, or a key that stands in the file.

use axum::http::{HeaderName, HeaderValue, header};
use promptweave_wire::Target;

use super::HeaderSource;
use super::keys::Keys;
use super::reader::{Table, Value};

/// The ids of the gateways that a request went through.
pub(crate) const HOPS: HeaderName = HeaderName::from_static("promptweave-via");
/// Headers that say how a body is sent or what may come back; they are not the configuration's to set.
const OWN: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// Parts of the names of headers that hold keys.
const SECRET: &[&str] =
    &["authorization", "api-key", "apikey", "cookie", "password", "secret", "-token"];

type Header = (HeaderName, HeaderSource);

pub(super) fn read(table: &Table<'_>, keys: &Keys<'_>, target: Option<Target>) -> Vec<Header> {
    let own = table.get("headers").and_then(|value| value.open("`headers`"));
    let mut all: Vec<Header> = Vec::new();
    for value in own.iter().flat_map(Table::entries) {
        all.extend(header(&value, keys).filter(|(name, _)| is_new(name, &all, &value)));
    }
    let key = table.get("key").and_then(|value| key(table, &value, (keys, target)));
    all.extend(key.filter(|(name, _)| {
        let value = table.get("key_header").or(table.get("key"));
        value.is_none_or(|value| is_new(name, &all, &value))
    }));
    all
}

fn is_new(name: &HeaderName, all: &[Header], value: &Value<'_>) -> bool {
    let is_new = !all.iter().any(|(other, _)| other == name);
    if !is_new {
        let message = format!("the header `{name}` has two values");
        value.refuse::<()>(message, "leave one of them out");
    }
    is_new
}

fn header(value: &Value<'_>, keys: &Keys<'_>) -> Option<Header> {
    let name = header_name(value, value.key())?;
    if let Some(source) = keys.named(value)? {
        return Some((name, HeaderSource::Key(source)));
    }
    let text = value.text()?;
    if SECRET.iter().any(|part| name.as_str().contains(part)) {
        return value.refuse(
            format!("`{name}` holds a key, and keys do not stand in this file"),
            "write `env:NAME` or `file:PATH`, or use `key`",
        );
    }
    if HeaderValue::from_str(text).is_err() {
        let help = "use printable characters alone";
        return value.refuse(format!("the value of `{name}` cannot stand in a header"), help);
    }
    Some((name, HeaderSource::Plain(text.to_owned())))
}

fn header_name(value: &Value<'_>, text: &str) -> Option<HeaderName> {
    match HeaderName::try_from(text) {
        Ok(name) if name == HOPS || OWN.contains(&name.as_str()) => {
            value.refuse(format!("`{name}` is set by the gateway itself"), "name another header")
        }
        Ok(name) => Some(name),
        Err(_) => {
            let message = format!("`{}` is not the name of a header", text.escape_debug());
            value.refuse(message, "mend the name")
        }
    }
}

fn key(
    table: &Table<'_>,
    value: &Value<'_>,
    (keys, target): (&Keys<'_>, Option<Target>),
) -> Option<Header> {
    let source = keys.source(value)?;
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
    let is_bearer = name == header::AUTHORIZATION;
    let source = if is_bearer { HeaderSource::Bearer(source) } else { HeaderSource::Key(source) };
    Some((name, source))
}
