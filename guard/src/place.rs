//! Tells code and quotations from prose.
//!
//! In: a text, findings in order. Out: the place of each. Never: more than one pass over the text.

use crate::{Finding, Place};

/// Pairs of quotation marks; the straight ones close themselves.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('「', '」')];
/// A code span or a quotation that is longer is taken as prose.
const MAX_SPAN_BYTES: usize = 2000;

/// Says of each finding where it stands; a finding stands where it begins.
pub(crate) fn locate(text: &str, findings: &mut [Finding]) {
    let (mut at, mut next, mut fence) = (0, 0, None::<(char, usize)>);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let mark = fence_mark(line);
        let inside = fence.is_some();
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(open), Some(close)) if close.0 == open.0 && close.1 >= open.1 => None,
            (open, _) => open,
        };
        let mut seen = Line::new(line);
        while let Some(finding) = findings.get_mut(next).filter(|it| it.range.start < end) {
            finding.place = match inside {
                true => Place::Code,
                false => seen.place(finding.range.start.saturating_sub(at)),
            };
            next += 1;
        }
        at = end;
    }
}

/// The mark of a code fence and how long it is.
fn fence_mark(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|it| *it == mark).count();
    (length >= 3).then_some((mark, length))
}

/// A line, which is read once for all findings in it.
struct Line<'l> {
    line: &'l str,
    /// What it is as a whole.
    whole: Place,
    /// How far it was read.
    read: usize,
    ticks: Marks,
    /// In the order of [`QUOTES`].
    quotes: [Marks; QUOTES.len()],
}

/// What is known of a pair of marks.
struct Marks {
    open: char,
    close: char,
    /// Whether what was read ends within a pair, if that is closed at all.
    is_open: bool,
    /// The next mark that closes; none is known before the first question.
    next: Next,
}

#[derive(Clone, Copy)]
enum Next {
    Unknown,
    At(usize),
    Never,
}

impl Marks {
    fn new((open, close): (char, char)) -> Self {
        Self { open, close, is_open: false, next: Next::Unknown }
    }

    fn read(&mut self, sign: char) {
        if sign == self.open && self.open == self.close {
            self.is_open = !self.is_open;
        } else if sign == self.open || sign == self.close {
            self.is_open = sign == self.open;
        }
    }

    /// Whether a place behind what was read is within a pair.
    fn hold(&mut self, line: &str, at: usize) -> bool {
        if !self.is_open {
            return false;
        }
        let known = match self.next {
            Next::At(next) => next >= at,
            Next::Never => true,
            Next::Unknown => false,
        };
        if !known {
            let found = line.get(at..).and_then(|rest| rest.find(self.close));
            self.next = found.map_or(Next::Never, |found| Next::At(at + found));
        }
        matches!(self.next, Next::At(next) if next - at <= MAX_SPAN_BYTES)
    }
}

impl<'l> Line<'l> {
    fn new(line: &'l str) -> Self {
        let whole = match line {
            _ if line.starts_with("    ") || line.starts_with('\t') => Place::Code,
            _ if line.trim_start().starts_with('>') => Place::Quote,
            _ => Place::Prose,
        };
        let (ticks, quotes) = (Marks::new(('`', '`')), QUOTES.map(Marks::new));
        Self { line, whole, read: 0, ticks, quotes }
    }

    /// The place of a byte; bytes are asked for in order.
    fn place(&mut self, at: usize) -> Place {
        if self.whole != Place::Prose {
            return self.whole;
        }
        let between = self.line.get(self.read..at).unwrap_or_default();
        for sign in between.chars() {
            self.ticks.read(sign);
            self.quotes.iter_mut().for_each(|marks| marks.read(sign));
        }
        self.read = at.max(self.read);
        if self.ticks.hold(self.line, at) {
            return Place::Code;
        }
        match self.quotes.iter_mut().any(|marks| marks.hold(self.line, at)) {
            true => Place::Quote,
            false => Place::Prose,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same in as many passes as there are questions.
    fn plainly(line: &str, at: usize) -> Place {
        let (before, after) = line.split_at(at);
        let closes = |mark| after.find(mark).is_some_and(|to| to <= MAX_SPAN_BYTES);
        let quoted = |(open, close): (char, char)| {
            let opened = match open == close {
                true => before.matches(open).count() % 2 == 1,
                false => before.rfind(open) > before.rfind(close),
            };
            opened && closes(close)
        };
        match before.matches('`').count() % 2 == 1 && closes('`') {
            true => Place::Code,
            false if QUOTES.into_iter().any(quoted) => Place::Quote,
            false => Place::Prose,
        }
    }

    proptest! {
        #[test]
        fn one_pass_is_enough(parts in prop::collection::vec("[a`\"“”«»„「」é]{1,3}|b{1990,2001}", 0..12)) {
            let line = format!("x{}", parts.concat());
            let mut seen = Line::new(&line);
            for (at, _) in line.char_indices() {
                prop_assert_eq!(seen.place(at), plainly(&line, at), "{} at {}", line, at);
            }
        }
    }
}
