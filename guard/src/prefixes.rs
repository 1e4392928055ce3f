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
        let mut walk = Walk { nfa, steps: HashMap::new(), left: MAX_STEPS, paths_left: MAX_STEPS };
        let mut paths = walk.paths(&BTreeSet::from([nfa.start_anchored()]), &mut Vec::new())?;
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

/// Where a byte leads to, by its folded value.
#[derive(Default)]
struct Steps {
    to: BTreeMap<u8, BTreeSet<StateID>>,
    is_match: bool,
}

struct Walk<'n> {
    nfa: &'n NFA,
    /// What is known; many ways lead through the same states.
    steps: HashMap<BTreeSet<StateID>, Rc<Steps>>,
    /// How many more steps are taken to make beginnings longer.
    left: usize,
    /// How many more to find them.
    paths_left: usize,
}

impl Walk<'_> {
    /// All ways on from these states, until they are long enough.
    fn paths(&mut self, from: &BTreeSet<StateID>, path: &mut Vec<u8>) -> Option<Vec<Vec<u8>>> {
        if path.len() == SHORTEST {
            let mut paths = Vec::new();
            self.longer(from, path, &mut paths);
            return Some(paths);
        }
        let steps = self.steps(from);
        self.paths_left = self.paths_left.checked_sub(1)?;
        if steps.is_match {
            return None;
        }
        let mut paths = Vec::new();
        for (byte, next) in &steps.to {
            path.push(*byte);
            let found = self.paths(next, path);
            path.pop();
            paths.extend(found?);
            if path.len() == STUB && paths.len() > MAX_WAYS {
                break;
            }
        }
        let is_stub =
            path.len() == STUB && (paths.len() > MAX_WAYS || paths.iter().any(|it| is_blank(it)));
        Some(if is_stub { vec![path.clone()] } else { paths })
    }

    /// Goes on while there are few ways.
    fn longer(&mut self, from: &BTreeSet<StateID>, path: &mut Vec<u8>, paths: &mut Vec<Vec<u8>>) {
        let (steps, before) = (self.steps(from), paths.len());
        let ends = steps.is_match || path.len() == LONGEST || steps.to.len() > MAX_FORKS;
        self.left = self.left.saturating_sub(1);
        if !ends && self.left > 0 {
            for (byte, next) in &steps.to {
                path.push(*byte);
                self.longer(next, path, paths);
                path.pop();
            }
            if paths.len() - before <= MAX_WAYS_ON {
                return;
            }
        }
        paths.truncate(before);
        paths.push(path.clone());
    }

    fn steps(&mut self, from: &BTreeSet<StateID>) -> Rc<Steps> {
        if let Some(known) = self.steps.get(from) {
            return Rc::clone(known);
        }
        let steps = Rc::new(steps(self.nfa, from));
        self.steps.insert(from.clone(), Rc::clone(&steps));
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

fn steps(nfa: &NFA, from: &BTreeSet<StateID>) -> Steps {
    let mut steps = Steps::default();
    let (mut seen, mut waiting) = (from.clone(), from.iter().copied().collect::<Vec<_>>());
    let mut step = |from: u8, to: u8, next| {
        for byte in from..=to {
            steps.to.entry(fold(byte)).or_default().insert(next);
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
            State::Match { .. } => steps.is_match = true,
        }
    }
    steps
}
