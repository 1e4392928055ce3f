//! Code in Markdown: fences and spans, in which tags are text.
//!
//! In: a run of backticks or tildes. Out: where the code ends. Never: takes a lone backtick for code.

use super::peek::{MAX_BLANKS, line_starts};
use super::{Choice, Robust, Room, State, Step};
use crate::pattern::Look;
use crate::scan;

/// Longer runs of backticks are text.
const MAX_RUN: usize = 32;
/// A fence that is indented further is none.
const MAX_INDENT: usize = 3;
const MIN_FENCE: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    mark: u8,
    count: usize,
    /// Where its first line begins, if it may hold a call; everything from here on is held.
    call_from: Option<(usize, usize)>,
}

/// What is known of the line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// The line is known up to here.
    end: usize,
    /// Where the last run of each length begins.
    last: [usize; MAX_RUN],
    /// The search for the end of a span has come so far.
    seen: usize,
    /// Where the run of backticks begins that opens the span, and how far it reaches.
    of: usize,
    run: usize,
    /// The run opens a span, and no fence.
    span: Choice,
}

impl Robust {
    pub(super) fn at_code(&mut self, room: &mut Room<'_>, hit: usize) -> Step {
        let bytes = room.store.bytes();
        if self.line.of != hit {
            let line = &mut self.line;
            (line.of, line.run, line.seen, line.span) = (hit, hit, hit, Choice::Off);
        }
        let mark = bytes[hit];
        let end = run_end(bytes, hit, mark, self.line.run);
        self.line.run = end;
        if end == bytes.len() && self.stop.is_none() {
            return self.wait(State::Text);
        }
        let count = end - hit;
        let indent = line_starts(bytes, self.from, hit);
        if self.line.span == Choice::Off
            && count >= MIN_FENCE
            && indent.is_some_and(|indent| indent <= MAX_INDENT)
        {
            match self.fence_opens(bytes, mark, end.max(self.line.seen)) {
                Look::Yes(inside) => {
                    let fence = Fence { mark, count, call_from: self.may_hold_call(hit, inside) };
                    self.at = if fence.call_from.is_some() { hit } else { inside };
                    self.line.seen = inside;
                    return self.again(State::Fence(Box::new(fence)));
                }
                Look::More => {
                    self.line.seen = bytes.len();
                    return self.wait(State::Text);
                }
                Look::No => self.line.span = Choice::On,
            }
        }
        if mark == b'~' || count >= MAX_RUN {
            self.at = end;
            return self.again(State::Text);
        }
        self.at_span(room, hit, end)
    }

    /// Where the first line of a fence ends; a backtick in it makes it a span.
    fn fence_opens(&self, bytes: &[u8], mark: u8, end: usize) -> Look<usize> {
        let stop = match mark {
            b'`' => scan::either(b'\n', b'`', bytes, end),
            _ => scan::byte(b'\n', bytes, end),
        };
        match stop {
            Some(stop) if bytes[stop] == b'\n' => Look::Yes(stop + 1),
            Some(_) => Look::No,
            None if self.stop.is_some() => Look::Yes(bytes.len()),
            None => Look::More,
        }
    }

    fn may_hold_call(&self, hit: usize, inside: usize) -> Option<(usize, usize)> {
        let asked = self.options.fenced_calls == Choice::On && hit >= self.no_fence_before;
        asked.then_some((hit, inside))
    }

    /// A span ends at the next run of the same length on the line; without one its backticks are text.
    fn at_span(&mut self, room: &mut Room<'_>, hit: usize, end: usize) -> Step {
        let (bytes, count) = (room.store.bytes(), end - hit);
        if hit < self.line.end {
            let closes = self.line.last[count] > hit;
            self.at = if closes { next_run(bytes, end, count).unwrap_or(end) } else { end };
            return self.again(State::Text);
        }
        let mut seen = self.line.seen.max(end);
        while let Some(at) = scan::either(b'`', b'\n', bytes, seen) {
            if bytes[at] == b'\n' {
                self.know_line(bytes, end, at);
                self.at = end;
                return self.again(State::Text);
            }
            let run = run_end(bytes, at, b'`', at);
            if run == bytes.len() && self.stop.is_none() {
                return self.wait_in_span(room, end, at);
            }
            if run - at == count {
                self.at = run;
                return self.again(State::Text);
            }
            seen = run;
        }
        if self.stop.is_none() {
            return self.wait_in_span(room, end, bytes.len());
        }
        if self.is_cut() {
            // The line may have gone on, and the span with it.
            self.at = bytes.len();
            return self.again(State::Text);
        }
        self.know_line(bytes, end, bytes.len());
        self.at = end;
        self.again(State::Text)
    }

    /// Whether a span is open and nothing stands in it so far but text.
    #[inline]
    pub(super) fn is_in_span(&self, to: usize) -> bool {
        // Only a span that waits makes text loose.
        self.loose == to && self.line.seen == to
    }

    /// More text of the span.
    #[inline]
    pub(super) fn goes_on_in_span(&mut self, to: usize) {
        self.loose = to;
        self.line.seen = to;
    }

    /// What stands before the first token is text, whether the span ends or not.
    fn wait_in_span(&mut self, room: &Room<'_>, end: usize, seen: usize) -> Step {
        let bytes = room.store.bytes();
        let from = self.loose.max(end);
        let is_token = |at: &usize| !matches!(bytes[*at], b'`' | b'~');
        let mut at = from;
        while let Some(hit) = room.grammar.needles.find(&bytes[..seen], at) {
            if is_token(&hit) {
                at = hit;
                break;
            }
            at = hit + 1;
        }
        let token = at < seen && room.grammar.needles.has(bytes[at]) && is_token(&at);
        self.loose = if token { at } else { seen };
        self.line.seen = seen;
        self.wait(State::Text)
    }

    fn know_line(&mut self, bytes: &[u8], from: usize, to: usize) {
        self.line.end = to;
        self.line.last = [0; MAX_RUN];
        let mut at = from;
        while let Some(hit) = scan::byte(b'`', &bytes[..to], at) {
            at = run_end(&bytes[..to], hit, b'`', hit);
            if at - hit < MAX_RUN {
                self.line.last[at - hit] = hit;
            }
        }
    }

    pub(super) fn in_fence(&mut self, room: &mut Room<'_>, fence: Box<Fence>) -> Step {
        let bytes = room.store.bytes();
        let from = if fence.call_from.is_some() { self.line.seen } else { self.at };
        let Some(hit) = scan::byte(fence.mark, bytes, from) else {
            return self.wait_in_fence(room, fence, room.store.buffer.len());
        };
        let end = run_end(bytes, hit, fence.mark, hit);
        let indent = line_starts(bytes, self.from, hit);
        let closes = end - hit >= fence.count && indent.is_some_and(|indent| indent <= MAX_INDENT);
        if end == bytes.len() && self.stop.is_none() {
            return self.wait_in_fence(room, fence, hit);
        }
        if !closes {
            self.pass_in_fence(&fence, end);
            return self.again(State::Fence(fence));
        }
        let window = &bytes[end..bytes.len().min(end + MAX_BLANKS)];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let closes = match window.iter().find(|byte| !is_blank(byte)) {
            Some(byte) => *byte == b'\n',
            None if window.len() < MAX_BLANKS && self.stop.is_none() => {
                return self.wait_in_fence(room, fence, hit);
            }
            None => window.len() < MAX_BLANKS,
        };
        if !closes {
            self.pass_in_fence(&fence, end);
            return self.again(State::Fence(fence));
        }
        match fence.call_from {
            Some((outside, inside)) => self.fenced_call(room, (outside, inside), (hit, end)),
            None => {
                self.at = end;
                self.again(State::Text)
            }
        }
    }

    fn pass_in_fence(&mut self, fence: &Fence, to: usize) {
        match fence.call_from {
            Some(_) => self.line.seen = to,
            None => self.at = to,
        }
    }

    /// At the end of the stream a fence that is open holds no call.
    fn wait_in_fence(&mut self, room: &Room<'_>, mut fence: Box<Fence>, seen: usize) -> Step {
        self.pass_in_fence(&fence, seen);
        if self.stop.is_some()
            && let Some((_, inside)) = fence.call_from
        {
            self.no_fence_before = room.store.buffer.len();
            self.at = inside;
            fence.call_from = None;
            return self.again(State::Fence(fence));
        }
        if let Some((outside, inside)) = fence.call_from {
            let first = crate::space::skip(room.store.bytes(), inside);
            let may = first == room.store.buffer.len()
                || room.store.bytes()[first] == b'<'
                || room.store.bytes()[first] == b'[';
            if !may {
                self.no_fence_before = outside + 1;
                self.at = inside;
                fence.call_from = None;
                return self.again(State::Fence(fence));
            }
        }
        self.wait(State::Fence(fence))
    }
}

fn run_end(bytes: &[u8], hit: usize, mark: u8, from: usize) -> usize {
    let from = from.max(hit);
    from + bytes[from..].iter().take_while(|byte| **byte == mark).count()
}

/// Behind the span that the backtick at `hit` opens, if it is one of the most that hold a name or two.
#[inline]
pub(super) fn short_span(bytes: &[u8], hit: usize) -> Option<usize> {
    let at = scan::near(bytes, hit + 1, [b'`', b'\n'])?;
    let single = bytes[hit] == b'`' && at > hit + 1 && bytes[at] == b'`';
    (single && bytes.get(at + 1).is_some_and(|next| *next != b'`')).then_some(at + 1)
}

/// Behind the fence that begins at `hit`, if it is one of the most: with three marks at the beginning of a line, closed
/// alike, and all there. Text begins at `from`.
pub(super) fn plain_fence(bytes: &[u8], from: usize, hit: usize) -> Option<usize> {
    const MARKS: &[u8] = b"```";
    let begins_line = hit == from || bytes[hit - 1] == b'\n';
    if !begins_line || !bytes[hit..].starts_with(MARKS) {
        return None;
    }
    let line_end = scan::near(bytes, hit + MARKS.len(), [b'`', b'\n'])?;
    let close = line_end + memchr::memchr(b'`', &bytes[line_end..])?;
    let closes = bytes[close - 1] == b'\n' && bytes[close..].starts_with(b"```\n");
    (bytes[line_end] == b'\n' && closes).then_some(close + MARKS.len())
}

/// Behind the next run of exactly that length.
fn next_run(bytes: &[u8], mut from: usize, count: usize) -> Option<usize> {
    loop {
        let hit = scan::byte(b'`', bytes, from)?;
        from = run_end(bytes, hit, b'`', hit);
        if from - hit == count {
            return Some(from);
        }
    }
}
