//! Values that are put on top of a context.
//!
//! In: a context's object, paths and values. Out: the same object with them. Never: judges a key.

use promptweave::{Context, ContextError};
use serde_json::{Map, Value as Json, json};

/// The steps of a path: a context nests no deeper.
const MAX_STEPS: usize = 128;

/// A value for a dotted path.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Names with dots between; an index enters a list.
    pub path: String,
    /// What stands there from now on.
    pub value: Json,
}

/// Values to put on top of a context: the shorthands first, then what is set by path, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// `model.id`.
    pub model: Option<String>,
    /// `provider.id`.
    pub provider: Option<String>,
    /// `mode`.
    pub mode: Option<String>,
    /// `tools`.
    pub tools: Option<Vec<String>>,
    /// All others.
    pub set: Vec<Assignment>,
}

/// Why a value has no place.
#[derive(Debug, thiserror::Error)]
pub enum Misplaced {
    /// The path leads nowhere.
    #[error("{0}")]
    Path(String),
    /// The result is no context.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl Overlay {
    /// A context with these values on top.
    ///
    /// # Errors
    /// [`Misplaced`].
    pub fn on(self, mut root: Json) -> Result<Context, Misplaced> {
        self.put_on(&mut root)?;
        Ok(Context::from_value(root)?)
    }

    /// Puts these values on top of a context's object.
    ///
    /// # Errors
    /// [`Misplaced::Path`].
    pub fn put_on(self, root: &mut Json) -> Result<(), Misplaced> {
        let Self { model, provider, mode, tools, set } = self;
        let texts = [("model.id", model), ("provider.id", provider), ("mode", mode)];
        let texts = texts.into_iter().filter_map(|(path, value)| Some((path, json!(value?))));
        let short = texts.chain(tools.map(|tools| ("tools", json!(tools))));
        let short = short.map(|(path, value)| Assignment { path: path.into(), value });
        let mut all = short.chain(set);
        all.try_for_each(|Assignment { path, value }| assign(root, &path, value))
    }
}

impl Assignment {
    /// A value for a path of at most 128 names, none empty.
    ///
    /// # Errors
    /// [`Misplaced::Path`].
    pub fn new(path: &str, value: Json) -> Result<Self, Misplaced> {
        check_path(path)?;
        Ok(Self { path: path.into(), value })
    }
}

fn check_path(path: &str) -> Result<(), Misplaced> {
    let wrong = |why: String| Err(Misplaced::Path(why));
    if path.split('.').any(str::is_empty) {
        return wrong(format!("`{path}` is no path; write names with dots between"));
    }
    let steps = path.split('.').count();
    if steps > MAX_STEPS {
        return wrong(format!(
            "a path of {steps} steps is too deep; a context has {MAX_STEPS} levels"
        ));
    }
    Ok(())
}

/// Puts a value at a dotted path: objects are made on the way, lists are entered by index, and an index one behind the last item
/// adds one.
///
/// # Errors
/// [`Misplaced::Path`].
pub fn assign(root: &mut Json, path: &str, value: Json) -> Result<(), Misplaced> {
    check_path(path)?;
    let mut place = root;
    let mut walked = String::new();
    for step in path.split('.') {
        if place.is_null() {
            *place = Json::Object(Map::new());
        }
        place = match place {
            Json::Object(map) => map.entry(step).or_insert(Json::Null),
            Json::Array(items) => {
                let index = step.parse().ok().filter(|&index: &usize| index <= items.len());
                let length = items.len();
                let index = index.ok_or_else(|| {
                    let why =
                        format!("`{walked}` is a list of {length}: `{step}` is no place in it");
                    Misplaced::Path(why)
                })?;
                if index == items.len() {
                    items.push(Json::Null);
                }
                &mut items[index]
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Err(Misplaced::Path(format!(
                    "`{walked}` is neither object nor list: `{path}` cannot be set"
                )));
            }
        };
        walked = if walked.is_empty() { step.into() } else { format!("{walked}.{step}") };
    }
    *place = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_inside_objects_and_lists() {
        let mut root = json!({"cwd": "/", "mcp": {"servers": [{"name": "a"}]}, "user": null});
        for (path, value) in [
            ("mcp.servers.0.name", json!("b")),
            ("mcp.servers.1.name", json!("c")),
            ("user.language", json!("de")),
        ] {
            assign(&mut root, path, value).unwrap();
        }
        assert_eq!(
            root,
            json!({"cwd": "/", "mcp": {"servers": [{"name": "b"}, {"name": "c"}]}, "user": {"language": "de"}})
        );
        for (path, why) in [
            ("mcp.servers.7", "`mcp.servers` is a list of 2: `7` is no place in it"),
            ("mcp.servers.x", "`mcp.servers` is a list of 2: `x` is no place in it"),
            ("cwd.x", "`cwd` is neither object nor list: `cwd.x` cannot be set"),
            ("user..x", "`user..x` is no path; write names with dots between"),
            ("", "`` is no path; write names with dots between"),
        ] {
            assert_eq!(assign(&mut root, path, json!(1)).unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn what_is_set_wins_over_shorthands() {
        let overlay = Overlay {
            model: Some("a".into()),
            mode: Some("plan".into()),
            tools: Some(vec!["x".into(), "y".into()]),
            set: vec![Assignment::new("model.id", json!("b")).unwrap()],
            ..Overlay::default()
        };
        let context = overlay.on(json!({"mode": "act"})).unwrap();
        assert_eq!(context.text("model.id"), Some("b"));
        assert_eq!(context.text("mode"), Some("plan"));
        assert_eq!(context.texts("tools"), Some(vec!["x", "y"]));
    }
}
