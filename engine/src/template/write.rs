//! How an evaluation writes, counts and complains.
//!
//! In: text, tags and classes. Out: bytes with their pieces, hinges, issues and errors.
//! Never: decides what is printed.

use super::error::{Issue, IssueKind, Mistake};
use super::evaluate::{Evaluator, Outcome};
use super::expr::{Call, Expr, Function};
use super::helpers::Builtin;
use super::record::Recorder;
use super::token::Span;
use super::{MAX_OUTPUT_BYTES, Missing};
use crate::diagnostic::Code;
use crate::trace::{CacheClass, Mark, MarkKind, Piece, PieceKind, Traced};
use std::sync::Arc;

/// How deep blocks and partials may nest together.
const MAX_DEPTH: usize = 256;
/// How many parts of templates, rounds of loops and arguments are evaluated.
const MAX_STEPS: usize = 1_000_000;

impl<R: Recorder> Evaluator<'_, R> {
    pub(super) fn template_text(&mut self, span: Span, class: CacheClass) -> Outcome<()> {
        let (source, mut at) = (self.here.text, span.start);
        if self.indents.is_empty() {
            return self.write(span.of(&source.text), PieceKind::Template, class, at);
        }
        for line in span.of(&source.text).split_inclusive('\n') {
            self.indent(line, class)?;
            self.write(line, PieceKind::Template, class, at)?;
            at += line.len() as u32;
        }
        Ok(())
    }

    pub(super) fn value_text(&mut self, text: &str, tag: Span, class: CacheClass) -> Outcome<()> {
        self.indent(text, class)?;
        self.write(text, PieceKind::Value, class, tag.start)
    }

    /// A finished section in a frame of that class; its own pieces know their classes.
    pub(super) fn section(
        &mut self,
        section: &Traced,
        tag: Span,
        class: CacheClass,
    ) -> Outcome<()> {
        if section.text.is_empty() {
            self.quiet(tag, class);
            return Ok(());
        }
        self.indent(&section.text, class)?;
        let start = self.text.len() as u32;
        self.append(&section.text, tag)?;
        self.recorder.splice(section, start, class);
        Ok(())
    }

    /// A placeholder without a value.
    pub(super) fn nothing(
        &mut self,
        expr: &Expr,
        unknown: bool,
        tag: Span,
        class: CacheClass,
    ) -> Outcome<()> {
        let Some((kind, name)) = absence(expr, unknown) else {
            self.quiet(tag, class);
            return Ok(());
        };
        let name = &name;
        match self.missing {
            Missing::Keep => {
                let written = tag.of(&self.here.text.text);
                self.write(written, PieceKind::Template, class, tag.start)
            }
            Missing::Empty => {
                self.issue(kind, name, tag);
                self.quiet(tag, class);
                Ok(())
            }
            Missing::Error => {
                let message = format!("`{name}` has no value");
                Err(self.error(Mistake::new(Code::PlaceholderMissing, message, tag)))
            }
        }
    }

    /// A tag that prints nothing; tidying must know that it stood there.
    pub(super) fn quiet(&mut self, tag: Span, class: CacheClass) {
        self.piece(PieceKind::Value, class, tag.start);
    }

    pub(super) fn boundary(&mut self, tag: Span, class: CacheClass) {
        self.recorder.mark(self.mark(MarkKind::Boundary, CacheClass::Static, tag), None);
        self.quiet(tag, class);
    }

    /// A place where something of that class decided what stands there.
    pub(super) fn hinge(&mut self, class: CacheClass, cause: Option<&Arc<str>>, tag: Span) {
        if class > CacheClass::Static {
            self.line = self.line.max(class);
            self.recorder.mark(self.mark(MarkKind::Hinge, class, tag), cause);
        }
    }

    fn mark(&self, kind: MarkKind, class: CacheClass, tag: Span) -> Mark {
        let (at, source) = (self.text.len() as u32, self.here.source);
        Mark { kind, at, class, source, site: tag.start, cause: 0 }
    }

    pub(super) fn issue(&mut self, kind: IssueKind, name: &Arc<str>, tag: Span) {
        if self.told.insert((Arc::as_ptr(self.here.text).addr(), tag.start)) {
            let (name, text) = (Arc::clone(name), Arc::clone(self.here.text));
            self.issues.push(Issue { kind, name, text, range: tag.range() });
        }
    }

    pub(super) fn error(&self, mistake: Mistake) -> Box<super::TemplateError> {
        Box::new(mistake.within(self.here.text))
    }

    /// Counts one part of the work.
    pub(super) fn step(&mut self, tag: Span) -> Outcome<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = format!("the template takes more than {MAX_STEPS} steps");
            return Err(self.error(Mistake::new(Code::TemplateLimit, message, tag)));
        }
        Ok(())
    }

    /// Counts one level of blocks and partials.
    pub(super) fn deeper(&mut self, tag: Span) -> Outcome<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("blocks and partials nest deeper than {MAX_DEPTH}");
            return Err(self.error(Mistake::new(Code::TemplateLimit, message, tag)));
        }
        Ok(())
    }

    /// Writes the blanks of the partial tags around, where `text` begins a line and does not end it at once.
    fn indent(&mut self, text: &str, class: CacheClass) -> Outcome<()> {
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        if self.indents.is_empty() || !begins || text.is_empty() || text.starts_with(['\n', '\r']) {
            return Ok(());
        }
        let class = class.max(self.line);
        for at in 0..self.indents.len() {
            let indent = self.indents[at];
            let inner = std::mem::replace(&mut self.here, indent.here);
            let blanks = indent.span.of(&indent.here.text.text);
            self.write(blanks, PieceKind::Template, class, indent.span.start)?;
            self.here = inner;
        }
        Ok(())
    }

    fn write(&mut self, text: &str, kind: PieceKind, class: CacheClass, at: u32) -> Outcome<()> {
        self.append(text, Span { start: at, end: at })?;
        if kind == PieceKind::Template && !text.is_empty() {
            self.line = class;
        }
        self.piece(kind, class, at);
        Ok(())
    }

    fn append(&mut self, text: &str, tag: Span) -> Outcome<()> {
        if self.text.len() + text.len() > MAX_OUTPUT_BYTES {
            let message = format!("the text is larger than {} MiB", MAX_OUTPUT_BYTES >> 20);
            return Err(self.error(Mistake::new(Code::SectionTooLarge, message, tag)));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn piece(&mut self, kind: PieceKind, class: CacheClass, at: u32) {
        let (end, source) = (self.text.len() as u32, self.here.source);
        self.recorder.piece(Piece { end, kind, class, source, at });
    }
}

/// What is missing when an expression prints nothing, and the name to tell; none when that is all right.
fn absence(expr: &Expr, unknown: bool) -> Option<(IssueKind, Arc<str>)> {
    let kind = if unknown { IssueKind::Unknown } else { IssueKind::Absent };
    match expr {
        Expr::Path(path) => Some((kind, Arc::clone(&path.name))),
        Expr::Local(local) => Some((kind, Arc::clone(&local.written))),
        Expr::Literal(_) => None,
        Expr::Call(call) => match call.function {
            Function::Builtin(Builtin::Tool) => Some((IssueKind::Role, role(call))),
            Function::Builtin(Builtin::ToolDocs) | Function::Host => None,
            Function::Builtin(_) => Some((kind, Arc::clone(subject(call)))),
        },
    }
}

/// The role that `tool` asks for, as far as it is written out.
fn role(call: &Call) -> Arc<str> {
    match call.args.first() {
        Some(Expr::Literal(literal)) => literal.as_str().unwrap_or_default().into(),
        _ => Arc::clone(subject(call)),
    }
}

/// The first path in a call, else its name.
fn subject(call: &Call) -> &Arc<str> {
    let named = call.args.iter().find_map(|arg| match arg {
        Expr::Path(path) => Some(&path.name),
        Expr::Local(local) => Some(&local.written),
        Expr::Call(inner) => Some(subject(inner)),
        Expr::Literal(_) => None,
    });
    named.unwrap_or(&call.name)
}
