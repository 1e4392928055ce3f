//! Cuts the source of a template into text and tags.
//!
//! In: a source. Out: [`Token`]s with exact byte ranges, in order, and the mistake that ended the pass, if one did.
//! Never: reads more of a tag than finds its end; never nests, so depth is counted before anything is parsed.

use memchr::memmem;

use super::error::Mistake;
use super::literal::{end_of_literal, end_of_string};
use super::token::{Kind, MAX_NESTING, MAX_TAG_BYTES, Span, Tag, Token, is_blank};
use crate::diagnostic::Code;

/// The tokens of `source`; with a mistake they end before it.
pub(super) fn scan(source: &str) -> (Vec<Token>, Option<Mistake>) {
    let mut scanner = Scanner {
        source,
        bytes: source.as_bytes(),
        tokens: Vec::new(),
        depth: 0,
        dashes_end: source.len(),
    };
    let mistake = scanner.run().err();
    (scanner.tokens, mistake)
}

/// How a tag ends: `}}`, `}}}` with blanks and `~` between, `}}}}`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    Double,
    Triple,
    Raw,
}

/// One pass over a source.
struct Scanner<'s> {
    source: &'s str,
    bytes: &'s [u8],
    tokens: Vec<Token>,
    depth: usize,
    /// No `--}}` stands from here on; keeps many unclosed `{{!--` from being searched to the end each.
    dashes_end: usize,
}

impl Scanner<'_> {
    /// Text, tag, text, tag. Of the backslashes before a tag, one alone makes it text, several lose one.
    fn run(&mut self) -> Result<(), Mistake> {
        let (mut text, mut at) = (0, 0);
        while let Some(open) = self.braces(at) {
            match self.backslashes(text, open) {
                1 => {
                    self.text(text, open - 1);
                    (text, at) = (open, self.behind_escape(open));
                    continue;
                }
                0 => self.text(text, open),
                slashes => {
                    self.text(text, open - slashes);
                    self.text(open - slashes + 1, open);
                }
            }
            at = self.tag(open)?;
            text = at;
        }
        self.text(text, self.bytes.len());
        Ok(())
    }

    /// The next two braces.
    fn braces(&self, from: usize) -> Option<usize> {
        memmem::find(&self.bytes[from..], b"{{").map(|found| from + found)
    }

    /// How many backslashes stand before `open`, not going back over `from`.
    fn backslashes(&self, from: usize, open: usize) -> usize {
        self.bytes[from..open].iter().rev().take_while(|&&byte| byte == b'\\').count()
    }

    /// An escape takes two braces, and two more if they follow.
    fn behind_escape(&self, open: usize) -> usize {
        open + if self.bytes[open..].starts_with(b"{{{{") { 4 } else { 2 }
    }

    fn text(&mut self, start: usize, end: usize) {
        if start < end {
            self.tokens.push(Token::Text(Span::new(start, end)));
        }
    }

    /// Pushes the tag that begins at `open`, of a raw block also its body and its end; gives the position behind.
    fn tag(&mut self, open: usize) -> Result<usize, Mistake> {
        let tag = if self.bytes[open..].starts_with(b"{{{{") {
            self.raw_tag(open, Kind::RawOpen)?
        } else if self.bytes[open..].starts_with(b"{{!") {
            self.comment(open)?
        } else {
            self.plain_tag(open)?
        };
        self.count(&tag)?;
        self.tokens.push(Token::Tag(tag));
        let end = tag.span.end as usize;
        if tag.kind == Kind::RawOpen { self.raw_body(open, end) } else { Ok(end) }
    }

    /// Counts how deep blocks nest.
    fn count(&mut self, tag: &Tag) -> Result<(), Mistake> {
        match tag.kind {
            Kind::Open | Kind::DecoratorBlock | Kind::PartialBlock => self.depth += 1,
            Kind::Close => self.depth = self.depth.saturating_sub(1),
            Kind::Value | Kind::RawOpen | Kind::Else | Kind::ElseIf | Kind::RawClose => {}
            Kind::Partial | Kind::Comment | Kind::Decorator | Kind::ElseName => {}
        }
        if self.depth > MAX_NESTING {
            return Err(too_deep("blocks nest", tag.span));
        }
        Ok(())
    }

    /// With `--` it ends at `--}}`, if there is one; else at `}}`.
    fn comment(&mut self, open: usize) -> Result<Tag, Mistake> {
        let inner = self.skip_blanks(open + 3);
        let long = self.bytes[inner..].starts_with(b"--").then(|| self.dashes(inner + 2)).flatten();
        let end = match long {
            Some(end) => end,
            None => memmem::find(&self.bytes[open + 3..], b"}}")
                .map(|found| open + 3 + found + 2)
                .ok_or_else(|| unclosed(open))?,
        };
        let (span, body) = (Span::new(open, end), Span::new(open, open));
        Ok(Tag { span, body, kind: Kind::Comment, trim_before: false, trim_after: false })
    }

    /// The position behind the next `--}}`.
    fn dashes(&mut self, from: usize) -> Option<usize> {
        let found = memmem::find(self.bytes.get(from..self.dashes_end)?, b"--}}");
        if found.is_none() {
            self.dashes_end = from;
        }
        found.map(|found| from + found + 4)
    }

    /// A tag of two or three braces.
    fn plain_tag(&self, open: usize) -> Result<Tag, Mistake> {
        let mut at = self.skip_blanks(open + 2);
        let mut trim_before = self.eat_tilde(&mut at);
        let (kind, sigil) = match self.bytes.get(at) {
            Some(b'#') => match self.bytes.get(self.skip_blanks(at + 1)) {
                Some(b'*') => (Kind::DecoratorBlock, self.skip_blanks(at + 1) + 1 - at),
                Some(b'>') => (Kind::PartialBlock, self.skip_blanks(at + 1) + 1 - at),
                _ => (Kind::Open, 1),
            },
            Some(b'/') => (Kind::Close, 1),
            Some(b'>') => (Kind::Partial, 1),
            Some(b'*') => (Kind::Decorator, 1),
            Some(b'^') => (Kind::Else, 1),
            Some(b'&' | b'{') => (Kind::Value, 1),
            _ => (Kind::Value, 0),
        };
        let bare = sigil == 0;
        let close = if self.bytes.get(at) == Some(&b'{') { Close::Triple } else { Close::Double };
        at += sigil;
        if close == Close::Triple {
            at = self.skip_blanks(at);
            trim_before |= self.eat_tilde(&mut at);
        }
        let (inner, end, trim_after) = self.end_of_tag(open, at, close)?;
        let (span, mut body) = (Span::new(open, end), self.trimmed(inner));
        let kind = self.with_else(kind, bare, &mut body);
        Ok(Tag { span, body, kind, trim_before, trim_after })
    }

    /// Tells `{{else}}`, `{{else if x}}`, `{{^}}` and `{{^if x}}` from values.
    fn with_else(&self, kind: Kind, bare: bool, body: &mut Span) -> Kind {
        let text = body.of(self.source);
        let rest = match kind {
            Kind::Else => text,
            Kind::Value => match text.strip_prefix("else") {
                Some(rest) if bare && rest.bytes().next().is_none_or(is_blank) => rest,
                Some(_) => return Kind::ElseName,
                None => return kind,
            },
            _ => return kind,
        };
        *body = self.trimmed(Span::new(body.end as usize - rest.len(), body.end as usize));
        if body.is_empty() { Kind::Else } else { Kind::ElseIf }
    }

    /// A tag of four braces.
    fn raw_tag(&self, open: usize, kind: Kind) -> Result<Tag, Mistake> {
        let mut at = self.skip_blanks(open + 4);
        let trim_before = self.eat_tilde(&mut at);
        if kind == Kind::RawClose {
            if self.bytes.get(at) != Some(&b'/') {
                let span = Span::new(open, (open + 4).min(self.bytes.len()));
                let mistake =
                    Mistake::syntax("four braces in a raw block that do not end it", span);
                return Err(mistake.help("write `\\{{{{` where four braces are meant as text"));
            }
            at += 1;
        }
        let (inner, end, trim_after) = self.end_of_tag(open, at, Close::Raw)?;
        let (span, body) = (Span::new(open, end), self.trimmed(inner));
        Ok(Tag { span, body, kind, trim_before, trim_after })
    }

    /// Pushes the text of a raw block and the tag that ends it.
    fn raw_body(&mut self, open: usize, from: usize) -> Result<usize, Mistake> {
        let (mut text, mut at) = (from, from);
        while let Some(braces) = self.braces(at) {
            let slashes = self.backslashes(text, braces);
            if slashes > 0 {
                self.text(text, braces - slashes);
                text = braces - slashes + 1;
            }
            if slashes == 1 {
                at = self.behind_escape(braces);
            } else if self.bytes[braces..].starts_with(b"{{{{") {
                self.text(text, braces);
                let tag = self.raw_tag(braces, Kind::RawClose)?;
                self.tokens.push(Token::Tag(tag));
                return Ok(tag.span.end as usize);
            } else {
                at = braces + 1;
            }
        }
        Err(Mistake::syntax("the raw block is not closed", Span::new(open, from)))
    }

    /// What stands in the tag that was opened at `open`, the position behind it, and whether a `~` ends it.
    fn end_of_tag(
        &self,
        open: usize,
        from: usize,
        close: Close,
    ) -> Result<(Span, usize, bool), Mistake> {
        let brace = self.closing_brace(open, from)?;
        let mut end = brace + 2;
        let mut inner = self.trimmed(Span::new(from, brace));
        let mut tilde = inner.of(self.source).ends_with('~');
        if tilde {
            inner.end -= 1;
        }
        if close == Close::Triple {
            end = self.skip_blanks(brace + 1);
            tilde |= self.eat_tilde(&mut end);
            end += 2;
        }
        let braces: &[u8] = if close == Close::Raw { b"}}}}" } else { b"}}" };
        let start = end - 2;
        if !self.bytes.get(start..).is_some_and(|rest| rest.starts_with(braces)) {
            let what = match close {
                Close::Double => "`}}`",
                Close::Triple => "`}}}`",
                Close::Raw => "`}}}}`",
            };
            let span = Span::new(open, brace + 1);
            return Err(Mistake::syntax(format!("the tag does not end with {what}"), span));
        }
        Ok((inner, start + braces.len(), tilde))
    }

    /// The first `}` that stands in no literal and no bracketed name.
    fn closing_brace(&self, open: usize, from: usize) -> Result<usize, Mistake> {
        let bytes = &self.bytes[..self.bytes.len().min(open + MAX_TAG_BYTES)];
        let deep = |_| too_deep("brackets in a tag nest", Span::new(open, open + 2));
        let (mut at, mut parentheses) = (from, 0_usize);
        while let Some(&byte) = bytes.get(at) {
            let end = match byte {
                b'}' => return Ok(at),
                b'"' | b'\'' => end_of_string(bytes, at),
                b'[' => end_of_literal(bytes, at)
                    .map_err(deep)?
                    .or_else(|| memchr::memchr(b']', &bytes[at..]).map(|found| at + found + 1)),
                b'{' => match end_of_literal(bytes, at).map_err(deep)? {
                    None => return Err(unclosed(open)),
                    end => end,
                },
                b'(' => {
                    parentheses += 1;
                    Some(at + 1)
                }
                b')' => {
                    parentheses = parentheses.saturating_sub(1);
                    Some(at + 1)
                }
                _ => Some(at + 1),
            };
            if parentheses > MAX_NESTING {
                return Err(too_deep("parentheses in a tag nest", Span::new(open, open + 2)));
            }
            at = end.unwrap_or(bytes.len());
        }
        if bytes.len() == self.bytes.len() { Err(unclosed(open)) } else { Err(too_long(open)) }
    }

    fn skip_blanks(&self, at: usize) -> usize {
        at + self.bytes[at..].iter().take_while(|&&byte| is_blank(byte)).count()
    }

    /// Goes over a `~` and blanks behind it.
    fn eat_tilde(&self, at: &mut usize) -> bool {
        let tilde = self.bytes.get(*at) == Some(&b'~');
        if tilde {
            *at = self.skip_blanks(*at + 1);
        }
        tilde
    }

    /// Without blanks at both ends.
    fn trimmed(&self, span: Span) -> Span {
        let range = span.range();
        let start = range.start
            + self.bytes[range.clone()].iter().take_while(|&&byte| is_blank(byte)).count();
        let end = range.end
            - self.bytes[start..range.end].iter().rev().take_while(|&&byte| is_blank(byte)).count();
        Span::new(start, end)
    }
}

fn unclosed(open: usize) -> Mistake {
    Mistake::syntax("the tag is not closed", Span::new(open, open + 2))
        .help("close it with `}}`; write `\\{{` where two braces are meant as text")
}

fn too_long(open: usize) -> Mistake {
    let message = format!("the tag does not end within {} KiB", MAX_TAG_BYTES / 1024);
    Mistake::new(Code::TemplateLimit, message, Span::new(open, open + 2))
}

fn too_deep(what: &str, span: Span) -> Mistake {
    Mistake::new(Code::TemplateLimit, format!("{what} deeper than {MAX_NESTING}"), span)
}
