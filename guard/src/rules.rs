//! The rules, as they are written and as they are used.
//!
//! In: TOML. Out: compiled patterns, the action for each source and kind. Never: guesses at a key that it does not know.

use std::collections::BTreeMap;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::branch::Branch;
use crate::sieve::Sieve;
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
    /// Which rules find something; by position those of `all`.
    sieve: Sieve,
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
            // An automaton decides fast only where borders of words are those of ASCII.
            (rule.id, kind, rule.pattern.replace(r"\b", r"(?-u:\b)"))
        }));
        let sources: Vec<String> = patterns.iter().map(|(_, _, source)| of_bytes(source)).collect();
        let sieve =
            Sieve::new(sources.iter().map(|it| Branch::all(it, MAX_PATTERN_BYTES)).collect());
        let all = patterns
            .into_iter()
            .zip(&sources)
            .map(|((id, kind, _), source)| Ok(Rule { id, kind, pattern: pattern(source)? }));
        let all = all.collect::<Result<_, regex::Error>>()?;
        let (trust, source, context) = (written.trust, written.source, written.context);
        Ok(Self { sieve, all, trust, source, context })
    }

    /// The rules that find something in a text, and maybe some that do not.
    pub(crate) fn finding<'r>(&'r self, text: &str) -> impl Iterator<Item = &'r Rule> {
        let matching = self.sieve.matching(text.as_bytes());
        self.all.iter().zip(matching).filter_map(|(rule, matches)| matches.then_some(rule))
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static RULES: LazyLock<Rules> = LazyLock::new(Rules::standard);

    /// All that the samples call hostile, and what phrases are made of.
    static FRAGMENTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let read = |name: &str| {
            let file = format!("tests/samples/{name}-hostile.jsonl");
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
        };
        let text = |line: &str| {
            let sample: serde_json::Value = serde_json::from_str(line).unwrap();
            sample["text"].as_str().unwrap().to_owned()
        };
        let files = ["hidden", "forged", "phrases"].map(read);
        let words = "no new put you are ignore without < / [INST] instructions the your what is \u{ff5c} ſ K é 忽略 \t \r\n";
        let samples = files.iter().flat_map(|file| file.lines().map(text));
        samples.chain(words.split(' ').map(str::to_owned)).collect()
    });

    fn text() -> impl Strategy<Value = String> {
        let fragment = any::<prop::sample::Index>().prop_map(|at| at.get(&FRAGMENTS[..]).clone());
        let piece = prop_oneof![
            fragment.clone(),
            fragment.clone().prop_map(|it| it.to_uppercase()),
            fragment.prop_map(|it| it.replace(' ', "\u{a0}\n")),
            "[ \t\r\n<>/|.,é語]{0,9}",
            "[a-z ]{0,20}",
            Just("A line of plain words, no more.\n".repeat(140)),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn passed_over(text: &str) -> Vec<&'static str> {
        let finding: Vec<&str> = RULES.finding(text).map(|rule| &*rule.id).collect();
        let is_missing =
            |rule: &&Rule| rule.pattern.is_match(text.as_bytes()) && !finding.contains(&&*rule.id);
        RULES.all.iter().filter(is_missing).map(|rule| &*rule.id).collect()
    }

    #[test]
    fn nothing_is_passed_over() {
        for fragment in FRAGMENTS.iter() {
            for before in [4081, 4090, 4095, 4096] {
                let text = "-".repeat(before) + fragment;
                assert_eq!(passed_over(&text), Vec::<&str>::new(), "{fragment} behind {before}");
            }
        }
    }

    #[test]
    fn most_texts_are_sieved() {
        let found: Vec<&str> = RULES.finding("A clean text.").map(|rule| &*rule.id).collect();
        assert_eq!(found, Vec::<&str>::new());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// What the patterns find by themselves is found in the sieve, wherever it stands.
        #[test]
        fn the_sieve_keeps_what_matches(text in text()) {
            prop_assert_eq!(passed_over(&text), Vec::<&str>::new());
        }

        /// The same for rules that somebody lays over ours, which may be of any kind.
        #[test]
        fn rules_of_others(text in "([abcxqz ]|no|new|way|\\n|é|è|AbcdE| newway| xqzway| xqzxqz){0,40}") {
            let found: Vec<&str> = OTHERS.finding(&text).map(|rule| &*rule.id).collect();
            for rule in &OTHERS.all {
                let matches = rule.pattern.is_match(text.as_bytes());
                prop_assert!(!matches || found.contains(&&*rule.id), "{}", rule.id);
            }
        }
    }

    static OTHERS: LazyLock<Rules> = LazyLock::new(|| {
        let patterns = [
            "a",
            "^ab",
            "ab?c",
            r"(no|new)\s+way",
            r"\bx\b",
            "[^a]{9}",
            "zz.{3}",
            "q*",
            "é.è",
            "a$",
            "(?-i:AbcdE)",
            r"x\b.{4}",
            r"\W{3}way",
            "(?m:^)way..",
            "[abc]+ (newway|xqzxqz)[xz]",
            r"\b(no|new)\s+([a-z]+ )?((xqz|abc)way|zzzzz)(a|b{2})?\b",
        ];
        let rule = |pattern: &str| {
            format!("[[rule]]\nid = '{pattern}'\nkind = 'phrase'\npattern = '{pattern}'\n")
        };
        let rules: String = patterns.map(rule).concat();
        Rules::standard_with(&format!("format = 1\n{rules}")).unwrap()
    });
}
