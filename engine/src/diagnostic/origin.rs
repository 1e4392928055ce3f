//! Where a thing was written: a place in a file, an item of an extension, a key of the context.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};

use super::{OneLine, tree};

/// Some editors put it before a text; it is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file as it was read: the name it is shown by and its text.
pub struct SourceFile {
    name: Box<str>,
    text: Cow<'static, str>,
    line_starts: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// Keeps `text` under the name that diagnostics show.
    pub fn new(name: impl Into<Box<str>>, text: impl Into<Box<str>>) -> Arc<Self> {
        let text = Cow::Owned(String::from(text.into()));
        Arc::new(Self { name: name.into(), text, line_starts: OnceLock::new() })
    }

    /// The same for a text that is part of the program, without a copy.
    pub fn embedded(name: impl Into<Box<str>>, text: &'static str) -> Arc<Self> {
        let text = Cow::Borrowed(text);
        Arc::new(Self { name: name.into(), text, line_starts: OnceLock::new() })
    }

    /// The name shown to people: a path for a file on disk.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let starts = self.line_starts.get_or_init(|| {
            std::iter::once(0)
                .chain(memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1))
                .collect()
        });
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = starts.partition_point(|&start| start <= offset);
        let column = self.text[starts[line - 1]..offset].chars().count() + 1;
        (line, column)
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({}, {} bytes)", self.name, self.text.len())
    }
}

/// Where something comes from.
#[derive(Clone, Debug, Default)]
pub enum Origin {
    /// Made by the engine itself; nothing to point at.
    #[default]
    Engine,
    /// Bytes `span` of a file.
    File {
        /// The file.
        file: Arc<SourceFile>,
        /// Byte range in it.
        span: Range<usize>,
    },
    /// A line of a file that code read, e.g. of the rules of a project.
    Line {
        /// The file, as the code names it.
        file: Arc<str>,
        /// From 1; 0 when it is not known.
        line: u32,
    },
    /// An item that code supplied.
    Item {
        /// The extension's name.
        extension: Arc<str>,
        /// The item's id; empty for the extension itself.
        item: Arc<str>,
    },
    /// A value of the context, by its dotted path.
    Context(Arc<str>),
}

impl Origin {
    /// A byte range of a file.
    pub fn file(file: &Arc<SourceFile>, span: Range<usize>) -> Self {
        Self::File { file: Arc::clone(file), span }
    }

    /// The name of the file, where there is one.
    pub fn file_name(&self) -> Option<&str> {
        match self {
            Self::File { file, .. } => Some(file.name()),
            Self::Line { file, .. } => Some(file),
            Self::Engine | Self::Item { .. } | Self::Context(_) => None,
        }
    }

    /// Line and column, both from 1, where there is a file.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Self::File { file, span } => Some(file.position(span.start)),
            Self::Engine | Self::Line { .. } | Self::Item { .. } | Self::Context(_) => None,
        }
    }

    /// The same origin in JSON: `{file, line, column}`, `{file, line}`, `{extension, item}`, `{context}` or `{}`.
    pub fn to_json(&self) -> serde_json::Value {
        tree(self)
    }

    /// Reads what [`Origin::to_json`] wrote; a place in a file comes back as a line of it.
    pub(crate) fn from_json(json: &serde_json::Value) -> Self {
        let text = |key: &str| json[key].as_str().map(Arc::from);
        match (text("file"), text("extension"), text("context")) {
            (Some(file), ..) => {
                Self::Line { file, line: json["line"].as_u64().unwrap_or_default() as u32 }
            }
            (_, Some(extension), _) => {
                Self::Item { extension, item: text("item").unwrap_or_default() }
            }
            (_, _, Some(path)) => Self::Context(path),
            (None, None, None) => Self::Engine,
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let shape = match self {
            Self::Engine => Shape::Engine {},
            Self::File { file, span } => {
                let (line, column) = file.position(span.start);
                Shape::File { column, file: file.name(), line }
            }
            Self::Line { file, line } => Shape::Line { file, line: *line },
            Self::Item { extension, item } => Shape::Item { extension, item },
            Self::Context(path) => Shape::Context { context: path },
        };
        shape.serialize(to)
    }
}

/// An origin in JSON, the keys in order.
#[derive(Serialize)]
#[serde(untagged)]
enum Shape<'o> {
    Engine {},
    File { column: usize, file: &'o str, line: usize },
    Line { file: &'o str, line: u32 },
    Item { extension: &'o str, item: &'o str },
    Context { context: &'o str },
}

/// `file:line:column`, `file:line`, `extension/item`, `context key` or `engine`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine => f.write_str("engine"),
            Self::File { file, span } => {
                let (line, column) = file.position(span.start);
                write!(f, "{}:{line}:{column}", OneLine(file.name()))
            }
            Self::Line { file, line: 0 } => OneLine(file).fmt(f),
            Self::Line { file, line } => write!(f, "{}:{line}", OneLine(file)),
            Self::Item { extension, item } if item.is_empty() => OneLine(extension).fmt(f),
            Self::Item { extension, item } => write!(f, "{}/{}", OneLine(extension), OneLine(item)),
            Self::Context(path) => write!(f, "context {}", OneLine(path)),
        }
    }
}

/// A text that a pack or an extension supplied, and where its bytes stand.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The text as it is used.
    pub text: Arc<str>,
    /// The place of the whole text.
    pub origin: Origin,
    /// Whether each byte of the text is one byte of the file, in order, from the origin's start on.
    /// Not so for a TOML string with escapes.
    pub exact: bool,
}

impl SourceText {
    /// A text without a file, e.g. one that code supplied.
    pub fn new(text: impl Into<Arc<str>>, origin: Origin) -> Arc<Self> {
        Arc::new(Self { text: text.into(), origin, exact: false })
    }

    /// A whole file; one final line end is not part of it.
    pub fn whole(file: &Arc<SourceFile>) -> Arc<Self> {
        Self::part(file, 0..file.text().len())
    }

    /// A part of a file; one final line end is not part of the text. Empty when there is no such part.
    pub fn part(file: &Arc<SourceFile>, range: Range<usize>) -> Arc<Self> {
        let part = file.text().get(range.clone()).unwrap_or_default();
        let text = part.strip_prefix(BYTE_ORDER_MARK).filter(|_| range.start == 0).unwrap_or(part);
        let start = range.start + (part.len() - text.len());
        let text =
            text.strip_suffix('\n').map_or(text, |rest| rest.strip_suffix('\r').unwrap_or(rest));
        let origin = Origin::file(file, start..start + text.len());
        Arc::new(Self { text: text.into(), origin, exact: true })
    }

    /// The place of a part of the text; of the whole text when its bytes cannot be told apart.
    pub fn origin_of(&self, range: Range<usize>) -> Origin {
        match &self.origin {
            Origin::File { file, span } if self.exact => {
                Origin::file(file, span.start + range.start..span.start + range.end)
            }
            other => other.clone(),
        }
    }
}
