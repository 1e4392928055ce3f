//! Random contexts, and pairs of them that agree on every key below a class.

use promptweave::CacheClass::{self, Session, Static, Volatile};
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

/// Texts that are awkward to tidy.
pub(crate) const TEXTS: &[&str] = &[
    "",
    "a",
    "two words",
    "# Head",
    "## Head\ntext",
    "##",
    "====",
    "\n====\n",
    "=",
    "\n\n\n",
    " ",
    "x\n",
    "\nx",
    "\r\n",
    "```\n",
    "SEARCH",
    "{{cwd}}",
    "é😀",
    "long enough to stand for a sentence of prose, with a comma",
];

const FLAGS: &[&str] = &["[]", r#"["a"]"#, r#"["a", "b"]"#, r#"["\n\n"]"#];
const TOOLS: &[&str] = &[
    "[]",
    r#"["t0"]"#,
    r#"["t1", "t0"]"#,
    r#"[{"name": "h0", "description": "of the host", "role": "r"}]"#,
];
const SERVERS: &[&str] = &[
    "[]",
    r#"[{"name": "s", "status": "connected", "tools": [{"name": "m0", "description": "of a server"}]}]"#,
];

/// A key, its class, and its values in JSON; none stands for the texts.
type Key = (&'static str, CacheClass, &'static [&'static str]);

const KEYS: &[Key] = &[
    ("model.id", Static, &[r#""""#, r#""gpt-4""#, r#""claude""#]),
    ("native_tools", Static, &["true", "false"]),
    ("house.fixed", Static, &[]),
    ("cwd", Session, &[]),
    ("date", Session, &[]),
    ("user.name", Session, &[]),
    ("rules.global", Session, &[]),
    ("flags", Session, FLAGS),
    ("tools", Session, TOOLS),
    ("capabilities", Session, &["[]", r#"["browser"]"#]),
    ("house.kept", Session, &[]),
    ("mode", Volatile, &[r#""act""#, r#""plan""#]),
    ("memory.text", Volatile, &[]),
    ("mcp.servers", Volatile, SERVERS),
    ("house.loose", Volatile, &[]),
    ("placeholders.NAME", Volatile, &[]),
    ("placeholders.CWD", Volatile, &[]),
    ("placeholders.c1", Volatile, &["null", r#""""#, r#""given""#, "false", r#"{"a": 1}"#]),
];

/// Which value each key has; none where it is absent.
pub(crate) type Values = Vec<Option<usize>>;

pub(crate) fn values() -> impl Strategy<Value = Values> {
    let value = |(path, _, values): &Key| {
        // A placeholder of the context is volatile wherever it stands: too many would hide the rest.
        let often = if path.starts_with("placeholders.") { 0.1 } else { 0.6 };
        proptest::option::weighted(often, 0..choices(values).len())
    };
    KEYS.iter().map(value).collect::<Vec<_>>()
}

/// The values of `one` below a class, those of `other` from it on.
///
/// Both give the same placeholders, though with other values: a name has the class of the layer that holds
/// it, and a placeholder of the context is a layer above all others.
pub(crate) fn joined(one: &Values, other: &Values, class: CacheClass) -> Values {
    let choose = |((path, own, _), (one, other)): (&Key, (&Option<usize>, &Option<usize>))| {
        let fixed =
            *own < class || path.starts_with("placeholders.") && one.is_some() != other.is_some();
        if fixed { *one } else { *other }
    };
    KEYS.iter().zip(one.iter().zip(other)).map(choose).collect()
}

/// The context with these values.
pub(crate) fn json(values: &Values) -> Json {
    let mut root = Map::new();
    for ((path, _, known), value) in KEYS.iter().zip(values) {
        let Some(value) = value.map(|index| choices(known)[index].clone()) else { continue };
        match path.split_once('.') {
            None => drop(root.insert((*path).into(), value)),
            Some((parent, key)) => {
                let parent = root.entry(parent).or_insert_with(|| Map::new().into());
                parent.as_object_mut().expect("an object").insert(key.into(), value);
            }
        }
    }
    root.into()
}

fn choices(values: &[&str]) -> Vec<Json> {
    match values {
        [] => TEXTS.iter().map(|&text| text.into()).collect(),
        values => values.iter().map(|text| serde_json::from_str(text).expect("a value")).collect(),
    }
}
