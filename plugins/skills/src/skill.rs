//! A skill, as far as its front matter tells.

use std::path::PathBuf;

use crate::files::Root;

/// Whose skill it is; one of a project comes before one of the user with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Found below the user's home.
    User,
    /// Found in the project.
    Project,
}

impl Scope {
    /// The name in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Whether a model is offered a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// It stands in the index.
    Offered,
    /// Only a user can ask for it: `disable-model-invocation`.
    Hidden,
}

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// By which it is asked for; one line, not empty.
    pub name: String,
    /// What it does and when to use it; one line, not empty.
    pub description: String,
    /// `metadata.category`.
    pub category: Option<String>,
    /// `metadata.tags`, in order.
    pub tags: Vec<String>,
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `allowed-tools`, word by word.
    pub allowed_tools: Vec<String>,
    /// Whether a model is offered it.
    pub listing: Listing,
    /// Whose it is.
    pub scope: Scope,
    /// Its `SKILL.md`.
    pub path: PathBuf,
    pub(crate) root: Root,
    /// Its folder, below the root.
    pub(crate) below: PathBuf,
}
