//! Tells which patterns match in a text, at nearly the speed of memory.
//!
//! In: patterns, then texts. Out: the patterns that match. Never: passes over a match.
//!
//! At the place that is chosen for a [`Branch`] of a pattern one of finitely many prefixes begins or ends. Of each of
//! them four bytes are looked for, at even places of a text: the window that is chosen, or the one a byte behind it,
//! stands at one. Where one is found, the automata of what stands before the place and behind it decide.

use pulp::{Arch, Simd, WithSimd};

use crate::automata::{Automata, Caches, Halves};
use crate::branch::Branch;
use crate::fold::{BLOCK, Block, MARGIN, fold};
use crate::prefixes::STUB;
use crate::window::{Table, Window, ones};

/// So many bytes are looked at in one go.
const STRIDE: usize = 16;
/// So many strides are marked in one number.
const SOME: usize = 64;
/// By stride of a block, whether a window may stand in it.
type Strides = [u64; BLOCK / STRIDE / SOME];
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
    branches: Vec<Known>,
    /// By pattern, whether it cannot be sieved.
    coarse: Vec<bool>,
}

/// What is known of a branch.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The number of its pattern.
    pattern: usize,
    /// Whether its place is always at the border of a word.
    at_border: bool,
}

/// A sieve that is not yet complete.
#[derive(Default)]
struct Draft {
    halves: Vec<Halves>,
    windows: Vec<Window>,
    firsts: Vec<u8>,
    stubs: Vec<([u8; STUB], usize)>,
    branches: Vec<Known>,
    coarse: Vec<bool>,
}

impl Draft {
    fn add(&mut self, branch: Branch, pattern: usize) {
        let Branch { halves, prefixes } = branch;
        let number = self.branches.len();
        self.windows.extend(Window::of(&prefixes, number));
        let rare = prefixes.stubs.iter().filter(|it| !it[0].is_ascii_alphanumeric());
        self.stubs.extend(rare.map(|stub| (*stub, number)));
        self.branches.push(Known { pattern, at_border: prefixes.at_border });
        self.halves.push(halves);
    }

    fn done(self) -> Sieve {
        let Self { halves, windows, firsts, mut stubs, branches, coarse } = self;
        stubs.sort_unstable();
        let (automata, table) = (Automata::new(halves), Table::new(windows));
        Sieve { automata, table, firsts, stubs, branches, coarse }
    }
}

/// What is known of a text while it is looked through.
struct Run<'t> {
    text: &'t [u8],
    found: Vec<bool>,
    /// Where each branch was tried last.
    tried: Vec<Option<usize>>,
    caches: Caches,
}

/// Where a stride begins, from the start of the margin.
fn place(some: usize, stride: usize) -> usize {
    MARGIN + (some * SOME + stride) * STRIDE
}

/// For strides of a block where windows may stand; with the best that the processor has.
struct Search<'s> {
    table: &'s Table,
    text: &'s [u8],
    from: usize,
    block: &'s mut Block,
    strides: &'s mut Strides,
}

impl WithSimd for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.block.fill(self.text, self.from);
        for (some, strides) in self.strides.iter_mut().enumerate() {
            let may = |stride: usize| {
                let bytes = self.block.get(place(some, stride));
                u64::from(bytes.is_some_and(|bytes| self.table.may_hold(bytes)))
            };
            *strides = (0..SOME).fold(0, |strides, stride| strides | may(stride) << stride);
        }
    }
}

impl Sieve {
    /// Patterns by their branches. One without them, or with one that begins with too many different signs, counts as
    /// one that matches in every text.
    pub(crate) fn new(patterns: Vec<Option<Vec<Branch>>>) -> Self {
        let mut sieve = Draft::default();
        for (number, pattern) in patterns.into_iter().enumerate() {
            let signs = |known: Vec<u8>, branch: &Branch| branch.signs(&known);
            let firsts = sieve.firsts.clone();
            let fit = pattern.map(|it| (it.iter().fold(firsts, signs), it));
            let fit = fit.filter(|(signs, _)| signs.len() <= MAX_FIRSTS);
            sieve.coarse.push(fit.is_none());
            let Some((signs, branches)) = fit else { continue };
            sieve.firsts = signs;
            branches.into_iter().for_each(|branch| sieve.add(branch, number));
        }
        sieve.done()
    }

    /// By pattern, whether it may match in a text: it does, unless it is one that cannot be sieved.
    pub(crate) fn matching(&self, text: &[u8]) -> Vec<bool> {
        let mut run = Run {
            text,
            found: self.coarse.clone(),
            tried: vec![None; self.branches.len()],
            caches: self.automata.caches(),
        };
        self.stubs(&mut run);
        self.windows(&mut run);
        self.automata.give_back(run.caches);
        run.found
    }

    fn windows(&self, run: &mut Run<'_>) {
        let (arch, mut block, mut strides) = (Arch::new(), Block::new(), Strides::default());
        for from in (0..run.text.len()).step_by(BLOCK) {
            let (text, block, strides) = (run.text, &mut block, &mut strides);
            arch.dispatch(Search { table: &self.table, text, from, block, strides });
            for (some, strides) in strides.iter().enumerate() {
                for at in ones(*strides).map(|stride| place(some, stride)) {
                    let places = block.get(at).map(|bytes| self.table.places(bytes));
                    places.into_iter().flatten().for_each(|place| {
                        self.candidates(run, block, (from, at + place));
                    });
                }
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
                self.decide(run, window.branch, start + window.place);
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
            same.for_each(|(_, branch)| self.decide(run, *branch, at));
        };
        match self.firsts[..] {
            [a] => memchr::memchr_iter(a, text).for_each(&mut at_each),
            [a, b] => memchr::memchr2_iter(a, b, text).for_each(&mut at_each),
            [a, b, c] => memchr::memchr3_iter(a, b, c, text).for_each(&mut at_each),
            _ => {}
        }
    }

    fn decide(&self, run: &mut Run<'_>, number: usize, place: usize) {
        let Known { pattern, at_border } = self.branches[number];
        let is_tried = run.found[pattern] || run.tried[number] == Some(place);
        if is_tried || (at_border && !is_border(run.text, place)) {
            return;
        }
        run.tried[number] = Some(place);
        run.found[pattern] = self.automata.matches(&mut run.caches, (number, place), run.text);
    }
}

/// Whether one of the bytes on both sides belongs to a word, and the other one does not.
fn is_border(text: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    before.is_some_and(is_word) != text.get(at).is_some_and(is_word)
}
