//! What of a Markdown text is code, and what is a comment.
//!
//! In: text. Out: byte ranges. Never: looks at what stands in them.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Byte ranges, each list in order.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Code spans and code blocks.
    pub(crate) code: Vec<Range<usize>>,
    /// HTML comments that are blocks, with the end of their last line where nothing else stands on it.
    pub(crate) comments: Vec<Range<usize>>,
}

impl Marks {
    pub(crate) fn of(text: &str) -> Self {
        let mut marks = Self::default();
        let mut block = None;
        for (event, range) in Parser::new(text).into_offset_iter() {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => marks.code.push(range),
                Event::Start(Tag::HtmlBlock) => block = Some(range),
                Event::End(TagEnd::HtmlBlock) => {
                    let comment = block.take().and_then(|block| comment(text, block));
                    marks.comments.extend(comment);
                }
                _ => {}
            }
        }
        marks
    }

    /// The same for a text that stands so much further behind.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        for range in self.code.iter_mut().chain(&mut self.comments) {
            *range = range.start + by..range.end + by;
        }
        self
    }

    pub(crate) fn is_code(&self, offset: usize) -> bool {
        let after = self.code.partition_point(|range| range.end <= offset);
        self.code.get(after).is_some_and(|range| range.contains(&offset))
    }
}

fn comment(text: &str, block: Range<usize>) -> Option<Range<usize>> {
    let start = block.start
        + text[block.clone()]
            .find("<!--")
            .filter(|at| text[block.start..][..*at].trim().is_empty())?;
    let end = start + text[start..].find("-->")? + "-->".len();
    let rest = &text[end..];
    let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
    Some(start..if rest[..line].trim().is_empty() { end + line } else { end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_comments() {
        let text =
            "a `b` c\n\n```\n<!-- d -->\n```\n\n<!-- e\nf -->\ng <!-- h -->\n\n    i\n\n~~~\nj";
        let marks = Marks::of(text);
        let texts = |ranges: &[Range<usize>]| {
            ranges.iter().map(|one| text[one.clone()].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&marks.code), ["`b`", "```\n<!-- d -->\n```", "i\n", "~~~\nj"]);
        assert_eq!(texts(&marks.comments), ["<!-- e\nf -->\n"]);
        assert!(marks.is_code(3) && !marks.is_code(0) && !marks.is_code(5));
    }
}
