//! What there is to tell about skills that were found.

use std::path::PathBuf;

/// What a note is about; stable for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// It was left out: unreadable, no front matter, no name or description.
    SkillInvalid,
    /// It was taken, though it does not keep to the format.
    SkillLenient,
    /// Another skill of the same name came first.
    SkillCollision,
    /// It belongs to a project that is not trusted.
    SkillUntrusted,
    /// Folders too deep or too many to look into, or a link that leads out of the project.
    SkillBounds,
    /// A folder of skills, or one that it lies in, belongs to another user of the machine.
    SkillForeign,
    /// The guard found something in its description or its text.
    SkillSuspicious,
    /// The index did not fit: descriptions were shortened or left out, or skills were.
    SkillsCut,
}

impl Code {
    /// The name, e.g. `skill-invalid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SkillInvalid => "skill-invalid",
            Self::SkillLenient => "skill-lenient",
            Self::SkillCollision => "skill-collision",
            Self::SkillUntrusted => "skill-untrusted",
            Self::SkillBounds => "skill-bounds",
            Self::SkillForeign => "skill-foreign",
            Self::SkillSuspicious => "skill-suspicious",
            Self::SkillsCut => "skills-cut",
        }
    }
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// Good to know.
    Note,
    /// A skill is missing, or not what it seems.
    Warning,
}

/// One thing to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub code: Code,
    /// How much it matters.
    pub gravity: Gravity,
    /// The file or folder that it is about.
    pub path: PathBuf,
    /// Lower case, no full stop, names in backticks; without the path.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

impl Note {
    pub(crate) fn warning(code: Code, path: PathBuf, message: String, help: &'static str) -> Self {
        Self { code, gravity: Gravity::Warning, path, message, help }
    }

    pub(crate) fn remark(code: Code, path: PathBuf, message: String, help: &'static str) -> Self {
        Self { code, gravity: Gravity::Note, path, message, help }
    }
}
