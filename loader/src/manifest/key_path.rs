//! Paths into the context: `model.name`, `tools[0].name`, `/model/name`.
//!
//! In: a path as written. Out: its steps. Never: looks anything up.

/// The longest path.
const MAX_BYTES: usize = 1024;

/// The steps of a path; none when it is no path.
pub(crate) fn steps(path: &str) -> Option<Vec<String>> {
    if path.is_empty() || path.len() > MAX_BYTES {
        return None;
    }
    match path.strip_prefix('/') {
        Some(pointer) => Some(
            pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect(),
        ),
        None => dotted(path),
    }
}

/// Whether a path is a key that a probe may fill: steps of letters, digits, `_` and `-`, with dots.
pub(super) fn is_key(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    path.len() <= MAX_BYTES
        && path.split('.').all(|step| !step.is_empty() && step.bytes().all(is_plain))
}

fn dotted(path: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() || name.contains(']') {
            return None;
        }
        steps.push(name.to_owned());
        while !rest.is_empty() {
            let (index, behind) = rest.strip_prefix('[')?.split_once(']')?;
            index.parse::<u32>().ok()?;
            steps.push(index.to_owned());
            rest = behind;
        }
    }
    Some(steps)
}

/// Whether a path is, or lies below, another; both as steps.
pub(crate) fn covers(above: &[String], path: &[String]) -> bool {
    path.starts_with(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, wanted) in [
            ("model.name", Some("model|name")),
            ("tools[0].name", Some("tools|0|name")),
            ("a[1][2]", Some("a|1|2")),
            ("/a~1b/c~0d/0", Some("a/b|c~d|0")),
            ("", None),
            ("a..b", None),
            ("a[x]", None),
            ("a[1", None),
            ("a]", None),
            ("a[1]b", None),
        ] {
            assert_eq!(steps(path).map(|steps| steps.join("|")).as_deref(), wanted, "{path}");
        }
        let covers = |above, path| covers(&steps(above).unwrap(), &steps(path).unwrap());
        assert!(covers("git", "git.user") && covers("/git", "git") && !covers("git", "gitx"));
    }
}
