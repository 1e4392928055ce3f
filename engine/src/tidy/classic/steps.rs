//! The steps of the classic chain, each with the regular expression that it stands for.
//!
//! In: the text that enters the step, and its runs. Out: its edits, in order.
//! Never: looks at a byte more often than a constant number of times.
//!
//! In the expressions `\s` is ECMAScript's white space, `m` knows the four ECMAScript line terminators, and a match
//! starts behind the one before it. A *run* is four or more `=` that have no `=` beside them.

use memchr::memchr;

use super::diff::Traces;
use super::white::{gap, is_line_start, terminator_at, white_at, white_before};
use crate::tidy::LF;
use crate::tidy::edit::Edits;

/// The width that joined runs get, and the least that makes one.
const WIDTH: usize = 4;

/// Where a run stands.
pub(super) struct Run {
    start: u32,
    end: u32,
}

impl Run {
    fn start(&self) -> usize {
        self.start as usize
    }

    fn end(&self) -> usize {
        self.end as usize
    }
}

/// Finds the runs of a text, in order.
pub(super) fn find_runs(bytes: &[u8], runs: &mut Vec<Run>) {
    runs.clear();
    let mut from = 0;
    while let Some(found) = memchr(b'=', &bytes[from..]) {
        let start = from + found;
        from = start + bytes[start..].iter().take_while(|&&byte| byte == b'=').count();
        if from - start >= WIDTH {
            runs.push(Run { start: start as u32, end: from as u32 });
        }
    }
}

/// `/\n\s*\n\s*\n/g` to two line feeds: of white space with three or more of them the first and the last stay.
pub(super) fn collapse_blank_lines(bytes: &[u8], edits: &mut Edits) {
    let mut from = 0;
    while let Some(found) = memchr(LF, &bytes[from..]) {
        let first = from + found;
        let white = gap(bytes, first + 1);
        if let Some(last) = white.last_lf
            && memchr(LF, &bytes[first + 1..last]).is_some()
        {
            edits.drop(first + 1..last);
        }
        from = white.end;
    }
}

/// `trim()`.
pub(super) fn trim(bytes: &[u8], edits: &mut Edits) {
    let start = gap(bytes, 0).end;
    edits.drop(0..start);
    let mut end = bytes.len();
    while end > start {
        match white_before(bytes, end) {
            0 => break,
            len => end -= len,
        }
    }
    edits.drop(end..bytes.len());
}

/// `/====+\s*$/` to nothing: the text is trimmed, so this is a run at its end.
pub(super) fn drop_last_run(bytes: &[u8], edits: &mut Edits) {
    let width = bytes.iter().rev().take_while(|&&byte| byte == b'=').count();
    if width >= WIDTH {
        edits.drop(bytes.len() - width..bytes.len());
    }
}

/// `/\n====+\s*\n+\s*====+\n/g` to `\n====\n`.
pub(super) fn join_run_lines(bytes: &[u8], runs: &[Run], edits: &mut Edits) {
    let mut eaten = 0;
    let mut runs = runs.iter().peekable();
    while let Some(first) = runs.next() {
        let starts_line = first.start() > eaten && bytes[first.start() - 1] == LF;
        let Some(second) = runs.peek().filter(|_| starts_line) else { continue };
        let between = gap(bytes, first.end());
        let joins = between.last_lf.is_some() && between.end == second.start();
        if joins && bytes.get(second.end()) == Some(&LF) {
            edits.drop(first.start() + WIDTH..second.end());
            eaten = second.end() + 1;
        }
    }
}

/// `/====\s*\n\s*====\s*\n/g` to `====\n`.
pub(super) fn join_runs(bytes: &[u8], runs: &[Run], edits: &mut Edits) {
    let mut runs = runs.iter().peekable();
    while let Some(first) = runs.next() {
        let Some(second) = runs.peek().filter(|run| run.end() - run.start() == WIDTH) else {
            continue;
        };
        let between = gap(bytes, first.end());
        if between.last_lf.is_none() || between.end != second.start() {
            continue;
        }
        if let Some(last_lf) = gap(bytes, second.end()).last_lf {
            edits.drop(first.end()..last_lf);
            runs.next();
        }
    }
}

/// `/^##\s*$[\r\n]*/gm` to nothing.
pub(super) fn drop_empty_headings(bytes: &[u8], edits: &mut Edits) {
    let mut from = 0;
    while let Some(found) = memchr(b'#', &bytes[from..]) {
        let start = from + found;
        from = start + 1;
        if bytes.get(from) == Some(&b'#') && is_line_start(bytes, start) {
            from += 1;
            if let Some(end) = empty_heading_end(bytes, from) {
                edits.drop(start..end);
                from = end;
            }
        }
    }
}

/// Where the match of an empty heading ends whose marks end at `start`; none when it has content.
///
/// The white space goes back to its last terminator, of which a line feed or a carriage return is eaten.
fn empty_heading_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut end) = (start, None);
    loop {
        match white_at(bytes, at) {
            0 if at == bytes.len() => return Some(at),
            0 => return end,
            len => {
                match terminator_at(bytes, at) {
                    0 => {}
                    1 => end = Some(at + 1),
                    _ => end = Some(at),
                }
                at += len;
            }
        }
    }
}

/// `/====+\n(?!\n)([^\n])/g` to the same with a blank line, unless the window looks like a diff.
pub(super) fn space_after_runs(bytes: &[u8], runs: &[Run], edits: &mut Edits) {
    let mut traces = None;
    let mut eaten = 0;
    for run in runs {
        // The match before may have eaten the first `=` of this run.
        let start = run.start().max(eaten);
        let next = run.end() + 1;
        let matches = run.end() - start >= WIDTH
            && bytes.get(run.end()) == Some(&LF)
            && bytes.get(next).is_some_and(|&byte| byte != LF);
        if matches {
            eaten = next + 1;
            if !traces.get_or_insert_with(|| Traces::of(bytes)).near(start, 0) {
                edits.line_break(next);
            }
        }
    }
}

/// `/([^\n])\n(?!\n)====+/g` to the same with a blank line, unless the window looks like a diff.
pub(super) fn space_before_runs(bytes: &[u8], runs: &[Run], edits: &mut Edits) {
    let mut traces = None;
    let mut eaten = 0;
    for run in runs {
        let Some(before) = run.start().checked_sub(2).filter(|&before| before >= eaten) else {
            continue;
        };
        if bytes[before] != LF && bytes[before + 1] == LF {
            eaten = run.end();
            // The window lies around the last unit of the character before the line feed.
            if !traces.get_or_insert_with(|| Traces::of(bytes)).near(before + 1, 1) {
                edits.line_break(run.start());
            }
        }
    }
}
