//! What a rule says about itself: one model for all formats.
//!
//! In: nothing. Out: [`Rule`]s, which discovery fills. Never: reads a file.

use std::path::PathBuf;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::globs::Globs;

/// Whose rule it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The organisation's, for the whole machine.
    Managed,
    /// The user's, for every project.
    User,
    /// The project's, shared by those who work on it.
    Project,
    /// The user's, for this project.
    Local,
}

impl Scope {
    /// Its name in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// When a rule is in force.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Applies {
    /// From the start.
    Always,
    /// Once work touches a path that a glob names.
    Paths(Globs),
    /// Once work touches a file whose text matches; with globs, only one that they name.
    Content {
        /// The expression, in the syntax of the crate `regex`.
        regex: Regex,
        /// Which files are looked at; none: all.
        paths: Option<Globs>,
    },
    /// When the agent finds that the description fits; the text is given on demand.
    Described(String),
    /// When the user names it.
    Manual,
}

impl Applies {
    /// Its name: `always`, `paths`, `content`, `described`, `manual`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Paths(_) => "paths",
            Self::Content { .. } => "content",
            Self::Described(_) => "described",
            Self::Manual => "manual",
        }
    }
}

/// One rule, or one instruction file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The name by which a user or an agent asks for it: its `name`, else the file's name without its endings.
    pub name: String,
    /// Where it lies, without links.
    pub file: PathBuf,
    /// The same as people read it: below the project's top, `~/…`, or absolute.
    pub path: String,
    /// Whose it is.
    pub scope: Scope,
    /// When it is in force.
    pub applies: Applies,
    /// Its text without front matter and what the host removes, with inline imports in their places; at most
    /// 1 MiB for each file in it. The imports of a rule that waits are not followed, and a file that waits because nothing
    /// below its folder is touched is not even read.
    pub pieces: Vec<Piece>,
    pub(crate) due: Due,
    /// Which source of the profile named it.
    pub(crate) source: usize,
    /// How many steps its folder has: of those above the working folder the nearest one has most.
    pub(crate) depth: usize,
    /// Where the report tells of it.
    pub(crate) entry: usize,
}

impl Rule {
    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// The length of the whole text in bytes.
    pub(crate) fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.text.len()).sum()
    }
}

/// Whether a rule is in force for the files that are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    Later,
}

/// A run of text that comes from one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The file and the line, from 1, of its first byte; none for what stands around files.
    pub from: Option<(String, u32)>,
}
