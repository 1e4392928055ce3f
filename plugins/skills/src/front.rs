//! The front matter of `SKILL.md`, read leniently.
//!
//! In: the text of a file. Out: its fields, where the body begins, and what had to be forgiven. Never: believes an alias
//! that unfolds into more than the limits.

use serde_json::{Map, Value as Json};

/// A longer front matter is not read.
const MAX_BYTES: usize = 64 * 1024;
/// Values, with those that aliases repeat, and how deep they may lie.
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 16;

/// The front matter of a file.
pub(crate) struct Front {
    pub(crate) fields: Map<String, Json>,
    /// Where the text after it begins, in bytes.
    pub(crate) body: usize,
    pub(crate) repair: Repair,
}

/// What had to be done to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    Nothing,
    /// A value with a colon was put into quotation marks.
    Quoted,
}

/// Reads the front matter; the error is a sentence.
pub(crate) fn read(text: &str) -> Result<Front, String> {
    let (yaml, body) = cut(text).ok_or("it has no front matter between lines `---`")?;
    if yaml.len() > MAX_BYTES {
        return Err(format!("its front matter is larger than {} KiB", MAX_BYTES >> 10));
    }
    match parse(yaml) {
        Ok(fields) => Ok(Front { fields, body, repair: Repair::Nothing }),
        Err(why) => match parse(&quoted(yaml)) {
            Ok(fields) => Ok(Front { fields, body, repair: Repair::Quoted }),
            Err(_) => Err(why),
        },
    }
}

/// The text between two lines `---`, the first of which begins the file, and where the rest begins.
pub(crate) fn cut(text: &str) -> Option<(&str, usize)> {
    let is_border = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_border(line))?.len();
    let mut at = first;
    for line in lines {
        if is_border(line) {
            return Some((&text[first..at], at + line.len()));
        }
        at += line.len();
    }
    None
}

fn parse(yaml: &str) -> Result<Map<String, Json>, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_depth: MAX_DEPTH },
    };
    match serde_saphyr::from_str_with_options::<Json>(yaml, options) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(Json::Null) => Ok(Map::new()),
        Ok(_) => Err("its front matter is no list of keys".into()),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no YAML");
            let first = first.trim().trim_start_matches("error: ");
            Err(format!("its front matter is not YAML: {first}"))
        }
    }
}

/// Every plain value of the first level that holds a colon, in quotation marks.
fn quoted(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len() + 16);
    for line in yaml.lines() {
        match line.split_once(": ") {
            Some((key, value)) if is_key(key) && is_plain(value.trim()) => {
                out.push_str(&format!("{key}: '{}'\n", value.trim().replace('\'', "''")));
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn is_plain(value: &str) -> bool {
    !value.is_empty() && !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '!'])
}
