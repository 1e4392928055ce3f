//! Where keys come from: `env:NAME` or `file:PATH`.
//!
//! In: what stands in the file. Out: a [`KeySource`]. Never: a key that stands in the file itself.

use std::path::Path;

use super::below;
use super::reader::Value;
use crate::secret::{KeySource, Secret, from_file};

/// What keys are read from.
pub(super) struct Keys<'k> {
    /// Where relative paths begin.
    pub(super) folder: &'k Path,
    /// The environment.
    pub(super) env: &'k dyn Fn(&str) -> Option<String>,
}

impl Keys<'_> {
    /// The key that a value names.
    pub(super) fn source(&self, value: &Value<'_>) -> Option<KeySource> {
        match self.named(value)? {
            Some(source) => Some(source),
            None => value.refuse(
                format!("`{}` holds neither `env:NAME` nor `file:PATH`", value.key()),
                "keys do not stand in this file: name the variable or the file that holds it",
            ),
        }
    }

    /// The same, and nothing in it for a text that names no source.
    pub(super) fn named(&self, value: &Value<'_>) -> Option<Option<KeySource>> {
        let text = value.text()?;
        if let Some(name) = text.strip_prefix("env:") {
            return self.held(value, name).map(Some);
        }
        let Some(path) = text.strip_prefix("file:") else { return Some(None) };
        let (written, path) = (path, below(self.folder, path));
        match from_file(&path) {
            Ok(_) => Some(Some(KeySource::File(path))),
            Err(why) => value.refuse(
                format!("`{}` {why}", written.escape_debug()),
                "name a file that holds the key and nothing else",
            ),
        }
    }

    fn held(&self, value: &Value<'_>, name: &str) -> Option<KeySource> {
        let secret = (self.env)(name).map_or(Err("is not set"), |text| Secret::new(&text));
        match secret {
            Ok(secret) => Some(KeySource::Held(secret)),
            Err(why) => value.refuse(
                format!("the environment variable `{}` {why}", name.escape_debug()),
                "set it to the key before the gateway starts, or name a file",
            ),
        }
    }
}
