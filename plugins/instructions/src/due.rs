//! Whether a rule is in force.
//!
//! In: when it applies, what is touched. Out: now or later. Never: reads a touched file unless a rule looks at its text, and
//! none outside of the repository.

use std::path::Path;

use crate::files::{self, Bounds};
use crate::place::Ground;
use crate::rule::{Applies, Due};

/// Bytes of a touched file in which an expression is looked for.
const MAX_TOUCHED_BYTES: usize = 1024 * 1024;

/// Whether a rule is in force for the touched files, apart from being named.
pub(crate) fn due(applies: &Applies, ground: &Ground) -> Due {
    if is_due(applies, ground) { Due::Now } else { Due::Later }
}

fn is_due(applies: &Applies, ground: &Ground) -> bool {
    let mut touched = ground.touched.iter();
    match applies {
        Applies::Always => true,
        Applies::Paths(globs) => touched.any(|path| globs.matches(path)),
        Applies::Content { regex, paths } => touched.any(|path| {
            let is_named = paths.as_ref().is_none_or(|globs| globs.matches(path));
            is_named && touched_text(path, &ground.top).is_some_and(|text| regex.is_match(&text))
        }),
        Applies::Described(_) | Applies::Manual => false,
    }
}

fn touched_text(path: &Path, top: &Path) -> Option<String> {
    let opened = files::read(path, &Bounds::Below(vec![top.into()]), MAX_TOUCHED_BYTES).ok()?;
    Some(String::from_utf8_lossy(&opened.bytes).into_owned())
}
