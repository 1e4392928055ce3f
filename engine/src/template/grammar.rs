//! Has one tag parsed by the `handlebars` crate.
//!
//! In: the text of a tag. Out: the crate's element, or a mistake in our words.
//! Never: gives the crate more than one tag (its parse of a whole file is quadratic), nor one that nests deeper than the
//! scanner allows (it recurses).

use handlebars::TemplateErrorReason;
use handlebars::template::TemplateElement;

use super::error::Mistake;
use super::token::{Span, is_symbol};

/// Rules of the crate's grammar in messages, and what people call them.
const WORDS: &[(&str, &str)] = &[
    ("leading_tilde_to_omit_whitespace", "`~`"),
    ("trailing_tilde_to_omit_whitespace", "`~`"),
    ("path_inline", "path"),
    ("identifier", "name"),
    ("subexpression", "call in parentheses"),
    ("block_param", "`as |name|`"),
    ("hash", "named argument"),
    ("helper_parameter", "value"),
];

/// The name of the block that a tag with this body opens.
pub(super) fn block_name(body: &str) -> &str {
    &body[..body.bytes().position(|byte| !is_symbol(byte)).unwrap_or(body.len())]
}

/// Words of symbols with one `.` or `/` between: what most tags hold, and needs no parser.
pub(super) fn is_plain_path(body: &str) -> bool {
    body.split(['.', '/']).all(|word| !word.is_empty() && word.bytes().all(is_symbol))
}

/// The single element that the crate makes of a tag with this body.
pub(super) fn parse(text: &str, body: &str, tag: Span) -> Result<TemplateElement, Mistake> {
    if body.is_empty() {
        return Err(Mistake::syntax("the tag is empty", tag)
            .help("write `\\{{` where two braces are meant as text"));
    }
    if body.ends_with('~') {
        return Err(unreadable("unexpected `~`", body, tag));
    }
    let mut template = handlebars::Template::compile(text).map_err(|error| {
        let why = match error.reason() {
            TemplateErrorReason::InvalidSyntax(why) => {
                WORDS.iter().fold(why.clone(), |why, (rule, word)| why.replace(rule, word))
            }
            TemplateErrorReason::InvalidParam(what) => format!("`{what}` is no literal"),
            reason => reason.to_string(),
        };
        unreadable(&why, body, tag)
    })?;
    match (template.elements.pop(), template.elements.is_empty()) {
        (Some(element), true) => Ok(element),
        _ => Err(unreadable("it is not one tag", body, tag)),
    }
}

/// A tag that the grammar does not accept.
pub(super) fn unreadable(why: &str, body: &str, tag: Span) -> Mistake {
    let mistake = Mistake::syntax(format!("the tag cannot be read: {why}"), tag);
    match body {
        "." => mistake.help("write `{{this}}`"),
        _ if body.starts_with(['"', '\'']) => mistake.help("a literal is printed as plain text"),
        _ => mistake.help("write `\\{{` where two braces are meant as text"),
    }
}
