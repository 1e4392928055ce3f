//! The words of a template, and what must hold for each of them to be printed.
//!
//! In: a source and its nodes. Out: [`Words`]: the source with everything but its own text blanked out, so that places stay
//! the same; its parts, each with the tests that stand around it.
//! Never: evaluates a test; it only says which cannot hold without a tool.

use std::ops::Range;

use super::expr::{Call, Expr, Function, PartialName, Test};
use super::helpers::Builtin;
use super::tree::{Block, Node};

/// What stands for each byte that is no text of the template's own.
pub(crate) const BLANKED: char = '\0';

/// The words of a template.
#[derive(Debug)]
pub(crate) struct Words<'t> {
    /// As long as the source; tags and comments are [`BLANKED`].
    pub text: String,
    /// In the order of the source.
    pub parts: Vec<(Part<'t>, Vec<Ask<'t>>)>,
}

/// A part of a template that prints words.
#[derive(Clone, Debug)]
pub(crate) enum Part<'t> {
    /// Bytes of the source.
    Text(Range<usize>),
    /// A value that is looked up at the root, by the steps of its path.
    Value(&'t [Box<str>]),
    /// A partial with a fixed name.
    Partial(&'t str),
}

/// A test of a block, and which way it must turn out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'t> {
    test: &'t Test,
    turn: Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The words are printed when it holds.
    Holds,
    /// The words stand behind its `else`.
    Fails,
}

/// Something that a test asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// A tool of this name.
    Tool(&'a str),
    /// A tool of this role.
    Role(&'a str),
}

impl Ask<'_> {
    /// Whether the test spells a name out, as `has_tool "name"` does.
    pub(crate) fn spells(&self, name: &str) -> bool {
        match self.test {
            Test::Always => false,
            Test::If { value, .. } | Test::Each(value) | Test::With(value) => spells(value, name),
        }
    }

    /// Whether the words cannot be printed, for want of a tool; `has` knows those that there may be.
    pub(crate) fn never(&self, has: &dyn Fn(Wanted<'_>) -> bool) -> bool {
        match (self.test, self.turn) {
            (Test::If { value, negate: false, .. }, Turn::Holds) => never(value, has),
            (Test::If { value, negate: true, .. }, Turn::Fails) => never(value, has),
            (Test::If { .. } | Test::Always | Test::Each(_) | Test::With(_), _) => false,
        }
    }
}

/// The words of a source, whose nodes these are.
pub(super) fn words<'t>(source: &str, nodes: &'t [Node]) -> Words<'t> {
    let mut words = Words { text: String::with_capacity(source.len()), parts: Vec::new() };
    words.walk(nodes, &[]);
    let mut at = 0;
    for (part, _) in &words.parts {
        if let Part::Text(range) = part {
            blank(&mut words.text, &source[at..range.start]);
            words.text.push_str(&source[range.clone()]);
            at = range.end;
        }
    }
    blank(&mut words.text, &source[at..]);
    words
}

impl<'t> Words<'t> {
    fn walk(&mut self, nodes: &'t [Node], asks: &[Ask<'t>]) {
        for node in nodes {
            match node {
                Node::Text(span) => self.push(Part::Text(span.range()), asks),
                Node::Value { expr, .. } => self.value(expr, asks),
                // Its own text is a blank line.
                Node::Insert(insert) => self.value(&insert.value, asks),
                Node::Partial(partial) => {
                    if let PartialName::Fixed(name) = &partial.head.name {
                        self.push(Part::Partial(name), asks);
                    }
                }
                Node::Block(block) => self.block(block, asks),
                Node::Quiet(_) | Node::Boundary(_) => {}
            }
        }
    }

    /// Each arm, which is printed when its own test holds and those before it do not.
    fn block(&mut self, block: &'t Block, asks: &[Ask<'t>]) {
        let mut asks = asks.to_vec();
        for arm in &block.arms {
            asks.push(Ask { test: &arm.head.test, turn: Turn::Holds });
            self.walk(&arm.body, &asks);
            asks.pop();
            asks.push(Ask { test: &arm.head.test, turn: Turn::Fails });
        }
        self.walk(&block.otherwise, &asks);
    }

    fn value(&mut self, expr: &'t Expr, asks: &[Ask<'t>]) {
        if let Expr::Path(path) = expr
            && path.global
        {
            self.push(Part::Value(&path.segments), asks);
        }
    }

    fn push(&mut self, part: Part<'t>, asks: &[Ask<'t>]) {
        self.parts.push((part, asks.to_vec()));
    }
}

/// Keeps line ends, so that lines stay lines.
fn blank(text: &mut String, cut: &str) {
    text.extend(cut.bytes().map(|byte| if byte == b'\n' { '\n' } else { BLANKED }));
}

fn spells(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Literal(value) => value.as_str() == Some(name),
        Expr::Call(call) => {
            let named = call.hash.iter().map(|(_, value)| value);
            call.args.iter().chain(named).any(|one| spells(one, name))
        }
        Expr::Path(_) | Expr::Local(_) => false,
    }
}

fn never(expr: &Expr, has: &dyn Fn(Wanted<'_>) -> bool) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Call { function: Function::Builtin(builtin), args, .. } = &**call else { return false };
    match builtin {
        Builtin::And => args.iter().any(|one| never(one, has)),
        Builtin::Or => !args.is_empty() && args.iter().all(|one| never(one, has)),
        Builtin::HasTool => literal(args).is_some_and(|id| !has(Wanted::Tool(id))),
        Builtin::Tool => literal(args).is_some_and(|role| !has(Wanted::Role(role))),
        _ => false,
    }
}

fn literal(args: &[Expr]) -> Option<&str> {
    match args {
        [Expr::Literal(value)] => value.as_str(),
        _ => None,
    }
}
