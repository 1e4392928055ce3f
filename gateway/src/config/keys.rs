//! Where keys come from: `env:NAME` or `file:PATH`.
//!
//! In: what stands in the file. Out: a [`KeySource`]. Never: a key that stands in the file itself.

use std::path::Path;

use super::below;
use super::reader::Value;
use crate::secret::{KeySource, Secret};

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
        match std::fs::read_to_string(&path) {
            Ok(text) if !text.trim().is_empty() => Some(Some(KeySource::File(path))),
            Ok(_) => value.refuse(format!("`{written}` is empty"), "put the key into it"),
            Err(error) => value.refuse(
                format!("`{written}` cannot be read: {error}"),
                "name a file that holds the key and nothing else",
            ),
        }
    }

    fn held(&self, value: &Value<'_>, name: &str) -> Option<KeySource> {
        match (self.env)(name).filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(KeySource::Held(Secret::new(&text))),
            None => value.refuse(
                format!("the environment variable `{name}` is not set"),
                "set it before the gateway starts, or name a file",
            ),
        }
    }
}
