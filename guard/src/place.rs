//! Tells code and quotations from prose.
//!
//! In: a text, findings in order. Out: the place of each. Never: more than one pass over the text.

use crate::{Finding, Place};

/// Pairs of quotation marks; the straight ones close themselves.
const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('「', '」')];
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
        while let Some(finding) = findings.get_mut(next).filter(|it| it.range.start < end) {
            finding.place = match inside {
                true => Place::Code,
                false => in_line(line, finding.range.start.saturating_sub(at)),
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

fn in_line(line: &str, at: usize) -> Place {
    if line.starts_with("    ") || line.starts_with('\t') {
        return Place::Code;
    }
    if line.trim_start().starts_with('>') {
        return Place::Quote;
    }
    let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
    let near = |text: &str| text.len() <= MAX_SPAN_BYTES;
    if before.matches('`').count() % 2 == 1 && after.find('`').is_some_and(|to| near(&after[..to]))
    {
        return Place::Code;
    }
    let quoted = QUOTES.iter().any(|(open, close)| {
        let opened = if open == close {
            before.matches(*open).count() % 2 == 1
        } else {
            before.rfind(*open) > before.rfind(*close)
        };
        opened && after.find(*close).is_some_and(|to| near(&after[..to]))
    });
    if quoted { Place::Quote } else { Place::Prose }
}
