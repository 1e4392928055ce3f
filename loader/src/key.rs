//! Key paths as plugins write them.
//!
//! In: `model.name`, `tools[0].name` or `/tools/0/name`. Out: the steps, and the value they lead to.
//! Never: allocates more than the steps.

use std::borrow::Cow;

use serde_json::Value as Json;

/// The longest path.
const MAX_BYTES: usize = 1024;
/// The most steps of a path.
const MAX_STEPS: usize = 64;

/// The steps of a key; none when it is no path.
pub fn steps(key: &str) -> Option<Vec<Cow<'_, str>>> {
    if key.len() > MAX_BYTES {
        return None;
    }
    let steps: Vec<Cow<'_, str>> = match key.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(unescaped).collect(),
        None => dotted(key)?,
    };
    let fits = steps.len() <= MAX_STEPS && steps.iter().all(|step| !step.is_empty());
    fits.then_some(steps)
}

/// Whether a key lies at or under a declared path, both as steps.
pub fn covers(declared: &[Cow<'_, str>], key: &[Cow<'_, str>]) -> bool {
    key.starts_with(declared)
}

/// Whether a path is a key that a probe may fill: steps of letters, digits, `_` and `-`, with dots.
pub(crate) fn can_be_filled(key: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    key.len() <= MAX_BYTES
        && key.split('.').all(|step| !step.is_empty() && step.bytes().all(is_plain))
}

/// The value at the end of the steps.
pub fn at<'j>(json: &'j Json, steps: &[Cow<'_, str>]) -> Option<&'j Json> {
    steps.iter().try_fold(json, |json, step| match json {
        Json::Object(entries) => entries.get(&**step),
        Json::Array(items) => items.get(index(step)?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}

/// The place in a list that a step names: digits alone, without zeros in front (RFC 6901).
fn index(step: &str) -> Option<usize> {
    let plain =
        step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    step.parse().ok().filter(|_| plain)
}

/// A step of a JSON pointer (RFC 6901): `~1` is `/`, `~0` is `~`.
fn unescaped(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

fn dotted(key: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut steps = Vec::new();
    for part in key.split('.') {
        let (name, mut rest) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        if name.contains(']') {
            return None;
        }
        steps.push(Cow::Borrowed(name));
        while !rest.is_empty() {
            let (index, behind) = rest.strip_prefix('[')?.split_once(']')?;
            self::index(index)?;
            steps.push(Cow::Borrowed(index));
            rest = behind;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths() {
        let check = |key: &str, expected: Option<&[&str]>| {
            let steps = steps(key);
            let read = steps.as_ref().map(|all| all.iter().map(|one| &**one).collect::<Vec<_>>());
            assert_eq!(read.as_deref(), expected, "{key}");
        };
        check("cwd", Some(&["cwd"]));
        check("model.name", Some(&["model", "name"]));
        check("tools[0].name", Some(&["tools", "0", "name"]));
        check("a[1][2]", Some(&["a", "1", "2"]));
        check("/tools/0/name", Some(&["tools", "0", "name"]));
        check("/a~1b/c~0d", Some(&["a/b", "c~d"]));
        for bad in ["", ".", "a.", "a]", "a[", "a[x]", "a[0]b", "a[+1]", "a[01]", "/", "//a", "[0]"]
        {
            check(bad, None);
        }
    }

    #[test]
    fn what_lies_below() {
        let below = |above, path| covers(&steps(above).unwrap(), &steps(path).unwrap());
        assert!(below("git", "git.user") && below("/git", "git") && !below("git", "gitx"));
        assert!(
            can_be_filled("git.main-branch") && !can_be_filled("git..x") && !can_be_filled("a[0]")
        );
    }

    #[test]
    fn values() {
        let json = json!({ "tools": [{ "name": "read" }], "n": null });
        let value = |key: &str| at(&json, &steps(key).unwrap()).cloned();
        assert_eq!(value("tools[0].name"), Some(json!("read")));
        assert_eq!(value("/tools/0"), Some(json!({ "name": "read" })));
        assert_eq!(value("n"), Some(Json::Null));
        assert_eq!(value("n.x"), None);
        assert_eq!(value("tools[7]"), None);
        assert_eq!(value("/tools/00"), None);
    }
}
