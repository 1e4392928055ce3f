//! Builds the tree of a template from its tokens.
//!
//! In: a source. Out: a [`Tree`]: nodes with byte ranges, the names used, and every mistake.
//! Never: copies text; white space that a tag takes away is cut from the range. Nests at most as deep as the scanner
//! allows, so that a tree can be walked and dropped by recursion.

use super::error::Mistake;
use super::expr::{Expr, Function, Head, PartialHead, Test};
use super::grammar::block_name;
use super::helpers::Builtin;
use super::insert::Insert;
use super::reader::{Outside, Reader};
use super::reference::Reference;
use super::scan::scan;
use super::token::{Kind, Span, Tag, Token};

/// How many mistakes of one template are told.
const MAX_MISTAKES: usize = 50;

/// A template as it is evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// In the order of the source.
    pub references: Vec<Reference>,
    /// With a mistake the template is not evaluated.
    pub mistakes: Vec<Mistake>,
}

/// A part of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Template text, as it stands in the source.
    Text(Span),
    /// `{{x}}`
    Value { expr: Expr, tag: Span },
    /// A tag within a line that prints nothing by itself, such as a comment.
    Quiet(Span),
    /// `{{cache_boundary}}`
    Boundary(Span),
    /// `{{#if x}} ... {{/if}}` with all its `else`
    Block(Box<Block>),
    /// `{{> name}}`
    Partial(Box<Partial>),
    /// A section that a patch put there.
    Insert(Box<Insert>),
}

impl Node {
    /// Where it stands in its source; of a block its opening tag.
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Text(span) | Self::Quiet(span) | Self::Boundary(span) => *span,
            Self::Value { tag, .. } => *tag,
            Self::Block(block) => block.open,
            Self::Partial(partial) => partial.tag,
            Self::Insert(insert) => insert.tag,
        }
    }
}

/// A block. An `else` chain is one list, so that a long one does not nest.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Asked in order; the first that holds is printed.
    pub arms: Vec<Arm>,
    /// Printed when none holds.
    pub otherwise: Vec<Node>,
    pub open: Span,
    /// Whether the opening tag stands alone on its line.
    pub open_alone: bool,
    pub close: Span,
    /// Whether the closing tag stands alone on its line.
    pub close_alone: bool,
}

/// A test and what is printed when it holds.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    pub head: Head,
    pub body: Vec<Node>,
    pub tag: Span,
}

/// A partial tag.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub head: PartialHead,
    /// The blanks before it, when it stands alone on its line.
    pub indent: Option<Span>,
    pub alone: bool,
    /// The end of its line, when it stands alone there; a text that does not end a line is followed by it.
    pub line_end: Option<Span>,
    pub tag: Span,
}

/// Parses a template, on to the end whatever is wrong with it.
pub(super) fn parse(source: &str) -> Tree {
    let (tokens, mistake) = scan(source);
    let mut builder = Builder {
        source,
        reader: Reader::new(source),
        nodes: Vec::new(),
        open: Vec::new(),
        mistakes: Vec::new(),
        texts: Vec::new(),
        trim: Trim::Nothing,
    };
    for token in tokens {
        match token {
            Token::Text(span) => builder.texts.push(span),
            Token::Tag(tag) => builder.tag(&tag),
        }
    }
    builder.finish(mistake)
}

/// What a tag takes from the text beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trim {
    Nothing,
    /// Blanks and the line end, as the tag stands alone on its line.
    Line,
    /// All white space, as the tag has a `~`.
    All,
}

/// A block whose end has not come yet.
struct Open {
    name: Box<str>,
    kind: Kind,
    block: Block,
    outer: Vec<Node>,
    outside: Outside,
    in_otherwise: bool,
}

/// Takes tokens in order; mistakes are noted and gone over.
struct Builder<'s> {
    source: &'s str,
    reader: Reader<'s>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    mistakes: Vec<Mistake>,
    /// Text since the last tag; escapes cut it.
    texts: Vec<Span>,
    /// What the last tag takes from it.
    trim: Trim,
}

impl Builder<'_> {
    fn tag(&mut self, tag: &Tag) {
        let alone = tag.kind != Kind::Value && stands_alone(self.source, tag.span);
        let before = match (tag.trim_before, alone) {
            (true, _) => Trim::All,
            (false, true) => Trim::Line,
            (false, false) => Trim::Nothing,
        };
        self.flush(before);
        self.trim = match (tag.trim_after, alone) {
            (true, _) => Trim::All,
            (false, true) => Trim::Line,
            (false, false) => Trim::Nothing,
        };
        let done = match tag.kind {
            Kind::Value => self.value(tag),
            Kind::Open | Kind::RawOpen => self.open(tag, alone),
            Kind::Else | Kind::ElseIf => self.otherwise(tag),
            Kind::Close | Kind::RawClose => self.close(tag, alone),
            Kind::Partial => self.partial(tag, alone),
            Kind::Comment => {
                if !alone {
                    self.nodes.push(Node::Quiet(tag.span));
                }
                Ok(())
            }
            Kind::Decorator | Kind::DecoratorBlock | Kind::PartialBlock | Kind::ElseName => {
                self.refuse(tag);
                Ok(())
            }
        };
        if let Err(mistake) = done {
            self.mistakes.push(mistake);
        }
    }

    /// Turns the text since the last tag into nodes.
    fn flush(&mut self, before: Trim) {
        if let Some(first) = self.texts.first_mut() {
            let text = first.of(self.source);
            let kept = match self.trim {
                Trim::Nothing => text,
                Trim::Line => strip_line_end(text.trim_start_matches([' ', '\t'])),
                Trim::All => text.trim_start(),
            };
            first.start = first.end - kept.len() as u32;
        }
        if let Some(last) = self.texts.last_mut() {
            let text = last.of(self.source);
            let kept = match before {
                Trim::Nothing => text,
                Trim::Line => text.trim_end_matches([' ', '\t']),
                Trim::All => text.trim_end(),
            };
            last.end = last.start + kept.len() as u32;
        }
        let texts = self.texts.drain(..).filter(|span| !span.is_empty());
        self.nodes.extend(texts.map(Node::Text));
    }

    /// A value; the boundary looks like one.
    fn value(&mut self, tag: &Tag) -> Result<(), Mistake> {
        let node = match self.reader.value(tag)? {
            Expr::Call(call) if call.function == Function::Builtin(Builtin::CacheBoundary) => {
                Node::Boundary(tag.span)
            }
            expr => Node::Value { expr, tag: tag.span },
        };
        self.nodes.push(node);
        Ok(())
    }

    /// Begins a block: the nodes so far wait until it ends.
    fn open(&mut self, tag: &Tag, alone: bool) -> Result<(), Mistake> {
        let head = self.reader.head(tag);
        // A block with a mistake stays a block, so that its end finds it.
        let read = head.clone().unwrap_or(Head { test: Test::Always, params: Vec::new() });
        let outside = self.reader.enter(&read);
        self.open.push(Open {
            name: block_name(tag.body.of(self.source)).into(),
            kind: tag.kind,
            block: Block {
                arms: vec![Arm { head: read, body: Vec::new(), tag: tag.span }],
                otherwise: Vec::new(),
                open: tag.span,
                open_alone: alone,
                close: tag.span,
                close_alone: true,
            },
            outer: std::mem::take(&mut self.nodes),
            outside,
            in_otherwise: false,
        });
        head.map(|_| ())
    }

    /// Ends one arm of the block and begins the next, in the frame outside.
    fn otherwise(&mut self, tag: &Tag) -> Result<(), Mistake> {
        let Some(open) = self.open.last_mut() else {
            return Err(Mistake::syntax("`else` stands in no block", tag.span)
                .help("open one before it, e.g. `{{#if name}}`"));
        };
        if open.in_otherwise {
            return Err(Mistake::syntax("`else` comes after the last `else`", tag.span)
                .help("a block has one `else`; further tests are `{{else if name}}` before it"));
        }
        open.end_arm(&mut self.nodes);
        self.reader.leave(open.outside);
        if tag.kind == Kind::Else {
            open.in_otherwise = true;
            return Ok(());
        }
        let head = self.reader.head(tag)?;
        self.reader.enter(&head);
        open.block.arms.push(Arm { head, body: Vec::new(), tag: tag.span });
        Ok(())
    }

    /// Ends the innermost block, also under a wrong name.
    fn close(&mut self, tag: &Tag, alone: bool) -> Result<(), Mistake> {
        let name = tag.body.of(self.source);
        let Some(mut open) = self.open.pop() else {
            let mistake = Mistake::syntax(format!("`{name}` is closed but not open"), tag.span);
            return Err(mistake.help(format!("open it by `{{{{#{name} ...}}}}`, or take this out")));
        };
        open.end_arm(&mut self.nodes);
        self.reader.leave(open.outside);
        self.nodes = open.outer;
        (open.block.close, open.block.close_alone) = (tag.span, alone);
        if matches!(open.kind, Kind::Open | Kind::RawOpen) {
            self.nodes.push(Node::Block(Box::new(open.block)));
        }
        if name == &*open.name {
            return Ok(());
        }
        let message = format!("`{}` is open, but `{name}` is closed", open.name);
        let help =
            format!("close it by `{{{{/{}}}}}`: the block opened last is closed first", open.name);
        Err(Mistake::syntax(message, tag.span).help(help))
    }

    /// A partial; alone on its line, it indents its lines by the blanks before it.
    fn partial(&mut self, tag: &Tag, alone: bool) -> Result<(), Mistake> {
        let head = self.reader.partial(tag)?;
        let before = &self.source[..tag.span.start as usize];
        let line = before.trim_end_matches([' ', '\t']).len();
        let indent = Span::new(line, before.len());
        let indent = (alone && !tag.trim_before && !indent.is_empty()).then_some(indent);
        let line_end = (alone && !tag.trim_after).then(|| line_end(self.source, tag.span));
        let partial = Partial { head, indent, alone, line_end, tag: tag.span };
        self.nodes.push(Node::Partial(Box::new(partial)));
        Ok(())
    }

    /// Tells of a construct that this dialect does not have; one that opens a block is skipped with its body.
    fn refuse(&mut self, tag: &Tag) {
        let (message, help) = match tag.kind {
            Kind::Decorator => ("this dialect has no decorators", "leave it out"),
            Kind::DecoratorBlock => {
                ("this dialect has no inline partials", "put the text into a file of its own")
            }
            Kind::PartialBlock => (
                "this dialect has no partial blocks",
                "pass text as a named argument: `{{> name text=value}}`",
            ),
            _ => (
                "a name that begins with `else` cannot be printed",
                "rename it, or put a blank behind `else` to go on with the block",
            ),
        };
        if matches!(tag.kind, Kind::DecoratorBlock | Kind::PartialBlock) {
            // Its own mistake is told below, not what its head says.
            let _ = self.open(tag, true);
        }
        self.mistakes.push(Mistake::refused(message, tag.span).help(help));
    }

    /// Ends the source. When the scanner stopped early, blocks are open for that reason.
    fn finish(mut self, mistake: Option<Mistake>) -> Tree {
        self.flush(Trim::Nothing);
        let stopped = mistake.is_some();
        self.mistakes.extend(mistake);
        while let Some(open) = self.open.pop() {
            self.nodes = open.outer;
            if !stopped {
                let message = format!("the block `{}` is not closed", open.name);
                let help = format!("close it by `{{{{/{}}}}}`", open.name);
                self.mistakes.push(Mistake::syntax(message, open.block.open).help(help));
            }
        }
        self.mistakes.sort_by_key(|mistake| mistake.span.start);
        self.mistakes.truncate(MAX_MISTAKES);
        Tree { nodes: self.nodes, references: self.reader.references, mistakes: self.mistakes }
    }
}

impl Open {
    /// Gives the nodes read so far to the arm they belong to.
    fn end_arm(&mut self, nodes: &mut Vec<Node>) {
        let nodes = std::mem::take(nodes);
        match self.block.arms.last_mut() {
            Some(arm) if !self.in_otherwise => arm.body = nodes,
            _ => self.block.otherwise = nodes,
        }
    }
}

/// Whether only blanks stand beside the tag, up to a line end or an end of the source.
fn stands_alone(source: &str, tag: Span) -> bool {
    let range = tag.range();
    let before = source[..range.start].trim_end_matches([' ', '\t']);
    let behind = source[range.end..].trim_start_matches([' ', '\t']);
    (before.is_empty() || before.ends_with(['\n', '\r']))
        && (behind.is_empty() || behind.starts_with(['\n', '\r']))
}

/// The line end behind a tag that stands alone.
fn line_end(source: &str, tag: Span) -> Span {
    let behind = source[tag.range().end..].trim_start_matches([' ', '\t']);
    let rest = source.len() - strip_line_end(behind).len();
    Span::new(source.len() - behind.len(), rest)
}

fn strip_line_end(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}
