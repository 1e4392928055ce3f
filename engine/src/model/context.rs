//! The context: what the host says about this moment, as one JSON object.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::{Map, Value as Json};

use super::distinct::DistinctJson;
use super::keys::KNOWN_KEYS;
use crate::diagnostic::{Code, Diagnostic, Origin};

/// How deeply a context's values may nest.
const MAX_DEPTH: usize = 128;

/// What the host says about this moment; cheap to clone.
///
/// A known key of the wrong type counts as absent; [`Context::diagnostics`] tells.
#[derive(Clone)]
pub struct Context {
    /// Always an object.
    root: Arc<Json>,
    diagnostics: Arc<[Diagnostic]>,
}

/// Why a text or a value is no context.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ContextError {
    /// Not JSON, or nested too deeply.
    #[error("the context is not JSON: {message} at line {line} column {column}")]
    Syntax {
        /// What is wrong.
        message: String,
        /// Where, from 1; 0 when nothing was read.
        line: usize,
        /// Where in the line, in bytes from 1; 0 at its start.
        column: usize,
    },
    /// JSON in which a key stands twice in one object.
    #[error("{message} in the context at line {line} column {column}")]
    KeyTwice {
        /// Which key.
        message: String,
        /// Where the second one ends, from 1.
        line: usize,
        /// Where in the line, in bytes from 1.
        column: usize,
    },
    /// JSON, but no object.
    #[error("the context is {0}, not an object")]
    NotAnObject(&'static str),
    /// Nested too deeply.
    #[error("the context is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl Context {
    /// Reads a context from the text of one JSON object.
    ///
    /// # Errors
    /// [`ContextError`] when the text is empty, no JSON, no object, nested deeper than 128 levels, or has a key twice in one object.
    pub fn from_json(text: &str) -> Result<Self, ContextError> {
        Self::parse(text).and_then(Self::from_value)
    }

    /// Reads the JSON of a context without judging its keys, for hosts that put more into it.
    ///
    /// # Errors
    /// [`ContextError`] when the text is empty, no JSON, nested deeper than 128 levels, or has a key twice in one object.
    pub fn parse(text: &str) -> Result<Json, ContextError> {
        if text.trim_start().is_empty() {
            return Err(ContextError::NotAnObject("empty"));
        }
        if text_depth(text) > MAX_DEPTH {
            return Err(ContextError::TooDeep);
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        DistinctJson::deserialize(&mut reader)
            .and_then(|DistinctJson(value)| reader.end().map(|()| value))
            .map_err(|error| syntax(&error))
    }

    /// Takes a JSON value.
    ///
    /// # Errors
    /// [`ContextError`] when it is no object, or nested deeper than 128 levels.
    pub fn from_value(value: Json) -> Result<Self, ContextError> {
        if depth_exceeds(&value, MAX_DEPTH) {
            return Err(ContextError::TooDeep);
        }
        let mut root = value;
        let Json::Object(map) = &mut root else {
            return Err(ContextError::NotAnObject(kind_of(&root)));
        };
        let known = KNOWN_KEYS.iter();
        let diagnostics = known.filter_map(|key| drop_wrong(map, key.path, key.kind)).collect();
        Ok(Self { root: Arc::new(root), diagnostics })
    }

    /// The known keys that were left out, since their values have the wrong type.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The value at a dotted path, such as `tools[0].name` or `tools.0.name`; null counts as absent.
    pub fn get(&self, path: &str) -> Option<&Json> {
        let path = dotted(path);
        let mut steps = path.split('.');
        let mut value = self.root().get(steps.next()?)?;
        for step in steps {
            value = super::step_into(value, step)?;
        }
        (!value.is_null()).then_some(value)
    }

    /// The string at a dotted path.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(Json::as_str)
    }

    /// The strings of the list at a dotted path; none when there is no list.
    pub fn texts(&self, path: &str) -> Option<Vec<&str>> {
        Some(self.get(path)?.as_array()?.iter().filter_map(Json::as_str).collect())
    }

    /// The same with a value at a dotted path. Objects are made on the way; where something else
    /// stands in the way, the context stays as it is.
    #[must_use]
    pub fn with(&self, path: &str, value: Json) -> Self {
        let mut root = (*self.root).clone();
        let Some(place) = place_of(&mut root, path) else { return self.clone() };
        *place = value;
        self.changed(root).unwrap_or_else(|| self.clone())
    }

    /// The same with these values where it has none: one copy for all of them, and none where nothing is missing.
    pub(crate) fn filled<'v>(
        &self,
        values: impl Iterator<Item = (&'v str, Cow<'v, Json>)>,
    ) -> Self {
        let missing: Vec<_> = values.filter(|(path, _)| self.get(path).is_none()).collect();
        if missing.is_empty() {
            return self.clone();
        }
        let mut root = (*self.root).clone();
        for (path, value) in missing {
            if let Some(place) = place_of(&mut root, path).filter(|place| place.is_null()) {
                *place = value.into_owned();
            }
        }
        self.changed(root).unwrap_or_else(|| self.clone())
    }

    /// Another root, with what was told of this one too; none where it is no context.
    fn changed(&self, root: Json) -> Option<Self> {
        let mut changed = Self::from_value(root).ok()?;
        changed.diagnostics =
            self.diagnostics.iter().chain(&*changed.diagnostics).cloned().collect();
        Some(changed)
    }

    /// Whether it is a clone of the other one.
    pub(crate) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.root, &other.root)
    }

    /// The keys and values.
    pub fn root(&self) -> &Map<String, Json> {
        static EMPTY: LazyLock<Map<String, Json>> = LazyLock::new(Map::new);
        self.root.as_object().unwrap_or(&EMPTY)
    }

    /// The whole object.
    pub fn as_json(&self) -> &Json {
        &self.root
    }
}

impl Default for Context {
    /// The empty object.
    fn default() -> Self {
        Self { root: Arc::new(Json::Object(Map::new())), diagnostics: Arc::from([]) }
    }
}

/// Shows names of keys alone: values are never logged.
impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.root().keys()).finish()
    }
}

/// The place of a path, made where it is not there; none where something else than an object stands in the way.
fn place_of<'r>(root: &'r mut Json, path: &str) -> Option<&'r mut Json> {
    path.split('.').try_fold(root, |place, step| {
        if place.is_null() {
            *place = Json::Object(Map::new());
        }
        Some(place.as_object_mut()?.entry(step).or_insert(Json::Null))
    })
}

/// A path with dots alone: `tools[0].name` is `tools.0.name`.
pub(crate) fn dotted(path: &str) -> Cow<'_, str> {
    if path.contains('[') {
        return Cow::Owned(path.replace('[', ".").replace(']', ""));
    }
    Cow::Borrowed(path)
}

fn syntax(error: &serde_json::Error) -> ContextError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    match error.classify() {
        Category::Data => ContextError::KeyTwice { message, line, column },
        Category::Syntax | Category::Eof | Category::Io => {
            ContextError::Syntax { message, line, column }
        }
    }
}

fn drop_wrong(
    root: &mut Map<String, Json>,
    path: &str,
    kind: super::KeyType,
) -> Option<Diagnostic> {
    let (parents, last) = path.rsplit_once('.').map_or((None, path), |(up, last)| (Some(up), last));
    let holder = match parents {
        None => root,
        Some(parent) => match root.get_mut(parent)? {
            Json::Object(inner) => inner,
            Json::Null => return None,
            other => {
                let message = format!("`{parent}` is {}, not an object", kind_of(other));
                root.remove(parent);
                return Some(wrong_type(message, parent));
            }
        },
    };
    let value = holder.get(last)?;
    if value.is_null() || kind.accepts(value) {
        return None;
    }
    let message = format!("`{path}` is {}, not {}", kind_of(value), kind.described());
    holder.remove(last);
    Some(wrong_type(message, path))
}

fn wrong_type(message: String, path: &str) -> Diagnostic {
    Diagnostic::new(Code::ContextType, message, Origin::Context(path.into()))
        .help("it counts as absent; `promptweave schema context` prints the types")
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// Counted before parsing: the parser's own limit is one level short of ours.
fn text_depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn depth_exceeds(value: &Json, left: usize) -> bool {
    match value {
        Json::Array(items) => left == 0 || items.iter().any(|item| depth_exceeds(item, left - 1)),
        Json::Object(map) => left == 0 || map.values().any(|item| depth_exceeds(item, left - 1)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_context() {
        for (text, error) in [
            ("", "the context is empty, not an object"),
            ("[]", "the context is a list, not an object"),
            ("{", "the context is not JSON: EOF while parsing an object at line 1 column 1"),
            (
                r#"{"user": {"name": "a", "name": "b"}}"#,
                "the key `name` stands twice in the context at line 1 column 29",
            ),
        ] {
            assert_eq!(Context::from_json(text).unwrap_err().to_string(), error);
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(127), "]".repeat(127));
        assert!(Context::from_json(&deep).is_ok(), "127 lists in one object are 128 levels");
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
        assert!(matches!(Context::from_json(&deep), Err(ContextError::TooDeep)));
    }

    #[test]
    fn a_path_reaches_into_lists() {
        let context = Context::from_json(r#"{"tools": [{"name": "read"}, ["x"]]}"#).unwrap();
        for path in ["tools[0].name", "tools.0.name"] {
            assert_eq!(context.text(path), Some("read"), "{path}");
        }
        assert_eq!(context.text("tools[1][0]"), Some("x"));
        for path in ["tools[2]", "tools[0][0]", "tools[]", "[0]", "tools[name]", "[", "]", ""] {
            assert_eq!(context.get(path), None, "{path}");
        }
    }

    #[test]
    fn a_known_key_of_the_wrong_type_counts_as_absent() {
        let context = Context::from_json(r#"{"cwd": 1, "user": "me", "house": 7}"#).unwrap();
        let told: Vec<String> = context.diagnostics().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "warning[context-type] context cwd: `cwd` is a number, not a string",
                "warning[context-type] context user: `user` is a string, not an object",
            ]
        );
        assert!(context.get("cwd").is_none() && context.get("house").is_some());
        let changed = context.with("date", serde_json::json!(1));
        assert_eq!(changed.diagnostics().len(), 3, "what was told before is not forgotten");
    }
}
