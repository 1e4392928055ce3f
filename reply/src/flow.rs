//! Follows a text as it grows: where it begins once its first characters are cut off, how far it is certain.
//!
//! In: the buffer, up to where it is decided. Out: the part to show. Never: looks at a byte twice.

use crate::buffer::Span;
use crate::space;

/// What is cut off at both ends; the numbers are those in [`CUT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trim {
    Nothing = 0,
    /// All white space.
    #[default]
    Space = 1,
    /// One line end.
    Line = 2,
}

/// Which bytes each of them cuts off, a bit for each.
const CUT: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let space = matches!(byte as u8, b'\t'..=b'\r' | b' ') as u8;
        let line = matches!(byte as u8, b'\n' | b'\r') as u8;
        table[byte] = (space * Trim::Space as u8) | (line * Trim::Line as u8);
        byte += 1;
    }
    table
};

impl Trim {
    #[inline]
    fn cuts(self, byte: u8) -> bool {
        CUT[usize::from(byte)] & self as u8 != 0
    }

    /// How much is cut off at the end of a piece of ASCII, as far as it has come, of a text that has begun before; none
    /// if that takes more than a look at two bytes.
    #[inline]
    pub(crate) fn cut_short(self, piece: &[u8]) -> Option<usize> {
        // Without a jump: how a piece ends cannot be foretold.
        match *piece {
            [.., before, last] if !(self.cuts(before) & self.cuts(last)) => {
                Some(usize::from(self.cuts(last)))
            }
            _ => None,
        }
    }

    /// The same; none if it depends on what stands before the piece.
    pub(crate) fn cut(self, piece: &[u8]) -> Option<usize> {
        let is_space = |byte: &&u8| Self::Space.cuts(**byte);
        match (self, piece) {
            (Self::Space, _) => Some(piece.iter().rev().take_while(is_space).count()),
            (Self::Line, [_, .., b'\r', b'\n']) => Some(2),
            (Self::Line, [b'\r', b'\n'] | [b'\n' | b'\r'] | []) => None,
            (Self::Line, [.., b'\n' | b'\r']) => Some(1),
            (Self::Line | Self::Nothing, _) => Some(0),
        }
    }
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

    /// As [`Flow::advance`] for a piece of ASCII that ends at `to` and follows what was looked at; none if it takes more
    /// than a look at the piece's end.
    #[inline]
    pub(crate) fn extend(&mut self, piece: &[u8], to: usize) -> Option<usize> {
        let cut = self.trim.cut(piece).filter(|cut| self.begun && *cut < piece.len())?;
        self.grown(to - cut, to);
        Some(to - cut)
    }

    /// Somebody else has looked at what stands before `looked`.
    #[inline]
    pub(crate) fn grown(&mut self, solid: usize, looked: usize) {
        (self.solid, self.looked) = (solid, looked);
    }

    /// Whether it has a character.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
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
