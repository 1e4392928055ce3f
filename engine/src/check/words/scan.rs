//! Finds what a text names.
//!
//! In: a text in which the tags of its template are blanked out, and a [`Lexicon`]. Out: each [`Mention`] with its place and its
//! [`Form`]: how it is written, which is how sure it is that a name is meant.
//! Never: decides whether the name is right where it stands.

use std::ops::Range;

use regex::Regex;

use super::lexicon::Lexicon;
use super::markdown::Code;
use crate::template::BLANKED;

/// How far behind an element's tag its end is looked for, in bytes.
const MAX_ELEMENT: usize = 2048;

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub name: String,
    pub at: Range<usize>,
    pub form: Form,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `` `name` `` or `` `name(...)` ``.
    Ticked,
    /// `` the `name` tool ``, `` tools `name` and `other` ``.
    Spoken,
    /// `the name tool`.
    Bare,
    /// `<name>`.
    Tag,
    /// `<name>` around parameters of a tool.
    Call,
    /// `<invoke name="name">`, `{"name": "name", "arguments": ...`.
    Field,
    /// `skills read name`, `` the `name` skill ``.
    Skill,
    /// `components/name.md`.
    File,
    /// `{{name}}`; whether it stands in a code span.
    Braces { ticked: bool },
}

/// What is found by a regular expression: the form, and the expression, whose first group that matches is the name.
const PATTERNS: &[(Form, &str)] = &[
    (Form::Bare, r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\s+tools?\b"),
    (Form::Bare, r"\b[Tt]ools?\s+([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b"),
    (Form::Tag, r"<([A-Za-z][A-Za-z0-9_-]{0,63})>"),
    (
        Form::Field,
        r#"<(?:invoke|tool|tool_call|function|call)\s[^<>\n]*?\bname\s*=\s*["']([A-Za-z][\w-]*)["']"#,
    ),
    (Form::Field, r"<function=([A-Za-z][\w-]*)>"),
    (
        Form::Field,
        r#""(?:name|tool|tool_name|function)"\s*:\s*"([A-Za-z][\w-]*)"\s*,\s*"(?:arguments|parameters|args|input)"\s*:"#,
    ),
    (Form::Skill, r"\bskills read ([a-z0-9][a-z0-9-]*)\b"),
    (
        Form::File,
        r"(?:^|[^\w/.-]|[\s`(]\./|\.promptweave/)(components/[A-Za-z]\w*\.(?:md|toml|hbs))\b",
    ),
    (Form::File, r"(?:^|[^\w/.-]|[\s`(]\./|\.promptweave/)(tools/[A-Za-z][\w-]*\.toml)\b"),
    (Form::File, r"(?:^|[^\w/.-]|[\s`(]\./|\.promptweave/)(partials/[A-Za-z][\w-]*\.hbs)\b"),
    (Form::Braces { ticked: false }, r"\{\{\{?[ \t]*([A-Za-z]\w*(?:\.\w+)*)[ \t]*\}\}"),
];

/// Finds names; made once, as its expressions cost more than a text.
pub(super) struct Scanner {
    patterns: Vec<(Form, Regex)>,
}

impl Scanner {
    pub(super) fn new() -> Self {
        let compiled = |&(form, pattern): &(Form, &str)| Some((form, Regex::new(pattern).ok()?));
        Self { patterns: PATTERNS.iter().filter_map(compiled).collect() }
    }

    /// What a text names, form by form.
    pub(super) fn mentions(&self, text: &str, lexicon: &Lexicon<'_>) -> Vec<Mention> {
        let code = Code::of(text);
        let mut found = ticked(text, &code);
        for (form, pattern) in &self.patterns {
            for groups in pattern.captures_iter(text) {
                let Some(name) = groups.iter().skip(1).flatten().next() else { continue };
                let form = placed(*form, name.range(), (text, &code), lexicon);
                let mention =
                    |form| Mention { name: name.as_str().to_owned(), at: name.range(), form };
                found.extend(form.map(mention));
            }
        }
        found
    }
}

/// The form of what an expression found, by what stands around it; none where it is no mention. In a fence only
/// calls count: what else stands there is an example of something.
fn placed(
    form: Form,
    at: Range<usize>,
    (text, code): (&str, &Code),
    lexicon: &Lexicon<'_>,
) -> Option<Form> {
    let (fenced, ticked) = (code.is_fenced(at.start), code.is_ticked(at.start));
    match form {
        Form::Tag if calls(text, at, lexicon) => Some(Form::Call),
        Form::Field | Form::Skill => Some(form),
        Form::Bare if !ticked && !fenced => Some(form),
        Form::Tag | Form::File if !fenced => Some(form),
        Form::Braces { .. } if !fenced => Some(Form::Braces { ticked }),
        Form::Bare | Form::Tag | Form::File | Form::Braces { .. } => None,
        Form::Ticked | Form::Spoken | Form::Call => None,
    }
}

/// Whether the element of a tag holds parameters of a tool and nothing else, and no value of a template: those who show
/// a call write an example of a value.
fn calls(text: &str, name: Range<usize>, lexicon: &Lexicon<'_>) -> bool {
    let end = floor(text, name.end + MAX_ELEMENT);
    let (inner, name) = (&text[name.end + 1..end], &text[name]);
    let close = format!("</{name}>");
    let Some(inner) = inner.find(&close).map(|end| &inner[..end]) else { return false };
    if inner.contains(BLANKED) || inner.contains(&format!("<{name}>")) {
        return false;
    }
    let children = children(inner);
    if lexicon.has_tool(name) {
        lexicon.takes(name, &children)
    } else {
        is_compound(name) && lexicon.is_call(&children)
    }
}

/// The names of the elements right below.
fn children(mut inner: &str) -> Vec<&str> {
    let mut children = Vec::new();
    while let Some((_, behind)) = inner.split_once('<') {
        let Some((name, rest)) = behind.split_once('>') else { break };
        let close = format!("</{name}>");
        inner = match rest.split_once(&*close) {
            Some((_, behind)) => {
                children.push(name);
                behind
            }
            None => rest,
        };
    }
    children
}

/// Names between backticks, alone or with others before or behind the word that says what they are.
fn ticked(text: &str, code: &Code) -> Vec<Mention> {
    let mut found = Vec::new();
    for spans in code.spans.chunk_by(|one, next| stand_together(&text[one.end..next.start])) {
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
        let (before, behind) = (&text[..first.start], &text[last.end..]);
        let said = |word| is_before(before, word) || is_behind(behind, word);
        let form = match (said("tool"), said("skill")) {
            (true, _) => Form::Spoken,
            (false, true) => Form::Skill,
            (false, false) => Form::Ticked,
        };
        for span in spans {
            let called = text[span.clone()].split_once('(');
            let name = called.map_or(&text[span.clone()], |(name, _)| name);
            let at = span.start..span.start + name.len();
            let form = if called.is_some() { Form::Ticked } else { form };
            // A single word may be the name of anything.
            let is_meant = is_name(name) && (form != Form::Skill || name.contains('-'));
            found.extend(is_meant.then(|| Mention { name: name.to_owned(), at, form }));
        }
    }
    found
}

/// Whether what stands between two code spans makes a list of them.
fn stand_together(between: &str) -> bool {
    let between = between.trim_matches('`').trim();
    let last = between.strip_prefix(',').unwrap_or(between).trim_start();
    matches!(last, "" | "/" | "&" | "and" | "or") && !between.is_empty()
}

/// Whether `word` or its plural ends a text that goes on with a code span.
fn is_before(text: &str, word: &str) -> bool {
    let text = text.trim_end_matches('`').trim_end();
    let text = text.strip_suffix(':').unwrap_or(text).trim_end();
    let named = ["named", "called"].into_iter().find_map(|said| text.strip_suffix(said));
    let text = named.unwrap_or(text).trim_end();
    let start = text.rfind(|sign: char| !is_word(sign)).map_or(0, |at| floor_up(text, at + 1));
    is_word_or_plural(&text[start..], word)
}

/// Whether `word` or its plural begins what follows a code span.
fn is_behind(text: &str, word: &str) -> bool {
    let behind = text.trim_start_matches('`');
    let rest = behind.trim_start();
    let end = rest.find(|sign: char| !is_word(sign)).unwrap_or(rest.len());
    rest.len() < behind.len() && is_word_or_plural(&rest[..end], word)
}

fn is_word_or_plural(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    text == word || text.strip_suffix('s') == Some(word)
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-')
}

/// Whether a text has the shape of a tool's name.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Whether a name is made of several words, as names of tools are and words of a language are not.
pub(super) fn is_compound(name: &str) -> bool {
    name.contains('-') || is_code(name)
}

/// The same without hyphens, which programs have in their names too: `read_file`, `ReadFile`.
pub(super) fn is_code(name: &str) -> bool {
    let inner = |sign: char| sign == '_' || sign.is_ascii_uppercase();
    name.chars().skip(1).any(inner) && name.chars().any(|sign| sign.is_ascii_lowercase())
}

/// The next boundary of a character at or before.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The next boundary of a character at or behind.
fn floor_up(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_is_one() {
        assert_eq!(Scanner::new().patterns.len(), PATTERNS.len());
    }
}
