//! Says with which bytes a match of a pattern may begin, or end.
//!
//! In: the automaton of a pattern, forward or backward. Out: folded bytes, of which each match begins with one, or ends.
//! Never: asks what stands around a match.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use crate::automata::Side;
use crate::fold::fold;

/// No shorter beginning is good enough to look for.
pub(crate) const SHORTEST: usize = 5;
/// A longer one is not needed.
pub(crate) const LONGEST: usize = 16;
/// A beginning that is long enough is not made longer where more bytes may follow, or there are more ways on than these.
const MAX_FORKS: usize = 12;
const MAX_WAYS_ON: usize = 12;
/// So many steps are taken to find beginnings, and to make them longer.
const MAX_STEPS: usize = 6000;
/// So long is a beginning that has too many ways to become long enough.
pub(crate) const STUB: usize = 3;
/// More ways are too many.
const MAX_WAYS: usize = 512;
/// A pattern with more beginnings is not worth the search for them.
const MAX_PREFIXES: usize = 8192;

/// Beginnings of the matches of a pattern, or their ends: those too in the order of a text.
#[derive(Debug)]
pub(crate) struct Prefixes {
    pub(crate) from: Side,
    /// Of [`SHORTEST`] to [`LONGEST`] bytes.
    pub(crate) whole: BTreeSet<Vec<u8>>,
    /// Those with too many ways to go on.
    pub(crate) stubs: BTreeSet<[u8; STUB]>,
    /// Whether each of them is at the border of an ASCII word.
    pub(crate) at_border: bool,
}

impl Prefixes {
    /// Nothing where a match may be shorter than what can be looked for.
    pub(crate) fn of(nfa: &NFA, from: Side) -> Option<Self> {
        let mut walk = Walk::new(nfa);
        let start = walk.known.number(States::from([nfa.start_anchored()]));
        walk.paths(start, &mut Vec::new())?;
        let mut paths = walk.found;
        if from == Side::End {
            paths.iter_mut().for_each(|path| path.reverse());
        }
        let (mut whole, mut stubs) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            match <[u8; STUB]>::try_from(&*path) {
                Ok(stub) => drop(stubs.insert(stub)),
                Err(_) => drop(whole.insert(path)),
            }
        }
        // The few bytes of a stub are looked for from the start of a match.
        let is_fit = whole.len() <= MAX_PREFIXES && (from == Side::Start || stubs.is_empty());
        is_fit.then(|| Self { from, whole, stubs, at_border: at_border(nfa) })
    }
}

type States = BTreeSet<StateID>;

/// Where a byte leads to, by its folded value: to the number of a set of states.
struct Steps {
    to: Vec<(u8, usize)>,
    is_match: bool,
}

/// Sets of states by their numbers, for many ways lead through the same states.
#[derive(Default)]
struct Known {
    numbers: HashMap<Rc<States>, usize>,
    /// Each with the steps from it, once they were asked for.
    sets: Vec<(Rc<States>, Option<Rc<Steps>>)>,
}

impl Known {
    fn number(&mut self, set: States) -> usize {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let (number, set) = (self.sets.len(), Rc::new(set));
        self.numbers.insert(Rc::clone(&set), number);
        self.sets.push((set, None));
        number
    }
}

struct Walk<'n> {
    nfa: &'n NFA,
    known: Known,
    /// The beginnings so far.
    found: Vec<Vec<u8>>,
    /// How many more steps are taken to make beginnings longer.
    left: usize,
    /// How many more to find them.
    paths_left: usize,
}

impl<'n> Walk<'n> {
    fn new(nfa: &'n NFA) -> Self {
        let (known, found) = (Known::default(), Vec::new());
        Self { nfa, known, found, left: MAX_STEPS, paths_left: MAX_STEPS }
    }

    /// Finds all ways on from these states, until they are long enough. Nothing where a match ends before that.
    fn paths(&mut self, from: usize, path: &mut Vec<u8>) -> Option<()> {
        if path.len() == SHORTEST {
            self.longer(from, path);
            return Some(());
        }
        let (steps, before) = (self.steps(from), self.found.len());
        self.paths_left = self.paths_left.checked_sub(1)?;
        if steps.is_match {
            return None;
        }
        for (byte, next) in &steps.to {
            path.push(*byte);
            let long_enough = self.paths(*next, path);
            path.pop();
            long_enough?;
            if path.len() == STUB && self.found.len() - before > MAX_WAYS {
                break;
            }
        }
        let ways = &self.found[before..];
        if path.len() == STUB && (ways.len() > MAX_WAYS || ways.iter().any(|it| is_blank(it))) {
            self.ends_at(path, before);
        }
        Some(())
    }

    /// Goes on while there are few ways.
    fn longer(&mut self, from: usize, path: &mut Vec<u8>) {
        let (steps, before) = (self.steps(from), self.found.len());
        let ends = steps.is_match || path.len() == LONGEST || steps.to.len() > MAX_FORKS;
        self.left = self.left.saturating_sub(1);
        if !ends && self.left > 0 {
            for (byte, next) in &steps.to {
                path.push(*byte);
                self.longer(*next, path);
                path.pop();
            }
            if self.found.len() - before <= MAX_WAYS_ON {
                return;
            }
        }
        self.ends_at(path, before);
    }

    /// Takes a way for a beginning, in place of those that were found beyond it.
    fn ends_at(&mut self, path: &[u8], before: usize) {
        self.found.truncate(before);
        self.found.push(path.to_vec());
    }

    fn steps(&mut self, from: usize) -> Rc<Steps> {
        if let (_, Some(known)) = &self.known.sets[from] {
            return Rc::clone(known);
        }
        let (to, is_match) = reach(self.nfa, &self.known.sets[from].0);
        let to = to.into_iter().map(|(byte, set)| (byte, self.known.number(set))).collect();
        let steps = Rc::new(Steps { to, is_match });
        self.known.sets[from].1 = Some(Rc::clone(&steps));
        steps
    }
}

/// Whether too little of it is ink to look for it.
fn is_blank(path: &[u8]) -> bool {
    path.iter().skip(1).all(|byte| *byte == b' ')
}

/// Whether all ways from the start ask for the border of a word before they ask for a byte.
fn at_border(nfa: &NFA) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![nfa.start_anchored()]);
    while let Some(id) = waiting.pop() {
        match nfa.state(id) {
            _ if !seen.insert(id) => {}
            State::Look { look: Look::WordAscii, .. } | State::Fail => {}
            State::Look { next, .. } | State::Capture { next, .. } => waiting.push(*next),
            State::Union { alternates } => waiting.extend(alternates.iter()),
            State::BinaryUnion { alt1, alt2 } => waiting.extend([*alt1, *alt2]),
            State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => {
                return false;
            }
        }
    }
    true
}

/// The states that each folded byte leads to, and whether a match ends before it.
fn reach(nfa: &NFA, from: &States) -> (BTreeMap<u8, States>, bool) {
    let (mut steps, mut is_match) = (BTreeMap::<u8, States>::new(), false);
    let (mut seen, mut waiting) = (from.clone(), from.iter().copied().collect::<Vec<_>>());
    let mut step = |from: u8, to: u8, next| {
        for byte in from..=to {
            steps.entry(fold(byte)).or_default().insert(next);
        }
    };
    while let Some(id) = waiting.pop() {
        let mut reach = |id| {
            if seen.insert(id) {
                waiting.push(id);
            }
        };
        match nfa.state(id) {
            State::ByteRange { trans } => step(trans.start, trans.end, trans.next),
            State::Sparse(sparse) => {
                sparse.transitions.iter().for_each(|it| step(it.start, it.end, it.next));
            }
            State::Dense(dense) => {
                let next = |byte| Some((byte, dense.matches_byte(byte)?));
                (0..=u8::MAX).filter_map(next).for_each(|(byte, next)| step(byte, byte, next));
            }
            State::Look { next, .. } | State::Capture { next, .. } => reach(*next),
            State::Union { alternates } => alternates.iter().copied().for_each(reach),
            State::BinaryUnion { alt1, alt2 } => [*alt1, *alt2].into_iter().for_each(reach),
            State::Fail => {}
            State::Match { .. } => is_match = true,
        }
    }
    (steps, is_match)
}
