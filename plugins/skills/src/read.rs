//! The text of a skill, or of one of its files, when it is asked for.
//!
//! In: a skill, a path in its folder. Out: text as the guard lets it. Never: opens a file outside of the skill's folder.

use std::path::Path;

use promptweave_front_matter as front_matter;
use promptweave_guard::{Finding, Guard};

use crate::scan::{FILE, MAX_BYTES, SOURCE, is_below};
use crate::skill::Skill;

/// A text for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Of `SKILL.md` what follows the front matter.
    pub text: String,
    /// What the guard found; its offsets are those of the text as it is in the file, without front matter.
    pub findings: Vec<Finding>,
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The path leads out of the skill's folder.
    #[error("`{0}` leads out of the skill's folder")]
    Outside(String),
    /// The file cannot be read.
    #[error("`{file}` of the skill `{skill}` cannot be read: {why}")]
    Unreadable {
        /// Whose file.
        skill: String,
        /// Its path in the skill's folder.
        file: String,
        /// A sentence.
        why: String,
    },
}

impl Skill {
    /// Its instructions, or one of its files, by a path in its folder; as they are now.
    ///
    /// # Errors
    /// The path leads out; the file is missing, not regular, not UTF-8 or larger than 1 MiB.
    pub fn read(&self, file: Option<&str>) -> Result<Text, ReadError> {
        let name = file.unwrap_or(FILE);
        if !is_below(Path::new(name)) {
            return Err(ReadError::Outside(name.into()));
        }
        let unreadable =
            |why| ReadError::Unreadable { skill: self.name.clone(), file: name.into(), why };
        let folder = self.root.open().and_then(|root| root.beneath(&self.below));
        let folder = folder.map_err(|error| unreadable(error.to_string().to_lowercase()))?;
        let text = folder.text(Path::new(name), MAX_BYTES).map_err(unreadable)?;
        let body =
            if name == FILE { front_matter::cut(&text).map_or(0, |(_, body)| body) } else { 0 };
        let body = text.get(body..).unwrap_or_default();
        let seen = Guard::standard().look(SOURCE, body);
        Ok(Text { text: seen.text.into_owned(), findings: seen.findings })
    }
}
