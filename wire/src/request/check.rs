//! The types of a request's fields: what is wrong is told by its path.
//!
//! In: a request. Out: the first field that is of another type than the Messages API's. Never: judges a field that it does not know,
//! or a value that only a provider can judge. Null stands for a field that is left out.

use serde_json::Value as Json;

use super::RequestError;

/// What a field holds.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Text,
    /// The name of a model: it may become a segment of a path.
    Model,
    Truth,
    /// A number from 0 on.
    Number,
    /// A whole number from 0 on.
    Count,
    Word(&'static [&'static str]),
    List(&'static Shape),
    Object(Fields),
    /// A text or blocks.
    Content,
}

/// The fields of an object that are looked at.
type Fields = &'static [(&'static str, Shape)];

const REQUEST: Fields = &[
    ("model", Shape::Model),
    ("max_tokens", Shape::Count),
    ("messages", Shape::List(&Shape::Object(MESSAGE))),
    ("system", Shape::Content),
    ("stream", Shape::Truth),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("top_k", Shape::Count),
    ("stop_sequences", Shape::List(&Shape::Text)),
    ("tools", Shape::List(&Shape::Object(TOOL))),
    ("tool_choice", Shape::Object(CHOICE)),
    ("thinking", Shape::Object(&[("type", Shape::Text), ("budget_tokens", Shape::Count)])),
    ("metadata", Shape::Object(&[("user_id", Shape::Text)])),
    ("cache_control", MARK),
    ("output_config", Shape::Object(OUTPUT)),
];
const MESSAGE: Fields =
    &[("role", Shape::Word(&["user", "assistant", "system"])), ("content", Shape::Content)];
const TOOL: Fields = &[
    ("name", Shape::Text),
    ("type", Shape::Text),
    ("description", Shape::Text),
    ("input_schema", Shape::Object(&[])),
    ("cache_control", MARK),
];
const CHOICE: Fields = &[
    ("type", Shape::Word(&["auto", "any", "tool", "none"])),
    ("name", Shape::Text),
    ("disable_parallel_tool_use", Shape::Truth),
];
const OUTPUT: Fields = &[
    ("effort", Shape::Text),
    ("format", Shape::Object(&[("type", Shape::Text), ("schema", Shape::Object(&[]))])),
];
const MARK: Shape = Shape::Object(&[("type", Shape::Text), ("ttl", Shape::Text)]);
const SOURCE: Shape = Shape::Object(&[
    ("type", Shape::Text),
    ("media_type", Shape::Text),
    ("data", Shape::Text),
    ("url", Shape::Text),
]);

/// The fields of a kind of block.
fn block(kind: &str) -> Fields {
    match kind {
        "text" => &[("text", Shape::Text), ("cache_control", MARK)],
        "image" => &[("source", SOURCE), ("cache_control", MARK)],
        "document" => &[("source", SOURCE), ("title", Shape::Text), ("cache_control", MARK)],
        "tool_use" => &[
            ("id", Shape::Text),
            ("name", Shape::Text),
            ("input", Shape::Object(&[])),
            ("cache_control", MARK),
        ],
        "tool_result" => &[
            ("tool_use_id", Shape::Text),
            ("content", Shape::Content),
            ("is_error", Shape::Truth),
            ("cache_control", MARK),
        ],
        "thinking" => &[("thinking", Shape::Text), ("signature", Shape::Text)],
        "redacted_thinking" => &[("data", Shape::Text)],
        _ => &[("cache_control", MARK)],
    }
}

/// Looks at the fields of a request.
///
/// # Errors
/// The first that is of another type.
pub(super) fn check(request: &Json) -> Result<(), RequestError> {
    fields(request, REQUEST, &mut String::new())
}

fn fields(object: &Json, known: Fields, at: &mut String) -> Result<(), RequestError> {
    for (key, shape) in known {
        match object.get(key) {
            None | Some(Json::Null) => {}
            Some(value) => below(at, key, |at| fits(value, *shape, at))?,
        }
    }
    Ok(())
}

/// Does something at a place below.
fn below(
    at: &mut String,
    key: &str,
    each: impl FnOnce(&mut String) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    let length = at.len();
    at.push('/');
    at.push_str(key);
    let done = each(at);
    at.truncate(length);
    done
}

fn fits(value: &Json, shape: Shape, at: &mut String) -> Result<(), RequestError> {
    let wrong = |wanted: String, at: &str| Err(RequestError::Type { at: at.to_owned(), wanted });
    match (shape, value) {
        (Shape::Text, Json::String(_)) | (Shape::Truth, Json::Bool(_)) => Ok(()),
        (Shape::Number, Json::Number(number)) if number.as_f64().is_some_and(|n| n >= 0.0) => {
            Ok(())
        }
        (Shape::Count, _) if value.is_u64() => Ok(()),
        (Shape::Word(words), Json::String(word)) if words.contains(&word.as_str()) => Ok(()),
        (Shape::List(inner), Json::Array(items)) => {
            each(items, at, |item, at| fits(item, *inner, at))
        }
        (Shape::Object(known), Json::Object(_)) => fields(value, known, at),
        (Shape::Content, Json::String(_)) => Ok(()),
        (Shape::Content, Json::Array(items)) => each(items, at, blocks),
        (Shape::Model, Json::String(name)) if is_model(name) => Ok(()),
        (Shape::Model, _) => wrong("the name of a model".into(), at),
        (Shape::Text, _) => wrong("a text".into(), at),
        (Shape::Truth, _) => wrong("`true` or `false`".into(), at),
        (Shape::Number, _) => wrong("a number from 0 on".into(), at),
        (Shape::Count, _) => wrong("a whole number from 0 on".into(), at),
        (Shape::Word(words), _) => wrong(format!("one of `{}`", words.join("`, `")), at),
        (Shape::List(_), _) => wrong("a list".into(), at),
        (Shape::Object(_), _) => wrong("an object".into(), at),
        (Shape::Content, _) => wrong("a text or a list of blocks".into(), at),
    }
}

/// The longest name of a model, in bytes: that of an ARN.
const MAX_MODEL_BYTES: usize = 2048;

fn is_model(name: &str) -> bool {
    let is_segment = !matches!(name, "" | "." | "..");
    is_segment && name.len() <= MAX_MODEL_BYTES && !name.contains(char::is_control)
}

fn each(
    items: &[Json],
    at: &mut String,
    check: impl Fn(&Json, &mut String) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    let mut numbered = items.iter().enumerate();
    numbered.try_for_each(|(number, item)| below(at, &number.to_string(), |at| check(item, at)))
}

fn blocks(item: &Json, at: &mut String) -> Result<(), RequestError> {
    fits(item, Shape::Object(&[("type", Shape::Text)]), at)?;
    let kind = item.get("type").and_then(Json::as_str).unwrap_or_default();
    if matches!(kind, "image" | "document") && item.get("source").is_none_or(Json::is_null) {
        return Err(RequestError::Missing { at: format!("{at}/source") });
    }
    fields(item, block(kind), at)
}
