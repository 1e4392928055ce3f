//! Sees whether the texts that overrides were written against have changed.
//!
//! In: the digest beside an override and the text it stands on. Out: a warning with the differences.

use std::fmt::Write as _;
use std::sync::Arc;

use super::fields::Value;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceText, sha256};
use crate::model::{Body, CaseBody, Component, ComponentId, Override};

const HEX_DIGITS: usize = 64;

/// The value of `base_sha256`, with its place.
pub(crate) fn sha_key(value: &Value<'_>) -> Option<(Arc<str>, Origin)> {
    let text = value.str()?;
    if text.len() != HEX_DIGITS || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        value.refuse("`base_sha256` is no SHA-256", "write 64 hexadecimal digits, or leave it out");
        return None;
    }
    Some((text.to_ascii_lowercase().into(), value.origin()))
}

/// Warns when the text below an override is not the one it was written against.
pub(crate) fn check(
    id: &ComponentId,
    own: &Override,
    component: Option<&Component>,
) -> Option<Diagnostic> {
    let (expected, origin) = own.base_sha256.as_ref()?;
    let mut below = own.base.as_deref();
    while let Some(next) = below.filter(|below| below.body.is_none()) {
        below = next.base.as_deref();
    }
    let base = match below.and_then(|below| below.body.as_ref()) {
        Some(body) => source_of(body).text.to_string(),
        None => text_of(&component?.body).unwrap_or_default(),
    };
    let (now, with_line_end) = (sha256(base.as_bytes()), sha256(format!("{base}\n").as_bytes()));
    // `sha256sum` on a template file counts the final line end, which is no part of the text.
    if **expected == *now || **expected == *with_line_end {
        return None;
    }
    let message = format!("the text of `{id}` has changed since this override was written");
    let mut help =
        own.body.as_ref().map(|body| differences(&base, &source_of(body).text)).unwrap_or_default();
    let _ = write!(help, "compare the two, then write `base_sha256 = \"{now}\"`");
    Some(Diagnostic::new(Code::OverrideDrift, message, origin.clone()).help(help))
}

fn source_of(body: &CaseBody) -> &SourceText {
    match body {
        CaseBody::Template(template) => template.source(),
        CaseBody::Text(text) => text,
    }
}

/// A component's text as it is written; of cases all texts, one after another.
fn text_of(body: &Body) -> Option<String> {
    Some(match body {
        Body::Template(template) => template.source().text.to_string(),
        Body::Text(text) => text.text.to_string(),
        Body::Cases(cases) => cases.cases.iter().map(|case| &*source_of(&case.body).text).collect(),
        Body::Value(_) | Body::From(_) => return None,
    })
}

fn differences(base: &str, own: &str) -> String {
    let size = |text: &str| match text.lines().count() {
        1 => format!("1 line ({} bytes)", text.len()),
        lines => format!("{lines} lines ({} bytes)", text.len()),
    };
    let same = base.lines().zip(own.lines()).take_while(|(left, right)| left == right).count();
    format!(
        "it now has {}, the override {}; they differ from line {} on; ",
        size(base),
        size(own),
        same + 1
    )
}
