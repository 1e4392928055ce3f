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
            match self.trim {
                Trim::Space => self.by_space(bytes, to),
                Trim::Line => self.by_line(bytes, to),
                Trim::Nothing => (self.solid, self.looked) = (to, to),
            }
        }
        Span { start: self.begin, end: self.solid.max(self.begin) }
    }

    #[inline]
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
        if !self.begun {
            return None;
        }
        let cut = match self.trim {
            Trim::Space => {
                chunk.iter().rev().take_while(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).count()
            }
            Trim::Line => match chunk {
                [.., b'\r', b'\n'] => 2,
                [_, .., b'\n' | b'\r'] => 1,
                [b'\n' | b'\r'] => return None,
                _ => 0,
            },
            Trim::Nothing => 0,
        };
        if cut == chunk.len() {
            return None;
        }
        (self.looked, self.solid) = (to, to - cut);
        Some(to - cut)
    }

    /// As far as another that follows the same text, and is ahead.
    #[inline]
    pub(crate) fn follow(&mut self, to: usize, solid: usize) {
        (self.looked, self.solid) = (to, solid);
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
