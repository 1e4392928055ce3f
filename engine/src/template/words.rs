//! The words of a template, and what must hold for each of them to be printed.
//!
//! In: a source and its nodes. Out: [`Words`]: the source with everything but its own text blanked out, so that places stay
//! the same; its parts, each with the tests that stand around it.
//! Never: evaluates a test; it only says which cannot hold without a tool.

use std::ops::Range;
use std::rc::Rc;

use super::expr::{Call, Expr, Function, PartialName, Test};
use super::helpers::Builtin;
use super::tree::{Block, Node};

/// What stands for each byte that is no text of the template's own.
pub(crate) const BLANKED: char = '\0';

/// How many tests around a part are kept: a chain of `else` may be of any length.
const MAX_ASKS: usize = 16;

/// The words of a template.
#[derive(Debug)]
pub(crate) struct Words<'t> {
    /// As long as the source; tags and comments are [`BLANKED`].
    pub text: String,
    /// What else it prints, in the order of the source.
    pub parts: Vec<(Part<'t>, Asks<'t>)>,
    /// The ranges of the source that are its own text, in order.
    own: Vec<(Range<usize>, Asks<'t>)>,
}

/// The tests around a place, outermost first.
pub(crate) type Asks<'t> = Rc<[Ask<'t>]>;

/// A part of a template that prints words which are not its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'t> {
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
    let text = String::with_capacity(source.len());
    let mut words = Words { text, parts: Vec::new(), own: Vec::new() };
    words.walk(nodes, &[]);
    let mut at = 0;
    for (range, _) in &words.own {
        blank(&mut words.text, &source[at..range.start]);
        words.text.push_str(&source[range.clone()]);
        at = range.end;
    }
    blank(&mut words.text, &source[at..]);
    words
}

impl<'t> Words<'t> {
    /// The tests around a byte of its own text.
    pub(crate) fn asks_at(&self, at: usize) -> &[Ask<'t>] {
        let after = self.own.partition_point(|(range, _)| range.start <= at);
        let here = self.own[..after].last().filter(|(range, _)| range.contains(&at));
        here.map_or(&[], |(_, asks)| asks)
    }

    fn walk(&mut self, nodes: &'t [Node], asks: &[Ask<'t>]) {
        let asks_here: Asks<'t> = asks.into();
        for node in nodes {
            let part = match node {
                Node::Text(span) => {
                    self.own.push((span.range(), Rc::clone(&asks_here)));
                    None
                }
                Node::Value { expr, .. } => value(expr),
                // Its own text is a blank line.
                Node::Insert(insert) => value(&insert.value),
                Node::Partial(partial) => match &partial.head.name {
                    PartialName::Fixed(name) => Some(Part::Partial(name)),
                    PartialName::Computed(_) => None,
                },
                Node::Block(block) => {
                    self.block(block, asks);
                    None
                }
                Node::Quiet(_) | Node::Boundary(_) => None,
            };
            self.parts.extend(part.map(|part| (part, Rc::clone(&asks_here))));
        }
    }

    /// Each arm, which is printed when its own test holds and those before it do not.
    fn block(&mut self, block: &'t Block, asks: &[Ask<'t>]) {
        let mut asks = asks.to_vec();
        for arm in &block.arms {
            asks.push(Ask { test: &arm.head.test, turn: Turn::Holds });
            self.walk(&arm.body, &asks);
            asks.pop();
            if asks.len() < MAX_ASKS {
                asks.push(Ask { test: &arm.head.test, turn: Turn::Fails });
            }
        }
        self.walk(&block.otherwise, &asks);
    }
}

fn value(expr: &Expr) -> Option<Part<'_>> {
    match expr {
        Expr::Path(path) if path.global => Some(Part::Value(&path.segments)),
        Expr::Path(_) | Expr::Local(_) | Expr::Literal(_) | Expr::Call(_) => None,
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
