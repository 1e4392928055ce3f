//! The front matter of a Markdown file: YAML between two lines `---`, as people write it.
//!
//! In: the text of a file. Out: its fields, where the body begins, and whether quotation marks had to be added. Never: believes an
//! alias that unfolds into more than the limits; knows what a key means.
//!
//! ```
//! use promptweave_front_matter::{Repair, read};
//!
//! let front = read("---\nglobs: *.ts\n---\nNo `any`.")?;
//! assert_eq!((&front.fields["globs"], front.repair), (&"*.ts".into(), Repair::Quoted));
//! assert_eq!(front.body, 20);
//! # Ok::<(), promptweave_front_matter::FrontError>(())
//! ```
#![forbid(unsafe_code)]

mod quote;

use serde_json::{Map, Value as Json};

/// A longer front matter is not read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;
/// Values, with those that aliases repeat, and how deep they may lie.
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 16;

/// The front matter of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// By key, in the order of the keys.
    pub fields: Map<String, Json>,
    /// Where the text after it begins, in bytes.
    pub body: usize,
    /// What had to be done to read it.
    pub repair: Repair,
}

/// What had to be done to read a front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// It is YAML.
    Nothing,
    /// Values were put into quotation marks: `globs: *.ts` and `description: a: b` are written everywhere.
    Quoted,
}

/// Why a front matter cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontError {
    /// The text does not begin with a line `---`, or there is no second one.
    #[error("it has no front matter between lines `---`")]
    Absent,
    /// It is longer than [`MAX_BYTES`].
    #[error("its front matter is larger than {} KiB", MAX_BYTES >> 10)]
    TooLarge,
    /// It is YAML, but a list or a single value.
    #[error("its front matter is no list of keys")]
    NoKeys,
    /// It is no YAML, or over the limits; in the words of the reader.
    #[error("its front matter is not YAML: {0}")]
    NoYaml(String),
}

/// Reads the front matter of a text. One without a key, or with nothing but comments, has no fields.
///
/// # Errors
/// There is none, it is too large, or it can be read neither as it is nor with quotation marks around its values.
pub fn read(text: &str) -> Result<Front, FrontError> {
    let (yaml, body) = cut(text).ok_or(FrontError::Absent)?;
    if yaml.len() > MAX_BYTES {
        return Err(FrontError::TooLarge);
    }
    match parse(yaml) {
        Ok(fields) => Ok(Front { fields, body, repair: Repair::Nothing }),
        Err(why) => match parse(&quote::quoted(yaml)) {
            Ok(fields) => Ok(Front { fields, body, repair: Repair::Quoted }),
            Err(_) => Err(why),
        },
    }
}

/// The text between two lines `---`, the first of which begins the file, and where the rest begins, in bytes. Blanks behind the
/// dashes do not count.
pub fn cut(text: &str) -> Option<(&str, usize)> {
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

fn parse(yaml: &str) -> Result<Map<String, Json>, FrontError> {
    if yaml.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Map::new());
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_depth: MAX_DEPTH },
    };
    match serde_saphyr::from_str_with_options::<Json>(yaml, options) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(Json::Null) => Ok(Map::new()),
        Ok(Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
            Err(FrontError::NoKeys)
        }
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no YAML");
            Err(FrontError::NoYaml(first.trim().trim_start_matches("error: ").to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fields(yaml: &str) -> Json {
        read(&format!("---\n{yaml}\n---\n")).unwrap().fields.into()
    }

    #[test]
    fn it_is_cut_off() {
        assert_eq!(cut("---\na: 1\n---\nb"), Some(("a: 1\n", 13)));
        assert_eq!(cut("---\n---"), Some(("", 7)));
        assert_eq!(cut("--- \na: 1\n---  \nb").map(|(_, body)| body), Some(16));
        assert_eq!(cut("a\n---\nb\n---"), None);
        assert_eq!(cut("---\na: 1"), None);
    }

    #[test]
    fn what_is_yaml_is_read_as_it_is() {
        assert_eq!(
            fields("a: 1\nb: [x, z]\nc: {d: e}"),
            json!({"a": 1, "b": ["x", "z"], "c": {"d": "e"}})
        );
        assert_eq!(fields("# nothing\n"), json!({}));
        assert_eq!(fields(""), json!({}));
        assert_eq!(read("---\n- a\n---\n"), Err(FrontError::NoKeys));
        assert_eq!(read("a: 1"), Err(FrontError::Absent));
    }

    /// What else stands in a front matter that needs quotation marks keeps its type.
    #[test]
    fn what_needs_quotation_marks_gets_them() {
        let written = "globs: *.ts,*.js\nabout: it's: so\nalways: true\npaths:\n  - **/*.md\nmeta: {kind: x}\n\
                       text: |\n  - a: b\n  - c";
        let expected = json!({
            "globs": "*.ts,*.js", "about": "it's: so", "always": true, "paths": ["**/*.md"],
            "meta": {"kind": "x"}, "text": "- a: b\n- c\n",
        });
        assert_eq!(fields(written), expected);
        assert_eq!(fields("globs: {a,b}/*.ts"), json!({"globs": "{a,b}/*.ts"}));
        assert_eq!(fields("globs: {**/*.ts,*.x}"), json!({"globs": "{**/*.ts,*.x}"}));
    }

    #[test]
    fn an_alias_bomb_stays_small() {
        let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (one, before) in ('b'..='i').zip('a'..) {
            let list = vec![format!("*{before}"); 9].join(", ");
            yaml.push_str(&format!("{one}: &{one} [{list}]\n"));
        }
        assert!(matches!(parse(&yaml), Err(FrontError::NoYaml(_))));
        let front = read(&format!("---\n{yaml}---\n")).unwrap();
        assert!(front.fields.values().all(Json::is_string), "in quotation marks it is text");
        let list = yaml.replace(": &", ":\n  &");
        assert!(matches!(read(&format!("---\n{list}---\n")), Err(FrontError::NoYaml(_))));
        let large = "#\n".repeat(MAX_BYTES);
        assert_eq!(read(&format!("---\n{large}---\n")), Err(FrontError::TooLarge));
    }

    proptest! {
        #[test]
        fn anything_may_stand_there(yaml in "([-a-c:*&!{}\\[\\]'\"|># \n]|é){0,60}") {
            let text = format!("---\n{yaml}\n---\nrest");
            if let Ok(front) = read(&text) {
                prop_assert!(text.is_char_boundary(front.body));
            }
        }
    }
}
