//! Puts sections that a template does not name beside one that it names.
//!
//! In: nodes, the anchor's and the section's name, the side. Out: nodes with a small template of their own beside every
//! placeholder of the anchor.
//! Never: changes the source; the bytes between anchor and section belong to the small template.

use std::sync::Arc;

use super::expr::{Expr, Test};
use super::token::Span;
use super::tree::{Block, Node, parse};
use crate::diagnostic::SourceText;

/// On which side of its anchor a section is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// What to insert where.
#[derive(Clone, Copy)]
pub(super) struct Wish<'w> {
    pub source: &'w SourceText,
    pub anchor: &'w str,
    pub name: &'w str,
    pub side: Side,
}

/// A section that a patch put there, with the blank line to its anchor; printed only when it is not blank.
#[derive(Clone, Debug)]
pub(super) struct Insert {
    name: Box<str>,
    anchor: Box<str>,
    side: Side,
    /// Whether it hangs, by way of others, behind a placeholder of the template.
    behind: bool,
    line: Line,
    /// The small template; its place is that of the anchor.
    pub text: Arc<SourceText>,
    /// The anchor's tag.
    pub tag: Span,
    pub value: Expr,
    pub nodes: Vec<Node>,
}

/// Where the blank line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Above,
    Below,
    /// Above, and the section gets a line end: a block whose end has a line for itself stands before it.
    Around,
}

/// The anchor's placeholder.
struct Place {
    tag: Span,
    line: Line,
    behind: bool,
}

/// Inserts a section beside every placeholder of the anchor; gives the first one's tag, none when there is none.
///
/// A block that only asks whether the anchor is there, `{{#if anchor}}`, counts as its placeholder. Sections inserted
/// at one side of one anchor keep the order in which they came.
pub(super) fn insert(nodes: &mut Vec<Node>, wish: Wish<'_>) -> Option<Span> {
    let (mut first, mut at) = (None, 0);
    while at < nodes.len() {
        let tag = match place(&nodes[at], wish) {
            Some(place) => {
                let node = fragment(wish, &place)?;
                let to = match wish.side {
                    Side::Before => at,
                    Side::After => behind_inserts(nodes, at, wish.anchor),
                };
                nodes.insert(to, node);
                at = to.max(at + 1);
                Some(place.tag)
            }
            None => match &mut nodes[at] {
                Node::Block(block) => within(block, wish),
                _ => None,
            },
        };
        first = first.or(tag);
        at += 1;
    }
    first
}

/// Whether there is a placeholder of the anchor.
pub(super) fn has_place(nodes: &[Node], wish: Wish<'_>) -> bool {
    nodes.iter().any(|node| {
        let inner = match node {
            Node::Block(block) => Some(block),
            _ => None,
        };
        let bodies = inner
            .into_iter()
            .flat_map(|block| block.arms.iter().map(|arm| &arm.body).chain([&block.otherwise]));
        place(node, wish).is_some() || bodies.into_iter().any(|body| has_place(body, wish))
    })
}

/// The same in the bodies of a block.
fn within(block: &mut Block, wish: Wish<'_>) -> Option<Span> {
    let bodies = block.arms.iter_mut().map(|arm| &mut arm.body).chain([&mut block.otherwise]);
    bodies.fold(None, |first, body| {
        let tag = insert(body, wish);
        first.or(tag)
    })
}

/// What the node is to the anchor, when it is its placeholder.
fn place(node: &Node, wish: Wish<'_>) -> Option<Place> {
    let behind = wish.side == Side::After;
    let line = if behind { Line::Above } else { Line::Below };
    match node {
        Node::Value { expr: Expr::Path(path), tag } if path.prints(wish.anchor) => {
            Some(Place { tag: *tag, line, behind })
        }
        Node::Insert(insert) if &*insert.name == wish.anchor => {
            Some(Place { tag: insert.tag, line: insert.line, behind: insert.behind })
        }
        Node::Block(block) => {
            let [arm] = &*block.arms else { return None };
            let asks = matches!(&arm.head.test,
                Test::If { value: Expr::Path(path), negate: false, .. } if path.prints(wish.anchor));
            let prints = || arm.body.iter().any(|node| place(node, wish).is_some());
            let line = if behind && block.close_alone { Line::Around } else { line };
            (asks && prints()).then_some(Place { tag: block.open, line, behind })
        }
        _ => None,
    }
}

/// The position behind the node and what was inserted after it, and after that in turn.
fn behind_inserts(nodes: &[Node], of: usize, anchor: &str) -> usize {
    let of_template = !matches!(nodes[of], Node::Insert(_));
    let mut anchors = vec![anchor];
    let mut at = of + 1;
    while let Some(Node::Insert(insert)) = nodes.get(at) {
        let of_template = of_template && insert.behind;
        if !of_template && (insert.side == Side::Before || !anchors.contains(&&*insert.anchor)) {
            break;
        }
        anchors.push(&insert.name);
        at += 1;
    }
    at
}

/// The small template beside a placeholder; from `@root`, as the place may be in a frame.
fn fragment(wish: Wish<'_>, place: &Place) -> Option<Node> {
    let Wish { source, anchor, name, side } = wish;
    let &Place { tag, line, behind } = place;
    let text = match line {
        Line::Above => format!("\n\n{{{{@root.{name}}}}}"),
        Line::Below => format!("{{{{@root.{name}}}}}\n\n"),
        Line::Around => format!("\n{{{{@root.{name}}}}}\n"),
    };
    let nodes = parse(&text).nodes;
    let value = nodes.iter().find_map(|node| match node {
        Node::Value { expr, .. } => Some(expr.clone()),
        _ => None,
    })?;
    let text = SourceText::new(text, source.origin_of(tag.range()));
    let (name, anchor) = (name.into(), anchor.into());
    Some(Node::Insert(Box::new(Insert {
        name,
        anchor,
        side,
        behind,
        line,
        text,
        tag,
        value,
        nodes,
    })))
}
