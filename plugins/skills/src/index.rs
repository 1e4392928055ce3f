//! Fits the index of skills into a number of tokens.
//!
//! In: skills, a budget. Out: the entries that fit, in the fullest form that does, and what was cut. Never: cuts without
//! saying so; gives another result for the same skills and budget.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Skill;
use crate::skill::Listing;

/// Tokens of an entry beside its texts: marks, punctuation.
const ENTRY_TOKENS: usize = 4;
/// A description that would be shorter than this says nothing.
const MIN_SHORT_CHARS: usize = 40;
/// No description is longer in the index.
const MAX_CHARS: usize = crate::check::MAX_DESCRIPTION_CHARS;

/// How much of each skill the index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Whole descriptions.
    Full,
    /// Descriptions cut to one length.
    Shortened,
    /// No descriptions.
    Names,
}

impl Form {
    /// The name in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Shortened => "shortened",
            Self::Names => "names only",
        }
    }
}

/// One skill in the index.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The skill.
    pub skill: Arc<Skill>,
    /// What the index says of it, on one line; empty in [`Form::Names`].
    pub description: String,
}

/// The skills that a model is offered.
#[derive(Clone, Debug)]
pub struct Index {
    /// In order of their names.
    pub entries: Vec<Entry>,
    /// How much is said of each.
    pub form: Form,
    /// The names of skills that did not fit even by name.
    pub cut: Vec<String>,
    /// What the entries cost, by [`tokens`].
    pub tokens: usize,
}

impl Index {
    /// The fullest index of the skills that may be offered, within so many tokens; without a number all of it.
    pub fn within(skills: &[Arc<Skill>], budget: Option<usize>) -> Self {
        let offered: Vec<&Arc<Skill>> =
            skills.iter().filter(|skill| skill.listing == Listing::Offered).collect();
        let full = Self::of(&offered, MAX_CHARS);
        let Some(budget) = budget.filter(|budget| full.tokens > *budget) else { return full };
        // The longest length that fits; at MIN - 1 nothing has been found to fit.
        let (mut fits, mut over) = (MIN_SHORT_CHARS - 1, MAX_CHARS);
        while over - fits > 1 {
            let middle = fits + (over - fits) / 2;
            if Self::of(&offered, middle).tokens <= budget { fits = middle } else { over = middle }
        }
        if fits >= MIN_SHORT_CHARS {
            return Self { form: Form::Shortened, ..Self::of(&offered, fits) };
        }
        Self::names(&offered, budget)
    }

    fn of(offered: &[&Arc<Skill>], chars: usize) -> Self {
        let entries: Vec<Entry> = offered
            .iter()
            .map(|skill| Entry::new(skill, short(&skill.description, chars)))
            .collect();
        let tokens = entries.iter().map(Entry::tokens).sum();
        Self { entries, form: Form::Full, cut: Vec::new(), tokens }
    }

    fn names(offered: &[&Arc<Skill>], budget: usize) -> Self {
        let (mut entries, mut cut, mut total) = (Vec::new(), Vec::new(), 0);
        for skill in offered {
            let entry = Entry::new(skill, Cow::Borrowed(""));
            // Once one does not fit the rest is cut, so that which ones are there follows from the names alone.
            if cut.is_empty() && total + entry.tokens() <= budget {
                total += entry.tokens();
                entries.push(entry);
            } else {
                cut.push(skill.name.clone());
            }
        }
        Self { entries, form: Form::Names, cut, tokens: total }
    }
}

impl Entry {
    fn new(skill: &Arc<Skill>, description: Cow<'_, str>) -> Self {
        Self { skill: Arc::clone(skill), description: description.into_owned() }
    }

    fn tokens(&self) -> usize {
        let path = self.skill.path.to_string_lossy();
        let category = self.skill.category.as_deref().map_or(0, tokens);
        let tags: usize = self.skill.tags.iter().map(|tag| tokens(tag) + 1).sum();
        let of_texts = tokens(&self.skill.name) + tokens(&self.description) + tokens(&path);
        ENTRY_TOKENS + of_texts + category + tags
    }
}

/// About how many tokens a text has, erring high: a third of its ASCII bytes, one for each other character.
pub fn tokens(text: &str) -> usize {
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(3) + other
}

/// At most so many characters, cut behind a word where there is one, with `…`.
fn short(text: &str, chars: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(chars) else { return Cow::Borrowed(text) };
    // One character is for the mark.
    let end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let head = &text[..end];
    let word = head.rfind(char::is_whitespace).filter(|at| *at >= end / 2).unwrap_or(end);
    Cow::Owned(format!("{}…", head[..word].trim_end_matches([' ', ',', ';', ':', '.'])))
}

/// A text on one line: blanks in a row are one, nothing that acts on a line remains.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
