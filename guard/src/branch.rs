//! Chooses the place by which the matches of a pattern are noticed.
//!
//! In: a pattern. Out: for each of its branches the place within its matches that is met least often in other texts, and
//! what has to match on both sides of it. Never: chooses a place that a match may lack.

use regex_automata::util::syntax;
use regex_syntax::hir::{Hir, HirKind};

use crate::automata::{self, Halves, Side};
use crate::fold::fold;
use crate::prefixes::Prefixes;
use crate::window::Window;

/// A part that may be shorter is no place to look for.
const SHORTEST_PART: usize = 3;

/// One way to match a pattern: all of its parts, one behind the other.
pub(crate) struct Branch {
    /// What has to match around the place.
    pub(crate) halves: Halves,
    /// What begins or ends there.
    pub(crate) prefixes: Prefixes,
}

impl Branch {
    /// All branches of a pattern; nothing where one of them has no such place.
    pub(crate) fn all(pattern: &str, most_bytes: usize) -> Option<Vec<Self>> {
        let config = syntax::Config::new().case_insensitive(true).utf8(false);
        let hir = syntax::parse_with(pattern, &config).ok()?;
        ways(hir).iter().map(|parts| Self::of(parts, most_bytes)).collect()
    }

    fn of(parts: &[Hir], most_bytes: usize) -> Option<Self> {
        let is_long = |part: &Hir| part.properties().minimum_len() >= Some(SHORTEST_PART);
        let inner = (1..parts.len()).filter(|at| is_long(&parts[*at]));
        let starts = [0].into_iter().chain(inner).map(|at| (at, Side::Start));
        let branches = starts.chain([(parts.len(), Side::End)]).filter_map(|(at, from)| {
            let branch = Self::at(parts.split_at(at), from, most_bytes)?;
            Some((Window::often(&Window::of(&branch.prefixes, 0)), branch))
        });
        branches.min_by_key(|(often, _)| *often).map(|(_, branch)| branch)
    }

    /// Where the first of these parts end and the others start.
    fn at(parts: (&[Hir], &[Hir]), from: Side, most_bytes: usize) -> Option<Self> {
        let both = [(parts.0, Side::End), (parts.1, Side::Start)];
        let halves = both.into_iter().filter(|(half, _)| !half.is_empty()).map(|(half, side)| {
            Some((automata::nfa(&Hir::concat(half.to_vec()), side, most_bytes)?, side))
        });
        let halves = halves.collect::<Option<Halves>>()?;
        let (nfa, _) = halves.iter().find(|(_, side)| *side == from)?;
        let prefixes = Prefixes::of(nfa, from)?;
        // Signs are looked for by themselves, and only few of them: within a match none is worth it.
        let is_fit = halves.len() == 1 || prefixes.stubs.is_empty();
        is_fit.then_some(Self { halves, prefixes })
    }

    /// The signs by which stubs begin, with those that are known.
    pub(crate) fn signs(&self, known: &[u8]) -> Vec<u8> {
        let begins = |byte: &u8| self.prefixes.stubs.iter().any(|stub| stub[0] == fold(*byte));
        let is_new = |byte: &u8| !fold(*byte).is_ascii_alphanumeric() && !known.contains(byte);
        let new = (0..=u8::MAX).filter(|byte| is_new(byte) && begins(byte));
        known.iter().copied().chain(new).collect()
    }
}

/// The branches of a pattern, each by its parts.
fn ways(hir: Hir) -> Vec<Vec<Hir>> {
    match hir.into_kind() {
        HirKind::Capture(capture) => ways(*capture.sub),
        HirKind::Alternation(branches) => branches.into_iter().flat_map(ways).collect(),
        HirKind::Concat(mut parts) => match parts.pop() {
            // What all of them begin with, mostly the border of a word, is written but once.
            Some(last) if parts.len() < 2 => {
                let behind = |way: Vec<Hir>| parts.iter().cloned().chain(way).collect();
                ways(last).into_iter().map(behind).collect()
            }
            last => vec![parts.into_iter().chain(last).collect()],
        },
        HirKind::Empty => vec![vec![Hir::empty()]],
        HirKind::Literal(literal) => vec![vec![Hir::literal(literal.0)]],
        HirKind::Class(class) => vec![vec![Hir::class(class)]],
        HirKind::Look(look) => vec![vec![Hir::look(look)]],
        HirKind::Repetition(repetition) => vec![vec![Hir::repetition(repetition)]],
    }
}
