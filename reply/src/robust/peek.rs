//! Looks ahead: what stands at a place, and what follows it.
//!
//! In: the bytes so far, whether more will come. Out: an answer, or that it depends on what has not come.
//! Never: changes anything but what it remembers of white space it has skipped.

use super::Choice;
use crate::buffer::Span;
use crate::dialect::{Body, Data, Format, Grammar, Role, Style, Tags};
use crate::pattern::{Found, Known, Look, NameTag, Pattern};
use crate::space;
use crate::specs::Specs;

/// Runs of white space that were skipped: from where to where. Those that are waited in are few.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gaps([Span; 2]);

#[derive(Debug)]
pub(crate) struct Peek<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) ended: Ended,
    pub(crate) grammar: &'a Grammar,
    pub(crate) specs: &'a Specs,
    pub(crate) gaps: &'a mut Gaps,
}

/// Whether more bytes may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    No,
    Yes,
}

/// Where a call begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallStart {
    pub(crate) format: usize,
    /// None: the name comes later.
    pub(crate) tool: Option<usize>,
    /// Behind its opener.
    pub(crate) body: usize,
    pub(crate) id: Span,
    /// A wrapper is around it.
    pub(crate) wrapped: Choice,
}

/// A tag within a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Param(Found),
    ParamEnd(Found),
    CallEnd(Found),
    /// The closer of a wrapper, with the call still open.
    OuterEnd(Found),
    Ignored(Found),
}

/// Runs of white space that are shorter are skipped again rather than remembered.
const SHORT_GAP: usize = 8;

impl Gaps {
    /// The end of the white space from `from` on.
    fn skip(&mut self, bytes: &[u8], from: usize) -> usize {
        let near = &bytes[from..bytes.len().min(from + SHORT_GAP)];
        if let Some(length) = near.iter().position(|byte| !matches!(byte, b' ' | b'\n'))
            && near[length].is_ascii_graphic()
        {
            return from + length;
        }
        let known = self.0.iter().position(|gap| gap.start == from && gap.end > from);
        let start = known.map_or(from, |at| self.0[at].end.min(bytes.len()));
        let end = space::skip(bytes, start);
        let at = known.unwrap_or(usize::from(self.0[0].start > self.0[1].start));
        self.0[at] = Span::new(from, end);
        end
    }
}

impl Peek<'_> {
    /// What is unknown at the end of the stream is not there.
    fn settle<T>(&self, look: Look<T>) -> Look<T> {
        match (look, self.ended) {
            (Look::More, Ended::Yes) => Look::No,
            (look, _) => look,
        }
    }

    /// The next place that is not white space; at the end of the stream, the end.
    pub(crate) fn after_space(&mut self, from: usize) -> Look<usize> {
        let to = self.gaps.skip(self.bytes, from);
        if to == self.bytes.len() && self.ended == Ended::No { Look::More } else { Look::Yes(to) }
    }

    #[inline]
    pub(crate) fn one(&self, pattern: &Pattern, at: usize, known: Known<'_>) -> Look<Found> {
        if pattern.differs(self.bytes, at) {
            return Look::No;
        }
        self.settle(pattern.at(self.bytes, at, known))
    }

    /// The first of some patterns that stands there; while one may, those behind it are not asked.
    pub(crate) fn any<'p>(
        &self,
        patterns: impl IntoIterator<Item = &'p Pattern>,
        at: usize,
        known: Known<'_>,
    ) -> Look<Found> {
        for pattern in patterns {
            match self.one(pattern, at, known) {
                Look::No => {}
                look => return look,
            }
        }
        Look::No
    }

    /// What the tag at `at` is within a call; parameters before the call's end.
    pub(crate) fn tag(&self, format: &Format, tags: &Tags, tool: usize, at: usize) -> Look<Tag> {
        let params = &self.specs.tools[tool].params;
        if let Some(decided) = tags.names_only.then(|| self.name_tag(tool, at)).flatten() {
            return decided;
        }
        let known = if tags.any { Known::Any } else { Known::These(&params.names) };
        let name = self.specs.tools[tool].name.as_bytes();
        let own = |found: &Found| found.name.is_empty() || self.name(found) == name;
        let close = match self.any(&format.close, at, Known::Any) {
            Look::Yes(found) if !own(&found) => Look::No,
            look => look,
        };
        close
            .map(Tag::CallEnd)
            .or_else(|| self.any(&tags.open, at, known).map(Tag::Param))
            .or_else(|| self.one(&tags.close, at, known).map(Tag::ParamEnd))
            .or_else(|| self.any(&format.outer, at, Known::Any).map(Tag::OuterEnd))
            .or_else(|| self.any(&tags.ignore, at, Known::Any).map(Tag::Ignored))
    }

    /// The same where all tags are names and nothing else, if this one is without white space.
    #[inline]
    fn name_tag(&self, tool: usize, at: usize) -> Option<Look<Tag>> {
        let tool = &self.specs.tools[tool];
        let tag = NameTag::at(self.bytes, at)?;
        let span = tag.name(at);
        let name = &self.bytes[span.start..span.end];
        let found =
            |number| Found { end: span.end + ">".len(), name: span, number, ..Found::default() };
        Some(match tag {
            NameTag::Open(_) => match tool.params.names.find(name) {
                Some(number) => Look::Yes(Tag::Param(found(Some(number)))),
                None => Look::No,
            },
            NameTag::Close(_) if *name == *tool.name.as_bytes() => {
                Look::Yes(Tag::CallEnd(found(None)))
            }
            NameTag::Close(_) => Look::Yes(Tag::ParamEnd(found(None))),
            NameTag::OpenBegun(_) if !tool.params.names.has_prefix(name) => Look::No,
            NameTag::OpenBegun(_) | NameTag::Begun => self.settle(Look::More),
        })
    }

    /// Behind the closer of the parameter of that name.
    #[inline]
    pub(crate) fn own_end(&self, tags: &Tags, name: &[u8], at: usize) -> Look<usize> {
        if tags.names_only
            && let Some([b'<', b'/', rest @ ..]) = self.bytes.get(at..)
            && let Some([b'>', ..]) = rest.strip_prefix(name)
        {
            return Look::Yes(at + "</>".len() + name.len());
        }
        match self.one(&tags.close, at, Known::Any) {
            Look::Yes(found) if found.name.is_empty() || self.name(&found) == name => {
                Look::Yes(found.end)
            }
            Look::More => Look::More,
            Look::Yes(_) | Look::No => Look::No,
        }
    }

    fn name(&self, found: &Found) -> &[u8] {
        &self.bytes[found.name.start..found.name.end]
    }

    /// A call that begins at `at`, with or without a wrapper around it.
    pub(crate) fn call(&mut self, at: usize) -> Look<CallStart> {
        self.call_within(at, None)
    }

    /// A wrapper opens only what follows it.
    pub(crate) fn wrapped(&mut self, number: usize, wrapper: Found) -> Look<CallStart> {
        match self.after_space(wrapper.end) {
            Look::Yes(at) => self
                .call_within(at, Some(number))
                .map(|start| CallStart { wrapped: Choice::On, ..start }),
            Look::More => Look::More,
            Look::No => Look::No,
        }
    }

    /// Of any dialect, or of one that has the wrapper.
    fn call_within(&mut self, at: usize, wrapper: Option<usize>) -> Look<CallStart> {
        let (grammar, specs) = (self.grammar, self.specs);
        let Some(second) = self.bytes.get(at + 1) else {
            let may = self.bytes.get(at).is_none_or(|lead| grammar.needles.has(*lead));
            return if may && self.ended == Ended::No { Look::More } else { Look::No };
        };
        for number in grammar.at_second(specs, *second) {
            let (role, pattern) = &grammar.tokens[usize::from(*number)];
            let fits = |format: &usize| {
                wrapper.is_none_or(|wrapper| grammar.formats[*format].wrappers.contains(&wrapper))
            };
            let look = match role {
                Role::Call(format) if fits(format) => {
                    match self.one(pattern, at, Known::These(&specs.names)) {
                        Look::Yes(found) => self.opened(*format, found),
                        Look::More => Look::More,
                        Look::No => Look::No,
                    }
                }
                Role::Wrapper(outer) if wrapper.is_none() => {
                    match self.one(pattern, at, Known::Any) {
                        Look::Yes(found) => self.wrapped(*outer, found),
                        Look::More => Look::More,
                        Look::No => Look::No,
                    }
                }
                _ => Look::No,
            };
            match look {
                Look::No => {}
                decided => return decided,
            }
        }
        Look::No
    }

    /// Whether what follows an opener makes it one.
    pub(crate) fn opened(&mut self, number: usize, opener: Found) -> Look<CallStart> {
        let format = &self.grammar.formats[number];
        let at = match self.after_space(opener.end) {
            Look::Yes(at) => at,
            Look::More => return Look::More,
            Look::No => return Look::No,
        };
        let start = CallStart {
            format: number,
            tool: opener.number,
            body: at,
            id: opener.id,
            wrapped: Choice::Off,
        };
        match (&format.body, opener.number) {
            (Body::Tags(tags), Some(tool)) => match self.evidence(format, tags, tool, at) {
                Look::Yes(()) => Look::Yes(CallStart { body: opener.end, ..start }),
                Look::More => Look::More,
                Look::No => Look::No,
            },
            (Body::Tags(_), None) => Look::No,
            (Body::Data(data), _) => self.data_begins(data, start),
        }
    }

    /// A parameter of the tool, or its closer.
    fn evidence(&mut self, format: &Format, tags: &Tags, tool: usize, at: usize) -> Look<()> {
        match self.tag(format, tags, tool, at) {
            Look::Yes(Tag::Param(_) | Tag::CallEnd(_)) => Look::Yes(()),
            Look::Yes(Tag::Ignored(found)) => match self.after_space(found.end) {
                Look::Yes(at) => self.evidence(format, tags, tool, at),
                Look::More => Look::More,
                Look::No => Look::No,
            },
            Look::Yes(Tag::ParamEnd(_) | Tag::OuterEnd(_)) | Look::No => Look::No,
            Look::More => Look::More,
        }
    }

    fn data_begins(&mut self, data: &Data, start: CallStart) -> Look<CallStart> {
        let first = self.bytes.get(start.body).copied();
        match (data.style, first) {
            (Style::Json, Some(b'{')) => Look::Yes(start),
            (Style::Json, Some(b'[')) if !data.name.is_empty() => self.object_begins(start),
            (Style::Python, Some(b'[')) => match self.after_space(start.body + 1) {
                Look::Yes(at) => self.python_begins(at, start),
                Look::More => Look::More,
                Look::No => Look::No,
            },
            (Style::Python, Some(_)) => self.python_begins(start.body, start),
            (_, None) if self.ended == Ended::No => Look::More,
            (Style::Json, _) | (Style::Python, None) => Look::No,
        }
    }

    /// A list of objects.
    fn object_begins(&mut self, start: CallStart) -> Look<CallStart> {
        match self.after_space(start.body + 1) {
            Look::Yes(at) => match self.bytes.get(at) {
                Some(b'{') => Look::Yes(start),
                Some(_) | None => Look::No,
            },
            Look::More => Look::More,
            Look::No => Look::No,
        }
    }

    /// `name(` of a tool, then a keyword or the end.
    fn python_begins(&mut self, at: usize, start: CallStart) -> Look<CallStart> {
        match self.python_call(at) {
            Look::Yes(_) => Look::Yes(start),
            Look::More => Look::More,
            Look::No => Look::No,
        }
    }

    /// The tool of a Python call, and the place behind its `(`.
    pub(crate) fn python_call(&mut self, at: usize) -> Look<(usize, usize)> {
        let rest = &self.bytes[at..];
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let length = rest.iter().take(MAX_WORD).take_while(|byte| word(byte)).count();
        if length == rest.len() {
            return if self.ended == Ended::No { Look::More } else { Look::No };
        }
        let name = rest[..length].strip_suffix(b".call").unwrap_or(&rest[..length]);
        let Some(tool) = self.specs.names.find(name).filter(|_| rest[length] == b'(') else {
            return Look::No;
        };
        let inside = at + length + 1;
        let next = match self.after_space(inside) {
            Look::Yes(next) => &self.bytes[next..],
            Look::More => return Look::More,
            Look::No => return Look::No,
        };
        let keyword = next.iter().take(MAX_WORD).take_while(|byte| word(byte)).count();
        match next.get(keyword) {
            Some(b')') if keyword == 0 => Look::Yes((tool, inside)),
            Some(b'=' | b' ') if keyword > 0 => Look::Yes((tool, inside)),
            None if self.ended == Ended::No => Look::More,
            Some(_) | None => Look::No,
        }
    }
}

/// No name of a function or keyword is longer.
const MAX_WORD: usize = 128;

/// A line that begins with more blanks does not count as beginning there.
pub(crate) const MAX_BLANKS: usize = 256;

/// How many blanks stand between the line's beginning and `at`, if nothing else does; text begins at `from`.
pub(crate) fn line_starts(bytes: &[u8], from: usize, at: usize) -> Option<usize> {
    let blanks = bytes[from..at].iter().rev().take(MAX_BLANKS);
    let indent = blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = at - indent;
    (before == from || bytes[before - 1] == b'\n').then_some(indent)
}
