//! Templates: the Handlebars dialect of packs.
//!
//! In: a source and the names it may use. Out: text in which every byte knows where it comes from and how stable it
//! is, with hinges where something else than the template decided; before that, the names used and every mistake.
//! Never: escapes for HTML, renders a value again, reads anything but its [`Scope`].

mod boundary;
mod call;
mod error;
mod evaluate;
mod expr;
mod frame;
mod grammar;
mod helpers;
mod insert;
mod literal;
mod reader;
mod record;
mod reference;
mod scan;
mod scope;
mod solid;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod words;
mod write;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

pub(crate) use boundary::{REMINDER, contained};
pub(crate) use error::{Issue, IssueKind, TemplateError};
pub use helpers::is_reserved;
pub(crate) use insert::Side;
pub(crate) use reference::{Reference, ReferenceKind};
pub(crate) use scope::{Called, Found, Scope, Supply, Val, json_text};
pub(crate) use words::{Ask, BLANKED, Part, Wanted, Words};

use crate::diagnostic::{Code, Diagnostic, SourceText};
use crate::trace::{Source, Traced};
use error::Mistake;
use evaluate::{Evaluator, Outcome};
use expr::Expr;
use insert::Wish;
use record::{Recorder, Silent, Trace};
use token::Span;
use tree::{Node, Tree};

/// How large the text of a template may become; sources are held to the same.
const MAX_OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// A template; it is parsed when it is first asked for anything.
#[derive(Clone)]
pub struct Template {
    source: Arc<SourceText>,
    /// The same as texts that are made of it name it: made once, not at each evaluation.
    whence: Arc<Source>,
    tree: OnceLock<Tree>,
}

/// What an evaluation yields.
#[derive(Debug)]
pub(crate) struct Evaluated {
    /// Sources of this template and its partials have no section; the caller knows it.
    pub traced: Traced,
    /// Each place once, in the order in which they were met.
    pub issues: Vec<Issue>,
}

/// What becomes of a placeholder without a value. Conditions never complain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    /// It prints nothing, and there is an issue.
    #[default]
    Empty,
    /// The tag is printed as it is written.
    Keep,
    /// The evaluation fails.
    Error,
}

impl Template {
    /// Keeps the source; nothing is parsed yet.
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self { whence: Source::new(Arc::clone(&source)), source, tree: OnceLock::new() }
    }

    /// The source.
    pub fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    fn whence(&self) -> &Arc<Source> {
        &self.whence
    }

    /// Every mistake, in the order of the source. With one the template cannot be evaluated. Whether names exist is for
    /// the caller to see, by [`Template::references`].
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let mistakes = self.tree().mistakes.iter().cloned();
        let mut told: Vec<_> =
            mistakes.map(|mistake| mistake.within(&self.source).diagnostic()).collect();
        for one in &mut told {
            one.help.get_or_insert_with(|| match one.code {
                Code::TemplateLimit => "cut it into smaller components or partials".into(),
                _ => "mend the tag; until then the template cannot be used".into(),
            });
        }
        told
    }

    /// The names that the template uses, in the order of the source; names that begin within `each` or `with` or at
    /// a block parameter are left out.
    pub(crate) fn references(&self) -> &[Reference] {
        &self.tree().references
    }

    /// The paths that the template looks up at its root, in the order of the source.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = self.references().iter().filter(|one| one.kind == ReferenceKind::Path);
        paths.map(|path| &*path.name)
    }

    /// Its own words, and what must hold for each to be printed; none where it has a mistake.
    pub(crate) fn words(&self) -> Option<Words<'_>> {
        let nodes = self.nodes().ok()?;
        Some(words::words(&self.source.text, nodes))
    }

    /// The same template, which also prints section `name` beside every placeholder of `anchor`, one blank line
    /// between, when that section is not blank. Several inserted at one side of one anchor keep the order in which
    /// they came. None when the template has no placeholder of `anchor`.
    pub(crate) fn insert(&self, anchor: &str, name: &str, side: Side) -> Option<Self> {
        let wish = Wish { source: &self.source, anchor, name, side };
        // Many anchors are tried on one template, and few are there.
        let tree = Some(self.tree()).filter(|tree| insert::has_place(&tree.nodes, wish));
        let mut tree = tree?.clone();
        let tag = insert::insert(&mut tree.nodes, wish)?;
        tree.references.push(Reference {
            kind: ReferenceKind::Path,
            name: name.into(),
            range: tag.range(),
        });
        Some(Self {
            source: Arc::clone(&self.source),
            whence: Arc::clone(&self.whence),
            tree: tree.into(),
        })
    }

    /// Where text begins that stands whatever the values are, and that tidying never drops: outside of blocks, not
    /// blank, neither heading nor separator.
    pub(crate) fn solid_text(&self) -> Option<usize> {
        solid::solid_text(&self.source.text, &self.tree().nodes)
    }

    /// Whether it is text and plain placeholders alone, which never ask what a value says, each printed once: of a name
    /// that is printed twice, tidying may have dropped what one of them printed.
    pub(crate) fn is_plain(&self) -> bool {
        let mut printed = BTreeSet::new();
        self.tree().nodes.iter().all(|node| match node {
            Node::Value { expr: Expr::Path(path), .. } => printed.insert(&path.segments),
            Node::Text(_) | Node::Quiet(_) | Node::Boundary(_) => true,
            Node::Value { .. } | Node::Block(_) | Node::Partial(_) | Node::Insert(_) => false,
        })
    }

    /// Evaluates the template.
    ///
    /// # Errors
    /// A mistake of the template or a partial, a name that must exist and does not, a limit: nesting, steps, size.
    pub(crate) fn evaluate(
        &self,
        scope: &dyn Scope,
        missing: Missing,
    ) -> Result<Evaluated, TemplateError> {
        let (text, trace, issues) = self.run::<Trace>(scope, missing)?;
        Ok(Evaluated { traced: trace.finish(text), issues })
    }

    /// The text alone, without the cost of knowing where it comes from.
    pub(crate) fn evaluate_text(
        &self,
        scope: &dyn Scope,
        missing: Missing,
    ) -> Result<String, TemplateError> {
        Ok(self.run::<Silent>(scope, missing)?.0)
    }

    fn run<R: Recorder>(
        &self,
        scope: &dyn Scope,
        missing: Missing,
    ) -> Result<(String, R, Vec<Issue>), TemplateError> {
        Evaluator::run(self, scope, missing).map_err(|error| *error)
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            if self.source.text.len() <= MAX_OUTPUT_BYTES {
                return tree::parse(&self.source.text);
            }
            let message = format!("the template is larger than {} MiB", MAX_OUTPUT_BYTES >> 20);
            let mistake = Mistake::new(Code::TemplateLimit, message, Span::new(0, 0));
            Tree { mistakes: vec![mistake], ..Tree::default() }
        })
    }

    /// The nodes of a template without mistakes.
    fn nodes(&self) -> Outcome<&[Node]> {
        let tree = self.tree();
        match tree.mistakes.first() {
            Some(mistake) => Err(Box::new(mistake.clone().within(&self.source))),
            None => Ok(&tree.nodes),
        }
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({}, {} bytes)", self.source.origin, self.source.text.len())
    }
}
