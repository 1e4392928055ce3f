//! The context keys that the engine knows: their types, defaults and classes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use crate::trace::CacheClass;

/// The type of a context key's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// A string.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An array.
    List,
    /// An object.
    Object,
}

impl KeyType {
    /// The name that `pack.toml` and diagnostics use: `string`, `integer`, `number`, `boolean`, `list`, `object`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// The name as a sentence has it: `a string`, `an integer`.
    pub(crate) fn described(self) -> String {
        let article = if matches!(self, Self::Integer | Self::Object) { "an" } else { "a" };
        format!("{article} {}", self.as_str())
    }

    /// The type of that name; `int`, `bool`, `array` and `table` are accepted too.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "integer" | "int" => Self::Integer,
            "number" | "float" => Self::Number,
            "boolean" | "bool" => Self::Boolean,
            "list" | "array" => Self::List,
            "object" | "table" => Self::Object,
            _ => return None,
        })
    }

    /// Whether a value has this type.
    pub fn accepts(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// One known key.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KnownKey {
    /// Its dotted path.
    pub path: &'static str,
    /// The type of its values.
    pub kind: KeyType,
    /// How often it changes.
    pub class: CacheClass,
    /// What it says.
    pub meaning: &'static str,
}

const fn key(
    path: &'static str,
    kind: KeyType,
    class: CacheClass,
    meaning: &'static str,
) -> KnownKey {
    KnownKey { path, kind, class, meaning }
}

use CacheClass::{Session, Static, Volatile};
use KeyType::{Boolean, Integer, List, Object, String as Text};

/// Every known key, grouped as the documentation groups them.
#[rustfmt::skip]
pub const KNOWN_KEYS: &[KnownKey] = &[
    key("model.id", Text, Static, "the model's id as the provider spells it"),
    key("model.context_window", Integer, Static, "how many tokens the model can hold"),
    key("provider.id", Text, Static, "who serves the model"),
    key("native_tools", Boolean, Static, "whether tools can be declared in the request (true)"),
    key("cwd", Text, Session, "the working directory"),
    key("os", Text, Session, "the operating system"),
    key("shell", Text, Session, "the user's shell"),
    key("home", Text, Session, "the home directory"),
    key("ide", Text, Session, "the editor that hosts the agent"),
    key("date", Text, Session, "today's date, YYYY-MM-DD"),
    key("roots", List, Session, "workspace roots: {path, name}"),
    key("git.branch", Text, Session, "the current branch"),
    key("git.main_branch", Text, Session, "the branch that changes are merged into"),
    key("git.user", Text, Session, "the committing user"),
    key("git.status", Text, Session, "short status of the work tree"),
    key("git.commits", List, Session, "recent commits, newest first"),
    key("tools", List, Session, "tools: a name, or {name, description, input_schema, role}"),
    key("flags", List, Session, "free switches"),
    key("capabilities", List, Session, "fs, shell, browser, web, mcp, sub_agents (all)"),
    key("skills", List, Session, "skills: {name, description, path, category, tags[]}"),
    key("rules.global", Text, Session, "the user's rules for every project"),
    key("rules.project", Text, Session, "the project's rules"),
    key("rules.local", Text, Session, "the user's rules for this project"),
    key("rules.files", List, Session, "rule files: {path, scope, text}"),
    key("rules.merged", Object, Session, "rule files as one text: {text, spans[], waiting[], report[]}"),
    key("user.system_prompt", Text, Session, "the user's own system prompt"),
    key("user.name", Text, Session, "the user's name"),
    key("user.language", Text, Session, "the language to answer in"),
    key("memory.enabled", Boolean, Session, "whether the agent keeps memories (false)"),
    key("crew.kind", Text, Session, "master or sub"),
    key("crew.role", Text, Session, "this agent's part in the crew"),
    key("crew.members", List, Session, "the crew"),
    key("crew.hints", Text, Session, "how to work with the crew"),
    key("crew.tools", List, Session, "tools for orchestration"),
    key("request.override", Text, Session, "replaces the whole prompt"),
    key("request.coordinator", Text, Session, "the prompt of a coordinator"),
    key("request.agent", Text, Session, "the prompt of an agent"),
    key("request.agent_mode", Text, Session, "replace or append"),
    key("request.custom", Text, Session, "a prompt instead of the variant's"),
    key("request.append", List, Session, "texts that come last"),
    key("request.minimal", Boolean, Session, "asks for the variant's one line"),
    key("request.attribution", Text, Session, "the attribution block"),
    key("request.prefix", Text, Session, "a second block before the prompt"),
    key("request.query_source", Text, Session, "what the request is for"),
    key("request.global_cache", Boolean, Session, "whether global caching is on (false)"),
    key("request.budget", Integer, Session, "how many tokens the prompt may have"),
    key("request.marks_used", Integer, Session, "cache marks that the host sets itself (0)"),
    key("request.mcp_delta", Boolean, Session, "changes of servers come as messages (false)"),
    key("request.cache_breaker", Text, Session, "appended to the system context, for debugging"),
    key("request.user_context", Boolean, Session, "whether user context is delivered (true)"),
    key("request.system_context", Boolean, Session, "whether system context is delivered (true)"),
    key("mode", Text, Volatile, "plan or act (act)"),
    key("time", Text, Volatile, "the time of day"),
    key("memory.text", Text, Volatile, "what was recalled"),
    key("mcp.servers", List, Volatile, "servers: {name, status, instructions, tools[], resources[]}"),
    key("placeholders", Object, Volatile, "values for placeholders; null removes one"),
];

/// The six capabilities that an absent `capabilities` stands for.
pub const CAPABILITIES: &[&str] = &["fs", "shell", "browser", "web", "mcp", "sub_agents"];

/// Whether a text names a context key: steps of letters, digits, `_` and `-`, with dots between.
pub(crate) fn is_key_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    path.split('.').all(|step| !step.is_empty() && step.bytes().all(is_plain))
}

static DEFAULTS: LazyLock<BTreeMap<&'static str, Json>> = LazyLock::new(|| {
    KNOWN_KEYS
        .iter()
        .map(|key| (key.path.split('.').next().unwrap_or(key.path), default(key)))
        .collect()
});

/// The value that a known root key has when the host gives none; none for an unknown name.
pub(crate) fn default_of(root: &str) -> Option<&'static Json> {
    DEFAULTS.get(root)
}

/// The first steps of all known keys, by name.
pub(crate) fn known_roots() -> impl Iterator<Item = &'static str> {
    DEFAULTS.keys().copied()
}

fn default(key: &KnownKey) -> Json {
    if key.path.contains('.') {
        return json!({});
    }
    match (key.path, key.kind) {
        ("native_tools", _) => json!(true),
        ("mode", _) => json!("act"),
        ("capabilities", _) => json!(CAPABILITIES),
        (_, Text) => json!(""),
        (_, List) => json!([]),
        (_, Object) => json!({}),
        (_, Boolean) => json!(false),
        (_, Integer | KeyType::Number) => json!(0),
    }
}

/// The class of a known key's path, or of an object above known keys; none when nothing known is there.
///
/// A path below a known key has the key's class, one above several has their widest.
pub(crate) fn class_of<S: AsRef<str>>(path: &[S]) -> Option<CacheClass> {
    let (root, inner) = path.split_first()?;
    let below = BY_ROOT.get(root.as_ref())?.iter();
    let touches =
        |steps: &[&str]| steps.iter().zip(inner).all(|(step, asked)| *step == asked.as_ref());
    below.filter(|(steps, _)| touches(steps)).map(|(_, class)| *class).max()
}

/// The known key that a path lies at or below; the path itself where there is none.
pub(crate) fn known_key(path: &str) -> &str {
    let holds = |key: &&KnownKey| {
        path.strip_prefix(key.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    KNOWN_KEYS.iter().find(holds).map_or(path, |key| key.path)
}

/// The steps of a known key behind its first, and its class.
type Below = (Vec<&'static str>, CacheClass);

/// The known keys by their first step: each value that is read asks for a class.
static BY_ROOT: LazyLock<BTreeMap<&str, Vec<Below>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&str, Vec<Below>> = BTreeMap::new();
    for key in KNOWN_KEYS {
        let mut steps = key.path.split('.');
        let below = all.entry(steps.next().unwrap_or_default()).or_default();
        below.push((steps.collect(), key.class));
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        for (path, class) in [
            ("model.id", Some(Static)),
            ("model", Some(Static)),
            ("memory", Some(Volatile)),
            ("memory.enabled", Some(Session)),
            ("mcp.servers.0.name", Some(Volatile)),
            ("rules.files", Some(Session)),
            ("user.unheard_of", None),
            ("unheard_of", None),
        ] {
            let steps: Vec<&str> = path.split('.').collect();
            assert_eq!(class_of(&steps), class, "{path}");
        }
    }

    #[test]
    fn defaults() {
        assert_eq!(default_of("mode"), Some(&json!("act")));
        assert_eq!(default_of("flags"), Some(&json!([])));
        assert_eq!(default_of("user"), Some(&json!({})));
        assert_eq!(
            default_of("capabilities").map(|list| list.as_array().map(Vec::len)),
            Some(Some(6))
        );
        assert_eq!(default_of("house"), None);
    }
}
