//! Parses one TOML file, and collects what is wrong with it.
//!
//! In: a file. Out: the parser's tree, and diagnostics in the order of the file. Never: fails.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};

/// Above this size nothing is read of a text that is not TOML.
const MAX_RECOVERED_BYTES: usize = 64 * 1024;
/// More mistakes of one file are counted, not told.
const MAX_TOLD: usize = 50;

/// One file that is being read, and what was found wrong in it.
pub(crate) struct Reader<'f> {
    file: &'f Arc<SourceFile>,
    /// Where the TOML starts in the file: not at 0 in front matter.
    offset: usize,
    told: RefCell<Vec<Diagnostic>>,
    /// How many more there are.
    untold: Cell<usize>,
}

impl<'f> Reader<'f> {
    /// Reads TOML that starts at byte `offset` of a file.
    pub(crate) fn new(file: &'f Arc<SourceFile>, offset: usize) -> Self {
        Self { file, offset, told: RefCell::default(), untold: Cell::default() }
    }

    /// The tree of the TOML text; none when it is no TOML, which is told.
    pub(crate) fn parse<'t>(&self, text: &'t str) -> Option<DeTable<'t>> {
        let tree = DeTable::parse(text).map(Spanned::into_inner);
        tree.map_err(|error| self.syntax(&error, "mend it; until then the file is left out")).ok()
    }

    /// The same, but what can be read of a broken text is there.
    pub(crate) fn parse_what_can_be<'t>(&self, text: &'t str) -> DeTable<'t> {
        let error = match DeTable::parse(text) {
            Ok(tree) => return tree.into_inner(),
            Err(error) => error,
        };
        self.syntax(&error, "mend it; until then only a part of the file is read");
        match text.len() {
            // Each mistake costs memory, and there may be one in each byte.
            0..=MAX_RECOVERED_BYTES => DeTable::parse_recoverable(text).0.into_inner(),
            _ => DeTable::new(),
        }
    }

    /// Tells the first mistake alone: those behind it mostly follow from it.
    fn syntax(&self, error: &toml::de::Error, help: &str) {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        self.tell(Code::TomlSyntax, error.span().unwrap_or(0..0), message, help);
    }

    /// The file.
    pub(crate) fn file(&self) -> &Arc<SourceFile> {
        self.file
    }

    /// Where the TOML starts in the file.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The place of a range of the TOML text.
    pub(crate) fn origin(&self, span: Range<usize>) -> Origin {
        Origin::file(self.file, span.start + self.offset..span.end + self.offset)
    }

    /// The place of the whole file.
    pub(crate) fn start(&self) -> Origin {
        Origin::file(self.file, 0..0)
    }

    /// Tells a mistake at a range of the TOML text.
    pub(crate) fn tell(
        &self,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, message, self.origin(span)).help(help));
    }

    /// Tells what another reader found.
    pub(crate) fn push(&self, diagnostic: Diagnostic) {
        let mut told = self.told.borrow_mut();
        if told.len() < MAX_TOLD {
            told.push(diagnostic);
        } else {
            self.untold.set(self.untold.get() + 1);
        }
    }

    /// How much was told so far.
    pub(crate) fn count(&self) -> usize {
        self.told.borrow().len() + self.untold.get()
    }

    /// Everything that was told, in the order of the file.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let (mut told, untold) = (self.told.into_inner(), self.untold.into_inner());
        told.sort_by_key(|one| match &one.origin {
            Origin::File { span, .. } => span.start,
            Origin::Engine | Origin::Line { .. } | Origin::Item { .. } | Origin::Context(_) => 0,
        });
        if let (Some(last), 1..) = (told.last(), untold) {
            let message = format!("and {untold} more mistakes in this file");
            let more = Diagnostic::new(last.code, message, last.origin.clone());
            told.push(more.help("mend those above first"));
        }
        told
    }
}
