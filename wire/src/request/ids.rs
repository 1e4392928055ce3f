//! Names and ids that the provider takes.
//!
//! In: those of the request. Out: the same where they fit, else others that are made of them: equal ones stay equal. Never: one that
//! depends on anything but itself, for a changed prefix empties caches.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::Writing;
use super::form::{Choice, Form, Kind};
use crate::abilities::IdForm;
use crate::note::NoteCode;

/// Letters of a digest that a shortened name ends with.
const DIGEST: usize = 8;
/// The longest id of the plain form.
const MAX_ID: usize = 64;

/// Fits names and ids, and gives the tools' own names by those that they are declared with.
pub(super) fn apply(form: &mut Form<'_>, writing: &mut Writing<'_>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let max = writing.abilities.max_name;
    for tool in &mut form.tools {
        if let Some(short) = shortened(&tool.name, max) {
            writing.note(NoteCode::NameShortened, "/tools");
            names.insert(short.clone(), tool.name.to_string());
            tool.name = short.into();
        }
    }
    if let Some(Choice::Tool(name)) = &mut form.choice {
        *name = shortened(name, max).map_or_else(|| name.clone(), Cow::Owned);
    }
    for message in &mut form.messages {
        for block in &mut message.blocks {
            let id = match &mut block.kind {
                Kind::Call { id, name, .. } => {
                    *name = shortened(name, max).map_or_else(|| name.clone(), Cow::Owned);
                    id
                }
                Kind::Result { id, .. } => id,
                _ => continue,
            };
            if let Some(other) = fitted(id, writing.abilities.ids) {
                *id = other.into();
                writing.note(NoteCode::IdChanged, format!("/messages/{}", message.at));
            }
        }
    }
    names
}

/// A name that is too long, or holds what no API takes, as one that fits.
fn shortened(name: &str, max: usize) -> Option<String> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.len() <= max && name.chars().all(is_safe) {
        return None;
    }
    let safe = name.chars().map(|c| if is_safe(c) { c } else { '_' });
    let front: String = safe.take(max.saturating_sub(DIGEST + 1)).collect();
    Some(format!("{front}_{}", &digest(name)[..DIGEST]))
}

fn fitted(id: &str, form: IdForm) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match form {
        IdForm::Any => None,
        IdForm::Plain if (1..=MAX_ID).contains(&id.len()) && id.chars().all(is_plain) => None,
        IdForm::Plain => Some(format!("call_{}", &digest(id)[..24])),
        IdForm::Nine if id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()) => None,
        IdForm::Nine => Some(digest(id)[..9].to_owned()),
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays() {
        assert_eq!(shortened("read_file", 64), None);
        let long = "a".repeat(70);
        let short = shortened(&long, 64).unwrap();
        assert_eq!((short.len(), &short[..56]), (64, format!("{}_", "a".repeat(55)).as_str()));
        assert_ne!(shortened(&(long.clone() + "b"), 64), Some(short));
        assert_eq!(shortened("a.b", 64).unwrap().len(), 12);
        assert_eq!(fitted("toolu_1", IdForm::Plain), None);
        assert_eq!(fitted("toolu_1", IdForm::Nine).unwrap().len(), 9);
        assert_eq!(fitted("abcDEF123", IdForm::Nine), None);
        assert_eq!(fitted("", IdForm::Plain).unwrap().len(), 29);
    }
}
