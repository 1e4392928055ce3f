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

/// A section that a patch put there, with the blank line to its anchor; printed only when it is not blank.
#[derive(Clone, Debug)]
pub(super) struct Insert {
    name: Box<str>,
    anchor: Box<str>,
    side: Side,
    place: Place,
    /// The small template; its place is that of the anchor.
    pub text: Arc<SourceText>,
    /// The anchor's tag.
    pub tag: Span,
    pub value: Expr,
    pub nodes: Vec<Node>,
}

/// What stands around the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A placeholder, or a block that ends within a line: the line goes on behind it.
    InLine,
    /// A block whose tag has its line for itself: a new line begins there.
    NewLine,
}

/// Inserts `name` beside every placeholder of `anchor`; gives the anchor's first tag, none when there is no placeholder.
///
/// A block that only asks whether the anchor is there, `{{#if anchor}}`, counts as its placeholder. Sections inserted
/// at one side of one anchor keep the order in which they came.
pub(super) fn insert(
    nodes: &mut Vec<Node>,
    source: &SourceText,
    anchor: &str,
    name: &str,
    side: Side,
) -> Option<Span> {
    let (mut first, mut at) = (None, 0);
    while at < nodes.len() {
        let tag = match found(&nodes[at], anchor, side) {
            Some((tag, place)) => {
                let node = fragment(source, tag, anchor, name, side, place)?;
                let to = match side {
                    Side::Before => at,
                    Side::After => behind_inserts(nodes, at + 1, anchor),
                };
                nodes.insert(to, node);
                at = to.max(at + 1);
                Some(tag)
            }
            None => match &mut nodes[at] {
                Node::Block(block) => within(block, source, anchor, name, side),
                _ => None,
            },
        };
        first = first.or(tag);
        at += 1;
    }
    first
}

fn within(
    block: &mut Block,
    source: &SourceText,
    anchor: &str,
    name: &str,
    side: Side,
) -> Option<Span> {
    let bodies = block.arms.iter_mut().map(|arm| &mut arm.body).chain([&mut block.otherwise]);
    bodies.fold(None, |first, body| {
        let tag = insert(body, source, anchor, name, side);
        first.or(tag)
    })
}

/// The tag of the anchor's placeholder, when the node is one, and what stands around that side of it.
fn found(node: &Node, anchor: &str, side: Side) -> Option<(Span, Place)> {
    match node {
        Node::Value { expr: Expr::Path(path), tag } if path.prints(anchor) => {
            Some((*tag, Place::InLine))
        }
        Node::Insert(insert) if &*insert.name == anchor => Some((insert.tag, insert.place)),
        Node::Block(block) => {
            let [arm] = &*block.arms else { return None };
            let asks = matches!(&arm.head.test,
                Test::If { value: Expr::Path(path), negate: false, .. } if path.prints(anchor));
            let prints = || arm.body.iter().any(|node| found(node, anchor, side).is_some());
            let alone = side == Side::After && block.close_alone;
            let place = if alone { Place::NewLine } else { Place::InLine };
            (asks && prints()).then_some((block.open, place))
        }
        _ => None,
    }
}

/// The position behind what was inserted after `anchor`, and after that in turn.
fn behind_inserts(nodes: &[Node], from: usize, anchor: &str) -> usize {
    let mut anchors = vec![anchor];
    let mut at = from;
    while let Some(Node::Insert(insert)) = nodes.get(at) {
        if insert.side == Side::Before || !anchors.contains(&&*insert.anchor) {
            break;
        }
        anchors.push(&insert.name);
        at += 1;
    }
    at
}

fn fragment(
    source: &SourceText,
    tag: Span,
    anchor: &str,
    name: &str,
    side: Side,
    place: Place,
) -> Option<Node> {
    let text = match (side, place) {
        (Side::Before, _) => format!("{{{{@root.{name}}}}}\n\n"),
        (Side::After, Place::InLine) => format!("\n\n{{{{@root.{name}}}}}"),
        (Side::After, Place::NewLine) => format!("\n{{{{@root.{name}}}}}\n"),
    };
    let nodes = parse(&text).nodes;
    let value = nodes.iter().find_map(|node| match node {
        Node::Value { expr, .. } => Some(expr.clone()),
        _ => None,
    })?;
    let text = SourceText::new(text, source.origin_of(tag.range()));
    let (name, anchor) = (name.into(), anchor.into());
    Some(Node::Insert(Box::new(Insert { name, anchor, side, place, text, tag, value, nodes })))
}
