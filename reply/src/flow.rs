//! Follows a text as it grows: where it begins once its first characters are cut off, how far it is certain.
//!
//! In: the buffer, up to where it is decided. Out: the part to show. Never: looks at a byte twice.

use crate::buffer::Span;
use crate::space;

/// What is cut off at both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trim {
    /// All white space.
    #[default]
    Space,
    /// One line end.
    Line,
    Nothing,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    trim: Trim,
    begin: usize,
    begun: bool,
    /// The end of the last character that stays.
    solid: usize,
    looked: usize,
}

impl Flow {
    pub(crate) fn new(trim: Trim, from: usize) -> Self {
        Self { trim, begin: from, begun: false, solid: from, looked: from }
    }

    /// How far it has been looked at.
    pub(crate) fn looked(&self) -> usize {
        self.looked
    }

    /// What is certain once everything before `to` belongs to it.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: &[u8], to: usize) -> Span {
        if to > self.looked {
            let last = bytes[to - 1];
            if self.begun && matches!(last, b'!'..=b'~') {
                (self.looked, self.solid) = (to, to);
            } else {
                self.look(bytes, to);
            }
        }
        self.span()
    }

    /// What is certain of what has been looked at.
    #[inline]
    pub(crate) fn span(&self) -> Span {
        Span { start: self.begin, end: self.solid.max(self.begin) }
    }

    #[inline(never)]
    fn look(&mut self, bytes: &[u8], to: usize) {
        match self.trim {
            Trim::Space => self.by_space(bytes, to),
            Trim::Line => self.by_line(bytes, to),
            Trim::Nothing => (self.solid, self.looked) = (to, to),
        }
    }

    fn by_space(&mut self, bytes: &[u8], to: usize) {
        let from = self.looked;
        self.looked = to;
        if !self.begun {
            self.begin = space::skip(&bytes[..to], from);
            self.solid = self.begin;
            self.begun = self.begin < to;
            if !self.begun {
                return;
            }
        }
        let solid = space::trim_end(bytes, from.max(self.begin), to);
        if solid > from.max(self.begin) {
            self.solid = solid;
        }
    }

    fn by_line(&mut self, bytes: &[u8], to: usize) {
        if !self.begun {
            match bytes[self.begin..to] {
                [] | [b'\r'] => return,
                [b'\r', b'\n', ..] => self.begin += 2,
                [b'\n', ..] => self.begin += 1,
                _ => {}
            }
            self.begun = true;
        }
        self.looked = to;
        self.solid = match bytes[self.begin.min(to)..to] {
            [.., b'\r', b'\n'] => to - 2,
            [.., b'\n' | b'\r'] => to - 1,
            _ => to,
        };
    }

    /// As [`Flow::advance`] for an ASCII chunk that ends at `to` and follows what was looked at; none if it takes more
    /// than a look at the chunk's end.
    #[inline]
    pub(crate) fn extend(&mut self, chunk: &[u8], to: usize) -> Option<usize> {
        let cut = match (self.trim, chunk) {
            (_, [.., b'!'..=b'~']) | (Trim::Line, [.., b' ']) => 0,
            // Most other pieces end behind a word.
            (Trim::Space, [.., b'!'..=b'~', b' ' | b'\n']) => 1,
            _ => self.cut(chunk)?,
        };
        if !self.begun {
            return None;
        }
        (self.looked, self.solid) = (to, to - cut);
        Some(to - cut)
    }

    /// The same for a chunk of white space behind a text that has begun: nothing is told of it. False if it is another.
    pub(crate) fn rest(&mut self, chunk: &[u8], to: usize) -> bool {
        let blank = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
        let rests = self.begun && self.trim == Trim::Space && chunk.iter().all(blank);
        if rests {
            self.looked = to;
        }
        rests
    }

    #[inline(never)]
    fn cut(&self, chunk: &[u8]) -> Option<usize> {
        let cut = match (self.trim, chunk) {
            (Trim::Space, _) => {
                chunk.iter().rev().take_while(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).count()
            }
            (Trim::Line, [.., b'\r', b'\n']) => 2,
            (Trim::Line, [.., b'\n' | b'\r']) => 1,
            (Trim::Line | Trim::Nothing, _) => 0,
        };
        let starts_line = self.trim == Trim::Line && matches!(chunk, [b'\n' | b'\r']);
        (cut < chunk.len() && !starts_line).then_some(cut)
    }

    /// What is left when it ends at `to`: a lone carriage return is no line end.
    pub(crate) fn finish(&mut self, bytes: &[u8], to: usize) -> Span {
        let span = self.advance(bytes, to);
        match self.trim {
            Trim::Line if bytes[span.start.min(to)..to].ends_with(b"\r") => {
                Span::new(span.start, to)
            }
            Trim::Space | Trim::Line | Trim::Nothing => span,
        }
    }
}
