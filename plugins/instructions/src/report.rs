//! What became of each file, and why.
//!
//! In: what discovery met. Out: [`Entry`]s, with a code for tools and a sentence for people. Never: holds a file's
//! text.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::rule::Scope;

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The path as people read it.
    pub path: String,
    /// Whose it is.
    pub scope: Scope,
    /// The file that imports it.
    pub via: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// What else there is to say.
    pub notes: Vec<Note>,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is in the text, with that many bytes.
    Read(usize),
    /// Its beginning is in the text.
    Truncated {
        /// How many bytes are in the text.
        kept: usize,
        /// How many it has.
        of: usize,
    },
    /// It is not in force now; the word says what it waits for: `paths`, `content`, `described` or `manual`.
    Waiting(&'static str),
    /// It was read before: under this path.
    Duplicate(String),
    /// It is not read.
    Skipped(Skip),
}

/// Why a file is not in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// It holds nothing, or white space.
    Empty,
    /// An import names it, and it is not there.
    Missing,
    /// It has more bytes than this.
    TooLarge(usize),
    /// It is a pipe, a socket or a device.
    NotRegular,
    /// It holds NUL, so it is no text.
    Binary,
    /// The system refuses it, for this reason.
    Unreadable(String),
    /// A project file leads out of the project, to this path, which the user has not approved.
    Outside(String),
    /// An import of an address.
    Address,
    /// It imports itself, by way of others.
    Cycle,
    /// It is imported over more files than this.
    TooDeep(usize),
    /// The user leaves it out.
    Excluded,
    /// Another file of its folder counts.
    Instead(String),
    /// Files of this group were found, and the host then does not read it.
    Unless(String),
    /// A file that is nearer counts.
    Farther(String),
    /// The cap of the host, in bytes, was reached before.
    OverCap(usize),
    /// It has the name in other letters than this, which a case-sensitive system does not find.
    OtherCase(String),
    /// There are more files than this.
    TooMany(usize),
}

/// What is worth knowing of a file, whatever became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A byte order mark was removed.
    ByteOrderMark,
    /// Line ends are `\n` now.
    LineEnds,
    /// Bytes that are no UTF-8 became U+FFFD.
    InvalidUtf8,
    /// Comments were removed, as the host does.
    Comments,
    /// It is a link to this path.
    Link(String),
    /// The front matter cannot be read, so that the rule is always in force.
    FrontBroken,
    /// The front matter is no YAML, but is with quotes around its values.
    FrontQuoted,
    /// A key of the front matter that the host does not read; these profiles do.
    UnknownKey(String, Vec<String>),
    /// A key of the front matter whose value is of the wrong kind, and that therefore says nothing.
    WrongKind(String),
    /// A glob that matches nothing, for it cannot be read.
    BadGlob(String),
    /// A glob with more alternatives than are looked at, taken literally.
    LiteralGlob(String),
    /// An expression that cannot be read, so that the rule is never in force.
    BadRegex,
    /// The file or its folder belongs to another user.
    Foreign(u32),
    /// It has the same text as this file.
    SameText(String),
}

impl Entry {
    /// What a tool asks for: `read`, `truncated`, `waiting`, `duplicate`, or why it was skipped, such as `outside`.
    pub fn code(&self) -> &'static str {
        match &self.outcome {
            Outcome::Read(_) => "read",
            Outcome::Truncated { .. } => "truncated",
            Outcome::Waiting(_) => "waiting",
            Outcome::Duplicate(_) => "duplicate",
            Outcome::Skipped(skip) => skip.code(),
        }
    }

    /// One sentence, without the path: lower case, no full stop, names in backticks.
    pub fn message(&self) -> String {
        match &self.outcome {
            Outcome::Read(bytes) => format!("{bytes} bytes"),
            Outcome::Truncated { kept, of } => format!("{kept} of {of} bytes"),
            Outcome::Waiting(what) => format!("waits for {}", awaited(what)),
            Outcome::Duplicate(of) => format!("was read before as `{of}`"),
            Outcome::Skipped(Skip::Outside(to)) if *to == self.path => Skip::outside(),
            Outcome::Skipped(skip) => skip.message(),
        }
    }

    /// What to do about it, where something can be done.
    pub fn help(&self) -> Option<&'static str> {
        match &self.outcome {
            Outcome::Truncated { .. } => Some("shorten it, or move parts to rules for some paths"),
            Outcome::Skipped(skip) => skip.help(),
            Outcome::Read(_) | Outcome::Waiting(_) | Outcome::Duplicate(_) => None,
        }
    }

    /// Whether its author probably meant something else.
    pub fn is_warning(&self) -> bool {
        let skipped = match &self.outcome {
            Outcome::Truncated { .. } => true,
            Outcome::Skipped(skip) => skip.help().is_some(),
            Outcome::Read(_) | Outcome::Waiting(_) | Outcome::Duplicate(_) => false,
        };
        skipped || self.notes.iter().any(Note::is_warning)
    }
}

fn awaited(what: &str) -> &'static str {
    match what {
        "paths" => "work on a path that it names",
        "content" => "work on a file whose text matches",
        "described" => "the agent, which reads its description",
        _ => "the user, who names it",
    }
}

impl Skip {
    fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Missing => "missing",
            Self::TooLarge(_) => "too-large",
            Self::NotRegular => "not-regular",
            Self::Binary => "binary",
            Self::Unreadable(_) => "unreadable",
            Self::Outside(_) => "outside",
            Self::Address => "address",
            Self::Cycle => "cycle",
            Self::TooDeep(_) => "too-deep",
            Self::Excluded => "excluded",
            Self::Instead(_) => "instead",
            Self::Unless(_) => "unless",
            Self::Farther(_) => "farther",
            Self::OverCap(_) => "over-cap",
            Self::OtherCase(_) => "other-case",
            Self::TooMany(_) => "too-many",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Empty => "is empty".into(),
            Self::Missing => "is not there".into(),
            Self::TooLarge(most) => format!("has more than {most} bytes"),
            Self::NotRegular => "is no regular file".into(),
            Self::Binary => "is no text".into(),
            Self::Unreadable(why) => format!("cannot be read: {why}"),
            Self::Outside(to) => format!("{}, to `{to}`", Self::outside()),
            Self::Address => "is an address, not a path".into(),
            Self::Cycle => "imports itself".into(),
            Self::TooDeep(hops) => format!("is more than {hops} imports away"),
            Self::Excluded => "is excluded".into(),
            Self::Instead(other) => format!("`{other}` counts in its folder"),
            Self::Unless(group) => format!("is not read beside files of `{group}`"),
            Self::Farther(nearer) => format!("`{nearer}` is nearer"),
            Self::OverCap(most) => format!("comes after the cap of {most} bytes"),
            Self::OtherCase(name) => format!("is not `{name}`"),
            Self::TooMany(most) => format!("comes after {most} others"),
        }
    }

    fn outside() -> String {
        "leads out of the project".into()
    }

    fn help(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::Excluded | Self::Instead(_) | Self::Unless(_) => None,
            Self::Farther(_) | Self::Missing | Self::Cycle => None,
            Self::TooLarge(_) => Some("shorten it"),
            Self::NotRegular => Some("put a file in its place"),
            Self::Binary => Some("save it as UTF-8"),
            Self::Unreadable(_) => Some("let the user read it, or remove it"),
            Self::Outside(_) => Some("copy it into the project, or add it to `approved`"),
            Self::Address => Some("save it as a file"),
            Self::TooDeep(_) => Some("import it from a file that is nearer"),
            Self::OverCap(_) => Some("shorten the files before it"),
            Self::OtherCase(_) => Some("rename it"),
            Self::TooMany(_) => Some("join some of them"),
        }
    }
}

impl Note {
    /// One sentence, as that of an entry.
    pub fn message(&self) -> String {
        match self {
            Self::ByteOrderMark => "a byte order mark is removed".into(),
            Self::LineEnds => "its line ends are made `\\n`".into(),
            Self::InvalidUtf8 => "it is no UTF-8 throughout; U+FFFD stands for what is not".into(),
            Self::Comments => "its comments are removed".into(),
            Self::Link(to) => format!("it is a link to `{to}`"),
            Self::FrontBroken => "its front matter cannot be read, so it is always in force".into(),
            Self::FrontQuoted => {
                "its front matter is YAML only with quotes around its values".into()
            }
            Self::UnknownKey(key, by) if by.is_empty() => format!("nobody reads its key `{key}`"),
            Self::UnknownKey(key, by) => {
                format!("its key `{key}` is read by `{}` alone", by.join("`, `"))
            }
            Self::WrongKind(key) => format!("its key `{key}` has a value of the wrong kind"),
            Self::BadGlob(glob) => format!("the glob `{glob}` cannot be read and matches nothing"),
            Self::LiteralGlob(glob) => {
                format!("the glob `{glob}` has too many braces and is taken literally")
            }
            Self::BadRegex => "its expression cannot be read, so it is never in force".into(),
            Self::Foreign(user) => format!("it, or its folder, belongs to the user {user}"),
            Self::SameText(other) => format!("it has the text of `{other}`"),
        }
    }

    /// Whether its author probably meant something else.
    pub fn is_warning(&self) -> bool {
        match self {
            Self::ByteOrderMark | Self::LineEnds | Self::Comments | Self::Link(_) => false,
            Self::FrontQuoted | Self::UnknownKey(..) | Self::SameText(_) => false,
            Self::InvalidUtf8 | Self::FrontBroken | Self::WrongKind(_) | Self::BadGlob(_) => true,
            Self::LiteralGlob(_) | Self::BadRegex | Self::Foreign(_) => true,
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("scope", &self.scope)?;
        if let Some(via) = &self.via {
            map.serialize_entry("via", via)?;
        }
        map.serialize_entry("outcome", self.code())?;
        map.serialize_entry("message", &self.message())?;
        let notes: Vec<String> = self.notes.iter().map(Note::message).collect();
        map.serialize_entry("notes", &notes)?;
        map.end()
    }
}
