//! The lists that say which models and providers a thing is for: `models = ["claude", "!claude-2"]`.
//!
//! In: the items of a list with their origins. Out: [`Patterns`], and a diagnostic for each item that is none.
//! Never: reads a context; an id is prepared once, as a [`Subject`], and then asked of many lists.

mod glob;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

use crate::diagnostic::{Code, Diagnostic, Origin};
use glob::Glob;

/// Most memory that a compiled regular expression may take: five `\w`, or thousands of plain characters.
const MAX_REGEX_BYTES: usize = 256 * 1024;
/// How many leading `vendor/` a model's id is matched without: each is one more search.
const MAX_VENDORS: usize = 16;

/// What a list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternKind {
    /// Model ids: a plain item is a part of the id.
    Model,
    /// Provider ids: a plain item is the whole id.
    Provider,
}

/// Any of some patterns, none of others.
///
/// Letter case is ignored. With refusals alone it accepts what they do not refuse; with no item at all, nothing.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    accepted: Vec<Item>,
    refused: Vec<Item>,
}

#[derive(Clone, Debug)]
struct Item {
    /// As in the file, with its `!`.
    written: Box<str>,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Contains(Box<Finder<'static>>),
    Equals(Box<str>),
    Glob(Glob),
    Regex(Regex),
}

/// What a list says of an id, and which item decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict<'p> {
    /// This item fits.
    Accepted(&'p str),
    /// The list only refuses, and not this id.
    NotRefused,
    /// This item, which begins with `!`, fits.
    Refused(&'p str),
    /// No item fits.
    NoMatch,
}

impl Verdict<'_> {
    /// Whether the list accepts the id.
    pub(crate) fn holds(self) -> bool {
        matches!(self, Self::Accepted(_) | Self::NotRefused)
    }

    /// What decided: an item, or that none did.
    pub(crate) fn describe(self) -> Cow<'static, str> {
        match self {
            Self::Accepted(item) => format!("`{item}`").into(),
            Self::NotRefused => "refused by none".into(),
            Self::Refused(item) => format!("refused by `{item}`").into(),
            Self::NoMatch => "no item fits".into(),
        }
    }
}

impl Patterns {
    /// Reads the items of a list; those that are no patterns are left out.
    pub(crate) fn parse(items: &[(String, Origin)], kind: PatternKind) -> (Self, Vec<Diagnostic>) {
        let (mut patterns, mut diagnostics) = (Self::default(), Vec::new());
        for (written, origin) in items {
            let refusal = written.strip_prefix('!');
            match Test::parse(refusal.unwrap_or(written), kind) {
                Ok(test) => {
                    let item = Item { written: written.as_str().into(), test };
                    let list = if refusal.is_some() {
                        &mut patterns.refused
                    } else {
                        &mut patterns.accepted
                    };
                    list.push(item);
                }
                Err(bad) => {
                    let message = format!("`{written}` is no pattern: {}", bad.reason);
                    let diagnostic = Diagnostic::new(Code::PatternSyntax, message, origin.clone());
                    diagnostics.push(diagnostic.help(bad.help));
                }
            }
        }
        (patterns, diagnostics)
    }

    /// What the list says of an id.
    pub(crate) fn matches(&self, id: &Subject) -> Verdict<'_> {
        if let Some(item) = self.refused.iter().find(|item| item.test.fits(id)) {
            return Verdict::Refused(&item.written);
        }
        match self.accepted.iter().find(|item| item.test.fits(id)) {
            Some(item) => Verdict::Accepted(&item.written),
            None if self.accepted.is_empty() && !self.refused.is_empty() => Verdict::NotRefused,
            None => Verdict::NoMatch,
        }
    }
}

impl Patterns {
    /// Reads a list for models, of a host's own configuration for instance; what is no pattern is left out and told.
    pub fn of_models(items: &[(String, Origin)]) -> (Self, Vec<Diagnostic>) {
        Self::parse(items, PatternKind::Model)
    }

    /// Whether the list takes a model's id.
    pub fn accepts_model(&self, id: &str) -> bool {
        self.matches(&Subject::model(id)).holds()
    }

    /// The items that name an id, or a part of one, as they are written.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let named = self.accepted.iter().filter(|item| match item.test {
            Test::Contains(_) | Test::Equals(_) => true,
            Test::Glob(_) | Test::Regex(_) => false,
        });
        named.map(|item| &*item.written)
    }
}

impl Test {
    fn parse(item: &str, kind: PatternKind) -> Result<Self, BadPattern> {
        let regex = item.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        if regex.unwrap_or(item).is_empty() {
            return Err(BadPattern::new("it is empty", "write `*` for any id"));
        }
        if let Some(regex) = regex {
            return bounded_regex(regex, LetterCase::Ignored).map(Self::Regex);
        }
        let item = item.to_lowercase();
        Ok(match kind {
            _ if item.contains(['*', '?', '[']) => Self::Glob(Glob::parse(&item)?),
            PatternKind::Model => Self::Contains(Box::new(Finder::new(&item).into_owned())),
            PatternKind::Provider => Self::Equals(item.into()),
        })
    }

    fn fits(&self, id: &Subject) -> bool {
        match self {
            Self::Contains(part) => part.find(id.lower.as_bytes()).is_some(),
            Self::Equals(whole) => id.forms().any(|form| form == &**whole),
            Self::Glob(glob) => id.forms().any(|form| glob.matches(form)),
            Self::Regex(regex) => id.forms().any(|form| regex.is_match(form)),
        }
    }
}

/// An id in lower case, in all the forms under which it is matched.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    lower: Box<str>,
    /// Where in `lower` each form starts; each reaches to the end.
    starts: Vec<usize>,
}

impl Subject {
    /// A model's id: as given, then without a leading `provider:`, then without each of the first 16
    /// leading `vendor/`.
    pub(crate) fn model(id: &str) -> Self {
        let lower = id.to_lowercase();
        let first = lower.find(['/', ':']).filter(|&at| lower.as_bytes()[at] == b':');
        let slashes = lower.match_indices('/').map(|(at, _)| at).take(MAX_VENDORS);
        let starts =
            first.into_iter().chain(slashes).map(|at| at + 1).filter(|&at| at < lower.len());
        Self { starts: std::iter::once(0).chain(starts).collect(), lower: lower.into() }
    }

    /// A provider's id, as given.
    pub(crate) fn provider(id: &str) -> Self {
        Self { lower: id.to_lowercase().into(), starts: vec![0] }
    }

    fn forms(&self) -> impl Iterator<Item = &str> {
        self.starts.iter().map(|&start| &self.lower[start..])
    }
}

/// Why a text is no pattern.
#[derive(Debug)]
pub(crate) struct BadPattern {
    /// E.g. `it is empty`.
    pub reason: String,
    pub help: String,
}

impl BadPattern {
    fn new(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self { reason: reason.into(), help: help.into() }
    }
}

/// Whether a regular expression tells `A` from `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterCase {
    Exact,
    Ignored,
}

/// Compiles a regular expression that searches in linear time and takes bounded memory.
pub(crate) fn bounded_regex(source: &str, case: LetterCase) -> Result<Regex, BadPattern> {
    let mut builder = RegexBuilder::new(source);
    builder.case_insensitive(case == LetterCase::Ignored).size_limit(MAX_REGEX_BYTES);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => BadPattern::new(
            "the regular expression is too large",
            "repeat less; `\\w` stands for 140,000 characters, `[a-z]` for 26",
        ),
        other => {
            // The crate draws the expression with a caret; the last line says what is wrong.
            let text = other.to_string();
            let reason = text.lines().next_back().unwrap_or_default().trim_start_matches("error: ");
            BadPattern::new(
                format!("the regular expression is not valid, {reason}"),
                "the syntax is that of the Rust crate `regex`: no look-around, no back-references",
            )
        }
    })
}
