//! Puts the rules that are in force into one text.
//!
//! In: rules and a report. Out: [`Instructions`]. Never: changes a rule's words; a text that is cut is cut between two
//! characters, and the report says so.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::profile::{Merge, Profile};
use crate::report::{Entry, Outcome, Skip};
use crate::rule::{Due, Piece, Rule, Scope};

/// What a host would tell its model, where each part of it comes from, and what became of each file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instructions {
    /// The profile that was followed.
    pub profile: String,
    /// The rules that are in force, merged.
    pub text: String,
    /// Where the text comes from: in order, without gaps; joined they are the text.
    pub spans: Vec<Span>,
    /// The rules that are in force, in the order of the text; cut where the host cuts.
    pub in_force: Vec<Rule>,
    /// The rules that wait for a path, a text, the agent or the user.
    pub waiting: Vec<Rule>,
    /// What became of each file, in the order in which they were met.
    pub report: Vec<Entry>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The file that it comes from; none for what stands around files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of its first byte, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// How a file differs between two searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is in force only now.
    Added,
    /// It was in force before.
    Removed,
    /// It has another text.
    Edited,
}

impl Instructions {
    /// The files whose texts differ in a later search, by path. A session keeps what it began with; this is what it
    /// can tell its user.
    pub fn changes(&self, later: &Self) -> Vec<(String, Change)> {
        let texts = |of: &Self| -> BTreeMap<String, String> {
            of.in_force.iter().map(|rule| (rule.path.clone(), rule.text())).collect()
        };
        let (before, mut after) = (texts(self), texts(later));
        let mut changes: Vec<_> = before
            .into_iter()
            .filter_map(|(path, text)| match after.remove(&path) {
                None => Some((path, Change::Removed)),
                Some(now) => (now != text).then_some((path, Change::Edited)),
            })
            .collect();
        changes.extend(after.into_keys().map(|path| (path, Change::Added)));
        changes.sort_by(|one, other| one.0.cmp(&other.0));
        changes
    }
}

pub(crate) fn merge(profile: &Profile, rules: Vec<Rule>, mut report: Vec<Entry>) -> Instructions {
    let (mut in_force, waiting): (Vec<_>, Vec<_>) =
        rules.into_iter().partition(|rule| rule.due == Due::Now);
    for rule in &waiting {
        report[rule.entry].outcome = Outcome::Waiting(rule.applies.as_str());
    }
    nearest(profile, &mut in_force, &mut report);
    cut(profile, &mut in_force, &mut report);
    let (text, spans) = join(profile, &in_force);
    Instructions { profile: profile.name.clone(), text, spans, in_force, waiting, report }
}

/// Of a source that reads the nearest file alone, leaves out the others.
fn nearest(profile: &Profile, rules: &mut Vec<Rule>, report: &mut [Entry]) {
    let mut nearest: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let group = |rule: &Rule| {
        let own = &profile.source[rule.source];
        let first =
            profile.source.iter().position(|one| one.group.is_some() && one.group == own.group);
        (own.merge == Merge::Nearest).then(|| first.unwrap_or(rule.source))
    };
    for rule in rules.iter() {
        let Some(group) = group(rule) else { continue };
        let best = nearest.entry(group).or_insert((rule.depth, rule.path.clone()));
        if rule.depth > best.0 {
            *best = (rule.depth, rule.path.clone());
        }
    }
    rules.retain(|rule| {
        let best = group(rule).and_then(|group| nearest.get(&group));
        let Some((_, nearer)) = best.filter(|(depth, _)| rule.depth < *depth) else { return true };
        report[rule.entry].outcome = Outcome::Skipped(Skip::Farther(nearer.clone()));
        false
    });
}

/// Cuts what is longer than the host takes.
fn cut(profile: &Profile, rules: &mut Vec<Rule>, report: &mut [Entry]) {
    let all = profile.cap.as_ref().map_or(usize::MAX, |cap| cap.bytes);
    let counts = |scope: Scope| profile.cap.as_ref().is_some_and(|cap| cap.scopes.contains(&scope));
    let mut left = all;
    rules.retain_mut(|rule| {
        let of = rule.len();
        let most = profile.source[rule.source].max_chars.map(|chars| bytes_of(rule, chars));
        let most = most.unwrap_or(of).min(if counts(rule.scope) { left } else { of });
        if most < of {
            shorten(&mut rule.pieces, most);
        }
        let kept = rule.len();
        left = left.saturating_sub(if counts(rule.scope) { kept } else { 0 });
        report[rule.entry].outcome = match kept {
            0 => Outcome::Skipped(Skip::OverCap(all)),
            _ if kept < of => Outcome::Truncated { kept, of },
            _ => Outcome::Read(of),
        };
        if kept < of && counts(rule.scope) {
            left = 0;
        }
        kept > 0
    });
}

/// How many bytes a number of characters takes.
fn bytes_of(rule: &Rule, chars: usize) -> usize {
    let all = rule.pieces.iter().flat_map(|piece| piece.text.chars());
    all.take(chars).map(char::len_utf8).sum()
}

/// Keeps at most so many bytes.
fn shorten(pieces: &mut Vec<Piece>, most: usize) {
    let mut left = most;
    pieces.retain_mut(|piece| {
        let end = boundary(&piece.text, left);
        piece.text.truncate(end);
        left = if end == piece.text.len() { left - end } else { 0 };
        !piece.text.is_empty()
    });
}

/// The last border between two characters up to an offset.
fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn join(profile: &Profile, rules: &[Rule]) -> (String, Vec<Span>) {
    let mut page = Page::default();
    let mut before = None;
    for rule in rules {
        let lead = profile.source[rule.source].lead.as_ref();
        let lead = lead.filter(|_| before != Some(rule.source));
        if !page.text.is_empty() {
            page.push(&profile.join, None);
            if let Some(lead) = lead {
                page.push(lead, None);
                page.push(&profile.join, None);
            }
        }
        before = Some(rule.source);
        let frame = profile.source[rule.source].frame.as_ref();
        let side = |side: &String| side.replace("{path}", &rule.path);
        if let Some([front, _]) = frame {
            page.push(&side(front), None);
        }
        for piece in &rule.pieces {
            page.push(&piece.text, piece.from.as_ref());
        }
        if let Some([_, end]) = frame {
            page.push(&side(end), None);
        }
    }
    (page.text, page.spans)
}

#[derive(Default)]
struct Page {
    text: String,
    spans: Vec<Span>,
}

impl Page {
    fn push(&mut self, text: &str, from: Option<&(String, u32)>) {
        if text.is_empty() {
            return;
        }
        let Range { start, end } = self.text.len()..self.text.len() + text.len();
        self.text.push_str(text);
        let (path, line) = (from.map(|from| from.0.clone()), from.map(|from| from.1));
        self.spans.push(Span { start, end, path, line });
    }
}
