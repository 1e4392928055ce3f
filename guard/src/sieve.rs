//! Tells which patterns match in a text, at nearly the speed of memory.
//!
//! In: patterns, then texts. Out: the patterns that match. Never: passes over a match.
//!
//! A match begins with one of finitely many [`Prefixes`]. Of each of them four bytes are looked for, at even places of a
//! text: the window that is chosen, or the one a byte behind it, stands at one. Where one is found, the automaton of the
//! pattern decides.

use pulp::{Arch, Simd, WithSimd};
use regex_automata::nfa::thompson::NFA;

use crate::automata::{self, Automata, Caches, Side};
use crate::fold::{BLOCK, Block, MARGIN, fold};
use crate::prefixes::{Prefixes, STUB};
use crate::window::{Table, Window};

/// So many bytes are looked at in one go.
const STRIDE: usize = 16;
/// There is no fast search for more.
const MAX_FIRSTS: usize = 3;

/// Patterns that are looked for.
#[derive(Debug)]
pub(crate) struct Sieve {
    automata: Automata,
    table: Table,
    /// The first bytes of the stubs, as they may stand in a text.
    firsts: Vec<u8>,
    stubs: Vec<([u8; STUB], usize)>,
    /// By pattern, whether it cannot be sieved.
    coarse: Vec<bool>,
    /// By pattern, whether its matches begin at the border of a word.
    at_border: Vec<bool>,
}

/// What is known of a text while it is looked through.
struct Run<'t> {
    text: &'t [u8],
    found: Vec<bool>,
    /// Where each pattern was tried last.
    tried: Vec<Option<usize>>,
    caches: Caches,
}

/// How a pattern is looked for.
pub(crate) struct Pattern {
    nfa: NFA,
    prefixes: Prefixes,
}

impl Pattern {
    /// From the end that is met less often; nothing where that cannot be said.
    pub(crate) fn new(source: &str, most_bytes: usize) -> Option<Self> {
        let ways = [Side::Start, Side::End].into_iter().filter_map(|from| {
            let nfa = automata::nfa(source, from, most_bytes)?;
            let prefixes = Prefixes::of(&nfa, from)?;
            let often = Window::often(&Window::of(&prefixes, 0));
            Some((often, Self { nfa, prefixes }))
        });
        ways.min_by_key(|(often, _)| *often).map(|(_, pattern)| pattern)
    }

    /// The signs by which stubs begin, with those that are known.
    fn signs(&self, known: &[u8]) -> Vec<u8> {
        let begins = |byte: &u8| self.prefixes.stubs.iter().any(|stub| stub[0] == fold(*byte));
        let is_new = |byte: &u8| !fold(*byte).is_ascii_alphanumeric() && !known.contains(byte);
        let new = (0..=u8::MAX).filter(|byte| is_new(byte) && begins(byte));
        known.iter().copied().chain(new).collect()
    }
}

/// For strides of a block where windows may stand; with the best that the processor has.
struct Search<'s> {
    table: &'s Table,
    text: &'s [u8],
    from: usize,
    block: &'s mut Block,
    strides: &'s mut [bool; BLOCK / STRIDE],
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.block.fill(self.text, self.from);
        for (stride, may) in self.strides.iter_mut().enumerate() {
            let bytes = self.block.get(MARGIN + stride * STRIDE);
            *may = bytes.is_some_and(|bytes| self.table.may_hold(bytes));
        }
    }
}

impl Sieve {
    /// Patterns by the prefixes of their matches. One without prefixes, or whose prefixes begin with too many different
    /// signs, counts as one that matches in every text.
    pub(crate) fn new(patterns: Vec<Option<Pattern>>) -> Self {
        let (mut windows, mut stubs, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut automata, mut at_border) = (Vec::new(), Vec::new());
        for (number, pattern) in patterns.into_iter().enumerate() {
            let signs = pattern.as_ref().map(|it| it.signs(&firsts)).unwrap_or_default();
            let fit = pattern.filter(|_| signs.len() <= MAX_FIRSTS);
            at_border.push(fit.as_ref().is_some_and(|it| it.prefixes.at_border));
            if let Some(Pattern { prefixes, .. }) = &fit {
                firsts = signs;
                windows.extend(Window::of(prefixes, number));
                let rare = prefixes.stubs.iter().filter(|it| !it[0].is_ascii_alphanumeric());
                stubs.extend(rare.map(|stub| (*stub, number)));
            }
            automata.push(fit.map(|it| (it.nfa, it.prefixes.from)));
        }
        stubs.sort_unstable();
        let automata = Automata::new(automata);
        let coarse = (0..at_border.len()).map(|pattern| !automata.has(pattern)).collect();
        Self { automata, table: Table::new(windows), firsts, stubs, coarse, at_border }
    }

    /// By pattern, whether it may match in a text: it does, unless it is one that cannot be sieved.
    pub(crate) fn matching(&self, text: &[u8]) -> Vec<bool> {
        let mut run = Run {
            text,
            found: self.coarse.clone(),
            tried: vec![None; self.coarse.len()],
            caches: self.automata.caches(),
        };
        self.stubs(&mut run);
        self.windows(&mut run);
        self.automata.give_back(run.caches);
        run.found
    }

    fn windows(&self, run: &mut Run<'_>) {
        let (arch, mut block, mut strides) = (Arch::new(), Block::new(), [false; BLOCK / STRIDE]);
        for from in (0..run.text.len()).step_by(BLOCK) {
            let (text, block, strides) = (run.text, &mut block, &mut strides);
            arch.dispatch(Search { table: &self.table, text, from, block, strides });
            for (stride, _) in strides.iter().enumerate().filter(|(_, may)| **may) {
                let at = MARGIN + stride * STRIDE;
                let places = block.get(at).map(|bytes| self.table.places(bytes));
                places.into_iter().flatten().for_each(|place| {
                    self.candidates(run, block, (from, at + place));
                });
            }
        }
    }

    /// Tries the patterns whose windows stand at a place of a block.
    fn candidates(&self, run: &mut Run<'_>, block: &Block, (from, at): (usize, usize)) {
        let Some(bytes) = block.get(at) else { return };
        for window in self.table.get(*bytes) {
            let start = at + 1 - window.offset;
            let is_prefix = block.get(start).is_some_and(|it| window.is_prefix(*it));
            if let Some(start) = (from + start).checked_sub(MARGIN).filter(|_| is_prefix) {
                self.decide(run, window.pattern, start + window.place);
            }
        }
    }

    fn stubs(&self, run: &mut Run<'_>) {
        let text = run.text;
        let mut at_each = |at: usize| {
            let Some(bytes) = text[at..].first_chunk::<STUB>() else { return };
            let bytes = bytes.map(fold);
            let first = self.stubs.partition_point(|(stub, _)| *stub < bytes);
            let same = self.stubs[first..].iter().take_while(|(stub, _)| *stub == bytes);
            same.for_each(|(_, pattern)| self.decide(run, *pattern, at));
        };
        match self.firsts[..] {
            [a] => memchr::memchr_iter(a, text).for_each(&mut at_each),
            [a, b] => memchr::memchr2_iter(a, b, text).for_each(&mut at_each),
            [a, b, c] => memchr::memchr3_iter(a, b, c, text).for_each(&mut at_each),
            _ => {}
        }
    }

    fn decide(&self, run: &mut Run<'_>, pattern: usize, place: usize) {
        let is_tried = run.found[pattern] || run.tried[pattern] == Some(place);
        if is_tried || (self.at_border[pattern] && !is_border(run.text, place)) {
            return;
        }
        run.tried[pattern] = Some(place);
        run.found[pattern] = self.automata.matches(&mut run.caches, (pattern, place), run.text);
    }
}

/// Whether one of the bytes on both sides belongs to a word, and the other one does not.
fn is_border(text: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    before.is_some_and(is_word) != text.get(at).is_some_and(is_word)
}
