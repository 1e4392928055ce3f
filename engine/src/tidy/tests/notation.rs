//! Traced text written as a string.
//!
//! `{value}` is a value, `{}` a tag that printed nothing, `[text]` a section's own template text, `|` a hinge and
//! `!` a boundary; all else is template text.

use std::sync::Arc;

use crate::diagnostic::{Origin, SourceText};
use crate::trace::{CacheClass, Mark, MarkKind, Piece, PieceKind, Source, Traced};

/// The source index of the base template, and of a section.
pub(super) const BASE: u32 = 0;
const SECTION: u32 = 1;

/// Collects pieces and marks.
#[derive(Default)]
pub(super) struct Writer {
    traced: Traced,
}

impl Writer {
    pub(super) fn piece(&mut self, kind: PieceKind, source: u32, text: &str) {
        let at = self.traced.text.len() as u32;
        self.traced.text.push_str(text);
        let end = self.traced.text.len() as u32;
        self.traced.pieces.push(Piece { end, kind, class: CacheClass::Static, source, at });
    }

    pub(super) fn mark(&mut self, kind: MarkKind) {
        let at = self.traced.text.len() as u32;
        let class = CacheClass::Session;
        self.traced.marks.push(Mark { kind, at, class, source: BASE, site: 0, cause: 0 });
    }

    pub(super) fn finish(mut self) -> Traced {
        let text = SourceText::new(self.traced.text.as_str(), Origin::Engine);
        let section = Some(Arc::from("rules"));
        self.traced.sources = vec![Source::new(text.clone()), Arc::new(Source { text, section })];
        self.traced
    }
}

/// Reads the notation.
pub(super) fn read(notation: &str) -> Traced {
    let mut writer = Writer::default();
    let mut rest = notation;
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        rest = match first {
            '{' => enclosed(&mut writer, PieceKind::Value, BASE, behind, '}'),
            '[' => enclosed(&mut writer, PieceKind::Template, SECTION, behind, ']'),
            '|' | '!' => {
                writer.mark(if first == '|' { MarkKind::Hinge } else { MarkKind::Boundary });
                behind
            }
            _ => {
                let end = rest.find(['{', '[', '|', '!']).unwrap_or(rest.len());
                writer.piece(PieceKind::Template, BASE, &rest[..end]);
                &rest[end..]
            }
        };
    }
    writer.finish()
}

fn enclosed<'n>(
    writer: &mut Writer,
    kind: PieceKind,
    source: u32,
    behind: &'n str,
    close: char,
) -> &'n str {
    let (text, rest) = behind.split_once(close).unwrap();
    writer.piece(kind, source, text);
    rest
}

/// The text with its marks in it.
pub(super) fn write(traced: &Traced) -> String {
    let mut text = traced.text.clone();
    let mut marks: Vec<_> = traced.marks.iter().collect();
    marks.sort_by_key(|mark| mark.at);
    for mark in marks.iter().rev() {
        text.insert(mark.at as usize, if mark.kind == MarkKind::Hinge { '|' } else { '!' });
    }
    text
}
