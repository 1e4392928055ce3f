//! Says whether a pattern matches at one place of a text.
//!
//! In: patterns, then a text and places. Out: yes or no. Never: looks for another place.

use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// From which end of a match a pattern is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Start,
    End,
}

/// Those of all patterns, and what they have learnt of the texts that they met.
#[derive(Debug)]
pub(crate) struct Automata {
    all: Vec<Option<(DFA, Side)>>,
    /// Caches that are not in use.
    spare: Mutex<Vec<Caches>>,
}

/// By pattern.
#[derive(Debug, Default)]
pub(crate) struct Caches(Vec<Option<Cache>>);

/// The automaton of a pattern before it is made deterministic; none where a pattern is too large.
pub(crate) fn nfa(pattern: &str, from: Side, most_bytes: usize) -> Option<NFA> {
    let config = syntax::Config::new().case_insensitive(true).utf8(false);
    let hir = syntax::parse_with(pattern, &config).ok()?;
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .reverse(from == Side::End)
        .nfa_size_limit(Some(most_bytes));
    thompson::Compiler::new().configure(config).build_from_hir(&hir).ok()
}

impl Automata {
    /// Where there is none, there is no place to ask about.
    pub(crate) fn new(all: Vec<Option<(NFA, Side)>>) -> Self {
        let dfa = |it: Option<(NFA, Side)>| {
            let (nfa, from) = it?;
            Some((DFA::builder().build_from_nfa(nfa).ok()?, from))
        };
        Self { all: all.into_iter().map(dfa).collect(), spare: Mutex::default() }
    }

    /// Whether a pattern has an automaton.
    pub(crate) fn has(&self, pattern: usize) -> bool {
        self.all.get(pattern).is_some_and(Option::is_some)
    }

    /// Whether a match of a pattern starts at a place, or ends there. Yes too where its automaton cannot tell.
    pub(crate) fn matches(&self, caches: &mut Caches, at: (usize, usize), text: &[u8]) -> bool {
        let (pattern, place) = at;
        let Some((dfa, from)) = self.all.get(pattern).and_then(Option::as_ref) else { return true };
        let Some(cache) = caches.0.get_mut(pattern) else { return true };
        let cache = cache.get_or_insert_with(|| dfa.create_cache());
        let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
        let found = match from {
            Side::Start => dfa.try_search_fwd(cache, &input.range(place..)),
            Side::End => dfa.try_search_rev(cache, &input.range(..place)),
        };
        found.map_or(true, |found| found.is_some())
    }

    /// Caches for one text.
    pub(crate) fn caches(&self) -> Caches {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| Caches(self.all.iter().map(|_| None).collect()))
    }

    /// Keeps them for the next one.
    pub(crate) fn give_back(&self, caches: Caches) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(caches);
    }
}
