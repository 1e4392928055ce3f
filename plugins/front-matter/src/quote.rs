//! Puts quotation marks around values that are no YAML without them.
//!
//! In: a front matter. Out: the same with each plain value of the first level, and each plain item of a list, in quotation marks.
//! Never: touches a word that is no text, a block of text, or a map in braces.

/// The same front matter with quotation marks around plain values.
pub(crate) fn quoted(yaml: &str) -> String {
    let (mut out, mut in_block) = (String::with_capacity(yaml.len() + 16), false);
    for line in yaml.lines() {
        in_block &= line.is_empty() || line.starts_with([' ', '\t']);
        let quoted = if in_block { None } else { quote(line) };
        out.push_str(quoted.as_deref().unwrap_or(line));
        out.push('\n');
        in_block |= value_at(line).is_some_and(|at| line[at..].trim().starts_with(['|', '>']));
    }
    out
}

fn quote(line: &str) -> Option<String> {
    let at = value_at(line)?;
    let value = line[at..].trim();
    let is_word = matches!(value, "" | "true" | "false" | "null" | "~");
    let is_map = value.starts_with('{') && value.ends_with('}') && value.contains(": ");
    let is_marked = value.starts_with(['"', '\'', '[', '|', '>', '#']);
    let is_plain = !is_word && !is_map && !is_marked;
    is_plain.then(|| format!("{}'{}'", &line[..at], value.replace('\'', "''")))
}

/// Where the value of `key: value` begins, or that of `- value`.
fn value_at(line: &str) -> Option<usize> {
    let is_key = |key: &str| {
        key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    match line.find(": ") {
        Some(at) if is_key(&line[..at]) => Some(at + 2),
        _ => Some(line.len() - line.trim_start().strip_prefix("- ")?.len()),
    }
}
