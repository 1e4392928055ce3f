//! Says whether a pattern matches around one place of a text.
//!
//! In: parts of patterns, then a text and places. Out: yes or no. Never: looks for another place.

use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;

/// Which border of a match stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Start,
    End,
}

/// What has to match around a place: something that ends there, something that starts there.
pub(crate) type Halves = Vec<(NFA, Side)>;

/// All of them, and what they have learnt of the texts that they met.
#[derive(Debug)]
pub(crate) struct Automata {
    all: Vec<Vec<(DFA, Side)>>,
    /// Caches that are not in use.
    spare: Mutex<Vec<Caches>>,
}

/// By half.
#[derive(Debug, Default)]
pub(crate) struct Caches(Vec<Vec<Option<Cache>>>);

/// An automaton before it is made deterministic; none where it is too large.
pub(crate) fn nfa(hir: &Hir, from: Side, most_bytes: usize) -> Option<NFA> {
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .reverse(from == Side::End)
        .nfa_size_limit(Some(most_bytes));
    thompson::Compiler::new().configure(config).build_from_hir(hir).ok()
}

impl Automata {
    /// A half without a deterministic automaton counts as one that matches everywhere.
    pub(crate) fn new(all: Vec<Halves>) -> Self {
        let dfa = |(nfa, from)| Some((DFA::builder().build_from_nfa(nfa).ok()?, from));
        let dfas = |halves: Halves| halves.into_iter().filter_map(dfa).collect();
        Self { all: all.into_iter().map(dfas).collect(), spare: Mutex::default() }
    }

    /// Whether all that has to match around a place does. Yes too where an automaton cannot tell.
    pub(crate) fn matches(&self, caches: &mut Caches, at: (usize, usize), text: &[u8]) -> bool {
        let (number, place) = at;
        let (Some(halves), Some(caches)) = (self.all.get(number), caches.0.get_mut(number)) else {
            return true;
        };
        halves.iter().zip(caches).all(|((dfa, from), cache)| {
            let cache = cache.get_or_insert_with(|| dfa.create_cache());
            let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
            let found = match from {
                Side::Start => dfa.try_search_fwd(cache, &input.range(place..)),
                Side::End => dfa.try_search_rev(cache, &input.range(..place)),
            };
            found.map_or(true, |found| found.is_some())
        })
    }

    /// Caches for one text.
    pub(crate) fn caches(&self) -> Caches {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let none = |halves: &Vec<_>| halves.iter().map(|_| None).collect();
        spare.unwrap_or_else(|| Caches(self.all.iter().map(none).collect()))
    }

    /// Keeps them for the next one.
    pub(crate) fn give_back(&self, caches: Caches) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(caches);
    }
}
