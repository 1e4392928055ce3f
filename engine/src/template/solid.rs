//! Finds text of a template that is printed whatever the values are.
//!
//! In: the top-level nodes. Out: where such text begins.
//! Never: guesses; a line that tidying might take for a heading or a separator does not count.

use super::tree::{Block, Node};

/// The offset of the first byte that is not blank, in no heading and in no separator; only text outside of blocks.
pub(super) fn solid_text(source: &str, nodes: &[Node]) -> Option<usize> {
    let mut line = Line::Blank;
    for node in nodes {
        let span = match node {
            Node::Text(span) => span,
            Node::Block(block) if ends_lines(source, block) => continue,
            Node::Block(_) | Node::Partial(_) | Node::Insert(_) => {
                line = Line::Unknown;
                continue;
            }
            // A value never begins a heading.
            Node::Value { .. } | Node::Quiet(_) | Node::Boundary(_) => continue,
        };
        let mut at = span.start as usize;
        for part in span.of(source).split_inclusive('\n') {
            let text = part.trim();
            if line == Line::Blank && text.starts_with('#') {
                line = Line::Heading;
            }
            // Beside a value that prints nothing, `====` is a separator and `# x` a heading.
            if line == Line::Blank && !text.is_empty() && !text.bytes().all(|byte| byte == b'=') {
                return Some(at + part.len() - part.trim_start().len());
            }
            if part.ends_with('\n') {
                line = Line::Blank;
            }
            at += part.len();
        }
    }
    None
}

/// What the line holds so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Heading,
    /// Whatever other template text printed, perhaps `## `.
    Unknown,
}

/// Whether all that a block may print ends with a line, or is nothing.
fn ends_lines(source: &str, block: &Block) -> bool {
    let ends = |body: &Vec<Node>| match body.last() {
        Some(Node::Text(span)) => span.of(source).ends_with('\n'),
        None => true,
        Some(_) => false,
    };
    block.arms.iter().map(|arm| &arm.body).chain([&block.otherwise]).all(ends)
}
