//! Finds code in Markdown.
//!
//! In: a text. Out: the ranges of its fenced blocks and of what stands between backticks.
//! Never: reads anything else of Markdown; backticks that do not close on their line are none.

use std::ops::Range;

/// What is code in a text.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Fenced blocks with their fences, in order.
    pub fences: Vec<Range<usize>>,
    /// What stands between backticks outside of fences, in order.
    pub spans: Vec<Range<usize>>,
}

impl Code {
    pub(super) fn of(text: &str) -> Self {
        let mut code = Self::default();
        let (mut at, mut open): (usize, Option<(usize, &str)>) = (0, None);
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            match (open, fence(line)) {
                (None, Some(marks)) => open = Some((at, marks)),
                (None, None) => code.line(text, at..end),
                (Some((start, marks)), Some(closing)) if closing.starts_with(marks) => {
                    code.fences.push(start..end);
                    open = None;
                }
                (Some(_), _) => {}
            }
            at = end;
        }
        code.fences.extend(open.map(|(start, _)| start..text.len()));
        code
    }

    pub(super) fn is_fenced(&self, at: usize) -> bool {
        within(&self.fences, at)
    }

    pub(super) fn is_ticked(&self, at: usize) -> bool {
        within(&self.spans, at)
    }

    /// The spans of a line.
    fn line(&mut self, text: &str, line: Range<usize>) {
        let mut at = line.start;
        while let Some(open) = ticks(text, at..line.end) {
            let mut from = open.end;
            let close = loop {
                match ticks(text, from..line.end) {
                    Some(close) if close.len() == open.len() => break Some(close),
                    Some(other) => from = other.end,
                    None => break None,
                }
            };
            at = close.as_ref().map_or(open.end, |close| close.end);
            self.spans.extend(close.map(|close| open.end..close.start));
        }
    }
}

/// The next run of backticks.
fn ticks(text: &str, within: Range<usize>) -> Option<Range<usize>> {
    let start = within.start + text[within.clone()].find('`')?;
    let run = text[start..within.end].bytes().take_while(|&byte| byte == b'`').count();
    Some(start..start + run)
}

/// The marks that open or close a fenced block.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find_map(|mark| {
        let rest = line.trim_start_matches(mark);
        let marks = &line[..line.len() - rest.len()];
        (marks.len() >= 3 && !rest.contains('`')).then_some(marks)
    })
}

fn within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    after > 0 && ranges[after - 1].contains(&at)
}
