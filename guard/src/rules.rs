//! The rules, as they are written and as they are used.
//!
//! In: TOML. Out: compiled patterns, the action for each source and kind. Never: guesses at a key that it does not know.

use std::collections::BTreeMap;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use crate::hidden::HIDDEN;
use crate::{Action, Kind, Place};

const STANDARD: &str = include_str!("../rules.toml");
/// A pattern that compiles to more is refused.
const MAX_PATTERN_BYTES: usize = 8 << 20;
const FORMAT: u32 = 1;
/// White space within a phrase: that of ASCII, and what looks like a blank elsewhere.
const SPACE: &str = r"(?:[\t-\r ]|\xC2\xA0|\xE2\x80[\x80-\x8A\xAF]|\xE2\x81\x9F|\xE3\x80\x80)";
/// The trust of a source that no rule names.
const STRANGER: &str = "outside";

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// It is not TOML of the form of `rules.toml`.
    #[error("the rules are not of the form of `rules.toml`: {0}")]
    Form(#[from] toml::de::Error),
    /// The file is for another version.
    #[error("the rules are of format {0}; this guard reads {FORMAT}")]
    Format(u32),
    /// A pattern is no regular expression, or too large a one.
    #[error("the patterns cannot be used: {0}")]
    Pattern(#[from] regex::Error),
    /// A source has a trust that has no actions.
    #[error("source `{source_name}` has the trust `{trust}`, which has no table")]
    Trust {
        /// The source.
        source_name: String,
        /// Its trust.
        trust: String,
    },
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u32,
    #[serde(default)]
    trust: BTreeMap<String, Actions>,
    #[serde(default)]
    source: BTreeMap<String, String>,
    #[serde(default)]
    context: BTreeMap<String, String>,
    #[serde(default)]
    boundary: Boundary,
    #[serde(default)]
    rule: Vec<WrittenRule>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Boundary {
    /// Their beginning and their end.
    #[serde(default)]
    tags: Vec<String>,
    /// Their end alone.
    #[serde(default)]
    closing: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    id: String,
    kind: WrittenKind,
    pattern: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenKind {
    Forged,
    Phrase,
}

/// What a trust means.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Actions {
    hidden: Action,
    forged: Action,
    phrase: Action,
}

impl Actions {
    pub(crate) fn of(self, kind: Kind, place: Place) -> Action {
        let action = match kind {
            Kind::Hidden => self.hidden,
            Kind::Forged => self.forged,
            // It is escaped in any case; the rest is the report.
            Kind::Boundary => Action::Warn,
            Kind::Phrase => self.phrase,
        };
        match place {
            Place::Prose => action,
            Place::Code | Place::Quote => action.min(Action::Warn),
        }
    }
}

/// A pattern with its name.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) pattern: Regex,
}

/// Rules in use.
#[derive(Debug)]
pub(crate) struct Rules {
    hidden: Regex,
    /// Whether any rule finds something: one pass over the text.
    gate: Regex,
    /// Which rules do; by position those of `all`.
    which: RegexSet,
    all: Vec<Rule>,
    trust: BTreeMap<String, Actions>,
    source: BTreeMap<String, String>,
    /// Paths of a context, each with its source.
    pub(crate) context: BTreeMap<String, String>,
}

impl Rules {
    pub(crate) fn standard() -> Self {
        // The tests read the same text: this cannot fail where they pass.
        read(STANDARD).and_then(Self::compile).unwrap_or_else(|error| {
            unreachable!("the shipped rules are tested: {error}");
        })
    }

    pub(crate) fn standard_with(toml: &str) -> Result<Self, RulesError> {
        let (mut rules, over) = (read(STANDARD)?, read(toml)?);
        rules.trust.extend(over.trust);
        rules.source.extend(over.source);
        rules.context.extend(over.context);
        rules.boundary.tags.extend(over.boundary.tags);
        rules.boundary.closing.extend(over.boundary.closing);
        rules.rule.retain(|rule| !over.rule.iter().any(|later| later.id == rule.id));
        rules.rule.extend(over.rule);
        Self::compile(rules)
    }

    fn compile(written: Written) -> Result<Self, RulesError> {
        for (source, trust) in &written.source {
            if !written.trust.contains_key(trust) {
                let (source_name, trust) = (source.clone(), trust.clone());
                return Err(RulesError::Trust { source_name, trust });
            }
        }
        let either = |tags: &[String]| {
            tags.iter().map(|tag| regex::escape(tag)).collect::<Vec<_>>().join("|")
        };
        let (tags, closing) = (either(&written.boundary.tags), either(&written.boundary.closing));
        let boundary = format!(r"<\s*/?\s*(?:{tags})\b|<\s*/\s*(?:{closing})\b");
        let mut patterns = vec![("boundary".to_owned(), Kind::Boundary, boundary)];
        patterns.extend(written.rule.into_iter().map(|rule| {
            let kind = match rule.kind {
                WrittenKind::Forged => Kind::Forged,
                WrittenKind::Phrase => Kind::Phrase,
            };
            // One search decides fast only where borders of words are those of ASCII.
            (rule.id, kind, rule.pattern.replace(r"\b", r"(?-u:\b)"))
        }));
        let sources: Vec<String> = patterns.iter().map(|(_, _, source)| of_bytes(source)).collect();
        let which = RegexSetBuilder::new(&sources)
            .case_insensitive(true)
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES)
            .build()?;
        let (gate, hidden) = (pattern(&sources.join("|"))?, pattern(HIDDEN)?);
        let all = patterns
            .into_iter()
            .zip(&sources)
            .map(|((id, kind, _), source)| Ok(Rule { id, kind, pattern: pattern(source)? }));
        let all = all.collect::<Result<_, regex::Error>>()?;
        let (trust, source, context) = (written.trust, written.source, written.context);
        Ok(Self { hidden, gate, which, all, trust, source, context })
    }

    /// Whether a text holds a character that shows nothing, or may.
    pub(crate) fn has_hidden(&self, text: &str) -> bool {
        // Most texts have none of the bytes that such a character is made of.
        let may = |byte: u8| {
            (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r')) | (byte >= 0x7F)
        };
        text.bytes().fold(false, |any, byte| any | may(byte))
            && self.hidden.is_match(text.as_bytes())
    }

    /// The rules that find something in a text.
    pub(crate) fn finding<'r>(&'r self, text: &'r str) -> impl Iterator<Item = &'r Rule> {
        let text = text.as_bytes();
        let found = self.gate.is_match(text).then(|| self.which.matches(text));
        found.into_iter().flatten().map(|at| &self.all[at])
    }

    /// What is done about findings in texts of a source.
    pub(crate) fn actions(&self, source: &str) -> Actions {
        let trust = self.source.get(source).map_or(STRANGER, String::as_str);
        let hardest =
            Actions { hidden: Action::Redact, forged: Action::Redact, phrase: Action::Warn };
        self.trust.get(trust).copied().unwrap_or(hardest)
    }
}

fn read(toml: &str) -> Result<Written, RulesError> {
    let written: Written = toml::from_str(toml)?;
    if written.format == FORMAT { Ok(written) } else { Err(RulesError::Format(written.format)) }
}

/// A pattern that names no character beyond ASCII sees bytes: so a text of many scripts looks to it like one of a single
/// letter. With characters in their place the automaton would have more states than it may keep, and a search takes a
/// thousand times as long.
fn of_bytes(pattern: &str) -> String {
    let names_others =
        !pattern.is_ascii() || [r"\x{", r"\u", r"\p"].iter().any(|it| pattern.contains(it));
    match names_others {
        true => format!("(?:{pattern})"),
        false => format!("(?-u:{})", pattern.replace(r"\s", SPACE)),
    }
}

fn pattern(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source)
        .case_insensitive(true)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build()
}
