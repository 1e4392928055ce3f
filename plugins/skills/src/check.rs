//! Holds a skill to the letter of the format.
//!
//! In: the fields of a front matter, the name of the folder, the body. Out: each departure from agentskills.io's
//! specification. Never: leaves a skill out; loading is lenient.
//!
//! Of the two readings of the specification (`a-z`, or any lower-case letter of Unicode) this takes the narrow one: names are
//! typed, and compared byte by byte.

use serde_json::{Map, Value as Json};

const MAX_NAME_CHARS: usize = 64;
pub(crate) const MAX_DESCRIPTION_CHARS: usize = 1024;
const MAX_COMPATIBILITY_CHARS: usize = 500;
/// What the specification advises as the length of a body.
const ADVISED_LINES: usize = 500;
const ADVISED_TOKENS: usize = 5000;
const KEYS: &[&str] =
    &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// One departure from the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Lower case, no full stop, names in backticks.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// All departures of the text of a `SKILL.md` in a folder of that name; the error says why it cannot be read at all.
///
/// # Errors
/// A sentence: no front matter, or no YAML in it.
pub fn check(folder: &str, text: &str) -> Result<Vec<Fault>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let front = promptweave_front_matter::read(text).map_err(|why| why.to_string())?;
    let mut faults = faults(folder, &front.fields);
    if front.repair == promptweave_front_matter::Repair::Quoted {
        let message = "a value with a colon is not in quotation marks".into();
        faults.insert(0, Fault { message, help: "put it into quotation marks" });
    }
    faults.extend(of_body(text.get(front.body..).unwrap_or_default()));
    Ok(faults)
}

/// What is wrong with the fields.
pub(crate) fn faults(folder: &str, fields: &Map<String, Json>) -> Vec<Fault> {
    let mut faults = Vec::new();
    name(folder, fields, &mut faults);
    text(fields, "description", MAX_DESCRIPTION_CHARS, Needed::Yes, &mut faults);
    text(fields, "license", usize::MAX, Needed::No, &mut faults);
    text(fields, "compatibility", MAX_COMPATIBILITY_CHARS, Needed::No, &mut faults);
    text(fields, "allowed-tools", usize::MAX, Needed::No, &mut faults);
    if let Some(metadata) = fields.get("metadata") {
        let is_map = metadata.as_object().is_some_and(|map| map.values().all(Json::is_string));
        if !is_map {
            let message = "`metadata` is no map of texts".into();
            faults.push(Fault { message, help: "write `key: \"text\"` below it" });
        }
    }
    for key in fields.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let message = format!("`{key}` is no key of the format");
        faults.push(Fault { message, help: "remove it, or put it below `metadata`" });
    }
    faults
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Yes,
    No,
}

fn text(
    fields: &Map<String, Json>,
    key: &str,
    most: usize,
    needed: Needed,
    faults: &mut Vec<Fault>,
) {
    let wrong = match fields.get(key) {
        None if needed == Needed::Yes => format!("`{key}` is missing"),
        None => return,
        Some(Json::String(text)) if text.trim().is_empty() => format!("`{key}` is empty"),
        Some(Json::String(text)) => match text.chars().count() {
            count if count > most => format!("`{key}` has {count} characters, at most {most}"),
            _ => return,
        },
        Some(_) => format!("`{key}` is no text"),
    };
    faults.push(Fault { message: wrong, help: "see the fields at agentskills.io/specification" });
}

fn name(folder: &str, fields: &Map<String, Json>, faults: &mut Vec<Fault>) {
    let before = faults.len();
    text(fields, "name", MAX_NAME_CHARS, Needed::Yes, faults);
    let Some(name) = fields.get("name").and_then(Json::as_str).filter(|_| faults.len() == before)
    else {
        return;
    };
    let in_shape = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !in_shape || name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        let message = format!("`{}` is no name of a skill", crate::index::one_line(name));
        let help = "use a-z, 0-9 and single hyphens between them";
        faults.push(Fault { message, help });
    }
    if name != folder {
        let message = format!("its name is not that of its folder `{folder}`");
        faults.push(Fault { message, help: "rename one of them" });
    }
}

fn of_body(body: &str) -> Vec<Fault> {
    let (lines, tokens) = (body.lines().count(), crate::index::tokens(body));
    let mut faults = Vec::new();
    if body.trim().is_empty() {
        let message = "it has no instructions after the front matter".into();
        faults.push(Fault { message, help: "write them there" });
    }
    if lines > ADVISED_LINES || tokens > ADVISED_TOKENS {
        let message = format!("it has {lines} lines and about {tokens} tokens");
        let help = "keep it below 500 lines and 5,000 tokens; move details to `references/`";
        faults.push(Fault { message, help });
    }
    faults
}
